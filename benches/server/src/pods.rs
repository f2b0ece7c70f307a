//! The pods of a cluster of typical size: what a Deployment makes, without managedFields.

/// A pod in JSON.
pub fn pod(number: usize) -> Vec<u8> {
    let app = number % 100;
    let node = number % 500;
    serde_json::json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("app-{app}-7c5ddbdf54-{number:05}"),
            "labels": {"app": format!("app-{app}"), "pod-template-hash": "7c5ddbdf54", "tier": "backend"},
            "annotations": {"example.com/checksum": "0f343b0931126a20f133d67c2b018a3b"},
        },
        "spec": {
            "nodeName": format!("node-{node}"),
            "serviceAccountName": "default",
            "containers": [{
                "name": "main",
                "image": format!("registry.example.com/team/app-{app}:1.2.3"),
                "args": ["--port=8080", "--log-level=info"],
                "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
                "env": [
                    {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                    {"name": "MODE", "value": "production"},
                ],
                "resources": {"limits": {"memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
                "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
                "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5},
                "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": true}],
            }],
            "volumes": [{"name": "config", "configMap": {"name": format!("app-{app}")}}],
        },
    })
    .to_string()
    .into_bytes()
}
