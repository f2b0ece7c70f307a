//! Which pairs of types may refuse an object: those that call functions of the user's own code, and those that convert a
//! field by such a pair.

use std::collections::BTreeSet;

use hubgen_model::TypeId;

use crate::Mapping;
use crate::program::Value;
use crate::program::ops::{Callee, Op};

/// The pairs of a version whose conversion may fail.
pub fn fallible(mapping: &Mapping) -> BTreeSet<(TypeId, TypeId)> {
    let mut out = BTreeSet::new();
    loop {
        let known = out.len();
        for (key, pair) in &mapping.pairs {
            let mut ops = pair.to_hub.ops.iter().chain(&pair.from_hub.ops);
            if ops.any(|op| calls_own(op) || op.values().into_iter().any(|value| is_fallible(&out, value))) {
                out.insert(key.clone());
            }
        }
        if out.len() == known {
            return out;
        }
    }
}

/// Whether the conversion of a value may fail.
pub fn is_fallible(pairs: &BTreeSet<(TypeId, TypeId)>, value: &Value) -> bool {
    matches!(value.innermost(), Value::Pair(version, hub) if pairs.contains(&(version.clone(), hub.clone())))
}

fn calls_own(op: &Op) -> bool {
    matches!(op, Op::Call { function: Callee::Own { .. }, .. })
}
