//! The kinds that a program knows: Kubernetes' own, and those of a repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hubgen_codegen::Target;

use hubgen_diagnostic::Diagnostic;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::{Model, SnapshotError, entries, priorities};
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_model::{Api, Definition, GroupVersion, GroupVersionKind, Release};
use hubgen_plan::{Family, How, Plan};
use serde_json::{Map, Value};

/// The kinds that a program knows.
///
/// ```
/// use hubgen_migrate::Known;
///
/// let known = Known::kubernetes();
/// let [old, new] = ["extensions/v1beta1", "apps/v1"].map(|version| known.scheme.named(version, "Deployment").unwrap());
/// assert!(!known.is_served(old) && known.is_served(new));
/// ```
pub struct Known {
    /// All of them.
    pub scheme: Scheme,
    /// Versions of the repository's kinds that no API server serves.
    unserved: BTreeSet<GroupVersionKind>,
    /// Versions of the repository's kinds at which an API server stores objects, as their definitions say.
    stored: BTreeSet<GroupVersionKind>,
}

impl Known {
    /// Kubernetes' own kinds, and those of the repository that a `hubgen.toml` describes.
    ///
    /// # Errors
    /// All errors in the file, the schemas, the source and the rules.
    pub fn new(config: Option<&Path>) -> Result<Self, Vec<Diagnostic>> {
        match config {
            Some(config) => Self::with_functions(config, &Functions::none()),
            None => Ok(Self::kubernetes()),
        }
    }

    /// Kubernetes' own kinds, and those of the repository, whose rules name functions that this program contains.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_functions(config: &Path, functions: &Functions) -> Result<Self, Vec<Diagnostic>> {
        let mut known = Self::kubernetes();
        known.add(&Project::named(config)?, functions)?;
        Ok(known)
    }

    /// Kubernetes' own kinds.
    pub fn kubernetes() -> Self {
        Self { scheme: hubgen_kubernetes::scheme(), unserved: BTreeSet::new(), stored: BTreeSet::new() }
    }

    /// Adds the kinds of a repository.
    fn add(&mut self, project: &Project, functions: &Functions) -> Result<(), Vec<Diagnostic>> {
        let folder = project.root.join(&project.schemas);
        let kubernetes = Carried::new(hubgen_schemas::kubernetes().iter().copied());
        let kinds = hubgen_codegen::kinds(&folder, &kubernetes, &Target::project(project))?;
        let hubgen_codegen::Kinds { api, mut plan, defaults, canonical, behaviours, .. } = kinds;
        let wrong = |message: String, help: &str| vec![Diagnostic::file(&folder, message, help)];
        for family in plan.families.clone() {
            let made = |plan: &Plan, functions: &Functions| {
                let (api, defaults, canonical, behaviours) = (&api, &defaults, &canonical, &behaviours);
                let model = Model { api, plan, defaults, canonical, behaviours, functions, over_json: true };
                entries(model, &family)
            };
            let mut made_entries = made(&plan, functions);
            if let Err(SnapshotError::Functions(_)) = made_entries {
                // Objects that need no function convert.
                made_entries = made(&plan, &functions.clone().without_others());
                if !made_entries.as_ref().is_ok_and(|entries| entries.iter().all(is_undecoded)) {
                    refuse(&mut plan, &family);
                    made_entries = made(&plan, functions);
                }
            }
            for entry in made_entries.map_err(|error| wrong(error.to_string(), ""))? {
                let help = "give the kind another group, which Kubernetes does not have";
                self.scheme.add(entry).map_err(|error| wrong(error.to_string(), help))?;
            }
        }
        for (group, priority) in priorities(&behaviours) {
            self.scheme.set_priority(group, priority);
        }
        self.unserved = defined(&api, |definition| !definition.served).collect();
        self.stored = defined(&api, |definition| definition.storage).collect();
        Ok(())
    }

    /// Whether a document is a list whose items are known.
    pub fn is_list(&self, document: &Value) -> bool {
        let text = |name| document.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let named = |kind| self.scheme.named(api_version, kind).is_some();
        (api_version, kind) == ("v1", "List") || kind.strip_suffix("List").is_some_and(named)
    }

    /// The kind that members of an object name: by `apiVersion` and `kind`, or by `group`, `version` and `kind` as targets of patches
    /// do.
    pub(crate) fn named_by(&self, members: &Map<String, Value>) -> Option<&Arc<KindEntry>> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let kind = text("kind")?;
        match text("apiVersion") {
            Some(api_version) => self.scheme.named(api_version, kind),
            None => self.scheme.kind(text("group").unwrap_or_default(), text("version")?, kind),
        }
    }

    /// Whether an API server serves objects of the kind: the reference release does, or the definition of the
    /// repository tells it to.
    pub fn is_served(&self, entry: &KindEntry) -> bool {
        if is_of_repository(entry) {
            return !self.unserved.contains(&name(entry));
        }
        // Kubernetes' kinds without a known release are too old.
        entry.since.is_some() && entry.until.is_none()
    }

    /// Whether a release of Kubernetes serves the kind at its version, or may be told to serve it if it is not stable; or whether the
    /// definition of the repository tells to serve it.
    pub fn is_served_in(&self, entry: &KindEntry, release: Release) -> bool {
        if is_of_repository(entry) {
            return self.is_served(entry);
        }
        first(entry).is_some_and(|first| first <= release)
            && removed(entry).is_none_or(|removed| release < removed)
    }

    /// The kind at the version at which an API server stores its objects: the one that the definition of the repository
    /// names, or else the hub.
    pub fn stored_at<'a>(&'a self, entry: &'a Arc<KindEntry>) -> Option<&'a Arc<KindEntry>> {
        let (group, version, kind) = entry.storage();
        let mut members = members(&self.scheme, entry);
        let named = members.find(|member| is_of_repository(member) && self.stored.contains(&name(member)));
        named.or_else(|| self.scheme.kind(group, version, kind))
    }
}

/// The kind at every version, itself among them.
pub(crate) fn members<'a>(
    scheme: &'a Scheme,
    entry: &'a Arc<KindEntry>,
) -> impl Iterator<Item = &'a Arc<KindEntry>> {
    let alone = entry.family.is_none().then_some(entry);
    alone.into_iter().chain(entry.family.iter().flat_map(|family| scheme.family(family)))
}

/// The first release that had a kind at its version.
pub(crate) fn first(entry: &KindEntry) -> Option<Release> {
    entry.since.as_deref()?.parse().ok()
}

/// The last release that had a kind at its version; `None` if the newest one has it.
pub(crate) fn last(entry: &KindEntry) -> Option<Release> {
    entry.until.as_deref()?.parse().ok()
}

/// The first release that does not serve a kind at its version, even if it is one to come. The release 1.16 still had kinds that it
/// only served where it was told to: what was announced counts.
pub(crate) fn removed(entry: &KindEntry) -> Option<Release> {
    let after = last(entry).map(|last| Release::new(last.major, last.minor + 1));
    let announced = entry.behaviour.deprecation.as_ref().and_then(|told| release(told.unavailable?));
    after.into_iter().chain(announced).min()
}

/// The release of two numbers.
pub(crate) fn release((major, minor): (u32, u32)) -> Option<Release> {
    Some(Release::new(major.try_into().ok()?, minor.try_into().ok()?))
}

fn name(entry: &KindEntry) -> GroupVersionKind {
    let group_version = GroupVersion { group: entry.group.to_string(), version: entry.version.to_string() };
    GroupVersionKind { group_version, kind: entry.kind.to_string() }
}

/// Whether a kind is the repository's, and not one of Kubernetes' own.
pub fn is_of_repository(entry: &KindEntry) -> bool {
    entry.row.is_none()
}

/// Whether the JSON of a version converts without being decoded. Only then it is certain that an object has no field
/// that a function would read: a typed object does not tell a field without a value from one with zero.
fn is_undecoded(entry: &KindEntry) -> bool {
    match &entry.conversion {
        Conversion::Hub(via_hub) => via_hub.json().is_some() && entry.canonical.is_empty(),
        Conversion::Single | Conversion::NotConvertible(_) => true,
    }
}

/// Objects of the family are read, and do not convert: whether one needs the functions cannot be told.
fn refuse(plan: &mut Plan, family: &Family) {
    for plan in plan.conversions.iter_mut().filter(|plan| plan.family == *family) {
        for member in &mut plan.members {
            let reason = "its rules name functions of the repository's own code, which only its own programs can call; \
                          convert such objects there, with `Scheme::convert_json`";
            member.how = How::NotConvertible(reason.to_owned());
        }
    }
}

/// The versions of kinds whose definitions specify something.
fn defined(api: &Api, specifies: fn(&Definition) -> bool) -> impl Iterator<Item = GroupVersionKind> {
    api.own_types().filter_map(|ty| ty.kind.as_ref()).flat_map(move |kind| {
        let is_it = kind.definition.as_ref().is_some_and(|definition| specifies(definition));
        kind.registered.iter().filter(move |_| is_it).cloned()
    })
}
