//! The operator `keyed`: the code that the generator prints, compiled from the generator's expected modules, the
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

use self::api::graphs::{v1, v1alpha1};

#[path = "../../../codegen/codegen/tests/modules/keyed/expected/mod.rs"]
mod api;

/// Few keys, so that items often have the same one.
const WORDS: &[(&str, &str)] = &[("name", "a"), ("name", "b"), ("key", "a"), ("key", ""), ("delay", "90s")];

fn model() -> hubgen_codegen::Kinds {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules/keyed");
    let project = Project::read(&root.join("hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap()
}

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Graph::default()),
        "v1alpha1" => Box::new(v1alpha1::Graph::default()),
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
    [versions::Version::of::<v1alpha1::Graph>(), versions::Version::of::<v1::Graph>()]
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
    let family = kinds.plan.families.iter().find(|family| family.kind == "Graph").unwrap();
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
                let to = Arc::clone(scheme.named("graphs.example.com/v1alpha1", "Graph").unwrap());
                let (object, _) = scheme.decode(&json).unwrap();
                scheme.convert(object, &to).unwrap().encode().unwrap()
            };
            assert_eq!(to(&made), to(&compiled_scheme));
        }
    }
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
