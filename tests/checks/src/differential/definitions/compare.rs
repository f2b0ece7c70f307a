//! Whether two answers are the same.

use serde_json::{Value, json};

use super::listed;

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Equal,
    /// They differ as this one of the listed differences tells.
    Listed(&'static str),
    /// How they differ.
    Different(String),
}

/// Compares the answers to a request.
pub(super) fn judge(ask: &Value, theirs: &Value, ours: &Value) -> Verdict {
    let (theirs, ours) = (normal(theirs), normal(ours));
    if theirs == ours {
        return Verdict::Equal;
    }
    if let Some(name) = listed::listed(ask, &theirs, &ours) {
        return Verdict::Listed(name);
    }
    let mut place = String::new();
    let (theirs, ours) = first_difference(&theirs, &ours, &mut place);
    Verdict::Different(format!("{place}: there {}, here {}", shown(theirs), shown(ours)))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

/// The first place where two values differ.
fn first_difference<'a>(
    theirs: &'a Value,
    ours: &'a Value,
    place: &mut String,
) -> (Option<&'a Value>, Option<&'a Value>) {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            for name in names {
                let found = (one.get(name), other.get(name));
                if found.0 != found.1 {
                    place.push('/');
                    place.push_str(name);
                    return match found {
                        (Some(theirs), Some(ours)) => first_difference(theirs, ours, place),
                        found => found,
                    };
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            if let Some(at) = (0..one.len()).find(|at| one[*at] != other[*at]) {
                place.push_str(&format!("/{at}"));
                return first_difference(&one[at], &other[at], place);
            }
        }
        _ => {}
    }
    (Some(theirs), Some(ours))
}

/// An answer without what every server has its own of: identities, revisions and times; and with the causes of errors in order,
/// of which the message is made.
fn normal(answer: &Value) -> Value {
    let mut out = answer.clone();
    if answer.get("error").is_some() {
        return json!({"error": true});
    }
    let is_error = answer["code"].as_u64().is_some_and(|code| code >= 400);
    if let Some(metadata) = out["body"].get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"] {
            metadata.shift_remove(name);
        }
        let owners = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
        if let Some(owners) = owners {
            for owner in owners.iter_mut().filter_map(Value::as_object_mut) {
                owner.shift_remove("time");
            }
            // Their order is that of the times.
            owners.sort_by_key(Value::to_string);
        }
    }
    if let Some(details) = out["body"].get_mut("details").and_then(Value::as_object_mut) {
        details.shift_remove("uid");
    }
    if is_error {
        let causes = out["body"].pointer_mut("/details/causes").and_then(Value::as_array_mut);
        let several = causes.is_some_and(|causes| {
            causes.sort_by_key(Value::to_string);
            causes.len() > 1
        });
        if several {
            out["body"]["message"] = json!("of the causes");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identities_and_the_order_of_causes_are_free() {
        let object = |uid: &str, size: u32| json!({"code": 200, "body": {"metadata": {"uid": uid}, "spec": {"size": size}}});
        assert_eq!(judge(&Value::Null, &object("a", 1), &object("b", 1)), Verdict::Equal);
        let different = judge(&Value::Null, &object("a", 1), &object("a", 2));
        assert_eq!(different, Verdict::Different("/body/spec/size: there 1, here 2".to_owned()));
        let refused = |message: &str, causes: [u32; 2]| json!({"code": 422, "body": {"message": message, "details": {"causes": causes}}});
        assert_eq!(judge(&Value::Null, &refused("a, b", [1, 2]), &refused("b, a", [2, 1])), Verdict::Equal);
        assert_ne!(judge(&Value::Null, &refused("a, b", [1, 2]), &refused("a, b", [1, 1])), Verdict::Equal);
    }
}
