//! Whether the rules alone bring an object back from the version to the hub
//! unchanged, so that nothing has to be stashed.

use std::collections::BTreeSet;

use hubgen_model::TypeId;

use super::ops::{Absence, Op};
use super::{Kept, Mapper, Pair, ResolvedPath, Value};

impl Mapper<'_> {
    /// Whether hub → version → hub loses nothing by the rules alone.
    pub(super) fn is_exact(&self) -> bool {
        self.mapping.pairs.iter().all(|(key, pair)| {
            // An annotation speaks of one place; the type may be in others too.
            let is_kept = |place: &ResolvedPath| {
                let is_it = |kept: &&Kept| kept.via.is_none() && kept.place.ends_with(place);
                self.mapping.kept.iter().filter(is_it).count() == self.places(key, &mut BTreeSet::new())
            };
            comes_back(pair) && pair.kept.iter().all(is_kept)
        })
    }

    /// In how many places below the kind a pair of types is met; what is met
    /// again inside itself is met without end.
    fn places<'k>(&'k self, key: &'k (TypeId, TypeId), inside: &mut BTreeSet<&'k (TypeId, TypeId)>) -> usize {
        if !inside.insert(key) {
            return usize::MAX;
        }
        let mut count = 0usize;
        let mut is_root = true;
        for (parent, pair) in &self.mapping.pairs {
            for value in pair.to_hub.ops.iter().flat_map(Op::values) {
                if matches!(value.innermost(), Value::Pair(version, hub) if *version == key.0 && *hub == key.1)
                {
                    is_root = false;
                    let many = value.is_many();
                    count = count.saturating_add(if many { usize::MAX } else { self.places(parent, inside) });
                }
            }
        }
        inside.remove(key);
        if is_root { 1 } else { count }
    }
}

/// Whether all fields of the hub come back that the ops convert.
fn comes_back(pair: &Pair) -> bool {
    let says_nothing_new = |op: &Op| !matches!(op, Op::Word { .. });
    let is_exact = |op: &Op| match op {
        Op::Copy(copy) => {
            copy.value.is_exact()
                && copy.from.parents().next().is_none()
                && copy.absence != Absence::BecomesEmpty
        }
        Op::Word { .. } => true,
        Op::Call { exact, .. } => *exact,
        _ => false,
    };
    pair.to_hub.ops.iter().all(says_nothing_new) && pair.from_hub.ops.iter().all(is_exact)
}
