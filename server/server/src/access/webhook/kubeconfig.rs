//! Where a webhook is, and how it is asked: a kubeconfig.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hubgen_machinery::yaml;
use serde_json::Value;
use thiserror::Error;
use ureq::http::Uri;
use ureq::tls::{Certificate, PrivateKey};

use crate::agent::certificates;

/// A webhook that can be asked.
pub(super) struct Endpoint {
    pub(super) url: String,
    /// Those who sign its certificate; empty for the public ones.
    pub(super) authorities: Vec<Certificate<'static>>,
    pub(super) is_unverified: bool,
    pub(super) certificate: Option<(Vec<Certificate<'static>>, PrivateKey<'static>)>,
    pub(super) authorization: Option<String>,
}

/// Why a kubeconfig names no webhook.
#[derive(Debug, Error)]
#[error("{}: {message}", path.display())]
pub struct KubeconfigError {
    path: PathBuf,
    message: String,
}

/// Reads a kubeconfig: the cluster and the user of its current context.
pub(super) fn read(path: &Path) -> Result<Endpoint, KubeconfigError> {
    let failed = |message: String| KubeconfigError { path: path.to_owned(), message };
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let json = yaml::to_json(&text).map_err(|error| failed(format!("expected YAML: {error}")))?;
    let document: Value = serde_json::from_slice(&json).map_err(|error| failed(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    endpoint(&document, folder).map_err(failed)
}

fn endpoint(document: &Value, folder: &Path) -> Result<Endpoint, String> {
    let context = match document["current-context"].as_str().unwrap_or_default() {
        "" => return Err("expected a name in current-context, found none".to_owned()),
        name => named(document, "contexts", "context", name)?,
    };
    let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    let cluster = named(document, "clusters", "cluster", &text(context, "cluster"))?;
    let nobody = Value::Null;
    let user = match &*text(context, "user") {
        "" => &nobody,
        name => named(document, "users", "user", name)?,
    };
    for (of, what, fields) in [
        (cluster, "cluster", &["tls-server-name", "proxy-url"][..]),
        (user, "user", &["exec", "auth-provider", "as", "as-groups", "as-uid"]),
    ] {
        if let Some(field) = fields.iter().find(|field| !of[**field].is_null()) {
            return Err(format!("the field {field} of a {what} is not supported here"));
        }
    }
    let url = text(cluster, "server");
    check_url(&url)?;
    let authorities = match material(cluster, "certificate-authority", folder)? {
        Some(pem) => certificates(&pem).map_err(|why| format!("certificate-authority: {why}"))?,
        None => Vec::new(),
    };
    let chain = material(user, "client-certificate", folder)?;
    let certificate = match (chain, material(user, "client-key", folder)?) {
        (None, None) => None,
        (Some(chain), Some(key)) => {
            let key = PrivateKey::from_pem(&key).map_err(|error| format!("client-key: {error}"))?;
            Some((certificates(&chain).map_err(|why| format!("client-certificate: {why}"))?, key))
        }
        _ => return Err("expected a client-certificate with a client-key, found one of them".to_owned()),
    };
    let token = match &*text(user, "tokenFile") {
        "" => text(user, "token"),
        file => {
            fs::read_to_string(folder.join(file)).map_err(|error| format!("tokenFile: {file}: {error}"))?
        }
    };
    let authorization = match (token.trim(), &*text(user, "username")) {
        ("", "") => None,
        ("", name) => {
            Some(format!("Basic {}", STANDARD.encode(format!("{name}:{}", text(user, "password")))))
        }
        (token, _) => Some(format!("Bearer {token}")),
    };
    let is_unverified = cluster["insecure-skip-tls-verify"] == true;
    Ok(Endpoint { url, authorities, is_unverified, certificate, authorization })
}

/// Whoever is on the way could allow anything.
fn check_url(url: &str) -> Result<(), String> {
    let parsed: Uri =
        url.parse().map_err(|error| format!("expected a URL as server, found {url:?}: {error}"))?;
    let is_local = |host: &str| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    };
    match (parsed.scheme_str(), parsed.host()) {
        (Some("https"), Some(_)) => Ok(()),
        (Some("http"), Some(host)) if is_local(host) => Ok(()),
        _ => Err(format!("expected an https:// URL as server, found {url:?}")),
    }
}

fn named<'a>(document: &'a Value, list: &str, member: &str, name: &str) -> Result<&'a Value, String> {
    let mut entries = document[list].as_array().into_iter().flatten();
    let found = entries.find(|entry| entry["name"] == *name).map(|entry| &entry[member]);
    found.filter(|found| found.is_object()).ok_or_else(|| format!("expected {name:?} in {list}, found none"))
}

/// What a field has in base64, or the file that it names.
fn material(of: &Value, name: &str, folder: &Path) -> Result<Option<Vec<u8>>, String> {
    if let Some(data) = of[format!("{name}-data")].as_str() {
        return STANDARD
            .decode(data)
            .map(Some)
            .map_err(|error| format!("{name}-data: expected base64: {error}"));
    }
    let Some(file) = of[name].as_str() else { return Ok(None) };
    fs::read(folder.join(file)).map(Some).map_err(|error| format!("{name}: {file}: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(cluster: Value, user: Value) -> Value {
        json!({
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
        })
    }

    #[test]
    fn credentials() {
        let at = |user: Value| {
            endpoint(&config(json!({"server": "https://a.example/b"}), user), Path::new(""))
                .unwrap()
                .authorization
        };
        assert_eq!(at(json!({})), None);
        assert_eq!(at(json!({"token": "t"})).as_deref(), Some("Bearer t"));
        assert_eq!(at(json!({"username": "a", "password": "b"})).as_deref(), Some("Basic YTpi"));
    }

    #[test]
    fn wrong_files_are_refused() {
        let https = || json!({"server": "https://a.example"});
        for (document, why) in [
            (json!({}), "expected a name in current-context, found none"),
            (json!({"current-context": "c"}), "expected \"c\" in contexts, found none"),
            (config(json!({"server": "http://a.example"}), json!({})), "expected an https:// URL as server"),
            (config(json!({}), json!({})), "expected a URL as server"),
            (config(https(), json!({"exec": {}})), "the field exec of a user is not supported here"),
            (
                config(https(), json!({"client-key-data": "YQ=="})),
                "expected a client-certificate with a client-key",
            ),
            (
                config(json!({"server": "https://a", "certificate-authority-data": "YQ=="}), json!({})),
                "certificate-authority: expected certificates (PEM), found none",
            ),
            (
                config(json!({"server": "https://a", "certificate-authority": "nowhere"}), json!({})),
                "certificate-authority: nowhere: ",
            ),
        ] {
            let error = endpoint(&document, Path::new("")).err().unwrap();
            assert!(error.starts_with(why), "{why}: {error}");
        }
        let error = read(Path::new("nowhere.yaml")).err().unwrap().to_string();
        assert!(error.starts_with("nowhere.yaml: "), "{error}");
    }
}
