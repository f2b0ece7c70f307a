//! Values that rules, defaults and their functions check for, and that random generation would not
//! produce.

/// A field that contains words, or a map with these keys; the kinds that this applies to (all, if
/// empty); the words.
type Words = (&'static str, &'static [&'static str], &'static [&'static str]);

const HPA: &[&str] = &["HorizontalPodAutoscaler"];
const BOUND: &[&str] = &["RoleBinding", "ClusterRoleBinding"];
const WORKLOADS: &[&str] = &["Deployment", "DaemonSet", "StatefulSet"];
const SERVICE: &[&str] = &["Service"];
const FLOW: &[&str] = &["PriorityLevelConfiguration"];
const DEVICES: &[&str] = &["ResourceClaim", "ResourceClaimTemplate"];

const WORDS: &[Words] = &[
    ("name", &[], &["cpu", "a"]),
    ("image", &[], &["nginx", "nginx:1.2", "nginx:latest", "registry:5000/a/b", "a@sha256:b", "A:"]),
    ("reference", &[], &["nginx", "nginx:1.2", "nginx:latest"]),
    ("limits", &[], &["cpu", "memory", "hugepages-2Mi", "x.y/z"]),
    ("requests", &[], &["cpu", "memory", "hugepages-2Mi"]),
    ("restartPolicy", &[], &["Always", "Never"]),
    ("sessionAffinity", SERVICE, &["None", "ClientIP"]),
    ("type", SERVICE, &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    ("ipMode", SERVICE, &["Proxy"]),
    ("type", &["LimitRange"], &["Container", "Pod"]),
    ("type", WORKLOADS, &["RollingUpdate", "OnDelete", "Recreate"]),
    (
        "type",
        HPA,
        &[
            "Resource",
            "Utilization",
            "AverageValue",
            "Value",
            "Pods",
            "Object",
            "External",
            "ContainerResource",
        ],
    ),
    ("subresource", HPA, &["scale"]),
    (
        "annotations",
        HPA,
        &[
            "autoscaling.alpha.kubernetes.io/metrics",
            "autoscaling.alpha.kubernetes.io/current-metrics",
            "autoscaling.alpha.kubernetes.io/conditions",
            "autoscaling.alpha.kubernetes.io/behavior",
            "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
            "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
        ],
    ),
    ("annotations", &["Deployment"], &["deprecated.deployment.rollback.to"]),
    ("annotations", &["DaemonSet"], &["deprecated.daemonset.template.generation"]),
    ("annotations", FLOW, &["flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"]),
    ("type", FLOW, &["Limited", "Exempt", "Queue", "Reject"]),
    ("key", &["PodDisruptionBudget"], &["pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "a"]),
    ("operator", &["PodDisruptionBudget"], &["Exists", "DoesNotExist", "In"]),
    ("operator", &["Scale"], &["Exists", "DoesNotExist", "In", "NotIn"]),
    ("targetSelector", &["Scale"], &["a=b", "a=b,c=d", "a in (b,c)", "!a", "a,b=c"]),
    ("selector", &["Scale"], &["a=b", "a=b,c=d", "a in (b,c)", "!a", "a", "app.kubernetes.io/name"]),
    ("kind", BOUND, &["User", "Group", "ServiceAccount", "Role"]),
    ("name", BOUND, &["*", "a"]),
    ("apiGroup", BOUND, &["rbac.authorization.k8s.io", "x"]),
    ("apiVersion", BOUND, &["v1", "rbac.authorization.k8s.io/v1alpha1", "x/v1", "v1/x/y"]),
    ("topology", &["EndpointSlice"], &["topology.kubernetes.io/zone", "kubernetes.io/hostname", "a"]),
    (
        "deprecatedTopology",
        &["EndpointSlice"],
        &["topology.kubernetes.io/zone", "kubernetes.io/hostname", "a"],
    ),
    ("nodeName", &["EndpointSlice"], &["a", "b", ""]),
    ("strategy", &["CustomResourceDefinition"], &["Webhook", "None"]),
    ("version", &["CustomResourceDefinition"], &["a", "b"]),
    ("name", &["CustomResourceDefinition"], &["a", "b"]),
    ("allocationMode", DEVICES, &["ExactCount", "All"]),
    ("reinvocationPolicy", &["MutatingWebhookConfiguration"], &["Never", "IfNeeded"]),
];

/// Words that printers look for, beside those above.
const OF_TABLES: &[Words] = &[
    ("status", &[], &["True", "False", "Unknown"]),
    ("phase", &[], &["Running", "Succeeded", "Failed", "Pending", "Bound"]),
    ("operator", &[], &["In", "NotIn", "Exists", "DoesNotExist"]),
    ("matchLabels", &[], &["app", "tier"]),
    ("requests", &[], &["storage"]),
    ("capacity", &[], &["storage"]),
    ("hard", &[], &["limits.cpu", "requests.cpu", "pods", "limits"]),
    ("used", &[], &["limits.cpu", "requests.cpu", "pods", "limits"]),
    ("accessModes", &[], &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]),
    ("controller", &[], &["a"]),
    (
        "reason",
        &["Pod"],
        &["NodeLost", "SchedulingGated", "Completed", "PodInitializing", "CrashLoopBackOff"],
    ),
    ("type", &["Pod"], &["PodScheduled", "Initialized", "Ready", "a"]),
    ("conditionType", &["Pod"], &["Ready", "a"]),
    ("type", &["Node"], &["Ready", "InternalIP", "ExternalIP", "Hostname"]),
    (
        "labels",
        &["Node"],
        &["node-role.kubernetes.io/worker", "node-role.kubernetes.io/", "kubernetes.io/role", "a"],
    ),
    ("type", &["Job"], &["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"]),
    ("type", &["CertificateSigningRequest"], &["Approved", "Denied", "Failed"]),
    ("type", &["PodCertificateRequest"], &["Issued", "Denied", "Failed"]),
    ("type", &["ComponentStatus"], &["Healthy", "a"]),
    ("type", &["FlowSchema"], &["Dangling", "a", "ByUser"]),
    ("type", &["ResourcePoolStatusRequest"], &["Complete", "Failed"]),
    ("type", &["StorageVersionMigration"], &["Running", "Failed", "Succeeded"]),
    ("type", &["PodGroup"], &["PodGroupInitiallyScheduled", "DisruptionTarget"]),
    ("type", &["Eviction", "EvictionRequest"], &["TargetEvicted", "Failed"]),
    ("state", &["Eviction"], &["Inactive", "Active", "Interrupted", "Canceled", "Completed"]),
    ("intent", &["Eviction", "EvictionRequest"], &["Withdrawn", "Eviction"]),
    ("name", &["Eviction"], &["a", "b"]),
    ("annotations", &["IngressClass"], &["ingressclass.kubernetes.io/is-default-class"]),
    (
        "annotations",
        &["StorageClass"],
        &["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"],
    ),
    (
        "annotations",
        &["PersistentVolume", "PersistentVolumeClaim"],
        &["volume.beta.kubernetes.io/storage-class"],
    ),
];

/// The words for objects of a kind whose tables are compared.
pub fn for_tables(kind: &str) -> Vec<(&'static str, &'static str)> {
    let own = OF_TABLES.iter().filter(|(_, kinds, _)| kinds.is_empty() || kinds.contains(&kind));
    let own: Vec<_> =
        own.flat_map(|(field, _, words)| words.iter().map(move |word| (*field, *word))).collect();
    let others = for_kind(kind).into_iter().filter(|(field, _)| own.iter().all(|(known, _)| known != field));
    others.chain(own.iter().copied()).collect()
}

/// The words for objects of a kind, by field. Words for this kind replace the general ones.
pub fn for_kind(kind: &str) -> Vec<(&'static str, &'static str)> {
    let kind = kind.strip_suffix("List").unwrap_or(kind);
    let own = |field: &str| WORDS.iter().any(|(name, kinds, _)| *name == field && kinds.contains(&kind));
    WORDS
        .iter()
        .filter(|(field, kinds, _)| kinds.contains(&kind) || (kinds.is_empty() && !own(field)))
        .flat_map(|(field, _, words)| words.iter().map(move |word| (*field, *word)))
        .collect()
}
