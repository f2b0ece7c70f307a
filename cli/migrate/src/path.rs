//! Paths of fields in documents.

/// The path of an item.
pub fn element(path: &str, index: usize) -> String {
    join(path, &format!("items[{index}]"))
}

/// A path below another one.
pub fn join(path: &str, rest: &str) -> String {
    match (path.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{rest}"),
    }
}
