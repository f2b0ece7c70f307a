//! Compares two tables of one object.

use serde_json::Value;

use super::listed;
use crate::differential::answers::Verdict;

/// Compares the recorded table of a line with ours.
pub fn judge(line: &Value, ours: &Value) -> Verdict {
    if line["columns"] != ours["columns"] {
        return Verdict::Different(format!(
            "columns: expected {}, found {}",
            line["columns"], ours["columns"]
        ));
    }
    let mut why = None;
    if line["warnings"] != ours["warnings"] {
        why = listed::why_warned(&line["warnings"], &ours["warnings"]);
    }
    if line["warnings"] != ours["warnings"] && why.is_none() {
        return Verdict::Different(format!(
            "warnings: expected {}, found {}",
            line["warnings"], ours["warnings"]
        ));
    }
    let names: Vec<&str> = line["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|column| column["name"].as_str().unwrap_or_default())
        .collect();
    let [theirs, ours] = [line, ours].map(|table| &table["rows"][0]);
    if theirs["reason"] != ours["reason"] {
        return Verdict::Different(format!(
            "completed: expected {}, found {}",
            theirs["reason"], ours["reason"]
        ));
    }
    let [theirs, ours] =
        [theirs, ours].map(|row| row["cells"].as_array().map(Vec::as_slice).unwrap_or_default());
    for index in 0..theirs.len().max(ours.len()) {
        let (expected, found) = (theirs.get(index), ours.get(index));
        if expected.zip(found).is_some_and(|(expected, found)| without_ages(expected) == without_ages(found))
        {
            continue;
        }
        let name = names.get(index).copied().unwrap_or_default();
        match listed::why(&line["object"], name, expected, found) {
            Some(listed) => why = Some(listed),
            None => {
                let shown =
                    |cell: Option<&Value>| cell.map_or_else(|| "nothing".to_owned(), Value::to_string);
                let (expected, found) = (shown(expected), shown(found));
                return Verdict::Different(format!("{name}: expected {expected}, found {found}"));
            }
        }
    }
    why.map_or(Verdict::Equal, Verdict::Listed)
}

/// A cell in which each age is a word: ages are of the time of the answer.
fn without_ages(cell: &Value) -> Value {
    let Some(text) = cell.as_str() else { return cell.clone() };
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word);
        out.push_str(if is_age(word) { "AGE" } else { word });
        let mut characters = after.chars();
        out.extend(characters.next());
        rest = characters.as_str();
    }
    // A time in the future has no age, and one that is a second ahead is now.
    Value::String(out.replace("<invalid>", "AGE"))
}

/// Whether a word is an age: one or two numbers, each with a unit.
fn is_age(word: &str) -> bool {
    let mut parts = 0;
    let mut digits = 0;
    for c in word.chars() {
        match c {
            '0'..='9' => digits += 1,
            's' | 'm' | 'h' | 'd' | 'y' if digits > 0 => (parts, digits) = (parts + 1, 0),
            _ => return false,
        }
    }
    (1..=2).contains(&parts) && digits == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(cells: Value) -> Value {
        json!({
            "object": {"kind": "Pod"},
            "columns": [{"name": "Name"}, {"name": "Age"}],
            "rows": [{"cells": cells}],
        })
    }

    #[test]
    fn columns_and_cells_are_compared() {
        let theirs = line(json!(["a", "3 (5m ago)"]));
        assert_eq!(judge(&theirs, &line(json!(["a", "3 (2d3h ago)"]))), Verdict::Equal);
        let mut other_column = theirs.clone();
        other_column["columns"][1]["name"] = "Old".into();
        let mut completed = theirs.clone();
        completed["rows"][0]["reason"] = "Failed".into();
        let mut warned = theirs.clone();
        warned["warnings"] = json!(["299 - \"x\""]);
        for other in [
            line(json!(["b", "3 (5m ago)"])),
            line(json!(["a", "4 (5m ago)"])),
            line(json!(["a", "3"])),
            line(json!(["a"])),
            line(json!(["a", "3 (5m ago)", "more"])),
            line(json!(["a", 3])),
            other_column,
            completed,
            warned,
        ] {
            assert!(matches!(judge(&theirs, &other), Verdict::Different(_)), "{other}");
        }
    }

    #[test]
    fn ages_are_words() {
        for age in ["5s", "5m", "2d3h", "292y"] {
            assert!(is_age(age), "{age}");
        }
        for other in ["", "5", "m", "5m3", "1d2h3m", "a5m", "5x"] {
            assert!(!is_age(other), "{other}");
        }
    }
}
