//! Reads swagger 2.0 and OpenAPI v3. Schemas look the same in both; only the location of named
//! schemas differs. Works on the tree with positions, so that errors point into the text.

use hubgen_model::{
    Field, GroupVersion, GroupVersionKind, ListType, Patch, RawForm, Release, TypeExpr, TypeId,
};
use indexmap::IndexMap;

use super::name::{self, Named};
use super::{Document, FieldFacts, Form, Operation, TypeFacts};
use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

pub(super) fn read(
    source: &Source,
    document: &Node,
    release: Option<Release>,
) -> Result<Document, Vec<Diagnostic>> {
    let (prefix, schemas) = if document.get("swagger").is_some() {
        ("#/definitions/", document.get("definitions"))
    } else {
        ("#/components/schemas/", document.get("components").and_then(|node| node.get("schemas")))
    };
    let empty = IndexMap::new();
    let definitions = schemas.and_then(Node::object).unwrap_or(&empty);
    let mut reader = Reader {
        source,
        prefix,
        definitions,
        packages: packages(definitions),
        types: IndexMap::new(),
        errors: Vec::new(),
    };
    for (full, schema) in definitions {
        reader.definition(full, schema);
    }
    let Reader { types, errors, .. } = reader;
    if !errors.is_empty() {
        return Err(errors);
    }
    let version = document.get("info").and_then(|info| info.get("version")).and_then(Node::str);
    let release = release.or_else(|| version.and_then(|version| version.parse().ok()));
    Ok(Document { operations: operations(document), ..Document::new(Form::OpenApi, release, types) })
}

/// The group version of each package, derived from a kind of that package and version.
fn packages(definitions: &IndexMap<String, Node>) -> IndexMap<String, GroupVersion> {
    let mut packages = IndexMap::new();
    for (full, schema) in definitions {
        let Some((package, name)) = full.rsplit_once('.') else { continue };
        for kind in kinds(schema) {
            if kind.kind == name && package.rsplit('.').next() == Some(&kind.group_version.version) {
                packages.entry(package.to_owned()).or_insert(kind.group_version);
            }
        }
    }
    packages
}

fn kinds(schema: &Node) -> Vec<GroupVersionKind> {
    let kinds = schema.get("x-kubernetes-group-version-kind");
    kinds.and_then(Node::array).into_iter().flatten().filter_map(gvk).collect()
}

fn gvk(node: &Node) -> Option<GroupVersionKind> {
    let part = |key| node.get(key).and_then(Node::str);
    Some(GroupVersionKind::new(part("group")?, part("version")?, part("kind")?))
}

fn operations(document: &Node) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, methods) in document.get("paths").and_then(Node::object).into_iter().flatten() {
        for method in methods.object().into_iter().flatten().map(|(_, method)| method) {
            let action = method.get("x-kubernetes-action").and_then(Node::str);
            let kind = method.get("x-kubernetes-group-version-kind").and_then(gvk);
            if let (Some(action), Some(kind)) = (action, kind) {
                operations.push(Operation { path: path.clone(), action: action.to_owned(), kind });
            }
        }
    }
    operations
}

struct Reader<'a> {
    source: &'a Source,
    prefix: &'static str,
    definitions: &'a IndexMap<String, Node>,
    packages: IndexMap<String, GroupVersion>,
    types: IndexMap<TypeId, TypeFacts>,
    errors: Vec<Diagnostic>,
}

/// The position of a schema: the enclosing type, and the path for messages.
#[derive(Clone)]
struct SchemaSite {
    /// The name for a nested object without a name.
    id: TypeId,
    path: String,
}

impl SchemaSite {
    fn inner(&self, field: &str) -> Self {
        let mut name = self.id.name.clone();
        for part in field.split(|c: char| !c.is_alphanumeric()) {
            let mut letters = part.chars();
            name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            name.push_str(letters.as_str());
        }
        let id = TypeId::at(self.id.group_version.clone(), name);
        Self { id, path: format!("{}.properties.{field}", self.path) }
    }
}

impl<'a> Reader<'a> {
    fn error(&mut self, at: &Node, path: &str, message: impl Into<String>, help: &str) {
        self.errors.push(self.source.error(at.span.clone(), path, message, help));
    }

    fn named(&self, full: &str) -> Option<Named> {
        if let Some(named) = name::kubernetes(full) {
            return Some(named);
        }
        let (package, name) = full.rsplit_once('.')?;
        match self.packages.get(package) {
            Some(group_version) => Some(Named::Type(TypeId::at(group_version.clone(), name))),
            None => name::by_domain(full).map(Named::Type),
        }
    }

    fn definition(&mut self, full: &str, schema: &'a Node) {
        let path = format!("{}{full}", self.prefix.trim_start_matches("#/").replace('/', "."));
        let id = match self.named(full) {
            Some(Named::Type(id)) => id,
            Some(_) => return,
            None => {
                return self.error(
                    schema,
                    &path,
                    "the type name does not contain a group and version",
                    "name the type `package.version.Name`",
                );
            }
        };
        let kinds = kinds(schema);
        if let Some(kind) = kinds.iter().find(|kind| {
            kind.kind == id.name
                && kind.group_version.version == id.group_version.version
                && kind.group_version.group != id.group_version.group
                && kinds.len() == 1
                && id.group_version.group != name::META
        }) {
            let help = "add the package to the table of packages in codegen/documents/src/upstream/name.rs";
            return self.error(
                schema,
                &path,
                format!(
                    "this is a kind of group `{}`, but its package belongs to group {}",
                    kind.group_version.group, id.group_version
                ),
                help,
            );
        }
        if !is_object(schema) {
            return;
        }
        let facts = self.object(schema, &SchemaSite { id: id.clone(), path }, kinds);
        self.types.insert(id, facts);
    }

    fn object(&mut self, schema: &'a Node, place: &SchemaSite, kinds: Vec<GroupVersionKind>) -> TypeFacts {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Node::array)
            .into_iter()
            .flatten()
            .filter_map(Node::str)
            .collect();
        let text = |key: &str| schema.get(key).and_then(Node::str).map(str::to_owned);
        let mut facts = TypeFacts { description: text("description"), ..TypeFacts::default() };
        for (name, property) in schema.get("properties").and_then(Node::object).into_iter().flatten() {
            let place = place.inner(name);
            let Some(ty) = self.expr(property, &place, 0) else { continue };
            let mut field = Field::new(name.as_str(), ty.clone());
            field.required = required.contains(&name.as_str());
            self.published(property, &mut field);
            let number = property.get("x-protobuf-number").and_then(Node::u32).into_iter().collect();
            facts.fields.insert(
                name.clone(),
                FieldFacts { ty: Some(ty), number, published: Some(field), ..FieldFacts::default() },
            );
        }
        facts.typed =
            !kinds.is_empty() && facts.fields.contains_key("kind") && facts.fields.contains_key("apiVersion");
        facts.kinds = kinds;
        facts
    }

    /// Reads the keys beside a property's type.
    fn published(&self, property: &'a Node, field: &mut Field) {
        let text = |key: &str| property.get(key).and_then(Node::str).map(str::to_owned);
        let texts = |key: &str| -> Vec<String> {
            let list = property.get(key).and_then(Node::array).into_iter().flatten();
            list.filter_map(|node| node.str().map(str::to_owned)).collect()
        };
        field.default = property.get("default").map(Node::to_json);
        field.enumeration =
            property.get("enum").and_then(Node::array).into_iter().flatten().map(Node::to_json).collect();
        field.list_type = match text("x-kubernetes-list-type").as_deref() {
            Some("atomic") => Some(ListType::Atomic),
            Some("set") => Some(ListType::Set),
            Some("map") => {
                let keys = texts("x-kubernetes-list-map-keys");
                (!keys.is_empty()).then_some(ListType::Map(keys))
            }
            _ => None,
        };
        let target = self.target(property);
        let map_type = |node: &'a Node| node.get("x-kubernetes-map-type").and_then(Node::str);
        let items = property.get("items").filter(|_| field.has_items_apart());
        // What the property says is about this use of the type that it refers to, or of its items.
        let about = [Some(property), target, items, items.and_then(|items| self.target(items))];
        // An object of some other kind (`runtime.RawExtension`) has no schema that could say it.
        field.atomic = about.into_iter().flatten().find_map(map_type) == Some("atomic")
            || field.ty == TypeExpr::Raw(RawForm::Extension);
        let strategy = text("x-kubernetes-patch-strategy");
        let merge_key = text("x-kubernetes-patch-merge-key");
        if strategy.is_some() || merge_key.is_some() {
            let strategies = strategy.iter().flat_map(|text| text.split(',')).map(str::to_owned).collect();
            field.patch = Some(Patch { strategies, merge_key });
        }
        field.description = text("description");
    }

    /// The definition that a property refers to as a whole.
    fn target(&self, property: &Node) -> Option<&'a Node> {
        let reference =
            property.get("$ref").or_else(|| property.get("allOf")?.array()?.first()?.get("$ref"))?;
        self.definitions.get(reference.str()?.strip_prefix(self.prefix)?)
    }

    fn expr(&mut self, node: &'a Node, place: &SchemaSite, depth: usize) -> Option<TypeExpr> {
        if depth > 16 {
            self.error(
                node,
                &place.path,
                "the references form a cycle",
                "break the cycle with a named object",
            );
            return None;
        }
        if let Some(reference) = node.get("$ref") {
            return self.reference(reference, place, depth);
        }
        if let Some(all) = node.get("allOf") {
            if let Some([one]) = all.array() {
                return self.expr(one, place, depth + 1);
            }
            self.error(all, &place.path, "`allOf` of several schemas", "give `allOf` one element");
            return None;
        }
        if node.get("x-kubernetes-int-or-string").and_then(Node::bool) == Some(true) {
            return Some(TypeExpr::IntOrString);
        }
        let format = node.get("format").and_then(Node::str);
        match node.get("type").and_then(Node::str) {
            Some("boolean") => Some(TypeExpr::Bool),
            Some("integer") => Some(if format == Some("int32") { TypeExpr::Int32 } else { TypeExpr::Int64 }),
            Some("number") => Some(TypeExpr::Double),
            Some("string") => Some(match format {
                Some("byte") => TypeExpr::Bytes,
                Some("date-time") => TypeExpr::Time,
                Some("int-or-string") => TypeExpr::IntOrString,
                _ => TypeExpr::String,
            }),
            Some("array") => {
                let Some(items) = node.get("items") else {
                    self.error(
                        node,
                        &place.path,
                        "an array without `items`",
                        "describe its elements under `items`",
                    );
                    return None;
                };
                Some(TypeExpr::List(Box::new(self.expr(items, place, depth + 1)?)))
            }
            Some("object") if node.get("properties").is_some() => {
                let facts = self.object(node, place, Vec::new());
                let mut id = place.id.clone();
                while self.types.contains_key(&id) {
                    id.name.push('_');
                }
                self.types.insert(id.clone(), facts);
                Some(TypeExpr::Ref(id))
            }
            Some("object") => match node.get("additionalProperties") {
                Some(inner) if inner.object().is_some() => {
                    Some(TypeExpr::Map(Box::new(self.expr(inner, place, depth + 1)?)))
                }
                _ => Some(TypeExpr::Raw(RawForm::Json)),
            },
            Some(other) => {
                let message = format!("unknown type `{other}`");
                self.error(
                    node,
                    &place.path,
                    message,
                    "write boolean, integer, number, string, array or object",
                );
                None
            }
            None => Some(TypeExpr::Raw(RawForm::Json)),
        }
    }

    fn reference(&mut self, reference: &'a Node, place: &SchemaSite, depth: usize) -> Option<TypeExpr> {
        let full = match &reference.value {
            Value::String(text) => text.strip_prefix(self.prefix),
            _ => None,
        };
        let Some(full) = full else {
            let help = format!("write `{}Name`", self.prefix);
            self.error(reference, &place.path, "this reference does not point to a definition", &help);
            return None;
        };
        let named = self.named(full);
        if let Some(Named::Scalar(expr)) = named {
            return Some(expr);
        }
        let kubernetes = name::kubernetes(full).is_some();
        match (self.definitions.get(full), named) {
            // A reference to a definition that is not an object is replaced by its content.
            (Some(schema), Some(_)) if !is_object(schema) => self.expr(schema, place, depth + 1),
            (Some(_), Some(Named::Type(id))) => Some(TypeExpr::Ref(id)),
            // A document of one group may refer to Kubernetes' own types without containing them.
            (None, Some(Named::Type(id))) if kubernetes => Some(TypeExpr::Ref(id)),
            _ => {
                let message = format!("there is no definition `{full}`");
                self.error(reference, &place.path, message, "add the definition, or correct the reference");
                None
            }
        }
    }
}

/// Whether a definition is a type with fields; the others are aliases.
fn is_object(schema: &Node) -> bool {
    let is_object = schema.get("type").and_then(Node::str) == Some("object");
    schema.get("properties").is_some()
        || (is_object && schema.get("additionalProperties").is_none() && !preserves(schema))
}

fn preserves(schema: &Node) -> bool {
    schema.get("x-kubernetes-preserve-unknown-fields").and_then(Node::bool) == Some(true)
}
