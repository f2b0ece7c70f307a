//! Defaults of nodes.

use super::access::{ResourceList, amounts, amounts_mut};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::Reflect;

/// For a node status: `allocatable` defaults to `capacity`.
pub fn allocatable(status: &mut dyn Reflect, _: &Context) {
    let capacity = amounts(status, "capacity").cloned().unwrap_or_default();
    if !capacity.is_empty()
        && amounts(status, "allocatable").is_none_or(ResourceList::is_empty)
        && let Some(allocatable) = amounts_mut(status, "allocatable")
    {
        *allocatable = capacity;
    }
}
