//! The names in a new crate.

use std::path::Path;
use std::{error, fmt};

use hubgen_codegen::naming::is_ident;

/// The names in a new crate, which are valid.
#[derive(Debug, PartialEq, Eq)]
pub struct Names {
    /// The package: `my-backups`.
    pub package: String,
    /// The group: `backup.example.com`.
    pub group: String,
    /// The kind: `Backup`.
    pub kind: String,
}

/// A name that a new crate cannot have. Shows which, and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidName(String);

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for InvalidName {}

/// Packages that the new one depends on, or that cargo refuses.
const TAKEN_PACKAGES: [&str; 8] =
    ["alloc", "core", "hubgen-laws", "hubgen-machinery", "hubgen-meta", "proc-macro", "std", "test"];

/// What the types of the new crate use by these names.
const TAKEN_TYPES: [&str; 6] = ["ApiType", "ListMeta", "ObjectMeta", "Option", "Str", "Vec"];

impl Names {
    /// The names for a crate in a folder.
    ///
    /// # Errors
    /// If a name is not valid: which, and what is expected.
    pub fn new(folder: &Path, group: &str, kind: Option<&str>) -> Result<Self, InvalidName> {
        let package = package(folder)?;
        let kind = match kind {
            Some(kind) => kind.to_owned(),
            None => camel_case(&package),
        };
        check_kind(&kind)?;
        check_group(group)?;
        Ok(Self { package, group: group.to_owned(), kind })
    }

    /// Puts the names into a template.
    pub fn fill(&self, template: &str) -> String {
        template
            .replace("#[kind($NEW)]", &self.attribute("v1"))
            .replace("#[kind($OLD)]", &self.attribute("v1alpha1"))
            .replace("$NAME", &self.package)
            .replace("$CRATE", &self.package.replace('-', "_"))
            .replace("$GROUP", &self.group)
            .replace("$KIND", &self.kind)
    }

    /// `#[kind(…)]` of a version, as rustfmt writes it.
    fn attribute(&self, version: &str) -> String {
        let keys = [("group", &*self.group), ("version", version), ("kind", &*self.kind)];
        let keys = keys.map(|(key, value)| format!("{key} = \"{value}\""));
        let line = keys.join(", ");
        // `attr_fn_like_width` of rustfmt.
        if line.len() <= 70 {
            format!("#[kind({line})]")
        } else {
            format!("#[kind(\n    {}\n)]", keys.join(",\n    "))
        }
    }
}

/// The name of a folder, if a package can have it.
fn package(folder: &Path) -> Result<String, InvalidName> {
    // `.` has no name of its own.
    let real = folder.canonicalize();
    let name = folder.file_name().or(real.as_deref().ok().and_then(Path::file_name));
    let name =
        name.ok_or_else(|| InvalidName(format!("`{}` names no folder", folder.display())))?.to_string_lossy();
    let is_valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        && is_ident(&name.replace('-', "_"));
    if !is_valid {
        return Err(InvalidName(format!(
            "`{name}` cannot be the name of a crate: expected ASCII letters, digits, `-` and `_`, first a letter, and no \
             keyword of Rust"
        )));
    }
    if TAKEN_PACKAGES.contains(&&*name.replace('_', "-")) {
        return Err(InvalidName(format!(
            "`{name}` is another crate, which the new one uses: choose another name"
        )));
    }
    Ok(name.into_owned())
}

/// `my-backups` → `MyBackups`.
fn camel_case(package: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    package.split(['-', '_']).map(capital).collect()
}

fn check_kind(kind: &str) -> Result<(), InvalidName> {
    let is_valid = kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.chars().all(|c| c.is_ascii_alphanumeric())
        && kind.len() <= 63
        && is_ident(kind);
    if !is_valid {
        return Err(InvalidName(format!(
            "`{kind}` cannot be a kind: expected up to 63 ASCII letters and digits, first a capital letter, such as \
             `--kind Backup`"
        )));
    }
    if TAKEN_TYPES.contains(&kind) {
        return Err(InvalidName(format!(
            "the types use another type named `{kind}`: choose a kind with --kind"
        )));
    }
    Ok(())
}

fn check_group(group: &str) -> Result<(), InvalidName> {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    if !group.contains('.') || group.len() > 253 || !group.split('.').all(is_label) {
        return Err(InvalidName(format!(
            "`{group}` cannot be a group: expected a domain in lower case, such as `--group backup.example.com`"
        )));
    }
    for reserved in ["k8s.io", "kubernetes.io"] {
        if group == reserved || group.ends_with(&format!(".{reserved}")) {
            return Err(InvalidName(format!(
                "groups of {reserved} are those of the Kubernetes project: choose a domain of your own with --group"
            )));
        }
    }
    // The module of the group.
    let (label, _) = group.split_once('.').unwrap_or_default();
    if !is_ident(&label.replace('-', "_")) || ["machinery", "scheme"].contains(&label) {
        return Err(InvalidName(format!(
            "`{label}`, the first label of the group, cannot be the name of a module: choose another one with --group"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_name() {
        for (name, kind) in [("demo", "Demo"), ("my-back_ups2", "MyBackUps2"), ("a--b_", "AB")] {
            let names = Names::new(Path::new(name), "example.com", None).expect("valid");
            assert_eq!((&*names.package, &*names.kind), (name, kind));
        }
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        let new = |name: &str, group: &str, kind: Option<&str>| {
            Names::new(Path::new(name), group, kind).expect_err("refused").to_string()
        };
        for name in ["", "/", "1st", "a.b", "größe", "gen", "fn", "-a", "_"] {
            let message = new(name, "example.com", Some("Backup"));
            assert!(
                message.contains("name of a crate") || message.contains("no folder"),
                "{name}: {message}"
            );
        }
        for name in ["core", "hubgen_meta", "test"] {
            assert!(new(name, "example.com", None).contains("choose another name"), "{name}");
        }
        for kind in ["", "backup", "1A", "Back-Up", "Self", "Größe", &"A".repeat(64)] {
            assert!(new("demo", "example.com", Some(kind)).contains("such as `--kind Backup`"), "{kind}");
        }
        assert!(new("str", "example.com", None).contains("choose a kind with --kind"));
        for group in
            ["", "example", "Example.com", "a..b", "-a.b", "a_b.c", &format!("a.{}", "b.".repeat(130))]
        {
            assert!(new("demo", group, None).contains("such as `--group"), "{group}");
        }
        for group in ["k8s.io", "backup.k8s.io", "backup.kubernetes.io"] {
            assert!(new("demo", group, None).contains("a domain of your own"), "{group}");
        }
        for group in ["1st.example.com", "type.example.com", "scheme.example.com"] {
            assert!(new("demo", group, None).contains("first label"), "{group}");
        }
    }
}
