//! The operator `number`.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, STASH};
use serde_json::json;

use self::api::jobs::{v1, v1alpha1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/numbers/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

/// Texts that are in the hub, of all forms and of none.
const WORDS: &[(&str, &str)] = &[
    ("timeout", "5m0s"),
    ("timeout", "90m"),
    ("timeout", "1.5s"),
    ("timeout", "soon"),
    ("retries", "7"),
    ("retries", "007"),
    ("surge", "50%"),
    ("surge", "12.5%"),
    ("delay", "2h"),
    ("delay", "1h30m0s"),
];

const CASE: Case = Case {
    folder: "numbers",
    older: "jobs.example.com/v1alpha1",
    kind: "Job",
    empty: [|| Box::new(v1alpha1::Job::default()), || Box::new(v1::Job::default())],
    compiled: || [versions::Version::of::<v1alpha1::Job>(), versions::Version::of::<v1::Job>()],
    scheme: api::scheme,
    words: WORDS,
};

#[test]
fn all_laws_hold() {
    CASE.all_laws_hold();
}

#[test]
fn all_ways_convert_alike() {
    CASE.all_ways_convert_alike();
}

#[test]
fn numbers_are_the_texts_of_their_forms() {
    let old = json!({"timeoutSeconds": 300, "retries": 3, "surgePercent": 25, "memoryMi": 1024, "graceMillis": 1500,
        "limits": {"cpu": 2000}, "steps": [{"name": "wait", "delayMinutes": 90}, {"name": "go", "delayMinutes": null}]});
    let new = json!({"timeout": "5m0s", "retries": "3", "surge": "25%", "memory": "1Gi", "grace": "1.5s",
        "limits": {"cpu": "2k"}, "steps": [{"name": "wait", "delay": "1h30m0s"}, {"name": "go", "delay": null}]});
    let object: v1alpha1::Job = serde_json::from_value(json!({"spec": old})).unwrap();
    let hub = object.clone().to_hub();
    assert_eq!(serde_json::to_value(&hub).unwrap()["spec"], new);
    // The number has all that the text says, but the text could have been another one.
    assert_eq!(v1alpha1::Job::from_hub(hub).unwrap().spec, object.spec);
}

#[test]
fn a_text_that_is_no_number_is_stashed_and_an_edit_wins() {
    let spec = json!({"timeout": "1.5s", "retries": "many", "steps": [{"name": "a", "delay": "90m"}]});
    let hub: v1::Job = serde_json::from_value(json!({"spec": spec})).unwrap();
    let mut shown = v1alpha1::Job::from_hub(hub.clone()).unwrap();
    let spec = serde_json::to_value(&shown).unwrap()["spec"].clone();
    assert_eq!(
        spec,
        json!({"timeoutSeconds": 1, "retries": 0, "steps": [{"name": "a", "delayMinutes": 90}]})
    );
    assert!(shown.metadata.annotations.contains_key(STASH));
    assert_eq!(shown.clone().to_hub(), hub);
    shown.spec.timeout_seconds = Some(2);
    let edited = serde_json::to_value(shown.to_hub()).unwrap()["spec"].clone();
    assert_eq!(edited, json!({"timeout": "2s", "retries": "many", "steps": [{"name": "a", "delay": "90m"}]}));
}
