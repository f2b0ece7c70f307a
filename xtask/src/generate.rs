//! `cargo xtask generate`: from `schemas/` to `generated/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fs, io};

use hubgen_codegen::{Generated, Summary, generate};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail with a diff where the tree differs.
    #[arg(long)]
    check: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    /// Where the schemas are.
    #[arg(long, default_value = "schemas/kubernetes")]
    schemas: PathBuf,
    /// Where the crates go.
    #[arg(long, default_value = "generated")]
    out: PathBuf,
}

/// Generates, and writes or compares.
pub fn run(args: &Args) -> ExitCode {
    let Generated { files, mut summary } = match generate(&args.schemas) {
        Ok(generated) => generated,
        Err(diagnostics) => {
            let count = diagnostics.len();
            for diagnostic in diagnostics {
                eprintln!("{:?}", miette::Report::new(diagnostic));
            }
            eprintln!("{count} error(s); nothing was written");
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let result = Tree::read(&args.out).and_then(|tree| {
        let changes = tree.compare(&files);
        if args.check {
            print_diff(&args.out, &changes);
        } else {
            write(&args.out, &changes)?;
        }
        Ok(changes.len())
    });
    let changed = match result {
        Ok(changed) => changed,
        Err(error) => {
            eprintln!("{}: {error}", args.out.display());
            return ExitCode::FAILURE;
        }
    };
    summary.stages.push((if args.check { "compare" } else { "write" }, start.elapsed()));
    if args.json {
        println!("{}", to_json(&summary, files.len(), changed));
    } else {
        print!("{}", to_text(&summary, files.len(), changed, args.check));
    }
    if args.check && changed > 0 {
        eprintln!("{changed} file(s) differ from what the schemas say; run `cargo xtask generate`");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The files that are there.
struct Tree(BTreeMap<PathBuf, String>);

/// A file that has to change.
struct Change<'a> {
    path: PathBuf,
    old: Option<String>,
    new: Option<&'a str>,
}

impl Tree {
    fn read(root: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else {
                    let path = entry.path().strip_prefix(root).map_err(io::Error::other)?.to_path_buf();
                    // What is not text was not generated; it differs.
                    let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
                    files.insert(path, text);
                }
            }
        }
        Ok(Self(files))
    }

    fn compare<'a>(self, wanted: &'a BTreeMap<PathBuf, String>) -> Vec<Change<'a>> {
        let Self(mut there) = self;
        let paths: BTreeSet<PathBuf> = there.keys().chain(wanted.keys()).cloned().collect();
        paths
            .into_iter()
            .filter_map(|path| {
                let old = there.remove(&path);
                let new = wanted.get(&path).map(String::as_str);
                (old.as_deref() != new).then_some(Change { path, old, new })
            })
            .collect()
    }
}

/// Each file is replaced as a whole, so that an interrupted run leaves whole
/// files and the next one completes them.
fn write(root: &Path, changes: &[Change<'_>]) -> io::Result<()> {
    for change in changes {
        let path = root.join(&change.path);
        match change.new {
            Some(text) => {
                let folder = path.parent().ok_or_else(|| io::Error::other("a file without a folder"))?;
                fs::create_dir_all(folder)?;
                let part = path.with_extension("part");
                fs::write(&part, text)?;
                fs::rename(&part, &path)?;
            }
            None => {
                fs::remove_file(&path)?;
                // Folders that are empty now go too.
                let mut folder = path.parent();
                while let Some(empty) = folder.filter(|folder| *folder != root) {
                    if fs::remove_dir(empty).is_err() {
                        break;
                    }
                    folder = empty.parent();
                }
            }
        }
    }
    Ok(())
}

fn print_diff(root: &Path, changes: &[Change<'_>]) {
    for change in changes {
        let path = root.join(&change.path);
        let (old, new) = (change.old.as_deref().unwrap_or_default(), change.new.unwrap_or_default());
        let diff = similar::TextDiff::from_lines(old, new);
        let from = if change.old.is_some() { path.display().to_string() } else { "/dev/null".to_owned() };
        let to = if change.new.is_some() { path.display().to_string() } else { "/dev/null".to_owned() };
        print!("{}", diff.unified_diff().header(&from, &to));
    }
}

fn to_text(summary: &Summary, files: usize, changed: usize, check: bool) -> String {
    let total: Duration = summary.stages.iter().map(|(_, time)| *time).sum();
    let verb = if check { "differ" } else { "written" };
    let mut out = String::new();
    for (label, count) in counts(summary) {
        out.push_str(&format!("{label:<20}{count:>6}\n"));
    }
    out.push_str(&format!("{:<20}{files:>6}  ({changed} {verb})\n", "files"));
    let stages: Vec<String> = summary.stages.iter().map(|(name, time)| format!("{name} {}", seconds(*time))).collect();
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
        ("pending", summary.pending),
        ("not convertible", summary.not_convertible),
    ]
}

fn to_json(summary: &Summary, files: usize, changed: usize) -> serde_json::Value {
    let mut out = serde_json::Map::new();
    for (label, count) in counts(summary) {
        out.insert(label.replace(' ', "_"), count.into());
    }
    out.insert("files".into(), files.into());
    out.insert("changed".into(), changed.into());
    let stages = summary.stages.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into()));
    out.insert("seconds".into(), serde_json::Value::Object(stages.collect()));
    out.into()
}
