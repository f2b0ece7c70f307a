//! The names that the API server accepts: of objects, namespaces, labels, annotations and finalizers.
//!
//! Each function returns what is wrong with a text, in the API server's words. An empty list means that the text is
//! right. Upstream has these functions in `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validation/path`.
//!
//! ```
//! use hubgen_validation::names;
//!
//! assert!(names::subdomain_mistakes("example.com").is_empty());
//! assert_eq!(names::dns_label_mistakes("example.com"), ["must not contain dots"]);
//! ```

/// The errors in a label key: an optional subdomain with a slash, and a name. Finalizers are like it, and the keys of
/// annotations, where upper and lower case are the same.
///
/// ```
/// # use hubgen_validation::names::label_key_mistakes;
/// assert!(label_key_mistakes("example.com/owner").is_empty());
/// assert_eq!(label_key_mistakes("/owner"), ["prefix part must be non-empty"]);
/// ```
pub fn label_key_mistakes(key: &str) -> Vec<String> {
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
            mistakes.extend(subdomain_mistakes(prefix).into_iter().map(|why| format!("prefix part {why}")));
        }
        None => {}
    }
    if name.is_empty() {
        mistakes.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_LENGTH {
        mistakes.push(format!("name part must be no more than {LABEL_LENGTH} bytes"));
    }
    if !is_name(name) {
        mistakes.push(format!("name part {KEY}"));
    }
    mistakes
}

/// The errors in a label value.
pub fn label_value_mistakes(value: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    if value.len() > LABEL_LENGTH {
        mistakes.push(format!("must be no more than {LABEL_LENGTH} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        mistakes.push(VALUE.to_owned());
    }
    mistakes
}

/// The errors in a subdomain of RFC 1123, such as the names of most objects: labels with dots between them, together at
/// most 253 characters.
pub fn subdomain_mistakes(name: &str) -> Vec<String> {
    let mut mistakes = too_long(name, SUBDOMAIN_LENGTH);
    if !is_subdomain(name) {
        mistakes.push(SUBDOMAIN.to_owned());
    }
    mistakes
}

/// The errors in a label of RFC 1123, such as the name of a namespace: at most 63 characters.
pub fn dns_label_mistakes(name: &str) -> Vec<String> {
    let mut mistakes = too_long(name, LABEL_LENGTH);
    if !is_label(name) {
        let why = if is_subdomain(name) { "must not contain dots" } else { LABEL };
        mistakes.push(why.to_owned());
    }
    mistakes
}

/// The errors in a label of RFC 1035, such as the name of a Service: a label that begins with a letter.
pub fn dns_1035_label_mistakes(name: &str) -> Vec<String> {
    let mut mistakes = too_long(name, LABEL_LENGTH);
    if !is_label(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        mistakes.push(LABEL_1035.to_owned());
    }
    mistakes
}

/// The errors in a name that may be any segment of a URL path, such as that of a ClusterRole.
pub fn path_segment_mistakes(name: &str) -> Vec<String> {
    match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => path_segment_prefix_mistakes(name),
    }
}

/// The errors in the beginning of a name that may be any segment of a URL path: in `metadata.generateName`.
pub fn path_segment_prefix_mistakes(prefix: &str) -> Vec<String> {
    ['/', '%'].iter().filter(|c| prefix.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

/// The maximum length of a label, in bytes.
const LABEL_LENGTH: usize = 63;
/// The maximum length of a subdomain, in bytes.
const SUBDOMAIN_LENGTH: usize = 253;

fn too_long(text: &str, max: usize) -> Vec<String> {
    if text.len() > max { vec![format!("must be no more than {max} characters")] } else { Vec::new() }
}

/// Letters, digits, `-`, `_` and `.`, with a letter or digit at either end.
fn is_name(text: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_edge(text.chars().next())
        && is_edge(text.chars().next_back())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Labels with dots between them, of any length.
fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_labels() {
        for good in ["a", "A.b-c_1", "example.com/a", &"a".repeat(63)] {
            assert_eq!(label_key_mistakes(good), [""; 0], "{good}");
        }
        for (bad, count) in
            [("", 2), ("-a", 1), ("a b", 1), ("/a", 1), ("A/b", 1), ("a/b/c", 1), ("a/", 2), ("ä", 1)]
        {
            assert_eq!(label_key_mistakes(bad).len(), count, "{bad}: {:?}", label_key_mistakes(bad));
        }
        assert_eq!(label_key_mistakes(&"a".repeat(64)), ["name part must be no more than 63 bytes"]);
        let long = format!("{}/a", "a".repeat(254));
        assert_eq!(label_key_mistakes(&long), ["prefix part must be no more than 253 characters"]);
    }

    #[test]
    fn values_of_labels() {
        for good in ["", "a", "A.b-c_1"] {
            assert_eq!(label_value_mistakes(good), [""; 0], "{good}");
        }
        for bad in ["a ", "-", "a/b", &"a".repeat(64)] {
            assert_eq!(label_value_mistakes(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn subdomains() {
        for good in ["a", "a-b.c", "1", "example.com", &"a".repeat(253)] {
            assert_eq!(subdomain_mistakes(good), [""; 0], "{good}");
        }
        for bad in ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "ä", "a b", &"a".repeat(254)] {
            assert_eq!(subdomain_mistakes(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn labels_of_dns() {
        assert_eq!(dns_label_mistakes("1a"), [""; 0]);
        assert_eq!(dns_label_mistakes("a.b"), ["must not contain dots"]);
        assert_eq!(dns_label_mistakes("a..b"), [LABEL]);
        assert_eq!(dns_1035_label_mistakes("a1"), [""; 0]);
        assert_eq!(dns_1035_label_mistakes("1a"), [LABEL_1035]);
        for mistakes in [dns_label_mistakes, dns_1035_label_mistakes] {
            assert_eq!(mistakes(&"a".repeat(64)), ["must be no more than 63 characters"]);
        }
    }

    #[test]
    fn segments_of_paths() {
        assert_eq!(path_segment_mistakes("system:node"), [""; 0]);
        assert_eq!(path_segment_mistakes("a/b%c").len(), 2);
        assert_eq!(path_segment_mistakes(".."), ["may not be '..'"]);
        assert_eq!(path_segment_prefix_mistakes(".."), [""; 0]);
    }
}
