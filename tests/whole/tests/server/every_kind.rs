//! Tests every kind at every version through the server: creates an object with only the required fields, reads it at
//! all versions of its family, lists, changes and deletes it.
#![cfg(unix)]

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use hubgen_kubernetes::machinery::reflect::{Descriptor, Field, Type};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_kubernetes::machinery::structural;
use hubgen_validation::Schema;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::process::Process;

const NAME: &str = "x";

#[test]
fn every_kind_at_every_version() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let scheme = hubgen_kubernetes::scheme();
    let (mut stored, mut reviewed) = (0, 0);
    for entry in scheme.kinds() {
        let Some(resource) = &entry.resource else { continue };
        if entry.kind == "CustomResourceDefinition" {
            test_definition(server.client, &scheme, entry);
            stored += 1;
        } else if resource.verbs.contains("get") && resource.verbs.contains("create") {
            test_stored_kind(server.client, &scheme, entry);
            stored += 1;
        } else if resource.verbs.contains("create") {
            test_review(server.client, entry);
            reviewed += 1;
        }
    }
    assert!(stored > 150, "{stored} kinds at all versions are stored");
    assert!(reviewed > 5, "{reviewed} reviews at all versions");
}

/// Kubernetes' types can be parts of custom resources, so the API server has to accept their schemas.
#[test]
fn every_kind_has_a_structural_schema() {
    let mut count = 0;
    for entry in hubgen_kubernetes::scheme().kinds() {
        let schema = structural::schema(entry.object().descriptor());
        let (version, kind) = (&entry.version, &entry.kind);
        Schema::compile(&schema)
            .unwrap_or_else(|errors| panic!("{} {version} {kind}: {errors}", entry.group));
        count += 1;
    }
    assert!(count > 400, "{count} kinds at all versions");
}

/// The keys of the archive's kinds are upstream's: without a group, except for two groups that began as separate
/// servers, and with six historic names.
#[test]
fn every_kind_has_upstreams_key() {
    let scheme = hubgen_kubernetes::scheme();
    let (mut of_plural, mut others) = (0, std::collections::BTreeSet::new());
    for entry in scheme.kinds() {
        let Some(resource) = &entry.resource else { continue };
        assert!(entry.is_built_in, "{entry}");
        let prefix = scheme.storage_prefix(entry);
        if prefix == format!("/registry/{}/", resource.plural) {
            of_plural += 1;
        } else {
            others.insert(prefix);
        }
    }
    assert!(of_plural > 150, "{of_plural} kinds at all versions are stored under their plural");
    let expected = [
        "/registry/apiextensions.k8s.io/customresourcedefinitions/",
        "/registry/apiregistration.k8s.io/apiservices/",
        "/registry/controllers/",
        "/registry/ingress/",
        "/registry/minions/",
        "/registry/podsecuritypolicy/",
        "/registry/services/endpoints/",
        "/registry/services/specs/",
    ];
    assert_eq!(others.into_iter().collect::<Vec<_>>(), expected);
}

/// Performs all operations on an object of a stored kind.
fn test_stored_kind(client: Client, scheme: &Scheme, entry: &Arc<KindEntry>) {
    let collection = collection(entry);
    let object = format!("{collection}/{NAME}");
    let created = client.post(&collection, &minimal(entry)).expect(201);
    assert_eq!(created["kind"], *entry.kind);
    assert_eq!(created["apiVersion"], entry.api_version());
    assert_eq!(client.get(&object).expect(200), created, "{entry}");

    let list = client.get(&collection).expect(200);
    let names: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, [NAME], "{entry}");

    let family = entry.family.as_ref().map_or_else(Vec::new, |family| scheme.family(family).collect());
    for other in family.into_iter().filter(|other| *other != entry && other.resource.is_some()) {
        let path = format!("{}/{NAME}", self::collection(other));
        let converts = |entry: &KindEntry| matches!(entry.conversion, Conversion::Hub(_));
        if converts(entry) && converts(other) {
            let same = client.get(&path).expect(200);
            assert_eq!(same["apiVersion"], other.api_version());
            assert_eq!(same["metadata"]["uid"], created["metadata"]["uid"]);
        } else {
            let status = client.get(&path).expect(500);
            let message = status["message"].as_str().unwrap();
            assert!(message.contains(&*entry.kind), "{entry} as {other}: {message}");
        }
    }

    // An unchanged object is not written.
    let revision = |object: &Value| object["metadata"]["resourceVersion"].clone();
    assert_eq!(client.put(&object, &created).expect(200), created, "{entry}");
    let mut changed = created.clone();
    changed["metadata"]["labels"] = json!({"a": "b"});
    let changed = client.put(&object, &changed).expect(200);
    assert_ne!(revision(&changed), revision(&created), "{entry}");
    assert_eq!(changed["metadata"]["labels"]["a"], "b", "{entry}");
    assert_eq!(client.put(&object, &created).expect(409)["reason"], "Conflict");

    let gone = client.delete(&object).expect(200);
    assert_eq!(gone["status"], "Success", "{entry}");
    client.get(&object).expect(404);
}

/// Creates a definition, reads it at all versions, and deletes it. It changes by itself, and is gone a while after that.
fn test_definition(client: Client, scheme: &Scheme, entry: &Arc<KindEntry>) {
    let group = format!("{}.example.com", entry.version);
    let name = format!("widgets.{group}");
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let definition = json!({
        "metadata": {"name": name},
        "spec": {
            "group": group, "scope": "Cluster", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    let created = client.post(&collection(entry), &definition).expect(201);
    for other in entry.family.iter().flat_map(|family| scheme.family(family)) {
        let same = client.get(&format!("{}/{name}", collection(other))).expect(200);
        assert_eq!(same["apiVersion"], other.api_version());
        assert_eq!(same["metadata"]["uid"], created["metadata"]["uid"]);
    }
    let object = format!("{}/{name}", collection(entry));
    client.delete(&object).expect(200);
    let start = Instant::now();
    while client.get(&object).code != 404 {
        assert!(start.elapsed() < Duration::from_secs(30), "{entry} stays");
        sleep(Duration::from_millis(5));
    }
}

/// Performs all operations on a review, which can only be created. One that asks nothing is refused.
fn test_review(client: Client, entry: &Arc<KindEntry>) {
    let collection = collection(entry);
    let mut review = minimal(entry);
    review.as_object_mut().expect("an object").remove("metadata");
    let answer = client.post(&collection, &review);
    let refusal = match &*entry.kind {
        "Binding" => Some((422, "target.name: Required value")),
        "SubjectAccessReview" | "SelfSubjectAccessReview" | "LocalSubjectAccessReview" => {
            Some((422, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
        }
        "SelfSubjectRulesReview" => Some((400, "no namespace on request")),
        _ => None,
    };
    match refusal {
        Some((code, why)) => {
            let message = answer.expect(code)["message"].as_str().expect("a message").to_owned();
            assert!(message.contains(why), "{entry}: {message}");
        }
        None => assert_eq!(answer.expect(201)["kind"], *entry.kind),
    }
    client.get(&collection).expect(405);
    client.get(&format!("{collection}/{NAME}")).expect(404);
}

fn collection(entry: &KindEntry) -> String {
    let resource = entry.resource.as_ref().expect("only resources have a path");
    let root = if entry.group.is_empty() { "api" } else { "apis" };
    let namespace = if resource.namespaced { "namespaces/default/" } else { "" };
    format!("/{root}/{}/{namespace}{}", entry.api_version(), resource.plural)
}

/// An object with only its name and the required fields.
fn minimal(entry: &KindEntry) -> Value {
    let mut object = required(&entry.descriptor());
    object["metadata"] = json!({"name": NAME});
    if let Some(role) = object.get_mut("roleRef") {
        // Bindings are checked beyond their schema.
        role["kind"] = json!("ClusterRole");
    }
    // The pods of Jobs must not be restarted for ever, as pods are by default.
    let pod = json!({"containers": [], "restartPolicy": "Never"});
    match &*entry.kind {
        "Job" => object["spec"]["template"]["spec"] = pod,
        "CronJob" => {
            object["spec"] =
                json!({"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": pod}}}});
        }
        _ => {}
    }
    object
}

fn required(descriptor: &Descriptor) -> Value {
    let fields = descriptor.fields.iter().filter(|field| field.facts.required());
    Value::Object(fields.map(|field| (field.name.to_string(), value(field))).collect::<Map<_, _>>())
}

fn value(field: &Field) -> Value {
    match &field.ty {
        Type::Bool => json!(false),
        Type::Int32 | Type::Int64 | Type::Double | Type::IntOrString | Type::Quantity => json!(0),
        Type::Uint16 | Type::Uint32 | Type::Uint64 | Type::Float => json!(0),
        Type::String => json!(field.facts.enumeration().get(0).unwrap_or("x")),
        Type::Leaf(leaf) => json!(leaf.examples[0]),
        Type::Enum(words) | Type::Words(words) => json!(words[0]),
        Type::Bytes => json!(""),
        Type::Time => json!("2026-01-02T03:04:05Z"),
        Type::MicroTime => json!("2026-01-02T03:04:05.000006Z"),
        Type::Duration => json!("1s"),
        Type::Strings | Type::List(_) => json!([]),
        Type::Struct(ty) => required(&ty.descriptor()),
        Type::Raw | Type::Map(_) | Type::Union(_) => json!({}),
    }
}
