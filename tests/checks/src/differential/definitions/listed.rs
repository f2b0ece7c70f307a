//! Differences that are intended. Each states what both sides say, so that another difference at the same place is noticed. The table
//! of docs/server.md has the same ones.

use serde_json::{Value, json};

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

const LISTED: [(&str, MakeEqual); 14] = [
    (
        "What is wrong with JSON, with a time or with the type of metadata is told in other words",
        words_of_json,
    ),
    ("An error about media types names those that are accepted", media_types),
    ("Why a JSON patch does not apply is told", why_a_patch_fails),
    ("What is wrong with metadata is told once", told_once),
    ("The columns of names and ages have no description", descriptions),
    ("Lists without an end have no empty `continue`, and those of no metadata are empty", empty_lists),
    ("A body in protobuf is refused with 415", protobuf),
    ("Who asks for one object as a list of metadata gets the next representation that is accepted", no_list),
    ("Long texts in errors are cut", cut),
    ("Of more than 100 violations, the others are counted", many),
    ("A number written as `1.0` is no other than `1`, so that the generation stays", whole_floats),
    ("An error about another uid does not tell of the store", of_the_store),
    ("Of warnings beyond 4096 characters, the number is told", counted_warnings),
    (
        "Where several values are of a wrong type, a rule that compares them meets another one first",
        met_first,
    ),
];

/// A message of an answer.
fn message(answer: &Value) -> &str {
    answer["body"]["message"].as_str().unwrap_or_default()
}

/// Changes the message of an answer, and those of its causes.
fn change_messages(answer: &mut Value, change: &dyn Fn(&str) -> Option<String>) {
    let set = |message: Option<&mut Value>| {
        if let Some(message) = message
            && let Some(changed) = message.as_str().and_then(change)
        {
            *message = changed.into();
        }
    };
    set(answer["body"].get_mut("message"));
    let causes = answer["body"].pointer_mut("/details/causes").and_then(Value::as_array_mut);
    causes.into_iter().flatten().for_each(|cause| set(cause.get_mut("message")));
}

/// Both show the same warnings, cut, and leave out others. Upstream does not tell that it does.
fn counted_warnings(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let shown = theirs["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if shown.map(|warning| warning.chars().count()).sum::<usize>() < 4096 {
        return false;
    }
    let Some(ours) = ours["warnings"].as_array_mut() else { return false };
    let before = ours.len();
    ours.retain(|warning| {
        let number = warning.as_str().and_then(|warning| {
            warning.strip_prefix("299 - \"")?.strip_suffix(" more warnings are not shown\"")
        });
        number.is_none_or(|number| number.parse::<usize>().is_err())
    });
    before == ours.len() + 1
}

/// Our decoders tell where in the text something is wrong; upstream tells the type in Go, and how Go reads times.
fn words_of_json(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    const WORDS: [&str; 6] = [
        "json: cannot unmarshal ",
        "unexpected end of JSON input",
        "invalid character ",
        "Object 'Kind' is missing in ",
        "parsing time \"",
        "yaml: ",
    ];
    // Rules show how Go reads times, too.
    if theirs["code"] == 422 && message(theirs).contains("Invalid date-time formatted string ") {
        change_messages(theirs, &|text| {
            let (before, rest) = text.split_once(": parsing time \"")?;
            Some(format!("{before} evaluating rule{}", rest.split_once(" evaluating rule")?.1))
        });
        return true;
    }
    let is_told = WORDS.iter().any(|word| message(theirs).contains(word));
    if !is_told || ![400, 422].contains(&theirs["code"].as_u64().unwrap_or_default()) {
        return false;
    }
    // What both say before their decoders have the word.
    let before = |text: &str| {
        let patched = text.rfind("}\": ").map(|end| end + "}\": ".len());
        let others = ["couldn't get version/kind; ", " cannot be handled as a ", "unrecognized ("];
        let begins = ["error decoding patch", "invalid JSON patch"];
        let end = patched
            .or_else(|| begins.iter().find(|begin| text.starts_with(**begin)).map(|begin| begin.len()))
            .or_else(|| others.iter().find_map(|other| text.find(other).map(|at| at + other.len())));
        end.map(|end| text[..end].to_owned())
    };
    let (same, found) = (before(message(theirs)), before(message(ours)));
    // Upstream calls a body that names no kind unrecognized, and so do we, whatever else is wrong with it.
    let is_unrecognized = [message(theirs), message(ours)]
        .iter()
        .all(|text| text.starts_with("the object provided is unrecognized"));
    if found.is_none() || (same != found && !is_unrecognized) {
        return false;
    }
    let clear = |text: &str| if is_unrecognized { Some(String::new()) } else { before(text) };
    change_messages(theirs, &clear);
    change_messages(ours, &clear);
    true
}

/// Upstream names protobuf, too, which is no representation of custom resources; and some of its errors are in protobuf.
fn media_types(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    const BODIES: &str = "the body of the request was in an unknown format - accepted media types include: ";
    const ALL: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    let is_of_body = theirs["code"] == 415
        && message(theirs) == format!("{BODIES}{ALL}")
        && message(ours) == format!("{BODIES}application/json, application/yaml");
    let of_answer = [
        format!("only the following media types are accepted: {ALL}"),
        "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)"
            .to_owned(),
    ];
    let here = [
        "406: Not Acceptable\n\nAvailable representations: ",
        "only the following media types are accepted: ",
    ];
    let is_here =
        theirs["code"] == 406 && here.iter().any(|here| message(ours) == format!("{here}application/json"));
    let is_in_protobuf = theirs["body"].as_str().is_some_and(|body| {
        body.starts_with("k8s\0") && body.contains(&of_answer[0]) && body.contains("NotAcceptable")
    });
    if is_here && is_in_protobuf && ours["body"]["reason"] == "NotAcceptable" {
        theirs["body"] = Value::Null;
        ours["body"] = Value::Null;
        return true;
    }
    let is_listed = is_of_body || (is_here && of_answer.iter().any(|text| message(theirs) == text));
    if is_listed {
        theirs["body"]["message"] = ours["body"]["message"].clone();
    }
    is_listed
}

/// Upstream keeps the reason to itself.
fn why_a_patch_fails(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    const THERE: &str = "the server rejected our request due to an error in our request";
    let is_listed = theirs["code"] == 422
        && message(theirs) == THERE
        && message(ours).strip_prefix(THERE).is_some_and(|why| why.starts_with(": "));
    if is_listed {
        ours["body"]["message"] = THERE.into();
    }
    is_listed
}

/// Upstream validates the metadata of an update twice.
fn told_once(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let Some(causes) = theirs["body"].pointer_mut("/details/causes").and_then(Value::as_array_mut) else {
        return false;
    };
    let before = causes.len();
    let mut once: Vec<Value> = Vec::new();
    for cause in causes.drain(..) {
        let is_of_metadata = cause["field"].as_str().is_some_and(|field| field.starts_with("metadata."));
        if !is_of_metadata || !once.contains(&cause) {
            once.push(cause);
        }
    }
    let is_listed = once.len() < before;
    if let [_] = once[..] {
        // There is one cause now, so the message is compared, which upstream makes of different causes.
        theirs["body"]["message"] = message(ours).into();
    }
    theirs["body"]["details"]["causes"] = once.into();
    is_listed
}

/// What upstream tells of the name of an object, and of its age where a definition has no columns, is its own text.
fn descriptions(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let mut is_listed = false;
    for (at, name, begin) in [(0, "Name", "Name must be unique"), (1, "Age", "CreationTimestamp is ")] {
        let place = format!("/body/columnDefinitions/{at}");
        let (Some(there), Some(here)) = (theirs.pointer_mut(&place), ours.pointer(&place)) else { continue };
        let is_own = there["name"] == name
            && there["description"].as_str().is_some_and(|text| text.starts_with(begin))
            && here["description"] == "";
        if is_own {
            there["description"] = json!("");
            is_listed = true;
        }
    }
    empty_lists(&Value::Null, theirs, ours);
    is_listed
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
    if theirs["body"]["items"].is_null() && ours["body"]["items"] == json!([]) {
        theirs["body"]["items"] = json!([]);
        is_listed = true;
    }
    is_listed
}

/// Upstream ends the connection over a body that it takes for protobuf.
fn protobuf(ask: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let is_it = ask["type"] == "application/vnd.kubernetes.protobuf"
        && theirs.get("error").is_some()
        && ours["code"] == 415
        && ours["body"]["reason"] == "UnsupportedMediaType";
    if is_it {
        *ours = theirs.clone();
    }
    is_it
}

/// Upstream fails, because the content is not a list.
fn no_list(ask: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let accept = ask["accept"].as_str().unwrap_or_default();
    let is_asked = accept.contains("as=PartialObjectMetadataList;") && accept.ends_with(",application/json");
    let members = theirs["body"].as_object().map_or(0, |body| body.len());
    let is_it = is_asked
        && theirs["code"] == 500
        && message(theirs) == "content is not a list"
        && members <= 6
        && theirs["warnings"] == ours["warnings"]
        && ours["code"] == 200
        && ours["body"]["metadata"]["name"].is_string()
        && ours["body"].get("reason").is_none();
    if is_it {
        *ours = theirs.clone();
    }
    is_it
}

/// The longest texts that our errors repeat have an end of their own.
fn cut(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let texts = |answer: &Value| {
        let mut texts = vec![message(answer).to_owned()];
        let causes = answer["body"].pointer("/details/causes").and_then(Value::as_array).cloned();
        texts.extend(causes.into_iter().flatten().map(|cause| cause.to_string()));
        texts
    };
    let (there, here) = (texts(theirs), texts(ours));
    let is_cut = |(there, here): (&String, &String)| match here.split_once('…') {
        Some((begin, _)) => begin.len() > 1000 && there.starts_with(begin),
        None => there == here,
    };
    let is_listed = there.len() == here.len()
        && here.iter().any(|text| text.contains('…'))
        && there.iter().zip(&here).all(is_cut);
    if is_listed {
        take_texts(theirs, ours);
    }
    is_listed
}

/// Gives an answer the message and the causes of another one.
fn take_texts(from: &Value, to: &mut Value) {
    for place in ["/body/message", "/body/details/causes"] {
        if let (Some(from), Some(to)) = (from.pointer(place), to.pointer_mut(place)) {
            to.clone_from(from);
        }
    }
}

/// A small body can violate many rules.
fn many(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let causes =
        |answer: &Value| answer["body"].pointer("/details/causes").and_then(Value::as_array).cloned();
    let (Some(there), Some(here)) = (causes(theirs), causes(ours)) else { return false };
    let of_rest = format!(
        "too many errors, the list is truncated: {} more",
        (there.len() + 1).saturating_sub(here.len())
    );
    let (rest, shown): (Vec<Value>, Vec<Value>) =
        here.into_iter().partition(|cause| cause["message"] == of_rest);
    let is_listed = rest.len() == 1 && shown.len() >= 20 && shown.iter().all(|cause| there.contains(cause));
    if is_listed {
        take_texts(theirs, ours);
    }
    is_listed
}

/// Upstream compares maps in an order by chance, and stops at the first members that differ or cannot be compared.
fn met_first(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let met = |answer: &Value| {
        let (place, why) = message(answer).split_once(": Invalid value: ")?;
        let rule = why
            .split_once("invalid data, ")
            .map_or(Some(why), |(_, why)| why.split_once(" evaluating rule: ").map(|(_, rule)| rule));
        Some((place.to_owned(), rule?.to_owned()))
    };
    let is_met = [&*theirs, &*ours].iter().any(|answer| message(answer).contains(" evaluating rule: "));
    let causes = |answer: &Value| answer["body"]["details"]["causes"].as_array().map(Vec::len);
    let is_listed =
        is_met && met(theirs).is_some() && met(theirs) == met(ours) && causes(theirs) == causes(ours);
    if is_listed {
        take_texts(theirs, ours);
    }
    is_listed
}

/// Upstream takes the number of a request for a fraction, and that of the stored object for an integer.
fn whole_floats(ask: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    let generation = |answer: &Value| answer["body"]["metadata"]["generation"].as_u64().unwrap_or_default();
    let is_counted = generation(ours) > 0 && generation(theirs) > generation(ours);
    let is_listed = ask["wroteWholeFloats"] == true && is_counted;
    if is_listed {
        ours["body"]["metadata"]["generation"] = theirs["body"]["metadata"]["generation"].clone();
    }
    is_listed
}

/// Upstream tells the key in its store.
fn of_the_store(_: &Value, theirs: &mut Value, ours: &mut Value) -> bool {
    const BEGIN: &str = "StorageError: invalid object, Code: 4, Key: /";
    const END: &str = ", ResourceVersion: 0, AdditionalErrorMsg: ";
    let text = message(theirs);
    let told = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some(format!("{before}{}", rest.split_once(END)?.1)));
    let Some(told) = told.filter(|told| told == message(ours)) else { return false };
    theirs["body"]["message"] = told.into();
    true
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_lists_the_same_differences() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/server.md");
        let page = fs::read_to_string(page).unwrap();
        let (_, section) = page.split_once("### Kinds of stored definitions").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let rows: Vec<&str> = rows.skip(1).filter(|row| !row.starts_with("---")).collect();
        assert_eq!(rows, LISTED.map(|(name, _)| name));
    }

    /// The differences, each with a request, an answer there, and one here.
    fn examples() -> Vec<(&'static str, Value, Value, Value)> {
        let answer = |code: u16, message: &str| json!({"code": code, "body": {"message": message}});
        let invalid = |message: &str, causes: &[(&str, &str)]| {
            let cause = |(field, message): &(&str, &str)| json!({"field": field, "message": message});
            let causes: Vec<Value> = causes.iter().map(cause).collect();
            json!({"code": 422, "body": {"message": message, "details": {"causes": causes}}})
        };
        let table = |text: &str| json!({"code": 200, "body": {"columnDefinitions": [{"name": "Name", "description": text}]}});
        let why = "the server rejected our request due to an error in our request";
        let media = "only the following media types are accepted: application/json";
        let long = "x".repeat(1100);
        let many: Vec<(&str, String)> = (0..102).map(|at| ("a", format!("{at} is wrong"))).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(field, message)| (*field, &**message)).collect();
        let mut some = many[..100].to_vec();
        let warned = |warnings: &[String]| json!({"code": 200, "warnings": warnings, "body": {}});
        let warnings: Vec<String> = (0..20).map(|number| format!("299 - \"{number:0>250}\"")).collect();
        some.push(("", "too many errors, the list is truncated: 2 more"));
        vec![
            (
                LISTED[0].0,
                Value::Null,
                answer(400, "A in version \"v1\" cannot be handled as a A: json: cannot unmarshal number"),
                answer(
                    400,
                    "A in version \"v1\" cannot be handled as a A: line 1, column 2: expected a string",
                ),
            ),
            (
                LISTED[1].0,
                Value::Null,
                answer(406, &format!("{media}, application/yaml, application/vnd.kubernetes.protobuf")),
                answer(406, media),
            ),
            (
                LISTED[2].0,
                Value::Null,
                answer(422, why),
                answer(422, &format!("{why}: there is no such member")),
            ),
            (
                LISTED[3].0,
                Value::Null,
                invalid(
                    "of the causes",
                    &[("metadata.uid", "is immutable"), ("metadata.uid", "is immutable")],
                ),
                invalid("a", &[("metadata.uid", "is immutable")]),
            ),
            (LISTED[4].0, Value::Null, table("Name must be unique within a namespace."), table("")),
            (
                LISTED[5].0,
                Value::Null,
                json!({"code": 200, "body": {"metadata": {"continue": ""}, "items": null}}),
                json!({"code": 200, "body": {"metadata": {}, "items": []}}),
            ),
            (
                LISTED[6].0,
                json!({"type": "application/vnd.kubernetes.protobuf"}),
                json!({"error": true}),
                json!({"code": 415, "body": {"reason": "UnsupportedMediaType"}}),
            ),
            (
                LISTED[7].0,
                json!({"accept": "application/json;as=PartialObjectMetadataList;v=v1,application/json"}),
                answer(500, "content is not a list"),
                json!({"code": 200, "body": {"metadata": {"name": "a"}}}),
            ),
            (LISTED[8].0, Value::Null, answer(422, &format!("{long}yz")), answer(422, &format!("{long}…z"))),
            (LISTED[9].0, Value::Null, invalid("a", &many), invalid("b", &some)),
            (
                LISTED[10].0,
                json!({"wroteWholeFloats": true}),
                json!({"code": 200, "body": {"metadata": {"generation": 3}}}),
                json!({"code": 200, "body": {"metadata": {"generation": 2}}}),
            ),
            (
                LISTED[11].0,
                Value::Null,
                answer(
                    409,
                    "a: StorageError: invalid object, Code: 4, Key: /b, ResourceVersion: 0, AdditionalErrorMsg: c",
                ),
                answer(409, "a: c"),
            ),
            (
                LISTED[12].0,
                Value::Null,
                warned(&warnings),
                warned(&[&warnings[..], &["299 - \"7 more warnings are not shown\"".to_owned()]].concat()),
            ),
            (
                LISTED[13].0,
                Value::Null,
                answer(422, "spec: Invalid value: a"),
                answer(422, "spec: Invalid value: \"object\": invalid data, got a map evaluating rule: a"),
            ),
        ]
    }

    #[test]
    fn what_goes_beyond_a_listed_difference_is_refused() {
        let examples = examples();
        assert_eq!(examples.len(), LISTED.len());
        for (name, ask, theirs, ours) in examples {
            assert_eq!(listed(&ask, &theirs, &ours), Some(name));
            for place in ["/code", "/body/reason"] {
                let mut other = ours.clone();
                let (parent, last) = place.rsplit_once('/').unwrap();
                other.pointer_mut(parent).unwrap()[last] = json!(418);
                assert_eq!(listed(&ask, &theirs, &other), None, "{name}: {place}");
            }
            for answer in [json!({"code": 200, "body": {}}), json!({"code": 500, "body": {"message": "a"}})] {
                assert_eq!(listed(&ask, &answer, &ours), None, "{name}: {answer}");
                assert_eq!(listed(&ask, &theirs, &answer), None, "{name}: {answer}");
            }
            // What is by chance can be the other way around.
            if name != LISTED[13].0 {
                assert_eq!(listed(&ask, &ours, &theirs), None, "{name}");
            }
        }
    }
}
