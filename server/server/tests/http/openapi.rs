//! What is published of kinds as OpenAPI, and how clients are spared what they have.

use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use hubgen_machinery::scheme::Scheme;
use hubgen_server::Kinds;
use hubgen_server::openapi::Sources;
use openapiv3::{OpenAPI, Parameter, ReferenceOr};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const V3: &str = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
const V2: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

fn get(server: &Harness, path: &str, headers: &[(&str, &str)]) -> Answer {
    server.client.send("GET", path, headers, b"")
}

/// Where a document is, with its hash.
fn url(server: &Harness, path: &str) -> String {
    let list = server.client.get("/openapi/v3").expect(200);
    list["paths"][path]["serverRelativeURL"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned()
}

#[test]
fn the_list_names_a_document_for_all_that_is_served() {
    let server = Harness::new();
    let list = server.client.get("/openapi/v3").expect(200);
    let paths: Vec<_> = list["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "api",
            "api/v1",
            "apis",
            "apis/apps",
            "apis/apps/v1",
            "apis/batch",
            "apis/batch/v1",
            "apis/example.com",
            "apis/example.com/v1",
            "apis/example.com/v1alpha1",
            "apis/old.example.com",
            "apis/old.example.com/v1beta1",
            "apis/rbac.authorization.k8s.io",
            "apis/rbac.authorization.k8s.io/v1",
            "version",
        ]
    );
    for path in paths {
        let document = server.client.get(&url(&server, path)).expect(200);
        let read: OpenAPI = serde_json::from_value(document.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), document, "{path}");
    }
    server.client.get("/openapi/v3/apis/example.com/v2").expect(404);
    assert_eq!(server.client.send("POST", "/openapi/v3", &[], b"").code, 405);
}

/// This is how kubectl since 1.29 finds out whether the server validates fields.
#[test]
fn a_patch_has_the_parameter_by_which_fields_are_validated() {
    let server = Harness::new();
    let text = server.client.get("/openapi/v3/apis/example.com/v1").body;
    let document: OpenAPI = serde_json::from_str(&text).unwrap();
    let path = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}";
    let ReferenceOr::Item(item) = &document.paths.paths[path] else { panic!("{path}") };
    let patch = item.patch.as_ref().unwrap();
    assert_eq!(
        patch.extensions["x-kubernetes-group-version-kind"],
        json!({"group": "example.com", "kind": "Widget", "version": "v1"})
    );
    assert_eq!(patch.extensions["x-kubernetes-action"], json!("patch"));
    let is_query = |parameter: &&ReferenceOr<Parameter>| match parameter {
        ReferenceOr::Item(Parameter::Query { parameter_data, .. }) => {
            parameter_data.name == "fieldValidation"
        }
        _ => false,
    };
    assert_eq!(patch.parameters.iter().filter(is_query).count(), 1);
    let paths: Vec<_> = document.paths.paths.keys().filter(|path| path.contains("/widgets")).collect();
    assert_eq!(
        paths,
        [
            "/apis/example.com/v1/namespaces/{namespace}/widgets",
            "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
            "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
            "/apis/example.com/v1/watch/namespaces/{namespace}/widgets",
            "/apis/example.com/v1/watch/namespaces/{namespace}/widgets/{name}",
            "/apis/example.com/v1/watch/widgets",
            "/apis/example.com/v1/widgets",
        ]
    );
    // Reviews can only be created.
    let ReferenceOr::Item(reviews) = &document.paths.paths["/apis/example.com/v1/reviews"] else { panic!() };
    assert!(reviews.post.is_some() && reviews.get.is_none() && reviews.delete.is_none());
}

#[test]
fn a_document_is_sent_once() {
    let server = Harness::new();
    let url = url(&server, "apis/example.com/v1");
    let (path, hash) = url.split_once("?hash=").unwrap();
    let first = get(&server, &url, &[]);
    let tag = format!("\"{hash}\"");
    assert_eq!((first.code, first.header("etag"), first.header("vary")), (200, vec![&*tag], vec!["Accept"]));
    // What has this address never changes.
    assert_eq!(first.header("cache-control"), ["public, immutable, max-age=31536000"]);
    let plain = get(&server, path, &[]);
    assert_eq!(
        (plain.header("cache-control"), plain.header("etag")),
        (vec!["no-cache, private"], vec![&*tag])
    );
    assert_eq!(plain.body, first.body);
    let again = get(&server, path, &[("If-None-Match", &tag)]);
    assert_eq!((again.code, &*again.body, again.header("etag")), (304, "", vec![&*tag]));
    // Another hash was that of an earlier document.
    let moved = get(&server, &format!("{path}?hash=0"), &[]);
    assert_eq!((moved.code, moved.header("location"), &*moved.body), (301, vec![&*url], ""));
}

#[test]
fn documents_are_negotiated() {
    let server = Harness::new();
    let path = "/openapi/v3/apis/example.com/v1";
    let json = get(&server, path, &[]);
    assert_eq!(json.header("content-type"), ["application/json"]);
    for accept in [V3, &V3.replace('@', "."), &format!("{V3},application/json;q=0.9")] {
        let answer = get(&server, path, &[("Accept", accept)]);
        let media_type = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
        assert_eq!((answer.code, answer.header("content-type")), (200, vec![media_type]), "{accept}");
        assert_eq!(answer.header("etag"), json.header("etag"));
        // Field 1 is the version of OpenAPI.
        assert!(answer.bytes.starts_with(b"\n\x053.0.0"), "{accept}");
    }
    let swagger = get(&server, "/openapi/v2", &[("Accept", V2)]);
    assert_eq!(
        swagger.header("content-type"),
        ["application/com.github.proto-openapi.spec.v2.v1.0+protobuf"]
    );
    assert!(swagger.bytes.starts_with(b"\n\x032.0"));
    for (path, accept) in [(path, V2), ("/openapi/v2", V3), (path, "application/yaml"), ("/openapi/v3", V3)] {
        get(&server, path, &[("Accept", accept)]).expect(406);
    }
    for path in [path, "/openapi/v2", "/openapi/v3"] {
        let plain = get(&server, path, &[]);
        let packed = get(&server, path, &[("Accept-Encoding", "gzip")]);
        assert_eq!(packed.header("content-encoding"), ["gzip"]);
        let mut text = String::new();
        GzDecoder::new(&*packed.bytes).read_to_string(&mut text).unwrap();
        assert_eq!(text, plain.body, "{path}");
    }
}

#[test]
fn swagger_has_all_group_versions() {
    let server = Harness::new();
    let document = server.client.get("/openapi/v2").expect(200);
    assert_eq!(document["swagger"], "2.0");
    let paths = document["paths"].as_object().unwrap();
    for path in ["/api/", "/apis/", "/version/", "/apis/example.com/", "/apis/apps/v1/"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let patch = &paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"];
    let body = json!({"name": "body", "in": "body", "required": true,
        "schema": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}});
    assert_eq!(patch["parameters"][0], body);
    assert_eq!(patch["parameters"][3], json!({"name": "fieldValidation", "in": "query", "type": "string"}));
    assert_eq!(patch["responses"]["200"]["schema"], json!({"$ref": "#/definitions/com.example.v1.Widget"}));
    // No reference leads nowhere.
    let text = document.to_string();
    for (at, prefix) in text.match_indices("#/definitions/") {
        let name = &text[at + prefix.len()..];
        let name = &name[..name.find('"').unwrap()];
        assert!(document["definitions"].get(name).is_some(), "{name}");
    }
}

/// The schema of a kind in a document.
fn schema(server: &Harness, group_version: &str, name: &str) -> Value {
    let document = server.client.get(&format!("/openapi/v3/apis/{group_version}")).expect(200);
    document["components"]["schemas"][name].clone()
}

#[test]
fn a_kind_from_a_definition_has_its_schema() {
    let definition = json!({"spec": {
        "group": "example.com",
        "names": {"kind": "Widget"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {
            "type": "object",
            "description": "A widget.",
            "required": ["spec"],
            "properties": {
                "spec": {"type": "object", "properties": {
                    "port": {"x-kubernetes-int-or-string": true, "nullable": true},
                    "width": {"type": "integer", "minimum": 1, "default": 3},
                }},
            },
        }}}],
    }});
    let mut sources = Sources::default();
    sources.definition(&definition);
    let server = Setup::new().published(sources).start();
    let reference = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    let kinds = json!([{"group": "example.com", "kind": "Widget", "version": "v1"}]);
    assert_eq!(
        schema(&server, "example.com/v1", "com.example.v1.Widget"),
        json!({
            "type": "object",
            "description": "A widget.",
            "required": ["spec"],
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "metadata": {"allOf": [{"$ref": reference}]},
                "spec": {"type": "object", "properties": {
                    "port": {"x-kubernetes-int-or-string": true, "nullable": true},
                    "width": {"type": "integer", "minimum": 1, "default": 3},
                }},
            },
            "x-kubernetes-group-version-kind": kinds,
        })
    );
    let list = schema(&server, "example.com/v1", "com.example.v1.WidgetList");
    assert_eq!(
        list["properties"]["items"],
        json!({"type": "array", "items": {"$ref": "#/components/schemas/com.example.v1.Widget"}})
    );
    // OpenAPI v2 has no word for a value that can be null, or of two forms, and upstream leaves defaults out.
    let swagger = server.client.get("/openapi/v2").expect(200);
    assert_eq!(
        swagger["definitions"]["com.example.v1.Widget"]["properties"]["spec"]["properties"],
        json!({"port": {"x-kubernetes-int-or-string": true}, "width": {"type": "integer", "minimum": 1}})
    );
    // Nothing is known of the other version, so that anything is allowed.
    let other = schema(&server, "old.example.com/v1beta1", "com.example.old.v1beta1.Widget");
    assert_eq!(
        (&other["type"], &other["x-kubernetes-preserve-unknown-fields"]),
        (&json!("object"), &json!(true))
    );
}

#[test]
fn documents_follow_the_kinds() {
    let server = Harness::new();
    let (list, example) = (server.client.get("/openapi/v3").expect(200), url(&server, "apis/example.com/v1"));
    server.served.replace(Kinds::new(Arc::new(Scheme::new())));
    let empty = server.client.get("/openapi/v3").expect(200);
    let paths: Vec<_> = empty["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(paths, ["api", "apis", "version"]);
    server.client.get(&example).expect(404);
    server.served.replace(Kinds::new(Arc::new(crate::scheme::scheme())));
    // The same content has the same hash.
    assert_eq!(server.client.get("/openapi/v3").expect(200), list);
}
