//! Tests what becomes of the managers of an object that is written.

use std::rc::Rc;

use hubgen_machinery::reflect::{Described, Reflect};
use hubgen_machinery::scalar::Time;
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_patch::fields::Set;
use hubgen_patch::owners::{Changes, EntryError, Manager, Managers, Versioned, Versions, Write};
use hubgen_patch::typed::TypedError;
use serde_json::{Value, json};

#[derive(ApiType)]
struct Old {
    size: i32,
    labels: StrMap<Str>,
    #[field(list = set)]
    tags: Vec<String>,
}

#[derive(ApiType)]
struct New {
    width: i32,
    labels: StrMap<Str>,
    #[field(list = set)]
    tags: Vec<String>,
}

/// An object of two versions, of which the older one has another name for a field.
struct Object {
    old: Value,
    new: Value,
    reset: Set,
}

impl Versions for &Object {
    type Error = TypedError;

    fn at(&mut self, api_version: &str) -> Result<Option<Rc<Versioned>>, TypedError> {
        let of: Described = match api_version {
            "v1" => New::default().descriptor().share(),
            "v1beta1" => Old::default().descriptor().share(),
            _ => return Ok(None),
        };
        let shown = |object: &Value| {
            let mut object = object.clone();
            if let Some(members) = object.as_object_mut().filter(|_| api_version == "v1beta1")
                && let Some(width) = members.shift_remove("width")
            {
                members.insert("size".to_owned(), width);
            }
            object
        };
        let (old, new, reset) = (shown(&self.old), shown(&self.new), self.reset.clone());
        Ok(Some(Rc::new(Versioned { of, old, new, reset })))
    }
}

fn time(second: u8) -> Time {
    format!("2026-01-02T03:04:{second:02}Z").parse().unwrap()
}

fn manager(name: &str, operation: &str, version: &str, second: u8, fields: &str) -> Manager {
    let mut manager = Manager::of_entry(name, operation, version, "", "FieldsV1", Some(fields)).unwrap();
    manager.time = Some(time(second));
    manager
}

fn managers(all: impl IntoIterator<Item = Manager>) -> Managers {
    let mut managers = Managers::default();
    all.into_iter().for_each(|manager| managers.add(manager));
    managers
}

/// Name, version, second and fields of each manager.
fn shown(managers: Managers) -> Vec<(String, String, i8, String)> {
    let shown = |manager: Manager| {
        let second = manager.time.map_or(0, |time| i8::try_from(time.0.as_second() % 60).unwrap());
        let identity = manager.identity;
        (identity.manager.to_string(), manager.api_version.to_string(), second, manager.fields.to_string())
    };
    managers.into_sorted().into_iter().map(shown).collect()
}

/// What becomes of managers if one at a version replaces the object.
fn written(
    mut managers: Managers,
    by: (&str, &str),
    old: Value,
    new: Value,
) -> Vec<(String, String, i8, String)> {
    let object = Object { old, new, reset: Set::default() };
    let write = Write { manager: by.0, api_version: by.1, subresource: "", now: time(30) };
    managers.update(&mut Changes::of(write, &object)).unwrap();
    shown(managers)
}

fn entry(name: &str, version: &str, second: i8, fields: &str) -> (String, String, i8, String) {
    (name.to_owned(), version.to_owned(), second, fields.to_owned())
}

#[test]
fn who_adds_or_changes_a_field_owns_it() {
    let labels = r#"{"f:labels":{".":{},"f:a":{}}}"#;
    let created = written(Managers::default(), ("one", "v1"), json!({}), json!({"labels": {"a": "b"}}));
    assert_eq!(created, [entry("one", "v1", 30, labels)]);
    assert_eq!(
        written(Managers::default(), ("", "v1"), json!({}), json!({"width": 1})),
        [entry("unknown", "v1", 30, r#"{"f:width":{}}"#)]
    );
    let one =
        || managers([manager("one", "Update", "v1beta1", 10, r#"{"f:labels":{"f:a":{}},"f:size":{}}"#)]);
    let object = |width: i32, labels: Value| json!({"width": width, "labels": labels});
    // Nothing changes.
    assert_eq!(
        written(one(), ("two", "v1"), object(1, json!({})), object(1, json!({}))),
        [entry("one", "v1beta1", 10, r#"{"f:labels":{"f:a":{}},"f:size":{}}"#)]
    );
    // A change is one at all versions.
    assert_eq!(
        written(one(), ("two", "v1"), object(1, json!({"a": "b"})), object(2, json!({"a": "b"}))),
        [
            entry("one", "v1beta1", 10, r#"{"f:labels":{"f:a":{}}}"#),
            entry("two", "v1", 30, r#"{"f:width":{}}"#)
        ]
    );
    // What is removed has no owner, and who owns nothing is none.
    assert_eq!(
        written(one(), ("two", "v1"), object(1, json!({"a": "b"})), object(2, json!({"c": "d"}))),
        [entry("two", "v1", 30, r#"{"f:labels":{"f:c":{}},"f:width":{}}"#)]
    );
    // The same manager at the same version keeps what it had.
    assert_eq!(
        written(one(), ("one", "v1beta1"), object(1, json!({"a": "b"})), object(2, json!({"a": "b"}))),
        [entry("one", "v1beta1", 30, r#"{"f:labels":{"f:a":{}},"f:size":{}}"#)]
    );
    let unknown = managers([manager("one", "Update", "v7", 10, r#"{"f:width":{}}"#)]);
    assert_eq!(written(unknown, ("two", "v1"), object(1, json!({})), object(1, json!({}))), []);
}

#[test]
fn what_a_write_leaves_has_no_new_owner() {
    let labels: Set = r#"{"f:labels":{}}"#.parse().unwrap();
    let object = Object { old: json!({}), new: json!({"labels": {"a": "b"}, "width": 1}), reset: labels };
    let write = Write { manager: "one", api_version: "v1", subresource: "status", now: time(30) };
    let mut changes = Changes::of(write, &object);
    assert!(!changes.are_none().unwrap());
    let mut managers = Managers::default();
    managers.update(&mut changes).unwrap();
    let [one] = &managers.clone().into_sorted()[..] else { panic!("one manager") };
    assert_eq!(
        (&*one.identity.subresource, one.fields.to_string()),
        ("status", r#"{"f:width":{}}"#.to_owned())
    );
    let same = Object { new: json!({"labels": {"a": "b"}, "metadata": {"name": "x"}}), ..object };
    assert!(Changes::of(write, &same).are_none().unwrap());
}

/// Like upstream, items that are there twice are an error at other versions than that of the request.
#[test]
fn duplicates_are_for_the_version_of_the_request() {
    let object = Object { old: json!({}), new: json!({"tags": ["a", "a"]}), reset: Set::default() };
    let write = Write { manager: "one", api_version: "v1", subresource: "", now: time(30) };
    let mut of_other = managers([manager("two", "Update", "v1beta1", 10, r#"{"f:size":{}}"#)]);
    assert!(of_other.update(&mut Changes::of(write, &object)).is_err());
    let mut none = Managers::default();
    none.update(&mut Changes::of(write, &object)).unwrap();
    assert_eq!(shown(none), [entry("one", "v1", 30, r#"{"f:tags":{".":{},"v:\"a\"":{}}}"#)]);
}

/// The oldest are put together for each version, those that apply apart.
#[test]
fn there_are_at_most_ten_that_update() {
    let label = |at: usize| format!(r#"{{"f:labels":{{"f:l{at}":{{}}}}}}"#);
    let labels: Value =
        (0..12).map(|at| (format!("l{at}"), json!("x"))).collect::<serde_json::Map<_, _>>().into();
    let all = (0..10).map(|at| {
        let version = if at == 1 { "v1beta1" } else { "v1" };
        manager(&format!("m{at}"), "Update", version, u8::try_from(at).unwrap(), &label(at))
    });
    let applied = manager("applies", "Apply", "v1", 1, &label(11));
    let object = |width: i32| json!({"labels": labels, "width": width});
    let found = written(managers(all.chain([applied])), ("new", "v1"), object(1), object(2));
    assert_eq!(found.len(), 11);
    assert_eq!(
        found[..4],
        [
            entry("applies", "v1", 1, &label(11)),
            entry("m1", "v1beta1", 1, &label(1)),
            entry("ancient-changes", "v1", 2, r#"{"f:labels":{"f:l0":{},"f:l2":{}}}"#),
            entry("m3", "v1", 3, &label(3)),
        ]
    );
    assert_eq!(found[10], entry("new", "v1", 30, r#"{"f:width":{}}"#));
}

#[test]
fn entries_that_are_none_are_refused() {
    let of = |operation: &str, version: &str, ty: &str, fields: &str| {
        Manager::of_entry("m", operation, version, "", ty, Some(fields)).unwrap_err()
    };
    assert_eq!(of("Change", "v1", "FieldsV1", "{}"), EntryError::Operation);
    assert_eq!(of("Update", "", "FieldsV1", "{}"), EntryError::NoVersion);
    assert_eq!(of("Update", "v1", "", "{}"), EntryError::FieldsType(String::new()));
    assert!(matches!(of("Update", "v1", "FieldsV1", "[]"), EntryError::Fields(_)));
    let none = Manager::of_entry("m", "Update", "v1", "", "FieldsV1", None).unwrap();
    assert!(none.fields.is_empty());
}

/// Two entries of one who applies are one, whatever their versions are.
#[test]
fn an_identity_is_there_once() {
    let twice = managers([
        manager("m", "Apply", "v1", 1, r#"{"f:width":{}}"#),
        manager("m", "Apply", "v1beta1", 2, r#"{"f:size":{}}"#),
        manager("m", "Update", "v1", 3, "{}"),
        manager("m", "Update", "v1beta1", 3, "{}"),
    ]);
    assert_eq!(
        shown(twice),
        [
            entry("m", "v1beta1", 2, r#"{"f:size":{}}"#),
            entry("m", "v1", 3, "{}"),
            entry("m", "v1beta1", 3, "{}"),
        ]
    );
}

/// The order counts: who only turns times back changes it, or nothing.
#[test]
fn managers_are_the_same_in_the_same_order() {
    let of = |seconds: [u8; 2]| {
        managers([
            manager("b", "Update", "v1", seconds[0], r#"{"f:width":{}}"#),
            manager("a", "Update", "v1", seconds[1], r#"{"f:labels":{}}"#),
        ])
    };
    let current = of([1, 2]);
    assert!(of([3, 4]).are_those_of(&current));
    assert!(!of([4, 3]).are_those_of(&current));
    assert!(!of([1, 1]).are_those_of(&current));
    assert!(!Managers::default().are_those_of(&current));
}
