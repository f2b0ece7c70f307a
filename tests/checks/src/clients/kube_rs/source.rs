//! The published sources of the client, as a workspace whose tests can be built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toml::Table;

use crate::clients::copy;

/// The crates, which need one another in their tests.
const CRATES: [&str; 5] = ["kube", "kube-client", "kube-core", "kube-derive", "kube-runtime"];

/// Makes a workspace of the crates of a release in a folder. Returns the workspace, and the version that it is.
///
/// # Errors
/// If Cargo cannot download them.
pub fn unpack(release: &str, folder: &Path) -> Result<(PathBuf, String), String> {
    let found = download(release, &folder.join("download"))?;
    let workspace = folder.join("workspace");
    let mut version = String::new();
    for name in CRATES {
        let package = found.iter().find(|package| package["name"] == name);
        let package = package.ok_or_else(|| format!("kube {release} does not need the crate {name}"))?;
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let manifest = PathBuf::from(text("manifest_path"));
        let source = manifest.parent().ok_or("a manifest without a folder")?;
        let target = workspace.join(name);
        copy(source, &target).map_err(|error| format!("{}: {error}", target.display()))?;
        complete(&target)?;
        version = text("version");
    }
    let paths = CRATES.map(|name| format!("{name} = {{ path = \"{name}\" }}\n")).concat();
    let members = CRATES.map(|name| format!("{name:?}")).join(", ");
    let text = format!("[workspace]\nresolver = \"2\"\nmembers = [{members}]\n\n[patch.crates-io]\n{paths}");
    write(&workspace.join("Cargo.toml"), &text)?;
    Ok((workspace, version))
}

/// Lets Cargo download a release of kube. Returns its packages and those that it needs, as Cargo describes them.
fn download(release: &str, folder: &Path) -> Result<Vec<Value>, String> {
    let text = format!(
        "[package]\nname = \"download\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         kube = {{ version = {release:?}, features = [\"derive\", \"runtime\"] }}\n"
    );
    fs::create_dir_all(folder.join("src")).map_err(|error| format!("{}: {error}", folder.display()))?;
    write(&folder.join("src/lib.rs"), "")?;
    write(&folder.join("Cargo.toml"), &text)?;
    let output =
        Command::new("cargo").args(["metadata", "--format-version", "1"]).current_dir(folder).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut told: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(told["packages"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

/// Adds to a manifest the other crates that its tests need. They are not in what is published, where crates would need one
/// another; what their authors have written is beside it.
fn complete(folder: &Path) -> Result<(), String> {
    let read = |name: &str| -> Result<Table, String> {
        let file = folder.join(name);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        text.parse().map_err(|error| format!("{}: {error}", file.display()))
    };
    let (mut manifest, written) = (read("Cargo.toml")?, read("Cargo.toml.orig")?);
    let wanted = written.get("dev-dependencies").and_then(toml::Value::as_table);
    let others = wanted.into_iter().flatten().filter(|(_, needed)| needed.get("path").is_some());
    let known = manifest.entry("dev-dependencies").or_insert_with(|| Table::new().into());
    let known = known.as_table_mut().ok_or("dev-dependencies that are no table")?;
    known.extend(others.map(|(name, needed)| (name.clone(), needed.clone())));
    // That of a workspace counts.
    let _ = fs::remove_file(folder.join("Cargo.lock"));
    write(&folder.join("Cargo.toml"), &manifest.to_string())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_that_tests_need_are_added() {
        let folder = tempfile::tempdir().unwrap();
        let published = "[package]\nname = \"a\"\n[dev-dependencies.tokio]\nversion = \"1\"\n";
        let written = "[dev-dependencies]\ntokio.workspace = true\nkube = { path = \"../kube\" }\n";
        write(&folder.path().join("Cargo.toml"), published).unwrap();
        write(&folder.path().join("Cargo.toml.orig"), written).unwrap();
        complete(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        let manifest: Table = text.parse().unwrap();
        assert_eq!(manifest["dev-dependencies"]["kube"]["path"].as_str(), Some("../kube"));
        assert_eq!(manifest["dev-dependencies"]["tokio"]["version"].as_str(), Some("1"));
    }
}
