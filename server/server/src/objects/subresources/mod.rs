//! Subresources with kinds of their own: how many replicas an object has, and what is asked about one.

mod binding;
mod eviction;
mod label_selector;
mod places;
mod scale;
mod service_account;

use std::sync::Arc;

use hubgen_machinery::scheme::KindEntry;
use serde_json::Value;

use super::receive::Received;
use super::{Collection, Error, Objects};
use crate::media::Body;

impl Objects {
    /// The kind at the version that a body names, if it is the kind of the subresource. Upstream takes evictions at each
    /// version.
    pub(crate) fn sent_kind(&self, kind: &Arc<KindEntry>, body: &Body) -> Arc<KindEntry> {
        let named = body.type_meta().ok();
        let named = named.and_then(|named| self.catalog.scheme.named(&named.api_version, &named.kind));
        let is_same = |named: &&Arc<KindEntry>| (&named.group, &named.kind) == (&kind.group, &kind.kind);
        Arc::clone(named.filter(is_same).unwrap_or(kind))
    }

    /// The body of a request as a document of its own kind.
    ///
    /// # Errors
    /// If it violates the schema of that kind.
    fn document(&self, kind: &Arc<KindEntry>, received: Received) -> Result<Value, Error> {
        let Received { hub, checked, .. } = received;
        let violations = checked.violations.into_vec();
        if !violations.is_empty() {
            return Err(Error::invalid(kind, "", violations));
        }
        let object = hub.at(kind, &self.catalog.scheme).map_err(Error::conversion(kind, ""))?;
        Ok(serde_json::from_slice(&object.encode()?).unwrap_or_default())
    }
}

/// A text of a document; empty if it is absent.
fn text<'a>(document: &'a Value, pointer: &str) -> &'a str {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A number of a document; 0 if it is absent.
fn number(document: &Value, pointer: &str) -> i64 {
    document.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// A document of an object.
fn document_of(object: &hubgen_machinery::scheme::Object) -> Result<Value, Error> {
    Ok(serde_json::from_slice(&object.encode()?).unwrap_or_default())
}

/// Checks that a request names the namespace of its path, or none.
fn check_namespace(collection: &Collection, document: &Value) -> Result<(), Error> {
    let found = text(document, "/metadata/namespace");
    if found.is_empty() || found == collection.namespace {
        return Ok(());
    }
    let why = "the namespace of the provided object does not match the namespace sent on the request";
    Err(Error::Malformed(why.to_owned()))
}

/// Sets the condition of a type, and keeps the time of its last transition if its status stays the same.
fn set_condition(document: &mut Value, now: &str, mut condition: Value) {
    let conditions = &mut document["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = Value::Array(Vec::new());
    }
    let Value::Array(conditions) = conditions else { return };
    condition["lastTransitionTime"] = now.into();
    match conditions.iter_mut().find(|old| old["type"] == condition["type"]) {
        Some(old) => {
            if old["status"] == condition["status"] && !old["lastTransitionTime"].is_null() {
                condition["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = condition;
        }
        None => conditions.push(condition),
    }
}
