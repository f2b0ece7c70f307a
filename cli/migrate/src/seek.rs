//! Finds the objects in a document, and what else names a kind.

use std::borrow::Cow;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_kubernetes::machinery::yaml;
use serde_json::{Map, Value};

use crate::known::Known;
use crate::path::{element, join};

/// Something in a document that names a kind.
pub struct Seen<'a> {
    /// Where in the document; empty for the whole.
    pub path: String,
    /// What it is.
    pub what: What<'a>,
}

/// What names a kind.
pub enum What<'a> {
    /// An object of a known kind.
    Object {
        /// The kind at the version of the object.
        entry: &'a Arc<KindEntry>,
        /// The object, with the `apiVersion` and `kind` that items of a list may leave out.
        value: Cow<'a, Value>,
    },
    /// An object of a kind that is not known.
    Unknown(&'a Value),
    /// A place that refers to a kind, such as `scaleTargetRef`.
    Reference(&'a Arc<KindEntry>),
    /// A text that has an object of a known kind.
    Text(&'a Arc<KindEntry>),
}

impl Known {
    /// Visits what names a kind in a document: the document itself or the items of a list, objects inside of documents whose own
    /// kind is not known (the values of a chart, what GitOps tools apply), references, and texts that have objects.
    ///
    /// ```
    /// use hubgen_migrate::{Known, What};
    ///
    /// let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": [
    ///     {"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}},
    /// ]});
    /// let mut found = Vec::new();
    /// Known::kubernetes().seek(&list, &mut |seen| {
    ///     if let What::Object { entry, .. } = seen.what {
    ///         found.push(format!("{}: {entry}", seen.path));
    ///     }
    /// });
    /// assert_eq!(found, ["items[0]: policy/v1beta1 PodDisruptionBudget"]);
    /// ```
    pub fn seek(&self, document: &Value, visit: &mut dyn FnMut(Seen<'_>)) {
        Seek { known: self, visit }.document(document, "");
    }
}

impl Known {
    /// Visits the places of an object that refer to a kind.
    pub(crate) fn references(&self, value: &Value, path: &str, visit: &mut dyn FnMut(&str, &Arc<KindEntry>)) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.references(item, &format!("{path}[{index}]"), visit);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let path = join(path, name);
                    if let Some(entry) = member.as_object().and_then(|members| self.named_by(members)) {
                        visit(&path, entry);
                    }
                    self.references(member, &path, visit);
                }
            }
            _ => {}
        }
    }

    /// The kinds of the objects in a text, if it has some.
    pub(crate) fn in_text(&self, text: &str) -> Vec<&Arc<KindEntry>> {
        if !text.lines().any(|line| line.starts_with("apiVersion:")) {
            return Vec::new();
        }
        let documents = yaml::documents(text).flatten();
        let values = documents.filter_map(|document| serde_json::from_slice::<Value>(&document.json).ok());
        values.filter_map(|value| self.named_by(value.as_object()?)).collect()
    }
}

struct Seek<'a> {
    known: &'a Known,
    visit: &'a mut dyn FnMut(Seen<'_>),
}

impl Seek<'_> {
    /// Where a person would write an object, whatever its kind.
    fn document(&mut self, value: &Value, path: &str) {
        let Value::Object(members) = value else { return self.inside(value, path) };
        let (api_version, kind) = (text(members, "apiVersion"), text(members, "kind"));
        if api_version.is_empty() || kind.is_empty() {
            return self.members(members, path);
        }
        if let Some(Value::Array(items)) = members.get("items") {
            let of_kind = || self.known.scheme.named(api_version, kind.strip_suffix("List")?);
            if (api_version, kind) == ("v1", "List") {
                return self.items(items, path, None);
            } else if let Some(of) = of_kind() {
                return self.items(items, path, Some(of));
            }
        }
        let Some(entry) = self.known.scheme.named(api_version, kind) else {
            self.see(path, What::Unknown(value));
            return self.members(members, path);
        };
        self.see(path, What::Object { entry, value: Cow::Borrowed(value) });
        self.references(value, path);
    }

    /// The items of a list; those of a list of one kind may leave out which it is.
    fn items(&mut self, items: &[Value], path: &str, of: Option<&Arc<KindEntry>>) {
        for (index, item) in items.iter().enumerate() {
            let path = element(path, index);
            match (item, of) {
                (Value::Object(members), Some(entry)) if !members.contains_key("kind") => {
                    let mut named = Map::new();
                    named.insert("apiVersion".to_owned(), entry.api_version().into());
                    named.insert("kind".to_owned(), (&*entry.kind).into());
                    named.extend(members.clone());
                    self.see(&path, What::Object { entry, value: Cow::Owned(named.into()) });
                    self.references(item, &path);
                }
                _ => self.document(item, &path),
            }
        }
    }

    /// Inside of a document whose own kind is not known. Only what has metadata is an object there.
    fn inside(&mut self, value: &Value, path: &str) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(item, &format!("{path}[{index}]"));
                }
            }
            Value::Object(members) => {
                if let Some(entry) = self.known.named_by(members) {
                    if members.contains_key("apiVersion")
                        && members.get("metadata").is_some_and(Value::is_object)
                    {
                        return self.document(value, path);
                    }
                    self.see(path, What::Reference(entry));
                }
                self.members(members, path);
            }
            Value::String(text) => self.text(text, path),
            _ => {}
        }
    }

    fn members(&mut self, members: &Map<String, Value>, path: &str) {
        for (name, member) in members {
            self.inside(member, &join(path, name));
        }
    }

    fn references(&mut self, value: &Value, path: &str) {
        self.known.references(value, path, &mut |path, entry| {
            (self.visit)(Seen { path: path.to_owned(), what: What::Reference(entry) });
        });
    }

    fn text(&mut self, text: &str, path: &str) {
        for entry in self.known.in_text(text) {
            self.see(path, What::Text(entry));
        }
    }

    fn see(&mut self, path: &str, what: What<'_>) {
        (self.visit)(Seen { path: path.to_owned(), what });
    }
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> &'a str {
    members.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(document: &Value) -> Vec<String> {
        let mut found = Vec::new();
        Known::kubernetes().seek(document, &mut |Seen { path, what }| {
            let what = match what {
                What::Object { entry, value } => {
                    assert_eq!(value["kind"], *entry.kind);
                    format!("object {entry} {}", value["metadata"]["name"].as_str().unwrap_or_default())
                }
                What::Unknown(value) => format!("unknown {}", value["kind"].as_str().unwrap_or_default()),
                What::Reference(entry) => format!("reference {entry}"),
                What::Text(entry) => format!("text {entry}"),
            };
            found.push(format!("{path}: {what}"));
        });
        found
    }

    #[test]
    fn items_of_a_list_of_one_kind_have_its_version() {
        let list = json!({
            "apiVersion": "apps/v1beta1", "kind": "DeploymentList", "metadata": {},
            "items": [{"metadata": {"name": "a"}}, {"kind": "Deployment", "apiVersion": "apps/v1beta1", "metadata": {"name": "b"}}],
        });
        assert_eq!(
            seen(&list),
            ["items[0]: object apps/v1beta1 Deployment a", "items[1]: object apps/v1beta1 Deployment b"]
        );
    }

    #[test]
    fn objects_inside_of_others_references_and_texts_are_seen() {
        let release = json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "r"},
            "spec": {"values": {
                "extra": [{"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": {"name": "a"}}],
                "target": {"group": "extensions", "version": "v1beta1", "kind": "Deployment"},
                "text": "apiVersion: batch/v1beta1\nkind: CronJob\n",
            }},
        });
        assert_eq!(
            seen(&release),
            [
                ": unknown HelmRelease",
                "spec.values.extra[0]: object policy/v1beta1 PodDisruptionBudget a",
                "spec.values.target: reference extensions/v1beta1 Deployment",
                "spec.values.text: text batch/v1beta1 CronJob",
            ]
        );
        let scaler = json!({
            "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
            "spec": {"scaleTargetRef": {"apiVersion": "extensions/v1beta1", "kind": "Deployment", "name": "web"}},
        });
        assert_eq!(
            seen(&scaler),
            [
                ": object autoscaling/v1 HorizontalPodAutoscaler a",
                "spec.scaleTargetRef: reference extensions/v1beta1 Deployment",
            ]
        );
    }

    #[test]
    fn what_is_no_object_is_not_seen() {
        for other in [json!(null), json!("text"), json!([1]), json!({"a": {"b": 1}})] {
            assert_eq!(seen(&other), Vec::<String>::new());
        }
    }
}
