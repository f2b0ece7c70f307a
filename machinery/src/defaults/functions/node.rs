//! Nodes.

use super::access::{ResourceList, amounts, amounts_mut};
use crate::defaults::Context;
use crate::reflect::Reflect;

/// Of a node status: all of `capacity` is `allocatable`, where nothing says
/// what is.
pub fn allocatable(status: &mut dyn Reflect, _: &Context) {
    let capacity = amounts(status, "capacity").cloned().unwrap_or_default();
    if !capacity.is_empty()
        && amounts(status, "allocatable").is_none_or(ResourceList::is_empty)
        && let Some(allocatable) = amounts_mut(status, "allocatable")
    {
        *allocatable = capacity;
    }
}
