//! The operator `keyed`.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, STASH};
use serde_json::json;

use self::api::graphs::{v1, v1alpha1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/keyed/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

/// Few keys, so that items often have the same one.
const WORDS: &[(&str, &str)] = &[("name", "a"), ("name", "b"), ("key", "a"), ("key", ""), ("delay", "90s")];

const CASE: Case = Case {
    folder: "keyed",
    older: "graphs.example.com/v1alpha1",
    kind: "Graph",
    empty: [|| Box::new(v1alpha1::Graph::default()), || Box::new(v1::Graph::default())],
    compiled: || [versions::Version::of::<v1alpha1::Graph>(), versions::Version::of::<v1::Graph>()],
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
fn entries_are_items_with_their_keys() {
    let old = json!({
        "labels": {"team": "red"},
        "services": {
            "api": {"image": "api:1", "env": {"PORT": "80"}, "delaySeconds": 90},
            "web": {},
        },
    });
    let new = json!({
        "tags": [{"key": "team", "value": "red"}],
        "components": [
            {"name": "api", "image": "api:1", "env": [{"name": "PORT", "value": "80"}], "delay": "1m30s"},
            {"name": "web"},
        ],
    });
    let object: v1alpha1::Graph = serde_json::from_value(json!({"spec": old})).unwrap();
    let hub = object.clone().to_hub();
    assert_eq!(serde_json::to_value(&hub).unwrap()["spec"], new);
    assert_eq!(v1alpha1::Graph::from_hub(hub).unwrap().spec, object.spec);
}

/// An order that is not that of the keys, two items with one key, an item without one, and a field that the version
/// lacks.
#[test]
fn what_a_map_cannot_hold_is_stashed_and_an_edit_wins() {
    let items = json!([{"name": "web", "image": "web:1"}, {"name": "api"}, {"name": "web", "image": "web:2"}, {"name": ""}]);
    let tags = json!([{"key": "b", "value": "1", "note": "old"}, {"key": "a", "value": "2"}]);
    let hub: v1::Graph =
        serde_json::from_value(json!({"spec": {"components": items, "tags": tags}})).unwrap();
    let mut shown = v1alpha1::Graph::from_hub(hub.clone()).unwrap();
    let spec = serde_json::to_value(&shown).unwrap()["spec"].clone();
    assert_eq!(
        spec,
        json!({"services": {"": {}, "api": {}, "web": {"image": "web:1"}}, "labels": {"a": "2", "b": "1"}})
    );
    assert!(shown.metadata.annotations.contains_key(STASH));
    assert_eq!(shown.clone().to_hub(), hub);
    // A new service, and one that changes; what belongs to a removed label goes with it.
    let service = |image: &str| v1alpha1::Service { image: Some(image.into()), ..Default::default() };
    shown.spec.services.insert("db", service("db:1"));
    shown.spec.services.insert("web", service("web:3"));
    shown.spec.labels.remove("b");
    let edited = serde_json::to_value(shown.to_hub()).unwrap()["spec"].clone();
    assert_eq!(edited["tags"], json!([{"key": "a", "value": "2"}]));
    let components = edited["components"].as_array().unwrap();
    assert!(components.contains(&json!({"name": "db", "image": "db:1"})), "{edited}");
    assert!(components.contains(&json!({"name": "web", "image": "web:3"})), "{edited}");
    assert!(components.contains(&json!({"name": "api"})), "{edited}");
}
