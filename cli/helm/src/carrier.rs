//! The objects that carry releases.

use std::fmt;

use serde_json::Value;

use crate::mistake::{DAMAGED, Mistake};
use crate::packed::{based, unbased};
use crate::release::Release;

/// The most bytes of data that an API server accepts in a Secret or a ConfigMap.
pub const MOST_STORED: usize = 1024 * 1024;

/// A Secret or a ConfigMap with a revision of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Whether it is a Secret, whose data is in base64 once more.
    is_secret: bool,
    /// Namespace and name, as messages name the object.
    name: String,
}

impl Carrier {
    /// What an object is to Helm; `None` where it is no object of Helm.
    pub fn of(object: &Value) -> Option<Self> {
        let is_secret = object["kind"] == "Secret";
        if object["apiVersion"] != "v1" || !(is_secret || object["kind"] == "ConfigMap") {
            return None;
        }
        let metadata = &object["metadata"];
        let text = |name: &str| metadata[name].as_str().filter(|text| !text.is_empty());
        let is_helms = metadata["labels"]["owner"] == "helm"
            || object["type"] == "helm.sh/release.v1"
            || text("name").is_some_and(|name| name.starts_with("sh.helm.release.v1."));
        if object["data"]["release"].is_null() && !is_helms {
            return None;
        }
        let [namespace, name] = ["namespace", "name"].map(text);
        let name = name.unwrap_or("without a name");
        let name = namespace.map_or(name.to_owned(), |namespace| format!("{namespace}/{name}"));
        Some(Self { is_secret, name })
    }

    /// Opens the release in the object that this is.
    ///
    /// # Errors
    /// When there is none, it is encoded otherwise than Helm does, is more than [`MOST_OPENED`](crate::MOST_OPENED) bytes of
    /// JSON, or is no release.
    pub fn open(&self, object: &Value) -> Result<Release, Mistake> {
        let Some(release) = object["data"]["release"].as_str() else {
            return Err(Mistake::new("expected a release of Helm as text, found none", DAMAGED));
        };
        if !self.is_secret {
            return Release::open(release);
        }
        // What is not text is not base64 of Helm, either.
        Release::open(&String::from_utf8_lossy(&unbased(release, "the Secret's")?))
    }

    /// The object with another release.
    ///
    /// # Errors
    /// When no API server would accept so much data.
    pub fn with(&self, object: &Value, release: &Release) -> Result<Value, Mistake> {
        let text = release.close();
        if text.len() > MOST_STORED {
            let message = format!(
                "expected at most {MOST_STORED} bytes of data, found {} after the conversion",
                text.len()
            );
            let help = "no cluster would accept the object: install the chart anew without its largest files";
            return Err(Mistake::new(message, help));
        }
        let mut object = object.clone();
        object["data"]["release"] = if self.is_secret { based(text) } else { text }.into();
        Ok(object)
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_secret { "Secret" } else { "ConfigMap" };
        write!(f, "{kind} {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const JSON: &str = r#"{"name":"a","info":{}}"#;

    fn object(kind: &str, release: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": kind, "data": {"release": release, "other": "kept"},
            "metadata": {"name": "sh.helm.release.v1.a.v1", "namespace": "n", "labels": {"owner": "helm"}},
        })
    }

    #[test]
    fn secrets_have_one_more_base64() {
        for (kind, stored) in [("Secret", based(based(JSON))), ("ConfigMap", based(JSON))] {
            let old = object(kind, &stored);
            let carrier = Carrier::of(&old).unwrap();
            assert_eq!(carrier.to_string(), format!("{kind} n/sh.helm.release.v1.a.v1"));
            let release = carrier.open(&old).unwrap();
            assert_eq!(release.json(), JSON);
            assert_eq!(carrier.with(&old, &release), Ok(old));
        }
    }

    #[test]
    fn objects_of_others_carry_nothing() {
        for other in [
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"password": "YQ=="}}),
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "data": {"release": "x"}}),
            json!([]),
            json!(null),
        ] {
            assert_eq!(Carrier::of(&other), None);
        }
    }

    #[test]
    fn objects_of_helm_without_a_release_are_mistakes() {
        let mut without = object("Secret", "");
        without["data"] = json!({});
        for (object, expected) in [
            (without, "data.release: expected a release of Helm as text, found none"),
            (object("Secret", "?"), "data.release: expected the Secret's base64, found other text ("),
        ] {
            let mistake = Carrier::of(&object).unwrap().open(&object).unwrap_err().to_string();
            assert!(mistake.starts_with(expected), "{mistake}");
        }
    }

    #[test]
    fn a_cluster_would_accept_the_new_object() {
        // Not compressed, so that its size is that of the note.
        let old = object("ConfigMap", &based(JSON));
        let carrier = Carrier::of(&old).unwrap();
        let release = |size| carrier.open(&old).unwrap().with(&[], &"a".repeat(size));
        assert!(carrier.with(&old, &release(MOST_STORED / 2)).is_ok());
        let mistake = carrier.with(&old, &release(MOST_STORED)).unwrap_err();
        assert!(mistake.message.contains("expected at most 1048576 bytes of data, found "), "{mistake}");
    }
}
