//! Words of a version that become the counterpart of another one: `also` of the operator `words`.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, ConvertError};
use serde_json::json;

use self::api::queues::{v1, v1beta1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/also/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

const WORDS: &[(&str, &str)] = &[
    ("level", "low"),
    ("level", "high"),
    ("level", "Low"),
    ("level", "High"),
    ("action", "drop"),
    ("action", "evict"),
    ("action", "Evict"),
];

const CASE: Case = Case {
    folder: "also",
    older: "queues.example.com/v1beta1",
    kind: "Queue",
    empty: [|| Box::new(v1beta1::Queue::default()), || Box::new(v1::Queue::default())],
    compiled: || [versions::Version::of::<v1beta1::Queue>(), versions::Version::of::<v1::Queue>()],
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
fn older_words_become_the_counterpart_of_another_one() {
    let read = |spec| -> v1beta1::Queue { serde_json::from_value(json!({"spec": spec})).unwrap() };
    let object = read(
        json!({"whenFull": "Preempt", "level": "Low", "steps": [{"action": "drop"}, {"action": "wait"}]}),
    );
    let hub = object.try_to_hub().unwrap();
    let spec = serde_json::to_value(&hub).unwrap()["spec"].clone();
    assert_eq!(
        spec,
        json!({"whenFull": "MayStop", "level": "High", "steps": [{"action": "Evict"}, {"action": "Wait"}]})
    );
    let shown = v1beta1::Queue::from_hub(hub).unwrap();
    let spec = serde_json::to_value(&shown).unwrap()["spec"].clone();
    assert_eq!(
        spec,
        json!({"whenFull": "MayStop", "level": "high", "steps": [{"action": "evict"}, {"action": "wait"}]})
    );
    // The hub does not have the words of the version.
    let refused = read(json!({"level": "medium"})).try_to_hub();
    assert!(matches!(refused, Err(ConvertError::UnknownWord { .. })), "{refused:?}");
}
