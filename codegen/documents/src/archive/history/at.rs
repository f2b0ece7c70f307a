//! The API as one release had it.

use std::collections::BTreeSet;

use hubgen_model::{Api, Field, Kind, Release, Type, TypeBody, TypeId};

use super::super::{corrections, reached};
use super::{History, Place};

/// The API as a release had it: its group versions, kinds and fields, each as it was then.
///
/// Types that no kind of the release had are not in it. Where another type has replaced one, it has that other one, even
/// if that is of a later group version. What only Go has, such as which fields are pointers, is that of the newest release.
pub fn at(api: &Api, history: &History, release: Release) -> Api {
    let had = |since: Option<Release>, until: Option<Release>| {
        since.is_none_or(|since| since <= release) && until.is_none_or(|until| until >= release)
    };
    let mut then = api.clone();
    for version in then.versions.values_mut() {
        for ty in version.types.values_mut() {
            let is_offered = had(version.since, version.until);
            ty.kind.take_if(|kind| !is_offered || !had(kind.since.or(ty.since), kind.until));
            let id = ty.id.clone();
            if let Some(kind) = &mut ty.kind {
                kind_then(&id, kind, history, release);
            }
            let TypeBody::Struct(fields) = &mut ty.body;
            fields.retain(|field| had(field.since, field.until));
            fields.iter_mut().for_each(|field| field_then(&id, field, api, history, release));
        }
    }
    let reached: BTreeSet<TypeId> =
        reached(&then, |ty: &Type| ty.kind.is_some() || corrections::in_annotation(&ty.id));
    for version in then.versions.values_mut() {
        version.types.retain(|_, ty| reached.contains(&ty.id));
    }
    then.versions.retain(|_, version| !version.types.is_empty());
    then
}

fn kind_then(id: &TypeId, kind: &mut Kind, history: &History, release: Release) {
    let Some(resource) = &mut kind.resource else { return };
    for (fact, told) in history.at(&Place::resource(id), release) {
        fact.set_resource(resource, told);
    }
    resource.subresources.retain(|_, part| {
        part.since.is_none_or(|since| since <= release) && part.until.is_none_or(|until| until >= release)
    });
    for (name, part) in &mut resource.subresources {
        for (fact, told) in history.at(&Place::subresource(id, name), release) {
            fact.set_subresource(part, told);
        }
    }
}

/// A field as it was then. If its type is one that another one has replaced, it has that other one.
fn field_then(id: &TypeId, field: &mut Field, api: &Api, history: &History, release: Release) {
    for (fact, told) in history.at(&Place::field(id, &field.name), release) {
        let newest = field.ty.clone();
        fact.set_field(field, told);
        if field.ty.named().is_some_and(|named| api.find(named).is_none()) {
            field.ty = newest;
        }
    }
}
