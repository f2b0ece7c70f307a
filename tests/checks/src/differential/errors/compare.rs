//! Compares one answer of each side.

use serde_json::Value;

use super::listed::Difference;

/// The result of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict<'l> {
    /// Both answers are the same.
    Equal,
    /// They differ exactly as listed, for this reason.
    Listed(&'l str),
    /// They differ in another way, or are equal although a difference is listed.
    Different(String),
}

/// Compares two answers to a request; `listed` is the known difference.
pub fn judge<'l>(theirs: &Value, ours: &Value, listed: Option<&'l Difference>) -> Verdict<'l> {
    let (theirs, ours) = (masked(theirs), masked(ours));
    match listed {
        None if theirs == ours => Verdict::Equal,
        None => Verdict::Different(format!("they answer\n  {theirs}\nand we answer\n  {ours}")),
        Some(listed) if theirs == ours => Verdict::Different(format!(
            "both answer\n  {ours}\nbut a difference is listed ({}): remove it from the list",
            listed.why
        )),
        Some(listed) if masked(&listed.theirs) == theirs && masked(&listed.ours) == ours => {
            Verdict::Listed(&listed.why)
        }
        Some(listed) => Verdict::Different(format!(
            "they answer\n  {theirs}\nand we answer\n  {ours}\nwhich is not the listed difference ({}):\n  \
             {}\n  {}",
            listed.why, listed.theirs, listed.ours
        )),
    }
}

/// Masks the values in an answer that change each time: uids, and revisions of the store.
fn masked(answer: &Value) -> Value {
    match answer {
        Value::String(text) => Value::String(without_revisions(&without_uids(text))),
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        other => other.clone(),
    }
}

/// Replaces each 8-4-4-4-12 of hexadecimal digits.
fn without_uids(text: &str) -> String {
    const LENGTH: usize = 36;
    let is_uid = |bytes: &[u8]| {
        bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.as_bytes().get(..LENGTH).is_some_and(is_uid) {
            masked.push_str("<uid>");
            rest = &rest[LENGTH..];
        } else {
            masked.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    masked
}

/// Replaces the number after the words that precede a revision.
fn without_revisions(text: &str) -> String {
    let mut masked = text.to_owned();
    for words in ["Too large resource version: 999999999, current: ", "the ResourceVersion in record ("] {
        if let Some((before, after)) = masked.split_once(words) {
            let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
            masked = format!("{before}{words}<revision>{after}");
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_values_that_change_each_time_are_masked() {
        let masked = |text: &str| masked(&json!({"a": [text]}))["a"][0].as_str().unwrap().to_owned();
        assert_eq!(masked("(d1b2a3c4-0000-4fff-8abc-0123456789ab) ä"), "(<uid>) ä");
        assert_eq!(masked("d1b2a3c4-0000-4fff-8abc-0123456789a"), "d1b2a3c4-0000-4fff-8abc-0123456789a");
        assert_eq!(
            masked("Timeout: Too large resource version: 999999999, current: 17"),
            "Timeout: Too large resource version: 999999999, current: <revision>"
        );
        assert_eq!(
            masked("the ResourceVersion in record (42). The"),
            "the ResourceVersion in record (<revision>). The"
        );
        for same in ["limit is 3145728", "current: 17", "the UID in record (42)"] {
            assert_eq!(masked(same), same);
        }
    }

    #[test]
    fn a_difference_is_exactly_as_listed() {
        let (theirs, ours) = (json!({"code": 500}), json!({"code": 422, "status": {"message": "m"}}));
        let listed = Difference { why: "why".to_owned(), theirs: theirs.clone(), ours: ours.clone() };
        assert_eq!(judge(&theirs, &ours, Some(&listed)), Verdict::Listed("why"));
        assert_eq!(judge(&ours, &ours, None), Verdict::Equal);
        for (theirs, ours, listed) in [
            (&theirs, &ours, None),
            (&ours, &theirs, Some(&listed)),
            (&json!({"code": 501}), &ours, Some(&listed)),
            (&theirs, &json!({"code": 422, "status": {"message": "n"}}), Some(&listed)),
            (&theirs, &json!({"code": 422, "status": {"message": "m", "reason": "r"}}), Some(&listed)),
            // The difference no longer exists.
            (&theirs, &theirs, Some(&listed)),
        ] {
            assert!(matches!(judge(theirs, ours, listed), Verdict::Different(_)), "{theirs} {ours}");
        }
    }
}
