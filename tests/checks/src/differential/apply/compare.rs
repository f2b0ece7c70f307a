//! Compares the answers to a sequence.

use serde_json::Value;

use super::super::answers::Verdict;
use super::super::sequences::recorded;
use super::listed;

/// Compares the recorded answers of a line with ours. What is listed may differ at every step, and nothing else.
pub fn judge(line: &Value, ours: &[Value]) -> Verdict {
    let theirs = match recorded(line, ours) {
        Ok(theirs) => theirs,
        Err(verdict) => return verdict,
    };
    let mut why = None;
    for (at, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
        let steps = line["steps"].as_array().and_then(|steps| steps.get(..=at)).unwrap_or_default();
        let of = listed::Of { kind: &line["kind"], steps };
        if is_equal(theirs, ours) {
            continue;
        }
        match listed::whys(of, theirs, ours) {
            Ok(found) => why = found.into_iter().next().or(why),
            Err(what) => return Verdict::Different(told(at, &line["steps"][at], &what, theirs, ours)),
        }
        if theirs["code"] != ours["code"] {
            // From here on, the objects are not the same.
            break;
        }
    }
    why.map_or(Verdict::Equal, Verdict::Listed)
}

/// What both answer to a step.
fn told(at: usize, step: &Value, what: &str, theirs: &Value, ours: &Value) -> String {
    let told: Vec<String> = NAMES
        .into_iter()
        .chain(["message"])
        .filter(|name| theirs[*name] != ours[*name])
        .map(|name| format!("{name}\n  they: {}\n  we:   {}", theirs[name], ours[name]))
        .collect();
    format!("step {}: {step}\n{what} differs\n{}", at + 1, told.join("\n"))
}

/// What is compared of an answer.
const NAMES: [&str; 6] = ["code", "reason", "owners", "is unsorted", "object", "causes"];

/// Whether two answers are the same. Of refusals, the messages may differ, but not those about conflicts.
fn is_equal(theirs: &Value, ours: &Value) -> bool {
    let is_same = |name: &&str| theirs[*name] == ours[*name];
    NAMES.iter().all(is_same) && (theirs["code"] != 409 || is_same(&"message"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_owners_and_conflicts_are_compared() {
        let theirs = json!({"code": 200, "owners": [{"manager": "a"}], "object": {"spec": {"x": 1}}});
        let conflict =
            json!({"code": 409, "reason": "Conflict", "message": "m", "causes": [{"field": ".x"}]});
        let line = json!({"kind": "Pod", "steps": [{}, {}], "answers": [theirs, conflict]});
        assert_eq!(judge(&line, &[theirs.clone(), conflict.clone()]), Verdict::Equal);
        for (name, other) in [
            ("code", json!(200)),
            ("message", json!("n")),
            ("causes", json!([])),
            ("causes", json!([{"field": ".y"}])),
        ] {
            let mut ours = conflict.clone();
            ours[name] = other;
            let Verdict::Different(message) = judge(&line, &[theirs.clone(), ours]) else { panic!("{name}") };
            assert!(message.starts_with("step 2: "), "{message}");
        }
        for (name, other) in
            [("owners", json!([])), ("object", json!({"spec": {"x": 2}})), ("is unsorted", json!(true))]
        {
            let mut ours = theirs.clone();
            ours[name] = other;
            let Verdict::Different(message) = judge(&line, &[ours, conflict.clone()]) else {
                panic!("{name}")
            };
            assert!(message.starts_with("step 1: "), "{message}");
        }
        assert!(matches!(judge(&line, std::slice::from_ref(&theirs)), Verdict::Different(_)));
    }
}
