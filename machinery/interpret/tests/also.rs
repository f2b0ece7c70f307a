//! The operator `words` with words that only the version has: the code that the generator prints, compiled from the generator's expected modules, the
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
use hubgen_machinery::convert::{Convert, ConvertError, Functions};
use hubgen_machinery::scheme::Scheme;
use hubgen_model::TypeId;
use serde_json::json;

use self::api::queues::{v1, v1beta1};

#[path = "../../../codegen/codegen/tests/modules/also/expected/mod.rs"]
mod api;

const WORDS: &[(&str, &str)] = &[
    ("level", "low"),
    ("level", "high"),
    ("level", "Low"),
    ("level", "High"),
    ("action", "drop"),
    ("action", "evict"),
    ("action", "Evict"),
];

fn model() -> hubgen_codegen::Kinds {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules/also");
    let project = Project::read(&root.join("hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap()
}

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Queue::default()),
        "v1beta1" => Box::new(v1beta1::Queue::default()),
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
    [versions::Version::of::<v1beta1::Queue>(), versions::Version::of::<v1::Queue>()]
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
    let family = kinds.plan.families.iter().find(|family| family.kind == "Queue").unwrap();
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
    let mut accepted = 0;
    for bytes in (0..300).map(objects::bytes) {
        for (at, version) in compiled().iter().enumerate() {
            let object = version.generate(&mut Source::new(&bytes, WORDS));
            let hub = match (version.try_to_hub(&*object), interpreted[at].try_to_hub(&*object)) {
                (Ok(hub), Ok(other)) => {
                    versions::same(&*other, &*hub).unwrap();
                    hub
                }
                (Err(one), Err(other)) => {
                    assert_eq!(one, other);
                    continue;
                }
                (one, other) => panic!("{:?}, but {:?}", one.err(), other.err()),
            };
            let shown = compiled()[0].try_from_hub(&*hub).map_err(|error| error.to_string());
            let other = interpreted[0].try_from_hub(&*hub).map_err(|error| error.to_string());
            assert_eq!(shown.as_ref().err(), other.as_ref().err());
            let (Ok(shown), Ok(other)) = (shown, other) else { continue };
            accepted += 1;
            versions::same(&*other, &*shown).unwrap();
            // The same object, of a type that is made at run time.
            let json = hubgen_machinery::json::encode(&*object).unwrap();
            let to = |scheme: &Scheme| {
                let to = Arc::clone(scheme.named("queues.example.com/v1beta1", "Queue").unwrap());
                let (object, _) = scheme.decode(&json).unwrap();
                scheme.convert(object, &to).unwrap().encode().unwrap()
            };
            assert_eq!(to(&made), to(&compiled_scheme));
        }
    }
    assert!(accepted > 100, "{accepted} are accepted");
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
