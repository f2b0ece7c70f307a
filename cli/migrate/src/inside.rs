//! Objects inside of documents whose own kind is not known: in the values of a chart, in what GitOps tools apply, in
//! patches.
//!
//! What has an `apiVersion`, a `kind` and `metadata` of its own is an object, and is converted where it stands. What only
//! refers to a kind, or is text, is named as a place for a person.

use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Object};
use hubgen_manifest::value;
use serde_json::{Map, Value};

use crate::converter::{Change, Converter, Found};
use crate::path::join;
use crate::target::Choice;

/// What to do about a place that is not converted.
const BY_HAND: &str = "change it by hand";

impl Converter<'_> {
    /// Converts the objects inside of a document whose own kind is not known; `None` where nothing changes.
    pub(crate) fn inside_of(&self, document: &Value, path: &str, found: &mut Found) -> Option<Value> {
        match document {
            Value::Object(members) => self.members(members, path, found),
            other => self.inside(other, path, found),
        }
    }

    /// Converts a value, or the objects inside of it; `None` where nothing changes.
    fn inside(&self, value: &Value, path: &str, found: &mut Found) -> Option<Value> {
        match value {
            Value::Array(items) => {
                let new = items.iter().enumerate();
                let new = new.map(|(index, item)| self.inside(item, &format!("{path}[{index}]"), found));
                let new: Vec<Option<Value>> = new.collect();
                let is_changed = new.iter().any(Option::is_some);
                is_changed.then(|| {
                    new.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
                })
            }
            Value::Object(members) => self.inside_object(value, members, path, found),
            Value::String(text) => {
                self.tell_of_text(text, path, found);
                None
            }
            _ => None,
        }
    }

    fn inside_object(
        &self,
        value: &Value,
        members: &Map<String, Value>,
        path: &str,
        found: &mut Found,
    ) -> Option<Value> {
        if let Some(entry) = self.known.named_by(members) {
            if members.contains_key("apiVersion") && members.get("metadata").is_some_and(Value::is_object) {
                return self.any(value, path, found);
            }
            self.tell_of_reference(entry, path, found);
        }
        self.members(members, path, found)
    }

    fn members(&self, members: &Map<String, Value>, path: &str, found: &mut Found) -> Option<Value> {
        let mut new: Option<Map<String, Value>> = None;
        for (name, member) in members {
            if let Some(changed) = self.inside(member, &join(path, name), found) {
                new.get_or_insert_with(|| members.clone()).insert(name.clone(), changed);
            }
        }
        new.map(Value::Object)
    }

    /// Names the places of an object that refer to kinds at versions that are no longer served.
    pub(crate) fn tell_of_references(&self, value: &Value, path: &str, found: &mut Found) {
        self.known.references(value, path, &mut |path, entry| self.tell_of_reference(entry, path, found));
    }

    fn tell_of_reference(&self, entry: &Arc<KindEntry>, path: &str, found: &mut Found) {
        if self.known.is_served(entry) {
            return;
        }
        if let Choice::To(to) = self.target.choose(self.known, entry) {
            found.warn(path, format!("refers to {entry}, which is {to} now; it stays as it is"), BY_HAND);
        }
    }

    /// Tells of a text that has objects which would be converted.
    fn tell_of_text(&self, text: &str, path: &str, found: &mut Found) {
        for entry in self.known.in_text(text) {
            if let Choice::To(to) = self.target.choose(self.known, entry) {
                let message = format!("this text has a {entry}, which is {to} now; it stays as it is");
                found.warn(path, message, "convert the text on its own");
            }
        }
    }

    /// Converts a patch, which has some fields of an object: only if they are the same at the other version.
    pub fn patch(&self, document: &Value) -> Found {
        let mut found = Found::default();
        found.value = self.patched(document, &mut found);
        found
    }

    fn patched(&self, document: &Value, found: &mut Found) -> Option<Value> {
        let members = document.as_object()?;
        let entry = self.known.named_by(members).filter(|_| members.contains_key("apiVersion"))?;
        let Choice::To(to) = self.target.choose(self.known, entry) else { return None };
        if !self.is_same_at(document, entry, &to) {
            let message =
                format!("this patch of {entry} has other fields in {to}, or means something else there");
            found.warn("", message, BY_HAND);
            return None;
        }
        let mut new = members.clone();
        new.insert("apiVersion".to_owned(), to.api_version().into());
        new.insert("kind".to_owned(), (&*to.kind).into());
        let text = |name: &str| document["metadata"][name].as_str().unwrap_or_default().to_owned();
        let (namespace, name) = (text("namespace"), text("name"));
        found.changes.push(Change { path: String::new(), from: Arc::clone(entry), to, namespace, name });
        Some(new.into())
    }

    /// Whether the fields of a patch are the same at another version.
    fn is_same_at(&self, document: &Value, from: &Arc<KindEntry>, to: &Arc<KindEntry>) -> bool {
        let mut document = document.clone();
        drop_directives(&mut document);
        let Ok((object, decoded)) = Object::decode(from, document.to_string().as_bytes()) else {
            return false;
        };
        if !decoded.unknown.is_empty() {
            return false;
        }
        let fields = |object: &Object| -> Option<Value> {
            let mut fields = value(&object.encode().ok()?).ok()?;
            fields.as_object_mut()?.retain(|name, _| name != "apiVersion" && name != "kind");
            Some(fields)
        };
        let before = fields(&object);
        let after = self.known.scheme.convert(object, to).ok().as_ref().and_then(fields);
        let both = before.zip(after);
        both.is_some_and(|(before, after)| is_told(&document, &before) && is_same_but_empty(&before, &after))
    }
}

/// Removes what tells how a patch is merged, and names no field. Other directives, such as `$retainKeys`, stay, and are fields that
/// no version has.
fn drop_directives(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("$patch");
            members.values_mut().for_each(drop_directives);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_directives),
        _ => {}
    }
}

/// Whether an object tells of all fields of a patch. It does not of those that a patch removes with `null`, and of some that it
/// makes zero.
fn is_told(patch: &Value, object: &Value) -> bool {
    match (patch, object) {
        (Value::Object(patch), Value::Object(object)) => patch
            .iter()
            // Metadata is the same in all versions.
            .filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()))
            .all(|(name, patch)| object.get(name).is_some_and(|object| is_told(patch, object))),
        (Value::Array(patch), Value::Array(object)) if patch.len() == object.len() => {
            patch.iter().zip(object).all(|(patch, object)| is_told(patch, object))
        }
        (patch, object) => !patch.is_null() && !object.is_null(),
    }
}

/// Whether the new value is the old one, with nothing more than members that the other version requires and are empty.
fn is_same_but_empty(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let is_kept = |(name, old): (&String, &Value)| {
                new.get(name).map_or(is_empty(old), |new| is_same_but_empty(old, new))
            };
            old.iter().all(is_kept) && new.iter().all(|(name, new)| old.contains_key(name) || is_empty(new))
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).all(|(old, new)| is_same_but_empty(old, new))
        }
        _ => old == new,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.values().all(is_empty),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::known::Known;
    use crate::target::Target;

    /// What becomes of a document, and the warnings.
    fn converted(document: &Value, is_patch: bool) -> (Option<Value>, Vec<String>) {
        let known = Known::kubernetes();
        let converter =
            Converter { known: &known, target: &Target::Newest, drops_unknown: false, help_for_unknown: "" };
        let found = if is_patch { converter.patch(document) } else { converter.document(document) };
        (
            found.value,
            found.notes.into_iter().map(|note| format!("{}: {}", note.path, note.message)).collect(),
        )
    }

    #[test]
    fn objects_in_values_are_converted_and_others_named() {
        let budget = |version: &str| json!({"apiVersion": version, "kind": "PodDisruptionBudget", "metadata": {"name": "a"}, "spec": {"minAvailable": 1}});
        let release = |version: &str| {
            json!({
                "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "r"},
                "spec": {"values": {
                    "replicas": 3,
                    "extra": [budget(version)],
                    "target": {"apiVersion": "extensions/v1beta1", "kind": "Deployment", "name": "web"},
                    "text": "apiVersion: batch/v1beta1\nkind: CronJob\n",
                }},
            })
        };
        let (new, notes) = converted(&release("policy/v1beta1"), false);
        assert_eq!(new, Some(release("policy/v1")));
        assert_eq!(
            notes,
            [
                "spec.values.target: refers to extensions/v1beta1 Deployment, which is apps/v1 Deployment now; it stays as it is",
                "spec.values.text: this text has a batch/v1beta1 CronJob, which is batch/v1 CronJob now; it stays as it is",
            ]
        );
        // Values of a chart have no kind themselves.
        assert_eq!(
            converted(&json!({"a": [budget("policy/v1beta1")]}), false).0,
            Some(json!({"a": [budget("policy/v1")]}))
        );
        let (new, notes) = converted(&json!({"a": 1}), false);
        assert!(new.is_none() && notes[0].contains("expected an object"), "{notes:?}");
    }

    #[test]
    fn an_object_that_refers_to_an_old_version_is_named() {
        let autoscaler = json!({
            "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
            "spec": {
                "maxReplicas": 3,
                "scaleTargetRef": {"apiVersion": "extensions/v1beta1", "kind": "Deployment", "name": "web"},
            },
        });
        let (_, notes) = converted(&autoscaler, false);
        assert_eq!(
            notes,
            [
                "spec.scaleTargetRef: refers to extensions/v1beta1 Deployment, which is apps/v1 Deployment now; it stays as it is"
            ]
        );
    }

    #[test]
    fn a_patch_changes_if_its_fields_are_the_same() {
        let patch = |version: &str| {
            json!({
                "apiVersion": version, "kind": "Deployment", "metadata": {"name": "web"},
                "spec": {"template": {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}},
            })
        };
        assert_eq!(converted(&patch("extensions/v1beta1"), true), (Some(patch("apps/v1")), vec![]));
        // As an object, it would get what the old version has by default.
        assert_ne!(converted(&patch("extensions/v1beta1"), false).0, Some(patch("apps/v1")));
        let ingress = |backend: Value| {
            json!({
                "apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "a"},
                "spec": {"backend": backend},
            })
        };
        // What removes a field has to name it as the other version does, and so has what keeps some.
        assert_eq!(converted(&ingress(Value::Null), true).0, None);
        let mut keeps = patch("extensions/v1beta1");
        keeps["spec"]["strategy"] = json!({"$retainKeys": ["type"], "type": "Recreate"});
        assert_eq!(converted(&keeps, true).0, None);
        let (new, notes) = converted(&ingress(json!({"serviceName": "web", "servicePort": 80})), true);
        assert_eq!(new, None);
        assert_eq!(
            notes,
            [
                ": this patch of extensions/v1beta1 Ingress has other fields in networking.k8s.io/v1 Ingress, or means something \
              else there"
            ]
        );
    }
}
