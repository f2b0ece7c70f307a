//! The lives of namespaces: some are there from the start, each has some objects from its start, and one that is deleted ends
//! when its objects are gone.

mod conditions;
mod content;
mod emptying;
mod furnishing;

use hubgen_machinery::scheme::{Object, Scheme};
use serde_json::json;

pub(super) use self::emptying::Emptying;
pub(super) use self::furnishing::Furnishing;
use crate::objects::kind_of_namespaces;

/// The namespaces that there are from the start, as upstream makes them.
const SYSTEM: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/// The namespaces that there are from the start; none if there is no such kind.
pub(crate) fn system(scheme: &Scheme) -> Vec<Object> {
    let Some(entry) = kind_of_namespaces(scheme) else { return Vec::new() };
    let namespace = |name: &&str| {
        let document = json!({"metadata": {"name": name}}).to_string();
        Object::decode(entry, document.as_bytes()).ok().map(|(object, _)| object)
    };
    SYSTEM.iter().filter_map(namespace).collect()
}
