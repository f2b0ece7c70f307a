//! Fields that a type does not have, in versions that keep, drop and refuse them: no object loses anything and no JSON
//! has a field twice, compiled and interpreted.
//!
//! The API is the one of `codegen/codegen/tests/modules/unknown`. Its versions have different fields beside those that they do
//! not know, so that a field of one version is an unknown field of another.

// The root of a user's crate has such a module.
#[path = "../../../codegen/codegen/tests/modules/unknown/expected/mod.rs"]
#[allow(missing_docs, dead_code, unused_imports)]
mod api;

use std::path::Path;
use std::sync::Arc;

use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::Snapshot;
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{ConvertError, Functions, STASH};
use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_model::defaults::Defaults;
use serde_json::{Value, json};

/// The number of generated objects for each law and version.
const OBJECTS: u64 = 100;

/// The versions, the oldest first.
fn compiled() -> [versions::Version; 3] {
    use api::example::{v1, v1alpha1, v1beta1};
    [
        versions::Version::of::<v1alpha1::Engine>(),
        versions::Version::of::<v1beta1::Engine>(),
        versions::Version::of::<v1::Engine>(),
    ]
}

fn interpreted() -> [Version; 3] {
    let schemas = Path::new("../../codegen/codegen/tests/modules/unknown/schemas");
    let api = Carried::new(hubgen_schemas::kubernetes().iter().copied()).read_dir(schemas).unwrap();
    let rules = hubgen_documents::rules::read_dir(&schemas.join("rules")).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
    let [family] = &plan.conversions[..] else { panic!("there is one family") };
    let roots = family.members.iter().map(|member| &member.root).chain([&family.hub]);
    let snapshot = Snapshot::new(plan.types(&api), &plan.sharing, &Defaults::default(), roots).unwrap();
    let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
    let family = Arc::new(family.clone());
    let version = |name: &str| {
        let at = family.members.iter().position(|member| member.group_version.version == name).unwrap();
        Version::new(&family, at, &new, &Functions::default()).unwrap().unwrap()
    };
    ["v1alpha1", "v1beta1", "v1"].map(version)
}

/// Calls `test` with the compiled versions, and with the interpreted ones.
fn both(test: impl Fn([&dyn Convertible; 3])) {
    let [one, two, three] = &compiled();
    test([one, two, three]);
    let [one, two, three] = &interpreted();
    test([one, two, three]);
}

fn decoded(version: &dyn Convertible, json: &Value) -> AnyObject {
    let mut object = version.empty();
    json::decode_into(json.to_string().as_bytes(), &mut *object).unwrap();
    object
}

/// An object as JSON, which must not have a field twice.
fn encoded(object: &dyn Reflect) -> Value {
    let text = String::from_utf8(json::encode(object).unwrap()).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text.matches("\"size\":").count(), value.to_string().matches("\"size\":").count(), "{text}");
    value
}

/// An object of a spec at one version, converted to another one.
fn converted(from: &dyn Convertible, to: &dyn Convertible, object: &Value) -> Result<Value, ConvertError> {
    let hub = from.try_to_hub(&*decoded(from, object))?;
    Ok(encoded(&*to.try_from_hub(&*hub)?))
}

fn engine(spec: &Value) -> Value {
    json!({"metadata": {"name": "a"}, "spec": spec})
}

#[test]
fn conversions_lose_nothing() {
    let words: Vec<_> = api::example::families::ENGINE.words.to_vec();
    assert!(words.contains(&("*", "size")), "laws generate the names of other versions");
    both(|versions| {
        versions::check(&versions, &words, OBJECTS).unwrap();
        versions::check_json(&versions, &words, OBJECTS).unwrap();
    });
}

#[test]
fn compiled_and_interpreted_conversions_are_the_same() {
    let words: Vec<_> = api::example::families::ENGINE.words.to_vec();
    let mut converts = 0;
    for (compiled, interpreted) in compiled().iter().zip(&interpreted()) {
        for seed in 0..OBJECTS {
            let json = compiled.generate_json(&mut Source::new(&objects::bytes(seed), &words));
            let to_hub = |version: &dyn Convertible| version.try_to_hub(&*decoded(version, &json));
            match (to_hub(compiled), to_hub(interpreted)) {
                (Ok(one), Ok(other)) => {
                    assert_eq!(encoded(&*one), encoded(&*other), "{json}");
                    let (one, other) =
                        (compiled.from_hub(&*one).unwrap(), interpreted.from_hub(&*other).unwrap());
                    assert_eq!(encoded(&*one), encoded(&*other), "{json}");
                    converts += 1;
                }
                (one, other) => assert_eq!(one.err(), other.err(), "{json}"),
            }
        }
    }
    assert!(converts > OBJECTS, "only {converts} objects convert");
}

#[test]
fn unknown_fields_are_the_same_in_every_version_that_keeps_them() {
    let spec = json!({"name": "a", "color": {"b": 1, "a": [null]}, "parts": [{"id": "p", "x": 0}], "*": 1});
    both(|[old, _, new]| {
        assert_eq!(converted(new, old, &engine(&spec)).unwrap()["spec"], spec);
        assert_eq!(converted(old, new, &engine(&spec)).unwrap()["spec"], spec);
    });
}

#[test]
fn a_field_that_one_version_has_is_an_unknown_field_of_another() {
    let part = json!({"id": "p", "weight": 3, "tags": [], "note": "n"});
    let spec = json!({"name": "a", "size": 1, "cooling": {"liters": 5}, "label": "l", "parts": [part]});
    both(|[old, _, new]| {
        for (from, to) in [(old, new), (new, old)] {
            let back = converted(from, to, &engine(&spec)).unwrap();
            assert_eq!(back["spec"], spec);
            assert_eq!(back["metadata"], json!({"name": "a"}), "nothing is stashed");
        }
    });
    // Typed where the version has the field.
    let [old, _, new] = &compiled();
    let hub = old.to_hub(&*decoded(old, &engine(&spec))).unwrap();
    let object = new.from_hub(&*hub).unwrap();
    let object = object.downcast_ref::<api::example::v1::Engine>().unwrap();
    let spec = object.spec.as_ref().unwrap();
    assert_eq!((spec.size, spec.cooling.as_ref().unwrap().liters), (Some(1), Some(5)));
    assert_eq!(spec.rest_2.keys().map(|name| &**name).collect::<Vec<_>>(), ["label"]);
}

#[test]
fn an_unknown_field_that_the_hub_cannot_represent_is_refused() {
    both(|[old, _, new]| {
        for (name, value) in [
            ("size", json!("big")),
            ("size", json!(null)),
            ("cooling", json!({"liters": 5, "unlisted": 1})),
            // A rule maps it to another field.
            ("horsepower", json!(1)),
        ] {
            let mut spec = json!({"name": "a"});
            spec[name] = value;
            let error = converted(old, new, &engine(&spec)).unwrap_err();
            assert_eq!(error, ConvertError::KnownName { path: format!("spec.{name}") });
        }
        let spec = json!({"name": "a", "byName": {"k": {"id": "p", "weight": "heavy"}}});
        let error = converted(old, new, &engine(&spec)).unwrap_err();
        assert_eq!(error, ConvertError::KnownName { path: "spec.byName[k].weight".to_owned() });
    });
}

#[test]
fn what_a_version_cannot_represent_is_stashed() {
    // The old version has fields of these names for other values.
    let spec = json!({"name": "a", "label": 7, "power": 1, "parts": [{"id": "p", "note": {}}]});
    let all = json!({"metadata": {"name": "a"}, "spec": spec, "atRoot": 1});
    both(|[old, middle, new]| {
        let shown = converted(new, old, &all).unwrap();
        assert_eq!(shown["spec"], json!({"name": "a", "parts": [{"id": "p"}]}));
        assert_eq!(shown["atRoot"], Value::Null, "the old version drops fields at the root");
        assert!(shown["metadata"]["annotations"][STASH].is_string());
        let mut back = converted(old, new, &shown).unwrap();
        back.as_object_mut().unwrap().retain(|name, _| !["kind", "apiVersion"].contains(&&**name));
        assert_eq!(back, all);
        // A version that drops all of them.
        let shown = converted(new, middle, &all).unwrap();
        assert_eq!((&shown["spec"]["power"], &shown["atRoot"]), (&Value::Null, &json!(1)));
        assert_eq!(converted(middle, new, &shown).unwrap()["spec"], spec);
        // An edit wins.
        let mut shown = converted(new, old, &all).unwrap();
        shown["spec"]["label"] = "l".into();
        assert_eq!(converted(old, new, &shown).unwrap()["spec"]["label"], "l");
    });
}

#[test]
fn a_forged_stash_makes_no_second_field_of_a_name() {
    let delta = r#"{"fields":{"*":{"fields":{"spec":{"is":"1"},"status":{"is":"1"},"x":{"is":"1"}}}}}"#;
    let stash = format!(r#"{{"seen":"0000000000000000","delta":{delta}}}"#);
    let object = json!({"metadata": {"annotations": {STASH: stash}}, "spec": {"name": "a"}});
    both(|[old, _, new]| {
        let found = converted(old, new, &object).unwrap();
        assert_eq!((&found["spec"], &found["x"]), (&json!({"name": "a"}), &json!(1)));
    });
}

#[test]
fn a_refused_field_is_an_error_with_its_path() {
    for version in [&compiled()[2] as &dyn Convertible, &interpreted()[2]] {
        let json = engine(&json!({"name": "a", "strict": {"mode": "m", "modes": []}}));
        let error = json::decode_into(json.to_string().as_bytes(), &mut *version.empty()).unwrap_err();
        assert_eq!(error.path(), "spec.strict.modes");
        assert_eq!(error.message(), "unknown field; Strict has no field of this name");
    }
}
