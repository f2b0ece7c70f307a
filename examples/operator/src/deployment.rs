//! The Deployment of a Cache.

use hubgen_apps::v1::{Deployment, DeploymentSpec};
use hubgen_core::v1::{
    Container, ContainerPort, PodSpec, PodTemplateSpec, Probe, ResourceRequirements, TCPSocketAction,
};
use hubgen_kube::v5::Kube;
use hubgen_machinery::scalar::IntOrString;
use hubgen_machinery::{Str, StrMap};
use hubgen_meta::v1::LabelSelector;
use kube::{Resource, ResourceExt};

use crate::api::v1::{Cache, Limits};
use crate::reconcile::MANAGER;

/// The label with the name of the program that manages an object.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The label by which a Deployment finds its Pods.
const INSTANCE: &str = "app.kubernetes.io/instance";
/// Of memcached.
const PORT: i32 = 11211;

/// The Deployment that a Cache asks for, with all that this operator decides about it, and nothing else.
///
/// It belongs to the Cache: Kubernetes deletes it after the Cache.
pub fn of(cache: &Kube<Cache>) -> Kube<Deployment> {
    let labels = StrMap::from([(INSTANCE, cache.metadata.name.clone()), (MANAGED_BY, MANAGER.into())]);
    let mut template = PodTemplateSpec::default();
    template.metadata.labels = labels.clone();
    template.spec = PodSpec { containers: vec![container(cache)], ..PodSpec::default() };

    let mut deployment = Deployment::default();
    deployment.metadata.name = cache.metadata.name.clone();
    deployment.metadata.namespace = cache.metadata.namespace.clone();
    deployment.metadata.labels = labels.clone();
    deployment.spec = DeploymentSpec {
        replicas: Some(replicas(cache)),
        selector: Some(LabelSelector { match_labels: labels, ..LabelSelector::default() }),
        template,
        ..DeploymentSpec::default()
    };
    let mut deployment = Kube::new(deployment);
    deployment.owner_references_mut().extend(cache.controller_owner_ref(&()));
    deployment
}

/// How many servers there should be.
pub fn replicas(cache: &Cache) -> i32 {
    // The API server sets the default.
    cache.spec.replicas.unwrap_or(1)
}

/// Whether a Deployment belongs to a Cache, and not to somebody else.
pub fn belongs_to(deployment: &Deployment, cache: &Cache) -> bool {
    let owners = &deployment.metadata.owner_references;
    owners.iter().any(|owner| owner.controller == Some(true) && owner.uid == cache.metadata.uid)
}

fn container(cache: &Cache) -> Container {
    let probe = Probe {
        tcp_socket: Some(TCPSocketAction {
            port: IntOrString::from("memcached"),
            ..TCPSocketAction::default()
        }),
        ..Probe::default()
    };
    let port = ContainerPort { name: "memcached".into(), container_port: PORT, ..ContainerPort::default() };
    let limits = cache.spec.limits.as_ref();
    let memory = limits.and_then(|limits| limits.memory.clone());
    Container {
        name: "memcached".into(),
        image: cache.spec.image.clone(),
        args: limits.map(arguments).unwrap_or_default(),
        ports: vec![port],
        readiness_probe: Some(Box::new(probe)),
        resources: ResourceRequirements {
            requests: memory.map(|memory| ("memory", memory)).into_iter().collect(),
            ..ResourceRequirements::default()
        },
        ..Container::default()
    }
}

/// Limits, as memcached has them.
fn arguments(limits: &Limits) -> Vec<Str> {
    let megabytes =
        limits.memory.as_ref().and_then(|memory| memory.value()).map(|bytes| (bytes >> 20).max(1));
    let memory = megabytes.map(|megabytes| format!("--memory-limit={megabytes}").into());
    let connections = limits.connections.map(|number| format!("--conn-limit={number}").into());
    memory.into_iter().chain(connections).collect()
}
