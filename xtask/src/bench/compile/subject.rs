//! A package that is compiled.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::{K8S_OPENAPI, RELEASE, Result};
use crate::programs::{Peer, Usage, plain_cargo, root, run, scratch, time};

/// A package that does nothing but depend on the crates that are measured.
pub(super) struct Subject {
    pub(super) folder: PathBuf,
    stale: Stale,
}

/// What is compiled anew, and how that is brought about.
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
    pub(super) fn ours(name: &str, groups: &[&str], feature: &str) -> Result<Self> {
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
    pub(super) fn theirs(name: &str, peer: &Peer, groups: Option<&[&str]>) -> Result<Self> {
        let dependency = format!("{K8S_OPENAPI} = {{ path = {K8S_OPENAPI:?}, features = [{RELEASE:?}] }}\n");
        let folder = package(name, &dependency)?;
        let copy = folder.join(K8S_OPENAPI);
        copy_folder(&peer.source, &copy)?;
        if let Some(groups) = groups {
            let release = copy.join("src").join(RELEASE);
            keep_modules(&release.join("mod.rs"), &["list", "api", "apimachinery"])?;
            keep_modules(&release.join("api/mod.rs"), groups)?;
        }
        Ok(Self { folder, stale: Stale::Touch(copy.join("src/lib.rs")) })
    }

    /// A crate of a user: its dependencies, and its files with their texts.
    pub(super) fn user(name: &str, dependencies: &str, files: &[(&str, String)]) -> Result<Self> {
        let folder = package(name, dependencies)?;
        for (file, text) in files {
            write(&folder.join(file), text)?;
        }
        let root = folder.join("src/lib.rs");
        Ok(Self { folder, stale: Stale::Touch(root) })
    }

    /// The same package, compiled with all that it depends on.
    pub(super) fn with_dependencies(self) -> Self {
        Self { stale: Stale::Everything, ..self }
    }

    /// Whether all that it depends on has to be compiled before it is measured.
    pub(super) fn needs_dependencies(&self) -> bool {
        !matches!(self.stale, Stale::Everything)
    }

    pub(super) fn make_stale(&self) -> Result<()> {
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

    pub(super) fn compile(&self, way: &[&str]) -> Result<Usage> {
        time(self.cargo().args(way))
    }

    pub(super) fn cargo(&self) -> Command {
        let mut command = plain_cargo();
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            // As dependencies are compiled: whole, and their warnings hidden.
            .env("CARGO_INCREMENTAL", "0");
        command
    }
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

pub(super) fn write(path: &Path, text: &str) -> Result<()> {
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
