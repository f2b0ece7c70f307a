//! Documents of all kinds of Kubernetes, read back through the types of `openapiv3`.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_openapi::{Descriptions, GroupVersion, Kind, Publisher, Resource, Sources, gnostic};
use openapiv3::OpenAPI;
use serde_json::{Value, json};

/// The resources of all group versions, as the schemas list them.
fn group_versions() -> Vec<GroupVersion> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut all: BTreeMap<(String, String), Vec<Resource>> = BTreeMap::new();
    for (path, document) in hubgen_schemas::kubernetes() {
        if !path.ends_with(".json") {
            continue;
        }
        let document: Value = serde_json::from_str(document).unwrap();
        for schema in document["components"]["schemas"].as_object().unwrap().values() {
            let Some(resource) = schema.get("x-resource") else { continue };
            let kinds = schema["x-kubernetes-group-version-kind"].as_array().unwrap();
            for kind in kinds {
                let kind = Kind {
                    group: text(kind, "group"),
                    version: text(kind, "version"),
                    kind: text(kind, "kind"),
                };
                let plural = text(resource, "plural");
                let part = |name: String, kind: Kind, verbs: &Value| Resource {
                    name,
                    namespaced: resource["scope"] == "Namespaced",
                    kind,
                    verbs: texts(verbs),
                    media: vec!["application/json", "application/vnd.kubernetes.protobuf"],
                    patches: vec!["application/merge-patch+json"],
                };
                let list = all.entry((kind.group.clone(), kind.version.clone())).or_default();
                list.push(part(plural.clone(), kind.clone(), &resource["verbs"]));
                for (name, sub) in resource["subresources"].as_object().into_iter().flatten() {
                    let of = match sub.get("kind") {
                        Some(of) => Kind {
                            group: text(of, "group"),
                            version: text(of, "version"),
                            kind: text(of, "kind"),
                        },
                        None => kind.clone(),
                    };
                    list.push(part(format!("{plural}/{name}"), of, &sub["verbs"]));
                }
            }
        }
    }
    let made = |((group, version), resources)| GroupVersion { group, version, resources, defined: false };
    all.into_iter().map(made).collect()
}

fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.distilled(hubgen_schemas::kubernetes());
    sources
}

/// The names to which JSON refers, and all of its keys.
fn walk<'v>(value: &'v Value, references: &mut BTreeSet<&'v str>, keys: &mut BTreeSet<&'v str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, references, keys)),
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert(key);
                if let ("$ref", Some(name)) = (&**key, value.as_str()) {
                    references.insert(name.rsplit('/').next().unwrap());
                }
                walk(value, references, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn every_document_is_openapi_and_whole() {
    let sources = sources();
    let publisher = Publisher::new(&sources, "v1.37.0").unwrap();
    let all = group_versions();
    assert_eq!(all.len(), 74);
    for of in &all {
        let made = publisher.group_version(of);
        let text = serde_json::to_string(&made).unwrap();
        assert_eq!(serde_json::from_str::<OpenAPI>(&text).unwrap(), made, "{}", of.path());
        let document: Value = serde_json::from_str(&text).unwrap();
        let (mut references, mut keys) = (BTreeSet::new(), BTreeSet::new());
        walk(&document, &mut references, &mut keys);
        let schemas: BTreeSet<_> =
            document["components"]["schemas"].as_object().unwrap().keys().map(String::as_str).collect();
        // Every schema is there that is referred to, and no other.
        assert_eq!(references, schemas, "{}", of.path());
        let ours = keys.iter().find(|key| key.starts_with("x-") && !key.starts_with("x-kubernetes-"));
        assert_eq!(ours, None, "{}", of.path());
        // No schema is unknown.
        assert!(!text.contains("x-kubernetes-preserve-unknown-fields\":true"), "{}", of.path());
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let untyped = properties.filter(|(_, field)| field.get("type").or(field.get("allOf")).is_none());
            assert_eq!(untyped.count(), 0, "{name}: {schema}");
        }
        let named = |name: &&str| name.starts_with("io.k8s.");
        assert!(schemas.iter().all(named), "{}", of.path());
        assert!(gnostic::v3(&text).unwrap().len() > 1000);
    }
    let swagger = publisher.swagger(&all, &["major"]);
    assert!(gnostic::v2(&swagger).unwrap().len() > 1_000_000);
    let swagger: Value = serde_json::from_str(&swagger).unwrap();
    let (mut references, mut keys) = (BTreeSet::new(), BTreeSet::new());
    walk(&swagger, &mut references, &mut keys);
    let definitions: BTreeSet<_> =
        swagger["definitions"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(references, definitions);
    let missing = keys.into_iter().filter(|key| ["oneOf", "anyOf", "nullable", "requestBody"].contains(key));
    // The fields of CustomResourceDefinitions that have these names.
    assert_eq!(missing.collect::<Vec<_>>(), ["anyOf", "nullable", "oneOf"]);
}

/// The schemas of a group version, as of a release.
fn schemas(group: &str, version: &str, release: Option<&str>) -> Value {
    let mut sources = sources();
    if let Some(release) = release {
        sources.release(release.parse().unwrap());
    }
    let publisher = Publisher::new(&sources, "v1.37.0").unwrap();
    let all = group_versions();
    let of = all.iter().find(|of| of.group == group && of.version == version).unwrap();
    json!(publisher.group_version(of))["components"]["schemas"].take()
}

#[test]
fn fields_are_those_of_the_release() {
    let spec = |release| {
        let fields = schemas("", "v1", release)["io.k8s.api.core.v1.PodSpec"]["properties"].take();
        ["resources", "hostnameOverride", "workloadRef", "evictionResponders"]
            .map(|name| fields.get(name).is_some())
    };
    assert_eq!(spec(None), [true, true, false, true]);
    assert_eq!(spec(Some("1.35")), [true, true, true, false]);
    assert_eq!(spec(Some("1.31")), [false, false, false, false]);
    // A type that nothing has any more is not there.
    let names = schemas("", "v1", Some("1.31"));
    assert_eq!(names.get("io.k8s.api.core.v1.WorkloadReference"), None);
    // A group version that ended is as it was at its end, with types of others as they are today.
    let old = schemas("extensions", "v1beta1", None);
    assert!(
        old["io.k8s.api.extensions.v1beta1.PodSecurityPolicySpec"]["properties"].get("runAsGroup").is_some()
    );
    assert!(old["io.k8s.api.core.v1.PodSpec"]["properties"].get("evictionResponders").is_some());
}

#[test]
fn facts_are_those_that_clients_know() {
    let core = schemas("", "v1", None);
    let meta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1";
    let quantity = "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity";
    for (ty, field, schema) in [
        ("Pod", "metadata", json!({"default": {}, "allOf": [{"$ref": format!("{meta}.ObjectMeta")}]})),
        ("PodSpec", "nodeName", json!({"type": "string"})),
        ("Container", "name", json!({"type": "string", "default": ""})),
        ("ContainerStatus", "ready", json!({"type": "boolean", "default": false})),
        (
            "PodSpec",
            "volumes",
            json!({"type": "array", "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Volume"},
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "name"}),
        ),
        (
            "ResourceRequirements",
            "limits",
            json!({"type": "object", "additionalProperties": {"$ref": quantity}}),
        ),
        ("ContainerStateRunning", "startedAt", json!({"allOf": [{"$ref": format!("{meta}.Time")}]})),
        (
            "Secret",
            "data",
            json!({"type": "object", "additionalProperties": {"type": "string", "format": "byte"}}),
        ),
        (
            "HTTPGetAction",
            "port",
            json!({"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}]}),
        ),
        ("PodAffinityTerm", "labelSelector", json!({"allOf": [{"$ref": format!("{meta}.LabelSelector")}]})),
    ] {
        assert_eq!(core[format!("io.k8s.api.core.v1.{ty}")]["properties"][field], schema, "{ty}.{field}");
    }
    let selector = &core["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
    assert_eq!(selector["x-kubernetes-map-type"], "atomic");
    assert_eq!(core["io.k8s.api.core.v1.Container"]["required"], json!(["name"]));
    // Of the kinds of all groups under which clients may send these options, those of the document.
    let options = &core["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
    let kinds = json!([{"group": "", "kind": "DeleteOptions", "version": "v1"}]);
    assert_eq!(options["x-kubernetes-group-version-kind"], kinds);
    let extensions = schemas("apiextensions.k8s.io", "v1", None);
    let package = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
    let properties = &extensions[format!("{package}.JSONSchemaProps")]["properties"];
    for (field, name) in [
        ("default", "JSON"),
        ("items", "JSONSchemaPropsOrArray"),
        ("additionalProperties", "JSONSchemaPropsOrBool"),
    ] {
        let reference = format!("#/components/schemas/{package}.{name}");
        assert_eq!(properties[field], json!({"allOf": [{"$ref": reference}]}), "{field}");
        assert_eq!(extensions[format!("{package}.{name}")], json!({}));
    }
}

#[test]
fn types_and_fields_are_described() {
    let text = r#"{"core/v1 Pod": {"": "A pod.", "spec": "What it runs."}}"#;
    let mut sources = sources();
    sources.described(Descriptions::read(text).unwrap());
    let publisher = Publisher::new(&sources, "v1.37.0").unwrap();
    let all = group_versions();
    let core = json!(publisher.group_version(all.iter().find(|of| of.group.is_empty()).unwrap()));
    let pod = &core["components"]["schemas"]["io.k8s.api.core.v1.Pod"];
    assert_eq!(
        (&pod["description"], &pod["properties"]["spec"]["description"]),
        (&json!("A pod."), &json!("What it runs."))
    );
    let error = Descriptions::read("[1]").unwrap_err().to_string();
    assert!(error.starts_with("no descriptions as `cargo xtask release --docs` writes them: "), "{error}");
}
