//! Resources whose objects are not read.

use std::fmt;

use crate::discovery::Resource;
use crate::kubectl::Status;

/// A resource of which not all objects were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The resource.
    pub resource: Resource,
    /// The namespace that was asked for, if it was one.
    pub namespace: Option<String>,
    /// How many of its objects were given before.
    pub given: usize,
    /// What kind of reason there is.
    pub why: Why,
    /// What the server told, or what is wrong with its answer.
    pub message: String,
}

/// Why objects are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Who asks may not list them.
    Forbidden,
    /// They cannot be listed, or the resource is gone since it was discovered.
    NotListed,
    /// The server failed: a conversion webhook or the backend of an API does not answer, or the answer is damaged.
    Failed,
}

impl LeftOut {
    /// What the server refused.
    pub(crate) fn refused(
        resource: &Resource,
        namespace: Option<&str>,
        given: usize,
        status: Status,
    ) -> Self {
        let why = match &*status.reason {
            "Forbidden" => Why::Forbidden,
            "NotFound" | "MethodNotAllowed" => Why::NotListed,
            _ => Why::Failed,
        };
        Self { why, ..Self::failed(resource, namespace, given, status.message) }
    }

    /// What is damaged.
    pub(crate) fn failed(
        resource: &Resource,
        namespace: Option<&str>,
        given: usize,
        message: String,
    ) -> Self {
        let namespace = namespace.map(str::to_owned);
        Self { resource: resource.clone(), namespace, given, why: Why::Failed, message }
    }

    /// What to do so that they are read.
    pub fn help(&self) -> String {
        let Self { resource, .. } = self;
        match self.why {
            Why::Forbidden => {
                let role = match &self.namespace {
                    Some(namespace) => format!("a Role in namespace {namespace}"),
                    None => "a ClusterRole".to_owned(),
                };
                format!(
                    r#"{role} must allow it: apiGroups: ["{}"], resources: ["{}"], verbs: ["list"]"#,
                    resource.group, resource.plural
                )
            }
            Why::NotListed => "nothing, if the resource was just removed; read again otherwise".to_owned(),
            Why::Failed => {
                let within = match &self.namespace {
                    Some(namespace) => format!("--namespace {namespace}"),
                    None => "--all-namespaces".to_owned(),
                };
                format!("read again when `kubectl get {resource} {within}` lists them")
            }
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, given, message, .. } = self;
        write!(f, "{resource}: {message}")?;
        if *given > 0 { write!(f, " (after {given} objects)") } else { Ok(()) }
    }
}
