//! Who is asked, in a file: an AuthorizationConfiguration of `apiserver.config.k8s.io`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hubgen_machinery::yaml;
use hubgen_server::access::WebhookOptions;
use serde_json::{Map, Value};

use super::duration::duration;
use super::{Asked, Who, version};

/// Reads a file.
///
/// # Errors
/// If it cannot be read, or has something that is not supported.
pub(super) fn read(path: &Path) -> Result<Vec<Asked>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))?;
    let json = yaml::to_json(&text).map_err(|error| format!("expected YAML: {error}"))?;
    let document: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    asked(&document)
}

fn asked(document: &Value) -> Result<Vec<Asked>, String> {
    let versions = ["v1", "v1beta1", "v1alpha1"].map(|version| format!("apiserver.config.k8s.io/{version}"));
    let is_known = versions.iter().any(|version| document["apiVersion"] == **version);
    if !is_known || document["kind"] != "AuthorizationConfiguration" {
        return Err(format!("expected an AuthorizationConfiguration of {}", versions[0]));
    }
    let all = document["authorizers"].as_array().filter(|all| !all.is_empty());
    let all = all.ok_or("authorizers: expected at least one, found none")?;
    let mut found: Vec<Asked> = Vec::new();
    for (index, of) in all.iter().enumerate() {
        let at = |why: String| format!("authorizers[{index}].{why}");
        let asked = one(of).map_err(at)?;
        if found.iter().any(|other| other.name == asked.name) {
            return Err(at(format!("name: {:?} is there twice", asked.name)));
        }
        found.push(asked);
    }
    Ok(found)
}

fn one(of: &Value) -> Result<Asked, String> {
    let members = of.as_object().ok_or("type: expected an object, found none")?;
    known(members, &["type", "name", "webhook"], "")?;
    let kind = of["type"].as_str().unwrap_or_default();
    let name = of["name"].as_str().unwrap_or_default().to_owned();
    let who = match kind {
        "AlwaysAllow" => Who::Everybody,
        "AlwaysDeny" => Who::Nobody,
        "RBAC" => Who::Rbac,
        "Webhook" if name.is_empty() => return Err("name: expected a name, found none".to_owned()),
        "Webhook" => {
            return Ok(Asked { name, who: webhook(&of["webhook"]).map_err(|why| format!("webhook.{why}"))? });
        }
        _ => return Err(format!("type: expected AlwaysAllow, AlwaysDeny, RBAC or Webhook, found {kind:?}")),
    };
    // Upstream demands this name.
    let expected = kind.to_lowercase();
    if name != expected || !of["webhook"].is_null() {
        return Err(format!("name: expected {expected:?} and no webhook, found {name:?}"));
    }
    Ok(Asked { name, who })
}

fn webhook(of: &Value) -> Result<Who, String> {
    let members = of.as_object().ok_or("connectionInfo: expected an object, found none")?;
    let fields = [
        "authorizedTTL",
        "cacheAuthorizedRequests",
        "unauthorizedTTL",
        "cacheUnauthorizedRequests",
        "timeout",
        "subjectAccessReviewVersion",
        "matchConditionSubjectAccessReviewVersion",
        "failurePolicy",
        "connectionInfo",
    ];
    known(members, &fields, "conditions are expressions, which this server does not evaluate: ")?;
    let time = |field: &str, absent: Duration| match &of[field] {
        Value::Null => Ok(absent),
        Value::String(text) => duration(text).map_err(|why| format!("{field}: {why}")),
        other => Err(format!("{field}: expected a duration, found {other}")),
    };
    let is_cached = |field: &str| of[field] != false;
    let defaults = WebhookOptions::default();
    let mut options = WebhookOptions {
        authorized_ttl: time("authorizedTTL", defaults.authorized_ttl)?,
        unauthorized_ttl: time("unauthorizedTTL", defaults.unauthorized_ttl)?,
        timeout: time("timeout", Duration::ZERO)?,
        version: version(of["subjectAccessReviewVersion"].as_str().unwrap_or_default())
            .map_err(|why| format!("subjectAccessReviewVersion: {why}"))?,
        failure_denies: match of["failurePolicy"].as_str() {
            Some("Deny") => true,
            Some("NoOpinion") => false,
            other => return Err(format!("failurePolicy: expected NoOpinion or Deny, found {other:?}")),
        },
    };
    if !is_cached("cacheAuthorizedRequests") {
        options.authorized_ttl = Duration::ZERO;
    }
    if !is_cached("cacheUnauthorizedRequests") {
        options.unauthorized_ttl = Duration::ZERO;
    }
    if options.timeout.is_zero() || options.timeout > Duration::from_secs(30) {
        return Err("timeout: expected a duration of more than 0s and at most 30s".to_owned());
    }
    let connection = &of["connectionInfo"];
    match (connection["type"].as_str(), connection["kubeConfigFile"].as_str()) {
        (Some("KubeConfigFile"), Some(file)) => Ok(Who::Webhook(file.into(), options)),
        _ => Err("connectionInfo: expected the type KubeConfigFile and a kubeConfigFile".to_owned()),
    }
}

/// Checks that an object has no other fields.
fn known(members: &Map<String, Value>, fields: &[&str], why: &str) -> Result<(), String> {
    match members.keys().find(|field| !fields.contains(&field.as_str())) {
        Some(field) => Err(format!("{field}: {why}this field is not supported here")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(authorizers: Value) -> Result<Vec<Asked>, String> {
        asked(&json!({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration", "authorizers": authorizers,
        }))
    }

    fn webhook() -> Value {
        json!({
            "timeout": "3s", "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
            "failurePolicy": "Deny", "authorizedTTL": "1m", "cacheUnauthorizedRequests": false,
            "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "webhook.kubeconfig"},
        })
    }

    #[test]
    fn whoever_is_asked_is_read_in_order() {
        let all = read(json!([
            {"type": "Webhook", "name": "first", "webhook": webhook()},
            {"type": "RBAC", "name": "rbac"},
        ]));
        let all = all.unwrap();
        assert_eq!(all.iter().map(|asked| &*asked.name).collect::<Vec<_>>(), ["first", "rbac"]);
        let Who::Webhook(file, options) = &all[0].who else { panic!("it is a webhook") };
        assert_eq!(file, Path::new("webhook.kubeconfig"));
        assert!(options.failure_denies);
        assert_eq!(options.timeout, Duration::from_secs(3));
        assert_eq!(
            (options.authorized_ttl, options.unauthorized_ttl),
            (Duration::from_secs(60), Duration::ZERO)
        );
    }

    #[test]
    fn wrong_files_are_refused() {
        let with = |field: &str, value: Value| {
            let mut webhook = webhook();
            webhook[field] = value;
            json!([{"type": "Webhook", "name": "a", "webhook": webhook}])
        };
        for (authorizers, why) in [
            (json!([]), "authorizers: expected at least one, found none"),
            (
                json!([{"type": "Node", "name": "node"}]),
                "authorizers[0].type: expected AlwaysAllow, AlwaysDeny, RBAC or Webhook",
            ),
            (json!([{"type": "RBAC", "name": "a"}]), "authorizers[0].name: expected \"rbac\" and no webhook"),
            (
                json!([{"type": "RBAC", "name": "rbac"}, {"type": "RBAC", "name": "rbac"}]),
                "authorizers[1].name: \"rbac\" is there twice",
            ),
            (json!([{"type": "Webhook"}]), "authorizers[0].name: expected a name"),
            (with("timeout", json!("0s")), "authorizers[0].webhook.timeout: expected a duration"),
            (
                with("failurePolicy", Value::Null),
                "authorizers[0].webhook.failurePolicy: expected NoOpinion or Deny",
            ),
            (
                with("matchConditions", json!([])),
                "authorizers[0].webhook.matchConditions: conditions are expressions",
            ),
            (
                with("connectionInfo", json!({"type": "InClusterConfig"})),
                "authorizers[0].webhook.connectionInfo: expected the type",
            ),
        ] {
            let error = read(authorizers).err().unwrap();
            assert!(error.starts_with(why), "{why}: {error}");
        }
        assert!(asked(&json!({"kind": "Pod"})).is_err());
    }
}
