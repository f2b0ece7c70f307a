//! Which folder has what of a release.

use std::fs;
use std::path::{Path, PathBuf};

use hubgen_model::Release;
use hubgen_terminal::Diagnostic;

use super::failed;
use crate::import::{Errors, failed_at};

/// The modules with Go types and `generated.proto` files.
const GO: [&str; 4] =
    ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"];

/// The module with the OpenAPI documents.
const KUBERNETES: &str = "k8s.io/kubernetes";

/// A Go module.
pub struct Module {
    /// `k8s.io/api`.
    pub path: &'static str,
    pub folder: PathBuf,
}

/// The sources of a release.
pub struct Modules {
    pub go: Vec<Module>,
    pub published: Vec<Published>,
}

/// A document that a server publishes: OpenAPI, or an answer to discovery.
pub struct Published {
    pub file: PathBuf,
    /// Its path below the folder that was given: documents of several groups may have one file name.
    pub name: PathBuf,
}

impl Modules {
    /// Finds out what each argument is. One without go.mod is a folder or file of OpenAPI documents, unless its name
    /// is that of a module: old releases have none.
    pub fn find(release: Release, arguments: &[PathBuf]) -> Result<Self, Errors> {
        let mut found = Self { go: Vec::new(), published: Vec::new() };
        let mut errors = Errors::new();
        for argument in arguments {
            match module(argument)? {
                Some(path) => {
                    errors.extend(of_other_release(release, path == KUBERNETES, argument));
                    match GO.into_iter().find(|known| *known == path) {
                        Some(path) => found.add(path, argument)?,
                        None if path == KUBERNETES => found.published.extend(published(argument)?),
                        None => errors.push(Diagnostic::file(
                            argument,
                            format!("the module {path} has nothing of the API"),
                            format!("give {} and {KUBERNETES}", GO.join(", ")),
                        )),
                    }
                }
                None => found.published.extend(documents(argument)?),
            }
        }
        let missing = GO.into_iter().filter(|path| found.go.iter().all(|module| module.path != *path));
        errors.extend(missing.map(|path| {
            let version = format!("v0.{}.0", release.minor);
            Diagnostic::message(
                format!("no folder has the module {path}"),
                format!("`go mod download -json {path}@{version}` prints its folder: add it to --from"),
            )
        }));
        if found.published.is_empty() {
            errors.push(Diagnostic::message(
                "no folder has OpenAPI documents".to_owned(),
                format!(
                    "add the folder of {KUBERNETES}, or a file: kubectl get --raw /openapi/v2 >swagger.json"
                ),
            ));
        }
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    fn add(&mut self, path: &'static str, folder: &Path) -> Result<(), Errors> {
        if let Some(other) = self.go.iter().find(|module| module.path == path) {
            return Err(failed(
                format!("{path} is in two folders: {} and {}", other.folder.display(), folder.display()),
                "give each module once",
            ));
        }
        self.go.push(Module { path, folder: folder.to_owned() });
        Ok(())
    }
}

/// The path of the module in a folder; `None` if it is none.
fn module(argument: &Path) -> Result<Option<String>, Errors> {
    if !argument.exists() {
        return Err(vec![Diagnostic::file(argument, "does not exist", "correct the path")]);
    }
    let file = argument.join("go.mod");
    if !file.exists() {
        let name = argument.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let path = format!("k8s.io/{}", name.split('@').next().unwrap_or_default());
        return Ok(GO.contains(&&*path).then_some(path));
    }
    let text = fs::read_to_string(&file).map_err(|error| failed_at(&file, "cannot be read", &error))?;
    match text.lines().find_map(|line| line.strip_prefix("module ")) {
        Some(path) => Ok(Some(path.trim().trim_matches('"').to_owned())),
        None => {
            Err(vec![Diagnostic::file(file, "has no line `module PATH`", "give the folder of a Go module")])
        }
    }
}

/// Folders of downloaded modules end with their version: `api@v0.37.1`.
fn of_other_release(release: Release, is_kubernetes: bool, folder: &Path) -> Option<Diagnostic> {
    let name = folder.file_name()?.to_str()?;
    let (_, version) = name.split_once("@v")?;
    let of: Release = version.parse().ok()?;
    let expected = if is_kubernetes { release } else { Release::new(0, release.minor) };
    // A pseudo-version, of a tag that is no version to Go, tells nothing.
    let is_other = of != expected && of != Release::new(0, 0);
    is_other.then(|| {
        Diagnostic::file(
            folder,
            format!("is version {version}, and the release is {release}"),
            format!("give version v{expected} of the module"),
        )
    })
}

/// The documents in a checkout of Kubernetes: OpenAPI of version 3, or else of version 2, and the answers to discovery.
fn published(folder: &Path) -> Result<Vec<Published>, Errors> {
    let openapi = folder.join("api/openapi-spec");
    let newer = openapi.join("v3");
    let mut out = if newer.is_dir() { documents(&newer)? } else { documents(&openapi.join("swagger.json"))? };
    let discovery = folder.join("api/discovery");
    if discovery.is_dir() {
        // The lists of resources are `api__v1.json` and `apis__GROUP__VERSION.json`. Other files repeat what they have.
        let is_read =
            |name: &str| name == "apis.json" || name == "api__v1.json" || name.matches("__").count() == 2;
        let found = documents(&discovery)?.into_iter().filter(|file| file.name.to_str().is_some_and(is_read));
        out.extend(found);
    }
    Ok(out)
}

/// A file, or all JSON files of a folder and those in it.
fn documents(path: &Path) -> Result<Vec<Published>, Errors> {
    if path.is_file() {
        let name = PathBuf::from(path.file_name().unwrap_or_default());
        return Ok(vec![Published { file: path.to_owned(), name }]);
    }
    let given = path;
    let mut out = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| failed_at(&folder, "cannot be read", &error))?;
        for entry in entries {
            let path = entry.map_err(|error| failed_at(&folder, "cannot be read", &error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                out.push(path);
            }
        }
    }
    out.sort();
    if out.is_empty() {
        let help = "give a folder of OpenAPI documents, or that of a Go module";
        return Err(vec![Diagnostic::file(path, "has neither a go.mod nor files *.json", help)]);
    }
    let name = |file: &Path| file.strip_prefix(given).unwrap_or(file).to_owned();
    Ok(out.into_iter().map(|file: PathBuf| Published { name: name(&file), file }).collect())
}
