//! The objects of scenarios.

use serde_json::{Value, json};

/// A kind.
pub struct Kind {
    pub api_version: String,
    pub plural: &'static str,
    pub name: &'static str,
    pub is_namespaced: bool,
    /// What an object has besides its metadata.
    pub rest: Value,
}

/// The kinds of all scenarios. Those of definitions are in the group of the scenario.
pub fn kinds(group: &str) -> Vec<Kind> {
    let pod = |policy: &str| {
        json!({
            "metadata": {"labels": {"app": "x"}},
            "spec": {"restartPolicy": policy, "containers": [{"name": "c", "image": "i"}]},
        })
    };
    let replicas = |api_version: &str, plural, name| Kind {
        api_version: api_version.to_owned(),
        plural,
        name,
        is_namespaced: true,
        rest: json!({"spec": {
            "replicas": 0,
            "selector": if name == "ReplicationController" { json!({"app": "x"}) } else { json!({"matchLabels": {"app": "x"}}) },
            "template": pod("Always"),
        }}),
    };
    let kind = |api_version: &str, plural, name, is_namespaced, rest| Kind {
        api_version: api_version.to_owned(),
        plural,
        name,
        is_namespaced,
        rest,
    };
    let job = json!({"spec": {"template": pod("Never")}});
    let cron = json!({"spec": {"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": job}});
    let own = format!("{group}/v1");
    vec![
        kind("v1", "namespaces", "Namespace", false, json!({})),
        kind("v1", "configmaps", "ConfigMap", true, json!({})),
        kind("v1", "secrets", "Secret", true, json!({})),
        kind("v1", "serviceaccounts", "ServiceAccount", true, json!({})),
        kind("v1", "pods", "Pod", true, json!({"spec": pod("Always")["spec"]})),
        kind("v1", "events", "Event", true, json!({"reason": "Made", "message": "made by a client"})),
        replicas("v1", "replicationcontrollers", "ReplicationController"),
        replicas("apps/v1", "deployments", "Deployment"),
        replicas("apps/v1", "replicasets", "ReplicaSet"),
        kind("batch/v1", "jobs", "Job", true, job),
        kind("batch/v1", "cronjobs", "CronJob", true, cron),
        kind("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", false, json!({"rules": []})),
        kind(&own, "things", "Thing", true, json!({})),
        kind(&own, "globes", "Globe", false, json!({})),
    ]
}

impl Kind {
    /// The path of the objects in a namespace.
    pub fn path(&self, namespace: &str) -> String {
        let root = if self.api_version.contains('/') { "/apis/" } else { "/api/" };
        let within = if self.is_namespaced { format!("namespaces/{namespace}/") } else { String::new() };
        format!("{root}{}/{within}{}", self.api_version, self.plural)
    }

    /// The definition of the kind.
    pub fn definition(&self) -> Value {
        let (group, version) = self.api_version.split_once('/').unwrap_or_default();
        let schema =
            json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{}.{group}", self.plural)},
            "spec": {
                "group": group, "scope": if self.is_namespaced { "Namespaced" } else { "Cluster" },
                "names": {"kind": self.name, "plural": self.plural},
                "versions": [{"name": version, "served": true, "storage": true, "schema": schema}],
            },
        })
    }
}
