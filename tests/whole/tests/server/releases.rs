//! What is served: that of the newest Kubernetes, what a configuration adds, and that of an earlier release.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_checks::differential::discovery;
use serde_json::{Value, json};

use crate::client::Client;
use crate::process::Process;
use crate::serve::refused;

/// Group, version and kind.
type Kind = (String, String, String);

fn server(options: &[&str]) -> (tempfile::TempDir, Process) {
    let directory = tempfile::tempdir().expect("a folder");
    let server = Process::start_with(directory.path(), options);
    (directory, server)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The paths of the group versions.
fn versions(client: Client) -> Vec<String> {
    let groups = client.get("/apis").expect(200);
    let versions = items(&groups["groups"]).flat_map(|group| items(&group["versions"]));
    let versions = versions.map(|version| format!("/apis/{}", text(&version["groupVersion"])));
    std::iter::once("/api/v1".to_owned()).chain(versions).collect()
}

/// The kinds of resources and of subresources.
fn kinds(client: Client) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    for path in versions(client) {
        let list = client.get(&path).expect(200);
        let version = text(&list["groupVersion"]);
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        for resource in items(&list["resources"]) {
            let (group, version) = match resource["version"].as_str() {
                Some(version) => (text(&resource["group"]), version.to_owned()),
                None => (group.to_owned(), version.to_owned()),
            };
            kinds.insert((group, version, text(&resource["kind"])));
        }
    }
    kinds
}

/// The answers are those of a kube-apiserver 1.37.1 without options about its API.
#[test]
fn by_default_it_is_what_the_reference_release_serves() {
    let (_directory, server) = server(&[]);
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/discovery/server-1.37.jsonl");
    let recorded = fs::read_to_string(recorded).expect("recorded answers");
    let report = discovery::report(&recorded, &format!("http://{}", server.client.0)).expect("a comparison");
    let failures: Vec<String> =
        report.failures.iter().map(|failure| format!("{}: {}", failure.file, failure.message)).collect();
    assert_eq!(failures, Vec::<String>::new());
    assert!(report.total > 250, "{}", report.total);
}

#[test]
fn configuration_adds_versions_and_takes_resources() {
    let options = ["--runtime-config", "extensions/v1beta1=true,apps/v1/daemonsets=false,policy/v1=false"];
    let (_directory, server) = server(&options);
    let client = server.client;
    client.get("/apis/extensions/v1beta1/ingresses").expect(200);
    client.get("/apis/apps/v1/deployments").expect(200);
    client.get("/apis/apps/v1/daemonsets").expect(404);
    client.get("/apis/policy").expect(404);
    let names = client.get("/apis/apps/v1").expect(200);
    assert!(items(&names["resources"]).all(|resource| !text(&resource["name"]).starts_with("daemonsets")));
    let message = refused(&["--in-memory", "--runtime-config", "batch/v9=true"]);
    assert!(
        message.starts_with("error: --runtime-config: batch/v9=true: no release of Kubernetes had it"),
        "{message}"
    );
    let message = refused(&["--in-memory", "--emulated-version", "1.99"]);
    assert!(message.starts_with("error: --emulated-version: the archive has no release 1.99"), "{message}");
}

/// The published documents of releases, where they are there.
fn published() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/upstream/kubernetes/openapi");
    if !folder.exists() {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: no published documents beside the repository");
        return None;
    }
    Some(folder)
}

/// The documents of a release, below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found
}

/// The kinds of objects that documents have: those with metadata that are no lists.
fn documented(folder: &Path) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    for path in documents(folder) {
        let document: Value = serde_json::from_str(&fs::read_to_string(path).expect("text")).expect("JSON");
        let types = document.get("definitions").unwrap_or(&document["components"]["schemas"]);
        for ty in types.as_object().into_iter().flat_map(|types| types.values()) {
            let names = ty["x-kubernetes-group-version-kind"].as_array().map_or(&[][..], Vec::as_slice);
            let has = |field: &str| ty["properties"].get(field).is_some();
            let [name] = names else { continue };
            if has("metadata") && !has("items") && name["kind"] != "Status" {
                kinds.insert((text(&name["group"]), text(&name["version"]), text(&name["kind"])));
            }
        }
    }
    kinds
}

#[test]
fn an_emulated_release_has_its_versions_and_kinds() {
    let Some(published) = published() else { return };
    for release in ["1.20", "1.25", "1.30"] {
        let options = ["--emulated-version", release, "--runtime-config", "api/all=true"];
        let (_directory, server) = server(&options);
        let expected = documented(&published.join(format!("v{release}")));
        assert!(expected.len() > 60, "{release}: {}", expected.len());
        assert_eq!(kinds(server.client), expected, "{release}");
        assert_eq!(server.client.get("/version").expect(200)["minor"], release[2..], "{release}");
    }
}

#[test]
fn an_emulated_release_prefers_what_it_preferred() {
    let (_directory, server) = server(&["--emulated-version", "1.20"]);
    let groups = server.client.get("/apis").expect(200);
    let group = |name: &str| {
        let mut groups = items(&groups["groups"]);
        groups.find(|group| group["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(group("autoscaling")["preferredVersion"]["version"], "v1");
    assert_eq!(group("policy")["preferredVersion"]["version"], "v1beta1");
    // Beta versions were served by default then, and alpha versions were not.
    let versions: Vec<String> =
        items(&group("networking.k8s.io")["versions"]).map(|of| text(&of["version"])).collect();
    assert_eq!(versions, ["v1", "v1beta1"]);
    let versions: Vec<String> = items(&group("batch")["versions"]).map(|of| text(&of["version"])).collect();
    assert_eq!(versions, ["v1", "v1beta1"]);
    let pods = server.client.get("/api/v1").expect(200);
    // The verbs of this release: 1.22 brought ephemeral containers to what they are.
    assert!(items(&pods["resources"]).all(|resource| resource["name"] != "pods/resize"));
}

/// What is stored at a version that is not served is served at others.
#[test]
fn objects_outlive_their_version() {
    let directory = tempfile::tempdir().expect("a folder");
    let old = ["--emulated-version", "1.20", "--storage-versions", "extensions/v1beta1"];
    let server = Process::start_with(directory.path(), &old);
    let ingress =
        json!({"metadata": {"name": "i"}, "spec": {"backend": {"serviceName": "s", "servicePort": 80}}});
    server.client.post("/apis/extensions/v1beta1/namespaces/a/ingresses", &ingress).expect(201);
    assert!(server.stop("-TERM").success());
    let server = Process::start_with(directory.path(), &[]);
    server.client.get("/apis/extensions/v1beta1/namespaces/a/ingresses/i").expect(404);
    let ingress = server.client.get("/apis/networking.k8s.io/v1/namespaces/a/ingresses/i").expect(200);
    assert_eq!(ingress["spec"]["defaultBackend"]["service"]["name"], "s");
}
