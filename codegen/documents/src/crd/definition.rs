//! Reads definitions, except their schemas.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_model::{
    Column, Definition as Facts, GroupVersion, GroupVersionKind, Resource, Scale, Scope, Shared, Subresource,
    Verb,
};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

/// A CustomResourceDefinition.
pub(super) struct Definition {
    /// The document.
    pub source: Source,
    /// The position of its names.
    pub span: Range<usize>,
    /// Group and kind.
    pub group: String,
    pub kind: String,
    /// The kind of lists.
    pub list_kind: String,
    /// Names and scope, without subresources.
    pub resource: Resource,
    /// The versions, in the order of the document.
    pub versions: Vec<Version>,
    /// Whether the server keeps fields that no schema mentions.
    pub preserves: bool,
}

/// One version of a definition.
pub(super) struct Version {
    pub name: String,
    /// The document of the schema.
    pub source: Source,
    /// The path in the document, for messages.
    pub path: String,
    /// The schema of objects.
    pub schema: Node,
    /// What the document specifies besides. Subresources are in `resource`.
    pub facts: Facts,
    pub resource: Resource,
}

impl Definition {
    /// Group and version of one of its versions.
    pub fn group_version(&self, version: &Version) -> GroupVersion {
        GroupVersion::new(self.group.clone(), version.name.clone())
    }
}

/// The names of a definition. Those that are missing have been reported.
struct Names {
    kind: Option<String>,
    plural: Option<String>,
    list_kind: Option<String>,
    singular: Option<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
    span: Range<usize>,
}

/// Reads one definition.
pub(super) struct Reader<'a> {
    source: &'a Source,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self { source, errors: Vec::new(), warnings: Vec::new() }
    }

    pub fn error(&mut self, at: &Node, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(self.source.error(at.span.clone(), path, message, help));
    }

    /// Reads a member; `null` is as if it were missing. Reports an error if `read` returns `None`.
    fn member<T>(
        &mut self,
        node: &Node,
        path: &str,
        key: &str,
        expected: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<T> {
        let member = present(node, key)?;
        let value = read(member);
        if value.is_none() {
            let message = format!("{} here", member.kind());
            self.error(member, &format!("{path}.{key}"), message, format!("write {expected}"));
        }
        value
    }

    fn text(&mut self, node: &Node, path: &str, key: &str) -> Option<String> {
        self.member(node, path, key, "a string", |node| node.str().map(str::to_owned))
    }

    fn needed_text(&mut self, node: &Node, path: &str, key: &str) -> Option<String> {
        if present(node, key).is_none_or(|member| member.str() == Some("")) {
            self.error(node, &format!("{path}.{key}"), "missing", "the API server requires it");
            return None;
        }
        self.text(node, path, key)
    }

    fn texts(&mut self, node: &Node, path: &str, key: &str) -> Vec<String> {
        self.member(node, path, key, "a list of strings", |node| {
            node.array()?.iter().map(|element| element.str().map(str::to_owned)).collect()
        })
        .unwrap_or_default()
    }

    fn map(&mut self, node: &Node, path: &str, key: &str) -> BTreeMap<String, String> {
        self.member(node, path, key, "a map of strings", |node| {
            node.object()?.iter().map(|(key, value)| Some((key.clone(), value.str()?.to_owned()))).collect()
        })
        .unwrap_or_default()
    }

    fn flag(&mut self, node: &Node, path: &str, key: &str) -> Option<bool> {
        self.member(node, path, key, "true or false", Node::bool)
    }

    fn only(&mut self, node: &Node, path: &str, known: &[&str]) {
        for (key, member) in node.object().into_iter().flatten() {
            if !known.contains(&key.as_str()) {
                let message = format!("unknown key `{key}`, which the API server ignores");
                let help = format!("known keys: {}", known.join(", "));
                let path = format!("{path}.{key}");
                self.warnings.push(self.source.error(member.span.clone(), path, message, help).warning());
            }
        }
    }

    /// Reads a definition with this `metadata.name`; `None` if too much is missing.
    pub fn definition(&mut self, object: &Node, name: &str) -> Option<Definition> {
        let is_beta = match object.get("apiVersion").and_then(Node::str) {
            Some("apiextensions.k8s.io/v1") => false,
            Some("apiextensions.k8s.io/v1beta1") => true,
            _ => {
                let at = object.get("apiVersion").unwrap_or(object);
                self.error(
                    at,
                    "apiVersion",
                    "this version of CustomResourceDefinition is not known",
                    "write apiextensions.k8s.io/v1 (or v1beta1)",
                );
                return None;
            }
        };
        let Some(spec) = present(object, "spec") else {
            self.error(object, "spec", "missing", "the API server requires it");
            return None;
        };
        let mut keys = vec!["group", "names", "scope", "versions", "conversion", "preserveUnknownFields"];
        if is_beta {
            keys.extend(["version", "validation", "subresources", "additionalPrinterColumns"]);
        }
        self.only(spec, "spec", &keys);
        let group = self.needed_text(spec, "spec", "group");
        let names = self.names(spec);
        let plural = names.as_ref().and_then(|names| names.plural.clone());
        if let (Some(group), Some(plural)) = (&group, plural)
            && name != format!("{plural}.{group}")
        {
            let at = object.get("metadata").and_then(|node| node.get("name")).unwrap_or(object);
            self.error(
                at,
                "metadata.name",
                format!("`{name}` is not the plural and the group"),
                format!("write `{plural}.{group}`"),
            );
        }
        let scope = self.scope(spec);
        let (group, names, scope) = (group?, names?, scope?);
        let (kind, plural) = (names.kind?, names.plural?);
        let singular = names.singular.unwrap_or_else(|| kind.to_lowercase());
        let resource = Resource {
            short_names: names.short_names,
            categories: names.categories,
            ..resource(plural, singular, scope)
        };
        // v1beta1 has another default than v1.
        let preserve_unknown_fields =
            self.flag(spec, "spec", "preserveUnknownFields").or(is_beta.then_some(true));
        let mut definition = Definition {
            source: self.source.clone(),
            versions: self.versions(spec, is_beta, &resource),
            preserves: preserve_unknown_fields == Some(true),
            group,
            list_kind: names.list_kind.unwrap_or_else(|| format!("{kind}List")),
            span: names.span,
            kind,
            resource,
        };
        let metadata = object.get("metadata").unwrap_or(object);
        let mut annotations = self.map(metadata, "metadata", "annotations");
        // What kubectl remembers about the document is not part of it.
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        let shared = Shared {
            conversion: present(spec, "conversion")
                .map(|node| if is_beta { conversion_of_v1(node.to_json()) } else { node.to_json() }),
            preserve_unknown_fields,
            labels: self.map(metadata, "metadata", "labels"),
            annotations,
        };
        let stored: Vec<usize> =
            (0..definition.versions.len()).filter(|at| definition.versions[*at].facts.storage).collect();
        match stored[..] {
            [at] => definition.versions[at].facts.shared = Some(shared),
            _ if definition.versions.is_empty() => {}
            _ => {
                let at = present(spec, "versions").unwrap_or(spec);
                let names: Vec<_> =
                    stored.iter().map(|at| format!("`{}`", definition.versions[*at].name)).collect();
                let message = match &names[..] {
                    [] => "no version has `storage: true`".to_owned(),
                    names => format!("{} have `storage: true`", names.join(" and ")),
                };
                self.error(at, "spec.versions", message, "give `storage: true` to exactly one version");
            }
        }
        Some(definition)
    }

    fn scope(&mut self, spec: &Node) -> Option<Scope> {
        let scope = present(spec, "scope").and_then(Node::str).and_then(Scope::parse);
        if scope.is_none() {
            let at = present(spec, "scope").unwrap_or(spec);
            self.error(at, "spec.scope", "no known scope", "write `Namespaced` or `Cluster`");
        }
        scope
    }

    fn names(&mut self, spec: &Node) -> Option<Names> {
        let Some(names) = present(spec, "names") else {
            self.error(spec, "spec.names", "missing", "the API server requires it");
            return None;
        };
        let path = "spec.names";
        self.only(names, path, &["plural", "singular", "shortNames", "kind", "listKind", "categories"]);
        let mut optional = |key: &str| self.text(names, path, key).filter(|text| !text.is_empty());
        Some(Names {
            singular: optional("singular"),
            list_kind: optional("listKind"),
            kind: self.needed_text(names, path, "kind"),
            plural: self.needed_text(names, path, "plural"),
            short_names: self.texts(names, path, "shortNames"),
            categories: self.texts(names, path, "categories"),
            span: names.span.clone(),
        })
    }

    fn versions(&mut self, spec: &Node, is_beta: bool, resource: &Resource) -> Vec<Version> {
        let mut versions: Vec<Version> = Vec::new();
        let list = present(spec, "versions");
        let single = present(spec, "version").filter(|_| is_beta);
        match (list.map(Node::array), single) {
            (Some(Some(nodes)), _) if !nodes.is_empty() => {
                for (at, node) in nodes.iter().enumerate() {
                    let path = format!("spec.versions[{at}]");
                    let Some(name) = self.needed_text(node, &path, "name") else { continue };
                    if versions.iter().any(|other| other.name == name) {
                        let help = "give each version a name of its own";
                        self.error(node, &path, format!("`{name}` occurs twice"), help);
                        continue;
                    }
                    let needed = |reader: &mut Self, key: &str| {
                        if present(node, key).is_none() {
                            reader.error(node, &format!("{path}.{key}"), "missing", "write true or false");
                        }
                        reader.flag(node, &path, key).unwrap_or(false)
                    };
                    let facts = Facts {
                        served: needed(self, "served"),
                        storage: needed(self, "storage"),
                        deprecated: self.flag(node, &path, "deprecated").unwrap_or(false),
                        deprecation_warning: self.text(node, &path, "deprecationWarning"),
                        selectable_fields: self.selectable_fields(node, &path),
                        ..Facts::default()
                    };
                    self.only(node, &path, &VERSION_KEYS);
                    // v1 has nothing for all versions together.
                    let of_all = if is_beta { spec } else { node };
                    versions.extend(self.version(name, node, &path, of_all, facts, resource));
                }
                // The storage version may be stated in the older way.
                if let Some(name) = single.and_then(Node::str)
                    && versions.first().is_some_and(|first| first.name != name)
                {
                    let at = single.unwrap_or(spec);
                    let help = "remove `version`, or write the first of `versions`";
                    self.error(at, "spec.version", format!("`{name}` is not the first version"), help);
                }
            }
            (None | Some(Some(_)), Some(node)) => {
                let facts = Facts { served: true, storage: true, ..Facts::default() };
                let name = node.str().unwrap_or_default().to_owned();
                versions.extend(self.version(name, spec, "spec", spec, facts, resource));
            }
            _ => {
                let at = list.unwrap_or(spec);
                self.error(at, "spec.versions", "no versions", "list at least one version");
            }
        }
        versions
    }

    fn version(
        &mut self,
        name: String,
        node: &Node,
        path: &str,
        of_all: &Node,
        mut facts: Facts,
        resource: &Resource,
    ) -> Option<Version> {
        if !is_label(&name) {
            let help = "use lower case letters, digits and `-`, and begin with a letter: `v1beta1`";
            self.error(node, &format!("{path}.name"), format!("`{name}` is not the name of a version"), help);
        }
        // v1beta1 has these once for all versions, or in each version.
        let own = |key: &str| match present(node, key) {
            Some(member) => Some((member, format!("{path}.{key}"))),
            None => present(of_all, key).map(|member| (member, format!("spec.{key}"))),
        };
        if let Some((columns, path)) = own("additionalPrinterColumns") {
            facts.columns = self.columns(columns, &path);
        }
        let mut resource = resource.clone();
        if let Some((subresources, path)) = own("subresources") {
            self.only(subresources, &path, &["status", "scale"]);
            let scale = present(subresources, "scale");
            if let Some(scale) = scale {
                facts.scale = self.scale(scale, &format!("{path}.scale"));
            }
            add_subresources(&mut resource, present(subresources, "status").is_some(), scale.is_some());
        }
        let schema = own("schema").or_else(|| own("validation"));
        let schema = schema.and_then(|(node, path)| {
            Some((present(node, "openAPIV3Schema")?, format!("{path}.openAPIV3Schema")))
        });
        let Some((schema, path)) = schema else {
            self.error(
                node,
                &format!("{path}.schema.openAPIV3Schema"),
                format!("version `{name}` has no schema"),
                "describe its objects: without a schema they have no types",
            );
            return None;
        };
        Some(Version { name, source: self.source.clone(), path, schema: schema.clone(), facts, resource })
    }

    fn columns(&mut self, columns: &Node, path: &str) -> Vec<Column> {
        let mut out = Vec::new();
        let Some(nodes) = columns.array() else {
            self.error(columns, path, format!("{} here", columns.kind()), "write a list of columns");
            return out;
        };
        for (at, node) in nodes.iter().enumerate() {
            let path = format!("{path}[{at}]");
            let keys = ["name", "type", "format", "description", "priority", "jsonPath", "JSONPath"];
            self.only(node, &path, &keys);
            let path_key = if present(node, "JSONPath").is_some() { "JSONPath" } else { "jsonPath" };
            let name = self.needed_text(node, &path, "name");
            let ty = self.needed_text(node, &path, "type");
            let json_path = self.needed_text(node, &path, path_key);
            let column = Column {
                name: name.unwrap_or_default(),
                ty: ty.unwrap_or_default(),
                format: self.text(node, &path, "format"),
                description: self.text(node, &path, "description"),
                priority: self.member(node, &path, "priority", "an integer", |node| match &node.value {
                    Value::Number(number) => number.as_i64()?.try_into().ok(),
                    _ => None,
                }),
                json_path: json_path.unwrap_or_default(),
            };
            out.push(column);
        }
        out
    }

    fn scale(&mut self, node: &Node, path: &str) -> Option<Scale> {
        self.only(node, path, &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"]);
        let spec_replicas = self.needed_text(node, path, "specReplicasPath");
        let status_replicas = self.needed_text(node, path, "statusReplicasPath");
        let label_selector = self.text(node, path, "labelSelectorPath");
        Some(Scale { spec_replicas: spec_replicas?, status_replicas: status_replicas?, label_selector })
    }

    fn selectable_fields(&mut self, node: &Node, path: &str) -> Vec<String> {
        self.member(node, path, "selectableFields", "a list of objects with `jsonPath`", |node| {
            let path = |field: &Node| Some(field.get("jsonPath")?.str()?.to_owned());
            node.array()?.iter().map(path).collect()
        })
        .unwrap_or_default()
    }
}

const VERSION_KEYS: [&str; 9] = [
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "selectableFields",
];

/// The conversion stanza of v1 from that of v1beta1.
fn conversion_of_v1(mut conversion: Json) -> Json {
    let Some(members) = conversion.as_object_mut() else { return conversion };
    let client = members.shift_remove("webhookClientConfig");
    let versions = members.shift_remove("conversionReviewVersions");
    if members.get("strategy").and_then(Json::as_str) == Some("Webhook") {
        let mut webhook = Map::new();
        // The default of v1beta1; v1 has none.
        let versions = versions.filter(|versions| !versions.is_null());
        webhook.insert("conversionReviewVersions".to_owned(), versions.unwrap_or_else(|| json!(["v1beta1"])));
        webhook.extend(client.map(|client| ("clientConfig".to_owned(), client)));
        members.insert("webhook".to_owned(), webhook.into());
    }
    conversion
}

/// How the API server offers the kind of any definition, without subresources.
pub fn resource(plural: String, singular: String, scope: Scope) -> Resource {
    Resource {
        plural,
        singular,
        scope,
        verbs: Verb::ALL.into_iter().filter(|verb| *verb != Verb::Connect).collect(),
        short_names: Vec::new(),
        categories: Vec::new(),
        subresources: BTreeMap::new(),
    }
}

/// Adds the subresources that a definition can have.
pub fn add_subresources(resource: &mut Resource, has_status: bool, has_scale: bool) {
    let verbs = vec![Verb::Get, Verb::Patch, Verb::Update];
    let part = |kind| Subresource { kind, verbs: verbs.clone(), since: None, until: None };
    if has_status {
        resource.subresources.insert("status".to_owned(), part(None));
    }
    if has_scale {
        let kind = GroupVersionKind::new("autoscaling", "v1", "Scale");
        resource.subresources.insert("scale".to_owned(), part(Some(kind)));
    }
}

/// A member that is not `null`.
fn present<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    node.get(key).filter(|member| !matches!(member.value, Value::Null))
}

/// Whether a text can be the name of a version: a DNS label of RFC 1035.
fn is_label(text: &str) -> bool {
    text.len() <= 63
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// The members of a map in a schema, such as `properties`.
pub(super) fn members(node: Option<&Node>) -> impl Iterator<Item = (&String, &Node)> {
    node.and_then(Node::object).into_iter().flat_map(IndexMap::iter)
}
