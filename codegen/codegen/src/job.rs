//! Generates into a folder, or compares with it, and describes the result.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use hubgen_documents::Diagnostic;
use hubgen_documents::schema::Carried;
use serde_json::{Map, Value};

use crate::generate::{Summary, generate};
use crate::output;
use crate::target::Target;

/// What is generated, and into which folder.
pub struct Job<'a> {
    /// The folder of schemas, rules and defaults.
    pub schemas: &'a Path,
    /// Where types are found that the schemas refer to and do not define.
    pub carried: &'a Carried<'a>,
    /// What the code is generated for.
    pub target: &'a Target,
    /// The folder of generated code.
    pub out: &'a Path,
}

/// What a job did, or would do.
pub struct Done {
    /// Counts, and how long each stage took.
    pub summary: Summary,
    /// The number of generated files.
    pub files: usize,
    /// How many of them were written or, where nothing was written, differ.
    pub changed: usize,
    /// The crates that the code needs besides the machinery, each with its features.
    pub crates: BTreeMap<String, BTreeSet<String>>,
    /// What people may want to look at.
    pub warnings: Vec<Diagnostic>,
    /// The differences, where nothing was written.
    pub diff: String,
    is_check: bool,
}

impl Job<'_> {
    /// Writes the files that change, or compares only, if `is_check`.
    ///
    /// # Errors
    /// All errors in schemas, rules and defaults, and what [`output::compare`] refuses. Nothing is
    /// written then.
    pub fn run(&self, is_check: bool) -> Result<Done, Vec<Diagnostic>> {
        let mut generated = generate(self.schemas, self.carried, self.target)?;
        let start = Instant::now();
        let mut summary = std::mem::take(&mut generated.summary);
        let changes = output::compare(&generated, self.target, self.out)?;
        let diff = if is_check { changes.diff() } else { String::new() };
        if !is_check {
            changes.write().map_err(|error| vec![error])?;
        }
        summary.stages.push((if is_check { "compare" } else { "write" }, start.elapsed()));
        let (files, changed) = (generated.files.len(), changes.len());
        let (crates, warnings) = (generated.crates.clone(), generated.warnings.clone());
        Ok(Done { summary, files, changed, crates, warnings, diff, is_check })
    }
}

impl Done {
    /// The error that generated files are not what `inputs` give; `None` if they are, or were written.
    pub fn stale(&self, command: &str, inputs: &str) -> Option<String> {
        let changed = self.changed;
        (self.is_check && changed > 0).then(|| {
            format!("error: {changed} generated file(s) are not what {inputs} give\n  help: run `{command}`")
        })
    }

    /// The result for programs.
    pub fn to_json(&self) -> Value {
        let summary = &self.summary;
        let mut out = Map::new();
        out.insert("ok".into(), (!self.is_check || self.changed == 0).into());
        for (label, count) in counts(summary) {
            out.insert(label.replace(' ', "_"), count.into());
        }
        let reasons =
            summary.not_convertible.iter().map(|(version, reason)| (version.clone(), reason.clone().into()));
        out.insert("reasons".into(), Value::Object(reasons.collect()));
        out.insert("files".into(), self.files.into());
        out.insert("changed".into(), self.changed.into());
        let stages =
            summary.stages.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into()));
        out.insert("seconds".into(), Value::Object(stages.collect()));
        out.into()
    }
}

/// The result for people.
impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { summary, files, changed, is_check, .. } = self;
        let total: Duration = summary.stages.iter().map(|(_, time)| *time).sum();
        let verb = if *is_check { "differ" } else { "written" };
        for (label, count) in counts(summary) {
            writeln!(f, "{label:<20}{count:>6}")?;
        }
        for (kind, versions) in by_kind(&summary.not_convertible) {
            writeln!(f, "  {kind}: {}", versions.join(", "))?;
        }
        if !summary.not_convertible.is_empty() {
            writeln!(f, "  CONVERSIONS.md, beside the code, has the reasons")?;
        }
        writeln!(f, "{:<20}{files:>6}  ({changed} {verb})", "files")?;
        let stages: Vec<String> =
            summary.stages.iter().map(|(name, time)| format!("{name} {}", seconds(*time))).collect();
        writeln!(f, "{:<20}{:>6}  ({})", "time", seconds(total), stages.join(", "))
    }
}

/// Versions that do not convert, by their kinds: `Widget.example.com`.
fn by_kind(versions: &[(String, String)]) -> BTreeMap<String, Vec<&str>> {
    let mut out: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (version, _) in versions {
        // `example.com/v1 Widget`, or `v1 Pod`.
        let (version, kind) = version.split_once(' ').unwrap_or((version, ""));
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        out.entry(kind).or_default().push(version);
    }
    out
}

fn seconds(time: Duration) -> String {
    format!("{:.2}s", time.as_secs_f64())
}

fn counts(summary: &Summary) -> [(&'static str, usize); 10] {
    [
        ("groups", summary.groups),
        ("group versions", summary.group_versions),
        ("kinds", summary.kinds),
        ("types", summary.types),
        ("types shared", summary.types_shared),
        ("hubs shared", summary.hubs_shared),
        ("hubs of their own", summary.hubs_own),
        ("conversions", summary.conversions),
        ("lossy", summary.lossy),
        ("not convertible", summary.not_convertible.len()),
    ]
}
