//! Determines whether the rules alone preserve an object through hub → version → hub, so that
//! nothing has to be stashed.

use std::collections::BTreeSet;

use hubgen_model::TypeId;

use super::empty::is_null;
use super::ops::{Absence, FieldCopy, Op, Parent};
use super::{Kept, Mapper, Pair, ResolvedPath, Value};

impl Mapper<'_> {
    /// Whether hub → version → hub loses nothing by the rules alone.
    pub(super) fn is_exact(&self) -> bool {
        self.mapping.pairs.iter().all(|(key, pair)| {
            // An annotation belongs to one field, but the type may be used by others, too.
            let is_kept = |place: &ResolvedPath| {
                let is_it = |kept: &&Kept| kept.via.is_none() && kept.path.ends_with(place);
                self.mapping.kept.iter().filter(is_it).count() == self.places(key, &mut BTreeSet::new())
            };
            comes_back(pair) && pair.kept.iter().all(is_kept)
        })
    }

    /// The number of field paths at which a pair of types is used below the kind. A pair that
    /// contains itself is used at infinitely many.
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

/// Whether `null` becomes an absent value.
fn loses_null(copy: &FieldCopy) -> bool {
    copy.from.field().is_nullable() && !copy.to.field().is_nullable()
}

/// Whether all fields of the hub that the ops convert come back unchanged.
fn comes_back(pair: &Pair) -> bool {
    let says_nothing_new = |op: &Op| !matches!(op, Op::Word { .. });
    let is_exact = |op: &Op| match op {
        Op::Copy(copy) => {
            copy.value.is_exact()
                && copy.from.parents().all(|object| pair.keeps_presence(&object))
                && !matches!(copy.absence, Absence::BecomesEmpty | Absence::EmptyIsAbsent)
                && !loses_null(copy)
        }
        Op::Word { .. } => true,
        Op::Call { function, .. } => function.is_exact(),
        Op::Rest(rest) => rest.given.is_empty() && rest.conflicts().next().is_none(),
        _ => false,
    };
    // JSON tells a required `null` from none, which a typed object does not.
    let moves_null = |parent: &Parent| {
        let from = parent.when.followed().filter(|from| from.names() != parent.path.names());
        from.is_some_and(|from| is_null(from.field()))
    };
    pair.to_hub.ops.iter().all(says_nothing_new)
        && pair.from_hub.ops.iter().all(is_exact)
        && !pair.from_hub.parents.iter().any(moves_null)
}
