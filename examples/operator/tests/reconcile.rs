//! What the operator does about an object, with an API server in the process of the test.

use std::sync::Arc;

use cache_operator::api;
use cache_operator::api::v1::Cache;
use cache_operator::reconcile::{Context, Error, again, reconcile};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use hubgen_test_server::{Controllers, Fault, Requests, TestServer};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::Action;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

const WEB: &str = "
apiVersion: cache.example.com/v1
kind: Cache
metadata: {name: web, namespace: default}
spec: {image: 'memcached:1.6', replicas: 2, limits: {memory: 64Mi, connections: 100}}
";

/// A server with the kinds of the operator, and the object `web`.
struct Cluster {
    server: TestServer,
    client: Client,
}

impl Cluster {
    async fn start() -> Self {
        let builder = TestServer::builder().own_kinds(api::scheme(), api::crds()).manifests(WEB);
        // Some owners here are not there, and the server would collect what they own.
        let builder = builder.settings(|settings| settings.loops.controllers = Controllers::none());
        let server = builder.start().await.unwrap();
        let client = server.client().unwrap();
        Self { server, client }
    }

    fn caches(&self) -> Api<Kube<Cache>> {
        Api::default_namespaced(self.client.clone())
    }

    fn deployments(&self) -> Api<Kube<Deployment>> {
        Api::default_namespaced(self.client.clone())
    }

    async fn web(&self) -> Kube<Cache> {
        self.caches().get("web").await.unwrap()
    }

    /// The operator's turn.
    async fn turn(&self) -> Result<Action, Error> {
        let context = Arc::new(Context { client: self.client.clone() });
        let cache = Arc::new(self.web().await);
        let result = reconcile(cache.clone(), context.clone()).await;
        result.inspect_err(|error| assert_ne!(again(cache, error, context), Action::await_change()))
    }

    /// The status and the reason of the condition.
    async fn ready(&self) -> (String, String) {
        let status = self.web().await.status.as_ref().unwrap().conditions[0].clone();
        (status.status.as_str().to_owned(), status.reason.as_str().to_owned())
    }

    /// As the controller for Deployments does.
    async fn deployed(&self, replicas: i32) {
        let generation = self.deployments().get("web").await.unwrap().metadata.generation;
        let status = json!({
            "observedGeneration": generation, "replicas": 2, "updatedReplicas": 2, "readyReplicas": replicas,
        });
        let patch = Patch::Merge(json!({"status": status}));
        self.deployments().patch_status("web", &PatchParams::default(), &patch).await.unwrap();
    }
}

fn texts(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

#[tokio::test]
async fn a_deployment_is_applied() {
    let cluster = Cluster::start().await;
    cluster.turn().await.unwrap();
    let (cache, deployment) = (cluster.web().await, cluster.deployments().get("web").await.unwrap());
    let [owner] = &deployment.metadata.owner_references[..] else { panic!("{deployment:?}") };
    assert_eq!((&*owner.api_version, &*owner.kind, &*owner.name), ("cache.example.com/v1", "Cache", "web"));
    assert_eq!((&owner.uid, owner.controller), (&cache.metadata.uid, Some(true)));
    let managers = deployment.metadata.managed_fields.iter();
    let managers: Vec<_> = managers.map(|entry| texts(&entry.manager, &entry.operation)).collect();
    assert_eq!(managers, [texts("cache-operator", "Apply")]);

    let spec = serde_json::to_value(&deployment.spec).unwrap();
    assert_eq!(spec["replicas"], 2);
    assert_eq!(spec["selector"]["matchLabels"], spec["template"]["metadata"]["labels"]);
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["args"], json!(["--memory-limit=64", "--conn-limit=100"]));
    assert_eq!(container["resources"], json!({"requests": {"memory": "64Mi"}}));

    let status = cache.status.as_ref().unwrap();
    assert_eq!((status.observed_generation, status.ready_replicas), (Some(1), Some(0)));
    assert_eq!(cluster.ready().await, texts("False", "Progressing"));
}

#[tokio::test]
async fn the_status_follows_the_deployment() {
    let cluster = Cluster::start().await;
    cluster.turn().await.unwrap();
    let long_ago = Some("2006-01-02T15:04:05Z".parse().unwrap());
    let mut cache = cluster.web().await;
    cache.status.as_mut().unwrap().conditions[0].last_transition_time = long_ago;
    cluster.caches().replace_status("web", &PostParams::default(), &cache).await.unwrap();
    let since = || async { cluster.web().await.status.as_ref().unwrap().conditions[0].last_transition_time };

    cluster.deployed(1).await;
    cluster.turn().await.unwrap();
    assert_eq!(cluster.web().await.status.as_ref().unwrap().ready_replicas, Some(1));
    assert_eq!((cluster.ready().await, since().await), (texts("False", "Progressing"), long_ago));

    cluster.deployed(2).await;
    cluster.turn().await.unwrap();
    assert_eq!(cluster.ready().await, texts("True", "Available"));
    assert!(since().await > long_ago);

    // Nothing has changed, and nothing is written.
    let revisions = || async {
        let deployment = cluster.deployments().get("web").await.unwrap();
        [cluster.web().await.resource_version(), deployment.resource_version()]
    };
    let before = revisions().await;
    cluster.turn().await.unwrap();
    assert_eq!(revisions().await, before);
}

#[tokio::test]
async fn an_object_that_is_being_deleted_is_left_alone() {
    let cluster = Cluster::start().await;
    let kept = Patch::Merge(json!({"metadata": {"finalizers": ["example.com/kept"]}}));
    cluster.caches().patch("web", &PatchParams::default(), &kept).await.unwrap();
    cluster.caches().delete("web", &DeleteParams::default()).await.unwrap();
    assert_eq!(cluster.turn().await.unwrap(), Action::await_change());
    assert!(cluster.deployments().get_opt("web").await.unwrap().is_none());
    assert!(cluster.web().await.status.is_none());
}

#[tokio::test]
async fn a_deployment_of_somebody_else_is_left_alone() {
    let cluster = Cluster::start().await;
    let before = cluster.server.snapshot().await.unwrap();
    let own = cluster.web().await.metadata.uid.to_string();
    let owner = |uid: &str, controller: Option<bool>| {
        json!([{
            "apiVersion": "cache.example.com/v1", "kind": "Cache", "name": "web", "uid": uid, "controller": controller,
        }])
    };
    for owners in [Value::Null, owner("0", Some(true)), owner(&own, None)] {
        let theirs = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "ownerReferences": owners},
            "spec": {
                "paused": true,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "web"}]},
                },
            },
        });
        let theirs: Kube<Deployment> = serde_json::from_value(theirs).unwrap();
        let theirs = cluster.deployments().create(&PostParams::default(), &theirs).await.unwrap();
        let error = cluster.turn().await.unwrap_err();
        assert!(matches!(&error, Error::Taken(name) if name == "web"), "{error}");
        assert_eq!(cluster.deployments().get("web").await.unwrap(), theirs);
        assert_eq!(cluster.ready().await, texts("False", "NameTaken"));
        cluster.server.restore(&before).await.unwrap();
    }
}

#[tokio::test]
async fn errors_are_in_the_status() {
    let cluster = Cluster::start().await;
    cluster.turn().await.unwrap();
    cluster.deployed(2).await;
    cluster.turn().await.unwrap();

    let faults = cluster.server.faults();
    let of_deployments =
        faults.always(Fault::internal_error(), Requests::to("patch").resource("deployments"));
    let error = cluster.turn().await.unwrap_err();
    assert!(error.to_string().starts_with("the Deployment cannot be applied: "), "{error}");
    assert_eq!(cluster.ready().await, texts("False", "DeploymentFailed"));
    let status = cluster.web().await.status.clone().unwrap();
    assert_eq!(status.ready_replicas, Some(2), "the last number that was seen");

    of_deployments.remove();
    let of_status = faults.always(Fault::conflict(), Requests::to("patch").subresource("status"));
    assert!(matches!(cluster.turn().await, Err(Error::Status(_))));
    of_status.remove();
    cluster.turn().await.unwrap();
    assert_eq!(cluster.ready().await, texts("True", "Available"));
}
