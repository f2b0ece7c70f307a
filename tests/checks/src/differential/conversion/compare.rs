//! Whether two servers tell a client the same.

use serde_json::{Map, Value, json};

use super::listed::listed;
use crate::differential::answers::Verdict;

/// The longest text that is compared letter by letter.
const LONGEST: usize = 4 << 10;

/// Compares a recorded answer with ours, both as they are compared.
pub fn judge(line: &Value, ours: &Value) -> Verdict {
    let theirs = &line["answer"];
    if theirs == ours {
        return Verdict::Equal;
    }
    match listed(line, theirs, ours) {
        Some(name) => Verdict::Listed(name),
        None => Verdict::Different(format!("there {theirs}, here {ours}")),
    }
}

/// What is compared of an answer: the code, and of an error the reason and the message; of objects what a webhook can change.
pub fn normal(answer: &Value) -> Value {
    let code = &answer["code"];
    let Some(events) = answer["events"].as_array() else {
        return json!({"code": code, "body": document(&answer["body"])});
    };
    if code != 200 {
        return json!({"code": code, "body": document(events.first().unwrap_or(&Value::Null))});
    }
    let event = |event: &Value| json!({"type": event["type"], "object": document(&event["object"])});
    json!({"code": code, "events": events.iter().map(event).collect::<Vec<_>>()})
}

fn document(body: &Value) -> Value {
    if body["kind"] == "Status" {
        if body["status"] == "Success" {
            return json!({"status": "Success"});
        }
        let message = text(body["message"].as_str().unwrap_or_default());
        return json!({"code": body["code"], "reason": body["reason"], "message": message});
    }
    if let Some(items) = body["items"].as_array() {
        return json!({"apiVersion": body["apiVersion"], "kind": body["kind"], "items": items.iter().map(object).collect::<Vec<_>>()});
    }
    object(body)
}

fn object(object: &Value) -> Value {
    let kept = ["name", "namespace", "labels", "annotations", "generation", "finalizers"];
    let metadata = &object["metadata"];
    let members = kept.iter().filter(|name| !metadata[**name].is_null());
    let metadata: Map<String, Value> =
        members.map(|name| ((*name).to_owned(), short(&metadata[*name]))).collect();
    json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": metadata, "spec": short(&object["spec"]),
    })
}

/// A value whose long texts have only their length.
fn short(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > LONGEST => format!("{} letters", text.len()).into(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), short(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// A text without what every run has of its own: ports, identities, revisions and times.
fn text(text: &str) -> String {
    let text = after(text, "127.0.0.1:", |letter| letter.is_ascii_digit(), "PORT");
    let text = after(&text, "revision=", |letter| letter.is_ascii_digit(), "N");
    let text = after(&text, "timeout=", |letter| letter.is_ascii_alphanumeric(), "T");
    let text = after(&text, "current time ", |letter| letter != ' ', "NOW");
    // Upstream tells of one of two limits, and of what it waited for or not, by chance.
    let text = text.replace("net/http: request canceled (Client", "context deadline exceeded (Client");
    let text = text.replace(" (Client.Timeout exceeded while awaiting headers)", "");
    uids(&text)
}

/// Replaces the letters after a mark.
fn after(text: &str, mark: &str, is_of: fn(char) -> bool, by: &str) -> String {
    let mut pieces = text.split(mark);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(mark);
        out.push_str(by);
        out.push_str(piece.trim_start_matches(is_of));
    }
    out
}

/// Replaces uids.
fn uids(text: &str) -> String {
    const LENGTH: usize = 36;
    let is_uid = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut out = text.to_owned();
    while let Some(at) = out.as_bytes().windows(LENGTH).position(is_uid) {
        out.replace_range(at..at + LENGTH, "UID");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_a_runs_own_is_replaced() {
        assert_eq!(
            text(
                "Post \"https://127.0.0.1:4711/convert?timeout=30s\": revision=7: current time 2026-01-01T00:00:00Z is \
                 after a9bdffd1-ecda-4e69-bf1e-6885d9147db1"
            ),
            "Post \"https://127.0.0.1:PORT/convert?timeout=T\": revision=N: current time NOW is after UID"
        );
    }

    #[test]
    fn another_message_is_noticed() {
        let line = |message: &str| json!({"case": "c", "step": "get", "answer": {"code": 500, "body": {"code": 500, "message": message}}});
        assert_eq!(judge(&line("a"), &line("a")["answer"]), Verdict::Equal);
        assert!(matches!(judge(&line("a"), &line("b")["answer"]), Verdict::Different(_)));
    }
}
