//! `cargo xtask import`: published documents into `schemas/`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_documents::{Diagnostic, archive, schema, upstream};
use hubgen_model::Api;

/// Distil published documents into schemas: OpenAPI v3, swagger 2.0, protobuf
/// descriptor sets (*.binpb), field facts.
///
/// Documents with field facts or descriptors describe everything and replace
/// what is there. OpenAPI alone (a user's document, a live cluster's) goes over
/// what is there, which keeps what OpenAPI does not say. Nothing is written
/// unless all of it can be.
#[derive(clap::Args)]
pub struct Args {
    /// Files, folders to be walked, or `-` for one document from standard
    /// input. The release is a component of the path (`v1.35`), or what the
    /// document says.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The schemas' folder.
    #[arg(long, default_value = "schemas/kubernetes")]
    out: PathBuf,
    /// Keep descriptions.
    #[arg(long)]
    docs: bool,
}

pub fn run(args: Args) -> ExitCode {
    match import(&args) {
        Ok(lines) => {
            for line in lines {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        Err(errors) => {
            let count = errors.len();
            for error in errors {
                eprintln!("{error:?}");
            }
            eprintln!("import: {count} errors; nothing was written");
            ExitCode::FAILURE
        }
    }
}

type Errors = Vec<miette::Report>;

fn reports(errors: Vec<Diagnostic>) -> Errors {
    errors.into_iter().map(miette::Report::new).collect()
}

fn failed(path: &Path, what: &str, error: &std::io::Error) -> Errors {
    vec![miette::miette!("{}: {what}: {error}", path.display())]
}

fn import(args: &Args) -> Result<Vec<String>, Errors> {
    let mut documents = Vec::new();
    let mut errors = Vec::new();
    for (path, bytes) in sources(&args.paths)? {
        match upstream::read(&path, bytes) {
            Ok(mut document) => {
                if !args.docs {
                    document.drop_prose();
                }
                documents.push(document);
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(reports(errors));
    }
    let old = if args.out.is_dir() { schema::read_dir(&args.out).map_err(reports)? } else { Api::default() };
    let count = documents.len();
    let archive::Archive { api, report, full } = archive::build(documents, &old)
        .map_err(|errors| errors.into_iter().map(|error| miette::miette!("{error}")).collect::<Errors>())?;
    let mut files = schema::files(&api);
    // What was written must be readable, and mean the same.
    let written = files.iter().map(|(path, text)| (args.out.join(path), text.clone())).collect();
    let again = schema::read_files(written).map_err(reports)?;
    if again != api {
        let lines = archive::diff(&api, &again).join("\n");
        return Err(vec![miette::miette!("what was written reads back differently:\n{lines}")]);
    }
    if full {
        files.insert(PathBuf::from("INDEX.md"), archive::index(&api, &report));
    }
    let removed = if full { stale(&args.out, &files)? } else { Vec::new() };
    let written = replace(&args.out, &files, &removed)?;
    let mut lines = archive::diff(&old, &api);
    let types = api.types().count();
    let kinds = api.types().filter(|ty| ty.kind.is_some()).count();
    lines.push(format!(
        "{count} documents: {} group versions, {kinds} kinds, {types} types; {written} files changed, {} removed",
        api.versions.len(),
        removed.len()
    ));
    Ok(lines)
}

/// Every document, in the order of paths.
fn sources(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Vec<u8>)>, Errors> {
    let mut documents = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let name = Path::new("<stdin>");
            std::io::stdin()
                .read_to_end(&mut bytes)
                .map_err(|error| failed(name, "cannot be read", &error))?;
            documents.push((name.to_owned(), bytes));
            continue;
        }
        let mut files = BTreeSet::new();
        if path.is_dir() {
            walk(path, &mut files)?;
        } else {
            files.insert(path.clone());
        }
        if files.is_empty() {
            return Err(vec![miette::miette!(
                "{}: no *.json and no *.binpb below this folder",
                path.display()
            )]);
        }
        for file in files {
            let bytes = std::fs::read(&file).map_err(|error| failed(&file, "cannot be read", &error))?;
            documents.push((file, bytes));
        }
    }
    Ok(documents)
}

fn walk(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Errors> {
    let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, "cannot be read", &error))?;
    for entry in entries {
        let path = entry.map_err(|error| failed(folder, "cannot be read", &error))?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json" || extension == "binpb") {
            files.insert(path);
        }
    }
    Ok(())
}

/// Schemas of group versions that are no more.
fn stale(out: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>, Errors> {
    let mut found = BTreeSet::new();
    if out.is_dir() {
        walk(out, &mut found)?;
    }
    Ok(found
        .into_iter()
        .filter(|path| {
            let inner = path.strip_prefix(out).unwrap_or(path);
            let own = inner.starts_with("rules") || inner.starts_with("defaults");
            !own && !files.contains_key(inner)
        })
        .collect())
}

/// Writes everything beside its place first, then puts it there.
fn replace(out: &Path, files: &BTreeMap<PathBuf, String>, removed: &[PathBuf]) -> Result<usize, Errors> {
    let mut moves = Vec::new();
    let staged = files.iter().try_for_each(|(path, text)| {
        let target = out.join(path);
        if std::fs::read(&target).is_ok_and(|bytes| bytes == text.as_bytes()) {
            return Ok(());
        }
        let temporary = target.with_extension("importing");
        let written = target
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&temporary, text));
        moves.push((temporary, target));
        written.map_err(|error| failed(&out.join(path), "cannot be written", &error))
    });
    if let Err(errors) = staged {
        for (temporary, _) in moves {
            // What was never written cannot be removed; the first error counts.
            drop(std::fs::remove_file(temporary));
        }
        return Err(errors);
    }
    for (temporary, target) in &moves {
        std::fs::rename(temporary, target).map_err(|error| failed(target, "cannot be replaced", &error))?;
    }
    for path in removed {
        std::fs::remove_file(path).map_err(|error| failed(path, "cannot be removed", &error))?;
        if let Some(folder) = path.parent() {
            // Goes only if it is empty.
            drop(std::fs::remove_dir(folder));
        }
    }
    Ok(moves.len())
}
