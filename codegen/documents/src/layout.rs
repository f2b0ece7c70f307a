//! How JSON is laid out in files that people review.

use serde_json::Value;

/// Values of at most this many characters are written on one line.
const WIDTH: usize = 120;

/// Formats JSON for people: an indent of two spaces, short values on one line.
pub fn render(document: &Value) -> String {
    let mut text = String::new();
    value(&mut text, document, 0, 0);
    text.push('\n');
    text
}

fn value(text: &mut String, json: &Value, indent: usize, column: usize) {
    let flat = flat(json);
    let fits = column + flat.len() <= WIDTH;
    match json {
        // The outer levels are always split: a block for each type, a line for each property.
        Value::Object(members) if !members.is_empty() && (!fits || indent < 4) => {
            text.push_str("{\n");
            for (at, (key, member)) in members.iter().enumerate() {
                let key = Value::from(key.as_str()).to_string();
                let pad = (indent + 1) * 2;
                text.push_str(&" ".repeat(pad));
                text.push_str(&key);
                text.push_str(": ");
                value(text, member, indent + 1, pad + key.len() + 3);
                text.push_str(if at + 1 < members.len() { ",\n" } else { "\n" });
            }
            text.push_str(&" ".repeat(indent * 2));
            text.push('}');
        }
        Value::Array(elements) if !elements.is_empty() && !fits => {
            text.push_str("[\n");
            for (at, element) in elements.iter().enumerate() {
                let pad = (indent + 1) * 2;
                text.push_str(&" ".repeat(pad));
                value(text, element, indent + 1, pad + 1);
                text.push_str(if at + 1 < elements.len() { ",\n" } else { "\n" });
            }
            text.push_str(&" ".repeat(indent * 2));
            text.push(']');
        }
        _ => text.push_str(&flat),
    }
}

fn flat(json: &Value) -> String {
    match json {
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(key, member)| format!("{}: {}", Value::from(key.as_str()), flat(member)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(flat).collect();
            format!("[{}]", elements.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
