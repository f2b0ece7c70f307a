//! Differences that are intended. Each states what both sides say, so that another difference at the same place is noticed.

use serde_json::Value;

/// The name of the listed difference between two answers of a line, both as they are compared; `None` if it is none.
pub(super) fn listed(line: &Value, theirs: &Value, ours: &Value) -> Option<&'static str> {
    LISTED.iter().find(|(_, is_so)| is_so(line, theirs, ours)).map(|(name, _)| *name)
}

type IsSo = fn(&Value, &Value, &Value) -> bool;

const LISTED: [(&str, IsSo); 1] = [("A webhook that sends elsewhere is not followed", redirections)];

/// Upstream sends the review, or a request without one, to wherever a webhook sends it, up to ten times.
fn redirections(line: &Value, theirs: &Value, ours: &Value) -> bool {
    let (there, here) =
        ("Post \"/elsewhere\": stopped after 10 redirects", "the server responded with the status code ");
    let changed = theirs.to_string().replace(&json_text(there), "");
    let expected = |code: u64| {
        let here = format!("{here}{code} but did not return more information");
        ours.to_string().replace(&json_text(&here), "")
    };
    line["case"].as_str().is_some_and(|case| case.starts_with("a redirection"))
        && theirs.to_string().contains(&json_text(there))
        && [302, 307].into_iter().any(|code| expected(code) == changed)
}

/// A text as it is within a text in JSON.
fn json_text(text: &str) -> String {
    let text = Value::from(text).to_string();
    text.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_redirections_are_listed() {
        let answer = |why: &str| json!({"code": 500, "body": {"message": format!("a failed: {why}")}});
        let theirs = answer("Post \"/elsewhere\": stopped after 10 redirects");
        let here = |code: u32| {
            answer(&format!(
                "the server responded with the status code {code} but did not return more information"
            ))
        };
        let line = json!({"case": "a redirection"});
        assert!(listed(&line, &theirs, &here(302)).is_some());
        assert!(listed(&line, &theirs, &here(200)).is_none());
        assert!(listed(&line, &answer("other"), &here(302)).is_none());
        assert!(listed(&json!({"case": "code 302"}), &theirs, &here(302)).is_none());
    }

    #[test]
    fn each_reason_is_in_the_documentation() {
        let docs = include_str!("../../../../../docs/server.md");
        for (name, _) in LISTED {
            assert!(docs.contains(&format!("\n| {name} |")), "{name}");
        }
    }
}
