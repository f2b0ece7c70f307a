//! Tests what applied configurations make of objects and of their managers.

use std::rc::Rc;

use hubgen_machinery::convert::STASH;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_patch::fields::Set;
use hubgen_patch::owners::{Application, ApplyError, Conflicts, Kind, Kinds, Managers, Write};
use hubgen_patch::typed::TypedError;
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(ApiType)]
struct Old {
    size: Option<i32>,
    metadata: Meta,
    #[field(list = map("name"))]
    ports: Vec<Port>,
}

#[derive(ApiType)]
struct New {
    api_version: Option<String>,
    kind: Option<String>,
    width: Option<i32>,
    metadata: Meta,
    #[field(list = map("name"))]
    ports: Vec<Port>,
    #[field(list = set)]
    tags: Vec<String>,
    #[field(list = atomic)]
    path: Vec<String>,
    status: Option<String>,
}

#[derive(ApiType)]
struct Meta {
    name: Option<String>,
    labels: StrMap<Str>,
    annotations: StrMap<Str>,
}

#[derive(ApiType)]
struct Port {
    #[field(default = "\"http\"")]
    name: Option<String>,
    number: Option<i32>,
}

/// Two versions, of which the older one has another name for a field, and others not at all.
struct Versions;

impl Kinds for Versions {
    type Error = TypedError;

    fn kind(&mut self, api_version: &str) -> Option<Rc<Kind>> {
        let of = match api_version {
            "v1" => New::default().descriptor().share(),
            "v1beta1" => Old::default().descriptor().share(),
            _ => return None,
        };
        let reset = r#"{"f:status":{}}"#.parse().unwrap();
        Some(Rc::new(Kind { of, empty: json!({}), reset }))
    }

    fn convert(&mut self, object: &Value, from: &str, to: &str) -> Result<Value, TypedError> {
        let mut object = object.clone();
        let members = object.as_object_mut().unwrap();
        let (name, other) =
            if (from, to) == ("v1", "v1beta1") { ("width", "size") } else { ("size", "width") };
        if let Some(value) = members.shift_remove(name) {
            members.insert(other.to_owned(), value);
        }
        Ok(object)
    }
}

/// An object, and who owns it.
#[derive(Clone, Debug, Default)]
struct Live {
    object: Value,
    managers: Managers,
    seconds: u8,
}

impl Live {
    fn of(object: Value) -> Self {
        Self { object, ..Self::default() }
    }

    fn try_apply(
        &mut self,
        who: &str,
        version: &str,
        configuration: &Value,
        force: bool,
    ) -> Result<bool, Refusal> {
        self.seconds += 1;
        let now: Time = format!("2026-01-02T03:04:{:02}Z", self.seconds).parse().unwrap();
        let write = Write { manager: who, api_version: version, subresource: "", now };
        let application = Application { write, configuration, force };
        let object = Versions.convert(&self.object, "v1", version).unwrap();
        let object = if version == "v1" { self.object.clone() } else { object };
        let new = self.managers.apply(&application, &mut Versions, &object)?;
        let is_changed = new.is_some();
        if let Some(new) = new {
            // Of an object that has nothing any more, nothing is left.
            let new = if new.is_null() { json!({}) } else { new };
            self.object = if version == "v1" { new } else { Versions.convert(&new, version, "v1").unwrap() };
        }
        Ok(is_changed)
    }

    #[track_caller]
    fn apply(&mut self, who: &str, configuration: &Value) -> bool {
        self.try_apply(who, "v1", configuration, false).unwrap()
    }

    #[track_caller]
    fn conflicts(&mut self, who: &str, configuration: &Value) -> Conflicts {
        let before = (self.object.clone(), self.managers.clone());
        match self.try_apply(who, "v1", configuration, false) {
            Err(ApplyError::Conflicts(conflicts)) => {
                assert_eq!((&self.object, &self.managers), (&before.0, &before.1), "nothing is changed");
                conflicts
            }
            other => panic!("{other:?}"),
        }
    }

    /// Who owns what, with the version, and the second of the time.
    fn owners(&self) -> Vec<(String, String, Option<String>)> {
        let told = |manager: hubgen_patch::owners::Manager| {
            let time = manager.time.map(|time| time.to_string()[17..19].to_owned());
            (
                format!("{} {}", manager.identity.manager, manager.api_version),
                manager.fields.to_string(),
                time,
            )
        };
        self.managers.clone().into_sorted().into_iter().map(told).collect()
    }

    fn fields_of(&self, who: &str) -> Set {
        let mut all = self.managers.clone().into_sorted().into_iter();
        all.find(|manager| manager.identity.manager == who).map(|manager| manager.fields).unwrap_or_default()
    }
}

type Refusal = ApplyError<TypedError>;

fn owner(name: &str, fields: &str, time: Option<&str>) -> (String, String, Option<String>) {
    (name.to_owned(), fields.to_owned(), time.map(str::to_owned))
}

#[test]
fn managers_own_what_they_apply_together_if_they_agree() {
    let mut live = Live::of(json!({}));
    assert!(live.apply("a", &json!({"width": 1, "metadata": {"labels": {"x": "y"}}})));
    assert!(!live.apply("b", &json!({"width": 1})));
    let expected = [
        // It changed nothing, so that there is no time.
        owner("b v1", r#"{"f:width":{}}"#, None),
        owner("a v1", r#"{"f:metadata":{"f:labels":{"f:x":{}}},"f:width":{}}"#, Some("01")),
    ];
    assert_eq!(live.owners(), expected);
    let conflicts = live.conflicts("b", &json!({"width": 2}));
    assert_eq!(conflicts.to_string(), r#"Apply failed with 1 conflict: conflict with "a": .width"#);
    let conflicts = live.conflicts("c", &json!({"width": 2, "metadata": {"labels": {"x": "z"}}}));
    let message = "Apply failed with 3 conflicts: conflicts with \"a\":\n- .width\n- .metadata.labels.x\nconflicts with \"b\":\n- .width";
    assert_eq!(conflicts.to_string(), message);
    assert!(live.try_apply("c", "v1", &json!({"width": 2}), true).unwrap());
    assert_eq!(live.object["width"], 2);
    assert_eq!(live.fields_of("a").to_string(), r#"{"f:metadata":{"f:labels":{"f:x":{}}}}"#);
    assert!(live.fields_of("b").is_empty());
}

#[test]
fn what_is_not_applied_any_more_goes_unless_others_own_it() {
    let mut live = Live::of(json!({}));
    let all = json!({
        "width": 1, "metadata": {"labels": {"a": "1", "b": "2"}},
        "ports": [{"name": "one", "number": 1}, {"name": "two", "number": 2}], "tags": ["x", "y"], "path": ["p"],
    });
    live.apply("a", &all);
    live.apply("b", &json!({"metadata": {"labels": {"b": "2"}}, "ports": [{"name": "two"}], "tags": ["y"]}));
    live.apply("a", &json!({"path": ["p"]}));
    // What b has only named is an item without anything else in it.
    let left =
        json!({"metadata": {"labels": {"b": "2"}}, "ports": [{"name": "two"}], "tags": ["y"], "path": ["p"]});
    assert_eq!(live.object, left);
    live.apply("b", &json!({}));
    live.apply("a", &json!({}));
    assert!(live.managers.is_empty(), "{:?}", live.owners());
    let has_content = |name: &str| live.object[name].as_array().is_some_and(|items| !items.is_empty());
    assert!(!["ports", "tags", "path"].iter().any(|name| has_content(name)), "{}", live.object);
}

#[test]
fn items_keep_the_order_of_the_configuration() {
    let mut live =
        Live::of(json!({"tags": ["a", "b", "c"], "ports": [{"name": "x", "number": 1}, {"number": 2}]}));
    live.apply(
        "m",
        &json!({"tags": ["c", "d", "a"], "ports": [{"name": "http", "number": 2}, {"name": "x"}]}),
    );
    assert_eq!(live.object["tags"], json!(["b", "c", "d", "a"]));
    // The key of the second item was its default.
    let expected = json!([{"number": 2, "name": "http"}, {"name": "x", "number": 1}]);
    assert_eq!(live.object["ports"], expected);
}

#[test]
fn duplicates_that_exist_are_kept_until_they_are_applied() {
    let mut live = Live::of(json!({"tags": ["a", "b", "a"]}));
    live.apply("m", &json!({"tags": ["c"]}));
    assert_eq!(live.object["tags"], json!(["a", "b", "a", "c"]));
    live.try_apply("m", "v1", &json!({"tags": ["a"]}), true).unwrap();
    assert_eq!(live.object["tags"], json!(["a", "b"]));
    let twice = live.try_apply("m", "v1", &json!({"tags": ["a", "a"]}), true).unwrap_err();
    assert_eq!(twice.to_string(), r#".tags: duplicate entries for key [="a"]"#);
}

#[test]
fn null_unsets_a_field_and_owns_it() {
    let mut live = Live::of(json!({}));
    live.apply("a", &json!({"width": 1}));
    live.apply("a", &json!({"width": null}));
    assert_eq!(live.object["width"], Value::Null);
    assert_eq!(live.fields_of("a").to_string(), r#"{"f:width":{}}"#);
}

#[test]
fn an_object_without_owners_has_one_for_what_it_has() {
    let mut live = Live::of(json!({"width": 1, "tags": ["x"]}));
    live.apply("a", &json!({"tags": ["y"]}));
    let before = r#"{"f:tags":{".":{},"v:\"x\"":{}},"f:width":{}}"#;
    assert_eq!(live.fields_of("before-first-apply").to_string(), before);
    let conflicts = live.conflicts("a", &json!({"width": 2}));
    assert!(conflicts.to_string().ends_with(r#"conflict with "before-first-apply" using v1: .width"#));
}

#[test]
fn managers_of_other_versions_conflict_and_give_up_there() {
    let mut live = Live::of(json!({}));
    live.try_apply("a", "v1beta1", &json!({"size": 1, "metadata": {"labels": {"x": "y"}}}), false).unwrap();
    assert_eq!(live.object["width"], 1);
    // The path is that of the other's version.
    let conflicts = live.conflicts("b", &json!({"width": 2}));
    assert_eq!(conflicts.to_string(), r#"Apply failed with 1 conflict: conflict with "a": .size"#);
    live.apply("b", &json!({"tags": ["t"]}));
    // What it has applied at the older version goes, and what that version does not have stays.
    live.apply("a", &json!({"metadata": {"labels": {"x": "y"}}}));
    assert_eq!(live.object, json!({"metadata": {"labels": {"x": "y"}}, "tags": ["t"]}));
    assert_eq!(live.owners().iter().filter(|(who, ..)| who == "a v1").count(), 1);
    // At the same time, a manager of a version that is gone is dropped.
    let mut managers = live.managers.clone().into_sorted();
    managers[0].api_version = "v0".into();
    managers[0].identity.manager = "gone".into();
    live.managers.add(managers.remove(0));
    live.apply("b", &json!({"tags": ["t", "u"]}));
    assert!(live.fields_of("gone").is_empty());
}

#[test]
fn what_conversions_stash_is_owned_by_nobody() {
    let stash = STASH;
    let mut live = Live::of(json!({"metadata": {"annotations": {stash: "{}", "mine": "1"}}}));
    live.apply("a", &json!({"metadata": {"annotations": {stash: "{}", "x": "y"}}}));
    let of = r#"{"f:metadata":{"f:annotations":{"f:x":{}}}}"#;
    assert_eq!(live.fields_of("a").to_string(), of);
    // Another stash is no conflict with anybody.
    live.apply("b", &json!({"metadata": {"annotations": {stash: "{\"other\":1}", "y": "z"}}}));
    assert_eq!(live.fields_of("a").to_string(), of);
}

#[test]
fn what_a_write_resets_is_not_owned() {
    let mut live = Live::of(json!({}));
    live.apply("a", &json!({"width": 1, "status": "x"}));
    assert_eq!(live.fields_of("a").to_string(), r#"{"f:width":{}}"#);
}

#[test]
fn kubectl_takes_what_it_has_applied_as_a_client() {
    let applied = json!({"apiVersion": "v1", "kind": "New", "width": 1, "metadata": {"labels": {"x": "y"}}});
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let mut object = applied.clone();
    object["metadata"]["annotations"] = json!({annotation: applied.to_string()});
    let configuration = json!({"apiVersion": "v1", "kind": "New", "width": 2});
    let live = Live::of(object);
    // Somebody else is refused.
    live.clone().conflicts("me", &configuration);
    let mut taken = live.clone();
    taken.apply("kubectl", &configuration);
    assert_eq!(taken.object["width"], 2);
    let text = taken.object["metadata"]["annotations"][annotation].as_str().unwrap();
    assert_eq!(text, "{\"apiVersion\":\"v1\",\"kind\":\"New\",\"width\":2}\n");
    // A field that has changed since is not that of the client any more.
    let mut changed = live;
    changed.object["width"] = 7.into();
    changed.conflicts("kubectl", &configuration);
}

#[test]
fn configurations_are_of_their_type() {
    let wrong = |configuration: Value| {
        let error = Live::of(json!({})).try_apply("a", "v1", &configuration, false).unwrap_err();
        assert!(matches!(error, ApplyError::Invalid(_)), "{error:?}");
        error.to_string()
    };
    assert_eq!(wrong(json!({"nothing": 1})), ".nothing: field not declared in schema");
    assert_eq!(
        wrong(json!({"status": 2})),
        ".status: expected string, got &value.valueUnstructured{Value:2}"
    );
    assert_eq!(wrong(json!({"width": "x"})), ".width: expected numeric (int or float), got string");
    assert_eq!(wrong(json!({"ports": {}})), ".ports: expected list, got &{map[]}");
    assert_eq!(wrong(json!({"metadata": "x"})), ".metadata: expected map, got &{x}");
    let two = wrong(json!({"width": "x", "status": true}));
    assert!(two.starts_with("errors:\n  .width: ") && two.contains("\n  .status: "), "{two}");
    let unknown = Live::of(json!({})).try_apply("a", "v2", &json!({}), false);
    assert_eq!(unknown, Err(ApplyError::NoVersion));
}

/// A configuration of some of these members.
fn configuration(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let labels = prop::collection::btree_map(prop::sample::select(names), "[ab]", 0..3);
    let tags = prop::collection::btree_set(prop::sample::select(names), 0..3);
    let ports = prop::collection::btree_map(prop::sample::select(names), prop::option::of(0..3), 0..3);
    (labels, tags, ports).prop_map(|(labels, tags, ports)| {
        let port = |(name, number): (&str, Option<i32>)| match number {
            Some(number) => json!({"name": name, "number": number}),
            None => json!({"name": name}),
        };
        let mut made = json!({});
        if !labels.is_empty() {
            made["metadata"]["labels"] = json!(labels);
        }
        if !tags.is_empty() {
            made["tags"] = json!(tags);
        }
        if !ports.is_empty() {
            made["ports"] = ports.into_iter().map(port).collect();
        }
        made
    })
}

/// The object with the items of its lists in order, and without what is empty.
fn unordered(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), unordered(value)));
            let is_empty = |value: &Value| {
                value.is_null()
                    || value.as_object().is_some_and(|members| members.is_empty())
                    || value.as_array().is_some_and(Vec::is_empty)
            };
            Value::Object(members.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(unordered).collect();
            items.sort_by_key(ToString::to_string);
            Value::Array(items)
        }
        scalar => scalar.clone(),
    }
}

const MINE: &[&str] = &["a", "b", "c"];
const YOURS: &[&str] = &["d", "e", "f"];

/// What conversions stash in an annotation is no part of what somebody applies.
#[test]
fn the_stash_stays_when_the_other_annotations_go() {
    let object = json!({"metadata": {"name": "n", "annotations": {STASH: "kept"}}});
    let configuration =
        |annotations: Value| json!({"metadata": {"name": "n", "annotations": annotations}, "width": 1});
    for last in [json!({}), Value::Null] {
        let mut live = Live::of(object.clone());
        live.apply("a", &configuration(json!({"one": "1"})));
        live.apply("a", &configuration(last));
        assert_eq!(live.object["metadata"]["annotations"], json!({STASH: "kept"}));
    }
    let mut live = Live::of(object);
    live.apply("a", &configuration(json!({"one": "1"})));
    live.apply("a", &json!({"metadata": {"name": "n"}}));
    assert_eq!(live.object, json!({"metadata": {"name": "n", "annotations": {STASH: "kept"}}}));
    live.apply("a", &configuration(json!({})));
    live.apply("a", &json!({"metadata": {"name": "n"}}));
    assert_eq!(live.object, json!({"metadata": {"name": "n", "annotations": {STASH: "kept"}}}));
}

proptest! {
    #[test]
    fn applying_twice_changes_nothing(
        first in configuration(MINE), second in configuration(MINE), third in configuration(MINE)
    ) {
        let mut live = Live::of(json!({}));
        live.apply("a", &first);
        live.try_apply("b", "v1", &second, true).unwrap();
        live.try_apply("a", "v1", &third, true).unwrap();
        let before = live.clone();
        prop_assert!(!live.apply("a", &third));
        prop_assert_eq!(&live.object, &before.object);
        prop_assert_eq!(live.owners(), before.owners());
    }

    #[test]
    fn managers_of_other_fields_commute(mine in configuration(MINE), yours in configuration(YOURS)) {
        let apply = |order: [(&str, &Value); 2]| {
            let mut live = Live::of(json!({}));
            for (who, configuration) in order {
                live.apply(who, configuration);
            }
            (unordered(&live.object), live.fields_of("a"), live.fields_of("b"))
        };
        prop_assert_eq!(apply([("a", &mine), ("b", &yours)]), apply([("b", &yours), ("a", &mine)]));
    }

    #[test]
    fn who_gives_everything_up_leaves_what_others_own(
        mine in configuration(MINE), other in configuration(&["b", "c", "d"])
    ) {
        let mut alone = Live::of(json!({}));
        alone.apply("b", &other);
        let mut live = Live::of(json!({}));
        live.apply("a", &mine);
        live.try_apply("b", "v1", &other, true).unwrap();
        live.apply("a", &json!({}));
        prop_assert_eq!(unordered(&live.object), unordered(&alone.object));
        prop_assert!(live.fields_of("a").is_empty());
    }

    #[test]
    fn who_forces_gets_what_it_applies(first in configuration(MINE), second in configuration(MINE)) {
        let mut live = Live::of(json!({}));
        live.apply("a", &first);
        live.try_apply("b", "v1", &second, true).unwrap();
        let mut again = live.clone();
        prop_assert!(!again.try_apply("b", "v1", &second, false).unwrap());
        for (name, value) in second["metadata"]["labels"].as_object().into_iter().flatten() {
            prop_assert_eq!(&live.object["metadata"]["labels"][name], value);
        }
    }

    #[test]
    fn any_json_is_refused_or_applied(configuration in any_json(3), object in any_json(3)) {
        let object = if object.is_object() { object } else { json!({}) };
        let mut live = Live::of(object);
        let _ = live.try_apply("a", "v1", &configuration, true);
    }
}

/// Names that the type has, and others.
const NAMES: &[&str] =
    &["width", "metadata", "labels", "ports", "tags", "path", "status", "name", "number", "other"];

/// Any JSON of the names that the type has, and others.
fn any_json(depth: u32) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3i64).prop_map(Value::from),
        "[ab]".prop_map(Value::from),
    ];
    leaf.prop_recursive(depth, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(prop::sample::select(NAMES).prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}
