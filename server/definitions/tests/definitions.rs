//! What definitions make of objects.

use std::sync::{Arc, Weak};

use hubgen_definitions::{Converter, CustomObject, Definition, Schemas, Strategy, Unserved, Version};
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::reflect::{Fact, ListType};
use hubgen_machinery::scheme::{KindEntry, Scheme};
use serde_json::{Value, json};

/// A definition with an older version that does not know the finish of a gear.
fn definition(plural: &str) -> Value {
    let schema = |more: Value| {
        let mut spec = json!({"type": "object", "properties": {
            "size": {"type": "integer", "default": 1},
            "teeth": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["at"],
                "items": {"type": "object", "required": ["at"], "properties": {"at": {"type": "integer"}}}
            },
            "limits": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}}
        }});
        spec["properties"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com",
            "names": {"kind": plural, "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": schema(json!({"finish": {"type": "string"}}))},
                {"name": "v1beta1", "served": true, "storage": false, "schema": schema(json!({}))},
            ]
        }
    })
}

fn scheme(strategy: &Strategy) -> Scheme {
    let mut scheme = Scheme::new();
    let definition = Definition::read(&definition("gears"), &mut Schemas::default(), strategy).unwrap();
    definition.entries().for_each(|entry| scheme.add(entry).unwrap());
    scheme
}

fn entry<'s>(scheme: &'s Scheme, version: &str) -> &'s Arc<KindEntry> {
    scheme.kind("example.com", version, "gears").unwrap()
}

fn converted(scheme: &Scheme, object: &Value, to: &str) -> Result<Value, String> {
    let (object, _) = scheme.decode(object.to_string().as_bytes()).unwrap();
    let object = scheme.convert(object, entry(scheme, to)).map_err(|error| error.to_string())?;
    Ok(serde_json::from_slice(&object.encode().unwrap()).unwrap())
}

fn gear(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "gears", "metadata": {"name": "g"}, "spec": spec})
}

#[test]
fn versions_drop_what_they_do_not_know() {
    let scheme = scheme(&Strategy::Same);
    let object = gear(json!({"size": 2, "finish": "matt"}));
    let mut expected = gear(json!({"size": 2}));
    expected["apiVersion"] = json!("example.com/v1beta1");
    assert_eq!(converted(&scheme, &object, "v1beta1"), Ok(expected.clone()));
    // What somebody owns is not dropped.
    let partial = json!({"apiVersion": "example.com/v1", "kind": "gears", "spec": {"finish": "matt"}});
    let json = scheme.convert_json(partial.to_string().as_bytes(), entry(&scheme, "v1beta1")).unwrap();
    expected = json!({"apiVersion": "example.com/v1beta1", "kind": "gears", "spec": {"finish": "matt"}});
    assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), expected);
}

/// Calls the finish a note.
struct Noted;

impl Converter for Noted {
    fn convert(&self, mut object: Value, to: &str) -> Result<Value, ConvertError> {
        assert_eq!((&object["apiVersion"], to), (&json!("example.com/v1"), "example.com/v1beta1"));
        let finish = object["spec"].as_object_mut().unwrap().shift_remove("finish").unwrap();
        object["metadata"]["annotations"] = json!({"finish": finish});
        object["spec"]["unknown"] = json!(1);
        object["apiVersion"] = to.into();
        Ok(object)
    }
}

#[test]
fn others_can_convert() {
    let scheme = scheme(&Strategy::By(Arc::new(Noted)));
    let found = converted(&scheme, &gear(json!({"finish": "matt"})), "v1beta1").unwrap();
    assert_eq!(found["metadata"]["annotations"], json!({"finish": "matt"}));
    assert_eq!(found["spec"], json!({"size": 1}));
}

#[test]
fn equal_schemas_are_compiled_once_and_freed_with_the_last() {
    let mut schemas = Schemas::default();
    let mut read = |plural| Definition::read(&definition(plural), &mut schemas, &Strategy::Same).unwrap();
    let (one, other) = (read("gears"), read("wheels"));
    let texts = |definition: &Definition| {
        definition.published().map(|(_, text)| Arc::clone(text)).collect::<Vec<_>>()
    };
    let shared: Vec<bool> =
        texts(&one).iter().zip(texts(&other)).map(|(one, other)| Arc::ptr_eq(one, &other)).collect();
    assert_eq!(shared, [true, true]);
    let watched: Vec<Weak<str>> = texts(&one).iter().map(Arc::downgrade).collect();
    let entry = other.entries().next().unwrap();
    drop((one, other));
    schemas.forget_unused();
    let is_there = |text: &Weak<str>| text.upgrade().is_some();
    // The entry of one version is left.
    assert_eq!(watched.iter().map(is_there).collect::<Vec<_>>(), [true, false]);
    drop(entry);
    schemas.forget_unused();
    assert!(!watched.iter().any(is_there));
}

#[test]
fn shapes_tell_how_fields_are_owned() {
    let scheme = scheme(&Strategy::Same);
    let shape = entry(&scheme, "v1").shape();
    let names: Vec<&str> = shape.named().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["apiVersion", "kind", "metadata", "spec"]);
    let hubgen_machinery::reflect::Type::Struct(spec) = &shape.named()[3].ty else { panic!("an object") };
    let facts = |name: &str| {
        let spec = shape.below(spec);
        spec.named().iter().find(|field| field.name == *name).unwrap().facts.clone()
    };
    assert_eq!(facts("teeth").list_type(), Some(&ListType::Map(["at".to_owned()].into_iter().collect())));
    assert!(facts("limits").contains(&Fact::Atomic));
    assert_eq!(facts("size").default(), Some("1"));
}

#[test]
fn objects_have_one_type_and_a_version_beside() {
    let scheme = scheme(&Strategy::Same);
    let (object, _) =
        scheme.decode(gear(json!({"teeth": [{"b": 1, "at": 1.0}]})).to_string().as_bytes()).unwrap();
    let custom = object.value.downcast_ref::<CustomObject>().unwrap();
    assert_eq!(custom.spec.as_ref().unwrap().as_str(), r#"{"size":1,"teeth":[{"at":1}]}"#);
    assert!(Version::of(&object.entry).is_some_and(|version| !version.is_terminating()));
}

#[test]
fn what_is_no_definition_makes_no_kind() {
    let read = |json: &Value| Definition::read(json, &mut Schemas::default(), &Strategy::Same).err().unwrap();
    assert!(matches!(read(&json!({})), Unserved::NoDefinition(_)));
    let mut wrong = definition("gears");
    wrong["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["type"] =
        json!("odd");
    assert!(matches!(read(&wrong), Unserved::Schema { version, .. } if version == "v1beta1"));
}
