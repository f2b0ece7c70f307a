//! What the functions of a user's own code need of the conversions around them: a way to refuse an object, and its
//! metadata.

use std::collections::BTreeSet;

use hubgen_model::TypeId;

use crate::Mapping;
use crate::program::Value;
use crate::program::ops::{Callee, Op};

/// Pairs of types.
pub type Pairs = BTreeSet<(TypeId, TypeId)>;

/// The pairs of a version that may refuse an object: those that call functions of the user's own code or have tables, and
/// those that convert a field by such a pair.
pub fn fallible(mapping: &Mapping) -> Pairs {
    calling(mapping, Callee::may_refuse)
}

/// The pairs of a version that need the object's metadata: those that call functions that read it, and those that
/// convert a field by such a pair.
pub fn reading(mapping: &Mapping) -> Pairs {
    calling(mapping, |callee| matches!(callee, Callee::Own { reads, .. } if !reads.is_empty()))
}

/// Whether a value is converted by one of some pairs.
pub fn is_by(pairs: &Pairs, value: &Value) -> bool {
    matches!(value.innermost(), Value::Pair(version, hub) if pairs.contains(&(version.clone(), hub.clone())))
}

/// The pairs that call one of some functions, themselves or by another pair.
fn calling(mapping: &Mapping, is_meant: impl Fn(&Callee) -> bool) -> Pairs {
    let mut out = Pairs::new();
    loop {
        let known = out.len();
        for (key, pair) in &mapping.pairs {
            let calls = |op: &Op| matches!(op, Op::Call { function, .. } if is_meant(function));
            let mut ops = pair.to_hub.ops.iter().chain(&pair.from_hub.ops);
            if ops.any(|op| calls(op) || op.values().into_iter().any(|value| is_by(&out, value))) {
                out.insert(key.clone());
            }
        }
        if out.len() == known {
            return out;
        }
    }
}
