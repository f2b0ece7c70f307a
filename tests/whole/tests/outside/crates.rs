//! Crates outside of this repository, which depend on packages as a registry would have them.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::pages::root;

/// The packages of every crate that is published.
pub struct Packed {
    /// What `cargo xtask package --json` prints.
    pub report: Value,
}

impl Packed {
    /// Packs the crates as they are now.
    pub fn new() -> Self {
        // The crates outside use what is downloaded, and a build downloads nothing for other platforms, which
        // `cargo metadata` wants.
        succeeded(
            &cargo().args(["fetch", "--locked", "--quiet"]).current_dir(root()).output().expect("cargo runs"),
        );
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed");
        let mut command = cargo();
        command.args(["run", "--quiet", "--bin", "xtask", "--", "package", "--json"]);
        let output = command.arg(folder).current_dir(root()).output().expect("cargo runs");
        let report = succeeded(&output);
        Self { report: serde_json::from_str(&report).unwrap_or_else(|error| panic!("{report}: {error}")) }
    }

    /// The folder of each package, by its name.
    pub fn folders(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.report["packages"].as_array().into_iter().flatten().map(|package| {
            let text = |key: &str| package[key].as_str().unwrap_or_else(|| panic!("no {key} in {package}"));
            (text("name"), Path::new(text("folder")))
        })
    }

    /// The options with which cargo takes the packages for those of its registry.
    pub fn config(&self) -> [&str; 2] {
        ["--config", self.report["config"].as_str().expect("the report names the file")]
    }
}

/// A crate in a folder of its own, far from this repository.
pub struct Outside<'p> {
    /// The packages that it builds with. Without them, its manifest says where hubgen's crates are.
    packed: Option<&'p Packed>,
    /// Its folder.
    pub folder: PathBuf,
}

impl<'p> Outside<'p> {
    /// An empty folder, for a crate that depends on packages.
    pub fn empty(packed: &'p Packed, name: &str) -> Self {
        Self { packed: Some(packed), folder: empty_folder(name) }
    }

    /// An empty folder.
    pub fn unpacked(name: &str) -> Self {
        Self { packed: None, folder: empty_folder(name) }
    }

    /// An empty program with these lines below `[dependencies]`.
    pub fn new(packed: &'p Packed, name: &str, dependencies: &str) -> Self {
        let outside = Self::empty(packed, name);
        outside.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}"
            ),
        );
        outside.write("src/main.rs", "fn main() {}\n");
        outside.lock();
        outside
    }

    /// Writes the versions of other crates that this repository builds with, which are already downloaded.
    pub fn lock(&self) {
        let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the workspace has a lock file");
        self.write("Cargo.lock", &lock);
    }

    /// Writes a file of the crate.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("there is room for a folder");
        fs::write(path, text).expect("there is room for a file");
    }

    /// Runs cargo in the crate; returns what it prints to standard output.
    #[track_caller]
    pub fn cargo(&self, args: &[&str]) -> String {
        succeeded(&self.run(args))
    }

    /// Runs cargo in the crate, which fails; returns what it prints to standard error.
    #[track_caller]
    pub fn cargo_fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "cargo {args:?} succeeds");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = cargo();
        command.args(self.packed.iter().flat_map(|packed| packed.config()));
        command.args(["--offline", "--quiet"]).args(args);
        command.current_dir(&self.folder);
        // What others wrote is built for this repository already.
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("cargo puts it into its target folder");
        command.env("CARGO_TARGET_DIR", target);
        command.output().expect("cargo runs")
    }
}

/// A folder that is far from this repository.
fn empty_folder(name: &str) -> PathBuf {
    // The same folder each time, so that what was built there is replaced, but one for each repository.
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let folder = std::env::temp_dir().join(format!("hubgen-{:x}", hasher.finish())).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
    fs::create_dir_all(&folder).expect("there is room for a folder");
    folder
}

impl Drop for Outside<'_> {
    fn drop(&mut self) {
        // What a failed test built is there to look at.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Cargo without what it tells the tests that it starts about their own package.
fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{out}{err}", output.status);
    assert!(!err.contains("warning"), "{err}");
    out
}
