//! Which kinds of the archive a server offers: by default those that the reference release serves.

use std::collections::BTreeMap;

use hubgen_machinery::scheme::{GroupVersionKind, KindEntry, Resource, Scheme};
use hubgen_model::{Api, Release, Verb};
use hubgen_server::catalog::Offered;

use crate::runtime_config::{Level, RuntimeConfig};

/// Since this release, upstream serves no new beta version unless it is told to.
const NO_NEW_BETA: Release = Release::new(1, 24);
/// The exception: it took the place of versions that were served.
const SERVED_BETA: (&str, &str) = ("flowcontrol.apiserver.k8s.io", "v1beta3");

/// The resources that a release had, by group, version and kind.
pub(crate) struct Resources<'a> {
    release: Release,
    resources: BTreeMap<(&'a str, &'a str, &'a str), &'a hubgen_model::Resource>,
}

impl<'a> Resources<'a> {
    /// Those of the API as a release had it.
    pub(crate) fn of(api: &'a Api, release: Release) -> Self {
        let mut resources = BTreeMap::new();
        let kinds = api.versions.values().flat_map(|version| version.types.values());
        for kind in kinds.filter_map(|ty| ty.kind.as_ref()) {
            if let (Some(name), Some(resource)) = (kind.registered.first(), &kind.resource) {
                let version = &name.group_version;
                resources.insert((&*version.group, &*version.version, &*name.kind), resource);
            }
        }
        Self { release, resources }
    }
}

/// What is offered by default and by configuration, of the reference release or of an emulated one.
pub(crate) fn offered(scheme: &Scheme, config: &RuntimeConfig, emulated: Option<&Resources<'_>>) -> Offered {
    Offered::choose(scheme, |entry, resource| {
        let (group, version, plural) = (&*entry.group, &*entry.version, &*resource.plural);
        let then = match emulated {
            Some(release) => as_then(entry, resource, release)?,
            None if config.has_all() => resource.clone(),
            None if entry.until.is_none() || config.names(group, version, plural) => as_now(resource),
            None => return None,
        };
        let is_default = match emulated {
            Some(release) => is_on_by_default(entry, release.release),
            None => is_level_on(entry),
        };
        config.serves(group, version, plural, is_default).then_some(then)
    })
}

/// Whether a kube-apiserver of a release that has a kind at its version serves it unless it is told otherwise. It does not serve alpha
/// versions, nor beta versions that came with release 1.24 or later, nor what it announced to be unavailable and still had.
///
/// ```
/// let scheme = hubgen_kubernetes::scheme();
/// let is_on = |version, kind, release: &str| {
///     hubgen_releases::is_on_by_default(scheme.named(version, kind).unwrap(), release.parse().unwrap())
/// };
/// assert!(is_on("policy/v1beta1", "PodDisruptionBudget", "1.24"));
/// assert!(!is_on("resource.k8s.io/v1beta1", "ResourceClaim", "1.33"));
/// // It served them where it was told to.
/// assert!(!is_on("extensions/v1beta1", "Deployment", "1.16"));
/// ```
pub fn is_on_by_default(entry: &KindEntry, release: Release) -> bool {
    let unavailable = entry.behaviour.deprecation.as_ref().and_then(|told| told.unavailable);
    let is_past = |unavailable: (u32, u32)| unavailable <= (release.major.into(), release.minor.into());
    is_level_on(entry) && !unavailable.is_some_and(is_past)
}

/// Whether upstream serves versions as stable as that of a kind.
fn is_level_on(entry: &KindEntry) -> bool {
    match Level::of(&entry.version) {
        Level::Stable => true,
        Level::Alpha => false,
        Level::Beta => {
            let since = entry.since.as_ref().and_then(|since| since.parse::<Release>().ok());
            (&*entry.group, &*entry.version) == SERVED_BETA || since.is_some_and(|since| since < NO_NEW_BETA)
        }
    }
}

fn named(name: &hubgen_model::GroupVersionKind) -> GroupVersionKind {
    let hubgen_model::GroupVersionKind { group_version, kind } = name;
    GroupVersionKind {
        group: group_version.group.clone().into(),
        version: group_version.version.clone().into(),
        kind: kind.clone().into(),
    }
}

/// A resource as the last release had it that had its version.
fn as_now(resource: &Resource) -> Resource {
    let mut resource = resource.clone();
    resource.subresources.retain(|subresource| subresource.until.is_none());
    resource
}

/// A resource as a release had it; `None` if it had none.
fn as_then(entry: &KindEntry, resource: &Resource, release: &Resources<'_>) -> Option<Resource> {
    let then = release.resources.get(&entry.parts())?;
    let words = |verbs: &[Verb]| verbs.iter().map(|verb| verb.as_str().to_owned()).collect();
    let mut resource = resource.clone();
    resource.verbs = words(&then.verbs);
    resource.subresources.retain_mut(|subresource| match then.subresources.get(&*subresource.name) {
        Some(part) => {
            subresource.verbs = words(&part.verbs);
            subresource.kind = part.kind.as_ref().map(named);
            true
        }
        None => false,
    });
    Some(resource)
}
