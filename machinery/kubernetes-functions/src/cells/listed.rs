//! Lists of which only the first items are shown.

/// The first items with commas between them, and how many there are beyond; `<unset>` if there is nothing to show.
pub fn listed(items: &[String], most: usize) -> String {
    let shown = items[..items.len().min(most)].join(",");
    if items.len() > most {
        return format!("{shown} + {} more...", items.len() - most);
    }
    if shown.is_empty() { "<unset>".to_owned() } else { shown }
}
