//! What one release changes.

use std::collections::BTreeSet;

use hubgen_model::{Api, Release, Type, TypeId};

use super::at::at;
use super::{Fact, History, Place, Told};

/// Adds to the history what the release that follows `releases` has changed. `before` has no kinds with the resource of
/// a sibling.
pub fn step(history: &mut History, before: &Api, after: &Api, releases: &BTreeSet<Release>) {
    let known = history.clone();
    let mut step = Step { before, known: &known, releases, history };
    for ty in after.types() {
        if let Some(old) = before.find(&ty.id) {
            step.fields(old, ty);
            step.resources(old, ty);
        }
    }
}

struct Step<'a> {
    before: &'a Api,
    known: &'a History,
    releases: &'a BTreeSet<Release>,
    history: &'a mut History,
}

impl Step<'_> {
    fn fields(&mut self, old: &Type, new: &Type) {
        for field in new.fields() {
            let Some(before) = old.field(&field.name) else { continue };
            let place = Place::field(&new.id, &field.name);
            for fact in Fact::OF_FIELDS {
                self.record(&place, fact, [fact.of_field(before), fact.of_field(field)]);
            }
        }
    }

    fn resources(&mut self, old: &Type, new: &Type) {
        let resource = |ty: &Type| ty.kind.as_ref()?.resource.clone();
        let (Some(before), Some(after)) = (resource(old), resource(new)) else { return };
        for fact in Fact::OF_RESOURCES {
            self.record(
                &Place::resource(&new.id),
                fact,
                [fact.of_resource(&before), fact.of_resource(&after)],
            );
        }
        for (name, part) in &after.subresources {
            let Some(before) = before.subresources.get(name) else { continue };
            let place = Place::subresource(&new.id, name);
            for fact in Fact::OF_SUBRESOURCES {
                self.record(&place, fact, [fact.of_subresource(before), fact.of_subresource(part)]);
            }
        }
    }

    fn record(&mut self, place: &Place, fact: Fact, [before, after]: [Option<Told>; 2]) {
        if before != after
            && let Some(before) = before
            && let Some(until) = self.last_offered(&place.ty)
        {
            self.history.add(place, fact, until, before);
        }
    }

    /// The last release before this one that offered a type. Others had at most its Go code.
    fn last_offered(&self, ty: &TypeId) -> Option<Release> {
        let is_offered = |release: &&Release| at(self.before, self.known, **release).find(ty).is_some();
        self.releases.iter().rev().find(is_offered).copied()
    }
}
