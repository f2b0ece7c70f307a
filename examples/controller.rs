//! A controller: it builds a Deployment for each `App`, and patches what differs in the cluster.
//!
//! `App` is a kind of our own. The cluster is a map in memory, so that the example needs no server.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;

use hubgen_kubernetes::apps::v1::{Deployment, DeploymentSpec};
use hubgen_kubernetes::core::v1::{
    Container, ContainerPort, EnvVar, HTTPGetAction, PodSpec, PodTemplateSpec, Probe, ResourceRequirements,
};
use hubgen_kubernetes::machinery::scalar::{IntOrString, Quantity};
use hubgen_kubernetes::machinery::{ApiType, Str, StrMap, json, yaml};
use hubgen_kubernetes::meta::v1::{LabelSelector, ObjectMeta};

const NAME: &str = "app.kubernetes.io/name";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const CONTROLLER: &str = "apps.example.com";
/// The annotation that contains the settings. A change of it restarts the Pods.
const SETTINGS: &str = "apps.example.com/settings";

const APPS: &str = "
metadata: {name: cart, namespace: shop}
spec: {image: registry.example.com/shop/cart, tag: v1.4.2, port: 8080, memory: 256Mi}
---
metadata: {name: checkout, namespace: shop}
spec:
  image: registry.example.com/shop/checkout
  tag: v2.0.1
  replicas: 3
  port: 9090
  memory: 512Mi
  settings: {LOG_LEVEL: info, PAYMENT_URL: 'https://payment.example.com/v1'}
---
metadata: {name: search, namespace: shop}
spec: {image: registry.example.com/shop/search, tag: v0.9.0, replicas: 2, port: 8080, memory: 1Gi}
";

/// What a user of the controller writes.
#[derive(ApiType)]
struct App {
    metadata: ObjectMeta,
    spec: AppSpec,
}

#[derive(ApiType)]
struct AppSpec {
    image: Str,
    tag: Str,
    replicas: Option<i32>,
    port: i32,
    memory: Quantity,
    settings: StrMap<Str>,
}

/// The Deployments of a cluster, by namespace and name.
#[derive(Default)]
struct Cluster {
    deployments: BTreeMap<String, Deployment>,
    writes: usize,
}

fn key(metadata: &ObjectMeta) -> String {
    format!("{}/{}", metadata.namespace, metadata.name)
}

impl Cluster {
    /// Creates or replaces a Deployment, and gives it a new resource version.
    fn put(&mut self, mut deployment: Deployment) {
        self.writes += 1;
        deployment.metadata.resource_version = self.writes.to_string().into();
        self.deployments.insert(key(&deployment.metadata), deployment);
    }
}

/// The labels by which a Deployment finds its Pods.
fn labels(app: &App) -> StrMap<Str> {
    StrMap::from([(NAME, app.metadata.name.clone()), (MANAGED_BY, CONTROLLER.into())])
}

/// The settings of an app as one text.
fn settings(spec: &AppSpec) -> String {
    let settings: Vec<String> = spec.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
    settings.join(" ")
}

fn container(app: &App) -> Container {
    let AppSpec { image, tag, port, memory, settings, .. } = &app.spec;
    let mut env = Vec::new();
    for (name, value) in settings {
        env.push(EnvVar { name: name.clone(), value: value.clone(), ..EnvVar::default() });
    }
    let port = ContainerPort { name: "http".into(), container_port: *port, ..ContainerPort::default() };
    let health = HTTPGetAction {
        path: "/healthz".into(),
        port: IntOrString::from("http"),
        ..HTTPGetAction::default()
    };
    let probe = Box::new(Probe { http_get: Some(health), period_seconds: 10, ..Probe::default() });
    let amounts = StrMap::from([("memory", memory.clone())]);
    Container {
        name: app.metadata.name.clone(),
        image: format!("{image}:{tag}").into(),
        args: vec!["serve".into(), format!("--name={}", app.metadata.name).into()],
        env,
        ports: vec![port],
        liveness_probe: Some(probe.clone()),
        readiness_probe: Some(probe),
        resources: ResourceRequirements { limits: amounts.clone(), requests: amounts, ..Default::default() },
        ..Container::default()
    }
}

fn deployment(app: &App) -> Deployment {
    let labels = labels(app);
    let mut template = PodTemplateSpec::default();
    template.metadata.labels = labels.clone();
    template.metadata.annotations.insert(SETTINGS, settings(&app.spec).into());
    template.spec = PodSpec { containers: vec![container(app)], ..PodSpec::default() };
    template.spec.service_account_name = app.metadata.name.clone();

    let mut deployment = Deployment::default();
    deployment.metadata.name = app.metadata.name.clone();
    deployment.metadata.namespace = app.metadata.namespace.clone();
    deployment.metadata.labels = labels.clone();
    deployment.spec = DeploymentSpec {
        replicas: Some(app.spec.replicas.unwrap_or(1)),
        selector: Some(LabelSelector { match_labels: labels, ..LabelSelector::default() }),
        template,
        ..DeploymentSpec::default()
    };
    deployment
}

/// Makes what the controller manages in `observed` as in `desired`. Everything else stays: a server
/// sets defaults, and other controllers have annotations of their own. Returns what changed.
fn patch(observed: &mut Deployment, desired: &Deployment) -> Vec<String> {
    let mut changes = Vec::new();
    if observed.spec.replicas != desired.spec.replicas {
        let [before, after] = [&*observed, desired].map(|it| it.spec.replicas.unwrap_or(1));
        changes.push(format!("replicas {before} → {after}"));
        observed.spec.replicas = desired.spec.replicas;
    }
    let (have, want) = (&mut observed.spec.template, &desired.spec.template);
    for container in &want.spec.containers {
        match have.spec.containers.iter_mut().find(|other| other.name == container.name) {
            None => {
                changes.push(format!("container {}", container.name));
                have.spec.containers.push(container.clone());
            }
            Some(other) if other.image != container.image || other.env != container.env => {
                changes.push(format!("container {}: {}", other.name, container.image));
                other.image.clone_from(&container.image);
                other.env.clone_from(&container.env);
            }
            Some(_) => {}
        }
    }
    for (key, value) in &want.metadata.annotations {
        if have.metadata.annotations.get(key) != Some(value) {
            changes.push(format!("annotation {key}: {value:?}"));
            have.metadata.annotations.insert(key.clone(), value.clone());
        }
    }
    changes
}

/// Creates, patches and deletes Deployments until the cluster is as the apps describe. Returns what
/// it did, a line each.
fn reconcile(cluster: &mut Cluster, apps: &[App]) -> Vec<String> {
    let mut done = Vec::new();
    for app in apps {
        let (key, desired) = (key(&app.metadata), deployment(app));
        let Some(observed) = cluster.deployments.get(&key) else {
            done.push(format!("{key}: created"));
            cluster.put(desired);
            continue;
        };
        let mut patched = observed.clone();
        let changes = patch(&mut patched, &desired);
        if !changes.is_empty() {
            done.push(format!("{key}: {}", changes.join(", ")));
            cluster.put(patched);
        }
    }
    // Deployments of this controller that no app names any more.
    let wanted: BTreeSet<String> = apps.iter().map(|app| key(&app.metadata)).collect();
    cluster.deployments.retain(|key, deployment| {
        let manager = deployment.metadata.labels.get(MANAGED_BY).map(Str::as_str);
        let stays = manager != Some(CONTROLLER) || wanted.contains(key);
        if !stays {
            done.push(format!("{key}: deleted"));
        }
        stays
    });
    done
}

/// Lets the apps change and the controller follow. Returns what it did, and the cluster.
fn run(mut apps: Vec<App>) -> (Vec<String>, Cluster) {
    let mut cluster = Cluster::default();
    let mut done = reconcile(&mut cluster, &apps);

    apps.retain(|app| app.metadata.name != "search");
    apps[0].spec.tag = "v1.5.0".into();
    apps[1].spec.replicas = Some(5);
    apps[1].spec.settings.insert("LOG_LEVEL", "debug".into());
    done.extend(reconcile(&mut cluster, &apps));

    assert!(reconcile(&mut cluster, &apps).is_empty(), "nothing has changed since");
    (done, cluster)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut apps: Vec<App> = Vec::new();
    for document in yaml::documents(APPS) {
        apps.push(json::decode(&document?.json)?);
    }

    // `controller 100` does the work 100 times, so that its cost can be measured.
    let rounds: usize = env::args().nth(1).map_or(Ok(1), |rounds| rounds.parse())?;
    for _ in 1..rounds {
        run(apps.clone());
    }
    let (done, cluster) = run(apps);

    println!("{}", done.join("\n"));
    print!("\n{}", yaml::from_json(&json::encode(&cluster.deployments["shop/cart"])?)?);
    Ok(())
}
