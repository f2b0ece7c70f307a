//! Reads distilled schemas into the model. Reports all errors, not only the first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_model::{
    Api, Field, GroupVersion, GroupVersionKind, Kind, ListType, Omit, Origin, Patch, Presence, Release,
    Resource, RustName, Scope, Subresource, Type, TypeBody, TypeId, Verb, Version,
};
use indexmap::IndexMap;

use super::carried::Carried;
use super::facts::{self, Owner};
use super::format::{self, KEEP, REFUSE, TOOL, UNKNOWN, file_path};
use super::reader::{Reader, References};
use super::{definition, expr};
use crate::node::Node;
use crate::tool::{VERSION, is_newer};
use crate::{Diagnostic, Source};

/// Reads every `<group>/<version>.json` below `path`. Ignores the folders `rules` and `defaults`.
/// Schemas that refer to another API are read with [`Carried::read_dir`].
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(path: &Path) -> Result<Api, Vec<Diagnostic>> {
    Carried::default().read_dir(path)
}

impl Carried<'_> {
    /// Like [`read_dir`]. What the schemas refer to and do not define is read from these schemas.
    ///
    /// # Errors
    /// All errors, in the order of files and lines.
    pub fn read_dir(&self, path: &Path) -> Result<Api, Vec<Diagnostic>> {
        complete(self.read_parts(path)?)
    }

    /// Like [`read_files`]. What the schemas refer to and do not define is read from these schemas.
    ///
    /// # Errors
    /// All errors, in the order of files and lines.
    pub fn read_files(&self, files: BTreeMap<PathBuf, String>) -> Result<Api, Vec<Diagnostic>> {
        complete(read_texts(files, self))
    }

    /// Like [`Carried::read_parts`], with further versions. Types of them may refer to those of the
    /// schemas, and the other way round. The folder need not exist.
    ///
    /// # Errors
    /// If the files cannot be read at all, or one of the versions has a file, too.
    pub fn read_with(&self, path: &Path, more: &Api) -> Result<(Api, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut files = if path.exists() { texts(path)? } else { BTreeMap::new() };
        for (file, text) in super::files(more, None) {
            let file = path.join(file);
            if files.insert(file.clone(), text).is_some() {
                let help = "delete the file, or the module";
                let message = "the version has a schema, and a module in the source that hubgen.toml names";
                return Err(vec![Diagnostic::file(file, message, help)]);
            }
        }
        Ok(read_texts(files, self))
    }

    /// Like [`Carried::read_dir`], but returns both the part that could be read and all errors in
    /// the rest.
    ///
    /// # Errors
    /// If the files cannot be read at all.
    pub fn read_parts(&self, path: &Path) -> Result<(Api, Vec<Diagnostic>), Vec<Diagnostic>> {
        Ok(read_texts(texts(path)?, self))
    }
}

/// The texts of all documents below a folder.
fn texts(path: &Path) -> Result<BTreeMap<PathBuf, String>, Vec<Diagnostic>> {
    let unreadable = |path: &Path, error: std::io::Error| {
        vec![Diagnostic::file(
            path,
            format!("cannot be read: {error}"),
            "give the folder that contains the schemas; for types in Rust, name their module in hubgen.toml: `source = \
             \"src/api\"`",
        )]
    };
    let list = |folder: &Path| -> Result<BTreeSet<PathBuf>, Vec<Diagnostic>> {
        std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .map_err(|error| unreadable(folder, error))
    };
    let mut files = BTreeMap::new();
    for group in list(path)? {
        let name = group.file_name().unwrap_or_default();
        if !group.is_dir() || name == "rules" || name == "defaults" {
            continue;
        }
        for file in list(&group)? {
            if file.extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, error))?;
                files.insert(file, text);
            }
        }
    }
    Ok(files)
}

/// Reads schemas from their texts. The last two components of each path are the group (`core` for
/// the empty one) and `<version>.json`.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_files(files: BTreeMap<PathBuf, String>) -> Result<Api, Vec<Diagnostic>> {
    Carried::default().read_files(files)
}

/// Adds the content of one document.
fn read_text(
    source: Source,
    origin: Origin,
    api: &mut Api,
    errors: &mut Vec<Diagnostic>,
    references: &mut References,
) {
    let home = GroupVersion::default();
    let mut reader = Reader { source: &source, home, errors: Vec::new(), references: Vec::new() };
    match Node::parse(&source) {
        Err(error) => reader.errors.push(error),
        Ok(document) => {
            if let Some(version) = reader.document(&document) {
                api.versions.insert(reader.home.clone(), Version { origin, ..version });
            }
        }
    }
    let Reader { errors: mut found, references: mut pointing, .. } = reader;
    errors.append(&mut found);
    references.append(&mut pointing);
}

/// A carried document that the schemas need: they refer to one of its types or kinds.
fn missing<'a>(api: &Api, references: &References, carried: &Carried<'a>) -> Option<(GroupVersion, &'a str)> {
    let of_types = references.iter().map(|(id, _)| &id.group_version);
    let resources = api.own_types().filter_map(|ty| ty.kind.as_ref()?.resource.as_ref());
    let of_kinds = resources
        .flat_map(|resource| resource.subresources.values())
        .filter_map(|subresource| Some(&subresource.kind.as_ref()?.group_version));
    let mut unread = of_types.chain(of_kinds).filter(|name| !api.versions.contains_key(*name));
    unread.find_map(|name| Some((name.clone(), carried.document(name)?)))
}

fn complete((api, errors): (Api, Vec<Diagnostic>)) -> Result<Api, Vec<Diagnostic>> {
    if errors.is_empty() { Ok(api) } else { Err(errors) }
}

fn read_texts(files: BTreeMap<PathBuf, String>, carried: &Carried<'_>) -> (Api, Vec<Diagnostic>) {
    let mut api = Api::default();
    let mut errors = Vec::new();
    let mut references = Vec::new();
    let names: Vec<PathBuf> = files.keys().cloned().collect();
    for (file, text) in files {
        read_text(Source::new(file, text), Origin::Generated, &mut api, &mut errors, &mut references);
    }
    // Foreign documents refer to others.
    while let Some((name, text)) = missing(&api, &references, carried) {
        read_text(
            Source::new(file_path(&name), text),
            Origin::Foreign,
            &mut api,
            &mut errors,
            &mut references,
        );
        if !api.versions.contains_key(&name) {
            break;
        }
    }
    // Errors in a document are reported once, not at every reference to it.
    let is_unread = |id: &TypeId| {
        let file_path = file_path(&id.group_version);
        !api.versions.contains_key(&id.group_version) && names.iter().any(|name| name.ends_with(&file_path))
    };
    for (id, error) in references {
        if api.find(&id).is_none() && !is_unread(&id) {
            errors.push(error);
        }
    }
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    (api, errors)
}

const TYPE_KEYS: [&str; 13] = [
    "type",
    "description",
    "x-since",
    "x-until",
    "x-kubernetes-group-version-kind",
    "x-bare",
    "x-kind-since",
    "x-kind-until",
    "x-resource",
    definition::KEY,
    UNKNOWN,
    "required",
    "properties",
];

const PROPERTY_KEYS: [&str; 15] = [
    "description",
    "x-presence",
    "x-omit",
    "x-number",
    "x-rust-suffix",
    "x-rust-name",
    "x-since",
    "x-until",
    "default",
    "enum",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-patch-merge-key",
];

impl Reader<'_> {
    fn document(&mut self, document: &Node) -> Option<Version> {
        let missing = |reader: &mut Self, path: &str| {
            reader.error(
                document,
                path,
                "missing",
                "write it as `hubgen import` does, or import the definition again",
            );
        };
        let Some(info) = document.get("info") else {
            missing(self, "info");
            return None;
        };
        if let Some(theirs) = self.text(info, "info", TOOL).filter(|theirs| is_newer(theirs, VERSION)) {
            // Every key that this version does not know would be an error.
            let help = format!(
                "install {theirs} or a newer version; to go back to {VERSION}, delete the file and import again"
            );
            let message =
                format!("version {theirs} of hubgen wrote this file, and this is version {VERSION}");
            self.error(info.get(TOOL).unwrap_or(info), &format!("info.{TOOL}"), message, help);
            return None;
        }
        let (Some(group), Some(version)) =
            (self.text(info, "info", "x-group"), self.text(info, "info", "version"))
        else {
            missing(self, "info.x-group, info.version");
            return None;
        };
        self.home = GroupVersion::new(group, version);
        let file_path = file_path(&self.home);
        if !self.source.file().ends_with(&file_path) {
            self.error(
                info,
                "info",
                format!("this is a document of {}, but the file name is that of another version", self.home),
                format!("move a document of {} to {}", self.home, file_path.display()),
            );
        }
        let Some(schemas) = document.get("components").and_then(|node| node.get("schemas")) else {
            missing(self, "components.schemas");
            return None;
        };
        let mut types = IndexMap::new();
        for (name, schema) in schemas.object().into_iter().flatten() {
            types.insert(name.clone(), self.type_schema(name, schema));
        }
        types.sort_keys();
        Some(Version {
            since: self.release(info, "info", "x-since"),
            until: self.release(info, "info", "x-until"),
            origin: Origin::default(),
            types,
        })
    }

    fn type_schema(&mut self, name: &str, schema: &Node) -> Type {
        let path = format!("components.schemas.{name}");
        let known: Vec<&str> = TYPE_KEYS.into_iter().chain(facts::keys(Owner::Type)).collect();
        self.only(schema, &path, &known);
        let since = self.release(schema, &path, "x-since");
        let until = self.release(schema, &path, "x-until");
        let required = self.texts(schema, &path, "required");
        let mut fields = Vec::new();
        match schema.get("properties").map(|node| (node, node.object())) {
            Some((_, Some(properties))) => {
                for (name, property) in properties {
                    let path = format!("{path}.properties.{name}");
                    if let Some(mut field) = self.property(name, property, &path, (since, until)) {
                        field.required = required.contains(name);
                        fields.push(field);
                    }
                }
                for name in required.iter().filter(|name| !properties.contains_key(*name)) {
                    self.error(
                        schema,
                        &format!("{path}.required"),
                        format!("`{name}` is required, but not a property"),
                        "remove it from `required` or describe it under `properties`",
                    );
                }
            }
            Some((node, None)) => {
                self.error(
                    node,
                    &format!("{path}.properties"),
                    "not an object",
                    "write an object of properties",
                );
            }
            None => self.error(
                schema,
                &path,
                "a type without `properties`",
                "every type is an object; give an empty one `\"properties\": {}`",
            ),
        }
        let refuses_unknown =
            self.member(schema, &path, UNKNOWN, "\"keep\" or \"refuse\", or leave it out", |node| {
                let word = node.str()?;
                [KEEP, REFUSE].contains(&word).then_some(word == REFUSE)
            });
        if refuses_unknown == Some(false) {
            if let Some(taken) = schema.get("properties").and_then(|properties| properties.get(Field::REST)) {
                self.error(
                    taken,
                    &format!("{path}.properties"),
                    format!("a property `{}`, in a type that keeps unknown fields", Field::REST),
                    format!("remove `{UNKNOWN}`; rules call the unknown fields `{}`", Field::REST),
                );
            }
            fields.push(Field::rest(&fields));
        }
        Type {
            id: TypeId::at(self.home.clone(), name),
            body: TypeBody::Struct(fields),
            refuses_unknown: refuses_unknown == Some(true),
            kind: self.kind(schema, &path, (since, until)),
            since,
            until,
            description: self.text(schema, &path, "description"),
            facts: self.facts(schema, &path, None, Owner::Type),
        }
    }

    fn gvk(&mut self, node: &Node, path: &str) -> Option<GroupVersionKind> {
        let mut part = |key: &str| {
            let text = node.get(key).and_then(Node::str).map(str::to_owned);
            if text.is_none() {
                self.error(
                    node,
                    path,
                    format!("`{key}` is missing"),
                    "write group, version and kind as strings",
                );
            }
            text
        };
        Some(GroupVersionKind::new(part("group")?, part("version")?, part("kind")?))
    }

    fn kind(
        &mut self,
        schema: &Node,
        path: &str,
        (since, until): (Option<Release>, Option<Release>),
    ) -> Option<Kind> {
        let key = "x-kubernetes-group-version-kind";
        let path_of_kinds = format!("{path}.{key}");
        let kinds = schema.get(key)?;
        let Some(elements) = kinds.array() else {
            self.error(
                kinds,
                &path_of_kinds,
                "not a list",
                "write a list of objects with group, version and kind",
            );
            return None;
        };
        let registered = elements.iter().filter_map(|node| self.gvk(node, &path_of_kinds)).collect();
        let (since, until) = self.releases(schema, path, ["x-kind-since", "x-kind-until"], (since, until));
        Some(Kind {
            registered,
            bare: self.flag(schema, path, "x-bare"),
            resource: schema.get("x-resource").and_then(|node| self.resource(node, path, (since, until))),
            since,
            until,
            definition: schema
                .get(definition::KEY)
                .and_then(|node| self.definition(node, path))
                .map(Box::new),
        })
    }

    /// The releases of an element: those in the document, or else those of the enclosing element.
    fn releases(
        &mut self,
        node: &Node,
        path: &str,
        keys: [&str; 2],
        outer: (Option<Release>, Option<Release>),
    ) -> (Option<Release>, Option<Release>) {
        if keys.iter().all(|key| node.get(key).is_none()) {
            return outer;
        }
        let [since, until] = keys.map(|key| self.release(node, path, key));
        (since, until)
    }

    fn verbs(&mut self, node: &Node, path: &str) -> Vec<Verb> {
        let mut verbs = Vec::new();
        for name in self.texts(node, path, "verbs") {
            match Verb::parse(&name) {
                Some(verb) => verbs.push(verb),
                None => self.error(
                    node,
                    &format!("{path}.verbs"),
                    format!("unknown verb `{name}`"),
                    format!("known verbs: {}", Verb::ALL.map(Verb::as_str).join(", ")),
                ),
            }
        }
        verbs
    }

    fn resource(
        &mut self,
        node: &Node,
        path: &str,
        releases: (Option<Release>, Option<Release>),
    ) -> Option<Resource> {
        let path = format!("{path}.x-resource");
        self.only(
            node,
            &path,
            &["plural", "singular", "scope", "verbs", "shortNames", "categories", "subresources"],
        );
        let scope = self
            .member(node, &path, "scope", "\"Namespaced\" or \"Cluster\"", |node| Scope::parse(node.str()?));
        let (Some(plural), Some(singular), Some(scope)) =
            (self.text(node, &path, "plural"), self.text(node, &path, "singular"), scope)
        else {
            self.error(node, &path, "incomplete", "give plural, singular and scope");
            return None;
        };
        let mut subresources = BTreeMap::new();
        for (name, sub) in node.get("subresources").and_then(Node::object).into_iter().flatten() {
            let path = format!("{path}.subresources.{name}");
            let kind = sub.get("kind").and_then(|kind| self.gvk(kind, &path));
            let verbs = self.verbs(sub, &path);
            let (since, until) = self.releases(sub, &path, ["x-since", "x-until"], releases);
            subresources.insert(name.clone(), Subresource { kind, verbs, since, until });
        }
        Some(Resource {
            plural,
            singular,
            scope,
            verbs: self.verbs(node, &path),
            short_names: self.texts(node, &path, "shortNames"),
            categories: self.texts(node, &path, "categories"),
            subresources,
        })
    }

    fn property(
        &mut self,
        name: &str,
        node: &Node,
        path: &str,
        (since, until): (Option<Release>, Option<Release>),
    ) -> Option<Field> {
        let known: Vec<&str> = format::EXPRESSION_KEYS
            .into_iter()
            .chain(PROPERTY_KEYS)
            .chain(facts::keys(Owner::Property))
            .collect();
        self.only(node, path, &known);
        let ty = match expr::read(node, &self.home) {
            Ok(ty) => ty,
            Err((at, message, help)) => {
                self.error(at, path, message, help);
                return None;
            }
        };
        if let Some(id) = ty.named() {
            let error = self.source.error(
                node.span.clone(),
                path,
                format!("there is no type {id}"),
                "correct the reference, or add the type to the document that it points to",
            );
            self.references.push((id.clone(), error));
        }
        let mut field = Field::new(name, ty);
        self.representation(node, path, &mut field);
        field.default = node.get("default").map(Node::to_json);
        field.enumeration = self
            .member(node, path, "enum", "a list of values", |node| {
                Some(node.array()?.iter().map(Node::to_json).collect())
            })
            .unwrap_or_default();
        self.merging(node, path, &mut field);
        field.description = self.text(node, path, "description");
        field.facts = self.facts(node, path, Some(&field.ty), Owner::Property);
        let own = node.get("x-since").is_some() || node.get("x-until").is_some();
        field.since = if own { self.release(node, path, "x-since") } else { since };
        field.until = if own { self.release(node, path, "x-until") } else { until };
        Some(field)
    }

    /// How JSON, protobuf and Rust write the field.
    fn representation(&mut self, node: &Node, path: &str, field: &mut Field) {
        field.presence = self
            .member(node, path, "x-presence", "\"pointer\" or \"nullable\", or leave it out", |node| {
                match node.str()? {
                    "pointer" => Some(Presence::Pointer),
                    "nullable" => Some(Presence::Nullable),
                    _ => None,
                }
            })
            .unwrap_or(Presence::Value);
        field.omit = self
            .member(node, path, "x-omit", "\"never\", \"zero\" or \"exact\", or leave it out", |node| {
                match node.str()? {
                    "never" => Some(Omit::Never),
                    "zero" => Some(Omit::Zero),
                    "exact" => Some(Omit::Exact),
                    _ => None,
                }
            })
            .unwrap_or(Omit::Empty);
        field.number = self
            .member(node, path, "x-number", "a protobuf number or a list of them", |node| {
                match node.array() {
                    Some(path) => path.iter().map(Node::u32).collect(),
                    None => Some(vec![node.u32()?]),
                }
            })
            .unwrap_or_default();
        if let Some(suffix) = self.member(node, path, "x-rust-suffix", "an integer", Node::u32) {
            field.rust_name = RustName::Numbered(suffix);
        }
        if let Some(name) = self.text(node, path, "x-rust-name") {
            field.rust_name = RustName::Written(name);
        }
    }

    /// How writers of the field share it: apply and patches.
    fn merging(&mut self, node: &Node, path: &str, field: &mut Field) {
        let keys = self.texts(node, path, "x-kubernetes-list-map-keys");
        let expected = "\"atomic\", \"set\" or \"map\" (with x-kubernetes-list-map-keys)";
        field.list_type =
            self.member(node, path, "x-kubernetes-list-type", expected, |node| match node.str()? {
                "atomic" => Some(ListType::Atomic),
                "set" => Some(ListType::Set),
                "map" if !keys.is_empty() => Some(ListType::Map(keys.clone())),
                _ => None,
            });
        let is_atomic = |node: &Node| (node.str()? == "atomic").then_some(());
        field.atomic = self
            .member(node, path, "x-kubernetes-map-type", "\"atomic\", or leave it out", is_atomic)
            .is_some();
        let items = node.get("items").filter(|_| field.has_items_apart());
        field.atomic |=
            items.and_then(|items| items.get("x-kubernetes-map-type")).and_then(is_atomic).is_some();
        let strategy = self.text(node, path, "x-kubernetes-patch-strategy");
        let merge_key = self.text(node, path, "x-kubernetes-patch-merge-key");
        if strategy.is_some() || merge_key.is_some() {
            let strategies = strategy.iter().flat_map(|text| text.split(',')).map(str::to_owned).collect();
            field.patch = Some(Patch { strategies, merge_key });
        }
    }
}
