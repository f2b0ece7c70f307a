//! `hubgen.toml`: where a user's repository has its schemas, rules and generated code.
//!
//! ```toml
//! schemas = "schemas"     # schemas, rules and defaults
//! out = "src/api"         # generated code: a module tree of this crate
//! source = "src/api"      # types in Rust, instead of schemas; `out` is then `src/api/generated`
//! crds = "crds"           # CustomResourceDefinitions that `hubgen crds` writes
//! crds-with-rules = true  # definitions bring the rules of their kinds with them
//! enums = false           # strings with listed words stay strings
//!
//! [names]                 # modules that are not named like the first label of the group
//! "example.com" = "certs"
//!
//! [types]                 # objects that become types of Kubernetes, although these may write other JSON
//! "*" = ["meta.k8s.io/v1 Condition"]
//! "Worker.spec.template" = "core/v1 PodTemplateSpec"
//!
//! [presence]              # types with fields where not every absent value is different
//! "*" = "null-is-absent"
//! CertificateSpec = "empty-is-absent"
//!
//! [unknown]               # what becomes of fields that a schema does not list, unless the schema decides
//! WorkerSpec = "refuse"
//!
//! [webhook]               # converts kinds with several versions; definitions name it
//! service = "certs/webhook"
//! ca-from = "certs/webhook-tls"
//! ```

mod webhook;

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use hubgen_model::TypeId;
use toml::de::DeTable;

use crate::crd::{Absent, Mapped, Objects, Presences, Unknown, Unknowns, Webhook};
use crate::table::{Reader, Value, group_version};
use crate::tool::VERSION;
use crate::{Diagnostic, Source as Document};

/// The name of the file.
pub const FILE: &str = "hubgen.toml";

/// What a repository decides about its schemas and its generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder that all paths start from: that of the file.
    pub root: PathBuf,
    /// The folder of schemas, rules and defaults, below the root: `schemas`.
    pub schemas: PathBuf,
    /// The module of the user's source that contains types of the API, if there is one.
    pub source: Option<Source>,
    /// The folder of generated code, below the root: `src/api`, or the folder `generated` of the module
    /// in `source`.
    pub out: PathBuf,
    /// The folder of CustomResourceDefinitions that are written, below the root: `crds`.
    pub crds: PathBuf,
    /// Whether definitions bring the rules of their kinds with them.
    pub crds_with_rules: bool,
    /// What generated code becomes.
    pub output: Output,
    /// Whether imports keep descriptions.
    pub docs: bool,
    /// Whether strings with listed words become enums.
    pub enums: bool,
    /// The names of groups in Rust, where they are not the first label of the group.
    pub names: BTreeMap<String, String>,
    /// Objects of definitions that become types of Kubernetes.
    pub types: Vec<Mapped>,
    /// What is the same as an absent field of a type.
    pub presences: Presences,
    /// What becomes of fields that a schema does not list.
    pub unknowns: Unknowns,
    /// The webhook that converts kinds with several versions, if definitions name one.
    pub webhook: Option<Webhook>,
}

/// A module of the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its file or folder, below the root: `src/api`.
    pub path: PathBuf,
    /// Its path from the root of the crate: `["api"]`.
    pub module: Vec<String>,
}

/// What generated code becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A module tree; the path of its root: `["api"]` for `crate::api`.
    Modules(Vec<String>),
    /// A crate for each group, with names that begin with this prefix.
    Crates(String),
}

impl Project {
    /// The decisions of a folder without a file.
    pub fn default_in(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            schemas: PathBuf::from("schemas"),
            source: None,
            out: PathBuf::from("src/api"),
            crds: PathBuf::from("crds"),
            crds_with_rules: false,
            output: Output::Modules(vec!["api".to_owned()]),
            docs: false,
            enums: true,
            names: BTreeMap::new(),
            types: Vec::new(),
            presences: Presences::default(),
            unknowns: Unknowns::default(),
            webhook: None,
        }
    }

    /// Looks for the file in a folder and its parents; the defaults in `folder` if there is none.
    ///
    /// # Errors
    /// All errors in the file.
    pub fn find(folder: &Path) -> Result<Self, Vec<Diagnostic>> {
        // An empty path is the current folder.
        let absolute = std::env::current_dir().unwrap_or_default().join(folder);
        for (parents, parent) in absolute.ancestors().enumerate() {
            if parent.join(FILE).is_file() {
                // Paths in messages stay as short as the user's own.
                let root = (0..parents).fold(folder.to_path_buf(), |path, _| path.join(".."));
                return Self::read(&root.join(FILE));
            }
        }
        Ok(Self::default_in(folder))
    }

    /// Reads a file that a person named. The file is optional: a `hubgen.toml` that is not there, beside a folder of
    /// schemas, means the defaults.
    ///
    /// # Errors
    /// All errors in the file.
    pub fn named(file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let default = Self::default_in(file.parent().unwrap_or(Path::new("")));
        let is_left_out = file.file_name() == Some(FILE.as_ref()) && !file.exists();
        if is_left_out && default.root.join(&default.schemas).is_dir() {
            Ok(default)
        } else {
            Self::read(file)
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// All errors in the file.
    pub fn read(file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let help = if error.kind() == io::ErrorKind::NotFound {
                "give the path of a hubgen.toml, or of where it would be: beside the folder `schemas`"
            } else {
                "check its permissions"
            };
            vec![Diagnostic::file(file, format!("cannot be read: {error}"), help)]
        })?;
        let root = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let source = Document::new(file, text);
        parse(root, &source)
    }
}

const KEYS: [&str; 14] = [
    "schemas",
    "source",
    "out",
    "crds",
    "crds-with-rules",
    "module",
    "crates",
    "docs",
    "enums",
    "names",
    "types",
    "presence",
    "unknown",
    "webhook",
];

/// Reads the text of a file; or all errors in it, in the order of their lines.
fn parse(root: PathBuf, source: &Document) -> Result<Project, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let project = project(root, &mut Reader::new(source, &mut errors), source.text());
    errors.sort_by_key(|error| (error.line, error.column));
    if errors.is_empty() { Ok(project) } else { Err(errors) }
}

fn project(root: PathBuf, reader: &mut Reader<'_>, text: &str) -> Project {
    let mut project = Project::default_in(&root);
    let document = match DeTable::parse(text) {
        Ok(document) => document.into_inner(),
        Err(error) => {
            let help = "write valid TOML, with each table and key once";
            reader.error(error.span().unwrap_or(0..0), error.message(), help);
            return project;
        }
    };
    for key in document.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
        // People write this file, so that it does not name the version of the tool that it is for.
        let help = format!(
            "expected one of {}; if a newer version of hubgen has this key, install it: this is {VERSION}",
            KEYS.join(", ")
        );
        reader.error(key.span(), format!("unknown key `{}`", key.get_ref()), help);
    }
    if let Some((path, _)) = folder(reader, &document, "schemas") {
        project.schemas = path;
    }
    if let Some((path, _)) = folder(reader, &document, "crds") {
        project.crds = path;
    }
    if let Some(value) = document.get("crds-with-rules") {
        project.crds_with_rules =
            reader.below("crds-with-rules", |reader| reader.bool(value)).unwrap_or(false);
    }
    if let Some(value) = document.get("docs") {
        project.docs = reader.below("docs", |reader| reader.bool(value)).unwrap_or(false);
    }
    if let Some(value) = document.get("enums") {
        project.enums = reader.below("enums", |reader| reader.bool(value)).unwrap_or(true);
    }
    own_source(reader, &document, &mut project);
    output(reader, &document, &mut project);
    if let Some(value) = document.get("names") {
        reader.below("names", |reader| {
            for (group, name) in reader.table(value).into_iter().flatten() {
                let group = group.get_ref().as_ref();
                if let Some(name) = reader.below(group, |reader| reader.string(name)) {
                    project.names.insert(group.to_owned(), name.value);
                }
            }
        });
    }
    if let Some(value) = document.get("types") {
        reader.below("types", |reader| types(reader, value, &mut project.types));
    }
    if let Some(value) = document.get("presence") {
        reader.below("presence", |reader| presences(reader, value, &mut project.presences));
    }
    if let Some(value) = document.get("unknown") {
        reader.below("unknown", |reader| unknowns(reader, value, &mut project.unknowns));
    }
    if let Some(value) = document.get("webhook") {
        project.webhook = reader.below("webhook", |reader| webhook::read(reader, value));
    }
    project
}

/// Reads `source`: types in the user's own Rust, whose conversions are in a module below theirs.
fn own_source(reader: &mut Reader<'_>, document: &DeTable<'_>, project: &mut Project) {
    let Some((path, span)) = folder(reader, document, "source") else { return };
    let Some(module) = modules(&path) else {
        let message = format!("the module in {} is not known", path.display());
        let help = "name a module below `src`, such as `src/api` or `src/api.rs`";
        reader.below("source", |reader| reader.error(span, message, help));
        return;
    };
    project.out = path.with_extension("").join("generated");
    project.output = Output::Modules(module.iter().cloned().chain(["generated".to_owned()]).collect());
    project.source = Some(Source { path, module });
}

/// Reads `out`, `module` and `crates`: where the generated code is, and how other code names it.
fn output(reader: &mut Reader<'_>, document: &DeTable<'_>, project: &mut Project) {
    let out = folder(reader, document, "out");
    let text = |reader: &mut Reader<'_>, key: &str| {
        let value = document.get(key)?;
        reader.below(key, |reader| reader.string(value))
    };
    let (module, prefix) = (text(reader, "module"), text(reader, "crates"));
    if let (Some(module), Some(_)) = (&module, &prefix) {
        let help = "remove `module` for a crate of each group, or `crates` for modules of one crate";
        reader.error(module.span.clone(), "`module` and `crates` exclude each other", help);
    }
    if let (Some(prefix), true) = (&prefix, document.contains_key("source")) {
        let help = "remove `crates`: conversions of types in your source are in your crate";
        reader.error(prefix.span.clone(), "`source` and `crates` exclude each other", help);
    }
    match (prefix, module) {
        (Some(prefix), _) => {
            if !begins_crates(&prefix.value) {
                let message = format!("`{}` cannot begin the name of a crate", prefix.value);
                let help = "write lower case letters, digits and `-`, such as `acme`";
                reader.below("crates", |reader| reader.error(prefix.span.clone(), message, help));
            }
            project.output = Output::Crates(prefix.value);
            project.out = PathBuf::from("crates");
        }
        (None, Some(module)) => match path(&module.value) {
            Some(path) => project.output = Output::Modules(path),
            None => {
                let message = format!("`{}` is not the path of a module", module.value);
                let help = "write a path that begins with `crate`, such as `crate::api`";
                reader.below("module", |reader| reader.error(module.span.clone(), message, help));
            }
        },
        (None, None) => {
            if let Some((path, span)) = &out {
                match modules(path) {
                    Some(path) => project.output = Output::Modules(path),
                    None => unknown_module(reader, path, span.clone()),
                }
            }
        }
    }
    if let Some((path, _)) = out {
        project.out = path;
    }
}

/// Whether the names of crates can begin with a text.
fn begins_crates(prefix: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    prefix.starts_with(|c: char| c.is_ascii_lowercase()) && prefix.chars().all(is_allowed)
}

/// Reads which objects become types of Kubernetes: `"Certificate.spec.template" = "core/v1
/// PodTemplateSpec"`, and `"*"` for every object of the same shape as one of several types.
fn types(reader: &mut Reader<'_>, value: &Value<'_>, mapped: &mut Vec<Mapped>) {
    for (key, value) in reader.table(value).into_iter().flatten() {
        let path = key.get_ref().as_ref();
        reader.below(path, |reader| {
            if path == "*" {
                let names = reader.array(value).into_iter().flat_map(|array| array.iter());
                let ids: Vec<_> = names.filter_map(|name| type_id(reader, name)).collect();
                mapped.extend(ids.into_iter().map(|ty| Mapped { what: Objects::OfSameShape, ty }));
            } else if let Some(ty) = type_id(reader, value) {
                mapped.push(Mapped { what: Objects::At(path.to_owned()), ty });
            }
        });
    }
}

/// The words for what is the same as an absent field.
const PRESENCES: [(&str, Absent); 3] =
    [("exact", Absent::Alone), ("null-is-absent", Absent::Null), ("empty-is-absent", Absent::Empty)];

/// Reads what is the same as an absent field: `CertificateSpec = "empty-is-absent"`, and `"*"` for all
/// other types.
fn presences(reader: &mut Reader<'_>, value: &Value<'_>, presences: &mut Presences) {
    words(reader, value, &PRESENCES, "unknown presence", &mut |name, absent| match name {
        "*" => presences.all = absent,
        name => _ = presences.types.insert(name.to_owned(), absent),
    });
}

/// The words for what becomes of fields that a schema does not list.
const UNKNOWNS: [(&str, Unknown); 3] =
    [("drop", Unknown::Drop), ("keep", Unknown::Keep), ("refuse", Unknown::Refuse)];

/// Reads what becomes of fields that a schema does not list: `WorkerSpec = "refuse"`, and `"*"` for all
/// other types.
fn unknowns(reader: &mut Reader<'_>, value: &Value<'_>, unknowns: &mut Unknowns) {
    words(reader, value, &UNKNOWNS, "unknown word", &mut |name, unknown| match name {
        "*" => unknowns.all = Some(unknown),
        name => _ = unknowns.types.insert(name.to_owned(), unknown),
    });
}

/// Reads a table with one of several words for each name, and calls `set` with each.
fn words<T: Copy, const N: usize>(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    words: &[(&str, T); N],
    wrong: &str,
    set: &mut dyn FnMut(&str, T),
) {
    for (key, value) in reader.table(value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            let Some(word) = reader.string(value) else { return };
            match words.iter().find(|(known, _)| *known == word.value) {
                Some((_, meaning)) => set(name, *meaning),
                None => {
                    let message = format!("{wrong} `{}`", word.value);
                    let help = format!("expected one of {}", words.map(|(word, _)| word).join(", "));
                    reader.error(word.span, message, help);
                }
            }
        });
    }
}

/// Reads the name of a type of Kubernetes: `core/v1 PodTemplateSpec`.
fn type_id(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<TypeId> {
    let text = reader.string(value)?;
    let parsed = text.value.split_once(' ').and_then(|(version, name)| {
        let version = group_version(version)?;
        (!name.is_empty() && !name.contains(' ')).then(|| TypeId::at(version, name))
    });
    if parsed.is_none() {
        let message = format!("`{}` is not the name of a type", text.value);
        reader.error(text.span, message, "write group, version and type, such as `core/v1 PodTemplateSpec`");
    }
    parsed
}

fn unknown_module(reader: &mut Reader<'_>, path: &Path, span: Range<usize>) {
    let message = format!("the module in {} is not known", path.display());
    let help = "name a folder below `src`, or name the module: `module = \"crate::api\"`";
    reader.below("out", |reader| reader.error(span, message, help));
}

/// A folder below that of the file, and its position.
fn folder(reader: &mut Reader<'_>, document: &DeTable<'_>, key: &str) -> Option<(PathBuf, Range<usize>)> {
    let value = document.get(key)?;
    reader.below(key, |reader| {
        let text = reader.string(value)?;
        let path = PathBuf::from(&text.value);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below || text.value.is_empty() {
            let message = format!("`{}` is not a folder below this file", text.value);
            reader.error(text.span, message, "write a relative path without `..`");
            return None;
        }
        Some((path, text.span))
    })
}

/// The module in a folder or file of sources: `["api"]` for `src/api` and `src/api.rs`.
fn modules(folder: &Path) -> Option<Vec<String>> {
    let folder = if folder.extension().is_some_and(|extension| extension == "rs") {
        folder.with_extension("")
    } else {
        folder.to_owned()
    };
    let parts: Option<Vec<&str>> = folder.components().map(|part| part.as_os_str().to_str()).collect();
    let parts = parts?;
    let at = parts.iter().position(|part| *part == "src")?;
    let below = &parts[at + 1..];
    (!below.is_empty() && below.iter().all(|name| is_module(name)))
        .then(|| below.iter().map(|name| (*name).to_owned()).collect())
}

/// The modules of a path that begins with `crate`.
fn path(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("::");
    let rest: Vec<&str> = if parts.next() == Some("crate") { parts.collect() } else { return None };
    (!rest.is_empty() && rest.iter().all(|name| is_module(name)))
        .then(|| rest.into_iter().map(str::to_owned).collect())
}

fn is_module(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crd::Address;

    fn read(text: &str) -> Result<Project, Vec<String>> {
        parse(PathBuf::from("repo"), &Document::new("hubgen.toml", text))
            .map_err(|errors| errors.iter().map(Diagnostic::to_string).collect())
    }

    #[test]
    fn an_empty_file_has_defaults() {
        assert_eq!(read("").unwrap(), Project::default_in(Path::new("repo")));
    }

    #[test]
    fn the_module_follows_from_the_folder() {
        let project = read("out = \"controller/src/api/generated\"\n[names]\n\"a.b\" = \"certs\"").unwrap();
        assert_eq!(project.output, Output::Modules(vec!["api".to_owned(), "generated".to_owned()]));
        assert_eq!(project.names["a.b"], "certs");
        let project = read("out = \"gen\"\nmodule = \"crate::types\"").unwrap();
        assert_eq!(project.output, Output::Modules(vec!["types".to_owned()]));
        assert_eq!(project.out, Path::new("gen"));
    }

    #[test]
    fn objects_become_types_of_kubernetes() {
        let text = "[types]\n\"*\" = [\"meta.k8s.io/v1 Condition\"]\n\"Worker.spec.template\" = \"core/v1 PodTemplateSpec\"";
        let types = read(text).unwrap().types;
        let condition = TypeId::new("meta.k8s.io", "v1", "Condition");
        let template = TypeId::new("", "v1", "PodTemplateSpec");
        let at = Objects::At("Worker.spec.template".to_owned());
        assert_eq!(
            types,
            [Mapped { what: Objects::OfSameShape, ty: condition }, Mapped { what: at, ty: template }]
        );
        assert_eq!(
            read("[types]\n\"A.b\" = \"PodSpec\"").unwrap_err(),
            [
                "hubgen.toml:2:9: types.A.b: `PodSpec` is not the name of a type\n  help: write group, version and type, such as `core/v1 PodTemplateSpec`"
            ]
        );
    }

    #[test]
    fn words_become_enums_or_not() {
        assert!(read("").unwrap().enums);
        assert!(!read("enums = false").unwrap().enums);
        assert_eq!(
            read("enums = \"no\"").unwrap_err(),
            ["hubgen.toml:1:9: enums: expected true or false, found string"]
        );
    }

    #[test]
    fn absent_values_are_what_the_user_declares() {
        let text =
            "[presence]\n\"*\" = \"null-is-absent\"\nWidgetSpec = \"empty-is-absent\"\nPart = \"exact\"";
        let Presences { all, types } = read(text).unwrap().presences;
        assert_eq!(all, Absent::Null);
        let expected = [("Part", Absent::Alone), ("WidgetSpec", Absent::Empty)];
        assert_eq!(types, expected.map(|(name, absent)| (name.to_owned(), absent)).into());
        assert_eq!(
            read("[presence]\nA = \"empty\"").unwrap_err(),
            [
                "hubgen.toml:2:5: presence.A: unknown presence `empty`\n  help: expected one of exact, null-is-absent, empty-is-absent"
            ]
        );
    }

    #[test]
    fn generated_code_is_below_the_source() {
        for path in ["src/api", "src/api.rs"] {
            let project = read(&format!("source = \"{path}\"")).unwrap();
            let source = project.source.unwrap();
            assert_eq!((source.path, source.module), (PathBuf::from(path), vec!["api".to_owned()]));
            assert_eq!(project.out, Path::new("src/api/generated"));
            assert_eq!(project.output, Output::Modules(vec!["api".to_owned(), "generated".to_owned()]));
        }
        let project = read("source = \"src/api\"\nout = \"src/made\"").unwrap();
        assert_eq!(project.output, Output::Modules(vec!["made".to_owned()]));
        assert_eq!(
            read("source = \"types\"\ncrates = \"acme\"").unwrap_err(),
            [
                "hubgen.toml:1:10: source: the module in types is not known\n  help: name a module below `src`, such as `src/api` or `src/api.rs`",
                "hubgen.toml:2:10: `source` and `crates` exclude each other\n  help: remove `crates`: conversions of types in your source are in your crate"
            ]
        );
    }

    #[test]
    fn unknown_fields_are_what_the_user_declares() {
        let Unknowns { all, types } =
            read("[unknown]\n\"*\" = \"refuse\"\nA = \"keep\"\nB = \"drop\"").unwrap().unknowns;
        assert_eq!(all, Some(Unknown::Refuse));
        let expected = [("A", Unknown::Keep), ("B", Unknown::Drop)];
        assert_eq!(types, expected.map(|(name, unknown)| (name.to_owned(), unknown)).into());
        assert_eq!(
            read("[unknown]\nA = \"prune\"").unwrap_err(),
            ["hubgen.toml:2:5: unknown.A: unknown word `prune`\n  help: expected one of drop, keep, refuse"]
        );
    }

    #[test]
    fn a_webhook_is_a_service_or_a_url() {
        let webhook =
            |text: &str| read(&format!("[webhook]\n{text}")).map(|project| project.webhook.unwrap());
        let service = |port, path: &str| Address::Service {
            namespace: "certs".to_owned(),
            name: "webhook".to_owned(),
            port,
            path: path.to_owned(),
        };
        let address = |text: &str| webhook(text).unwrap().address;
        assert_eq!(address("service = \"certs/webhook\""), service(None, "/convert"));
        assert_eq!(
            address("service = \"certs/webhook\"\nport = 9443\npath = \"/a\""),
            service(Some(9443), "/a")
        );
        let url = webhook("url = \"https://a:1/b\"\nca-from = \"certs/tls\"").unwrap();
        assert_eq!(url.address, Address::Url("https://a:1/b".to_owned()));
        assert_eq!(url.ca_from.as_deref(), Some("certs/tls"));
        let cases = [
            (
                "",
                "1:1: webhook: the address of the webhook is missing\n  help: add `service = \"NAMESPACE/NAME\"`, or `url = \"https://…\"`",
            ),
            (
                "service = \"webhook\"",
                "2:11: webhook.service: `webhook` is not the name of a Service\n  help: write its namespace and its name: `certs/webhook`",
            ),
            (
                "url = \"http://a\"",
                "2:7: webhook.url: API servers refuse the URL `http://a`: its scheme is not https\n  help: write `https://HOST:PORT/PATH`",
            ),
            (
                "url = \"certs/webhook\"",
                "2:7: webhook.url: `certs/webhook` is not a URL\n  help: write `https://HOST:PORT/PATH`",
            ),
            (
                "service = \"a/b\"\nurl = \"https://a\"",
                "3:7: webhook: `service` and `url` exclude each other\n  help: remove `url` for a Service of the cluster, or `service` for another server",
            ),
            (
                "service = \"a/b\"\nport = 0",
                "3:8: webhook.port: 0 is not a port\n  help: write a number from 1 to 65535",
            ),
            (
                "service = \"a/b\"\npath = \"a\"",
                "3:8: webhook.path: `a` is not the path of a webhook: it does not begin with `/`\n  help: write one such as `/convert`",
            ),
            (
                "service = \"a/b\"\npath = \"/Convert\"",
                "3:8: webhook.path: `/Convert` is not the path of a webhook: between its slashes API servers accept lower-case letters, digits, `-` and `.`, found `Convert`\n  help: write one such as `/convert`",
            ),
            (
                "service = \"a/b\"\npath = \"/a//b\"",
                "3:8: webhook.path: `/a//b` is not the path of a webhook: between its slashes API servers accept lower-case letters, digits, `-` and `.`, found ``\n  help: write one such as `/convert`",
            ),
            (
                "service = \"a/b\"\nca-from = \"a\"",
                "3:11: webhook.ca-from: `a` is not the name of a Certificate\n  help: write its namespace and its name: `certs/webhook`",
            ),
            (
                "service = \"a/b\"\nca = 1",
                "3:1: webhook: unknown key `ca`\n  help: expected one of service, port, path, url, ca-from, incomplete",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(webhook(text).unwrap_err(), [format!("hubgen.toml:{expected}")]);
        }
        let both = webhook("url = \"https://a\"\nport = 1").unwrap_err();
        assert!(both[0].ends_with(
            "`url` excludes `port` and `path`\n  help: write both in the URL: `https://HOST:PORT/PATH`"
        ));
    }

    #[test]
    fn crates_have_a_prefix() {
        let project = read("crates = \"acme\"").unwrap();
        assert_eq!(project.output, Output::Crates("acme".to_owned()));
        assert_eq!(project.out, Path::new("crates"));
    }

    #[test]
    fn errors_are_reported_together() {
        let errors = read("scemas = \"x\"\nout = \"../up\"\ndocs = 1\ncrates = \"Acme\"").unwrap_err();
        let unknown = format!(
            "hubgen.toml:1:1: unknown key `scemas`\n  help: expected one of {}; if a newer version of hubgen has this \
             key, install it: this is {VERSION}",
            KEYS.join(", ")
        );
        let expected = [
            unknown.as_str(),
            "hubgen.toml:2:7: out: `../up` is not a folder below this file\n  help: write a relative path without `..`",
            "hubgen.toml:3:8: docs: expected true or false, found integer",
            "hubgen.toml:4:10: crates: `Acme` cannot begin the name of a crate\n  help: write lower case letters, digits and `-`, such as `acme`",
        ];
        assert_eq!(errors, expected);
        assert_eq!(
            read("out = \"gen\"").unwrap_err(),
            [
                "hubgen.toml:1:7: out: the module in gen is not known\n  help: name a folder below `src`, or name the module: `module = \"crate::api\"`"
            ]
        );
    }
}
