//! Tests the defaults of every kind with cases in `tests/whole/defaults/`, and laws on objects generated from the types.
//!
//! A case contains an object (`object`) and every leaf that its defaults set or change, by path (`sets`); `gone` marks
//! a removed leaf. Paths that start with one of `ignored` are not compared.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::Descriptor;
use hubgen_kubernetes::machinery::scalar::Quantity;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_kubernetes::machinery::yaml;
use hubgen_kubernetes::scheme;
use hubgen_laws::objects::{Source, fill};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

fn context() -> Context {
    Context { now: "2006-01-02T15:04:05Z".parse().unwrap() }
}

/// All leaves of a value by path; empty objects and lists are leaves too.
fn leaves(value: &Value) -> BTreeMap<String, Value> {
    fn walk(value: &Value, path: String, out: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(value, format!("{path}{dot}{name}"), out);
                }
            }
            Value::Array(elements) if !elements.is_empty() => {
                for (index, value) in elements.iter().enumerate() {
                    walk(value, format!("{path}[{index}]"), out);
                }
            }
            leaf => {
                out.insert(path, leaf.clone());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(value, String::new(), &mut out);
    out
}

/// Whether a value in a non-pointer field is equal to an absent one.
fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Null) || value == &json!({}) || value == &json!([])
}

/// The new and changed leaves, and the removed ones.
fn changes(before: &Value, after: &Value) -> BTreeMap<String, Value> {
    let (before, after) = (leaves(before), leaves(after));
    let mut out: BTreeMap<String, Value> =
        after.iter().filter(|(path, value)| before.get(*path) != Some(value)).map(owned).collect();
    let gone = before.iter().filter(|(path, value)| !after.contains_key(*path) && !is_empty(value));
    out.extend(gone.map(|(path, _)| (path.clone(), json!("gone"))));
    out
}

fn owned((path, value): (&String, &Value)) -> (String, Value) {
    (path.clone(), value.clone())
}

fn shown(object: &Object) -> Value {
    serde_json::from_slice(&object.encode().unwrap()).unwrap()
}

/// The cases with their files.
fn cases() -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for (file, text) in files("tests/whole/defaults") {
        for document in yaml::documents(&text) {
            let document = document.unwrap_or_else(|error| panic!("{file}: {error}"));
            out.push((file.clone(), serde_json::from_slice(&document.json).unwrap()));
        }
    }
    out
}

/// The files of a folder of this repository, by name.
fn files(folder: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn every_default_is_set() {
    let scheme = scheme();
    let cases = cases();
    let wrong = cases.iter().filter_map(|(file, case)| {
        let message = check(&scheme, case).err()?;
        Some(format!("{file}: {}: {message}", case["fact"]))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {} cases fail\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// A default without a case would not be checked.
#[test]
fn every_default_has_a_case() {
    let strip = |path: &str| {
        let pieces = path.split('[').map(|piece| piece.split_once(']').map_or(piece, |(_, rest)| rest));
        format!(".{}", pieces.collect::<String>())
    };
    let cases = cases();
    let sets = cases.iter().flat_map(|(_, case)| case["sets"].as_object().into_iter().flatten());
    let sets: Vec<String> = sets.map(|(path, _)| strip(path)).collect();
    let (mut defaults, mut missing) = (0, Vec::new());
    for (file, text) in files("schemas/kubernetes/defaults") {
        if !file.ends_with(".toml") {
            continue;
        }
        let document: toml::Table = text.parse().unwrap();
        for (version, types) in &document {
            for (ty, lines) in types.as_table().unwrap().iter().filter(|(name, _)| *name != "like") {
                for key in lines.as_table().unwrap().keys().filter(|key| *key != "call") {
                    let field = format!(".{}", key.split(" when ").next().unwrap());
                    let is_it = |path: &String| path.ends_with(&field) || path.contains(&format!("{field}."));
                    defaults += 1;
                    if !sets.iter().any(is_it) {
                        missing.push(format!("{version} {ty}: {key}"));
                    }
                }
            }
        }
    }
    assert!(defaults > 150, "found only {defaults} defaults");
    assert!(missing.is_empty(), "no case for\n{}", missing.join("\n"));
}

fn check(scheme: &Scheme, case: &Value) -> Result<(), String> {
    let text = case["object"].to_string();
    let (mut object, notes) = scheme.decode(text.as_bytes()).map_err(|error| error.to_string())?;
    if let Some(unknown) = notes.unknown.first() {
        return Err(format!("the case has an unknown field: {unknown:?}"));
    }
    let before = shown(&object);
    object.set_defaults(&context());
    let mut found = changes(&before, &shown(&object));
    for prefix in case["ignored"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        found.retain(|path, _| !path.starts_with(prefix));
    }
    let sets = case["sets"].as_object().ok_or("the case has no `sets`")?;
    let wanted: BTreeMap<String, Value> = sets.iter().map(owned).collect();
    if found != wanted {
        let missing = wanted.iter().filter(|(path, value)| found.get(*path) != Some(value));
        let extra = found.iter().filter(|(path, value)| wanted.get(*path) != Some(value));
        let list = |sign: &str, all: Vec<(&String, &Value)>| {
            all.into_iter().map(|(path, value)| format!("\n  {sign} {path}: {value}")).collect::<String>()
        };
        return Err(list("-", missing.collect()) + &list("+", extra.collect()));
    }
    let once = object.clone();
    object.set_defaults(&Context { now: "2038-01-19T03:14:08Z".parse().unwrap() });
    if object == once { Ok(()) } else { Err("a second defaulting changes the object".to_owned()) }
}

/// Values that conditions check, by their field.
const WORDS: &[(&str, &str)] = &[
    ("type", "RollingUpdate"),
    ("type", "LoadBalancer"),
    ("type", "Container"),
    ("type", "ClusterIP"),
    ("sessionAffinity", "ClientIP"),
    ("kind", "User"),
    ("kind", "ServiceAccount"),
    ("strategy", "Webhook"),
    ("allocationMode", "ExactCount"),
    ("image", "nginx"),
    ("reference", "nginx:1"),
    ("deviceClassName", "x"),
];

fn generated(entry: &Arc<KindEntry>, bytes: &[u8]) -> Object {
    let mut object = Object::new(entry);
    fill(&mut *object.value, &mut Source::new(bytes, WORDS));
    object
}

/// Checks a law on objects of every kind.
fn each(law: impl Fn(&Object) -> Result<(), String>) {
    let scheme = scheme();
    let mut kinds = 0;
    for entry in scheme.kinds().filter(|entry| entry.defaults.is_some()) {
        kinds += 1;
        let config = ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&prop::collection::vec(any::<u8>(), 0..600), |bytes| {
                law(&generated(entry, &bytes)).map_err(TestCaseError::fail)
            })
            .unwrap_or_else(|error| panic!("{entry}: {error}"));
    }
    assert!(kinds > 100, "{kinds} kinds have defaults");
}

#[test]
fn defaulting_twice_changes_nothing() {
    each(|object| {
        let mut object = object.clone();
        object.set_defaults(&context());
        let once = object.clone();
        object.set_defaults(&Context { now: "2038-01-19T03:14:08Z".parse().unwrap() });
        if object == once { Ok(()) } else { Err(format!("{:#?}", changes(&shown(&once), &shown(&object)))) }
    });
}

/// The set values that upstream's defaulting changes.
fn is_overruled(path: &str, before: &Value, after: Option<&Value>) -> bool {
    let is_amount = |value: &Value| value.as_str().is_some_and(|text| text.parse::<Quantity>().is_ok());
    is_amount(before) && after.is_some_and(is_amount)
        || path.contains("sessionAffinityConfig")
        // The address of a pod wins over the list of its addresses, and the newer name of its service account over the
        // older one. It ends after a second if its time to end is negative.
        || path.contains("podIPs")
        || path.ends_with("serviceAccount")
        || path.ends_with("spec.terminationGracePeriodSeconds")
        || path.ends_with("labels.kubernetes.io/metadata.name")
        // The zeros of non-pointer fields.
        || [json!(0), json!(""), json!(false)].contains(before)
}

#[test]
fn set_values_are_not_changed() {
    each(|object| {
        let before = shown(object);
        let mut object = object.clone();
        object.set_defaults(&context());
        let after = leaves(&shown(&object));
        for (path, value) in leaves(&before) {
            let kept = after.get(&path);
            if kept != Some(&value) && !is_empty(&value) && !is_overruled(&path, &value, kept) {
                return Err(format!("{path} was {value} and is {kept:?}"));
            }
        }
        Ok(())
    });
}

/// The paths of the pod specs in objects of a type, outside of lists.
fn pod_specs(at: &Descriptor, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    // Some types are recursive.
    if path.len() > 8 {
        return;
    }
    if at.name == "PodSpec" {
        found.push(path.clone());
    }
    for field in &*at.fields {
        if let Some(below) = field.ty.descriptor() {
            path.push(field.name.to_string());
            pod_specs(&below, path, found);
            path.pop();
        }
    }
}

#[test]
fn both_names_of_a_service_account_are_set_in_the_pod_specs_of_all_kinds() {
    let scheme = scheme();
    let mut kinds = Vec::new();
    for entry in scheme.kinds().filter(|entry| !entry.kind.ends_with("List")) {
        let mut paths = Vec::new();
        pod_specs(&entry.descriptor(), &mut Vec::new(), &mut paths);
        for path in paths {
            for (input, expected) in [
                (json!({"serviceAccount": "old"}), "old"),
                (json!({"serviceAccountName": "new"}), "new"),
                (json!({"serviceAccount": "old", "serviceAccountName": "new"}), "new"),
            ] {
                let below = path.iter().rev().fold(input, |value, name| json!({name: value}));
                let (mut object, _) = scheme.decode(with_kind(below, entry).to_string().as_bytes()).unwrap();
                object.set_defaults(&context());
                let shown = shown(&object);
                let spec = path.iter().fold(&shown, |value, name| &value[name]);
                let names = (&spec["serviceAccount"], &spec["serviceAccountName"]);
                assert_eq!(names, (&json!(expected), &json!(expected)), "{entry}");
            }
            kinds.push(entry.to_string());
        }
    }
    assert!(kinds.len() >= 18, "{kinds:?}");
}

fn with_kind(mut object: Value, entry: &KindEntry) -> Value {
    object["apiVersion"] = entry.api_version().into();
    object["kind"] = (&*entry.kind).into();
    object
}

#[test]
fn the_address_of_a_pod_agrees_with_the_list_of_its_addresses() {
    let status = |status: Value| {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "status": status}).to_string();
        let (mut pod, _) = scheme().decode(pod.as_bytes()).unwrap();
        pod.set_defaults(&context());
        shown(&pod)["status"].clone()
    };
    let first = status(json!({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd::1"}]}));
    assert_eq!(
        (&first["podIP"], &first["podIPs"]),
        (&json!("10.0.0.1"), &json!([{"ip": "10.0.0.1"}, {"ip": "fd::1"}]))
    );
    assert_eq!(status(json!({"podIP": "10.0.0.1"}))["podIPs"], json!([{"ip": "10.0.0.1"}]));
    let differ = status(json!({"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]}));
    assert_eq!((&differ["podIP"], &differ["podIPs"]), (&json!("10.0.0.1"), &json!([{"ip": "10.0.0.1"}])));
    // Nodes report both addresses of a host themselves; upstream does not copy one to the list.
    assert_eq!(status(json!({"hostIP": "10.0.0.1"}))["hostIPs"], Value::Null);
}

#[test]
fn a_negative_time_to_end_of_a_pod_becomes_one_second() {
    let seconds = |kind: &str, spec: Value, at: &str| {
        let object = json!({"apiVersion": "v1", "kind": kind, "spec": spec}).to_string();
        let (mut object, _) = scheme().decode(object.as_bytes()).unwrap();
        object.set_defaults(&context());
        shown(&object).pointer(at).cloned()
    };
    let negative = json!({"terminationGracePeriodSeconds": -3});
    assert_eq!(seconds("Pod", negative.clone(), "/spec/terminationGracePeriodSeconds"), Some(json!(1)));
    let template = json!({"template": {"spec": negative}});
    let at = "/spec/template/spec/terminationGracePeriodSeconds";
    assert_eq!(seconds("ReplicationController", template, at), Some(json!(-3)));
}
