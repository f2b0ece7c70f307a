//! Warnings in the headers of an answer, and how many of them fit.

use axum::http::{HeaderMap, HeaderValue, header};

/// With how many characters no warning is added any more. Clients limit the headers that they read, and
/// upstream uses the same number.
const MOST_CHARS: usize = 4096;
/// The maximum number of characters in one warning, if all warnings exceed [`MOST_CHARS`].
const MOST_CHARS_EACH: usize = 256;

/// The value of a `Warning` header; `None` for a warning with characters that a header cannot contain.
pub(super) fn header(warning: &str) -> Option<HeaderValue> {
    let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
    HeaderValue::try_from(format!("299 - \"{quoted}\"")).ok()
}

/// Adds a warning before all others.
pub(crate) fn add_first(headers: &mut HeaderMap, warning: &str) {
    let Some(first) = header(warning) else { return };
    let others: Vec<HeaderValue> = headers.get_all(header::WARNING).iter().cloned().collect();
    headers.insert(header::WARNING, first);
    for other in others {
        headers.append(header::WARNING, other);
    }
}

/// Limits warnings to what fits into headers. If they exceed the limit, this returns the first warnings, cut, as upstream does,
/// and besides a line with the number of omitted ones.
pub(super) fn limited(warnings: Vec<String>) -> Vec<String> {
    let count = |text: &String| text.chars().count();
    if warnings.iter().map(count).sum::<usize>() <= MOST_CHARS {
        return warnings;
    }
    let all = warnings.len();
    let (mut shown, mut out) = (0, Vec::new());
    for warning in warnings {
        if shown >= MOST_CHARS {
            break;
        }
        let cut: String = warning.chars().take(MOST_CHARS_EACH).collect();
        shown += count(&cut);
        out.push(cut);
    }
    if out.len() < all {
        out.push(format!("{} more warnings are not shown", all - out.len()));
    }
    out
}
