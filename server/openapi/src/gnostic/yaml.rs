//! Writes small values as YAML, as gnostic's clients read them: facts of types, defaults, words.

use serde_json::Value;

/// A value as YAML, with a newline at its end.
pub(super) fn of(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Array(items) if !items.is_empty() => block(value, 0, &mut out),
        Value::Object(members) if !members.is_empty() => block(value, 0, &mut out),
        scalar => {
            out.push_str(&self::scalar(scalar));
            out.push('\n');
        }
    }
    out
}

fn block(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                nested(item, depth + 1, &mut inner);
                out.push_str(&format!("{indent}- {}", inner.trim_start_matches(['\n', ' '])));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                out.push_str(&format!("{indent}{}:", text(name)));
                match member {
                    Value::Object(inner) if !inner.is_empty() => {
                        out.push('\n');
                        block(member, depth + 1, out);
                    }
                    // Items of a list are as far to the right as its name.
                    Value::Array(inner) if !inner.is_empty() => {
                        out.push('\n');
                        block(member, depth, out);
                    }
                    scalar => out.push_str(&format!(" {}\n", self::scalar(scalar))),
                }
            }
        }
        scalar => out.push_str(&format!("{indent}{}\n", self::scalar(scalar))),
    }
}

fn nested(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(inner) if inner.is_empty() => out.push_str("[]\n"),
        Value::Object(inner) if inner.is_empty() => out.push_str("{}\n"),
        value => block(value, depth, out),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(value) => text(value),
        // JSON of anything else is YAML.
        other => other.to_string(),
    }
}

/// A text; in quotation marks where it could be read as something else.
fn text(value: &str) -> String {
    let is_word = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '$' | '=' | '+' | ',')
    };
    let begins = value.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/' | '$'));
    let other = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_other = other.contains(&value.to_ascii_lowercase().as_str());
    if begins && !is_other && value.chars().all(is_word) && !value.ends_with(' ') {
        return value.to_owned();
    }
    let is_number = value.starts_with(|c: char| c.is_ascii_digit() || "-+.~".contains(c));
    let is_escaped = value.chars().any(|c| c.is_control() || c == '\'');
    if is_other || is_number || is_escaped || value.is_empty() {
        Value::from(value).to_string()
    } else {
        format!("'{value}'")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of;

    #[test]
    fn values_are_as_gnostic_writes_them() {
        assert_eq!(of(&json!("atomic")), "atomic\n");
        assert_eq!(of(&json!(["ip", "uid"])), "- ip\n- uid\n");
        assert_eq!(of(&json!({"group": "", "version": "v1"})), "group: \"\"\nversion: v1\n");
        let union = json!([{"discriminator": "type", "fields": {"localhostProfile": "LocalhostProfile"}}, {"a": ["b"]}]);
        assert_eq!(
            of(&union),
            "- discriminator: type\n  fields:\n    localhostProfile: LocalhostProfile\n- a:\n  - b\n"
        );
        assert_eq!(
            of(&json!(["true", "1", "a: b", "no", "*"])),
            "- \"true\"\n- \"1\"\n- 'a: b'\n- \"no\"\n- '*'\n"
        );
        assert_eq!(
            (of(&json!({})), of(&json!(null)), of(&json!(1.5))),
            ("{}\n".into(), "null\n".into(), "1.5\n".into())
        );
    }
}
