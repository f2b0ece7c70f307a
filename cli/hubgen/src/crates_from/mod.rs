//! Where the manifests of users take hubgen's crates from.
//!
//! As long as nothing is published, versions alone name nothing that exists. So a program knows where it comes from: a
//! checkout, a git repository or a registry. What it writes into manifests names the same source.

mod installed;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hubgen_terminal::Diagnostic;

/// The version of the crates: that of this program, as all are released together.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder in which this program was compiled. It may be gone.
const BUILT_IN: &str = env!("CARGO_MANIFEST_DIR");

/// `--crates-from`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Choice {
    /// Where Cargo.toml takes hubgen's crates from: the folder of a checkout, the URL of a git repository
    /// (URL#REVISION), or `registry`; by default where this program comes from
    #[arg(long, value_name = "PATH|GIT|registry")]
    crates_from: Option<CratesFrom>,
}

impl Choice {
    /// What was chosen, or where this program comes from.
    ///
    /// # Errors
    /// If it is a folder without the crates.
    pub fn crates(&self) -> Result<Crates, Vec<Diagnostic>> {
        let is_chosen = self.crates_from.is_some();
        let from = self.crates_from.clone().unwrap_or_else(own);
        Crates::new(from, is_chosen)
    }

    #[cfg(test)]
    pub fn of(from: &str) -> Self {
        Self { crates_from: Some(from.parse().expect("a source")) }
    }
}

/// A source of crates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CratesFrom {
    /// The registry of cargo.
    Registry,
    /// A checkout of hubgen's repository.
    Path(PathBuf),
    /// A git repository.
    Git {
        /// `https://example.com/hubgen`.
        url: String,
        /// The revision; the newest one of the default branch if there is none.
        revision: Option<String>,
    },
}

/// An empty text in place of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSource;

impl fmt::Display for NoSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a folder, the URL of a git repository, or `registry`")
    }
}

impl std::error::Error for NoSource {}

impl FromStr for CratesFrom {
    type Err = NoSource;

    fn from_str(text: &str) -> Result<Self, NoSource> {
        let is_git = text.contains("://") || text.starts_with("git@") || text.ends_with(".git");
        match text {
            "" => Err(NoSource),
            "registry" => Ok(Self::Registry),
            _ if is_git => {
                let (url, revision) =
                    text.split_once('#').map_or((text, None), |(url, rev)| (url, Some(rev)));
                let url = url.strip_prefix("git+").unwrap_or(url).to_owned();
                Ok(Self::Git { url, revision: revision.filter(|rev| !rev.is_empty()).map(str::to_owned) })
            }
            _ => Ok(Self::Path(PathBuf::from(text))),
        }
    }
}

impl fmt::Display for CratesFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry => write!(f, "the registry, version {VERSION}"),
            Self::Path(root) => write!(f, "the checkout {}", root.display()),
            Self::Git { url, revision: Some(revision) } => write!(f, "{url} at {revision}"),
            Self::Git { url, revision: None } => f.write_str(url),
        }
    }
}

/// Where this program comes from: where `cargo install` got it, or else the checkout that it was built in.
fn own() -> CratesFrom {
    if let Some(from) = std::env::current_exe().ok().and_then(|program| installed::source(&program)) {
        return from;
    }
    let built_in = Path::new(BUILT_IN);
    // Cargo keeps the original manifest of a package from a registry beside the one that it has written.
    match built_in.ancestors().nth(2) {
        Some(root) if !built_in.join("Cargo.toml.orig").exists() => CratesFrom::Path(root.to_owned()),
        _ => CratesFrom::Registry,
    }
}

/// The crates of a source that can be named in a manifest.
pub struct Crates {
    from: CratesFrom,
    is_chosen: bool,
    /// The folders of the crates of a checkout, by package.
    folders: Vec<(String, PathBuf)>,
}

impl Crates {
    fn new(from: CratesFrom, is_chosen: bool) -> Result<Self, Vec<Diagnostic>> {
        let CratesFrom::Path(root) = &from else { return Ok(Self { from, is_chosen, folders: Vec::new() }) };
        let found = fs::canonicalize(root).ok().map(|root| (packages(&root), root));
        match found {
            Some((folders, root)) if folders.iter().any(|(package, _)| package == "hubgen-machinery") => {
                Ok(Self { from: CratesFrom::Path(root), is_chosen, folders })
            }
            _ => {
                let message = if is_chosen {
                    "this is no checkout of hubgen: it has no crate hubgen-machinery"
                } else {
                    "this hubgen was built in this checkout, which is not there any more"
                };
                let help = "say with --crates-from where hubgen's crates are: the folder of a checkout, the URL of a git \
                            repository, or `registry`";
                Err(vec![Diagnostic::file(root, message, help)])
            }
        }
    }

    /// Whether only this machine has them.
    pub fn is_local(&self) -> bool {
        matches!(self.from, CratesFrom::Path(_))
    }

    /// A line of a manifest. Without `features`, the default ones.
    pub fn dependency(&self, package: &str, features: Option<&BTreeSet<String>>) -> String {
        let mut keys = match &self.from {
            CratesFrom::Registry => match features {
                None => return format!("{package} = \"{VERSION}\""),
                Some(_) => format!("version = \"{VERSION}\""),
            },
            CratesFrom::Path(root) => {
                let known = self.folders.iter().find(|(own, _)| own == package);
                // All packages that a manifest of a user needs are in the checkout; an unknown one is easily found.
                let folder = known.map_or_else(|| root.join(package), |(_, folder)| folder.clone());
                format!("path = {}", quoted(&folder.display().to_string()))
            }
            CratesFrom::Git { url, revision } => {
                let revision = revision.as_ref().map(|revision| format!(", rev = {}", quoted(revision)));
                format!("git = {}{}", quoted(url), revision.unwrap_or_default())
            }
        };
        if let Some(features) = features {
            let features: Vec<String> = features.iter().map(|feature| quoted(feature)).collect();
            keys += &format!(", default-features = false, features = [{}]", features.join(", "));
        }
        format!("{package} = {{ {keys} }}")
    }

    /// The command that installs the same hubgen, for a workflow.
    pub fn install(&self) -> String {
        match &self.from {
            CratesFrom::Registry => format!("cargo install hubgen --version {VERSION} --locked"),
            CratesFrom::Path(root) => {
                format!("cargo install --path {} --locked", self.folder("hubgen", root))
            }
            CratesFrom::Git { url, revision } => {
                let revision =
                    revision.as_ref().map(|revision| format!(" --rev {revision}")).unwrap_or_default();
                format!("cargo install --git {url}{revision} hubgen --locked")
            }
        }
    }

    fn folder(&self, package: &str, root: &Path) -> String {
        let known = self.folders.iter().find(|(own, _)| own == package);
        known.map_or(root, |(_, folder)| folder).display().to_string()
    }

    /// Says which source was taken, and how to change it.
    pub fn note(&self) -> String {
        let why = if self.is_chosen {
            ""
        } else {
            ", where this hubgen is from; --crates-from chooses another source"
        };
        format!("hubgen's crates are from {}{why}", self.from)
    }
}

/// The packages in the workspace of a checkout, with their folders.
fn packages(root: &Path) -> Vec<(String, PathBuf)> {
    let manifest = |folder: &Path| -> Option<toml::Table> {
        fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
    };
    let members =
        manifest(root).and_then(|table| table.get("workspace")?.get("members")?.as_array().cloned());
    let mut out = Vec::new();
    for member in members.unwrap_or_default().iter().filter_map(toml::Value::as_str) {
        let folders = match member.strip_suffix("/*") {
            Some(parent) => {
                let entries = fs::read_dir(root.join(parent)).into_iter().flatten().flatten();
                entries.map(|entry| entry.path()).collect()
            }
            None => vec![root.join(member)],
        };
        for folder in folders {
            let name = manifest(&folder)
                .and_then(|table| Some(table.get("package")?.get("name")?.as_str()?.to_owned()));
            out.extend(name.map(|name| (name, folder)));
        }
    }
    out
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crates(from: &str) -> Crates {
        Crates::new(from.parse().expect("a source"), true).map_err(|_| ()).expect("it has the crates")
    }

    #[test]
    fn manifests_name_the_source() {
        let features = BTreeSet::from(["v1".to_owned()]);
        let root = fs::canonicalize(Path::new(BUILT_IN).join("../..")).expect("the checkout");
        let of = |folder: &str| quoted(&root.join(folder).display().to_string());
        for (from, plain, meta, install) in [
            (
                "registry".to_owned(),
                format!("hubgen-machinery = \"{VERSION}\""),
                format!(
                    "hubgen-meta = {{ version = \"{VERSION}\", default-features = false, features = [\"v1\"] }}"
                ),
                format!("cargo install hubgen --version {VERSION} --locked"),
            ),
            (
                root.display().to_string(),
                format!("hubgen-machinery = {{ path = {} }}", of("machinery/machinery")),
                format!(
                    "hubgen-meta = {{ path = {}, default-features = false, features = [\"v1\"] }}",
                    of("generated/meta")
                ),
                format!("cargo install --path {} --locked", root.join("cli/hubgen").display()),
            ),
            (
                "https://example.com/hubgen#0123abc".to_owned(),
                "hubgen-machinery = { git = \"https://example.com/hubgen\", rev = \"0123abc\" }".to_owned(),
                "hubgen-meta = { git = \"https://example.com/hubgen\", rev = \"0123abc\", default-features = false, \
                 features = [\"v1\"] }"
                    .to_owned(),
                "cargo install --git https://example.com/hubgen --rev 0123abc hubgen --locked".to_owned(),
            ),
        ] {
            let crates = crates(&from);
            assert_eq!(crates.dependency("hubgen-machinery", None), plain);
            assert_eq!(crates.dependency("hubgen-meta", Some(&features)), meta);
            assert_eq!(crates.install(), install);
        }
    }

    #[test]
    fn sources_are_told_apart() {
        let git = |url: &str, revision: Option<&str>| CratesFrom::Git {
            url: url.to_owned(),
            revision: revision.map(str::to_owned),
        };
        for (text, expected) in [
            ("registry", CratesFrom::Registry),
            ("../hubgen", CratesFrom::Path("../hubgen".into())),
            ("https://example.com/hubgen", git("https://example.com/hubgen", None)),
            ("git+ssh://git@example.com/hubgen#abc", git("ssh://git@example.com/hubgen", Some("abc"))),
            ("git@example.com:me/hubgen.git", git("git@example.com:me/hubgen.git", None)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        assert!("".parse::<CratesFrom>().is_err());
    }

    #[test]
    fn a_folder_without_the_crates_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let errors = Crates::new(CratesFrom::Path(folder.path().to_owned()), true).err().expect("refused");
        assert!(format!("{errors:?}").contains("it has no crate hubgen-machinery"), "{errors:?}");
        let gone = CratesFrom::Path(folder.path().join("gone"));
        let errors = Crates::new(gone, false).err().expect("refused");
        assert!(format!("{errors:?}").contains("is not there any more"), "{errors:?}");
    }
}
