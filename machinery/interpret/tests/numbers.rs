//! The operator `number`: the code that the generator prints, compiled from the generator's expected modules, the
//! interpreter, kinds that are made at run time, and JSON that is not decoded.

#![allow(missing_docs)]

use std::path::Path;
use std::sync::Arc;

use hubgen_codegen::{Target, kinds};
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::{Model, entries};
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{Convert, Functions, STASH};
use hubgen_machinery::scheme::Scheme;
use hubgen_model::TypeId;
use serde_json::json;

use self::api::jobs::{v1, v1alpha1};

#[path = "../../../codegen/codegen/tests/modules/numbers/expected/mod.rs"]
mod api;

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

fn model() -> hubgen_codegen::Kinds {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules/numbers");
    let project = Project::read(&root.join("hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap()
}

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Job::default()),
        "v1alpha1" => Box::new(v1alpha1::Job::default()),
        _ => panic!("unexpected type {id}"),
    }
}

/// The versions as the interpreter converts them, over compiled types.
fn interpreted() -> Vec<Version> {
    let plan = Arc::new(model().plan.conversions.remove(0));
    let new: Arc<NewObject> = Arc::new(empty);
    (0..2).map(|at| Version::new(&plan, at, &new, &Functions::none()).unwrap().unwrap()).collect()
}

fn compiled() -> [versions::Version; 2] {
    [versions::Version::of::<v1alpha1::Job>(), versions::Version::of::<v1::Job>()]
}

/// A Scheme with the kinds made at run time.
fn made() -> Scheme {
    let kinds = model();
    let model = Model {
        api: &kinds.api,
        plan: &kinds.plan,
        defaults: &kinds.defaults,
        canonical: &kinds.canonical,
        behaviours: &kinds.behaviours,
        functions: &Functions::none(),
        over_json: false,
    };
    let mut scheme = Scheme::new();
    let family = kinds.plan.families.iter().find(|family| family.kind == "Job").unwrap();
    for entry in entries(model, family).unwrap() {
        scheme.add(entry).unwrap();
    }
    scheme
}

#[test]
fn all_laws_hold() {
    let [old, hub] = compiled();
    assert_eq!(versions::check_all(&[&old, &hub], WORDS, 500), Ok(true));
    let versions = interpreted();
    versions::check(&[&versions[0], &versions[1]], WORDS, 500).unwrap();
}

#[test]
fn all_ways_convert_alike() {
    let (interpreted, made, compiled_scheme) = (interpreted(), made(), api::scheme());
    for bytes in (0..300).map(objects::bytes) {
        for (at, version) in compiled().iter().enumerate() {
            let object = version.generate(&mut Source::new(&bytes, WORDS));
            let hub = version.try_to_hub(&*object).unwrap();
            versions::same(&*interpreted[at].try_to_hub(&*object).unwrap(), &*hub).unwrap();
            let shown = compiled()[0].try_from_hub(&*hub).unwrap();
            versions::same(&*interpreted[0].try_from_hub(&*hub).unwrap(), &*shown).unwrap();
            // The same object, of a type that is made at run time.
            let json = hubgen_machinery::json::encode(&*object).unwrap();
            let to = |scheme: &Scheme| {
                let to = Arc::clone(scheme.named("jobs.example.com/v1alpha1", "Job").unwrap());
                let (object, _) = scheme.decode(&json).unwrap();
                scheme.convert(object, &to).unwrap().encode().unwrap()
            };
            assert_eq!(to(&made), to(&compiled_scheme));
        }
    }
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
