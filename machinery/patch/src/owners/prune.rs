//! Removes what a manager has applied before, and does not apply now.
//!
//! All this is done at the version at which it was applied, and, for what others own, at theirs. So objects are converted
//! back and forth, and each may be a part of one.

use std::collections::BTreeMap;

use hubgen_machinery::convert::STASH;
use serde_json::Value;

use super::kinds::Kinds;
use super::manager::{Manager, Managers};
use crate::fields::{Element, Set};
use crate::typed::{TypedError, fields, remove, with_named};

/// An object at a version.
#[derive(Clone)]
struct At {
    object: Value,
    api_version: String,
}

impl At {
    /// The object at another version.
    fn to<K: Kinds>(self, api_version: &str, kinds: &mut K) -> Result<Self, K::Error> {
        if self.api_version == api_version {
            return Ok(self);
        }
        let object = kinds.convert(&self.object, &self.api_version, api_version)?;
        Ok(Self { object, api_version: api_version.to_owned() })
    }

    /// All fields of the object, with those that lead to them; and, if there is no such version, none.
    fn fields<K: Kinds>(&self, kinds: &mut K) -> Result<Set, TypedError> {
        let Some(kind) = kinds.kind(&self.api_version) else { return Ok(Set::EMPTY) };
        Ok(with_named(&kind.of, &fields(&kind.of, &self.object)?))
    }

    fn without<K: Kinds>(&self, set: &Set, kinds: &mut K) -> Self {
        let object = match kinds.kind(&self.api_version) {
            Some(kind) => remove(&kind.of, &self.object, set),
            None => self.object.clone(),
        };
        Self { object, api_version: self.api_version.clone() }
    }
}

/// The merged object, at the version of the request, without what its manager has applied `last` and nobody owns now. Among
/// the managers is the one that applies, with what it owns from now on.
pub(super) fn prune<K: Kinds>(
    merged: Value,
    managers: &Managers,
    api_version: &str,
    last: &Manager,
    kinds: &mut K,
) -> Result<Value, K::Error> {
    let merged = At { object: merged, api_version: api_version.to_owned() };
    let Some(kind) = kinds.kind(&last.api_version) else { return Ok(merged.object) };
    let merged = merged.to(&last.api_version, kinds)?;
    let last_fields = with_named(&kind.of, &last.fields);
    let pruned = merged.without(&last_fields, kinds);
    let pruned = add_back_owned(merged.clone(), pruned, managers, &last.api_version, kinds)?;
    // What was not applied is not removed, either, whatever goes with it.
    let left = pruned.to(&last.api_version, kinds)?.fields(kinds)?;
    let gone = merged.fields(kinds)?.difference(&left).intersection(&last_fields);
    let gone = without_stash(gone, &merged.object);
    Ok(merged.without(&gone, kinds).to(api_version, kinds)?.object)
}

/// What goes, but what conversions stash in an annotation: nobody owns it, and the fields that it stands for would go with all
/// annotations. Upstream knows no such annotation.
fn without_stash(gone: Set, object: &Value) -> Set {
    let Some(annotations) = object["metadata"]["annotations"].as_object() else { return gone };
    let path = ["metadata", "annotations"].map(Element::field);
    if !annotations.contains_key(STASH) || !gone.has(&path) {
        return gone;
    }
    // The others go one by one.
    let all: [&[Element]; 2] = [&path, &path[..1]];
    let others = annotations.keys().filter(|name| *name != STASH);
    let others: Vec<_> = others.map(|name| [&path[..], &[Element::field(name)]].concat()).collect();
    gone.difference(&all.into_iter().collect()).union(&others.iter().map(Vec::as_slice).collect())
}

/// What conversions stash in an annotation of an object.
fn stash_in(object: &mut Value) -> Option<&mut Value> {
    object.get_mut("metadata")?.get_mut("annotations")?.get_mut(STASH)
}

/// The pruned object, with all that somebody owns of the merged one.
fn add_back_owned<K: Kinds>(
    mut merged: At,
    mut pruned: At,
    managers: &Managers,
    first: &str,
    kinds: &mut K,
) -> Result<At, K::Error> {
    let mut owned: BTreeMap<&str, Set> = BTreeMap::new();
    for manager in &managers.0 {
        let at_version = owned.entry(&manager.api_version).or_default();
        *at_version = at_version.union(&manager.fields);
    }
    // What was pruned at its own version comes first: without it, other versions may not be had.
    let first = owned.remove_entry(first);
    for (api_version, owned) in first.into_iter().chain(owned) {
        let Some(kind) = kinds.kind(api_version) else { continue };
        merged = merged.to(api_version, kinds)?;
        pruned = pruned.to(api_version, kinds)?;
        let kept = pruned.fields(kinds)?.union(&with_named(&kind.of, &owned));
        let stash = stash_in(&mut pruned.object).map(Value::take);
        pruned = merged.without(&merged.fields(kinds)?.difference(&kept), kinds);
        // That of the merged object has what goes.
        if let (Some(stash), Some(place)) = (stash, stash_in(&mut pruned.object)) {
            *place = stash;
        }
    }
    Ok(pruned)
}
