//! Compares the answers to a sequence.

use serde_json::Value;

use super::super::answers::Verdict;
use super::super::sequences::recorded;
use super::listed;

/// Compares the recorded answers of a line with ours.
pub fn judge(line: &Value, ours: &[Value]) -> Verdict {
    let theirs = match recorded(line, ours) {
        Ok(theirs) => theirs,
        Err(verdict) => return verdict,
    };
    let Some(at) = (0..ours.len()).find(|at| !is_equal(&theirs[*at], &ours[*at])) else {
        return Verdict::Equal;
    };
    let steps = line["steps"].as_array().map(|steps| &steps[..=at]).unwrap_or_default();
    let (theirs, ours) = (&theirs[at], &ours[at]);
    match listed::why(&line["kind"], steps, theirs, ours) {
        Some(why) => Verdict::Listed(why),
        None => {
            let step = &line["steps"][at];
            Verdict::Different(format!("step {}: {step}\n  they: {theirs}\n  we:   {ours}", at + 1))
        }
    }
}

/// Whether two answers are the same. Of refusals, the messages may differ.
fn is_equal(theirs: &Value, ours: &Value) -> bool {
    ["code", "reason", "owners", "is unsorted"].iter().all(|name| theirs[*name] == ours[*name])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn owners_fields_and_times_are_compared() {
        let answer = |manager: &str, fields: Value, time: &str| json!({"code": 200, "owners": [{"manager": manager, "fieldsV1": fields, "time": time}]});
        let theirs = answer("a", json!({"f:spec": {}}), "now");
        let line = json!({"kind": "Pod", "steps": [{}, {}], "answers": [theirs, theirs]});
        assert_eq!(judge(&line, &[theirs.clone(), theirs.clone()]), Verdict::Equal);
        let mut unsorted = theirs.clone();
        unsorted["is unsorted"] = true.into();
        for other in [
            answer("b", json!({"f:spec": {}}), "now"),
            answer("a", json!({"f:spec": {}, "f:status": {}}), "now"),
            answer("a", json!({"f:spec": {}}), "earlier"),
            json!({"code": 200, "owners": []}),
            json!({"code": 200}),
            json!({"code": 409, "reason": "Conflict"}),
            unsorted,
        ] {
            let Verdict::Different(message) = judge(&line, &[theirs.clone(), other.clone()]) else {
                panic!("{other}")
            };
            assert!(message.starts_with("step 2: "), "{message}");
        }
        assert!(matches!(judge(&line, std::slice::from_ref(&theirs)), Verdict::Different(_)));
        assert!(matches!(judge(&json!({"answers": []}), &[]), Verdict::Different(_)));
    }
}
