//! The intended differences: `listed.jsonl` contains for each request, by name, the answers of both
//! sides and the reason. docs/server.md explains each reason.

use std::collections::BTreeMap;

use serde_json::Value;

/// How the answers to one request differ.
pub struct Difference {
    /// The reason, in the words of docs/server.md.
    pub why: String,
    pub theirs: Value,
    pub ours: Value,
}

/// All listed differences, by the name of the request.
pub struct Listed(BTreeMap<String, Difference>);

impl Listed {
    pub fn all() -> Self {
        let lines = include_str!("listed.jsonl").lines().map(|line| {
            let line: Value = serde_json::from_str(line).expect("listed.jsonl has lines of JSON");
            let text = |field: &str| line[field].as_str().expect("listed.jsonl has texts").to_owned();
            let (theirs, ours) = (line["theirs"].clone(), line["ours"].clone());
            (text("name"), Difference { why: text("why"), theirs, ours })
        });
        Self(lines.collect())
    }

    pub fn get(&self, name: &str) -> Option<&Difference> {
        self.0.get(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::compare::{Verdict, judge};
    use super::*;

    #[test]
    fn each_reason_is_explained() {
        let docs = include_str!("../../../../../docs/server.md");
        for (name, listed) in Listed::all().0 {
            assert!(docs.contains(&format!("\n| {} |", listed.why)), "{name}: {}", listed.why);
        }
    }

    #[test]
    fn each_request_is_recorded() {
        let recorded = include_str!("../../../../whole/recorded/errors/server-1.37.jsonl");
        let names: Vec<String> = recorded
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].as_str().unwrap().to_owned())
            .collect();
        for name in Listed::all().0.keys() {
            assert!(names.contains(name), "{name}");
        }
    }

    /// Any change on either side is no longer the listed difference.
    #[test]
    fn a_change_beyond_a_difference_is_refused() {
        let changed = |answer: &Value, change: &dyn Fn(&mut Value)| {
            let mut answer = answer.clone();
            change(&mut answer);
            answer
        };
        let changes: [&dyn Fn(&mut Value); 4] = [
            &|answer| answer["code"] = 418.into(),
            &|answer| answer["warnings"] = json!(["299 - \"another\""]),
            &|answer| answer["status"]["message"] = "another message".into(),
            &|answer| answer["status"]["reason"] = "Other".into(),
        ];
        let (mut tried, mut refused) = (0, 0);
        for listed in Listed::all().0.values() {
            let (theirs, ours) = (&listed.theirs, &listed.ours);
            assert_eq!(judge(theirs, ours, Some(listed)), Verdict::Listed(&listed.why));
            for change in changes {
                for (theirs, ours) in
                    [(changed(theirs, change), ours.clone()), (theirs.clone(), changed(ours, change))]
                {
                    tried += 1;
                    refused +=
                        usize::from(matches!(judge(&theirs, &ours, Some(listed)), Verdict::Different(_)));
                }
            }
        }
        assert_eq!(refused, tried);
        assert!(tried > 0);
    }
}
