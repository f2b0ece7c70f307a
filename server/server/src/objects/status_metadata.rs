//! The metadata that an update of the status changes.

use hubgen_machinery::scheme::KindEntry;

/// The metadata fields that clients own.
const CLIENTS: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];

/// The kinds for which an update of the status also changes metadata: storage group, kind, and the
/// fields that it nevertheless preserves. For all other kinds, custom resources included, an update
/// of the status changes no metadata.
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
    // From 1.27, the last release that had this status.
    ("networking.k8s.io", "NetworkPolicy", &[]),
    ("policy", "PodDisruptionBudget", &[]),
    // From 1.26, the only release that had this kind.
    ("resource.k8s.io", "PodScheduling", &[]),
];

/// The metadata fields that an update of the status takes from the client. `managedFields` is
/// always included, because it records who wrote the status.
pub(super) fn fields_from_client(entry: &KindEntry) -> impl Iterator<Item = &'static str> + use<> {
    let (group, _, kind) = entry.storage();
    let listed = TAKES_METADATA.iter().find(|listed| (listed.0, listed.1) == (group, kind));
    let takes = move |field: &&str| listed.is_some_and(|listed| !listed.2.contains(field));
    CLIENTS.into_iter().filter(takes).chain(["managedFields"])
}
