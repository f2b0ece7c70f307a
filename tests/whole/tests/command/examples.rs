//! The APIs in `examples`, whose code is generated from CustomResourceDefinitions, or from types in Rust.

use std::path::{Path, PathBuf};

use hubgen_documents::folder::Folder;
use toml::{Table, Value};

use crate::process::hubgen;

/// Those that are generated from definitions.
fn repositories() -> [PathBuf; 2] {
    ["cert-manager", "gateway-api"].map(|name| Path::new("../../examples").join(name))
}

#[test]
fn what_is_committed_is_fresh() {
    let written = ["backups", "demo", "operator"].map(|name| Path::new("../../examples").join(name));
    let folders: Vec<PathBuf> = repositories().into_iter().chain(written).collect();
    for (command, expected) in [
        ("generate", &["(0 differ)", "lossy                    0"][..]),
        ("crds", &["definitions in ", "0 files differ"]),
    ] {
        for folder in &folders {
            let output =
                hubgen().args([command, "--check"]).current_dir(folder).output().expect("hubgen runs");
            let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}", folder.display());
            assert!(expected.iter().all(|expected| text.contains(expected)), "{text}");
        }
    }
}

/// Only where the definitions themselves are: they are not part of this repository.
#[test]
fn the_schemas_are_what_the_definitions_give() {
    for (folder, definitions) in repositories().iter().zip(["cert-manager-v1.5", "gateway-api-v1.0"]) {
        let definitions = Path::new("../../../shared/upstream/crds").join(definitions);
        if !definitions.exists() {
            println!("left out: {} is not here", definitions.display());
            continue;
        }
        let copy = tempfile::tempdir().expect("a folder");
        let definitions = std::fs::canonicalize(definitions).expect("it exists");
        let output =
            hubgen().arg("import").arg(definitions).current_dir(copy.path()).output().expect("hubgen runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = |folder: &Path| {
            let mut folder = Folder::read(&folder.join("schemas")).expect("readable");
            folder.files.retain(|path, _| !path.starts_with("rules"));
            folder.files
        };
        assert!(read(folder) == read(copy.path()), "import the definitions again into {}", folder.display());
    }
}

/// `examples/demo` is what `hubgen init demo` writes with crates from a registry. `UPDATE=1` writes it anew.
#[test]
fn the_example_is_what_init_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = hubgen()
        .args(["init", "demo", "--crates-from", "registry"])
        .current_dir(&folder)
        .output()
        .expect("hubgen runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut wanted = Folder::read(&folder.path().join("demo")).expect("readable").files;
    let manifest = wanted.get_mut(Path::new("Cargo.toml")).expect("a manifest");
    *manifest = with_paths(manifest);
    let changes = Folder::read(Path::new("../../examples/demo")).expect("readable");
    let changes = changes.changes(&wanted);
    if std::env::var_os("UPDATE").is_some() {
        changes.write().expect("written");
    } else {
        assert!(changes.is_empty(), "{}UPDATE=1 replaces the files", changes.diff());
    }
}

/// The manifest with the folders of our crates: no registry has them here.
fn with_paths(manifest: &str) -> String {
    let mut manifest: Table = manifest.parse().expect("a manifest");
    for dependencies in ["dependencies", "dev-dependencies"] {
        let dependencies = manifest[dependencies].as_table_mut().expect("a table");
        assert!(!dependencies.is_empty());
        for (package, dependency) in dependencies {
            if let Value::String(version) = dependency {
                *dependency =
                    Table::from_iter([("version".to_owned(), Value::from(version.as_str()))]).into();
            }
            let folder = match package.trim_start_matches("hubgen-") {
                "meta" => "generated/meta".to_owned(),
                folder => format!("machinery/{folder}"),
            };
            let path = format!("../../{folder}");
            dependency.as_table_mut().expect("a table").insert("path".to_owned(), path.into());
        }
    }
    toml::to_string(&manifest).expect("a manifest")
}
