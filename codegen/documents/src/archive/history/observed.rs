//! The history that the documents of many releases tell.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Api, Field, Kind, Release, Resource, Type};

use super::super::corrections::documented;
use super::super::discovery;
use super::super::merge::alike;
use super::super::report::Report;
use super::super::resources::{Offered, Operations, offered};
use super::super::sightings::{Owner, Sighting, Sightings};
use super::{Fact, History, Past, Place, Told};
use crate::upstream::{Discovered, Form};

/// The history of the types and resources of an API, from all documents that it was made of.
pub fn observed(
    api: &Api,
    sightings: &Sightings,
    operations: &Operations,
    discovered: &BTreeMap<Release, Discovered>,
    report: &Report,
) -> History {
    let mut watch = Watch { releases: &report.releases, history: History::default() };
    let mut offers: BTreeMap<Release, Offered> = BTreeMap::new();
    for one in operations {
        if let Some(release) = one.0 {
            offers.entry(release).or_default().extend(offered(std::slice::from_ref(one)));
        }
    }
    for ty in api.types() {
        let seen = sightings.get(&documented(&ty.id)).map_or(&[][..], Vec::as_slice);
        for field in ty.fields() {
            watch.field(ty, field, seen);
        }
        let is_own = !report.siblings.contains_key(&ty.id.to_string());
        if let Some(kind) = ty.kind.as_ref().filter(|_| is_own) {
            watch.resource(ty, kind, &offers, discovered);
        }
    }
    watch.history
}

struct Watch<'a> {
    releases: &'a BTreeSet<Release>,
    history: History,
}

impl Watch<'_> {
    fn field(&mut self, ty: &Type, field: &Field, seen: &[Sighting]) {
        let own = || seen.iter().filter(|sighting| sighting.of == Owner::Own);
        // Whether it was a pointer: as Go had it then, or else as the first Go types at hand have it.
        let presence = |at: Option<Release>| {
            let mut told = own().filter_map(|sighting| {
                Some((sighting.release, sighting.facts.fields.get(&field.name)?.presence?))
            });
            let then = told.clone().find(|(release, _)| *release <= at);
            then.or_else(|| told.next_back()).map_or(field.presence, |(_, presence)| presence)
        };
        let published = own().filter(|sighting| sighting.form == Form::OpenApi).filter_map(|sighting| {
            let facts = sighting.facts.fields.get(&field.name)?;
            // Forms of documents differ in how exact their types are.
            let other = facts.ty.clone().filter(|ty| *ty != field.ty && !alike(ty, &field.ty));
            let ty = other.unwrap_or_else(|| field.ty.clone());
            let presence = presence(sighting.release);
            Some((sighting.release?, Field { ty, presence, ..facts.published.clone()? }))
        });
        let published: BTreeMap<Release, Field> = published.collect();
        let place = Place::field(&ty.id, &field.name);
        for fact in Fact::OF_FIELDS {
            let then =
                published.iter().filter_map(|(release, field)| Some((*release, fact.of_field(field)?)));
            self.record(&place, fact, then, fact.of_field(field));
        }
    }

    fn resource(
        &mut self,
        ty: &Type,
        kind: &Kind,
        offers: &BTreeMap<Release, Offered>,
        discovered: &BTreeMap<Release, Discovered>,
    ) {
        let Some(resource) = &kind.resource else { return };
        let key = (ty.id.group_version.clone(), resource.plural.clone());
        let then = offers.iter().filter_map(|(release, offered)| {
            let mut then = offered.get(&key)?.resource(&resource.plural)?;
            if let Some(discovered) = discovered.get(release) {
                discovery::name(&mut then, &ty.id.group_version, discovered);
            }
            Some((*release, then))
        });
        let then: Vec<(Release, Resource)> = then.collect();
        for fact in Fact::OF_RESOURCES {
            let told = then.iter().filter_map(|(release, then)| Some((*release, fact.of_resource(then)?)));
            self.record(&Place::resource(&ty.id), fact, told, fact.of_resource(resource));
        }
        for (name, part) in &resource.subresources {
            for fact in Fact::OF_SUBRESOURCES {
                let told = then.iter().filter_map(|(release, then)| {
                    Some((*release, fact.of_subresource(then.subresources.get(name)?)?))
                });
                self.record(&Place::subresource(&ty.id, name), fact, told, fact.of_subresource(part));
            }
        }
    }

    /// Records the values that differ from the newest one. A value lasts until the release before the one that shows
    /// another; the last one until the release that shows it last.
    fn record(
        &mut self,
        place: &Place,
        fact: Fact,
        then: impl Iterator<Item = (Release, Told)>,
        newest: Option<Told>,
    ) {
        let mut past = Past::new();
        let mut current: Option<(Release, Told)> = None;
        for (release, told) in then {
            if let Some((_, before)) = current.take_if(|(_, before)| *before != told)
                && let Some(last) = self.releases.range(..release).next_back()
            {
                past.insert(*last, before);
            }
            current = Some((release, told));
        }
        past.extend(current.filter(|(_, last)| newest.as_ref() != Some(last)));
        for (until, told) in past {
            self.history.add(place, fact, until, told);
        }
    }
}
