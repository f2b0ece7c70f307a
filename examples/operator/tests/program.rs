//! The operator as a process, with an API server in the process of the test: controller and webhook, from the start to
//! SIGTERM.
#![cfg(unix)]

#[path = "support/program.rs"]
mod program;

use std::fs;
use std::future::Future;
use std::time::Duration;

use cache_operator::api::{v1, v1alpha1};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use hubgen_machinery::convert::STASH;
use hubgen_machinery::yaml;
use hubgen_test_server::TestServer;
use k8s_openapi::ByteString;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use self::program::{Program, Start, port};

const NAME: &str = "caches.cache.example.com";

/// Looks until something is there, at most a minute.
async fn soon<T, F: Future<Output = Option<T>>>(what: &str, mut look: impl FnMut() -> F) -> T {
    for _ in 0..600 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("waited a minute for {what}")
}

fn start(server: &TestServer, port: u16) -> Program {
    Start::new(server.url(), json!({}))
        .variable("WEBHOOK_URL", &format!("https://localhost:{port}/convert"))
        .variable("LISTEN", &format!("127.0.0.1:{port}"))
        .run()
}

/// The certificate of the webhook that the definition trusts.
async fn trusted(client: &Client) -> Option<ByteString> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = definitions.get_opt(NAME).await.unwrap()?;
    definition.spec.conversion?.webhook?.client_config?.ca_bundle
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_reconciles_and_converts_until_it_is_told_to_end() {
    let server = TestServer::start().await.unwrap();
    let client = server.client().unwrap();
    let old: Api<Kube<v1alpha1::Cache>> = Api::default_namespaced(client.clone());
    let new: Api<Kube<v1::Cache>> = Api::default_namespaced(client.clone());
    let deployments: Api<Kube<Deployment>> = Api::default_namespaced(client.clone());
    let port = port();
    let mut program = start(&server, port);

    // An older client applies an object, as soon as the API server knows the webhook.
    let written = fs::read_to_string("cache.yaml").unwrap();
    let written: Value = serde_json::from_slice(&yaml::to_json(&written).unwrap()).unwrap();
    let person = PatchParams::apply("person");
    soon("an object at the old version", || async {
        old.patch("web", &person, &Patch::Apply(&written)).await.ok()
    })
    .await;
    let cache = new.get("web").await.unwrap();
    assert_eq!(cache.spec.limits.as_ref().unwrap().memory.as_ref().unwrap().to_string(), "64Mi");
    let status = || async {
        let cache = new.get("web").await.unwrap();
        cache.status.as_ref().map(|status| status.conditions[0].reason.to_string())
    };
    assert_eq!(soon("the status", status).await, "Progressing");
    assert!(old.get("web").await.unwrap().metadata.annotations[STASH].contains("Progressing"));
    assert_eq!(deployments.get("web").await.unwrap().spec.replicas, Some(2));
    let certificate = trusted(&client).await;
    assert!(certificate.is_some());
    program.stop();

    // It is started again, and makes what is missing.
    deployments.delete("web", &DeleteParams::default()).await.unwrap();
    let mut program = start(&server, port);
    soon("the Deployment", || async { deployments.get_opt("web").await.unwrap() }).await;
    assert_ne!(trusted(&client).await, certificate, "another certificate");
    program.stop();
}
