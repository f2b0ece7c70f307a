//! `binding`: assigns a pod to a node, as a scheduler asks for.

use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Object};
use serde_json::{Value, json};

use super::super::target::{Target, Write};
use super::super::transform::Transform;
use super::{document_of, set_condition, text};
use crate::objects::receive::Received;
use crate::objects::{Collection, Error, Objects};
use crate::part::{self, Part};
use crate::validation::Violation;

impl Objects {
    /// Assigns an object to the node that a binding names.
    pub(crate) async fn bind(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        received: Received,
        write: &Write,
    ) -> Result<(), Error> {
        let binding = self.document(kind, received)?;
        if text(&binding, "/metadata/name") != name {
            let why = "name in URL does not match name in Binding object";
            return Err(Error::Malformed(why.to_owned()));
        }
        super::check_namespace(collection, &binding)?;
        let violations = violations(&binding);
        if !violations.is_empty() {
            return Err(Error::invalid(kind, name, violations));
        }
        let now = self.backing.environment.now().to_string();
        let mut edit = |object: &Object| {
            let pod = document_of(object)?;
            check_preconditions(collection, name, &binding, &pod)?;
            match unassignable(name, &pod) {
                Some(why) => Err(Error::unassignable(&collection.entry, name, why)),
                None => Ok(bound(pod, &binding, &now).into()),
            }
        };
        let target = Target { collection, name, part: Part::Binding };
        self.write(target, write, Transform::Edit(&mut edit)).await?;
        Ok(())
    }

    /// The collection of the objects that bindings of a kind are about, if that kind is one of bindings.
    pub(crate) fn bound_by(&self, bindings: &Collection) -> Option<Collection> {
        let Collection { entry, namespace } = bindings;
        let scheme = &self.catalog.scheme;
        let of = |candidate: &&Arc<KindEntry>| {
            (&candidate.group, &candidate.version) == (&entry.group, &entry.version)
                && candidate.resource.as_ref().is_some_and(|resource| {
                    let served = part::named(scheme, resource, Part::Binding.subresource());
                    served.is_some_and(|served| served.kind.is_some_and(|kind| Arc::ptr_eq(&kind, entry)))
                })
        };
        let entry = scheme.kinds().find(of)?;
        Some(Collection { entry: Arc::clone(entry), namespace: namespace.clone() })
    }
}

fn violations(binding: &Value) -> Vec<Violation> {
    let mut violations = Vec::new();
    let kind = text(binding, "/target/kind");
    if !["", "Node"].contains(&kind) {
        violations.push(Violation::not_supported("target.kind", kind, &["Node", "<empty>"]));
    }
    if text(binding, "/target/name").is_empty() {
        violations.push(Violation::required("target.name", ""));
    }
    violations
}

/// Checks the uid and the resourceVersion of a binding, if it has them.
fn check_preconditions(
    collection: &Collection,
    name: &str,
    binding: &Value,
    pod: &Value,
) -> Result<(), Error> {
    let both = |pointer| (text(binding, pointer), text(pod, pointer));
    let (wanted, found) = both("/metadata/uid");
    if !["", found].contains(&wanted) {
        return Err(Error::other_uid(&collection.entry, name, wanted, found));
    }
    let (wanted, found) = both("/metadata/resourceVersion");
    if !["", found].contains(&wanted) {
        return Err(Error::modified(&collection.entry, name));
    }
    Ok(())
}

/// Why a pod cannot be assigned to a node, in upstream's words.
fn unassignable(name: &str, pod: &Value) -> Option<String> {
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    let node = text(pod, "/spec/nodeName");
    if !node.is_empty() {
        return Some(format!("pod {name} is already assigned to node {node:?}"));
    }
    let has_gates = pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty());
    has_gates.then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

fn bound(mut pod: Value, binding: &Value, now: &str) -> Value {
    pod["spec"]["nodeName"] = binding["target"]["name"].clone();
    for field in ["annotations", "labels"] {
        for (key, value) in binding["metadata"][field].as_object().into_iter().flatten() {
            pod["metadata"][field][key] = value.clone();
        }
    }
    if let Some(status) = pod["status"].as_object_mut() {
        // Where it might have run is known better now.
        status.remove("nominatedNodeName");
    }
    set_condition(&mut pod, now, json!({"type": "PodScheduled", "status": "True"}));
    pod
}
