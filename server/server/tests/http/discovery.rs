//! Discovery lists exactly what is served.

use serde_json::{Value, json};

use crate::harness::Harness;

#[test]
fn groups_and_versions() {
    let server = Harness::new();
    let client = server.client;
    let core = client.get("/api").expect(200);
    assert_eq!((&core["kind"], &core["versions"]), (&json!("APIVersions"), &json!(["v1"])));
    assert_eq!(core["serverAddressByClientCIDRs"][0]["serverAddress"], client.0.to_string());
    let groups = client.get("/apis").expect(200);
    assert_eq!(groups["kind"], "APIGroupList");
    let names: Vec<_> =
        groups["groups"].as_array().unwrap().iter().map(|group| group["name"].clone()).collect();
    // In upstream's order of priority; Kubernetes' groups come before those of custom resources.
    assert_eq!(names, ["apps", "batch", "rbac.authorization.k8s.io", "example.com", "old.example.com"]);
    let group = client.get("/apis/example.com").expect(200);
    assert_eq!(group["kind"], "APIGroup");
    let (v1, v1alpha1) = (
        json!({"groupVersion": "example.com/v1", "version": "v1"}),
        json!({"groupVersion": "example.com/v1alpha1", "version": "v1alpha1"}),
    );
    assert_eq!(group["versions"], json!([v1, v1alpha1]));
    assert_eq!(group["preferredVersion"], v1);
}

#[test]
fn resources_and_their_verbs() {
    let server = Harness::new();
    let list = server.client.get("/apis/example.com/v1").expect(200);
    assert_eq!((&list["kind"], &list["groupVersion"]), (&json!("APIResourceList"), &json!("example.com/v1")));
    let resources = list["resources"].as_array().unwrap();
    let names: Vec<_> = resources.iter().map(|resource| resource["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["others", "reviews", "widgets", "widgets/status"]);
    assert_eq!(resources[1]["verbs"], json!(["create"]));
    assert_eq!(resources[1]["namespaced"], false);
    assert_eq!(
        resources[2],
        json!({"name": "widgets", "singularName": "widget", "namespaced": true, "kind": "Widget",
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "shortNames": ["wd"], "categories": ["all"], "storageVersionHash": resources[2]["storageVersionHash"]})
    );
    assert!(resources[1].get("storageVersionHash").is_none(), "reviews are not stored");
    // In another group, the short name would be ambiguous, and the category would list each object
    // twice.
    let old = server.client.get("/apis/old.example.com/v1beta1").expect(200);
    assert_eq!(old["resources"][0]["name"], "widgets");
    assert!(old["resources"][0].get("shortNames").is_none(), "{old}");
    assert!(old["resources"][0].get("categories").is_none(), "{old}");
    assert_eq!(resources[3]["verbs"], json!(["get", "patch", "update"]));
    let core = server.client.get("/api/v1").expect(200);
    assert_eq!(core["groupVersion"], "v1");
}

/// Migrators see by it that a kind is stored at another version. That of Deployments is kube-apiserver's.
#[test]
fn hashes_tell_the_version_in_storage() {
    let server = Harness::new();
    let hash = |path: &str, name: &str| {
        let list = server.client.get(path).expect(200);
        let resources = list["resources"].as_array().unwrap();
        resources.iter().find(|resource| resource["name"] == name).unwrap()["storageVersionHash"].clone()
    };
    assert_eq!(hash("/apis/apps/v1", "deployments"), "8aSe+NMegvE=");
    let other = hash("/apis/old.example.com/v1beta1", "widgets");
    assert_eq!(hash("/apis/example.com/v1", "widgets"), other);
}

/// What client-go asks for since 1.30.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
    application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

#[test]
fn all_resources_in_one_answer() {
    let server = Harness::new();
    let get = |path: &str, accept: &str| server.client.send("GET", path, &[("Accept", accept)], b"");
    let all = get("/apis", AGGREGATED);
    let media_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert_eq!(all.header("content-type"), [media_type]);
    assert_eq!((all.header("vary"), all.header("cache-control")), (vec!["Accept"], vec!["public"]));
    let list = all.expect(200);
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&json!("APIGroupDiscoveryList"), &json!("apidiscovery.k8s.io/v2"))
    );
    // The same as the other paths tell.
    let groups = list["items"].as_array().unwrap();
    let plain = server.client.get("/apis").expect(200);
    let names = |groups: &[Value], name: &str| -> Vec<Value> {
        groups.iter().map(|group| group.pointer(name).unwrap().clone()).collect()
    };
    assert_eq!(names(groups, "/metadata/name"), names(plain["groups"].as_array().unwrap(), "/name"));
    let example = groups.iter().find(|group| group["metadata"]["name"] == "example.com").unwrap();
    assert_eq!(names(example["versions"].as_array().unwrap(), "/version"), ["v1", "v1alpha1"]);
    let v1 = &example["versions"][0];
    assert_eq!(v1["freshness"], "Current");
    assert_eq!(names(v1["resources"].as_array().unwrap(), "/resource"), ["others", "reviews", "widgets"]);
    assert_eq!(
        v1["resources"][2],
        json!({"resource": "widgets", "singularResource": "widget", "scope": "Namespaced",
            "responseKind": {"group": "", "version": "", "kind": "Widget"},
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "shortNames": ["wd"], "categories": ["all"],
            "subresources": [{"subresource": "status", "verbs": ["get", "patch", "update"],
                "responseKind": {"group": "", "version": "", "kind": "Widget"}}]})
    );
    let core = get("/api", AGGREGATED).expect(200);
    assert_eq!(core["items"][0]["metadata"].get("name"), None);
    assert_eq!(core["items"][0]["versions"][0]["version"], "v1");
}

#[test]
fn aggregated_discovery_is_negotiated() {
    let server = Harness::new();
    let get = |headers: &[(&str, &str)]| server.client.send("GET", "/apis", headers, b"");
    let older = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    let answer = get(&[("Accept", older)]);
    assert_eq!(answer.header("content-type"), [older]);
    assert_eq!(answer.expect(200)["apiVersion"], "apidiscovery.k8s.io/v2beta1");
    assert_eq!(answer.json()["items"], get(&[("Accept", AGGREGATED)]).json()["items"]);
    let protobuf = "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let answer = get(&[("Accept", protobuf)]);
    assert_eq!((answer.code, answer.header("content-type")), (200, vec![protobuf]));
    assert!(answer.bytes.starts_with(b"k8s\0"));
    // Other kinds and versions are not known, and the next range counts.
    for accept in [
        "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json",
        "application/json;g=other;v=v2;as=APIGroupDiscoveryList,*/*",
        "application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    ] {
        assert_eq!(get(&[("Accept", accept)]).expect(200)["kind"], "APIGroupList", "{accept}");
    }
    get(&[("Accept", "application/json;g=other;v=v2;as=APIGroupDiscoveryList")]).expect(406);
    get(&[("Accept", "application/vnd.kubernetes.protobuf")]).expect(406);
}

#[test]
fn a_client_that_has_it_is_not_sent_it_again() {
    let server = Harness::new();
    let get = |path: &str, known: &str| {
        server.client.send("GET", path, &[("Accept", AGGREGATED), ("If-None-Match", known)], b"")
    };
    let first = get("/apis", "\"other\"");
    let tag = first.header("etag")[0];
    assert!(first.code == 200 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    let again = get("/apis", tag);
    assert_eq!((again.code, &*again.body, again.header("etag")), (304, "", vec![tag]));
    // That of other groups has another one.
    assert_eq!(get("/api", tag).code, 200);
}

#[test]
fn health_and_version() {
    let server = Harness::new();
    for path in ["/healthz", "/readyz", "/livez"] {
        let answer = server.client.get(path);
        assert_eq!((answer.code, answer.body.as_str()), (200, "ok"));
    }
    let version = server.client.get("/version").expect(200);
    assert_eq!((&version["major"], &version["minor"]), (&json!("1"), &json!("37")));
    // Upstream's document requires these, and clients that are generated from it, too.
    let required =
        ["buildDate", "compiler", "gitCommit", "gitTreeState", "gitVersion", "goVersion", "platform"];
    for field in required {
        assert!(version[field].is_string(), "{field}: {version}");
    }
    assert!(server.client.get("/apis?pretty=true").body.starts_with("{\n  \"kind\""));
}
