//! New nodes are not ready: upstream's `TaintNodesByCondition`.

use hubgen_machinery::scheme::KindEntry;
use serde_json::{Value, json};

use super::{AdmissionRequest, Mutate, Operation, Verdict};
use crate::fields::{set_value, value_of};

/// Group and resource of nodes.
const NODES: (&str, &str) = ("", "nodes");
/// The taint of a node that is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";
const NO_SCHEDULE: &str = "NoSchedule";

/// Gives each new node the taint `node.kubernetes.io/not-ready`, as a kube-apiserver does. Nobody takes it away: in a cluster, that is
/// the work of a controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaintNodes;

impl Mutate for TaintNodes {
    fn concerns(&self, entry: &KindEntry) -> bool {
        let (group, plural) = NODES;
        entry.group == group && entry.resource.as_ref().is_some_and(|resource| resource.plural == plural)
    }

    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async move {
            if request.operation != Operation::Create || !request.subresource.is_empty() {
                return Ok(());
            }
            let Some(mut spec) = request.object().map(|node| value_of(node, "spec")) else { return Ok(()) };
            let mut taints = spec["taints"].as_array().cloned().unwrap_or_default();
            let is_it = |taint: &Value| taint["key"] == NOT_READY && taint["effect"] == NO_SCHEDULE;
            if !taints.iter().any(is_it) {
                taints.push(json!({"key": NOT_READY, "effect": NO_SCHEDULE}));
                spec["taints"] = taints.into();
                if let Some(node) = request.object_mut() {
                    let like = node.boxed_copy();
                    set_value(&*like, node, "spec", &spec);
                }
            }
            Ok(())
        })
    }
}
