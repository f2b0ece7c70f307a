//! `cargo xtask generate`: from `schemas/` to `generated/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fs, io};

use hubgen_codegen::{Generated, Summary, generate};
use hubgen_terminal::{Diagnostic, FAILURE, Messages};

use crate::report::failed;

/// Write the generated crates from the schemas.
///
/// Reads schemas, conversion rules and defaults, and writes one crate for each API group. Only files that
/// change are written. Errors point to the file, line and column; nothing is written then.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Write what changed in the schemas or in the generator:
    cargo xtask generate
  Compare only, as CI does; print the difference:
    cargo xtask generate --check
  Count kinds, types and conversions:
    cargo xtask generate --check --json

JSON (--json):
  {\"ok\": true, \"groups\": N, \"group_versions\": N, \"kinds\": N, \"types\": N, \"types_shared\": N,
   \"hubs_shared\": N, \"hubs_of_their_own\": N, \"conversions\": N, \"lossy\": N, \"not_convertible\": N,
   \"reasons\": {VERSION: TEXT}, \"files\": N, \"changed\": N, \"seconds\": {STAGE: N}}
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  the schemas have errors, or --check found a difference
  2  wrong arguments")]
pub struct Args {
    /// Write nothing; print a diff and fail if the generated files are not what the schemas give
    #[arg(long)]
    check: bool,
    /// Print the result as JSON; the diff goes to standard error
    #[arg(long)]
    json: bool,
    /// The folder of the schemas
    #[arg(long, value_name = "DIR", default_value = "schemas/kubernetes")]
    schemas: PathBuf,
    /// The folder of the generated crates
    #[arg(long, value_name = "DIR", default_value = "generated")]
    out: PathBuf,
}

/// Generates, and writes or compares.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    let Generated { files, mut summary } = match generate(&args.schemas) {
        Ok(generated) => generated,
        Err(diagnostics) => return failed(&mut messages, &diagnostics),
    };
    let start = Instant::now();
    let changes = match Tree::read(&args.out).and_then(|tree| tree.compare(&files)) {
        Ok(changes) => changes,
        Err(diagnostics) => return failed(&mut messages, &diagnostics),
    };
    if args.check {
        let diff = diff(&args.out, &changes);
        // With `--json`, nothing but JSON is on standard output.
        if args.json { eprint!("{diff}") } else { print!("{diff}") }
    } else if let Err(diagnostic) = write(&args.out, &changes) {
        return failed(&mut messages, &[diagnostic]);
    }
    let changed = changes.len();
    summary.stages.push((if args.check { "compare" } else { "write" }, start.elapsed()));
    let is_stale = args.check && changed > 0;
    if args.json {
        println!("{}", to_json(&summary, files.len(), changed, !is_stale));
    } else {
        print!("{}", to_text(&summary, files.len(), changed, args.check));
    }
    if is_stale {
        eprintln!(
            "error: {changed} generated file(s) are not what the schemas give\n  help: run `cargo xtask generate`"
        );
        return ExitCode::from(FAILURE);
    }
    ExitCode::SUCCESS
}

/// The files of a folder.
struct Tree {
    root: PathBuf,
    files: BTreeMap<PathBuf, String>,
}

/// A file that has to change.
struct Change<'a> {
    path: PathBuf,
    old: Option<String>,
    new: Option<&'a str>,
}

impl Tree {
    fn read(root: &Path) -> Result<Self, Vec<Diagnostic>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
            };
            for entry in entries.map_err(|error| vec![unreadable(&folder, &error)])? {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                // A file that is not text was not generated, and differs in any case.
                let bytes = fs::read(&path).map_err(|error| vec![unreadable(&path, &error)])?;
                let name = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(Self { root: root.to_path_buf(), files })
    }

    /// What has to change.
    ///
    /// # Errors
    /// For each file in the folder that was not generated: generating into the wrong folder must not
    /// delete anything.
    fn compare(self, wanted: &BTreeMap<PathBuf, String>) -> Result<Vec<Change<'_>>, Vec<Diagnostic>> {
        let Self { root, files: mut there } = self;
        let foreign: Vec<Diagnostic> = there
            .iter()
            .filter(|(path, text)| !wanted.contains_key(*path) && !is_generated(path, text))
            .map(|(path, _)| {
                Diagnostic::file(
                    root.join(path),
                    "this file is among generated files, but was not generated",
                    "move it elsewhere, or choose another folder with --out",
                )
            })
            .collect();
        if !foreign.is_empty() {
            return Err(foreign);
        }
        let paths: BTreeSet<PathBuf> = there.keys().chain(wanted.keys()).cloned().collect();
        let changes = paths.into_iter().filter_map(|path| {
            let old = there.remove(&path);
            let new = wanted.get(&path).map(String::as_str);
            (old.as_deref() != new).then_some(Change { path, old, new })
        });
        Ok(changes.collect())
    }
}

/// Whether an earlier run wrote the file, or was interrupted while writing it.
fn is_generated(path: &Path, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.contains("Generated by `cargo xtask generate`") || path.extension().is_some_and(|end| end == PART)
}

/// Files are written with this extension and then renamed.
const PART: &str = "part";

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(
        path,
        format!("cannot be read: {error}"),
        "choose the folder of the generated crates with --out",
    )
}

/// Replaces each file as a whole. An interrupted run leaves only whole files, and the next run
/// writes the others.
fn write(root: &Path, changes: &[Change<'_>]) -> Result<(), Diagnostic> {
    for Change { path, new, .. } in changes {
        let path = root.join(path);
        let done = match new {
            Some(text) => replace(&path, text),
            None => remove(root, &path),
        };
        done.map_err(|error| {
            Diagnostic::file(
                &path,
                format!("cannot be written: {error}"),
                "check permissions and free space, then run it again: it writes the remaining files",
            )
        })?;
    }
    Ok(())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let part = path.with_extension(PART);
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

/// Removes a file, and the folders that are empty without it.
fn remove(root: &Path, path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    let mut folder = path.parent();
    while let Some(empty) = folder.filter(|folder| *folder != root && fs::remove_dir(folder).is_ok()) {
        folder = empty.parent();
    }
    Ok(())
}

fn diff(root: &Path, changes: &[Change<'_>]) -> String {
    let mut out = String::new();
    for Change { path, old, new } in changes {
        let path = root.join(path).display().to_string();
        let name = |text: Option<&str>| if text.is_some() { path.clone() } else { "/dev/null".to_owned() };
        let (from, to) = (name(old.as_deref()), name(*new));
        let diff = similar::TextDiff::from_lines(old.as_deref().unwrap_or_default(), new.unwrap_or_default());
        out.push_str(&diff.unified_diff().header(&from, &to).to_string());
    }
    out
}

fn to_text(summary: &Summary, files: usize, changed: usize, check: bool) -> String {
    let total: Duration = summary.stages.iter().map(|(_, time)| *time).sum();
    let verb = if check { "differ" } else { "written" };
    let mut out = String::new();
    for (label, count) in counts(summary) {
        out.push_str(&format!("{label:<20}{count:>6}\n"));
    }
    for (version, reason) in &summary.not_convertible {
        out.push_str(&format!("  {version}: {reason}\n"));
    }
    out.push_str(&format!("{:<20}{files:>6}  ({changed} {verb})\n", "files"));
    let stages: Vec<String> =
        summary.stages.iter().map(|(name, time)| format!("{name} {}", seconds(*time))).collect();
    out.push_str(&format!("{:<20}{:>6}  ({})\n", "time", seconds(total), stages.join(", ")));
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

fn to_json(summary: &Summary, files: usize, changed: usize, ok: bool) -> serde_json::Value {
    let mut out = serde_json::Map::new();
    out.insert("ok".into(), ok.into());
    for (label, count) in counts(summary) {
        out.insert(label.replace(' ', "_"), count.into());
    }
    let reasons =
        summary.not_convertible.iter().map(|(version, reason)| (version.clone(), reason.clone().into()));
    out.insert("reasons".into(), serde_json::Value::Object(reasons.collect()));
    out.insert("files".into(), files.into());
    out.insert("changed".into(), changed.into());
    let stages = summary.stages.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into()));
    out.insert("seconds".into(), serde_json::Value::Object(stages.collect()));
    out.into()
}
