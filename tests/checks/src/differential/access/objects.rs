//! Service accounts, and what their tokens are bound to.

use std::time::Duration;

use serde_json::{Value, json};

use super::ask::Client;

const NAMESPACE: &str = "access";

/// Tokens of service accounts.
pub struct Objects {
    pub plain: String,
    pub of_pod: String,
    pub of_gone_pod: String,
    pub of_secret: String,
    pub of_gone_secret: String,
    pub of_node: String,
    pub of_gone_node: String,
    pub for_others: String,
    pub for_both: String,
    pub of_gone_account: String,
    pub of_replaced_account: String,
}

fn path(plural: &str) -> String {
    match plural {
        "nodes" | "namespaces" => format!("/api/v1/{plural}"),
        plural => format!("/api/v1/namespaces/{NAMESPACE}/{plural}"),
    }
}

fn create(client: &Client, plural: &str, object: &Value) -> Result<(), String> {
    match client.admin("POST", &path(plural), object)? {
        (201, _) => Ok(()),
        (code, answer) => Err(format!("{plural}: {code} {answer}")),
    }
}

fn delete(client: &Client, plural: &str, name: &str) -> Result<(), String> {
    let now = json!({"gracePeriodSeconds": 0});
    client.admin("DELETE", &format!("{}/{name}", path(plural)), &now).map(drop)
}

/// Makes the objects, asks for tokens, and removes some of the objects.
///
/// # Errors
/// If the server refuses something.
pub fn make(client: &Client) -> Result<Objects, String> {
    // It stays, because nothing ends it on a server without controllers.
    client.admin("POST", &path("namespaces"), &json!({"metadata": {"name": NAMESPACE}}))?;
    for name in ["agent", "gone", "replaced"] {
        create(client, "serviceaccounts", &json!({"metadata": {"name": name}}))?;
    }
    for name in ["access-n", "access-m"] {
        create(client, "nodes", &json!({"metadata": {"name": name}}))?;
    }
    for name in ["s", "t"] {
        create(client, "secrets", &json!({"metadata": {"name": name}}))?;
    }
    for (name, node) in [("p", "access-n"), ("q", "access-n")] {
        let containers = json!([{"name": "c", "image": "i"}]);
        let spec = json!({"serviceAccountName": "agent", "nodeName": node, "containers": containers});
        create(client, "pods", &json!({"metadata": {"name": name}, "spec": spec}))?;
    }
    let token = |account: &str, spec: Value| {
        let path = format!("{}/{account}/token", path("serviceaccounts"));
        let (code, answer) = client.admin("POST", &path, &json!({"spec": spec}))?;
        let token = answer["status"]["token"].as_str().map(str::to_owned);
        token.ok_or_else(|| format!("a token of {account}: {code} {answer}"))
    };
    let bound = |kind: &str, name: &str| {
        let reference = json!({"kind": kind, "apiVersion": "v1", "name": name});
        token("agent", json!({"boundObjectRef": reference}))
    };
    let objects = Objects {
        plain: token("agent", json!({}))?,
        of_pod: bound("Pod", "p")?,
        of_gone_pod: bound("Pod", "q")?,
        of_secret: bound("Secret", "s")?,
        of_gone_secret: bound("Secret", "t")?,
        of_node: bound("Node", "access-n")?,
        of_gone_node: bound("Node", "access-m")?,
        for_others: token("agent", json!({"audiences": ["others"]}))?,
        for_both: token("agent", json!({"audiences": ["others", "api"]}))?,
        of_gone_account: token("gone", json!({}))?,
        of_replaced_account: token("replaced", json!({}))?,
    };
    for (plural, name) in [
        ("pods", "q"),
        ("secrets", "t"),
        ("nodes", "access-m"),
        ("serviceaccounts", "gone"),
        ("serviceaccounts", "replaced"),
    ] {
        delete(client, plural, name)?;
    }
    create(client, "serviceaccounts", &json!({"metadata": {"name": "replaced"}}))?;
    // The other server looks into a copy that follows a little later.
    std::thread::sleep(Duration::from_secs(2));
    Ok(objects)
}

/// Removes the objects.
///
/// # Errors
/// If the server does not answer.
pub fn remove(client: &Client) -> Result<(), String> {
    for (plural, name) in
        [("pods", "p"), ("nodes", "access-n"), ("secrets", "s"), ("serviceaccounts", "agent")]
    {
        delete(client, plural, name)?;
    }
    delete(client, "serviceaccounts", "replaced")
}
