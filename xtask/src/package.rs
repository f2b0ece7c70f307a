//! `cargo xtask package`: the packages that a registry would get, in a folder that other repositories can build with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

use crate::programs::{self, Result};
use crate::report::stopped;

/// Pack every crate that is published, and unpack the packages into a folder.
///
/// A crate outside of this repository can then be built with the packages, as if a registry had them: it depends on
/// `hubgen-machinery = "0.1"`, for example, and cargo gets `--config DIR/config.toml`. What is not committed is packed
/// as well, and nothing is published.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Pack, then build a crate of another repository with the packages:
    cargo xtask package /tmp/packed
    (cd ../mine && cargo build --config /tmp/packed/config.toml)

JSON (--json):
  {\"config\": FILE, \"packages\": [{\"name\", \"version\", \"folder\", \"packed_bytes\"}]}
  With an error: {\"ok\": false, \"diagnostics\": [{\"severity\", \"message\"}]}

Exit codes:
  0  every crate is packed
  1  a crate cannot be packed, or the folder cannot be written
  2  wrong arguments")]
pub struct Args {
    /// The folder for the packages; what an earlier run wrote there is replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A crate that is published.
struct Package {
    name: String,
    version: String,
}

impl Package {
    /// The name of its folder in its package, and of the package without `.crate`.
    fn full_name(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// Packs and prints.
pub fn run(args: &Args) -> ExitCode {
    match pack(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => stopped(args.json, error),
    }
}

fn pack(args: &Args) -> Result<()> {
    let (packages, target) = published()?;
    let mut command = programs::cargo();
    command.current_dir(programs::root());
    // Offline, so that no crate of a registry is taken for one of ours.
    command.args(["package", "--quiet", "--no-verify", "--allow-dirty", "--locked", "--offline"]);
    command.args(packages.iter().flat_map(|package| ["--package", &package.name]));
    programs::run(&mut command)?;

    fs::create_dir_all(&args.folder).map_err(|error| format!("{}: {error}", args.folder.display()))?;
    let folder = args.folder.canonicalize().map_err(|error| format!("{}: {error}", args.folder.display()))?;
    let mut config = String::from("# Written by `cargo xtask package`.\n[patch.crates-io]\n");
    let mut rows = Vec::new();
    for package in &packages {
        let archive = target.join("package").join(format!("{}.crate", package.full_name()));
        let unpacked = folder.join(package.full_name());
        unpack(&archive, &folder, &unpacked)?;
        // As TOML writes texts, a path with backslashes and quotes included.
        config.push_str(&format!("{} = {{ path = {} }}\n", package.name, json!(unpacked)));
        let size = fs::metadata(&archive).map_err(|error| format!("{}: {error}", archive.display()))?.len();
        rows.push(json!({
            "name": package.name,
            "version": package.version,
            "folder": unpacked,
            "packed_bytes": size,
        }));
        if !args.json {
            println!("{:<40}{:>8.1} KB", package.full_name(), size as f64 / 1000.0);
        }
    }
    let file = folder.join("config.toml");
    fs::write(&file, config).map_err(|error| format!("{}: {error}", file.display()))?;
    if args.json {
        println!("{}", json!({ "config": file, "packages": rows }));
    } else {
        println!("{} packages; build with `--config {}`", packages.len(), file.display());
    }
    Ok(())
}

/// The crates of the workspace that are published, and the folder in which cargo builds.
fn published() -> Result<(Vec<Package>, PathBuf)> {
    let mut command = programs::cargo();
    command.args(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let (metadata, _) = programs::run(command.current_dir(programs::root()))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    // `publish = false` is a list without registries.
    let packages = packages
        .filter(|package| package["publish"].is_null())
        .map(|package| Package { name: text(&package["name"]), version: text(&package["version"]) })
        .collect();
    Ok((packages, PathBuf::from(text(&metadata["target_directory"]))))
}

/// Unpacks an archive, which contains one folder, into a folder without it. A package that is there already stays as it
/// is, so that cargo does not build it again.
fn unpack(archive: &Path, into: &Path, unpacked: &Path) -> Result<()> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let copy = into.join(archive.file_name().unwrap_or_default());
    let bytes = read(archive)?;
    if unpacked.is_dir() && copy.exists() && read(&copy)? == bytes {
        return Ok(());
    }
    if unpacked.exists() {
        fs::remove_dir_all(unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    }
    // `-m`: all files in packages have one time, by which cargo would see no change.
    programs::run(Command::new("tar").arg("-xmzf").arg(archive).arg("-C").arg(into))?;
    if !unpacked.is_dir() {
        return Err(format!("{}: expected the folder {} in it", archive.display(), unpacked.display()));
    }
    fs::write(&copy, bytes).map_err(|error| format!("{}: {error}", copy.display()))
}
