//! What a report was right and wrong about.

use serde_json::{Value, json};

use super::object::Object;
use super::tools::{Alarm, Claim, Told};
use super::truth::{Served, Truth};

/// An object that all tools are asked about.
#[derive(Clone, Debug)]
pub struct Case {
    pub object: Object,
    pub truth: Truth,
}

/// What a report has told of an object, beside what is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is not served, and the report has told so.
    Found,
    /// It is not served, and the report has not told so.
    Missed,
    /// It is served, and the report has told that it is not.
    Wrong,
    /// It is served, and the report calls it deprecated.
    Deprecated,
    /// The report has told something of what is neither right nor wrong.
    Apart,
    /// There was nothing to tell, and nothing was told.
    Quiet,
}

/// Judges what a report has told of one object.
pub fn judge(truth: Truth, alarms: &[&Alarm]) -> Verdict {
    let tells = |claim| alarms.iter().any(|alarm| alarm.claim == claim);
    let tells_removal = tells(Claim::Removed);
    match truth {
        Truth::NotServed if tells_removal => Verdict::Found,
        Truth::NotServed => Verdict::Missed,
        Truth::Served if tells_removal => Verdict::Wrong,
        _ if !tells_removal && !tells(Claim::Deprecated) => Verdict::Quiet,
        Truth::Served => Verdict::Deprecated,
        Truth::OffByDefault | Truth::Stale | Truth::Foreign => Verdict::Apart,
    }
}

/// What a tool was right and wrong about in one part of the comparison.
#[derive(Default)]
pub struct Score {
    /// How many objects that are not served it has found.
    pub found: usize,
    pub missed: Vec<String>,
    /// Alarms about objects that are served, or that are not there.
    pub wrong: Vec<String>,
    /// Objects that it has found, with a version to use that is not served.
    pub misled: Vec<String>,
    /// Served objects that it calls deprecated.
    pub deprecated: Vec<String>,
    /// What it tells of versions that are off by default, of other APIs, of objects that somebody has written
    /// at a served version since, and of fields.
    pub apart: Vec<String>,
    /// What it could not read.
    pub unread: Vec<String>,
}

impl Score {
    /// Adds what was told of the objects at a place, a file or a release.
    pub fn add(&mut self, place: &str, cases: &[Case], told: Told, served: &Served) {
        let Told { alarms, unread } = told;
        self.unread.extend(unread.map(|why| format!("{place}: {why}")));
        for Case { object, truth } in cases {
            let of_it: Vec<&Alarm> = alarms.iter().filter(|alarm| alarm.object == *object).collect();
            let line = |text: Option<&&Alarm>| match text {
                Some(alarm) => format!("{place}: {object}: {}", alarm.text),
                None => format!("{place}: {object}"),
            };
            match judge(*truth, &of_it) {
                Verdict::Found => {
                    self.found += 1;
                    let is_misleading = |alarm: &&&Alarm| {
                        let to = alarm.replacement.as_ref();
                        to.is_some_and(|(api_version, kind)| served.misleads(api_version, kind))
                    };
                    self.misled.extend(of_it.iter().find(is_misleading).map(|alarm| line(Some(alarm))));
                }
                Verdict::Missed => self.missed.push(line(of_it.first())),
                Verdict::Wrong => self.wrong.push(line(of_it.first())),
                Verdict::Deprecated => self.deprecated.push(line(of_it.first())),
                Verdict::Apart => self.apart.push(line(of_it.first())),
                Verdict::Quiet => {}
            }
        }
        let line = |alarm: &Alarm, what: &str| format!("{place}: {}: {what}{}", alarm.object, alarm.text);
        let (others, of_objects): (Vec<&Alarm>, Vec<&Alarm>) =
            alarms.iter().partition(|alarm| alarm.claim == Claim::Other);
        self.apart.extend(others.iter().map(|alarm| line(alarm, "")));
        let is_stray = |alarm: &&&Alarm| cases.iter().all(|case| case.object != alarm.object);
        let strays = of_objects.iter().filter(is_stray);
        self.wrong.extend(strays.map(|alarm| line(alarm, "is not there: ")));
    }

    /// The counts in one line.
    pub fn summary(&self) -> String {
        let Self { found, missed, wrong, misled, deprecated, apart, unread } = self;
        format!(
            "{found} found, {} missed, {} wrong, {} with a replacement that is not served; apart from that {} deprecated, {} \
             neither right nor wrong, {} not read",
            missed.len(),
            wrong.len(),
            misled.len(),
            deprecated.len(),
            apart.len(),
            unread.len()
        )
    }

    /// Each list, with its name.
    pub fn lists(&self) -> [(&'static str, &[String]); 6] {
        let Self { found: _, missed, wrong, misled, deprecated, apart, unread } = self;
        [
            ("missed", missed),
            ("wrong", wrong),
            ("replacement not served", misled),
            ("deprecated", deprecated),
            ("apart", apart),
            ("not read", unread),
        ]
    }

    /// The mistakes: everything that should not be so.
    pub fn mistakes(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let lists = self.lists().into_iter().filter(|(name, _)| !matches!(*name, "deprecated" | "apart"));
        lists.flat_map(|(name, list)| list.iter().map(move |line| (name, line)))
    }

    pub fn json(&self) -> Value {
        let mut out = json!({"found": self.found});
        for (name, list) in self.lists() {
            out[name.replace(' ', "_")] = json!(list);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hubgen_model::Release;
    use serde_json::json;

    use super::*;

    fn object(api_version: &str) -> Object {
        Object { api_version: api_version.to_owned(), kind: "Deployment".to_owned(), name: "web".to_owned() }
    }

    fn alarm(api_version: &str, claim: Claim, to: Option<&str>) -> Alarm {
        let replacement = to.map(|to| (to.to_owned(), "Deployment".to_owned()));
        Alarm { object: object(api_version), claim, replacement, text: "told".to_owned() }
    }

    #[test]
    fn only_what_is_so_is_right() {
        let (removed, deprecated) =
            (alarm("apps/v1", Claim::Removed, None), alarm("apps/v1", Claim::Deprecated, None));
        for (truth, quiet, after_deprecated, after_removed) in [
            (Truth::NotServed, Verdict::Missed, Verdict::Missed, Verdict::Found),
            (Truth::Served, Verdict::Quiet, Verdict::Deprecated, Verdict::Wrong),
            (Truth::OffByDefault, Verdict::Quiet, Verdict::Apart, Verdict::Apart),
            (Truth::Foreign, Verdict::Quiet, Verdict::Apart, Verdict::Apart),
            (Truth::Stale, Verdict::Quiet, Verdict::Apart, Verdict::Apart),
        ] {
            assert_eq!(judge(truth, &[]), quiet);
            assert_eq!(judge(truth, &[&deprecated]), after_deprecated);
            assert_eq!(judge(truth, &[&removed]), after_removed);
            assert_eq!(judge(truth, &[&deprecated, &removed]), after_removed);
            assert_eq!(judge(truth, &[&alarm("apps/v1", Claim::Other, None)]), quiet);
        }
    }

    /// What is made of one Deployment at an old version and one at a new one.
    fn scored(told: Vec<Alarm>, unread: Option<&str>) -> Score {
        let facts = BTreeMap::from([("apps/v1 deployments".to_owned(), json!({"kind": "Deployment"}))]);
        let served = Served::of(&facts, Release::new(1, 37));
        let case = |api_version: &str| {
            let object = object(api_version);
            Case { truth: served.truth(api_version, &object.kind), object }
        };
        let mut score = Score::default();
        score.add(
            "a.yaml",
            &[case("apps/v1beta1"), case("apps/v1")],
            Told { alarms: told, unread: unread.map(str::to_owned) },
            &served,
        );
        score
    }

    #[test]
    fn a_right_answer_has_no_mistakes() {
        let right = scored(vec![alarm("apps/v1beta1", Claim::Removed, Some("apps/v1"))], None);
        assert_eq!((right.found, right.mistakes().count()), (1, 0));
    }

    #[test]
    fn every_mistake_is_listed() {
        let missed = scored(Vec::new(), None);
        assert_eq!(
            (missed.found, missed.missed),
            (0, vec!["a.yaml: apps/v1beta1 Deployment web".to_owned()])
        );
        let removed = ["apps/v1beta1", "apps/v1", "apps/v1beta2"].map(|of| alarm(of, Claim::Removed, None));
        let wrong = scored(removed.into(), None);
        let lines = [
            "a.yaml: apps/v1 Deployment web: told",
            "a.yaml: apps/v1beta2 Deployment web: is not there: told",
        ];
        assert_eq!(
            (wrong.found, wrong.mistakes().count(), &wrong.wrong[..]),
            (1, 2, &lines.map(str::to_owned)[..])
        );
        let misled = scored(vec![alarm("apps/v1beta1", Claim::Removed, Some("apps/v1beta2"))], None);
        assert_eq!((misled.found, misled.misled.len(), misled.mistakes().count()), (1, 1, 1));
        let unread = scored(Vec::new(), Some("no YAML"));
        assert_eq!((unread.missed.len(), unread.unread), (1, vec!["a.yaml: no YAML".to_owned()]));
    }
}
