//! Kinds that the reference release does not serve at any version, and what replaced them.

/// Group, kind, and what to use instead.
const REPLACED: &[(&str, &str, &str)] = &[
    ("", "EphemeralContainers", "kubectl debug, or the subresource ephemeralcontainers of a Pod"),
    (
        "admissionregistration.k8s.io",
        "ExternalAdmissionHookConfiguration",
        "ValidatingWebhookConfiguration and MutatingWebhookConfiguration of admissionregistration.k8s.io/v1",
    ),
    (
        "admissionregistration.k8s.io",
        "InitializerConfiguration",
        "MutatingWebhookConfiguration of admissionregistration.k8s.io/v1",
    ),
    ("apps", "DeploymentRollback", "kubectl rollout undo"),
    (
        "auditregistration.k8s.io",
        "AuditSink",
        "the API server's own audit policy and webhook (--audit-policy-file, --audit-webhook-config-file)",
    ),
    ("batch", "JobTemplate", "PodTemplate of v1, or the jobTemplate of a CronJob of batch/v1"),
    ("extensions", "DeploymentRollback", "kubectl rollout undo"),
    (
        "extensions",
        "PodSecurityPolicy",
        "Pod Security admission: the labels pod-security.kubernetes.io/* of namespaces",
    ),
    ("extensions", "ThirdPartyResource", "CustomResourceDefinition of apiextensions.k8s.io/v1"),
    ("networking.k8s.io", "ClusterCIDR", "ServiceCIDR for services; for pods nothing came in its place"),
    (
        "policy",
        "PodSecurityPolicy",
        "Pod Security admission: the labels pod-security.kubernetes.io/* of namespaces",
    ),
    (
        "resource.k8s.io",
        "PodScheduling",
        "nothing: the scheduler allocates claims of resource.k8s.io/v1 itself",
    ),
    (
        "resource.k8s.io",
        "PodSchedulingContext",
        "nothing: the scheduler allocates claims of resource.k8s.io/v1 itself",
    ),
    ("resource.k8s.io", "ResourceClaimParameters", "the requests of a ResourceClaim of resource.k8s.io/v1"),
    ("resource.k8s.io", "ResourceClass", "DeviceClass of resource.k8s.io/v1"),
    ("resource.k8s.io", "ResourceClassParameters", "the selectors of a DeviceClass of resource.k8s.io/v1"),
    (
        "settings.k8s.io",
        "PodPreset",
        "MutatingAdmissionPolicy or MutatingWebhookConfiguration of admissionregistration.k8s.io",
    ),
];

/// What to use instead of a kind, where that is known.
pub fn replacement(group: &str, kind: &str) -> Option<&'static str> {
    let found = REPLACED.iter().find(|(g, k, _)| (*g, *k) == (group, kind))?;
    Some(found.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, Known, Target};

    #[test]
    fn every_kind_that_is_gone_has_a_successor_and_no_other() {
        let known = Known::kubernetes();
        let scheme = &known.scheme;
        let target = Target::Newest;
        let mut gone: Vec<(&str, &str)> = scheme
            .kinds()
            .filter(|entry| entry.resource.is_some())
            .filter(|entry| matches!(target.choose(&known, entry), Choice::Gone(_)))
            .map(|entry| (&*entry.group, &*entry.kind))
            .collect();
        gone.dedup();
        assert!(gone.contains(&("policy", "PodSecurityPolicy")), "{gone:?}");
        for (group, kind) in gone {
            assert!(replacement(group, kind).is_some(), "{group} {kind} is not in the table");
        }
        for (group, kind, _) in REPLACED {
            let served = scheme.kinds().any(|entry| {
                (&*entry.group, &*entry.kind) == (*group, *kind)
                    && !matches!(target.choose(&known, entry), Choice::Gone(_))
            });
            assert!(!served, "{group} {kind} is in the table, and served");
        }
    }
}
