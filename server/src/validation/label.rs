//! Validates the keys and values of labels. Finalizers and annotations have names like label keys.

use super::name;

/// The maximum length of the name in a key, and of a value.
const MAX_LENGTH: usize = 63;

/// The errors in a label key: an optional subdomain with a slash, and a name.
pub(crate) fn key_mistakes(key: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    let name = match key.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        ["", name] => {
            mistakes.push("prefix part must be non-empty".to_owned());
            *name
        }
        [prefix, name] => {
            mistakes
                .extend(name::subdomain_mistakes(prefix).into_iter().map(|why| format!("prefix part {why}")));
            *name
        }
        _ => {
            return vec![format!(
                "a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        mistakes.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_LENGTH {
        mistakes.push(format!("name part must be no more than {MAX_LENGTH} bytes"));
    }
    if !is_name(name) {
        mistakes.push(format!("name part {KEY}"));
    }
    mistakes
}

/// The errors in a label value.
pub(crate) fn value_mistakes(value: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    if value.len() > MAX_LENGTH {
        mistakes.push(format!("must be no more than {MAX_LENGTH} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        mistakes.push(VALUE.to_owned());
    }
    mistakes
}

/// Whether the text consists of letters, digits, `-`, `_` and `.`, with a letter or digit at either
/// end.
fn is_name(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    ends(text.chars().next()) && ends(text.chars().next_back()) && text.chars().all(inner)
}

const KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
     and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
     used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[cfg(test)]
mod tests {
    use super::{key_mistakes, value_mistakes};

    #[test]
    fn keys() {
        for good in ["a", "A.b-c_1", "example.com/a", &"a".repeat(63)] {
            assert_eq!(key_mistakes(good), [""; 0], "{good}");
        }
        for (bad, count) in
            [("", 2), ("-a", 1), ("a b", 1), ("/a", 1), ("A/b", 1), ("a/b/c", 1), ("a/", 2), ("ä", 1)]
        {
            assert_eq!(key_mistakes(bad).len(), count, "{bad}: {:?}", key_mistakes(bad));
        }
        assert_eq!(key_mistakes(&"a".repeat(64)), ["name part must be no more than 63 bytes"]);
    }

    #[test]
    fn values() {
        for good in ["", "a", "A.b-c_1"] {
            assert_eq!(value_mistakes(good), [""; 0], "{good}");
        }
        for bad in ["a ", "-", "a/b", &"a".repeat(64)] {
            assert_eq!(value_mistakes(bad).len(), 1, "{bad}");
        }
    }
}
