//! The webhook behind an API server, ours or a real one: objects of cert-manager at two versions, server-side apply, a list of a
//! thousand objects, a webhook that is away for a while, and a certificate that changes under load.
//!
//! To ask a real server that nobody needs, which reaches this machine as `localhost`:
//!
//! ```console
//! $ export HUBGEN_API_SERVER=https://127.0.0.1:6443 HUBGEN_TOKEN=…
//! $ cargo test -p hubgen-webhook --test api_server -- --nocapture
//! ```
//!
//! The certificate of the server is not checked. The definitions of cert-manager must not be installed yet; they are
//! removed at the end.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use hubgen_example_cert_manager::api;
use hubgen_machinery::convert::STASH;
use hubgen_machinery::scheme::Scheme;
use hubgen_machinery::yaml;
use hubgen_server::Settings;
use hubgen_server::store::{Embedded, Options};
use hubgen_webhook::{Server, Tls, Webhook};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use self::support::{Running, start};

/// How many objects are listed.
const MANY: usize = 1000;
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The API server.
struct Api {
    agent: Agent,
    url: String,
    token: String,
}

impl Api {
    fn new(url: &str) -> Self {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .timeout_global(Some(Duration::from_secs(60)))
            .tls_config(tls)
            .build();
        let token = std::env::var("HUBGEN_TOKEN").unwrap_or_default();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token }
    }

    fn send(&self, method: &str, path: &str, media: &str, body: Option<&Value>) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", media)
            .body(body.map(Value::to_string).unwrap_or_default())
            .unwrap();
        let mut response = self.agent.run(request).unwrap();
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    fn json(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.send(method, path, "application/json", body)
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.json("GET", path, None);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Applies an object, as `kubectl apply --server-side` does.
    fn apply(&self, path: &str, manager: &str, object: &Value) -> (u16, Value) {
        let path = format!("{path}?fieldManager={manager}");
        self.send("PATCH", &path, "application/apply-patch+yaml", Some(object))
    }
}

fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Definitions that are installed, and removed in the end.
struct Installed<'a> {
    api: &'a Api,
    names: Vec<String>,
}

impl<'a> Installed<'a> {
    /// Installs the definitions of an example with our webhook as their conversion.
    fn new(api: &'a Api, example: &str, port: u16, bundle: &[u8]) -> Self {
        let mut names = Vec::new();
        let mut files: Vec<_> = fs::read_dir(format!("../../examples/{example}/crds"))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let text = fs::read_to_string(file).unwrap();
            let mut definition: Value = serde_json::from_slice(&yaml::to_json(&text).unwrap()).unwrap();
            definition["spec"]["conversion"] = json!({
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {
                        "url": format!("https://localhost:{port}/convert"),
                        "caBundle": base64(bundle),
                    },
                },
            });
            let name = definition["metadata"]["name"].as_str().unwrap().to_owned();
            let (status, body) = api.json("POST", DEFINITIONS, Some(&definition));
            assert_ne!(status, 409, "{name} is there already: use an API server that nobody needs");
            assert_eq!(status, 201, "{body}");
            names.push(name);
        }
        for name in &names {
            wait(&format!("{name} to be established"), || {
                let found = api.get(&format!("{DEFINITIONS}/{name}"));
                let conditions = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
                conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True")
            });
        }
        println!("{} definitions are established", names.len());
        Self { api, names }
    }
}

impl Drop for Installed<'_> {
    fn drop(&mut self) {
        for name in &self.names {
            self.api.json("DELETE", &format!("{DEFINITIONS}/{name}"), None);
        }
        let is_gone = |name: &String| self.api.json("GET", &format!("{DEFINITIONS}/{name}"), None).0 == 404;
        if !thread::panicking() {
            wait("the definitions to be gone", || self.names.iter().all(is_gone));
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(*chunk.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { letter.into() } else { '=' });
        }
    }
    out
}

fn path(version: &str, name: &str) -> String {
    let slash = if name.is_empty() { "" } else { "/" };
    format!("/apis/cert-manager.io/{version}/namespaces/default/certificates{slash}{name}")
}

fn certificate(version: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("cert-manager.io/{version}"),
        "kind": "Certificate",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    })
}

/// Writes a new certificate and its key, and returns the certificate.
fn write(folder: &Path) -> Vec<u8> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    made.cert.pem().into_bytes()
}

fn webhook(folder: &Path, port: Option<u16>) -> Running {
    let tls = Tls::files(folder.join("tls.crt"), folder.join("tls.key")).unwrap();
    start(Server::new(Webhook::new(api::scheme())).tls(tls), port)
}

#[test]
fn a_real_api_server_converts_with_our_webhook() {
    let Ok(url) = std::env::var("HUBGEN_API_SERVER") else {
        println!("left out: HUBGEN_API_SERVER names no API server to convert for");
        return;
    };
    let reviews = converts(&Api::new(&url));
    println!("a list of {MANY} objects took {reviews} reviews");
}

#[test]
fn our_api_server_converts_with_our_webhook() {
    let (_runtime, url) = ours();
    assert_eq!(converts(&Api::new(&url)), 1);
}

/// A server of ours that knows definitions. It ends with the runtime.
fn ours() -> (Runtime, String) {
    let runtime = Runtime::new().unwrap();
    let mut scheme = Scheme::new();
    hubgen_apiextensions::register(&mut scheme);
    let server = runtime.block_on(async {
        let store = Embedded::in_memory(Options::default()).unwrap();
        let settings = Settings::new(Arc::new(scheme), Arc::new(store));
        hubgen_server::Server::bind(0, settings).await.unwrap()
    });
    let url = format!("http://{}", server.address());
    runtime.spawn(server.run(std::future::pending()));
    (runtime, url)
}

/// Tests that a server converts with our webhook. Returns how many reviews a list of [`MANY`] objects took.
fn converts(api: &Api) -> usize {
    let [old, new] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let bundles = [write(old.path()), write(new.path())];
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &Path| {
        for file in ["tls.key", "tls.crt"] {
            fs::copy(from.join(file), folder.path().join(file)).unwrap();
        }
    };
    copy(old.path());
    let running = webhook(folder.path(), None);
    let port = running.address.port();
    let _installed = Installed::new(api, "cert-manager", port, &bundles.concat());
    wait("certificates to be served", || api.json("GET", &path("v1", ""), None).0 == 200);
    an_object_is_written_and_read_at_two_versions(api);
    apply_at_another_version_changes_nothing(api);
    a_stripped_annotation_loses_what_only_it_has(api, folder.path(), &bundles[0]);
    let reviews = a_list_has_all_objects(api, &agent(&bundles[0]), port);
    a_webhook_that_is_away_comes_back(
        api,
        running,
        || webhook(folder.path(), Some(port)),
        |_| {
            a_certificate_changes_under_load(api, || copy(new.path()));
            agent(&bundles[1])
                .get(format!("https://localhost:{port}/healthz"))
                .call()
                .expect("the new certificate is served");
        },
    );
    reviews
}

/// A client that trusts a certificate.
fn agent(certificate: &[u8]) -> Agent {
    let trusted = Certificate::from_pem(certificate).unwrap();
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(vec![trusted]))).build();
    Agent::config_builder().tls_config(tls).build().new_agent()
}

/// Lists many objects that are stored at another version. Returns how many reviews that took.
fn a_list_has_all_objects(api: &Api, agent: &Agent, port: u16) -> usize {
    let reviews = || {
        let mut answer = agent.get(format!("https://localhost:{port}/metrics")).call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        let start = "conversion_webhook_reviews_total{result=\"success\"} ";
        let count = text.lines().find_map(|line| line.strip_prefix(start)).unwrap();
        count.parse::<usize>().unwrap()
    };
    let before = api.get(&path("v1alpha2", ""))["items"].as_array().unwrap().len();
    for number in before..MANY {
        let spec = json!({
            "secretName": "web", "issuerRef": {"name": "ca"}, "privateKey": {"algorithm": "RSA", "size": 2048},
        });
        let (status, body) =
            api.json("POST", &path("v1", ""), Some(&certificate("v1", &format!("web-{number}"), spec)));
        assert_eq!(status, 201, "{body}");
    }
    let start = reviews();
    let list = api.get(&path("v1alpha2", ""));
    let taken = reviews() - start;
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), MANY);
    let of_old = items.iter().filter(|item| item["spec"]["keyAlgorithm"] == "rsa").count();
    assert!(of_old >= MANY - before, "{of_old}");
    taken
}

fn an_object_is_written_and_read_at_two_versions(api: &Api) {
    let spec = json!({
        "secretName": "web", "issuerRef": {"name": "ca"}, "dnsNames": ["example.com"],
        "keyAlgorithm": "rsa", "keySize": 2048, "uriSANs": ["spiffe://a"],
    });
    let (status, body) =
        api.json("POST", &path("v1alpha2", ""), Some(&certificate("v1alpha2", "web", spec.clone())));
    assert_eq!(status, 201, "{body}");
    let mut read = api.get(&path("v1", "web"));
    assert_eq!(
        read["spec"],
        json!({
            "secretName": "web", "issuerRef": {"name": "ca"}, "dnsNames": ["example.com"],
            "privateKey": {"algorithm": "RSA", "size": 2048}, "uris": ["spiffe://a"],
        })
    );
    read["spec"]["privateKey"]["size"] = 4096.into();
    read["spec"]["emailAddresses"] = json!(["a@example.com"]);
    let (status, body) = api.json("PUT", &path("v1", "web"), Some(&read));
    assert_eq!(status, 200, "{body}");
    let mut expected = spec;
    expected["keySize"] = 4096.into();
    expected["emailSANs"] = json!(["a@example.com"]);
    for version in ["v1alpha2", "v1alpha3"] {
        assert_eq!(api.get(&path(version, "web"))["spec"], expected, "{version}");
    }
    let list = api.get(&path("v1beta1", ""));
    assert_eq!(list["items"][0]["spec"]["privateKey"], json!({"algorithm": "RSA", "size": 4096}));
    println!("an object is written and read at four versions");
}

/// The fields that a manager owns.
fn owned<'v>(object: &'v Value, manager: &str) -> Vec<(&'v Value, &'v Value)> {
    let all = object["metadata"]["managedFields"].as_array().unwrap();
    let of_manager = all.iter().filter(|entry| entry["manager"] == manager);
    of_manager.map(|entry| (&entry["apiVersion"], &entry["fieldsV1"])).collect()
}

fn apply_at_another_version_changes_nothing(api: &Api) {
    let spec = json!({"secretName": "web", "issuerRef": {"name": "ca"}, "keySize": 4096, "emailSANs": []});
    let (status, body) =
        api.apply(&path("v1alpha2", "applied"), "person", &certificate("v1alpha2", "applied", spec));
    assert_eq!(status, 201, "{body}");
    let before = api.get(&path("v1", "applied"));
    let expected = json!({
        "secretName": "web", "issuerRef": {"name": "ca"}, "privateKey": {"size": 4096}, "emailAddresses": [],
    });
    assert_eq!(before["spec"], expected);
    // Another manager adds a field at the other version.
    let other = certificate("v1", "applied", json!({"dnsNames": ["example.com"]}));
    let (status, body) = api.apply(&path("v1", "applied"), "controller", &other);
    assert_eq!(status, 200, "{body}");
    // The first one goes to the new version.
    let (status, body) =
        api.apply(&path("v1", "applied"), "person", &certificate("v1", "applied", expected.clone()));
    assert_eq!(status, 200, "{body}");
    let after = api.get(&path("v1", "applied"));
    let mut both = expected;
    both["dnsNames"] = json!(["example.com"]);
    assert_eq!(after["spec"], both);
    let fields = json!({"f:spec": {
        "f:emailAddresses": {}, "f:issuerRef": {"f:name": {}}, "f:privateKey": {"f:size": {}}, "f:secretName": {},
    }});
    assert_eq!(owned(&after, "person"), [(&json!("cert-manager.io/v1"), &fields)]);
    let fields = json!({"f:spec": {"f:dnsNames": {}}});
    assert_eq!(owned(&after, "controller"), [(&json!("cert-manager.io/v1"), &fields)]);
    // And back, without a field: it is gone, and only it.
    let spec = json!({"secretName": "web", "issuerRef": {"name": "ca"}, "keySize": 4096});
    let (status, body) =
        api.apply(&path("v1alpha2", "applied"), "person", &certificate("v1alpha2", "applied", spec));
    assert_eq!(status, 200, "{body}");
    let after = api.get(&path("v1", "applied"));
    assert_eq!(
        after["spec"],
        json!({
            "secretName": "web", "issuerRef": {"name": "ca"}, "privateKey": {"size": 4096},
            "dnsNames": ["example.com"],
        })
    );
    let fields = json!({"f:spec": {
        "f:issuerRef": {"f:name": {}}, "f:keySize": {}, "f:secretName": {},
    }});
    assert_eq!(owned(&after, "person"), [(&json!("cert-manager.io/v1alpha2"), &fields)]);
    // What another manager owns is a conflict, whatever its version.
    let theirs = certificate("v1alpha2", "applied", json!({"dnsNames": ["example.org"]}));
    assert_eq!(api.apply(&path("v1alpha2", "applied"), "stranger", &theirs).0, 409);
    println!("apply at another version: no conflict, managers own what they wrote");
}

/// `verbose` of v1alpha1 and `region` of v1 are in an annotation at the other version.
fn a_stripped_annotation_loses_what_only_it_has(api: &Api, folder: &Path, bundle: &[u8]) {
    let tls = Tls::files(folder.join("tls.crt"), folder.join("tls.key")).unwrap();
    let webhook = Webhook::new(hubgen_example_backups::api::scheme());
    let running = start(Server::new(webhook).tls(tls), None);
    let _installed = Installed::new(api, "backups", running.address.port(), bundle);
    let path = |version: &str, name: &str| {
        format!("/apis/backup.example.com/{version}/namespaces/default/backups{name}")
    };
    wait("backups to be served", || api.json("GET", &path("v1", ""), None).0 == 200);
    let old = json!({
        "apiVersion": "backup.example.com/v1alpha1", "kind": "Backup", "metadata": {"name": "web"},
        "spec": {"schedule": "@daily", "bucket": "copies", "copies": 3, "verbose": true},
    });
    let (status, body) = api.json("POST", &path("v1alpha1", ""), Some(&old));
    assert_eq!(status, 201, "{body}");
    // The object is stored at v1, which has no `verbose`.
    assert_eq!(api.get(&path("v1alpha1", "/web"))["spec"], old["spec"]);
    let mut new = api.get(&path("v1", "/web"));
    assert_eq!(new["spec"], json!({"schedule": "@daily", "target": {"bucket": "copies"}, "keep": 3}));
    assert!(new["metadata"]["annotations"][STASH].is_string(), "{new}");
    new["metadata"].as_object_mut().unwrap().remove("annotations");
    new["spec"]["keep"] = 4.into();
    let (status, body) = api.json("PUT", &path("v1", "/web"), Some(&new));
    assert_eq!(status, 200, "{body}");
    assert_eq!(
        api.get(&path("v1alpha1", "/web"))["spec"],
        json!({"schedule": "@daily", "bucket": "copies", "copies": 4})
    );
    println!("a client that strips annotations loses what only they had");
}

fn a_webhook_that_is_away_comes_back(
    api: &Api,
    running: Running,
    again: impl Fn() -> Running,
    then: impl FnOnce(&Running),
) {
    drop(running);
    let old = path("v1alpha2", "web");
    wait("reads to fail without the webhook", || api.json("GET", &old, None).0 != 200);
    let (status, body) = api.json("GET", &old, None);
    assert_eq!(status, 500, "{body}");
    assert_eq!(api.json("GET", &path("v1", "web"), None).0, 200, "the storage version needs no webhook");
    let running = again();
    wait("reads to succeed again", || api.json("GET", &old, None).0 == 200);
    println!("a webhook that was away is back");
    then(&running);
}

fn a_certificate_changes_under_load(api: &Api, change: impl Fn()) {
    let (done, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
    let failed = thread::scope(|scope| {
        let load = || {
            let mut failed = Vec::new();
            while !done.load(Relaxed) {
                let (status, body) = api.json("GET", &path("v1alpha2", "web"), None);
                requests.fetch_add(1, Relaxed);
                if status != 200 {
                    failed.push(body);
                }
            }
            failed
        };
        let loads = [scope.spawn(load), scope.spawn(load)];
        thread::sleep(Duration::from_secs(1));
        change();
        thread::sleep(Duration::from_secs(5));
        done.store(true, Relaxed);
        loads.into_iter().flat_map(|load| load.join().unwrap()).collect::<Vec<_>>()
    });
    let requests = requests.load(Relaxed);
    println!("a certificate changed under load: {} of {requests} requests failed", failed.len());
    assert!(requests > 0 && failed.is_empty(), "{failed:?}");
}
