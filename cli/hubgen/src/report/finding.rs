//! What the report finds.

use std::fmt;

use hubgen_cluster::{By, Written};
use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::{Lifecycle, Note, named};
use hubgen_model::Release;
use hubgen_terminal::Severity;
use serde_json::Value;

use super::edits::Edit;

/// What is wrong with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The target does not serve its version, but another one of its kind.
    RemovedVersion,
    /// The target serves no version of its kind.
    RemovedKind,
    /// Only releases after the target serve its version.
    LaterVersion,
    /// No release had its kind at its version.
    UnknownVersion,
    /// The target serves its version only where it is enabled.
    DisabledVersion,
    /// The target serves its version, and tells clients to use something else.
    DeprecatedVersion,
    /// A field or a text names a version that the target does not serve.
    OldReference,
    /// Custom resources may be stored at a version that their definition does not serve.
    StoredVersion,
}

impl Rule {
    pub const ALL: [Self; 8] = [
        Self::RemovedVersion,
        Self::RemovedKind,
        Self::LaterVersion,
        Self::UnknownVersion,
        Self::DisabledVersion,
        Self::DeprecatedVersion,
        Self::OldReference,
        Self::StoredVersion,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::RemovedVersion => "removed-version",
            Self::RemovedKind => "removed-kind",
            Self::LaterVersion => "later-version",
            Self::UnknownVersion => "unknown-version",
            Self::DisabledVersion => "disabled-version",
            Self::DeprecatedVersion => "deprecated-version",
            Self::OldReference => "old-reference",
            Self::StoredVersion => "stored-version",
        }
    }

    /// An error if the target refuses the object, or a tool that uses it fails; a warning if it works, and somebody should look at it.
    pub fn level(self) -> Severity {
        match self {
            Self::RemovedVersion | Self::RemovedKind | Self::LaterVersion | Self::UnknownVersion => {
                Severity::Error
            }
            Self::DisabledVersion | Self::DeprecatedVersion | Self::OldReference | Self::StoredVersion => {
                Severity::Warning
            }
        }
    }

    /// What the rule finds, in a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::RemovedVersion => {
                "The target release does not serve the version of the object, but another one of its kind."
            }
            Self::RemovedKind => "The target release serves no version of the kind.",
            Self::LaterVersion => "Only releases after the target serve the version of the object.",
            Self::UnknownVersion => "No release of Kubernetes had the kind of the object at its version.",
            Self::DisabledVersion => {
                "The target release serves the version of the object only where it is enabled (--runtime-config)."
            }
            Self::DeprecatedVersion => {
                "The target release serves the version of the object, and tells clients to use something else."
            }
            Self::OldReference => "A field or a text names a version that the target release does not serve.",
            Self::StoredVersion => {
                "Custom resources may be stored at a version that their definition does not serve."
            }
        }
    }

    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::RemovedVersion | Self::LaterVersion | Self::DisabledVersion | Self::DeprecatedVersion => {
                "Convert the object with `hubgen convert`."
            }
            Self::RemovedKind => "Remove the object, and use what took its place.",
            Self::UnknownVersion => "Correct the version, or the kind.",
            Self::OldReference => "Change it by hand.",
            Self::StoredVersion => {
                "Write each object once more without a change, and remove the version from status.storedVersions."
            }
        }
    }
}

/// Where something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named; empty for a cluster.
    pub file: String,
    /// Line and column in the file, from 1; 0 where that is not known.
    pub line: u32,
    pub column: u32,
    /// The place inside of what is at the line: a release of Helm and a line in it, or the object of a cluster.
    pub within: String,
    /// The path in the document.
    pub path: String,
}

/// Who wrote an object of a cluster at an old version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    /// The name of the field manager.
    pub by: String,
    /// `Apply` or `Update`; empty where that is not known.
    pub operation: String,
    /// The subresource that was written; empty for the object itself.
    pub subresource: String,
    /// When, as the cluster tells it; empty where it does not.
    pub time: String,
}

impl From<&Written> for Writer {
    fn from(written: &Written) -> Self {
        match &written.by {
            By::Manager { name, operation, subresource, time } => Self {
                by: name.clone(),
                operation: operation.clone(),
                subresource: subresource.clone(),
                time: time.clone().unwrap_or_default(),
            },
            // The annotation tells no more.
            By::LastApplied { .. } => Self { by: "kubectl apply".to_owned(), ..Self::default() },
        }
    }
}

impl fmt::Display for Writer {
    /// `helm (Update of status, 2026-11-03T09:14:00Z)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, operation, subresource, time } = self;
        let of = if subresource.is_empty() { "" } else { " of " };
        let comma = if operation.is_empty() || time.is_empty() { "" } else { ", " };
        let details = format!("{operation}{of}{subresource}{comma}{time}");
        match &*details {
            "" => f.write_str(by),
            details => write!(f, "{by} ({details})"),
        }
    }
}

/// A kind at a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub api_version: String,
    pub kind: String,
}

impl From<&KindEntry> for Kind {
    fn from(entry: &KindEntry) -> Self {
        Self { api_version: entry.api_version(), kind: entry.kind.to_string() }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)
    }
}

/// Something that needs work before the target release.
pub struct Finding {
    pub rule: Rule,
    pub place: Place,
    /// The kind at the version that is found.
    pub of: Kind,
    /// Namespace and name of the object; empty where it has none.
    pub namespace: String,
    pub name: String,
    /// What releases did with it; empty for kinds that are not Kubernetes' own.
    pub lifecycle: Lifecycle,
    /// The version that the target serves, if there is one.
    pub to: Option<Kind>,
    /// Whether the target serves that only where it is enabled.
    pub to_is_disabled: bool,
    /// What to use instead, if there is no such version.
    pub instead: String,
    /// Who wrote it; `None` for what is in files.
    pub written: Option<Writer>,
    /// Whether only a rollback needs it, or somebody else has written the object since at a version that is served.
    pub is_history: bool,
    /// What converting it changes.
    pub edits: Vec<Edit>,
    /// Why it cannot be converted; empty if it can, or if there is nothing to convert.
    pub problems: Vec<Note>,
}

impl Finding {
    /// Of a kind at a version, at a place, and nothing more.
    pub fn new(rule: Rule, of: Kind, place: Place) -> Self {
        Self {
            rule,
            place,
            of,
            namespace: String::new(),
            name: String::new(),
            lifecycle: Lifecycle::default(),
            to: None,
            to_is_disabled: false,
            instead: String::new(),
            written: None,
            is_history: false,
            edits: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The finding about an object that somebody wrote.
    pub fn by(self, written: &Written, object: &Value) -> Self {
        let (namespace, name) = names(object);
        Self { namespace, name, written: Some(Writer::from(written)), ..self }
    }

    pub fn level(&self) -> Severity {
        if self.is_history { Severity::Warning } else { self.rule.level() }
    }

    /// The object as messages name it: `apps/v1 Deployment default/web`.
    pub fn object(&self) -> String {
        named(&self.of, &self.namespace, &self.name)
    }

    /// Since when the version is gone, deprecated, or there.
    pub fn when(&self) -> String {
        let Lifecycle { since, deprecated, removed, .. } = self.lifecycle;
        let told = |words: &str, release: Option<Release>| {
            release.map_or(String::new(), |release| format!("{words} {release}"))
        };
        let or = |told: String, other: &str| if told.is_empty() { other.to_owned() } else { told };
        match self.rule {
            Rule::RemovedVersion | Rule::RemovedKind | Rule::OldReference => {
                or(told("not served since", removed), "its definition does not serve it")
            }
            Rule::LaterVersion => told("served since", since),
            Rule::UnknownVersion => "no release had this kind at this version".to_owned(),
            Rule::DisabledVersion => {
                format!("served only where it is enabled{}", told(", to be removed in", removed))
            }
            Rule::DeprecatedVersion => {
                let deprecated = or(told("deprecated since", deprecated), "its definition deprecates it");
                format!("{deprecated}{}", told(", to be removed in", removed))
            }
            Rule::StoredVersion => {
                "objects may be stored at it, and the definition does not serve it".to_owned()
            }
        }
    }

    /// What it becomes, or what to use instead; empty if nothing is known.
    pub fn becomes(&self) -> String {
        match &self.to {
            Some(to) => to.to_string(),
            None => self.instead.clone(),
        }
    }
}

/// Namespace and name of an object.
pub fn names(object: &Value) -> (String, String) {
    let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
    (text("namespace"), text("name"))
}
