//! `hubgen init`: a crate with an API of two versions, with which someone can begin.

mod names;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_codegen::{Job, Target};
use hubgen_documents::project::{FILE, Project};
use hubgen_terminal::{Diagnostic, Messages, println};

use self::names::Names;
use crate::crates_from::{Choice, Crates};
use crate::generate::kubernetes;
use crate::{crds, usage};

/// Write a crate with an API of two versions, to begin with.
///
/// The crate contains the types of one kind in Rust, at v1alpha1 and v1, which differ; the code that `hubgen generate`
/// writes for them; the definition that `hubgen crds` writes; tests; and a workflow for CI. Its tests pass. Change the
/// types, and generate again.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Begin an API; `cargo test` in its folder tests it:
    hubgen init demo
  Choose the names of the API:
    hubgen init backups --group backup.example.com --kind Backup

Exit codes:
  0  success
  1  the folder is not empty, or a file cannot be written
  2  wrong arguments")]
pub struct Args {
    /// The folder of the crate, created if it is missing; its name becomes that of the crate
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// The group of the API, a domain
    #[arg(long, default_value = "example.com")]
    group: String,
    /// The kind; by default NAME in camel case
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    crates: Choice,
}

/// Writes the crate.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let folder = &args.folder;
    let names = match Names::new(folder, &args.group, args.kind.as_deref()) {
        Ok(names) => names,
        Err(error) => return usage("init", &error.to_string()),
    };
    let created = args.crates.crates().and_then(|crates| create(folder, &names, &crates).map(|()| crates));
    let crates = match created {
        Ok(crates) => crates,
        Err(errors) => return Messages::print(is_quiet).fail(&errors),
    };
    println!("created {}: {} of {} at v1alpha1 and v1", names.package, names.kind, names.group);
    if !is_quiet {
        println!("{}", crates.note());
        let cd = if folder.ends_with(".") { String::new() } else { format!("cd {} && ", folder.display()) };
        println!("next: {cd}cargo test");
        if crates.is_local() {
            println!(
                "next: before others build the crate, name a source that they have: Cargo.toml and \
                 .github/workflows/ci.yml name this checkout (`--crates-from URL` names a git repository)"
            );
        }
    }
    ExitCode::SUCCESS
}

/// The files that people edit, and their content with names of [`Names::fill`].
const FILES: [(&str, &str); 11] = [
    (".github/workflows/ci.yml", include_str!("template/ci.yml")),
    (".gitignore", include_str!("template/gitignore")),
    ("Cargo.toml", include_str!("template/manifest.toml")),
    ("README.md", include_str!("template/README.md")),
    (FILE, include_str!("template/hubgen.toml")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    ("src/api/mod.rs", include_str!("template/api.rs")),
    ("src/api/v1.rs", include_str!("template/v1.rs")),
    ("src/api/v1alpha1.rs", include_str!("template/v1alpha1.rs")),
    ("tests/laws.rs", include_str!("template/laws.rs")),
    ("tests/versions.rs", include_str!("template/versions.rs")),
];

/// The step of the workflow that installs hubgen.
fn step(crates: &Crates) -> String {
    let why = if crates.is_local() {
        "      # This folder is on your machine. A runner needs a source that it can reach, here and in Cargo.toml, such as
      # a git repository: `hubgen init --crates-from URL` names one.\n"
    } else {
        ""
    };
    format!("{why}      - run: {}\n", crates.install())
}

/// Writes everything into a folder inside of the new one, and moves it when it is complete.
fn create(folder: &Path, names: &Names, crates: &Crates) -> Result<(), Vec<Diagnostic>> {
    let unwritable = |error: io::Error| {
        let message = format!("the crate cannot be written: {error}");
        vec![Diagnostic::file(folder, message, "choose another folder, or check its permissions")]
    };
    let is_new = !folder.exists();
    if !is_new && fs::read_dir(folder).map_err(unwritable)?.next().is_some() {
        let help = "choose a folder that does not exist yet, or an empty one";
        return Err(vec![Diagnostic::file(folder, "the folder is not empty", help)]);
    }
    fs::create_dir_all(folder).map_err(unwritable)?;
    let parts = tempfile::tempdir_in(folder).map_err(unwritable)?;
    let written = fill(parts.path(), names, crates).and_then(|()| {
        let entries = fs::read_dir(parts.path()).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        entries
            .and_then(|entries| {
                entries.iter().try_for_each(|entry| fs::rename(entry.path(), folder.join(entry.file_name())))
            })
            .map_err(unwritable)
    });
    drop(parts);
    if written.is_err() && is_new {
        // The error matters more than an empty folder that stays.
        let _ = fs::remove_dir(folder);
    }
    written
}

/// Writes the files, and generates the others from them.
fn fill(root: &Path, names: &Names, crates: &Crates) -> Result<(), Vec<Diagnostic>> {
    let v1 = BTreeSet::from(["v1".to_owned()]);
    let fill = |text: &str| {
        names
            .fill(text)
            .replace("$MACHINERY", &crates.dependency("hubgen-machinery", None))
            .replace("$META", &crates.dependency("hubgen-meta", Some(&v1)))
            .replace("$LAWS", &crates.dependency("hubgen-laws", None))
            .replace("$INSTALL", &step(crates))
    };
    for (name, text) in FILES {
        let file = root.join(name);
        let write = || {
            fs::create_dir_all(file.parent().unwrap_or(root))?;
            fs::write(&file, fill(text))
        };
        write().map_err(|error| {
            let message = format!("cannot be written: {error}");
            vec![Diagnostic::file(&file, message, "choose another folder, or check its permissions")]
        })?;
    }
    let project = Project::read(&root.join(FILE))?;
    let job = Job {
        schemas: &root.join(&project.schemas),
        carried: &kubernetes(),
        target: &Target::project(&project),
        out: &root.join(&project.out),
    };
    job.run(false)?;
    crds::write(false, &project).map(|_| ())
}
