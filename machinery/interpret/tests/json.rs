//! Converts JSON without decoding it, and compares with what typed objects become.

#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hubgen_codegen::{Target, api};
use hubgen_documents::project::Project;
use hubgen_documents::rules;
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::Snapshot;
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::Convertible;
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{self, Canonical, Functions, STASH};
use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::tree::Tree;
use hubgen_model::Api;
use hubgen_plan::edits::edits;
use hubgen_plan::{How, Plan, Types};
use serde_json::Value;

/// The number of objects of each version and direction.
const OBJECTS: u64 = 300;

fn example(name: &str) -> (Api, Plan) {
    repository(&Path::new("../../examples").join(name))
}

fn repository(root: &Path) -> (Api, Plan) {
    let project = Project::read(&root.join("hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let api = api(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap();
    let folder = root.join(&project.schemas).join("rules");
    let rules = rules::read_documents(&folder, rules::documents(&folder).unwrap()).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
    (api, plan)
}

fn value(object: &dyn Reflect) -> Value {
    serde_json::from_slice(&json::encode(object).unwrap()).unwrap()
}

/// Without our annotation, and without annotations if there are no others.
fn without_stash(mut object: Value) -> Value {
    if let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(STASH);
        if annotations.is_empty() {
            object["metadata"].as_object_mut().unwrap().remove("annotations");
        }
    }
    object
}

fn compare((api, plan): (Api, Plan)) -> BTreeMap<String, u64> {
    let types = Types { api: &api, hubs: &plan.hubs };
    let mut compared = BTreeMap::new();
    for family in &plan.conversions {
        let members = family.members.iter().map(|member| &member.root).chain([&family.hub]);
        let defaults = Default::default();
        let snapshot = Arc::new(Snapshot::new(types, &plan.sharing, &defaults, members).unwrap());
        let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
        let shared = Arc::new(family.clone());
        for (index, member) in family.members.iter().enumerate() {
            let How::Convert(mapping) = &member.how else { continue };
            let functions = Functions::default();
            let version = Version::new(&shared, index, &new, &functions).unwrap().unwrap();
            if let Err(reason) = edits(types, mapping, &member.root, &family.hub) {
                compared.insert(format!("{} {}: {reason:?}", member.group_version, family.family.kind), 0);
                continue;
            }
            let version = version.over_json(types);
            let (edits, _) = convert::ConvertObject::json(&version).unwrap();
            let canonical = Convertible::canonical(&version);
            let words: Vec<_> = family.words().into_iter().collect();
            let hub = new(&family.hub);
            for seed in 0..OBJECTS {
                let bytes = objects::bytes(seed);
                let mut source = Source::new(&bytes, &words);
                let at = format!("{} {}, seed {seed}", member.group_version, family.family.kind);
                for to_hub in [true, false] {
                    let (from, to) = if to_hub {
                        (version.empty(), hub.boxed_copy())
                    } else {
                        (hub.boxed_copy(), version.empty())
                    };
                    let written = objects::json_object(from.descriptor(), &mut source).to_string();
                    let mut object = from;
                    json::decode_into(written.as_bytes(), &mut *object).unwrap();
                    let typed =
                        if to_hub { version.try_to_hub(&*object) } else { version.try_from_hub(&*object) };
                    let mut tree = Tree::new(written.as_bytes()).unwrap();
                    let result = if to_hub {
                        edits.rules_to_hub(&mut tree, &functions)
                    } else {
                        edits.rules_from_hub(&mut tree, &functions).map(|_| ())
                    };
                    let typed = match typed {
                        Ok(typed) => typed,
                        Err(error) => {
                            assert_eq!(result.unwrap_err().to_string(), error.to_string(), "{at}");
                            continue;
                        }
                    };
                    result.unwrap_or_else(|error| panic!("{at}: {error}\n{written}"));
                    // Typed objects have every required field.
                    let mut found = to;
                    json::decode_into(&tree.to_json(), &mut *found).unwrap();
                    // An object that has nothing left in it is gone, where a typed one is empty.
                    let (found, expected) = (value(&*found), without_stash(value(&*typed)));
                    if let Err(error) = objects::same_json(&found, &expected, typed.descriptor(), &canonical)
                    {
                        panic!("{at}, to hub: {to_hub}: {error}\n{written}");
                    }
                    *compared.entry(at.split(',').next().unwrap().to_owned()).or_default() += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn json_of_cert_manager_converts_as_typed_objects() {
    eprintln!("{:?}", compare(example("cert-manager")));
}

#[test]
fn json_of_gateway_api_converts_as_typed_objects() {
    eprintln!("{:?}", compare(example("gateway-api")));
}

/// Every version as the interpreter converts it.
fn versions((api, plan): &(Api, Plan)) -> Vec<Version> {
    let types = Types { api, hubs: &plan.hubs };
    let [family] = &plan.conversions[..] else { panic!("one family") };
    let members = family.members.iter().map(|member| &member.root).chain([&family.hub]);
    let snapshot = Arc::new(Snapshot::new(types, &plan.sharing, &Default::default(), members).unwrap());
    let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
    let shared = Arc::new(family.clone());
    let version = |at| Version::new(&shared, at, &new, &Functions::default()).unwrap().unwrap();
    (0..family.members.len()).map(version).collect()
}

/// Fields of items of lists with and without keys, and of values of maps, are dropped, added and kept.
#[test]
fn what_is_dropped_is_lost_and_nothing_else() {
    let dropped = repository(Path::new("../../codegen/codegen/tests/modules/dropped"));
    let versions = versions(&dropped);
    let all: Vec<&dyn Convertible> = versions.iter().map(|version| version as &dyn Convertible).collect();
    versions::check(&all, &[], OBJECTS).unwrap();
    versions::check_json(&all, &[], OBJECTS).unwrap();
    let compared = compare(dropped);
    assert_eq!(compared.values().copied().collect::<Vec<_>>(), [2 * OBJECTS, 2 * OBJECTS], "{compared:?}");

    let old = &versions[0];
    let canonical = Convertible::canonical(old);
    let paths: Vec<&str> = canonical
        .iter()
        .filter_map(|form| match form {
            Canonical::Dropped(path) => Some(&**path),
            _ => None,
        })
        .collect();
    let of_items = ["spec.items[].note", "spec.keyed[].note", "spec.named[].note"];
    assert_eq!(paths[..3], of_items);
    assert_eq!(paths[3..], ["spec.zone", "spec.floor", "spec.size.unit"]);

    let object = r#"{"spec": {"name": "a", "zone": "b", "floor": 1, "size": {"unit": "m"},
        "items": [{"name": "c", "note": "d", "color": "e"}]}}"#;
    let mut shop = old.empty();
    json::decode_into(object.as_bytes(), &mut *shop).unwrap();
    let hub = old.try_to_hub(&*shop).unwrap();
    let back = value(&*old.try_from_hub(&*hub).unwrap());
    let expected: Value =
        serde_json::from_str(r#"{"name": "a", "items": [{"name": "c", "color": "e"}]}"#).unwrap();
    assert_eq!(back["spec"], expected);
    // The law accepts that they are gone, and not that they have other values.
    let original = value(&*shop);
    objects::same_json(&back, &original, shop.descriptor(), &canonical).unwrap();
    let mut changed = back;
    changed["spec"]["zone"] = "other".into();
    let error = objects::same_json(&changed, &original, shop.descriptor(), &canonical).unwrap_err();
    assert!(error.to_string().starts_with("spec.zone differs"), "{error}");
}
