//! What compiling costs: crates alone, their dependencies compiled before, and
//! from nothing, dependencies included.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Map, json};

use super::{Report, Result, least};
use crate::programs::{Peer, Usage, cargo, compiler, peer, root, run, scratch, time};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How often each crate is compiled in each way
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only crates whose names contain this text, such as `core` or `user`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only this way of compiling
    #[arg(long, value_name = "WAY", value_parser = clap::builder::PossibleValuesParser::new(WAYS.map(|(way, _)| way)))]
    way: Option<String>,
}

const PEER: &str = "k8s-openapi";

/// The release that both sides describe; the peer has newer ones too.
const RELEASE: &str = "v1_35";

/// What a user's crate works with.
const KINDS: [(&str, &str); 10] = [
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("core", "ConfigMap"),
    ("core", "Namespace"),
    ("core", "Pod"),
    ("core", "Secret"),
    ("core", "Service"),
];

/// The ways of compiling: a name, what cargo is told.
const WAYS: [(&str, &[&str]); 3] =
    [("check", &["check"]), ("dev", &["build"]), ("release", &["build", "--release"])];

/// What a cut may take of the peer: a cut, the ways that its bar is for, the ratio, and the bar.
const BARS: [(&str, &[&str], &str, f64); 2] = [
    (EVERYTHING_SERVED, &["release"], "processor", 1.0),
    (WHOLE_ARCHIVE, &["check", "dev", "release"], "clock", 1.4),
];

const EVERYTHING_SERVED: &str = "everything served";
const WHOLE_ARCHIVE: &str = "the whole archive";

/// Compiles both sides of each cut by turns.
pub fn measure(args: &Args) -> Result<Report> {
    let peer = peer(PEER)?;
    let whole = Subject::theirs("whole-k8s-openapi", &peer, None)?;
    // What a user gets who names no features.
    let archive = Subject::ours("archive-hubgen", &["kubernetes"], "default")?;
    let (our_user, their_user) =
        (Subject::our_user("user-hubgen")?, Subject::their_user("user-k8s-openapi", &peer)?);
    let mut cuts = vec![
        Cut {
            name: "core+apps+meta",
            ours: Subject::ours("cut-hubgen", &["core", "apps", "meta"], "v1")?,
            theirs: Subject::theirs("cut-k8s-openapi", &peer, Some(&["core", "apps"]))?,
        },
        Cut {
            name: EVERYTHING_SERVED,
            ours: Subject::ours("whole-hubgen", &["kubernetes"], "current")?,
            theirs: whole.clone(),
        },
        Cut { name: WHOLE_ARCHIVE, ours: archive.clone(), theirs: whole.clone() },
        Cut { name: "a user's ten kinds", ours: our_user.clone(), theirs: their_user.clone() },
        Cut {
            name: "the whole archive, from nothing",
            ours: archive.with_dependencies(),
            theirs: whole.with_dependencies(),
        },
        Cut {
            name: "a user's ten kinds, from nothing",
            ours: our_user.with_dependencies(),
            theirs: their_user.with_dependencies(),
        },
    ];
    if let Some(part) = &args.only {
        let names: Vec<_> = cuts.iter().map(|cut| cut.name).collect();
        let is_whole_name = cuts.iter().any(|cut| cut.name == part);
        cuts.retain(|cut| if is_whole_name { cut.name == part } else { cut.name.contains(part.as_str()) });
        if cuts.is_empty() {
            return Err(format!(
                "--only {part}: expected a part of one of these names: {}",
                names.join(", ")
            ));
        }
    }
    let compiler = compiler()?;
    let mut text = format!("{compiler}\n{PEER} {} ({RELEASE})\n", peer.version);
    let _ = writeln!(
        text,
        "ours over {PEER}'s, least of {} runs by turns; dependencies compiled before, or from nothing\n",
        args.runs
    );
    let _ = writeln!(text, "{:<34}{:<9}{:>10}{:>8}  bar", "", "", "processor", "clock");
    let mut rows = Map::new();
    for cut in &cuts {
        let mut ways = Map::new();
        for (way, arguments) in WAYS {
            if args.way.as_ref().is_some_and(|only| only != way) {
                continue;
            }
            let mut row = compare(cut, arguments, args.runs)?;
            let bar = BARS.iter().find(|(name, ways, ..)| *name == cut.name && ways.contains(&way));
            let verdict = bar.and_then(|(_, _, of, bar)| {
                let held = row[format!("{of}_ratio")].as_f64()? <= *bar;
                row["bar"] = json!({"of": format!("{of}_ratio"), "most": bar, "held": held});
                Some(format!("  {of} {bar} {}", if held { "held" } else { "missed" }))
            });
            let ratio =
                |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
            let line = format!(
                "{:<34}{way:<9}{:>10}{:>8}{}",
                cut.name,
                ratio(row["processor_ratio"].as_f64()),
                ratio(row["clock_ratio"].as_f64()),
                verdict.unwrap_or_default()
            );
            // It takes long: each row is shown when it is there, too.
            eprintln!("{line}");
            let _ = writeln!(text, "{line}");
            ways.insert(way.to_owned(), row);
        }
        rows.insert(cut.name.to_owned(), ways.into());
    }
    let _ = writeln!(
        text,
        "\n{PEER} cannot be compiled in part; its core+apps+meta is its source without the modules of\n\
         other groups, and compiles as it stands. The whole archive of ours is every version since 1.7,\n\
         the default features; the peer's side is one release. From nothing: dependencies included.\n\
         A user's crate reads, copies, compares and writes objects of ten kinds in JSON."
    );
    let json = json!({"compiler": compiler, "peer": {"name": PEER, "version": peer.version, "release": RELEASE}, "cuts": rows});
    Ok(Report { text, json })
}

fn compare(cut: &Cut, way: &[&str], runs: u32) -> Result<serde_json::Value> {
    let sides = [&cut.ours, &cut.theirs];
    // What does not start from nothing needs its dependencies compiled.
    for side in sides.into_iter().filter(|side| !matches!(side.stale, Stale::Everything)) {
        side.compile(way)?;
    }
    let mut usages = [Vec::new(), Vec::new()];
    for _ in 0..runs {
        for (side, usages) in sides.iter().zip(&mut usages) {
            side.make_stale()?;
            usages.push(side.compile(way)?);
        }
    }
    let [ours, theirs] = usages.map(|usages| {
        let wall = least(&usages.iter().map(|usage| usage.wall).collect::<Vec<_>>());
        let processor: Option<Vec<f64>> = usages.iter().map(|usage| usage.processor).collect();
        (processor.map(|runs| least(&runs)), wall)
    });
    Ok(json!({
        "processor_ratio": ours.0.zip(theirs.0).map(|(ours, theirs)| ours / theirs),
        "clock_ratio": ours.1 / theirs.1,
        "ours": {"processor": ours.0, "clock": ours.1},
        "theirs": {"processor": theirs.0, "clock": theirs.1},
    }))
}

/// The same part of the API on both sides.
struct Cut {
    name: &'static str,
    ours: Subject,
    theirs: Subject,
}

/// A package that does nothing but depend on the crates that are measured.
#[derive(Clone)]
struct Subject {
    folder: PathBuf,
    stale: Stale,
}

/// What is compiled anew, and how that is brought about.
#[derive(Clone)]
enum Stale {
    /// By removing what was compiled.
    Clean(Vec<String>),
    /// By touching the root of the source, which leaves alone a build script.
    Touch(PathBuf),
    /// By removing everything that was compiled, dependencies too.
    Everything,
}

impl Subject {
    /// Crates of `generated/`, where they are.
    fn ours(name: &str, groups: &[&str], feature: &str) -> Result<Self> {
        let generated = root().join("generated");
        let dependencies: String = groups
            .iter()
            .map(|group| {
                let path = generated.join(group);
                format!(
                    "hubgen-{group} = {{ path = {path:?}, default-features = false, features = [{feature:?}] }}\n"
                )
            })
            .collect();
        let folder = package(name, &dependencies)?;
        let all = fs::read_dir(&generated).map_err(|error| format!("{}: {error}", generated.display()))?;
        let mut crates: Vec<String> = all
            .filter_map(|entry| entry.ok())
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|group| groups == ["kubernetes"] || groups.contains(&group.as_str()))
            .map(|group| format!("hubgen-{group}"))
            .collect();
        crates.sort();
        Ok(Self { folder, stale: Stale::Clean(crates) })
    }

    /// A copy of the peer's source, with the modules of those groups only.
    fn theirs(name: &str, peer: &Peer, groups: Option<&[&str]>) -> Result<Self> {
        let dependency = format!("{PEER} = {{ path = {PEER:?}, features = [{RELEASE:?}] }}\n");
        let folder = package(name, &dependency)?;
        let copy = folder.join(PEER);
        copy_folder(&peer.source, &copy)?;
        if let Some(groups) = groups {
            let release = copy.join("src").join(RELEASE);
            keep_modules(&release.join("mod.rs"), &["list", "api", "apimachinery"])?;
            keep_modules(&release.join("api/mod.rs"), groups)?;
        }
        Ok(Self { folder, stale: Stale::Touch(copy.join("src/lib.rs")) })
    }

    /// A user's crate over ours.
    fn our_user(name: &str) -> Result<Self> {
        let generated = root().join("generated");
        let mut dependencies = format!("hubgen-machinery = {{ path = {:?} }}\n", root().join("machinery"));
        for group in KINDS.map(|(group, _)| group).into_iter().collect::<BTreeSet<_>>() {
            let path = generated.join(group);
            let _ = writeln!(
                dependencies,
                "hubgen-{group} = {{ path = {path:?}, default-features = false, features = [\"v1\"] }}"
            );
        }
        let source = KINDS.map(|(group, kind)| {
            user(
                kind,
                &format!("hubgen_{group}::v1::{kind}"),
                "hubgen_machinery::json::decode(bytes).unwrap()",
                "hubgen_machinery::json::encode(&object).unwrap()",
            )
        });
        Self::user(name, &dependencies, &source.concat())
    }

    /// The same crate over the peer.
    fn their_user(name: &str, peer: &Peer) -> Result<Self> {
        let dependencies = format!(
            "{PEER} = {{ version = \"={}\", features = [{RELEASE:?}] }}\nserde_json = \"1\"\n",
            peer.version
        );
        let source = KINDS.map(|(group, kind)| {
            user(
                kind,
                &format!("k8s_openapi::api::{group}::v1::{kind}"),
                "serde_json::from_slice(bytes).unwrap()",
                "serde_json::to_vec(&object).unwrap()",
            )
        });
        Self::user(name, &dependencies, &source.concat())
    }

    fn user(name: &str, dependencies: &str, source: &str) -> Result<Self> {
        let folder = package(name, dependencies)?;
        let file = folder.join("src/lib.rs");
        write(&file, source)?;
        Ok(Self { folder, stale: Stale::Touch(file) })
    }

    /// The same package, compiled with all that it depends on.
    fn with_dependencies(&self) -> Self {
        Self { folder: self.folder.clone(), stale: Stale::Everything }
    }

    fn make_stale(&self) -> Result<()> {
        match &self.stale {
            Stale::Clean(crates) => {
                let mut command = self.cargo();
                command.arg("clean").args(crates.iter().flat_map(|name| ["--package", name]));
                run(&mut command)?;
                run(command.arg("--release"))?;
            }
            Stale::Everything => {
                run(self.cargo().arg("clean"))?;
            }
            Stale::Touch(file) => File::options()
                .append(true)
                .open(file)
                .and_then(|file| file.set_modified(SystemTime::now()))
                .map_err(|error| format!("{}: {error}", file.display()))?,
        }
        Ok(())
    }

    fn compile(&self, way: &[&str]) -> Result<Usage> {
        time(self.cargo().args(way))
    }

    fn cargo(&self) -> Command {
        let mut command = cargo();
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            // As dependencies are compiled: whole, and their warnings hidden.
            .env("CARGO_INCREMENTAL", "0");
        command
    }
}

/// A function of a user that does with a kind what users do.
fn user(kind: &str, path: &str, decode: &str, encode: &str) -> String {
    let is_ours = path.starts_with("hubgen");
    format!(
        "pub fn {}(bytes: &[u8], labels: &[(&str, &str)]) -> Option<Vec<u8>> {{
    let mut object: {path} = {decode};
    let before = object.clone();
    let own = labels.iter().map(|(key, value)| (key.to_string(), {value}));
    {labels}.extend(own);
    (object != before).then(|| {encode})
}}

",
        kind.to_lowercase(),
        labels =
            if is_ours { "object.metadata.labels" } else { "object.metadata.labels.get_or_insert_default()" },
        value = if is_ours { "hubgen_machinery::Str::from(*value)" } else { "value.to_string()" },
    )
}

/// Writes a package with those dependencies and the versions that are locked
/// for the other benchmarks.
fn package(name: &str, dependencies: &str) -> Result<PathBuf> {
    let folder = scratch().join("compile").join(name);
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}"
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/lib.rs"), "")?;
    let lock = root().join("benches/Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock")).map_err(|error| format!("{}: {error}", lock.display()))?;
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let failed = |path: &Path, error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let entry = entry.map_err(|error| failed(from, error))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_folder(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(|error| failed(&source, error))?;
        }
    }
    Ok(())
}

/// Takes out the declarations of all modules but these.
fn keep_modules(file: &Path, modules: &[&str]) -> Result<()> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| match line.trim_start_matches("pub ").strip_prefix("mod ") {
            Some(module) => modules.contains(&module.trim_end_matches(';')),
            None => true,
        })
        .collect();
    write(file, &kept.join("\n"))
}
