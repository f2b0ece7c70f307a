//! How many warnings fit into the headers of an answer.

/// The maximum number of characters in all warnings. Clients limit the headers that they read, and
/// upstream uses the same number.
const MOST_CHARS: usize = 4096;
/// The maximum number of characters in one warning, if all warnings exceed [`MOST_CHARS`].
const MOST_CHARS_EACH: usize = 256;
/// Space for the last warning, which counts the omitted ones.
const LAST_LINE_CHARS: usize = 64;

/// Limits warnings to what fits into headers. If they exceed the limit, this returns the first
/// warnings, cut, and a line with the number of omitted ones.
pub(super) fn limited(warnings: Vec<String>) -> Vec<String> {
    let count = |text: &String| text.chars().count();
    if warnings.iter().map(count).sum::<usize>() <= MOST_CHARS {
        return warnings;
    }
    let all = warnings.len();
    let mut left = MOST_CHARS - LAST_LINE_CHARS;
    let mut out = Vec::new();
    for warning in warnings {
        let cut: String = warning.chars().take(MOST_CHARS_EACH).collect();
        let Some(rest) = left.checked_sub(count(&cut)) else { break };
        left = rest;
        out.push(cut);
    }
    if out.len() < all {
        out.push(format!("{} more warnings are not shown", all - out.len()));
    }
    out
}
