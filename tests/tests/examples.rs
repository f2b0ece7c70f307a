//! The APIs in `examples` that are generated from CustomResourceDefinitions.

#[path = "../support/client.rs"]
mod client;
#[path = "../support/process.rs"]
mod process;

use std::path::{Path, PathBuf};

use process::hubgen;

fn repositories() -> [PathBuf; 2] {
    ["cert-manager", "gateway-api"].map(|name| Path::new("../examples").join(name))
}

#[test]
fn what_is_committed_is_fresh() {
    for (command, expected) in [
        ("generate", &["(0 differ)", "lossy                    0"][..]),
        ("crds", &["6 definitions", "0 files differ"]),
    ] {
        for folder in repositories() {
            let output =
                hubgen().args([command, "--check"]).current_dir(&folder).output().expect("hubgen runs");
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
        let definitions = Path::new("../../shared/upstream/crds").join(definitions);
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
            let mut folder =
                hubgen_documents::folder::Folder::read(&folder.join("schemas")).expect("readable");
            folder.files.retain(|path, _| !path.starts_with("rules"));
            folder.files
        };
        assert!(read(folder) == read(copy.path()), "import the definitions again into {}", folder.display());
    }
}
