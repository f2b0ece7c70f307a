//! Differences that are intended. Each states what both sides say, so that another difference at the same place is noticed.

use serde_json::Value;

/// The name of the listed difference between two answers to a request, both in their canonical form; `None` if it is none.
pub(super) fn listed(ask: &Value, theirs: &Value, ours: &Value) -> Option<&'static str> {
    let found = LISTED.iter().find(|(_, make_equal)| {
        let (mut theirs, mut ours) = (theirs.clone(), ours.clone());
        make_equal(ask, &mut theirs, &mut ours) && theirs == ours
    });
    found.map(|(name, _)| *name)
}

/// Makes answers equal that differ as listed; `false` if they do not.
type MakeEqual = fn(&Value, &mut Value, &mut Value) -> bool;

const LISTED: [(&str, MakeEqual); 5] = [
    ("other words for what is no JSON", words_of_json),
    ("other words for what is not accepted", words_of_accept),
    ("descriptions of columns of our own", descriptions),
    ("empty lists written otherwise", empty_lists),
    ("protobuf is refused, not abandoned", protobuf),
];

/// A message of an answer, taken out of it.
fn message(answer: &mut Value) -> String {
    answer["body"]
        .get_mut("message")
        .map(Value::take)
        .and_then(|message| message.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Our decoders tell where in the text something is wrong; upstream tells the type in Go.
fn words_of_json(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let (theirs, ours) = (message(theirs), message(ours));
    let begins = ["the object provided is unrecognized", "error decoding patch", "invalid JSON patch"];
    let of_type =
        |text: &str| text.split_once(" cannot be handled as a ").map(|(before, _)| before.to_owned());
    let is_of_json = |text: &str| {
        text.contains("json: cannot unmarshal")
            || text.contains("JSON input")
            || text.contains("Kind' is missing")
    };
    is_of_json(&theirs)
        && (begins.iter().any(|begin| theirs.starts_with(begin) && ours.starts_with(begin))
            || of_type(&theirs).is_some_and(|before| of_type(&ours) == Some(before)))
}

/// Upstream lists what it could offer; or, for wrong representations, the types of Go.
fn words_of_accept(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let is_refused = theirs["code"] == 406 && ours["code"] == 406;
    // It answers some of these in protobuf.
    let are_equal = is_refused.then(|| {
        theirs["body"].take();
        ours["body"].take();
    });
    are_equal.is_some()
}

/// What upstream tells of the name of an object is its own text.
fn descriptions(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let clear = |answer: &mut Value| {
        let columns = answer["body"].get_mut("columnDefinitions").and_then(Value::as_array_mut);
        columns.is_some_and(|columns| {
            columns.iter_mut().filter(|column| column["name"] == "Name").fold(false, |_, column| {
                column["description"] = Value::Null;
                true
            })
        })
    };
    clear(theirs) && clear(ours) && {
        empty_lists(&Value::Null, theirs, ours);
        true
    }
}

/// Upstream writes a token without content, and `null` for lists of no metadata.
fn empty_lists(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let mut is_listed = false;
    if theirs["body"]["metadata"]["continue"] == ""
        && let Some(metadata) = theirs["body"]["metadata"].as_object_mut()
    {
        metadata.shift_remove("continue");
        is_listed = true;
    }
    if theirs["body"]["items"].is_null() && ours["body"]["items"] == Value::Array(Vec::new()) {
        theirs["body"]["items"] = Value::Array(Vec::new());
        is_listed = true;
    }
    is_listed
}

/// Upstream ends the connection over a body that it takes for protobuf.
fn protobuf(ask: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let is_it = ask["type"] == "application/vnd.kubernetes.protobuf"
        && theirs.get("error").is_some()
        && ours["code"] == 415;
    if is_it {
        *ours = theirs.clone();
    }
    is_it
}
