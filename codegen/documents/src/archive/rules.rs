//! The table of named rules: widenings for fields whose type changed, corrections of published
//! documents, and additions that no document contains. An import of the whole archive fails if one
//! of them no longer applies.

/// A named rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub sort: Sort,
    /// What upstream did, and what the import makes of it.
    pub why: &'static str,
}

/// What a named rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A field's type changed; the newest type accepts all older values.
    Widening,
    /// A published document is wrong, or lacks something that a sibling has.
    Correction,
    /// Part of the API, but in no document.
    Addition,
}

impl Sort {
    /// Its name in messages and in the index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Correction => "correction",
            Self::Addition => "addition",
        }
    }
}

/// A field whose type changed.
pub(super) struct Widening {
    pub rule: Rule,
    /// The types and fields that it applies to.
    pub at: &'static [(&'static str, &'static str)],
    pub from: &'static str,
    pub to: &'static str,
}

const fn widening(
    name: &'static str,
    at: &'static [(&'static str, &'static str)],
    from: &'static str,
    to: &'static str,
    why: &'static str,
) -> Widening {
    Widening { rule: Rule { name, sort: Sort::Widening, why }, at, from, to }
}

pub(super) const WIDENINGS: &[Widening] = &[
    widening(
        "collision-count-32-bit",
        &[
            ("apps/v1beta1 DeploymentStatus", "collisionCount"),
            ("extensions/v1beta1 DaemonSetStatus", "collisionCount"),
            ("extensions/v1beta1 DeploymentStatus", "collisionCount"),
        ],
        "int64",
        "int32",
        "64 bits in 1.7 only; it counts retries",
    ),
    widening(
        "lifecycle-handler",
        &[("core/v1 Lifecycle", "postStart"), ("core/v1 Lifecycle", "preStop")],
        "core/v1 Handler",
        "core/v1 LifecycleHandler",
        "Handler was split in 1.23; the fields are the same",
    ),
    widening(
        "claim-resources",
        &[("core/v1 PersistentVolumeClaimSpec", "resources")],
        "core/v1 ResourceRequirements",
        "core/v1 VolumeResourceRequirements",
        "a type of its own since 1.29; `claims` is kept",
    ),
    widening(
        "claim-data-source-ref",
        &[("core/v1 PersistentVolumeClaimSpec", "dataSourceRef")],
        "core/v1 TypedLocalObjectReference",
        "core/v1 TypedObjectReference",
        "may point to another namespace since 1.26",
    ),
    widening(
        "persistent-cinder",
        &[("core/v1 PersistentVolumeSpec", "cinder"), ("core/v1 PersistentVolumeSource", "cinder")],
        "core/v1 CinderVolumeSource",
        "core/v1 CinderPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-flex",
        &[("core/v1 PersistentVolumeSpec", "flexVolume"), ("core/v1 PersistentVolumeSource", "flexVolume")],
        "core/v1 FlexVolumeSource",
        "core/v1 FlexPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-glusterfs",
        &[("core/v1 PersistentVolumeSpec", "glusterfs"), ("core/v1 PersistentVolumeSource", "glusterfs")],
        "core/v1 GlusterfsVolumeSource",
        "core/v1 GlusterfsPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-iscsi",
        &[("core/v1 PersistentVolumeSpec", "iscsi"), ("core/v1 PersistentVolumeSource", "iscsi")],
        "core/v1 ISCSIVolumeSource",
        "core/v1 ISCSIPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-rbd",
        &[("core/v1 PersistentVolumeSpec", "rbd"), ("core/v1 PersistentVolumeSource", "rbd")],
        "core/v1 RBDVolumeSource",
        "core/v1 RBDPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-azurefile",
        &[("core/v1 PersistentVolumeSpec", "azureFile")],
        "core/v1 AzureFileVolumeSource",
        "core/v1 AzureFilePersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-cephfs",
        &[("core/v1 PersistentVolumeSpec", "cephfs")],
        "core/v1 CephFSVolumeSource",
        "core/v1 CephFSPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-scaleio",
        &[("core/v1 PersistentVolumeSpec", "scaleIO")],
        "core/v1 ScaleIOVolumeSource",
        "core/v1 ScaleIOPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-secret-references",
        &[
            ("core/v1 CephFSPersistentVolumeSource", "secretRef"),
            ("core/v1 FlexPersistentVolumeSource", "secretRef"),
            ("core/v1 ISCSIPersistentVolumeSource", "secretRef"),
            ("core/v1 RBDPersistentVolumeSource", "secretRef"),
            ("core/v1 ScaleIOPersistentVolumeSource", "secretRef"),
        ],
        "core/v1 LocalObjectReference",
        "core/v1 SecretReference",
        "as above: the secret gained a namespace",
    ),
    widening(
        "webhook-mutating",
        &[("admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration", "webhooks")],
        "[]admissionregistration.k8s.io/v1beta1 Webhook",
        "[]admissionregistration.k8s.io/v1beta1 MutatingWebhook",
        "Webhook was split in 1.15",
    ),
    widening(
        "webhook-validating",
        &[("admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration", "webhooks")],
        "[]admissionregistration.k8s.io/v1beta1 Webhook",
        "[]admissionregistration.k8s.io/v1beta1 ValidatingWebhook",
        "Webhook was split in 1.15",
    ),
    widening(
        "webhook-rules-of-v1",
        &[
            ("admissionregistration.k8s.io/v1beta1 MutatingWebhook", "rules"),
            ("admissionregistration.k8s.io/v1beta1 ValidatingWebhook", "rules"),
        ],
        "[]admissionregistration.k8s.io/v1beta1 RuleWithOperations",
        "[]admissionregistration.k8s.io/v1 RuleWithOperations",
        "v1beta1 takes the rules of v1 since 1.26; they are the same",
    ),
    widening(
        "custom-resource-status-subresource",
        &[("apiextensions.k8s.io/v1beta1 CustomResourceSubresources", "status")],
        "JSON",
        "apiextensions.k8s.io/v1beta1 CustomResourceSubresourceStatus",
        "documents of 1.10 to 1.13 do not mention that it is an object",
    ),
    widening(
        "ingress-load-balancer-extensions",
        &[("extensions/v1beta1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "extensions/v1beta1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-extensions",
        &[("extensions/v1beta1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]extensions/v1beta1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-extensions",
        &[("extensions/v1beta1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]extensions/v1beta1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-load-balancer-networking-v1",
        &[("networking.k8s.io/v1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "networking.k8s.io/v1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-networking-v1",
        &[("networking.k8s.io/v1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]networking.k8s.io/v1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-networking-v1",
        &[("networking.k8s.io/v1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]networking.k8s.io/v1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-load-balancer-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "networking.k8s.io/v1beta1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]networking.k8s.io/v1beta1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]networking.k8s.io/v1beta1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-class-parameters-v1",
        &[("networking.k8s.io/v1 IngressClassSpec", "parameters")],
        "core/v1 TypedLocalObjectReference",
        "networking.k8s.io/v1 IngressClassParametersReference",
        "may point into a namespace since 1.21",
    ),
    widening(
        "ingress-class-parameters-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressClassSpec", "parameters")],
        "core/v1 TypedLocalObjectReference",
        "networking.k8s.io/v1beta1 IngressClassParametersReference",
        "may point into a namespace since 1.21",
    ),
    widening(
        "partial-metadata-of-v1",
        &[("meta.k8s.io/v1beta1 PartialObjectMetadataList", "items")],
        "[]meta.k8s.io/v1beta1 PartialObjectMetadata",
        "[]meta.k8s.io/v1 PartialObjectMetadata",
        "v1beta1 lists the objects of v1 since 1.15; they are the same",
    ),
];

const fn rule(sort: Sort, name: &'static str, why: &'static str) -> Rule {
    Rule { name, sort, why }
}

/// Types of fields are written as the files in `schemas/` of the type's own group write them.
const RULES: &[Rule] = &[
    rule(
        Sort::Correction,
        "node-config-source-is-not-a-kind",
        "documents since 1.8 register NodeConfigSource as a kind; it only occurs inside Node",
    ),
    rule(
        Sort::Correction,
        "status-is-not-a-resource",
        "documents of 1.23 to 1.30 call Status a kind of resource.k8s.io; it is what a server answers there",
    ),
    rule(
        Sort::Correction,
        "discovery-is-not-a-resource",
        "documents call the answers of discovery kinds of the core group; no server stores them",
    ),
    rule(
        Sort::Correction,
        "managed-fields-of-1.14",
        "`fields` of ManagedFieldsEntry, in 1.14 and 1.15, was a protobuf message of its own; only its JSON is read",
    ),
    rule(
        Sort::Correction,
        "machinery-left-core",
        "field facts and descriptors of 1.8 contain earlier copies of the API machinery's types in core/v1; they are those of meta.k8s.io/v1",
    ),
    rule(
        Sort::Correction,
        "options-of-groups-that-never-were",
        "documents of 1.7 and 1.8 register DeleteOptions and WatchEvent under federation/v1beta1, which no server of Kubernetes offered",
    ),
    rule(
        Sort::Correction,
        "meta-v1beta1-names-v1",
        "Table and PartialObjectMetadata of meta.k8s.io/v1beta1 became names of the v1 types, and are the same in JSON",
    ),
    rule(
        Sort::Correction,
        "autoscaling-v2alpha1-as-v2beta1",
        "autoscaling/v2alpha1 was removed before the first field facts; order, presence and numbers are those of v2beta1",
    ),
    rule(
        Sort::Correction,
        "extensions-autoscaler-as-autoscaling-v1",
        "the autoscaler of extensions/v1beta1 was removed before the first field facts; order and presence are those of autoscaling/v1",
    ),
    rule(
        Sort::Correction,
        "subresource-reference-has-plain-fields",
        "the fields of extensions/v1beta1 SubresourceReference are plain strings, left out when empty",
    ),
    rule(
        Sort::Correction,
        "names-of-kinds-have-plain-fields",
        "no field facts describe the types that identify a kind or a resource: their fields are plain strings, always written",
    ),
    rule(
        Sort::Addition,
        "batch-v1-job-template",
        "batch/v1 registers JobTemplate, but no document contains it: it is the one of v1beta1 with the types of v1",
    ),
];

/// All named rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    WIDENINGS.iter().map(|widening| &widening.rule).chain(RULES)
}
