//! Compares the answers to one patch.

use serde_json::Value;

use super::listed;

/// The result of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both made the same object, or refused the patch with the same code and reason (`true`).
    Equal(bool),
    /// They differ, for this reason.
    Listed(&'static str),
    /// They differ in another way.
    Different(String),
}

/// Compares the recorded answer of a line with ours.
pub fn judge(line: &Value, ours: &Value) -> Verdict {
    let theirs = &line["answer"];
    let is_error = |answer: &Value| answer["code"] != 200;
    let told = |answer: &Value| (answer["code"].clone(), answer["body"]["reason"].clone());
    match (is_error(theirs), is_error(ours)) {
        (true, true) if told(theirs) == told(ours) => return Verdict::Equal(true),
        (false, false) => return objects(line, ours),
        _ => {}
    }
    if let Some(why) = listed::of_codes(line, ours) {
        return Verdict::Listed(why);
    }
    let shown = |answer: &Value| {
        let body = &answer["body"];
        if is_error(answer) {
            format!("{} {} {}", answer["code"], body["reason"], body["message"])
        } else {
            "200".to_owned()
        }
    };
    Verdict::Different(format!("they answer {}, and we {}", shown(theirs), shown(ours)))
}

/// Compares two patched objects.
fn objects(line: &Value, ours: &Value) -> Verdict {
    let is_of_status = line["path"].as_str().is_some_and(|path| path.ends_with("/status"));
    let [mut theirs, mut ours] = [&line["answer"]["body"], &ours["body"]].map(Clone::clone);
    for object in [&mut theirs, &mut ours] {
        if let Some(members) = object.as_object_mut()
            && !is_of_status
        {
            // Their controllers write the status at the same time.
            members.shift_remove("status");
        }
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.shift_remove("resourceVersion");
        }
    }
    let mut found = Vec::new();
    differences(&theirs, &ours, "", &mut found);
    let mut why = None;
    for (path, theirs, ours) in &found {
        match listed::of_place(&line["object"], path, *theirs, *ours) {
            Some(listed) => why = Some(listed),
            None => {
                let shown =
                    |value: &Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
                let (theirs, ours) = (shown(theirs), shown(ours));
                return Verdict::Different(format!("{path}: expected {theirs}, found {ours}"));
            }
        }
    }
    why.map_or(Verdict::Equal(false), Verdict::Listed)
}

/// A place, and what both have there.
type Place<'v> = (String, Option<&'v Value>, Option<&'v Value>);

/// Where two values differ. Lists are compared as wholes.
fn differences<'v>(theirs: &'v Value, ours: &'v Value, path: &str, found: &mut Vec<Place<'v>>) {
    let (Value::Object(left), Value::Object(right)) = (theirs, ours) else {
        if theirs != ours {
            found.push((path.to_owned(), Some(theirs), Some(ours)));
        }
        return;
    };
    let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
    for name in names {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (left.get(name), right.get(name)) {
            (Some(left), Some(right)) => differences(left, right, &path, found),
            (left @ Some(Value::Object(members)), None) | (None, left @ Some(Value::Object(members)))
                if members.len() == 1 && path == "metadata.annotations" =>
            {
                // The only annotation is the place.
                let is_theirs = theirs.get("annotations").is_some();
                for (key, value) in members {
                    let sides = if is_theirs { (Some(value), None) } else { (None, Some(value)) };
                    found.push((format!("{path}.{key}"), sides.0, sides.1));
                }
                let _ = left;
            }
            (left, right) => found.push((path, left, right)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(path: &str, answer: Value) -> Value {
        json!({"path": path, "object": {"kind": "Service"}, "patch": {}, "answer": answer})
    }

    #[test]
    fn codes_reasons_and_objects_are_compared() {
        let made = |spec: Value| json!({"code": 200, "body": {"metadata": {"resourceVersion": "7"}, "spec": spec, "status": 1}});
        let refused = |code: u16, reason: &str| json!({"code": code, "body": {"reason": reason}});
        let other = json!({"code": 200, "body": {"metadata": {"resourceVersion": "8"}, "spec": {"a": 1}, "status": 2}});
        let judged = |theirs: &Value, ours: &Value| judge(&line("/p", theirs.clone()), ours);
        assert_eq!(judged(&made(json!({"a": 1})), &other), Verdict::Equal(false));
        assert_eq!(judged(&refused(400, "BadRequest"), &refused(400, "BadRequest")), Verdict::Equal(true));
        for (theirs, ours) in [
            (made(json!({"a": 2})), other.clone()),
            (made(json!({"a": 1, "b": 1})), other.clone()),
            (refused(400, "BadRequest"), refused(422, "BadRequest")),
            (refused(400, "BadRequest"), refused(400, "Invalid")),
            (refused(400, "BadRequest"), other.clone()),
            (other.clone(), refused(500, "")),
        ] {
            assert!(matches!(judged(&theirs, &ours), Verdict::Different(_)), "{theirs} {ours}");
        }
        let of_status = judge(&line("/p/status", made(json!({"a": 1}))), &other);
        assert!(matches!(of_status, Verdict::Different(_)));
    }
}
