//! What is known about a kind, for people and as JSON.

use std::sync::Arc;

use hubgen_kubernetes::machinery::reflect::Words;
use hubgen_kubernetes::machinery::scheme::{
    Behaviour, Conversion, Generation, GroupPriority, KindEntry, NameForm, Resource,
};
use serde_json::{Map, Value, json};

use crate::find::Versions;
use hubgen_migrate::{Known, is_of_repository};

/// What is known about a kind.
pub struct Facts<'a> {
    /// The kind at the version that the others convert through.
    pub home: &'a Arc<KindEntry>,
    /// The kind at the version at which objects are stored.
    stored: &'a Arc<KindEntry>,
    /// The kind at all versions, the oldest first.
    pub versions: Versions<'a>,
    /// What the keys of stored objects begin with.
    pub keys: String,
    pub priority: Option<&'a GroupPriority>,
}

impl<'a> Facts<'a> {
    pub fn new(known: &'a Known, versions: Versions<'a>) -> Self {
        let scheme = &known.scheme;
        let last = versions[versions.len() - 1];
        let (group, version, kind) = last.storage();
        let home = scheme.kind(group, version, kind).unwrap_or(last);
        let stored = known.stored_at(last).unwrap_or(home);
        Self {
            home,
            stored,
            keys: scheme.storage_prefix(home),
            priority: scheme.priority(&home.group),
            versions,
        }
    }

    /// How a server offers it; `None` for kinds that only occur in requests and answers.
    pub fn resource(&self) -> Option<&'a Resource> {
        self.home.resource.as_ref()
    }

    /// Whether a server stores its objects. Those of reviews are questions, which it answers.
    pub fn is_stored(&self) -> bool {
        self.resource().is_some_and(|resource| resource.verbs.contains("get"))
    }

    /// Whether a server stores its objects at this version.
    pub fn is_stored_at(&self, version: &KindEntry) -> bool {
        self.is_stored() && version.parts() == self.stored.parts()
    }

    pub fn behaviour(&self) -> &'a Behaviour {
        &self.home.behaviour
    }

    /// The file with what is not usual about the kind; `None` if everything is.
    pub fn file(&self) -> Option<String> {
        let is_special = self.versions.iter().any(|version| version.behaviour != Behaviour::default());
        // Those of a repository are in its own folder of schemas, or in definitions.
        let is_known = is_special && !is_of_repository(self.home);
        let group = if self.home.group.is_empty() { "core" } else { &self.home.group };
        is_known.then(|| format!("schemas/kubernetes/behaviour/{group}.toml"))
    }

    /// The object that `--json` prints.
    pub fn json(&self) -> Value {
        let (home, behaviour) = (self.home, self.behaviour());
        let resource = self.resource();
        let priorities = self.priority.into_iter().flat_map(|priority| &priority.versions);
        let priorities: Map<String, Value> =
            priorities.map(|(version, number)| (version.to_string(), json!(number))).collect();
        json!({
            "group": &*home.group,
            "kind": &*home.kind,
            "plural": resource.map(|resource| &*resource.plural),
            "singular": resource.map(|resource| &*resource.singular),
            "short_names": resource.map(|resource| words(&resource.short_names)),
            "categories": resource.map(|resource| words(&resource.categories)),
            "namespaced": resource.map(|resource| resource.namespaced),
            "keys": self.is_stored().then_some(&self.keys),
            "versions": self.versions.iter().map(|entry| self.version(entry)).collect::<Vec<_>>(),
            "names": name_form(behaviour.names),
            "generation": generation(self),
            "generation_counts": words(&behaviour.generation_metadata),
            "status_takes": words(&behaviour.status_metadata),
            "keeps_status_on_creation": behaviour.keeps_status_on_creation,
            "time_to_live_seconds": behaviour.time_to_live.map(|time| time.as_secs()),
            "priority": self.priority.and_then(|priority| priority.group),
            "version_priorities": priorities,
            "file": self.file(),
        })
    }

    fn version(&self, entry: &KindEntry) -> Value {
        let resource = entry.resource.as_ref();
        let subresources = resource.into_iter().flat_map(|resource| &resource.subresources);
        let fields = entry.behaviour.selectable_fields.iter().flatten();
        json!({
            "version": entry.api_version(),
            "since": entry.since.as_deref(),
            "until": entry.until.as_deref(),
            "hub": entry.parts() == self.home.parts(),
            "stored": self.is_stored_at(entry),
            "converts": !matches!(entry.conversion, Conversion::NotConvertible(_)),
            "verbs": resource.map(|resource| words(&resource.verbs)),
            "subresources": subresources.map(|part| json!({
                "name": &*part.name,
                "kind": part.kind.as_ref().map(|kind| {
                    let (group, version, kind) = kind.parts();
                    if group.is_empty() { format!("{version} {kind}") } else { format!("{group}/{version} {kind}") }
                }),
                "verbs": words(&part.verbs),
            })).collect::<Vec<_>>(),
            "selectable_fields": fields.map(|field| json!({
                "name": &*field.name,
                "paths": field.paths().collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "never_owner": entry.behaviour.is_never_owner,
            "orphans_dependents": entry.behaviour.orphans_dependents,
            "deprecation_warning": entry.deprecation_warning((u32::MAX, 0)),
            "columns": entry.columns.columns.iter().map(|column| json!({
                "name": &*column.name,
                "type": &*column.ty,
                "format": &*column.format,
                "priority": column.priority,
            })).collect::<Vec<_>>(),
        })
    }
}

fn words(words: &Words) -> Vec<&str> {
    words.iter().collect()
}

/// The syntax of names, as files of behaviour write it.
fn name_form(form: NameForm) -> &'static str {
    match form {
        NameForm::Subdomain => "subdomain",
        NameForm::Label => "label",
        NameForm::Label1035 => "label-1035",
        NameForm::PathSegment => "path-segment",
    }
}

/// Whether changes are counted: `counted`, `fixed` or `none`.
pub fn generation(facts: &Facts<'_>) -> &'static str {
    match facts.behaviour().generation {
        Generation::OfSpec if facts.home.object().position("spec").is_none() => "none",
        Generation::OfSpec | Generation::Counted => "counted",
        Generation::Fixed => "fixed",
        Generation::None => "none",
    }
}
