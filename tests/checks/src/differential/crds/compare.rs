//! Compares answers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rules;

/// What is compared so far.
#[derive(Default)]
pub struct Comparison {
    pub equal: usize,
    /// Equal but for the order of causes, which is random upstream.
    pub reordered: usize,
    /// How many answers differ in a way that is intended, by the reason.
    pub listed: BTreeMap<&'static str, usize>,
    /// Steps of lives that no served kind is there for.
    pub left_out: usize,
}

pub enum Verdict {
    Same,
    Different(String),
}

impl Comparison {
    pub fn compare(&mut self, theirs: &Value, ours: &Value) -> Verdict {
        if let (Some(theirs), Some(ours)) = (theirs.as_array(), ours.as_array()) {
            return self.steps(theirs, ours);
        }
        if theirs == ours {
            self.equal += 1;
        } else if sorted(theirs).is_some() && sorted(theirs) == sorted(ours) {
            self.reordered += 1;
        } else if let Some(why) = listed(theirs, ours) {
            *self.listed.entry(why).or_default() += 1;
        } else {
            return Verdict::Different(difference(theirs, ours));
        }
        Verdict::Same
    }

    fn steps(&mut self, theirs: &[Value], ours: &[Value]) -> Verdict {
        for (step, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            if ours == "left out" {
                self.left_out += 1;
            } else if theirs != ours && (sorted(theirs).is_none() || sorted(theirs) != sorted(ours)) {
                return Verdict::Different(format!("step {step}: {}", difference(theirs, ours)));
            }
        }
        if theirs.len() != ours.len() {
            return Verdict::Different(format!("{} steps there, {} here", theirs.len(), ours.len()));
        }
        self.equal += 1;
        Verdict::Same
    }
}

/// An error with its causes in an order, and the sentences of its message, too.
fn sorted(answer: &Value) -> Option<(Value, Vec<String>, Vec<String>, Value)> {
    let causes = answer["causes"].as_array()?;
    let mut causes: Vec<String> = causes.iter().map(Value::to_string).collect();
    causes.sort();
    let (what, why) = answer["message"].as_str()?.split_once(" is invalid: ")?;
    let why = why.strip_prefix('[').and_then(|why| why.strip_suffix(']')).unwrap_or(why);
    let mut words: Vec<String> = why.split(", ").chain([what]).map(str::to_owned).collect();
    words.sort();
    Some((answer["code"].clone(), causes, words, answer["warnings"].clone()))
}

/// Why a difference is intended, if it is.
fn listed(theirs: &Value, ours: &Value) -> Option<&'static str> {
    if let Some(why) = rules::listed(theirs, ours) {
        return Some(why);
    }
    if theirs["code"] == 0 && ours["code"] == 422 {
        return Some("upstream panics, because fields for selectors are looked up in no schema");
    }
    let warnings = |answer: &Value| answer["warnings"].as_array().cloned().unwrap_or_default();
    let (their_warnings, our_warnings) = (warnings(theirs), warnings(ours));
    let is_below_union = |warning: &&Value| {
        let text = warning.to_string();
        text.contains("unknown field")
            && (text.contains(".items.") || text.contains(".additionalProperties."))
    };
    let others = our_warnings.iter().filter(|warning| !is_below_union(warning));
    if our_warnings.len() > their_warnings.len()
        && others.eq(&their_warnings)
        && ["code", "metadata", "spec", "status", "causes", "message"]
            .iter()
            .all(|key| theirs[key] == ours[key])
    {
        return Some(
            "unknown fields of items and additional properties are told of; upstream reads those without",
        );
    }
    let of = |answer: &Value| answer["causes"].as_array().cloned().unwrap_or_default();
    let (their_causes, our_causes) = (of(theirs), of(ours));
    let tells_of = |answer: &Value| {
        answer["message"].as_str().is_some_and(|text| text.ends_with(&aggregate(&of(answer))))
    };
    if theirs["code"] == 422 && ours["code"] == 422 && tells_of(theirs) && tells_of(ours) {
        let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
        let is_empty_list = |cause: &Value| {
            text(cause, "field") == "spec.versions"
                && text(cause, "message").starts_with("Invalid value: []: ")
        };
        let as_null: Vec<Value> = their_causes
            .iter()
            .map(|cause| {
                let mut cause = cause.clone();
                if is_empty_list(&cause) {
                    cause["message"] = text(&cause, "message").replacen("[]", "null", 1).into();
                }
                cause
            })
            .collect();
        if as_null == our_causes {
            return Some("an empty list of versions is shown as none, because they are not told apart");
        }
        let mut once: Vec<Value> = Vec::new();
        for cause in &their_causes {
            if !(once.contains(cause) && text(cause, "field") == "metadata.labels") {
                once.push(cause.clone());
            }
        }
        if once == our_causes {
            return Some("upstream repeats what is wrong with labels in updates");
        }
        let is_of_unknown_type = |cause: &Value| {
            text(cause, "reason") == "FieldValueTypeInvalid"
                && text(cause, "field").contains("default")
                && text(cause, "message").contains(" in body must be of type ")
        };
        let others: Vec<Value> =
            their_causes.iter().filter(|cause| !is_of_unknown_type(cause)).cloned().collect();
        if others == our_causes && others.iter().any(|cause| text(cause, "field").ends_with(".type")) {
            return Some("a default of a type that does not exist is not refused for its value, too");
        }
    }
    let (mut their_spec, mut our_spec) = (theirs["spec"].clone(), ours["spec"].clone());
    drop_unknown_metadata(&mut their_spec);
    drop_unknown_metadata(&mut our_spec);
    let is_other = their_spec == our_spec && theirs["spec"] != ours["spec"];
    let is_rest_same = ["code", "metadata", "status", "warnings"].iter().all(|key| theirs[key] == ours[key]);
    (is_other && is_rest_same).then_some(
        "unknown metadata in the default of an embedded resource stays; upstream drops it from the schema",
    )
}

/// The causes in the message of an error: each once.
fn aggregate(causes: &[Value]) -> String {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let mut texts: Vec<String> = Vec::new();
    for cause in causes {
        let text = format!("{}: {}", text(cause, "field"), text(cause, "message"));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    }
}

/// Drops the member `b` of the metadata in defaults, which no metadata has.
fn drop_unknown_metadata(value: &mut Value) {
    if let Some(metadata) = value.pointer_mut("/default/metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("b");
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(drop_unknown_metadata),
        Value::Array(items) => items.iter_mut().for_each(drop_unknown_metadata),
        _ => {}
    }
}

/// The members of two answers that differ.
fn difference(theirs: &Value, ours: &Value) -> String {
    let names = ["code", "reason", "causes", "message", "metadata", "spec", "status", "warnings"];
    let differing = names.iter().filter(|name| theirs[**name] != ours[**name]);
    let texts: Vec<String> =
        differing.map(|name| format!("{name}: there {}, here {}", theirs[*name], ours[*name])).collect();
    if texts.is_empty() { format!("there {theirs}, here {ours}") } else { texts.join("; ") }
}
