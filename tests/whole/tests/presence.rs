//! Fields that distinguish an absent value, `null` and an empty one, and versions that differ in it: no object loses
//! anything, compiled and interpreted, except for what the conversion declares.
//!
//! The API is the one of `codegen/codegen/tests/modules/presence`. It has every combination of optional, nullable and required
//! fields in two versions.

// The root of a user's crate has such a module.
#[path = "../../../codegen/codegen/tests/modules/presence/expected/mod.rs"]
#[allow(missing_docs, dead_code, unused_imports)]
mod api;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::Snapshot;
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{Canonical, ConvertError, Functions};
use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_model::defaults::Defaults;
use serde_json::{Value, json};

/// The number of generated objects for each law and version.
const OBJECTS: u64 = 300;

fn compiled() -> [versions::Version; 2] {
    use api::example::{v1, v1alpha1};
    [versions::Version::of::<v1alpha1::Holder>(), versions::Version::of::<v1::Holder>()]
}

fn interpreted() -> Vec<Version> {
    let schemas = Path::new("../../codegen/codegen/tests/modules/presence/schemas");
    let api = Carried::new(hubgen_schemas::kubernetes().iter().copied()).read_dir(schemas).unwrap();
    let rules = hubgen_documents::rules::read_dir(&schemas.join("rules")).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
    let [family] = &plan.conversions[..] else { panic!("there is one family") };
    let roots = family.members.iter().map(|member| &member.root).chain([&family.hub]);
    let snapshot = Snapshot::new(plan.types(&api), &plan.sharing, &Defaults::default(), roots).unwrap();
    let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
    let family = Arc::new(family.clone());
    let version = |at| Version::new(&family, at, &new, &Functions::default()).unwrap().unwrap();
    (0..family.members.len()).map(version).collect()
}

fn decoded(version: &dyn Convertible, json: &Value) -> AnyObject {
    let mut object = version.empty();
    json::decode_into(json.to_string().as_bytes(), &mut *object).unwrap();
    object
}

fn encoded(object: &dyn Reflect) -> Value {
    serde_json::from_slice(&json::encode(object).unwrap()).unwrap()
}

fn check(versions: &[&dyn Convertible]) {
    versions::check(versions, &[], OBJECTS).unwrap();
    versions::check_json(versions, &[], OBJECTS).unwrap();
}

#[test]
fn compiled_conversions_lose_nothing() {
    let [old, new] = compiled();
    check(&[&old, &new]);
}

#[test]
fn interpreted_conversions_lose_nothing() {
    let versions = interpreted();
    check(&versions.iter().map(|version| version as &dyn Convertible).collect::<Vec<_>>());
}

#[test]
fn compiled_and_interpreted_conversions_are_the_same() {
    for (compiled, interpreted) in compiled().iter().zip(&interpreted()) {
        let declared = |version: &dyn Convertible| {
            version.canonical().iter().map(|form| format!("{form:?}")).collect::<BTreeSet<_>>()
        };
        assert_eq!(declared(compiled), declared(interpreted));
        for seed in 0..OBJECTS {
            let json = compiled.generate_json(&mut Source::new(&objects::bytes(seed), &[]));
            let to_hub = |version: &dyn Convertible| version.to_hub(&*decoded(version, &json)).unwrap();
            let (one, other) = (to_hub(compiled), to_hub(interpreted));
            assert_eq!(encoded(&*one), encoded(&*other), "{json}");
            let (one, other) = (compiled.from_hub(&*one).unwrap(), interpreted.from_hub(&*other).unwrap());
            assert_eq!(encoded(&*one), encoded(&*other), "{json}");
        }
    }
}

/// What only the hub's version distinguishes is stashed, and comes back.
#[test]
fn null_survives_a_version_that_does_not_know_it() {
    let [old, new] = compiled();
    let spec = json!({
        "neverNull": null, "remarks": null, "window": {"start": null}, "formerlyRequired": [],
        "laterRequired": [], "requiredNullable": null, "options": {},
    });
    let hub = decoded(&new, &json!({"metadata": {"name": "a"}, "spec": spec}));
    let shown = old.from_hub(&*hub).unwrap();
    let shown_spec = encoded(&*shown)["spec"].clone();
    assert_eq!(shown_spec, json!({"formerlyRequired": [], "requiredNullable": null}));
    assert_eq!(encoded(&*old.to_hub(&*shown).unwrap())["spec"], spec);
}

/// A version that declares less than it does.
struct Declares<'a> {
    version: &'a versions::Version,
    canonical: Vec<Canonical>,
}

impl Convertible for Declares<'_> {
    fn empty(&self) -> AnyObject {
        self.version.empty()
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.version.try_to_hub(object)
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.version.try_from_hub(hub)
    }

    fn canonical(&self) -> Vec<Canonical> {
        self.canonical.clone()
    }
}

#[test]
fn each_declaration_is_needed() {
    let [version, _] = &compiled();
    let all = Convertible::canonical(version);
    assert!(!all.is_empty());
    for left_out in 0..all.len() {
        let mut canonical = all.clone();
        let form = canonical.remove(left_out);
        let (Canonical::Empty(path)
        | Canonical::Determined(path)
        | Canonical::Created(path)
        | Canonical::Any(path)
        | Canonical::Dropped(path)) = &form;
        let error = versions::check_json(&[&Declares { version, canonical }], &[], OBJECTS).unwrap_err();
        let start = format!("version 0, {}: {path} differs\n", versions::JSON_LAWS[0].name);
        assert!(error.to_string().starts_with(&start), "{form:?}: {error}");
    }
}
