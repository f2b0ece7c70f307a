//! Reads what a server does with the objects of kinds from TOML into the model, and checks it
//! against the kinds. Reports all errors, not only the first.

mod read;
mod resolve;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use hubgen_model::GroupVersion;
use hubgen_model::behaviour::{Deprecation, Generation, NameForm, Priority, SelectableField};
use hubgen_model::rules::At;

use crate::folder::toml_files;
use crate::{Diagnostic, Source};

/// The name of the folder, in the folder of the schemas.
pub const FOLDER: &str = "behaviour";

/// The fields of `metadata` that clients own.
const METADATA: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];

/// The facts in the files of a folder, not yet checked against kinds.
#[derive(Debug, Default)]
pub struct Documents(Vec<Document>);

/// One file: the facts about a group and its kinds.
#[derive(Debug)]
struct Document {
    source: Source,
    /// The group; `core` for the core group.
    group: String,
    priority: Option<At<Priority>>,
    /// The positions of the versions of `priority`.
    versions: Vec<Range<usize>>,
    kinds: Vec<KindFacts>,
}

/// The facts about a kind.
#[derive(Debug)]
struct KindFacts {
    name: At<String>,
    /// About all versions.
    facts: Vec<At<Fact>>,
    /// About one version each.
    versions: Vec<(At<GroupVersion>, Vec<At<Fact>>)>,
}

/// One line about a kind.
#[derive(Debug)]
enum Fact {
    Names(NameForm),
    Generation(Generation),
    GenerationCounts(Vec<At<String>>),
    StatusTakes(Vec<At<String>>),
    KeepsStatusOnCreation,
    SelectableFields(Vec<At<SelectableField>>),
    TimeToLive(Duration),
    NeverOwner,
    OrphansDependents,
    StoredAs(String),
    StoredSeparately,
    Deprecated(At<Deprecation>),
}

impl Fact {
    /// The keys of a kind's table.
    const KEYS: [&str; 12] = [
        "names",
        "generation",
        "generation-counts",
        "status-takes",
        "keeps-status-on-creation",
        SELECTABLE_FIELDS,
        "time-to-live-seconds",
        NEVER_OWNER,
        ORPHANS,
        "stored-as",
        "stored-separately",
        DEPRECATED,
    ];
    /// The keys of a version's table: what clients see of a version. Objects are stored once for all
    /// versions.
    const OF_VERSIONS: [&str; 4] = [SELECTABLE_FIELDS, NEVER_OWNER, ORPHANS, DEPRECATED];

    /// The key of the line.
    fn key(&self) -> &'static str {
        match self {
            Self::Names(_) => "names",
            Self::Generation(_) => "generation",
            Self::GenerationCounts(_) => "generation-counts",
            Self::StatusTakes(_) => "status-takes",
            Self::KeepsStatusOnCreation => "keeps-status-on-creation",
            Self::SelectableFields(_) => SELECTABLE_FIELDS,
            Self::TimeToLive(_) => "time-to-live-seconds",
            Self::NeverOwner => NEVER_OWNER,
            Self::OrphansDependents => ORPHANS,
            Self::StoredAs(_) => "stored-as",
            Self::StoredSeparately => "stored-separately",
            Self::Deprecated(_) => DEPRECATED,
        }
    }
}

const SELECTABLE_FIELDS: &str = "selectable-fields";
const NEVER_OWNER: &str = "never-owner";
const ORPHANS: &str = "orphans-dependents";
const DEPRECATED: &str = "deprecated";

/// Reads every `<group>.toml` of a folder. A folder that does not exist contains no facts.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(folder: &Path) -> Result<Documents, Vec<Diagnostic>> {
    let mut documents = Documents::default();
    let mut errors = Vec::new();
    for source in toml_files(folder)? {
        documents.0.push(read::document(source, &mut errors));
    }
    in_order(&mut errors);
    if errors.is_empty() { Ok(documents) } else { Err(errors) }
}

/// Sorts errors by files and lines.
fn in_order(errors: &mut [Diagnostic]) {
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
}
