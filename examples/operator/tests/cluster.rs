//! The operator with a real API server.
//!
//! To ask a server that nobody needs, which reaches this machine as `localhost`:
//!
//! ```console
//! $ export HUBGEN_API_SERVER=https://127.0.0.1:6443 HUBGEN_TOKEN=…
//! $ cargo test --manifest-path examples/operator/Cargo.toml --test cluster -- --nocapture
//! ```
//!
//! The certificate of the server is not checked. The definition, and what is in `deploy`, must not be there yet; both are
//! removed at the end. The server needs no controllers: the test does what those of Deployments and of deletion do.
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
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::config::AuthInfo;
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, Config};
use serde_json::{Value, json};

use self::program::{Start, port};

const NAME: &str = "caches.cache.example.com";
/// The user of the Pods in `deploy`.
const ACCOUNT: &str = "system:serviceaccount:cache-operator:operator";

/// A cluster, and an administrator's token.
#[derive(Clone)]
struct Cluster {
    url: String,
    user: Value,
    client: Client,
}

impl Cluster {
    fn new() -> Option<Self> {
        let Ok(url) = std::env::var("HUBGEN_API_SERVER") else {
            println!("left out: HUBGEN_API_SERVER names no API server");
            return None;
        };
        let mut config = Config::new(url.parse().unwrap());
        config.accept_invalid_certs = true;
        let token = std::env::var("HUBGEN_TOKEN").ok();
        let user = json!({"token": token});
        config.auth_info = AuthInfo { token: token.map(Into::into), ..AuthInfo::default() };
        Some(Self { url, user, client: Client::try_from(config).unwrap() })
    }

    fn definitions(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.client.clone())
    }

    fn old(&self) -> Api<Kube<v1alpha1::Cache>> {
        Api::namespaced(self.client.clone(), "default")
    }

    fn new_version(&self) -> Api<Kube<v1::Cache>> {
        Api::namespaced(self.client.clone(), "default")
    }

    fn deployments(&self) -> Api<Kube<Deployment>> {
        Api::namespaced(self.client.clone(), "default")
    }

    /// Any object's API.
    fn of(&self, object: &Value) -> Api<DynamicObject> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let version = text(&object["apiVersion"]);
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &text(&object["kind"])));
        match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }

    /// Applies an object as `kubectl apply --server-side` does.
    async fn apply(&self, object: &Value) {
        let name = object["metadata"]["name"].as_str().unwrap();
        let parameters = PatchParams {
            field_validation: Some(kube::api::ValidationDirective::Strict),
            ..PatchParams::apply("person")
        };
        let applied = self.of(object).patch(name, &parameters, &Patch::Apply(object)).await;
        applied.unwrap_or_else(|error| panic!("{object}: {error}"));
    }
}

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

fn documents(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let read = |document: &str| serde_json::from_slice(&yaml::to_json(document).unwrap()).unwrap();
    text.split("\n---\n").map(read).collect()
}

/// What is in `deploy`, but for the kinds of cert-manager, which is not in this cluster.
fn deployed() -> Vec<Value> {
    let documents = documents("deploy/operator.yaml");
    documents.into_iter().filter(|document| document["apiVersion"] != "cert-manager.io/v1").collect()
}

#[tokio::test]
async fn an_operator_in_a_cluster() {
    let Some(cluster) = Cluster::new() else { return };
    let existing = cluster.definitions().get_opt(NAME).await.unwrap();
    assert!(existing.is_none(), "{NAME} is there already: use an API server that nobody needs");
    let result = tokio::spawn(story(cluster.clone())).await;
    remove(&cluster).await;
    result.unwrap();
}

async fn remove(cluster: &Cluster) {
    for name in ["web", "taken"] {
        let _ = cluster.deployments().delete(name, &DeleteParams::default()).await;
        let unfinalized = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        let _ = cluster.new_version().patch(name, &PatchParams::default(), &unfinalized).await;
    }
    // The namespace last.
    for object in deployed().iter().rev() {
        let name = object["metadata"]["name"].as_str().unwrap();
        let _ = cluster.of(object).delete(name, &DeleteParams::default()).await;
        if object["kind"] == "Namespace" {
            empty(cluster, name).await;
        }
    }
    let _ = cluster.definitions().delete(NAME, &DeleteParams::default()).await;
    soon("the definition to be gone", || async {
        cluster.definitions().get_opt(NAME).await.unwrap().is_none().then_some(())
    })
    .await;
}

/// Tells the server that a namespace is empty, as the controller of namespaces does.
async fn empty(cluster: &Cluster, namespace: &str) {
    let path = format!("/api/v1/namespaces/{namespace}");
    let read = http::Request::get(&path).body(Vec::new()).unwrap();
    let Ok(mut object) = cluster.client.request::<Value>(read).await else { return };
    object["spec"]["finalizers"] = json!([]);
    let write = http::Request::put(format!("{path}/finalize")).header("content-type", "application/json");
    let written = cluster.client.request::<Value>(write.body(object.to_string().into_bytes()).unwrap()).await;
    written.unwrap();
}

async fn story(cluster: Cluster) {
    a_cluster_without_the_definition_is_an_error(&cluster);
    for definition in documents(&format!("crds/{NAME}.yaml")) {
        cluster.apply(&definition).await;
    }
    let established = await_condition(cluster.definitions(), NAME, conditions::is_crd_established());
    tokio::time::timeout(Duration::from_secs(60), established).await.unwrap().unwrap();
    println!("the definition is established");
    in_development(&cluster).await;
    in_the_cluster(&cluster).await;
}

fn a_cluster_without_the_definition_is_an_error(cluster: &Cluster) {
    let mut start = Start::new(&cluster.url, cluster.user.clone()).variable("LISTEN", "127.0.0.1:0");
    start.certificate();
    let mut program = start.run();
    assert!(!program.ended().success());
    assert!(program.log().contains(&format!("the cluster does not have {NAME}")), "{}", program.log());
}

/// An operator on this machine, which tells the API server where its webhook is.
async fn in_development(cluster: &Cluster) {
    let port = port();
    let mut program = Start::new(&cluster.url, cluster.user.clone())
        .variable("WEBHOOK_URL", &format!("https://localhost:{port}/convert"))
        .variable("LISTEN", &format!("127.0.0.1:{port}"))
        .run();
    let [written] = <[Value; 1]>::try_from(documents("cache.yaml")).unwrap();
    let person = PatchParams::apply("person");
    // Until the API server knows the webhook.
    soon("an object at the old version", || async {
        cluster.old().patch("web", &person, &Patch::Apply(&written)).await.ok()
    })
    .await;
    let deployment =
        soon("the Deployment", || async { cluster.deployments().get_opt("web").await.unwrap() }).await;
    let cache = cluster.new_version().get("web").await.unwrap();
    let [owner] = &deployment.metadata.owner_references[..] else { panic!("{deployment:?}") };
    assert_eq!((&*owner.kind, &owner.uid, owner.controller), ("Cache", &cache.metadata.uid, Some(true)));
    assert_eq!(owner.api_version, "cache.example.com/v1");
    assert_eq!(deployment.spec.replicas, Some(2));
    assert_eq!(deployment.spec.template.spec.containers[0].args, ["--memory-limit=64"]);

    // The servers answer. The status is at both versions.
    answer(cluster, &deployment, 2).await;
    let cache = soon("the status", || async {
        let cache = cluster.new_version().get("web").await.unwrap();
        (is_ready(&cache) == Some("True")).then_some(cache)
    })
    .await;
    let status = cache.status.as_ref().unwrap();
    assert_eq!((status.ready_replicas, status.observed_generation), (Some(2), Some(1)));
    let old = cluster.old().get("web").await.unwrap();
    assert_eq!(old.status.as_ref().unwrap().ready, Some(2));
    assert!(old.metadata.annotations[STASH].contains("Available"), "v1alpha1 has no conditions");
    println!("an object of v1alpha1 is reconciled at v1");

    // Somebody sets what only v1 has, and the older client then changes what it knows.
    let limits = Patch::Merge(json!({"spec": {"limits": {"connections": 100}}}));
    cluster.new_version().patch("web", &PatchParams::default(), &limits).await.unwrap();
    let mut written = written;
    written["spec"]["size"] = 3.into();
    written["spec"]["memory"] = "128Mi".into();
    cluster.old().patch("web", &person, &Patch::Apply(&written)).await.unwrap();
    soon("the change", || async {
        let deployment = cluster.deployments().get("web").await.unwrap();
        let args = &deployment.spec.template.spec.containers[0].args;
        let is_changed = *args == ["--memory-limit=128", "--conn-limit=100"];
        (is_changed && deployment.spec.replicas == Some(3)).then_some(())
    })
    .await;
    let missing = || async {
        let cache = cluster.new_version().get("web").await.unwrap();
        (is_ready(&cache) == Some("False")).then_some(())
    };
    soon("the status: one server is missing", missing).await;
    println!("a change at v1alpha1 arrives, and keeps what only v1 has");
    program.stop();
}

/// An operator as it is in a cluster: with the rights that `deploy` gives it, and files of a certificate.
async fn in_the_cluster(cluster: &Cluster) {
    for object in deployed() {
        cluster.apply(&object).await;
    }
    let port = port();
    let mut user = cluster.user.clone();
    user["as"] = ACCOUNT.into();
    let mut start = Start::new(&cluster.url, user).variable("LISTEN", &format!("127.0.0.1:{port}"));
    // As cert-manager does. No cluster is around this API server, so a URL takes the place of the Service.
    let config = json!({
        "service": null, "url": format!("https://localhost:{port}/convert"),
        "caBundle": k8s_openapi::ByteString(start.certificate().into_bytes()),
    });
    let patch = Patch::Merge(json!({"spec": {"conversion": {"webhook": {"clientConfig": config}}}}));
    cluster.definitions().patch(NAME, &PatchParams::default(), &patch).await.unwrap();
    let mut program = start.run();

    // Somebody changes what is the operator's, and adds an annotation.
    let change = Patch::Merge(json!({"metadata": {"annotations": {"note": "a"}}, "spec": {"replicas": 1}}));
    cluster.deployments().patch("web", &PatchParams::default(), &change).await.unwrap();
    soon("the Deployment to be as it was", || async {
        let deployment = cluster.deployments().get("web").await.unwrap();
        assert_eq!(&*deployment.metadata.annotations["note"], "a");
        (deployment.spec.replicas == Some(3)).then_some(())
    })
    .await;
    println!("a change of the Deployment is taken back");

    a_deployment_of_somebody_else(cluster).await;
    deletion(cluster).await;
    assert!(!program.log().contains("forbidden"), "{}", program.log());
    program.stop();
}

async fn a_deployment_of_somebody_else(cluster: &Cluster) {
    let mut theirs = cluster.deployments().get("web").await.unwrap();
    theirs.metadata = Default::default();
    theirs.metadata.name = "taken".into();
    theirs.spec.replicas = Some(7);
    cluster.deployments().create(&PostParams::default(), &theirs).await.unwrap();
    let mut cache = v1::Cache::default();
    cache.metadata.name = "taken".into();
    cache.spec.image = "memcached:1.6".into();
    cluster.new_version().create(&PostParams::default(), &cache.into()).await.unwrap();
    let reason = async || {
        let cache = cluster.new_version().get("taken").await.unwrap();
        Some(cache.status.as_ref()?.conditions.first()?.reason.as_str().to_owned())
    };
    assert_eq!(soon("the status", &reason).await, "NameTaken");
    assert_eq!(cluster.deployments().get("taken").await.unwrap().spec.replicas, Some(7));
    cluster.deployments().delete("taken", &DeleteParams::default()).await.unwrap();
    soon("a Deployment in its place", || async {
        let deployment = cluster.deployments().get_opt("taken").await.unwrap()?;
        (deployment.spec.replicas == Some(1)).then_some(())
    })
    .await;
    println!("a Deployment of somebody else is left alone");
}

async fn deletion(cluster: &Cluster) {
    cluster.new_version().delete("web", &DeleteParams::foreground()).await.unwrap();
    let cache = cluster.new_version().get("web").await.unwrap();
    assert!(cache.metadata.deletion_timestamp.is_some(), "it waits for its Deployment");
    cluster.deployments().delete("web", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(cluster.deployments().get_opt("web").await.unwrap().is_none(), "it came back");
    let unfinalized = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    cluster.new_version().patch("web", &PatchParams::default(), &unfinalized).await.unwrap();
    soon("the object to be gone", || async {
        cluster.new_version().get_opt("web").await.unwrap().is_none().then_some(())
    })
    .await;
    println!("an object that is being deleted is left alone");
}

/// As the controller of Deployments does.
async fn answer(cluster: &Cluster, deployment: &Deployment, replicas: i32) {
    let status = json!({"status": {
        "observedGeneration": deployment.metadata.generation,
        "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
    }});
    cluster.deployments().patch_status("web", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
}

fn is_ready(cache: &v1::Cache) -> Option<&str> {
    Some(cache.status.as_ref()?.conditions.first()?.status.as_str())
}
