//! Which metadata an update of the status changes.

use hubgen_machinery::scheme::KindEntry;

/// The fields of the metadata that belong to clients.
const CLIENTS: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];

/// The kinds for which an update of the status also changes metadata: group of storage, kind, and
/// the fields that it does not change all the same. For all other kinds, custom resources included,
/// it changes no metadata.
///
/// The source is Kubernetes 1.35: `PrepareForUpdate` of the status strategies in
/// `pkg/registry/<group>/<kind>/strategy.go`. A strategy that calls `ResetObjectMetaForStatus`, or
/// copies these four fields from the old object, keeps the metadata; the others take the client's.
/// The one of CustomResourceDefinition passes the new object twice, which resets nothing.
const TAKES_METADATA: &[(&str, &str, &[&str])] = &[
    ("", "Namespace", &[]),
    ("", "Node", &[]),
    ("", "PersistentVolume", &[]),
    ("", "PersistentVolumeClaim", &[]),
    ("", "Pod", &["ownerReferences"]),
    ("", "ReplicationController", &[]),
    ("", "ResourceQuota", &[]),
    ("", "Service", &[]),
    ("apiextensions.k8s.io", "CustomResourceDefinition", &[]),
    ("apps", "DaemonSet", &[]),
    ("apps", "Deployment", &["labels"]),
    ("apps", "ReplicaSet", &[]),
    ("apps", "StatefulSet", &[]),
    ("autoscaling", "HorizontalPodAutoscaler", &[]),
    ("batch", "CronJob", &[]),
    ("batch", "Job", &[]),
    ("certificates.k8s.io", "CertificateSigningRequest", &[]),
    ("networking.k8s.io", "Ingress", &[]),
    // In 1.27, the last release in which its status could be updated.
    ("networking.k8s.io", "NetworkPolicy", &[]),
    ("policy", "PodDisruptionBudget", &[]),
    // In 1.26, the only release that had it.
    ("resource.k8s.io", "PodScheduling", &[]),
];

/// The fields of the metadata that an update of the status takes from the client. `managedFields`
/// are always among them, because they record who wrote the status.
pub(super) fn taken(entry: &KindEntry) -> impl Iterator<Item = &'static str> + use<> {
    let (group, _, kind) = entry.storage();
    let listed = TAKES_METADATA.iter().find(|listed| (listed.0, listed.1) == (group, kind));
    let takes = move |field: &&str| listed.is_some_and(|listed| !listed.2.contains(field));
    CLIENTS.into_iter().filter(takes).chain(["managedFields"])
}
