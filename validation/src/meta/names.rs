//! Names and labels: what is wrong with a text.

/// The errors in a label key: an optional subdomain with a slash, and a name. Finalizers and annotations are like it.
pub(super) fn key_mistakes(key: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    let (prefix, name) = match key.split_once('/') {
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    match prefix {
        Some("") => mistakes.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => {
            if prefix.len() > 253 {
                mistakes.push("prefix part must be no more than 253 characters".to_owned());
            }
            if !prefix.split('.').all(is_label) {
                mistakes.push(format!("prefix part {SUBDOMAIN}"));
            }
        }
        None => {}
    }
    if name.is_empty() {
        mistakes.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        mistakes.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_name(name) {
        mistakes.push(format!("name part {KEY}"));
    }
    mistakes
}

/// The errors in a label value.
pub(super) fn value_mistakes(value: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    if value.len() > 63 {
        mistakes.push("must be no more than 63 bytes".to_owned());
    }
    if !value.is_empty() && !is_name(value) {
        mistakes.push(VALUE.to_owned());
    }
    mistakes
}

/// The errors in a name that may be any segment of a URL path, or the beginning of one.
pub(super) fn segment_mistakes(name: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    ['/', '%'].iter().filter(|c| name.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

/// The errors in the name of a namespace.
pub(super) fn namespace_mistakes(name: &str) -> Vec<String> {
    let mut mistakes = too_long(name);
    if !is_label(name) {
        let is_subdomain = name.split('.').all(is_label);
        mistakes.push(if is_subdomain { "must not contain dots".to_owned() } else { LABEL.to_owned() });
    }
    mistakes
}

/// The errors in a label of RFC 1035.
pub(crate) fn label_1035_mistakes(text: &str) -> Vec<String> {
    let mut mistakes = too_long(text);
    if !is_label(text) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        mistakes.push(LABEL_1035.to_owned());
    }
    mistakes
}

fn too_long(text: &str) -> Vec<String> {
    if text.len() > 63 { vec!["must be no more than 63 characters".to_owned()] } else { Vec::new() }
}

/// Letters, digits, `-`, `_` and `.`, with a letter or digit at either end.
fn is_name(text: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_edge(text.chars().next())
        && is_edge(text.chars().next_back())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Lower case letters, digits and dashes, with no dash at either end.
fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

const KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
     and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
     used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
     and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
     validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
     start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
     regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
