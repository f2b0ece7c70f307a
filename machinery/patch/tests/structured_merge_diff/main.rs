//! The cases of structured-merge-diff, with which upstream keeps the owners of fields.
//!
//! `cases.jsonl` and `schemas.jsonl` were recorded from release 6.4.2: its own tests ran with every public operation
//! wrapped in one that notes what goes in and what comes out. A line of the cases is one operation, with the types that a
//! line of the schemas contains.

mod convert;
mod owned;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use hubgen_machinery::scalar::Time;
use hubgen_patch::fields::Set;
use hubgen_patch::owners::{Application, ApplyError, Changes, Write};
use hubgen_patch::typed;
use serde_json::{Value, json};

use self::owned::{Case, shown};
use self::types::Root;

/// The cases, by the name of the operation.
fn cases() -> Vec<Value> {
    let lines = include_str!("cases.jsonl").lines().map(|line| serde_json::from_str(line).unwrap());
    // Any JSON whose lists are sets, and a schema that is none: no schema of Kubernetes is like that.
    let is_known =
        |case: &Value| case["of"][1] != "__untyped_separable_" && case["test"] != "TestInvalidOverride";
    lines.filter(is_known).collect()
}

pub(crate) struct Schemas(Vec<Value>);

impl Schemas {
    fn new() -> Self {
        let lines = include_str!("schemas.jsonl").lines();
        Self(lines.map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// The type of a case.
    fn root(&self, of: &Value) -> Root {
        let index = usize::try_from(of[0].as_u64().unwrap()).unwrap();
        Root::new(&self.0[index], of[1].as_str().unwrap())
    }
}

fn set(json: &Value) -> Set {
    json.to_string().parse().unwrap()
}

fn text(set: &Set) -> Value {
    serde_json::from_str(&set.to_string()).unwrap()
}

/// Runs all cases of some operations, each with what upstream answered. Returns how many there are of each.
fn run(mut answer: impl FnMut(&Value) -> Option<(Value, Value)>) -> BTreeMap<String, usize> {
    let (mut found, mut wrong) = (BTreeMap::new(), Vec::new());
    for case in cases() {
        let Some((ours, theirs)) = answer(&case) else { continue };
        *found.entry(case["do"].as_str().unwrap().to_owned()).or_default() += 1;
        if ours != theirs {
            wrong.push(format!("{case}\n  ours   {ours}\n  theirs {theirs}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {found:?} differ:\n{}", wrong.len(), wrong.join("\n"));
    found
}

#[test]
fn sets_are_combined() {
    let found = run(|case| {
        let one = || set(&case["one"]);
        let other = || set(&case["other"]);
        let result = match case["do"].as_str()? {
            "union" => one().union(&other()),
            "intersection" => one().intersection(&other()),
            "difference" => one().difference(&other()),
            "recursive_difference" => one().recursive_difference(&other()),
            "leaves" => one().leaves(),
            _ => return None,
        };
        Some((text(&result), case["result"].clone()))
    });
    let expected = [
        ("difference", 26),
        ("intersection", 5),
        ("leaves", 69),
        ("recursive_difference", 16),
        ("union", 34),
    ];
    assert_eq!(found, expected.map(|(what, count)| (what.to_owned(), count)).into());
}

#[test]
fn objects_are_compared() {
    let schemas = Schemas::new();
    let found = run(|case| {
        if case["do"] != "compare" {
            return None;
        }
        let root = schemas.root(&case["of"]);
        let found = typed::compare(&root.of, &root.object(&case["object"]), &root.object(&case["with"]));
        let ours = match found {
            Ok(found) => {
                json!({"added": text(&found.added), "modified": text(&found.modified), "removed": text(&found.removed)})
            }
            Err(error) => json!(error.to_string()),
        };
        let theirs = &case["comparison"];
        let theirs = ["added", "modified", "removed"].map(|part| (part.to_owned(), root.set(&theirs[part])));
        Some((ours, Value::Object(theirs.into_iter().collect())))
    });
    assert_eq!(found, BTreeMap::from([("compare".to_owned(), 150)]));
}

#[test]
fn objects_have_fields() {
    let schemas = Schemas::new();
    let found = run(|case| {
        if case["do"] != "fields" {
            return None;
        }
        let root = schemas.root(&case["of"]);
        let ours = match typed::fields(&root.of, &root.object(&case["object"])) {
            Ok(found) => text(&found),
            Err(error) => json!(error.to_string()),
        };
        Some((ours, root.set(&case["result"])))
    });
    assert_eq!(found, BTreeMap::from([("fields".to_owned(), 73)]));
}

#[test]
fn sets_follow_a_type_that_has_changed() {
    let schemas = Schemas::new();
    let found = run(|case| {
        if case["do"] != "reconcile" {
            return None;
        }
        let root = schemas.root(&case["of"]);
        let ours = typed::reconcile(&root.of, &set(&root.set(&case["set"])));
        Some((ours.as_ref().map(text).unwrap_or_default(), case.get("result").cloned().unwrap_or_default()))
    });
    assert_eq!(found, BTreeMap::from([("reconcile".to_owned(), 7)]));
}

/// Whether the manager of a request owns fields already because of a request of the other sort. Upstream's server keeps
/// these apart, as two managers, and so do we; its library does not.
fn is_of_another_sort(case: &Value) -> bool {
    let before = &case["managers"][case["manager"].as_str().unwrap()];
    before["applied"].as_bool().is_some_and(|applied| applied != (case["do"] == "apply"))
}

#[test]
fn updates_change_owners() {
    let schemas = Schemas::new();
    let now: Time = "2026-01-02T03:04:05Z".parse().unwrap();
    let found = run(|case| {
        if case["do"] != "update" || is_of_another_sort(case) {
            return None;
        }
        let case = Case { schemas: &schemas, case };
        let mut managers = case.managers();
        let manager = case.case["manager"].as_str().unwrap();
        let write = Write { manager, api_version: case.version(), subresource: "", now };
        let updated = managers.update(&mut Changes::of(write, &case));
        let ours = match updated {
            Ok(()) => shown(managers),
            Err(error) => json!(error.to_string()),
        };
        Some((ours, case.after()))
    });
    assert_eq!(found, BTreeMap::from([("update".to_owned(), 61)]));
}

#[test]
fn configurations_are_merged() {
    let schemas = Schemas::new();
    let found = run(|case| {
        if case["do"] != "merge" {
            return None;
        }
        let root = schemas.root(&case["of"]);
        let ours = match typed::merge(&root.of, &root.object(&case["object"]), &root.object(&case["with"])) {
            Ok(merged) => root.unwrapped(&merged),
            Err(error) => json!(error.to_string()),
        };
        Some((ours, case["result"].clone()))
    });
    assert_eq!(found, BTreeMap::from([("merge".to_owned(), 109)]));
}

#[test]
fn fields_are_removed_and_extracted() {
    let schemas = Schemas::new();
    let found = run(|case| {
        let act = match case["do"].as_str()? {
            "remove" => typed::remove,
            // No server does that: it is for programs that apply.
            "extract" if case["with_keys"] == true => return None,
            "extract" => typed::extract,
            _ => return None,
        };
        let root = schemas.root(&case["of"]);
        let ours = act(&root.of, &root.object(&case["object"]), &set(&root.set(&case["set"])));
        Some((root.unwrapped(&ours), case["result"].clone()))
    });
    assert_eq!(found, BTreeMap::from([("extract".to_owned(), 67), ("remove".to_owned(), 47)]));
}

#[test]
fn objects_are_checked() {
    let schemas = Schemas::new();
    let found = run(|case| {
        // A key that is an object is none, and upstream tells it as nothing.
        let has_no_key = case["object"]["list"][0]["key"].is_object();
        if case["do"] != "check" || case["duplicates"] == true || has_no_key {
            return None;
        }
        let root = schemas.root(&case["of"]);
        let ours = match typed::validate(&root.of, &root.object(&case["object"])) {
            Ok(()) => Value::Null,
            Err(errors) => {
                let errors = errors.iter().map(|error| root.path(&error.to_string()).to_owned());
                errors.collect::<BTreeSet<_>>().into_iter().collect()
            }
        };
        let theirs = match case["error"].as_str() {
            None => Value::Null,
            // Its objects are YAML, and ours and those of its server are JSON.
            Some(error) => {
                let error = error.replace("map[interface {}]interface {}", "map[string]interface {}");
                let several = error.strip_prefix("errors:\n  ").unwrap_or(&error);
                several.split("\n  ").map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
            }
        };
        Some((ours, theirs))
    });
    assert_eq!(found, BTreeMap::from([("check".to_owned(), 342)]));
}

#[test]
fn configurations_are_applied() {
    let schemas = Schemas::new();
    let now: Time = "2026-01-02T03:04:05Z".parse().unwrap();
    let found = run(|case| {
        if case["do"] != "apply" || is_of_another_sort(case) {
            return None;
        }
        let at = Case { schemas: &schemas, case };
        let mut managers = at.managers();
        let root = schemas.root(&case["of"]);
        let manager = case["manager"].as_str().unwrap();
        let write = Write { manager, api_version: at.version(), subresource: "", now };
        let [object, configuration] = ["object", "with"].map(|object| root.object(&case[object]));
        let application = Application { write, configuration: &configuration, force: case["force"] == true };
        let applied = managers.apply(&application, &mut &at, &object);
        let ours = match applied {
            Ok(new) => {
                let object = root.unwrapped(&new.unwrap_or(object));
                json!({"object": object, "managers": shown(managers)})
            }
            Err(ApplyError::Conflicts(conflicts)) => {
                let told = conflicts.0.iter().map(|conflict| {
                    let path = conflict.field();
                    json!({"manager": conflict.manager.manager.as_str(), "path": root.path(&path)})
                });
                json!({"conflicts": told.collect::<Vec<_>>()})
            }
            Err(error) => json!(error.to_string()),
        };
        let theirs = match &case["error"] {
            Value::Null => json!({"object": case["result"], "managers": at.after()}),
            error => error.clone(),
        };
        Some((ours, theirs))
    });
    assert_eq!(found, BTreeMap::from([("apply".to_owned(), 314)]));
}
