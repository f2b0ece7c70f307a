//! Functions over objects: the code that the generator prints, compiled from the generator's expected modules, the
//! interpreter with objects of compiled types and of types that are made at run time, and JSON that is not decoded.

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
use hubgen_machinery::Str;
use hubgen_machinery::convert::{Convert, ConvertError, Functions};
use hubgen_machinery::reflect::Lent;
use hubgen_machinery::scheme::{Object, Scheme};
use hubgen_meta::v1::ObjectMeta;
use hubgen_model::TypeId;
use serde_json::{Value, json};

use self::api::tours::{v1, v1alpha1};

#[path = "../../../codegen/codegen/tests/modules/objects/expected/mod.rs"]
mod api;
#[path = "../../../codegen/codegen/tests/modules/objects/guide.rs"]
mod guide;
#[path = "../../../codegen/codegen/tests/modules/objects/note.rs"]
mod note;
#[path = "../../../codegen/codegen/tests/modules/objects/route.rs"]
mod route;
#[path = "../../../codegen/codegen/tests/modules/objects/title.rs"]
mod title;

/// Texts for which the functions have a use.
const WORDS: &[(&str, &str)] = &[("contacts", "guide")];

fn functions() -> Functions {
    Functions::none()
        .with("crate::guide", guide::to_hub, guide::from_hub)
        .with("crate::note", note::to_hub, note::from_hub)
        .with("crate::route", route::to_hub, route::from_hub)
        .with("crate::title", title::to_hub, title::from_hub)
}

fn model() -> hubgen_codegen::Kinds {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules/objects");
    let project = Project::read(&root.join("hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap()
}

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Tour::default()),
        "v1alpha1" => Box::new(v1alpha1::Tour::default()),
        _ => panic!("unexpected type {id}"),
    }
}

/// The versions as the interpreter converts them, over compiled types.
fn interpreted() -> Vec<Version> {
    let plan = Arc::new(model().plan.conversions.remove(0));
    let new: Arc<NewObject> = Arc::new(empty);
    (0..2).map(|at| Version::new(&plan, at, &new, &functions()).unwrap().unwrap()).collect()
}

fn compiled() -> [versions::Version; 2] {
    [versions::Version::of::<v1alpha1::Tour>(), versions::Version::of::<v1::Tour>()]
}

/// A Scheme with the kinds made at run time.
fn made() -> Scheme {
    let kinds = model();
    let (api, plan, functions) = (&kinds.api, &kinds.plan, &functions());
    let model = Model {
        api,
        plan,
        defaults: &kinds.defaults,
        canonical: &kinds.canonical,
        behaviours: &kinds.behaviours,
        functions,
        over_json: false,
    };
    let mut scheme = Scheme::new();
    let family = plan.families.iter().find(|family| family.kind == "Tour").unwrap();
    for entry in entries(model, family).unwrap() {
        scheme.add(entry).unwrap();
    }
    scheme
}

#[test]
fn all_laws_hold() {
    let [old, hub] = compiled();
    assert_eq!(versions::check_all(&[&old, &hub], WORDS, 300), Ok(true));
    let versions = interpreted();
    versions::check(&[&versions[0], &versions[1]], WORDS, 300).unwrap();
}

#[test]
fn all_ways_convert_alike() {
    let (interpreted, made, compiled_scheme) = (interpreted(), made(), api::scheme());
    let (mut accepted, mut refused) = (0, 0);
    for bytes in (0..300).map(objects::bytes) {
        for (at, version) in compiled().iter().enumerate() {
            let object = version.generate(&mut Source::new(&bytes, WORDS));
            let hub = match (version.try_to_hub(&*object), interpreted[at].try_to_hub(&*object)) {
                (Ok(one), Ok(other)) => {
                    versions::same(&*other, &*one).unwrap();
                    accepted += 1;
                    one
                }
                (Err(one), Err(other)) => {
                    assert_eq!(one, other);
                    refused += 1;
                    continue;
                }
                (one, other) => panic!("{:?}, but {:?}", one.err(), other.err()),
            };
            let shown = compiled()[0].try_from_hub(&*hub).map_err(|error| error.to_string());
            let other = interpreted[0].try_from_hub(&*hub).map_err(|error| error.to_string());
            assert_eq!(shown.as_ref().err(), other.as_ref().err());
            if let (Ok(shown), Ok(other)) = (shown, other) {
                versions::same(&*other, &*shown).unwrap();
            }
            // The same object, of a type that is made at run time.
            let json = hubgen_machinery::json::encode(&*object).unwrap();
            let to = |scheme: &Scheme| {
                let to = Arc::clone(scheme.named("tours.example.com/v1alpha1", "Tour").unwrap());
                let (object, _) = scheme.decode(&json).map_err(|error| error.to_string())?;
                let converted: Result<Object, String> =
                    scheme.convert(object, &to).map_err(|error| error.to_string());
                converted.map(|converted| converted.encode().unwrap())
            };
            assert_eq!(to(&made), to(&compiled_scheme));
        }
    }
    assert!(accepted > 100 && refused > 10, "{accepted} are accepted, {refused} are refused");
}

#[test]
fn json_that_is_not_decoded_stays_partial() {
    let scheme = api::scheme();
    let converted = |object: Value, version: &str| -> Result<Value, String> {
        let to = scheme.named(&format!("tours.example.com/{version}"), "Tour").unwrap();
        let json =
            scheme.convert_json(object.to_string().as_bytes(), to).map_err(|error| error.to_string())?;
        Ok(serde_json::from_slice(&json).unwrap())
    };
    let tour = |version: &str, spec: Value| json!({"apiVersion": format!("tours.example.com/{version}"), "kind": "Tour", "spec": spec});
    let old = tour("v1alpha1", json!({"stops": [{"place": "a"}, {"place": "b", "minutes": 5}]}));
    let new = tour("v1", json!({"route": {"start": "a", "legs": [{"to": "b", "minutes": 5}]}}));
    assert_eq!(converted(old.clone(), "v1").unwrap(), new);
    assert_eq!(converted(new, "v1alpha1").unwrap(), old);
    let old = tour("v1alpha1", json!({"guide": {"name": "a", "phone": "1"}}));
    let new = tour("v1", json!({"contacts": {"guide": {"name": "a", "phone": "1"}}}));
    assert_eq!(converted(old.clone(), "v1").unwrap(), new);
    assert_eq!(converted(new, "v1alpha1").unwrap(), old);
    // Errors have the path in the object, and below what the function takes.
    let late = tour("v1alpha1", json!({"stops": [{"place": "a", "minutes": 7}]}));
    assert_eq!(converted(late, "v1").unwrap_err(), "spec.stops: crate::route: 7 minutes to the start");
    let text = tour("v1alpha1", json!({"stops": [{"place": "a"}, {"minutes": "x"}]}));
    let expected = "spec.stops[1].minutes: expected a 32-bit integer, found a string";
    assert_eq!(converted(text, "v1").unwrap_err(), expected);
}

/// Functions read the metadata, also those of items of lists, and never write it.
#[test]
fn functions_read_the_metadata() {
    let mut old = v1alpha1::Tour::default();
    old.metadata.name = "alps".into();
    old.spec.label = "High up".into();
    old.spec.days = vec![v1alpha1::Day { note: "rain".into() }];
    let hub = old.clone().to_hub();
    assert_eq!((&*hub.spec.title, &*hub.spec.days[0].remark), ("High up (alps)", "alps: rain"));
    assert_eq!(hub.metadata, old.metadata);
    assert_eq!(v1alpha1::Tour::from_hub(hub.clone()).unwrap(), old);
    let interpreted = interpreted();
    versions::same(&*interpreted[0].try_to_hub(Lent::new(&old)).unwrap(), Lent::new(&hub)).unwrap();

    // What is stashed is restored where the functions return the same for the same metadata.
    let mut more = hub.clone();
    more.spec.title = "Low (sea)".into();
    more.spec.contacts.insert("driver", v1::Contact::default());
    let shown = v1alpha1::Tour::from_hub(more.clone()).unwrap();
    assert_eq!(shown.spec.label, "Low (sea)");
    assert_eq!(shown.clone().to_hub(), more);
    versions::same(&*interpreted[0].try_to_hub(Lent::new(&shown)).unwrap(), Lent::new(&more)).unwrap();

    old.metadata.labels.insert("closed", "yes".into());
    let error = old.clone().try_to_hub().unwrap_err();
    assert_eq!(error.to_string(), "spec.label: crate::title: the tour alps is closed");
    assert_eq!(interpreted[0].try_to_hub(Lent::new(&old)).err().unwrap(), error);

    let scheme = api::scheme();
    let json = json!({
        "apiVersion": "tours.example.com/v1alpha1", "kind": "Tour", "metadata": {"name": "alps"},
        "spec": {"label": "High up", "days": [{"note": "rain"}]},
    });
    let to = scheme.named("tours.example.com/v1", "Tour").unwrap();
    let converted: Value =
        serde_json::from_slice(&scheme.convert_json(json.to_string().as_bytes(), to).unwrap()).unwrap();
    let expected = json!({
        "apiVersion": "tours.example.com/v1", "kind": "Tour", "metadata": {"name": "alps"},
        "spec": {"title": "High up (alps)", "days": [{"remark": "alps: rain"}]},
    });
    assert_eq!(converted, expected);
}

#[test]
fn a_registered_function_that_reads_other_metadata_is_refused() {
    let plan = Arc::new(model().plan.conversions.remove(0));
    let new: Arc<NewObject> = Arc::new(empty);
    let message =
        |functions: Functions| Version::new(&plan, 0, &new, &functions).map(|_| ()).unwrap_err().message;
    let none = functions().with("crate::note", |note: Str| note, |remark: Str| remark);
    assert_eq!(
        message(none),
        "the registered `to_hub` of `crate::note` has 1 parameter(s), but the rule names 2 field(s)"
    );
    let other = functions().with("crate::note", |note: Str, _: Str| note, note::from_hub);
    assert_eq!(
        message(other),
        "the registered `to_hub` of `crate::note` takes Str for `metadata`, which is ObjectMeta"
    );
    let results = functions().with("crate::note", |_: Str, _: ObjectMeta| 5, note::from_hub);
    assert_eq!(
        message(results),
        "the registered `to_hub` of `crate::note` returns i32 for `remark`, which is Str"
    );
}

/// Without the functions, what has none of their fields converts.
#[test]
fn objects_need_a_function_by_their_fields() {
    let plan = Arc::new(model().plan.conversions.remove(0));
    let new: Arc<NewObject> = Arc::new(empty);
    let without = Functions::none().without_others();
    let version = Version::new(&plan, 0, &new, &without).unwrap().unwrap();
    let mut old = v1alpha1::Tour::default();
    old.metadata.name = "a".into();
    versions::same(&*version.try_to_hub(Lent::new(&old)).unwrap(), Lent::new(&old.clone().to_hub())).unwrap();
    old.spec.guide = Some(v1alpha1::Person::default());
    let error = version.try_to_hub(Lent::new(&old)).err().unwrap();
    let paths = vec!["spec.guide".to_owned()];
    assert_eq!(error, ConvertError::NoFunction { paths, function: "crate::guide".to_owned() });
}
