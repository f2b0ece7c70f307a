//! The operator as a process, with an API server in memory: controller and webhook, from the start to SIGTERM.
#![cfg(unix)]

#[path = "support/program.rs"]
mod program;
#[path = "support/mod.rs"]
mod support;

use std::time::Duration;

use hubgen_machinery::yaml;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

use self::program::{Start, port};
use self::support::Server;

const CACHE: &str = "/apis/cache.example.com/v1/namespaces/default/caches/web";
const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/caches.cache.example.com";

async fn soon<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("waited a minute for {what}")
}

/// A client that trusts what the definition trusts.
async fn webhook(definition: &Value) -> kube::Client {
    let config = &definition["spec"]["conversion"]["webhook"]["clientConfig"];
    assert_eq!(config["service"], Value::Null);
    let url = config["url"].as_str().unwrap().strip_suffix("/convert").unwrap();
    let kubeconfig = json!({
        "clusters": [{"name": "it", "cluster": {"server": url, "certificate-authority-data": config["caBundle"]}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "users": [{"name": "it", "user": {}}], "current-context": "it",
    });
    let kubeconfig: Kubeconfig = serde_json::from_value(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    kube::Client::try_from(config).unwrap()
}

#[tokio::test]
async fn the_operator_reconciles_and_converts_until_it_is_told_to_end() {
    let server = Server::default();
    let old = std::fs::read_to_string("cache.yaml").unwrap();
    let old: Value = serde_json::from_slice(&yaml::to_json(&old).unwrap()).unwrap();
    let port = port();
    let mut program = Start::new(&server.listen().await, json!({}))
        .variable("WEBHOOK_URL", &format!("https://localhost:{port}/convert"))
        .variable("LISTEN", &format!("127.0.0.1:{port}"))
        .run();

    let definition = soon("the definition", || {
        assert!(program.is_running(), "it has ended");
        server.get(DEFINITION)
    })
    .await;
    let client = webhook(&definition).await;
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "a", "desiredAPIVersion": "cache.example.com/v1", "objects": [old]},
    });
    let request = http::Request::post("/convert").body(review.to_string().into_bytes()).unwrap();
    let answer: Value = client.request(request).await.unwrap();
    let mut new = answer["response"]["convertedObjects"][0].clone();
    assert_eq!(new["spec"]["limits"], json!({"memory": "64Mi"}), "{answer}");
    program.stop();

    // It is started again, after an object was stored.
    new["metadata"]["uid"] = "1".into();
    server.put(CACHE, new);
    let mut program = Start::new(&server.listen().await, json!({}))
        .variable("WEBHOOK_URL", &format!("https://localhost:{port}/convert"))
        .variable("LISTEN", &format!("127.0.0.1:{port}"))
        .run();
    let ready = || server.get(CACHE)?["status"]["conditions"][0]["reason"].as_str().map(str::to_owned);
    assert_eq!(soon("the status", ready).await, "Progressing");
    let deployment = server.get("/apis/apps/v1/namespaces/default/deployments/web").unwrap();
    assert_eq!(deployment["spec"]["replicas"], 2);
    assert_ne!(server.get(DEFINITION).unwrap(), definition, "another certificate");
    program.stop();
}
