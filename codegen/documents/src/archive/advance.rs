//! Adds the documents of one release to an archive that ends with the release before it.
//!
//! The archive already has what older documents say, so they need not be at hand. The result is the archive that all
//! documents together make: the newest release defines each type, and what it no longer has stays, with the release
//! that had it last.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Api, Field, Kind, Release, Resource, Type, TypeBody, TypeId};

use super::report::Report;
use super::resources::NamedKinds;
use super::rules::WIDENINGS;
use super::sightings::{Owner, Sighting, Sightings};
use super::{
    Archive, Span, corrections, discovery, history, kinds, merge, prune, resources, sightings, versions,
};
use crate::upstream::name::META;
use crate::upstream::{Document, Form};

/// Adds the documents of a release to the archive of all releases before it.
///
/// # Errors
/// As [`build`](super::build). Also if the documents are of several releases, or of one that does not follow the
/// archive's last one, or if they have no field facts or no descriptors.
pub fn advance(documents: Vec<Document>, before: Archive) -> Result<Archive, Vec<String>> {
    let Archive { api: before, mut report, mut history, .. } = before;
    let (release, last) = releases(&documents, &report)?;
    let earlier = report.releases.clone();
    let span = Span { newest: Some(release) };
    let operations = resources::collect(&documents);
    let discovered = discovery::collect(&documents);
    let named = resources::named_kinds(&operations);
    let known = &resources::without_siblings(before, &mut report);
    let mut sightings = sightings::collect(documents);
    corrections::correct(&mut sightings, &mut report);
    let mut new = merge::merge(&sightings, &span, &mut report);
    kinds::mark(&mut new, known, &sightings, &named, &span, &mut report);
    resources::assign(&mut new, &operations, &mut report);
    discovery::assign(&mut new, &discovered);
    discovery::preferred(&discovered, &mut report);
    let mut step = Step { last, release, known, sightings: &sightings, named: &named, report: &mut report };
    let mut api = step.merged(new);
    resources::from_siblings(&mut api, &mut report);
    kinds::travelling(&mut api);
    kinds::register_everywhere(&mut api, true);
    prune(&mut api, true, &mut report);
    versions(&mut api, &span);
    kinds::unique(&api, &mut report);
    kinds::forget_left_out(&api, &mut report);
    report.finish(false)?;
    merge::drop_empty_defaults(&mut api);
    history::step(&mut history, known, &api, &earlier);
    Ok(Archive { api, report, history, full: true })
}

/// The release of the documents, and the last one of the archive.
fn releases(documents: &[Document], before: &Report) -> Result<(Release, Release), Vec<String>> {
    let found: BTreeSet<Option<Release>> = documents.iter().map(|document| document.release).collect();
    let mut found = found.into_iter();
    let (Some(Some(release)), None) = (found.next(), found.next()) else {
        return Err(vec!["the documents are not of one release".to_owned()]);
    };
    for (form, what) in [
        (Form::OpenApi, "OpenAPI"),
        (Form::Descriptors, "protobuf descriptors"),
        (Form::FieldFacts, "field facts"),
    ] {
        if !documents.iter().any(|document| document.form == form) {
            return Err(vec![format!("no document of {release} has {what}")]);
        }
    }
    let Some(last) = before.releases.last().copied() else {
        return Err(vec!["the archive has no releases".to_owned()]);
    };
    if release <= last {
        return Err(vec![format!("the archive has {release} already: it ends with {last}")]);
    }
    if (release.major, release.minor) != (last.major, last.minor + 1) {
        return Err(vec![format!(
            "the archive ends with {last}, and these are documents of {release}: import {}.{} first",
            last.major,
            last.minor + 1
        )]);
    }
    Ok((release, last))
}

/// The step from the archive's last release to the next one.
struct Step<'a> {
    last: Release,
    release: Release,
    known: &'a Api,
    sightings: &'a Sightings,
    named: &'a NamedKinds,
    report: &'a mut Report,
}

impl Step<'_> {
    fn merged(&mut self, new: Api) -> Api {
        let mut api = self.known.clone();
        for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
            if new.find(&corrections::documented(&ty.id)).is_none() {
                self.mark_gone(ty);
            }
        }
        for ty in new.versions.into_values().flat_map(|version| version.types.into_values()) {
            let ty = match self.known.find(&ty.id) {
                Some(old) => self.merged_type(old, ty),
                None => self.reached(ty),
            };
            let version = api.versions.entry(ty.id.group_version.clone()).or_default();
            version.types.insert(ty.id.name.clone(), ty);
        }
        for version in api.versions.values_mut() {
            version.types.sort_keys();
        }
        self.predecessors(&mut api);
        api
    }

    /// A type that is new in the archive, because no kind referred to it before. Its fields count as that old, too.
    fn reached(&self, mut ty: Type) -> Type {
        if let Some(since) = self.report.unreached.get(&ty.id).copied() {
            let TypeBody::Struct(fields) = &mut ty.body;
            fields.iter_mut().for_each(|field| field.since = since);
            ty.since = since;
        }
        ty
    }

    /// The release has no such type: the one before was the last that had it.
    fn mark_gone(&self, ty: &mut Type) {
        let until = |until: &mut Option<Release>| *until = until.or(Some(self.last));
        until(&mut ty.until);
        let TypeBody::Struct(fields) = &mut ty.body;
        fields.iter_mut().for_each(|field| until(&mut field.until));
        if let Some(kind) = &mut ty.kind {
            self.mark_not_offered(kind);
        }
    }

    fn mark_not_offered(&self, kind: &mut Kind) {
        kind.until = kind.until.or(Some(self.last));
        for part in kind.resource.iter_mut().flat_map(|resource| resource.subresources.values_mut()) {
            part.until = part.until.or(kind.until);
        }
    }

    fn merged_type(&mut self, old: &Type, new: Type) -> Type {
        let fields = self.fields(old, &new);
        merge::distinct_numbers(&new.id, &fields, self.report);
        let kind = match (old.kind.clone(), new.kind.clone()) {
            (Some(before), Some(kind)) => Some(self.kind(old, before, kind)),
            (Some(mut before), None) => {
                self.mark_not_offered(&mut before);
                Some(before)
            }
            (None, kind) => kind,
        };
        Type { body: TypeBody::Struct(fields), kind, since: old.since, until: None, ..new }
    }

    /// The fields in the order of the release. One that only older releases have follows the field that it followed.
    fn fields(&mut self, old: &Type, new: &Type) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for field in new.fields() {
            fields.push(match old.field(&field.name) {
                Some(before) => self.field(&new.id, before, field),
                None => field.clone(),
            });
        }
        let mut after = 0;
        for before in old.fields() {
            match fields.iter().position(|field| field.name == before.name) {
                Some(at) => after = at + 1,
                None => {
                    fields.insert(after, self.gone_field(before));
                    after += 1;
                }
            }
        }
        fields
    }

    fn field(&mut self, id: &TypeId, before: &Field, field: &Field) -> Field {
        if !merge::alike(&before.ty, &field.ty)
            && !corrections::widened(id, &field.name, &before.ty, &field.ty, self.report)
        {
            let key =
                [format!("{id}.{}", field.name), corrections::show(&before.ty), corrections::show(&field.ty)];
            self.report.conflicts.entry(key).or_default().insert(Some(self.last));
        }
        let mut field = Field { since: before.since, ..field.clone() };
        if field.number.is_empty() {
            field.number.clone_from(&before.number);
        }
        let of = |form| self.sightings[id].iter().filter(move |sighting| sighting.form == form);
        if of(Form::FieldFacts).next().is_none() {
            (field.presence, field.omit) = (before.presence, before.omit);
        }
        // Types stay in Go when servers no longer publish them.
        let is_published = of(Form::OpenApi).next().is_some();
        if !of(Form::OpenApi).any(|sighting| sighting.facts.fields.contains_key(&field.name)) {
            published_as(&mut field, before);
            if !is_published {
                field.required = before.required;
                field.default.clone_from(&before.default);
            }
        }
        field
    }

    fn gone_field(&self, before: &Field) -> Field {
        let mut field = before.clone();
        if field.until.is_none() {
            field.until = Some(self.last);
            field.default = None;
            merge::optional(&mut field);
        }
        field
    }

    fn kind(&self, old: &Type, before: Kind, new: Kind) -> Kind {
        let own: Vec<&Sighting> =
            self.sightings[&old.id].iter().filter(|sighting| sighting.of == Owner::Own).collect();
        // The API machinery has its kinds even where no document mentions them.
        let is_machinery = old.id.group_version.group == META;
        let is_offered = is_machinery || !kinds::offered(&own, &new.registered, self.named).is_empty();
        let was_offered = is_machinery || self.was_offered(old, &before);
        let mut registered = new.registered;
        for name in before.registered.iter().rev() {
            if !registered.contains(name) {
                registered.push(name.clone());
            }
        }
        registered.sort_by_key(|kind| {
            (kind.group_version != old.id.group_version, kind.kind != old.id.name, kind.clone())
        });
        let since = if is_offered && !was_offered { new.since } else { before.since };
        let mut kind = Kind { registered, bare: before.bare && new.bare, since, until: before.until, ..new };
        kind.resource = match (before.resource, kind.resource) {
            (Some(before), Some(new)) => Some(self.resource(before, new)),
            (before, new) => before.or(new),
        };
        match (is_offered, was_offered) {
            (true, _) => kind.until = None,
            (false, true) => self.mark_not_offered(&mut kind),
            (false, false) => {}
        }
        kind
    }

    /// Whether a release of the archive offered a kind: it is a resource, the list of one, or a part of one.
    fn was_offered(&self, ty: &Type, kind: &Kind) -> bool {
        let is_resource = |name: &str| {
            let version = self.known.versions.get(&ty.id.group_version);
            let kind = version.and_then(|version| version.types.get(name)?.kind.as_ref());
            kind.is_some_and(|kind| kind.resource.is_some())
        };
        let is_part = |resource: &Resource| {
            let mut kinds = resource.subresources.values().filter_map(|part| part.kind.as_ref());
            kinds.any(|part| kind.registered.contains(part))
        };
        let resources = || self.known.types().filter_map(|ty| ty.kind.as_ref()?.resource.as_ref());
        kind.resource.is_some()
            || ty.id.name.strip_suffix("List").is_some_and(is_resource)
            || resources().any(is_part)
    }

    fn resource(&self, before: Resource, mut new: Resource) -> Resource {
        for (name, part) in &mut new.subresources {
            match before.subresources.get(name) {
                Some(before) => part.since = before.since,
                None => part.since = Some(self.release),
            }
        }
        for (name, mut part) in before.subresources {
            new.subresources.entry(name).or_insert_with(|| {
                part.until = part.until.or(Some(self.last));
                part
            });
        }
        new
    }

    /// Where the type of a field was replaced by another one, the fields of the old type count as fields of the new one.
    fn predecessors(&mut self, api: &mut Api) {
        // The types that are new, each with the one before it.
        let mut before_it: BTreeMap<TypeId, TypeId> = BTreeMap::new();
        for widening in WIDENINGS {
            let named = corrections::type_named;
            let (Some(from), Some(to)) = (named(widening.from), named(widening.to)) else { continue };
            let holders = widening.at.iter().filter_map(|(ty, field)| Some((named(ty)?, *field)));
            let is_replaced = |(holder, field): &(TypeId, &str)| {
                let ty = |api: &Api, id: &TypeId| api.find(id)?.field(field)?.ty.named().cloned();
                let before = before_it.get(holder).unwrap_or(holder);
                ty(self.known, before) == Some(from.clone()) && ty(api, holder) == Some(to.clone())
            };
            let replaced: Vec<(TypeId, &str)> = holders.filter(is_replaced).collect();
            let Some(before) = self.known.find(&from).filter(|_| !replaced.is_empty()) else { continue };
            let pointed = |(holder, field): &(TypeId, &str)| api.find(holder)?.field(field)?.since;
            let pointed = replaced.iter().filter_map(pointed).min();
            for (holder, field) in replaced {
                self.report.apply(widening.rule.name, format!("{holder}.{field}"));
            }
            before_it.insert(to.clone(), from);
            let is_published = |name: &str| {
                let seen = self.sightings.get(&to).into_iter().flatten();
                let mut published = seen.filter(|sighting| sighting.form == Form::OpenApi);
                published.any(|sighting| sighting.facts.fields.contains_key(name))
            };
            let gone: Vec<Field> = before.fields().iter().map(|field| self.gone_field(field)).collect();
            let version = api.versions.get_mut(&to.group_version);
            let Some(ty) = version.and_then(|version| version.types.get_mut(&to.name)) else { continue };
            let TypeBody::Struct(fields) = &mut ty.body;
            let mut after = 0;
            for field in gone {
                match fields.iter_mut().position(|other| other.name == field.name) {
                    Some(at) => {
                        fields[at].since = fields[at].since.min(field.since.max(pointed));
                        if !is_published(&field.name) {
                            published_as(&mut fields[at], &field);
                        }
                        after = at + 1;
                    }
                    None => {
                        fields.insert(after, field);
                        after += 1;
                    }
                }
            }
        }
    }
}

/// Gives a field what OpenAPI published about one before it.
fn published_as(field: &mut Field, before: &Field) {
    field.enumeration.clone_from(&before.enumeration);
    field.list_type.clone_from(&before.list_type);
    field.atomic = before.atomic;
    field.patch.clone_from(&before.patch);
}
