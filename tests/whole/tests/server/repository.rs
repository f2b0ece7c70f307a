//! Tests `hubgen serve --config`, and definitions that `hubgen crds --with-rules` writes.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use hubgen_test_server::TestServer;
use serde_json::{Value, json};

use crate::process::{Process, hubgen};
use crate::serve::refused;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const RULES: &str = "conversion.hubgen.dev/rules";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn serve(folder: &Path, config: &Path) -> Process {
    Process::start_with(folder, &["--config", config.to_str().unwrap()])
}

fn certificates(version: &str) -> String {
    format!("/apis/cert-manager.io/{version}/namespaces/a/certificates")
}

/// A certificate of an old version, with what v1 has elsewhere.
fn certificate(name: &str) -> Value {
    json!({
        "apiVersion": "cert-manager.io/v1alpha2", "kind": "Certificate", "metadata": {"name": name},
        "spec": {
            "secretName": "s", "issuerRef": {"name": "ca"}, "keyAlgorithm": "rsa", "keySize": 2048,
            "organization": ["example"], "uriSANs": ["spiffe://a"],
        },
    })
}

#[test]
fn kinds_of_a_repository_are_served_with_their_rules() {
    let folder = tempfile::tempdir().unwrap();
    let config = root().join("examples/cert-manager/hubgen.toml");
    let server = serve(folder.path(), &config);
    let old = certificate("web");
    server.client.post(&certificates("v1alpha2"), &old).expect(201);
    let new = server.client.get(&format!("{}/web", certificates("v1"))).expect(200);
    assert_eq!(new["spec"]["privateKey"], json!({"algorithm": "RSA", "size": 2048}));
    assert_eq!(new["spec"]["subject"], json!({"organizations": ["example"]}));
    let back = server.client.get(&format!("{}/web", certificates("v1alpha2"))).expect(200);
    assert_eq!(back["spec"], old["spec"]);
    let definition = |server: &Process| {
        server.client.get(&format!("{DEFINITIONS}/certificates.cert-manager.io")).expect(200)
    };
    let first = definition(&server);
    assert!(
        first["metadata"]["annotations"][RULES].as_str().unwrap().contains("hub = \"cert-manager.io/v1\"")
    );
    assert_eq!(first["metadata"]["managedFields"][0]["manager"], "hubgen-serve");
    assert!(server.stop("-TERM").success());
    // Started again, nothing is written that is there.
    let server = serve(folder.path(), &config);
    let again = definition(&server);
    assert_eq!(again["spec"], first["spec"]);
    assert_eq!(again["metadata"]["generation"], first["metadata"]["generation"]);
    assert!(server.stop("-TERM").success());
    // Without the repository, the rules are still those of the definition.
    let server = Process::start_with(folder.path(), &[]);
    let back = server.client.get(&format!("{}/web", certificates("v1alpha2"))).expect(200);
    assert_eq!(back["spec"], old["spec"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_a_test_has_the_kinds_of_a_repository() {
    let config = root().join("examples/cert-manager/hubgen.toml");
    let builder = TestServer::builder().repository(&config);
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";
    let server = builder.manifests(namespace).object(in_namespace(certificate("web"))).start().await.unwrap();
    let get = |server: &TestServer, version: &str| -> Value {
        let url = format!("{}{}/web", server.url(), certificates(version));
        let body = ureq::get(url).call().unwrap().into_body().read_to_string().unwrap();
        serde_json::from_str(&body).unwrap()
    };
    assert_eq!(get(&server, "v1")["spec"]["privateKey"], json!({"algorithm": "RSA", "size": 2048}));
    // Another one with the same objects converts alike.
    let other = TestServer::from_snapshot(&server.snapshot().await.unwrap()).await.unwrap();
    assert_eq!(get(&other, "v1alpha2")["spec"], certificate("web")["spec"]);

    let config = root().join("examples/backups/hubgen.toml");
    let error = TestServer::builder().repository(config).start().await.err().unwrap().to_string();
    assert!(error.contains("`crate::tags` is a function of your own code"), "{error}");
}

fn in_namespace(mut object: Value) -> Value {
    object["metadata"]["namespace"] = "a".into();
    object
}

#[test]
fn a_repository_with_errors_is_refused() {
    let config = root().join("examples/backups/hubgen.toml");
    let message = refused(&["--in-memory", "--port", "0", "--config", config.to_str().unwrap()]);
    for part in [
        "src/api/v1.rs:17:27",
        "`crate::tags` is a function of your own code",
        "hubgen_server::Server::with_scheme",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = refused(&["--in-memory", "--port", "0", "--config", "nowhere/hubgen.toml"]);
    assert!(message.contains("nowhere/hubgen.toml: cannot be read"), "{message}");
}

/// A copy of a folder of examples, without its code.
fn copy(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = root().join("examples").join(name);
    let status = std::process::Command::new("cp")
        .arg("-r")
        .args(
            ["hubgen.toml", "src", "crds"]
                .iter()
                .chain(from.join("schemas").exists().then_some(&"schemas"))
                .map(|part| from.join(part)),
        )
        .arg(folder.path())
        .status();
    assert!(status.unwrap().success());
    folder
}

fn crds(folder: &Path, options: &[&str]) -> (Option<i32>, String) {
    let output = hubgen().arg("crds").args(options).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn definitions_bring_their_rules() {
    let folder = copy("cert-manager");
    let file = folder.path().join("crds/certificates.cert-manager.io.yaml");
    let before = std::fs::read_to_string(&file).unwrap();
    let (code, text) = crds(folder.path(), &["--with-rules"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("hubgen's server does, by the rules in the definition"), "{text}");
    let with = std::fs::read_to_string(&file).unwrap();
    let rules = std::fs::read_to_string(folder.path().join("schemas/rules/cert-manager.io.Certificate.toml"))
        .unwrap();
    for line in rules.lines().filter(|line| !line.is_empty()) {
        assert!(with.contains(&format!("      {line}\n")), "{line:?} is missing in {with}");
    }
    assert_eq!(crds(folder.path(), &["--with-rules", "--check"]).0, Some(0));
    assert_eq!(crds(folder.path(), &["--check"]).0, Some(1));
    // What is imported with rules has none without the option.
    let again = tempfile::tempdir().unwrap();
    let import =
        hubgen().arg("import").arg(folder.path().join("crds")).current_dir(again.path()).output().unwrap();
    assert!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
    assert_eq!(crds(again.path(), &[]).0, Some(0));
    let written =
        std::fs::read_to_string(again.path().join("crds/certificates.cert-manager.io.yaml")).unwrap();
    assert!(!written.contains(RULES), "{written}");
    // A file can say so, too.
    std::fs::write(folder.path().join("hubgen.toml"), "crds-with-rules = true\n").unwrap();
    assert_eq!(crds(folder.path(), &["--check"]).0, Some(0));
    std::fs::write(folder.path().join("hubgen.toml"), "").unwrap();
    assert_eq!(crds(folder.path(), &[]).0, Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn rules_with_functions_stay_in_the_repository() {
    let folder = copy("backups");
    let (code, text) = crds(folder.path(), &["--with-rules"]);
    assert_eq!(code, Some(0), "{text}");
    for part in
        ["backups.backup.example.com: its rules cannot come with the definition", "`crate::tags`", "src/api/"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(crds(folder.path(), &["--check"]).0, Some(0), "nothing has changed");
}
