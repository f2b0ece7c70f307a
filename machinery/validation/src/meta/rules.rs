//! What the API server requires of metadata.

use serde_json::{Map, Value};

use super::fields;
use crate::error::FieldError;
use crate::findings::Findings;
use crate::names;

/// The maximum size of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Adds the errors of the metadata of an embedded resource, whose fields have the right types. Its name may be absent.
pub(crate) fn validate(metadata: &Value, path: &str, found: &mut Findings) {
    let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut invalid = |name: &str, value: &str, mistakes: Vec<String>| {
        for mistake in mistakes {
            found.add(FieldError::invalid_text(format!("{path}.{name}"), value, &mistake));
        }
    };
    invalid("generateName", text("generateName"), names::path_segment_prefix_mistakes(text("generateName")));
    invalid("name", text("name"), names::path_segment_mistakes(text("name")));
    if !text("namespace").is_empty() {
        invalid("namespace", text("namespace"), names::dns_label_mistakes(text("namespace")));
    }
    for (key, value) in texts(metadata, "labels") {
        invalid("labels", key, names::label_key_mistakes(key));
        invalid("labels", value, names::label_value_mistakes(value));
    }
    let mut size = 0;
    for (key, value) in texts(metadata, "annotations") {
        // Like label keys, but in any case.
        invalid("annotations", key, names::label_key_mistakes(&key.to_lowercase()));
        size += key.len() + value.len();
    }
    for finalizer in list(metadata, "finalizers").iter().filter_map(Value::as_str) {
        invalid("finalizers", finalizer, names::label_key_mistakes(finalizer));
    }
    if size > MAX_ANNOTATIONS {
        let max = i64::try_from(MAX_ANNOTATIONS).unwrap_or(i64::MAX);
        found.add(FieldError::too_long(format!("{path}.annotations"), max));
    }
    if let Some(generation) = metadata.get("generation").filter(|value| value.as_i64() < Some(0)) {
        let why = "must be greater than or equal to 0";
        found.add(FieldError::invalid(format!("{path}.generation"), generation, why));
    }
    finalizers(metadata, path, found);
    owners(metadata, path, found);
    managers(metadata, path, found);
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = (&'v String, &'v str)> {
    let members = value.get(name).and_then(Value::as_object).into_iter().flat_map(Map::iter);
    members.map(|(key, value)| (key, value.as_str().unwrap_or_default()))
}

fn finalizers(metadata: &Value, path: &str, found: &mut Findings) {
    let all = list(metadata, "finalizers");
    let has = |name: &str| all.iter().any(|finalizer| finalizer.as_str() == Some(name));
    if has("orphan") && has("foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        found.add(FieldError::invalid(format!("{path}.finalizers"), &all.into(), why));
    }
}

fn owners(metadata: &Value, path: &str, found: &mut Findings) {
    let path = format!("{path}.ownerReferences");
    let all = list(metadata, "ownerReferences");
    let mut controller: Option<String> = None;
    for (at, owner) in all.iter().enumerate() {
        let path_of_owner = format!("{path}[{at}]");
        let text = |name: &str| owner.get(name).and_then(Value::as_str).unwrap_or_default();
        for name in ["apiVersion", "kind", "name", "uid"] {
            if text(name).is_empty() {
                found.add(FieldError::required(format!("{path_of_owner}.{name}"), "must not be empty"));
            }
        }
        let parts: Vec<&str> = text("apiVersion").split('/').collect();
        let is_version = parts.len() <= 2 && parts.last().is_some_and(|version| !version.is_empty());
        if !text("apiVersion").is_empty() && !is_version {
            let why = "must be <group>/<version> or <version>";
            found.add(FieldError::invalid_text(
                format!("{path_of_owner}.apiVersion"),
                text("apiVersion"),
                why,
            ));
        }
        if (text("apiVersion"), text("kind")) == ("v1", "Event") {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            found.add(FieldError::invalid_shown(&path_of_owner, &fields::owner(owner), why));
        }
        if owner.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let this = format!("{}/{}", text("kind"), text("name"));
        match &controller {
            None => controller = Some(this),
            Some(first) => {
                let why = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and \
                     {this}"
                );
                let shown: Vec<String> = all.iter().map(fields::owner).collect();
                found.add(FieldError::invalid_shown(&path, &format!("[{}]", shown.join(",")), &why));
            }
        }
    }
}

fn managers(metadata: &Value, path: &str, found: &mut Findings) {
    for (at, entry) in list(metadata, "managedFields").iter().enumerate() {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let path = |name: &str| format!("{path}.managedFields[{at}].{name}");
        if !matches!(text("operation"), "Apply" | "Update") {
            let operation = text("operation").into();
            found.add(FieldError::not_supported(path("operation"), &operation, ["Apply", "Update"]));
        }
        if !matches!(text("fieldsType"), "" | "FieldsV1") {
            found.add(FieldError::invalid_text(path("fieldsType"), text("fieldsType"), "must be `FieldsV1`"));
        }
        if text("manager").len() > 128 {
            found.add(FieldError::too_long(path("manager"), 128));
        }
        if text("subresource").len() > 256 {
            found.add(FieldError::too_long(path("subresource"), 256));
        }
    }
}
