//! A kind whose types are made at run time is served like a compiled one.

use std::sync::Arc;

use hubgen_machinery::convert::{ConvertError, ConvertObject, ViaHub};
use hubgen_machinery::json;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{Fact, ListType, NewObject, Reflect, Text, Type, Words};
use hubgen_machinery::scheme::{Conversion, Family, GroupVersionKind, KindEntry, Resource, Scheme};
use hubgen_server::admission::{AdmissionRequest, Chain, Mutate, Verdict};
use serde_json::{Value, json};

use crate::harness::Setup;

/// The indices of the types of the two versions, the older version first.
const GAUGES: [usize; 2] = [1, 2];

/// The index of the type of the entries of `managedFields`.
const OWNER: usize = 3;

/// The names of one field at the two versions.
const NAMES: [&str; 2] = ["colour", "tint"];

fn types() -> Arc<Types> {
    let field = |name: &str, ty: Type| FieldDef::new(name, TypeDef::Is(ty));
    let strings = || TypeDef::Map(TypeDef::Is(Type::String).into());
    let mut metadata: Vec<FieldDef> = ["name", "generateName", "namespace", "uid", "resourceVersion"]
        .map(|name| field(name, Type::String))
        .into();
    metadata.push(field("generation", Type::Int64));
    metadata.push(field("creationTimestamp", Type::Time));
    metadata.push(FieldDef::new("annotations", strings()));
    metadata.push(FieldDef::new("managedFields", TypeDef::List(TypeDef::Struct(OWNER).into())));
    let gauge = |name: &str| StructDef {
        fields: vec![
            FieldDef::new("metadata", TypeDef::Struct(0)),
            field(name, Type::String),
            FieldDef {
                facts: [Fact::List(ListType::Set)].into_iter().collect(),
                ..FieldDef::new("tags", TypeDef::List(TypeDef::Is(Type::String).into()))
            },
            field("data", Type::Raw),
        ],
        ..StructDef::new("Gauge")
    };
    let mut owner: Vec<FieldDef> = ["manager", "operation", "apiVersion", "fieldsType", "subresource"]
        .map(|name| field(name, Type::String))
        .into();
    owner.push(FieldDef { pointer: true, ..field("time", Type::Time) });
    owner.push(FieldDef { pointer: true, ..field("fieldsV1", Type::Raw) });
    let owner = StructDef { fields: owner, ..StructDef::new("ManagedFieldsEntry") };
    let metadata = StructDef { fields: metadata, ..StructDef::new("ObjectMeta") };
    Types::new(vec![metadata, gauge(NAMES[0]), gauge(NAMES[1]), owner]).unwrap()
}

/// The conversion of one version: it renames the field of the older version to the name at the hub,
/// which is the newer version.
struct Renamed(Arc<Types>, usize);

impl Renamed {
    fn renamed(&self, object: &dyn Reflect, from: usize, to: usize) -> Box<dyn Reflect> {
        let mut value: Value = serde_json::from_slice(&json::encode(object).unwrap()).unwrap();
        if let Some(member) = value.as_object_mut().and_then(|members| members.remove(NAMES[from])) {
            value[NAMES[to]] = member;
        }
        let mut renamed = self.0.object(GAUGES[to]);
        json::decode_into(value.to_string().as_bytes(), &mut *renamed).unwrap();
        renamed
    }
}

impl ConvertObject for Renamed {
    fn empty(&self) -> Box<dyn Reflect> {
        self.0.object(GAUGES[self.1])
    }

    fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        Ok(self.renamed(&*object, self.1, 1))
    }

    fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        Ok(self.renamed(&*hub, 1, self.1))
    }
}

pub fn scheme() -> Scheme {
    let types = types();
    let owned = |text: &str| Text::from(text.to_owned());
    let name = |version| GroupVersionKind {
        group: owned("example.com"),
        version: owned(version),
        kind: owned("Gauge"),
    };
    let versions = ["v1alpha1", "v1"];
    let family =
        Arc::new(Family { members: versions.map(name).into(), storage: name("v1"), words: Vec::new() });
    let mut scheme = Scheme::new();
    for (at, version) in versions.into_iter().enumerate() {
        let resource = Resource {
            plural: owned("gauges"),
            singular: owned("gauge"),
            namespaced: true,
            verbs: ["create", "delete", "get", "list", "patch", "update"]
                .map(str::to_owned)
                .into_iter()
                .collect(),
            short_names: Words::NONE,
            categories: Words::NONE,
            subresources: Vec::new(),
        };
        let conversion = Arc::new(Renamed(Arc::clone(&types), at));
        let entry = KindEntry {
            resource: Some(resource),
            family: Some(Arc::clone(&family)),
            conversion: Conversion::Hub(ViaHub::Runtime(conversion)),
            ..KindEntry::new(name(version), NewObject::Runtime(Arc::clone(&types), GAUGES[at]))
        };
        scheme.add(entry).unwrap();
    }
    scheme
}

pub fn path(version: &str) -> String {
    format!("/apis/example.com/{version}/namespaces/default/gauges")
}

#[test]
fn a_runtime_kind_is_served_at_all_versions() {
    let server = Setup::new().scheme(scheme()).start();
    let gauge = json!({"metadata": {"name": "g"}, "colour": "red"});
    let created = server.client.post(&path("v1alpha1"), &gauge).expect(201);
    assert_eq!(
        (&created["apiVersion"], &created["kind"], &created["colour"]),
        (&json!("example.com/v1alpha1"), &json!("Gauge"), &json!("red"))
    );
    let (_, stored) = server.stored();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].key, b"/registry/example.com/gauges/default/g");
    let stored: Value = serde_json::from_slice(&stored[0].value).unwrap();
    assert_eq!((&stored["apiVersion"], &stored["tint"]), (&json!("example.com/v1"), &json!("red")));

    let mut seen = server.client.get(&format!("{}/g", path("v1"))).expect(200);
    assert_eq!((&seen["apiVersion"], &seen["tint"]), (&json!("example.com/v1"), &json!("red")));
    assert_eq!(seen["metadata"]["uid"], created["metadata"]["uid"]);
    seen["tint"] = json!("blue");
    server.client.put(&format!("{}/g", path("v1")), &seen).expect(200);

    let list = server.client.get(&path("v1alpha1")).expect(200);
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("GaugeList"), &json!("example.com/v1alpha1")));
    assert_eq!(list["items"][0]["colour"], "blue");
    let versions = server.client.get("/apis/example.com").expect(200);
    let versions: Vec<_> =
        versions["versions"].as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, ["v1", "v1alpha1"]);
}

/// Who owns which fields: manager, version and fields.
fn owners(object: &Value) -> Vec<(&str, &str, String)> {
    let owners = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    owners
        .map(|owner| {
            assert_eq!((&owner["operation"], &owner["fieldsType"]), (&json!("Update"), &json!("FieldsV1")));
            let [manager, version] =
                ["manager", "apiVersion"].map(|name| owner[name].as_str().unwrap_or_default());
            (manager, version.trim_start_matches("example.com/"), owner["fieldsV1"].to_string())
        })
        .collect()
}

/// Owners of a kind of which the server knows types at run time only, at several versions.
#[test]
fn who_writes_a_field_owns_it() {
    let server = Setup::new().scheme(scheme()).start();
    let merge = |version: &str, by: &str, change: Value| {
        let path = format!("{}/g?fieldManager={by}", path(version));
        let headers = [("Content-Type", "application/merge-patch+json")];
        server.client.send("PATCH", &path, &headers, change.to_string().as_bytes()).expect(200)
    };
    let gauge =
        json!({"metadata": {"name": "g"}, "colour": "red", "tags": ["a", "b"], "data": {"x": {"y": [1]}}});
    let headers = [("Content-Type", "application/json"), ("User-Agent", "agent/v1 (linux)")];
    let created =
        server.client.send("POST", &path("v1alpha1"), &headers, gauge.to_string().as_bytes()).expect(201);
    let tags = r#""f:tags":{".":{},"v:\"a\"":{},"v:\"b\"":{}}"#;
    let data = r#""f:data":{"f:x":{".":{},"f:y":{}}}"#;
    assert_eq!(owners(&created), [("agent", "v1alpha1", format!(r#"{{"f:colour":{{}},{data},{tags}}}"#))]);
    assert_eq!(created["metadata"]["managedFields"][0]["time"], "2026-01-02T03:04:05Z");

    // Another manager at another version takes the field, which has another name there.
    let changed = merge("v1", "two", json!({"tint": "blue"}));
    let one = format!("{{{data},{tags}}}");
    assert_eq!(
        owners(&changed),
        [("agent", "v1alpha1", one.clone()), ("two", "v1", r#"{"f:tint":{}}"#.to_owned())]
    );
    // Nothing changes if nothing does.
    let same = merge("v1alpha1", "three", json!({"colour": "blue"}));
    assert_eq!(same["metadata"], changed["metadata"]);
    // What is removed belongs to nobody, and who owns nothing is no owner.
    let removed = merge("v1alpha1", "three", json!({"colour": null, "tags": ["b"]}));
    let one = format!(r#"{{{data},"f:tags":{{".":{{}},"v:\"b\"":{{}}}}}}"#);
    assert_eq!(owners(&removed), [("agent", "v1alpha1", one.clone())]);

    // A client may empty the owners, and then there are none.
    let tried = merge("v1", "two&dryRun=All", json!({"metadata": {"managedFields": []}}));
    assert_eq!(owners(&tried), []);
    let current = server.client.get(&format!("{}/g", path("v1alpha1"))).expect(200);
    assert_eq!(owners(&current), [("agent", "v1alpha1", one.clone())]);
    let wrong = json!({"metadata": {"managedFields": [{"manager": "x", "operation": "Change"}]}});
    assert_eq!(owners(&merge("v1", "two", wrong)), [("agent", "v1alpha1", one)]);
    for emptied in [json!([]), json!([{}])] {
        let emptied = merge("v1", "two", json!({"metadata": {"managedFields": emptied}}));
        assert_eq!(owners(&emptied), []);
        assert_eq!(owners(&merge("v1", "two", json!({"tint": "green"}))), []);
        // They come back with one that is set.
        let set = json!({"metadata": {"managedFields": [{
            "manager": "x", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {}},
        }]}, "tint": "white"});
        let data = ("x", "v1", r#"{"f:data":{}}"#.to_owned());
        assert_eq!(owners(&merge("v1", "two", set)), [data, ("two", "v1", r#"{"f:tint":{}}"#.to_owned())]);
    }
    // A version that does not exist has no owners.
    let unknown = json!([{"manager": "x", "operation": "Update", "apiVersion": "example.com/v7",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:tint": {}}}]);
    let unknown = merge("v1", "two", json!({"metadata": {"managedFields": unknown}}));
    assert_eq!(owners(&unknown), []);
}

/// A step of admission that knows nothing of owners.
struct Breaks;

impl Mutate for Breaks {
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async move {
            let Some(object) = request.object_mut() else { return Ok(()) };
            let metadata = meta::metadata_mut(object).unwrap();
            let position = metadata.position("managedFields").unwrap();
            let of = metadata.descriptor().share();
            let broken = br#"[{"manager": "x", "operation": "Change"}]"#;
            json::decode_slot(broken, &of.fields[position].ty, metadata.write(position)).unwrap();
            Ok(())
        })
    }
}

#[test]
fn admission_does_not_break_owners() {
    let admission = Chain { mutating: vec![Box::new(Breaks)], ..Chain::default() };
    let server = Setup::new().scheme(scheme()).admission(admission).start();
    let gauge = json!({"metadata": {"name": "g"}, "colour": "red"});
    let created = server.client.post(&format!("{}?fieldManager=one", path("v1alpha1")), &gauge).expect(201);
    assert_eq!(owners(&created), [("one", "v1alpha1", r#"{"f:colour":{}}"#.to_owned())]);
}

#[test]
fn names_of_managers_are_checked() {
    let server = Setup::new().scheme(scheme()).start();
    let gauge = json!({"metadata": {"name": "g"}, "colour": "red"});
    for (name, code) in [("x".repeat(128), 201), ("x".repeat(129), 422), ("a%07".to_owned(), 422)] {
        let path = format!("{}?dryRun=All&fieldManager={name}", path("v1"));
        server.client.post(&path, &gauge).expect(code);
    }
}
