//! Merges the documents of all releases into one API: the newest definition of each type, and every
//! field that an older release had, each with its first and last release.

mod advance;
mod changes;
mod corrections;
mod diff;
mod discovery;
mod history;
mod index;
mod kinds;
mod merge;
mod overlay;
mod record;
mod report;
mod resources;
mod rules;
mod sightings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hubgen_model::{Api, GroupVersion, Release, Type, TypeId, Version};

pub use advance::advance;
pub use changes::{Change, How, What};
pub use diff::diff;
pub use history::{FILE as HISTORY, Fact, History, Part, Place, Told, at};
pub use record::FILE as RECORD;
pub use report::{LeftOut, Report};

use crate::upstream::{Document, Form};

/// The result of merging documents.
pub struct Archive {
    /// The API.
    pub api: Api,
    /// The named rules that applied, and what was left out.
    pub report: Report,
    /// What fields and resources were in earlier releases.
    pub history: History,
    /// Whether the documents describe the API completely: field facts or descriptors are among
    /// them. If not, the API is the known one, updated from OpenAPI.
    pub full: bool,
}

impl Archive {
    /// The archive of a folder of schemas with these two files.
    ///
    /// # Errors
    /// The name of the file that cannot be read, and what is wrong with it.
    pub fn new(api: Api, record: &str, history: &str) -> Result<Self, (&'static str, String)> {
        let report = Report::of_record(record).map_err(|error| (RECORD, error))?;
        let history = History::of_text(history).map_err(|error| (HISTORY, error))?;
        Ok(Self { api, report, history, full: true })
    }

    /// The files that a folder of schemas has beside them.
    pub fn files(&self) -> [(PathBuf, String); 3] {
        [
            (PathBuf::from("INDEX.md"), index::index(&self.api, &self.report)),
            (PathBuf::from(RECORD), self.report.record()),
            (PathBuf::from(HISTORY), self.history.text()),
        ]
    }

    /// The API as a release had it.
    pub fn at(&self, release: Release) -> Api {
        at(&self.api, &self.history, release)
    }
}

/// The releases that the documents cover.
pub(crate) struct Span {
    newest: Option<Release>,
}

impl Span {
    /// The last release of an element that was last seen in `release`: `None` if the newest release
    /// still has it.
    fn until(&self, release: Option<Release>) -> Option<Release> {
        release.filter(|_| release != self.newest)
    }
}

/// Merges documents of any number of releases.
///
/// If field facts or descriptors are among them, the documents describe the API completely. If they
/// are OpenAPI only (a user's document, or that of a running cluster), they update the `known` API,
/// which keeps what OpenAPI does not contain: protobuf numbers, the order of fields, pointer or
/// value.
///
/// If `documents` is the whole archive (field facts, and documents of the oldest release and of one that has all
/// corrections), every named correction and widening must apply.
///
/// # Errors
/// Named rules that no longer apply, and fields whose type changed without a rule for it.
pub fn build(documents: Vec<Document>, known: &Api) -> Result<Archive, Vec<String>> {
    let full = documents.iter().any(|document| document.form != Form::OpenApi);
    let whole = is_whole(&documents);
    let span = Span { newest: documents.iter().filter_map(|document| document.release).max() };
    let operations = resources::collect(&documents);
    let discovered = discovery::collect(&documents);
    let mut report = Report::default();
    let mut sightings = sightings::collect(documents);
    corrections::correct(&mut sightings, &mut report);
    let mut api = merge::merge(&sightings, &span, &mut report);
    let named = resources::named_kinds(&operations);
    kinds::mark(&mut api, &Api::default(), &sightings, &named, &span, &mut report);
    resources::assign(&mut api, &operations, &mut report);
    discovery::assign(&mut api, &discovered);
    discovery::preferred(&discovered, &mut report);
    resources::from_siblings(&mut api, &mut report);
    kinds::travelling(&mut api);
    corrections::add(&mut api, &mut report);
    kinds::register_everywhere(&mut api, whole);
    prune(&mut api, whole, &mut report);
    versions(&mut api, &span);
    kinds::unique(&api, &mut report);
    report.finish(whole && span.newest >= Some(CORRECTED))?;
    if !full {
        api = overlay::overlay(known.clone(), api);
    }
    merge::drop_empty_defaults(&mut api);
    let history = history::observed(&api, &sightings, &operations, &discovered, &report);
    Ok(Archive { api, report, history, full })
}

/// The first release that published its API.
const OLDEST: Release = Release::new(1, 7);
/// The newest release that a correction or a widening is about: without its documents some of them do not apply.
const CORRECTED: Release = Release::new(1, 35);

/// Whether the documents are the whole archive up to some release: every form of document of that release, and the
/// oldest one.
fn is_whole(documents: &[Document]) -> bool {
    let has = |form, release| {
        documents.iter().any(|document| document.form == form && document.release == Some(release))
    };
    let newest = documents.iter().filter_map(|document| document.release).max();
    has(Form::OpenApi, OLDEST)
        && newest.is_some_and(|newest| {
            [Form::OpenApi, Form::FieldFacts, Form::Descriptors].iter().all(|form| has(*form, newest))
        })
}

/// Removes the types of Kubernetes that no kind refers to: those that occur only inside other
/// types' JSON, and helpers of the implementation.
fn prune(api: &mut Api, whole: bool, report: &mut Report) {
    if !whole {
        return;
    }
    let reached = reached(api, |ty| ty.kind.is_some() || corrections::in_annotation(&ty.id));
    for version in api.versions.values_mut() {
        version.types.retain(|_, ty| {
            let keep = reached.contains(&ty.id);
            if !keep {
                report.unreached.insert(ty.id.clone(), ty.since);
            }
            keep
        });
    }
    api.versions.retain(|_, version| !version.types.is_empty());
    // A kind may refer to what none referred to in older releases.
    report.unreached.retain(|id, _| api.find(id).is_none());
}

/// These types, and all that their fields refer to.
fn reached(api: &Api, is_root: impl Fn(&Type) -> bool) -> BTreeSet<TypeId> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<TypeId> = api.types().filter(|ty| is_root(ty)).map(|ty| ty.id.clone()).collect();
    while let Some(id) = open.pop() {
        let Some(ty) = api.find(&id) else { continue };
        let inner: Vec<_> = ty.fields().iter().filter_map(|field| field.ty.named().cloned()).collect();
        if reached.insert(id) {
            open.extend(inner);
        }
    }
    reached
}

/// Sets the first and last release of each group version: those in which a server offered one of
/// its kinds.
fn versions(api: &mut Api, span: &Span) {
    let mut whole: BTreeMap<GroupVersion, Version> = std::mem::take(&mut api.versions);
    for version in whole.values_mut() {
        let ranges = |resources: bool| -> Vec<(Option<Release>, Option<Release>)> {
            let kinds = version.types.values().filter_map(|ty| ty.kind.as_ref());
            let kinds = kinds.filter(|kind| !resources || kind.resource.is_some());
            kinds.map(|kind| (kind.since, kind.until)).collect()
        };
        let mut ranges = if ranges(true).is_empty() { ranges(false) } else { ranges(true) };
        if ranges.is_empty() {
            ranges = version.types.values().map(|ty| (ty.since, ty.until)).collect();
        }
        version.since = ranges.iter().filter_map(|(since, _)| *since).min();
        let last = ranges.iter().map(|(_, until)| until.or(span.newest)).max().flatten();
        version.until = span.until(last);
    }
    api.versions = whole;
}
