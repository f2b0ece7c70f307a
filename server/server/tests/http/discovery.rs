//! Discovery lists exactly what is served.

use serde_json::json;

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
            "shortNames": ["wd"], "categories": ["all"]})
    );
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

#[test]
fn health_and_version() {
    let server = Harness::new();
    for path in ["/healthz", "/readyz", "/livez"] {
        let answer = server.client.get(path);
        assert_eq!((answer.code, answer.body.as_str()), (200, "ok"));
    }
    let version = server.client.get("/version").expect(200);
    assert_eq!((&version["major"], &version["minor"]), (&json!("1"), &json!("37")));
    assert!(server.client.get("/apis?pretty=true").body.starts_with("{\n  \"kind\""));
}
