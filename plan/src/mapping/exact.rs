//! Whether the rules alone bring an object back from the version to the hub
//! unchanged, so that nothing has to be stashed.

use std::collections::BTreeSet;

use hubgen_model::TypeId;
use hubgen_model::rules;

use super::{Mapper, is_option};
use crate::{Kept, Link, Value};

impl Mapper<'_> {
    /// Whether hub → version → hub loses nothing by the rules alone.
    pub(super) fn is_exact(&self) -> bool {
        self.mapping.pairs.iter().all(|(key, pair)| {
            pair.links.iter().all(|link| match link {
                Link::Copy { version, hub, value } => {
                    !wraps(value)
                        && !hub.0[..hub.0.len() - 1].iter().any(is_option)
                        && (is_option(version.field()) || !is_option(hub.field()))
                }
                Link::Constant { .. } | Link::Always { .. } => true,
                Link::Tag { .. }
                | Link::Element { .. }
                | Link::Split { .. }
                | Link::Hoist { .. }
                | Link::Head { .. } => false,
                Link::Function { name, .. } => rules::function(name).is_some_and(|known| known.exact),
                // An annotation speaks of one place; the type may be in others too.
                Link::Kept { hub } => {
                    let is_kept = |kept: &&Kept| kept.via.is_none() && kept.place.0.ends_with(&hub.0);
                    self.mapping.kept.iter().filter(is_kept).count() == self.places(key, &mut BTreeSet::new())
                }
            })
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
            for link in &pair.links {
                let (Link::Copy { value, .. } | Link::Hoist { value, .. }) = link else { continue };
                if let Some(many) = leads_to(value, key) {
                    is_root = false;
                    count = count.saturating_add(if many { usize::MAX } else { self.places(parent, inside) });
                }
            }
        }
        inside.remove(key);
        if is_root { 1 } else { count }
    }
}

/// Whether a value is of that pair, and if so, whether it is many.
fn leads_to(value: &Value, key: &(TypeId, TypeId)) -> Option<bool> {
    match value {
        Value::Same | Value::Wrapped(..) => None,
        Value::Pair(version, hub) => (version == &key.0 && hub == &key.1).then_some(false),
        Value::List(inner) | Value::Map(inner) => leads_to(inner, key).map(|_| true),
    }
}

/// Whether a value becomes part of an object.
fn wraps(value: &Value) -> bool {
    match value {
        Value::Same | Value::Pair(..) => false,
        Value::List(inner) | Value::Map(inner) => wraps(inner),
        Value::Wrapped(..) => true,
    }
}
