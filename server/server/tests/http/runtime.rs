//! A kind whose types are made at run time is served like a compiled one.

use std::sync::Arc;

use hubgen_machinery::convert::{ConvertError, ConvertObject, ViaHub};
use hubgen_machinery::json;
use hubgen_machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{NewObject, Reflect, Text, Type, Words};
use hubgen_machinery::scheme::{Conversion, Family, GroupVersionKind, KindEntry, Resource, Scheme};
use serde_json::{Value, json};

use crate::harness::Setup;

/// The indices of the types of the two versions, the older version first.
const GAUGES: [usize; 2] = [1, 2];

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
    let gauge = |name: &str| StructDef {
        fields: vec![FieldDef::new("metadata", TypeDef::Struct(0)), field(name, Type::String)],
        ..StructDef::new("Gauge")
    };
    let metadata = StructDef { fields: metadata, ..StructDef::new("ObjectMeta") };
    Types::new(vec![metadata, gauge(NAMES[0]), gauge(NAMES[1])]).unwrap()
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

fn scheme() -> Scheme {
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
            verbs: ["create", "delete", "get", "list", "update"].map(str::to_owned).into_iter().collect(),
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

fn path(version: &str) -> String {
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
