//! The bound on managers that update: beyond it, the fields of the oldest are put together.

use hubgen_machinery::Str;

use super::identity::{Identity, Operation};
use super::manager::Managers;

/// The number of managers that update beyond which the oldest are put together.
const MOST: usize = 10;
/// The name of the manager that the oldest become, one for each version.
const ANCIENT: &str = "ancient-changes";

impl Managers {
    /// Puts managers that update together, the oldest first, until there are few enough of them. Only those of the same
    /// version can be.
    pub(super) fn cap(&mut self) {
        let mut updating: Vec<Identity> = self
            .0
            .iter()
            .map(|manager| &manager.identity)
            .filter(|identity| updates(identity))
            .cloned()
            .collect();
        let mut beyond = updating.len().saturating_sub(MOST);
        if beyond == 0 {
            return;
        }
        updating.sort_by_cached_key(|identity| {
            (self.of(identity).map_or(0, |manager| manager.second()), identity.to_text())
        });
        let mut first_of: Vec<(Str, Identity)> = Vec::new();
        for identity in updating {
            if beyond == 0 {
                break;
            }
            let version = identity.api_version.clone();
            let Some((_, first)) = first_of.iter().find(|(of, _)| *of == version) else {
                first_of.push((version, identity));
                continue;
            };
            let bucket = Identity {
                manager: ANCIENT.into(),
                operation: Operation::Update,
                api_version: version,
                subresource: Str::new(),
            };
            let first = first.clone();
            self.put_together(&first, &bucket, &identity);
            beyond -= 1;
        }
    }

    /// Adds the fields of a manager to those of the bucket, which the first of the same version becomes if there is none.
    fn put_together(&mut self, first: &Identity, bucket: &Identity, identity: &Identity) {
        if self.of(bucket).is_none()
            && let Some(manager) = self.of(first)
        {
            manager.identity = bucket.clone();
        }
        let Some(at) = self.0.iter().position(|manager| manager.identity == *identity) else { return };
        if identity == bucket {
            // It is put together with itself: upstream removes it, with what was put into it.
            self.0.remove(at);
            return;
        }
        let merged = self.0.remove(at);
        if let Some(found) = self.of(bucket) {
            found.fields = merged.fields.union(&found.fields);
            found.time = merged.time;
        }
    }
}

fn updates(identity: &Identity) -> bool {
    identity.operation == Operation::Update
}
