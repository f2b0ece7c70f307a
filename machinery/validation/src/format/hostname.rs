//! Host names.

use std::sync::LazyLock;

use regex::Regex;

static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{L}$").ok());
static SYMBOLS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{S}$").ok());

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (!c.is_ascii()
            && LETTERS.as_ref().is_some_and(|letters| letters.is_match(c.encode_utf8(&mut [0; 4]))))
}

/// Whether a label may begin and end with this character: letters, digits and symbols of Unicode.
fn is_edge(c: char) -> bool {
    is_letter(c)
        || c.is_ascii_digit()
        || SYMBOLS.as_ref().is_some_and(|symbols| symbols.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Labels with dots between them, of which the last has only letters. Without a dot, a single label may have a dash
/// after its first character, and nowhere else.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    match text.rsplit_once('.') {
        Some((labels, last)) => {
            let is_top = last.chars().all(is_letter) && (2..=63).contains(&last.chars().count());
            is_top && labels.split('.').all(is_inner_label)
        }
        None => {
            let mut rest = text.chars();
            if !rest.next().is_some_and(is_edge) {
                return false;
            }
            let rest = rest.as_str();
            let rest = rest.strip_prefix('-').unwrap_or(rest);
            rest.chars().all(is_edge) && rest.chars().count() <= 62
        }
    }
}

fn is_inner_label(label: &str) -> bool {
    label.chars().all(|c| is_edge(c) || c == '-')
        && !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names() {
        for good in
            ["a", "example", "a-b", "a-", "example.com", "my-host.example.com", "été.fr", "1.2.com", "☃.net"]
        {
            assert!(is_hostname(good), "{good}");
        }
        let long = format!("{}.com", "a".repeat(64));
        for bad in ["", "my-host", "-a", "a..com", "a_b.com", "example.c", "example.com.", "1.2.3.4", &long] {
            assert!(!is_hostname(bad), "{bad}");
        }
    }
}
