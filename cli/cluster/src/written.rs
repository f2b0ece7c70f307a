//! At which versions an object was written, and by whom.

use std::fmt;

use serde_json::Value;

/// The annotation in which `kubectl apply` keeps what it sent, unless it applies on the server's side.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What an object tells of who wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Each manager with each operation, subresource and version, in the order of the object; then the last configuration that
    /// kubectl applied.
    pub written: Vec<Written>,
    /// What cannot be read of it: the path in the object, what was expected and what was found.
    pub faults: Vec<String>,
}

/// A version at which somebody wrote an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The version with its group: `apps/v1beta1`, or `v1`.
    pub api_version: String,
    /// Who wrote it.
    pub by: By,
}

/// Who wrote an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// An entry of `metadata.managedFields`. The server converts its fields when the object is stored, but leaves the version at
    /// which they were written.
    Manager {
        /// The name of the manager: `kubectl-client-side-apply`, `helm`, `kube-controller-manager`.
        name: String,
        /// `Apply` or `Update`.
        operation: String,
        /// `status`, `scale`; empty for the object itself.
        subresource: String,
        /// The last time, in RFC 3339, if the server gives one.
        time: Option<String>,
    },
    /// What `kubectl apply` sent last, in an annotation of the object.
    LastApplied {
        /// The kind in it.
        kind: String,
    },
}

/// At which versions an object was written, and by whom: as far as it tells.
pub fn written(object: &Value) -> History {
    let mut history = History::default();
    let metadata = &object["metadata"];
    match &metadata["managedFields"] {
        Value::Null => {}
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                history.manager(&format!("metadata.managedFields[{index}]"), entry);
            }
        }
        other => history.expected("metadata.managedFields", "a list", other),
    }
    let path = format!("metadata.annotations[{LAST_APPLIED}]");
    match &metadata["annotations"][LAST_APPLIED] {
        Value::Null => {}
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(applied) => history.last_applied(&path, &applied),
            Err(error) => history.faults.push(format!("{path}: expected an object in JSON: {error}")),
        },
        other => history.expected(&path, "a string", other),
    }
    history
}

impl History {
    fn manager(&mut self, path: &str, entry: &Value) {
        // Old servers wrote entries without a manager, and the main resource has no subresource.
        let [Some(api_version), Some(name), Some(operation), Some(subresource)] = [
            self.text(path, entry, "apiVersion", true),
            self.text(path, entry, "manager", false),
            self.text(path, entry, "operation", false),
            self.text(path, entry, "subresource", false),
        ] else {
            return;
        };
        let time = self.text(path, entry, "time", false).filter(|time| !time.is_empty());
        let by = By::Manager { name, operation, subresource, time };
        let new = Written { api_version, by };
        match self.written.iter_mut().find(|old| old.is_like(&new)) {
            Some(old) => old.take_later(new),
            None => self.written.push(new),
        }
    }

    fn last_applied(&mut self, path: &str, applied: &Value) {
        if !applied.is_object() {
            return self.expected(path, "an object", applied);
        }
        let api_version = self.text(path, applied, "apiVersion", true);
        let kind = self.text(path, applied, "kind", true);
        if let (Some(api_version), Some(kind)) = (api_version, kind) {
            self.written.push(Written { api_version, by: By::LastApplied { kind } });
        }
    }

    /// A member of an object that is a string; empty if it may be missing, and is. `None` with a fault otherwise.
    fn text(&mut self, path: &str, object: &Value, name: &str, is_required: bool) -> Option<String> {
        match &object[name] {
            Value::Null if !is_required => return Some(String::new()),
            Value::String(text) if !(text.is_empty() && is_required) => return Some(text.clone()),
            other => self.expected(&format!("{path}.{name}"), "a string", other),
        }
        None
    }

    fn expected(&mut self, path: &str, expected: &str, found: &Value) {
        let found = match found {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(text) if text.is_empty() => "an empty one",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.faults.push(format!("{path}: expected {expected}, found {found}"));
    }
}

impl Written {
    /// Whether it differs in nothing but the time.
    fn is_like(&self, other: &Self) -> bool {
        let without_time = |written: &Self| match written.by.clone() {
            By::Manager { name, operation, subresource, .. } => {
                By::Manager { name, operation, subresource, time: None }
            }
            by @ By::LastApplied { .. } => by,
        };
        self.api_version == other.api_version && without_time(self) == without_time(other)
    }

    /// Takes the time of another one, if it is later. Servers write all times in UTC and alike.
    fn take_later(&mut self, other: Self) {
        if let (By::Manager { time, .. }, By::Manager { time: other, .. }) = (&mut self.by, other.by) {
            *time = std::mem::take(time).max(other);
        }
    }
}

impl fmt::Display for By {
    /// `helm (Update)`, `kube-controller-manager (Update of status)`, `kubectl apply`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manager { name, .. } if name.is_empty() => f.write_str("somebody"),
            Self::Manager { name, operation, subresource, .. } if subresource.is_empty() => {
                write!(f, "{name} ({operation})")
            }
            Self::Manager { name, operation, subresource, .. } => {
                write!(f, "{name} ({operation} of {subresource})")
            }
            Self::LastApplied { .. } => f.write_str("kubectl apply"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manager(name: &str, operation: &str, subresource: &str, time: Option<&str>) -> By {
        let [name, operation, subresource] = [name, operation, subresource].map(str::to_owned);
        By::Manager { name, operation, subresource, time: time.map(str::to_owned) }
    }

    fn at(api_version: &str, by: By) -> Written {
        Written { api_version: api_version.to_owned(), by }
    }

    #[test]
    fn managers_and_what_was_applied_are_told() {
        let applied = r#"{"apiVersion":"extensions/v1beta1","kind":"Deployment","spec":{}}"#;
        let object = json!({"metadata": {
            "annotations": {LAST_APPLIED: applied, "other": "{"},
            "managedFields": [
                {"manager": "kubectl", "operation": "Update", "apiVersion": "apps/v1beta1", "time": "2026-01-02T03:04:05Z", "fieldsV1": {}},
                {"manager": "kubectl", "operation": "Update", "apiVersion": "apps/v1", "time": "2026-01-02T03:04:05Z"},
                {"manager": "controller", "operation": "Update", "apiVersion": "apps/v1", "subresource": "status"},
                {"operation": "Apply", "apiVersion": "apps/v1", "time": null},
            ],
        }});
        let history = written(&object);
        let time = Some("2026-01-02T03:04:05Z");
        let expected = [
            at("apps/v1beta1", manager("kubectl", "Update", "", time)),
            at("apps/v1", manager("kubectl", "Update", "", time)),
            at("apps/v1", manager("controller", "Update", "status", None)),
            at("apps/v1", manager("", "Apply", "", None)),
            at("extensions/v1beta1", By::LastApplied { kind: "Deployment".to_owned() }),
        ];
        assert_eq!(history, History { written: expected.to_vec(), faults: Vec::new() });
        let shown: Vec<String> = history.written.iter().map(|written| written.by.to_string()).collect();
        let expected = [
            "kubectl (Update)",
            "kubectl (Update)",
            "controller (Update of status)",
            "somebody",
            "kubectl apply",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn entries_that_differ_in_time_only_are_one() {
        let entry =
            |time: Value| json!({"manager": "m", "operation": "Update", "apiVersion": "v1", "time": time});
        let times = [
            json!("2026-01-01T00:00:00Z"),
            Value::Null,
            json!("2026-02-01T00:00:00Z"),
            json!("2025-01-01T00:00:00Z"),
        ];
        let object = json!({"metadata": {"managedFields": times.map(entry)}});
        let expected = at("v1", manager("m", "Update", "", Some("2026-02-01T00:00:00Z")));
        assert_eq!(written(&object), History { written: vec![expected], faults: Vec::new() });
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_is_read() {
        let path = "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]";
        let applied = |text: Value| json!({"annotations": {LAST_APPLIED: text}});
        for (metadata, expected) in [
            (
                applied(json!("{")),
                format!("{path}: expected an object in JSON: EOF while parsing an object at line 1 column 1"),
            ),
            (
                applied(json!("")),
                format!("{path}: expected an object in JSON: EOF while parsing a value at line 1 column 0"),
            ),
            (applied(json!("[]")), format!("{path}: expected an object, found a list")),
            (applied(json!(7)), format!("{path}: expected a string, found a number")),
            (
                applied(json!(r#"{"kind":"Pod"}"#)),
                format!("{path}.apiVersion: expected a string, found nothing"),
            ),
            (
                applied(json!(r#"{"apiVersion":"v1","kind":""}"#)),
                format!("{path}.kind: expected a string, found an empty one"),
            ),
            (
                json!({"managedFields": {}}),
                "metadata.managedFields: expected a list, found an object".to_owned(),
            ),
            (
                json!({"managedFields": [{"manager": "m"}]}),
                "metadata.managedFields[0].apiVersion: expected a string, found nothing".to_owned(),
            ),
            (
                json!({"managedFields": [true]}),
                "metadata.managedFields[0].apiVersion: expected a string, found nothing".to_owned(),
            ),
            (
                json!({"managedFields": [{"apiVersion": "v1", "manager": true}]}),
                "metadata.managedFields[0].manager: expected a string, found a boolean".to_owned(),
            ),
        ] {
            let object = json!({"metadata": metadata});
            assert_eq!(written(&object), History { written: Vec::new(), faults: vec![expected] }, "{object}");
        }
        let mut object = json!({"metadata": applied(json!("{"))});
        object["metadata"]["managedFields"] =
            json!([{"apiVersion": "v1", "manager": "m", "operation": "Update"}]);
        let History { written, faults } = written(&object);
        assert_eq!((written, faults.len()), (vec![at("v1", manager("m", "Update", "", None))], 1));
    }

    #[test]
    fn what_is_no_object_was_not_written() {
        for object in [json!(null), json!({}), json!([]), json!({"metadata": {"managedFields": null}})] {
            assert_eq!(written(&object), History::default());
        }
    }
}
