//! Makes types of the schemas of all definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hubgen_model::{
    Api, Facts, Field, GroupVersion, GroupVersionKind, Kind, ListType, Omit, Presence, RawForm, Type,
    TypeBody, TypeExpr, TypeId,
};
use serde_json::{Map, Value};

use super::definition::{Definition, Version, members};
use super::names::{self, Known, Occurrence, Segment};
use super::rebuild::{Types, clean, openapi_schema};
use super::tree::{Property, Reader, Shape, Tree};
use super::{Imported, Mapped, Objects, Options, Untyped, leaves};
use crate::Diagnostic;
use crate::node::Node;

/// The fields that every kind has, of which no schema describes more than names.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Names that mean something else in generated code.
const RESERVED: [&str; 28] = [
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Vec",
    "Box",
    "String",
    "Str",
    "Raw",
    "Quantity",
    "IntOrString",
    "Reflect",
    "StrMap",
    "Default",
    "Clone",
    "Debug",
    "Eq",
    "PartialEq",
    "Ord",
    "Iterator",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Self",
    "ApiType",
];

/// Adds the types of all definitions to `imported`.
pub(super) fn assemble(
    definitions: &[Definition],
    options: &Options,
    kubernetes: &Api,
    imported: &mut Imported,
    errors: &mut Vec<Diagnostic>,
) {
    let roots: Vec<Root<'_>> = definitions
        .iter()
        .flat_map(|definition| definition.versions.iter().map(move |version| (definition, version)))
        .map(|(definition, version)| Root::new(definition, version, options))
        .collect();
    let mut groups: BTreeMap<&str, Vec<&Root<'_>>> = BTreeMap::new();
    for root in &roots {
        groups.entry(&root.definition.group).or_default().push(root);
    }
    let mut unused: Vec<&Mapped> = options.mapped.iter().collect();
    for roots in groups.values() {
        let mut group = Group::new(options, kubernetes, imported, errors);
        for root in roots {
            group.walk_root(root);
        }
        let used = std::mem::take(&mut group.used);
        unused.retain(|mapped| !used.contains(&mapped.what));
        group.name(roots);
        group.emit(roots);
    }
    for mapped in unused {
        if let Objects::At(path) = &mapped.what {
            errors.push(Diagnostic::message(
                format!("`{path}` is mapped to {}, but no definition has an object there", mapped.ty),
                "write the kind and the names of the fields: `Certificate.spec.template`",
            ));
        }
    }
}

/// The schema of one version of a definition.
struct Root<'a> {
    definition: &'a Definition,
    version: &'a Version,
    reader: Reader,
    /// The properties that become fields.
    properties: Vec<Property<'a>>,
}

impl<'a> Root<'a> {
    fn new(definition: &'a Definition, version: &'a Version, options: &Options) -> Self {
        let reader = Reader { docs: options.docs, preserves: definition.preserves };
        let mut properties = reader.properties(&version.schema);
        properties.retain(|property| !OBJECT_FIELDS.contains(&property.name));
        Self { definition, version, reader, properties }
    }

    fn group_version(&self) -> GroupVersion {
        self.definition.group_version(self.version)
    }
}

/// An object that becomes a type of its own.
struct Nested<'a> {
    tree: &'a Tree<'a>,
    properties: &'a [Property<'a>],
}

/// The types of one group.
struct Group<'a, 'o> {
    options: &'o Options,
    kubernetes: &'o Api,
    imported: &'o mut Imported,
    errors: &'o mut Vec<Diagnostic>,
    /// Which objects were mapped as the user asked.
    used: Vec<Objects>,
    /// The numbers of shapes by their descriptions, each with the number of levels below it.
    shapes: HashMap<String, (usize, usize)>,
    /// The levels below each shape.
    heights: Vec<usize>,
    occurrences: Vec<Occurrence>,
    nested: Vec<Nested<'a>>,
    /// The type of each object, by the address of its tree.
    types: HashMap<*const Tree<'a>, TypeId>,
}

/// Where a schema is.
struct Place<'r, 'a> {
    root: &'r Root<'a>,
    path: Vec<Segment>,
}

impl Place<'_, '_> {
    fn text(&self) -> String {
        let names = self.path.iter().map(|segment| segment.name.as_str());
        let all: Vec<&str> = std::iter::once(self.root.definition.kind.as_str()).chain(names).collect();
        all.join(".")
    }
}

impl<'a, 'o> Group<'a, 'o> {
    fn new(
        options: &'o Options,
        kubernetes: &'o Api,
        imported: &'o mut Imported,
        errors: &'o mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            options,
            kubernetes,
            imported,
            errors,
            used: Vec::new(),
            shapes: HashMap::new(),
            heights: Vec::new(),
            occurrences: Vec::new(),
            nested: Vec::new(),
            types: HashMap::new(),
        }
    }

    /// Collects the objects below a root.
    fn walk_root(&mut self, root: &'a Root<'a>) {
        let mut place = Place { root, path: Vec::new() };
        let schema = &root.version.schema;
        if schema.get("x-kubernetes-preserve-unknown-fields").and_then(Node::bool) == Some(true) {
            let reason =
                "the object may have fields at its root besides those in the schema; they are dropped";
            self.untyped(&place, schema, reason);
        } else if root.definition.preserves {
            let reason = "objects may have fields besides those in the schema (`preserveUnknownFields`); they are \
                          dropped";
            self.untyped(&place, schema, reason);
        }
        for property in &root.properties {
            self.walk_property(property, &mut place);
        }
    }

    fn walk_property(&mut self, property: &'a Property<'a>, place: &mut Place<'_, 'a>) -> (String, usize) {
        place.path.push(Segment { name: property.name.to_owned(), is_item: false });
        let found = self.walk(&property.tree, place);
        place.path.pop();
        found
    }

    /// Collects the objects in a schema. Returns a description of its shape, and the number of levels.
    fn walk(&mut self, tree: &'a Tree<'a>, place: &mut Place<'_, 'a>) -> (String, usize) {
        let leaf = |name: &str| (name.to_owned(), 0);
        match &tree.shape {
            Shape::Bool => leaf("bool"),
            Shape::Int32 => leaf("int32"),
            Shape::Int64 => leaf("int64"),
            Shape::Double => leaf("double"),
            Shape::String => leaf("string"),
            Shape::Quantity => leaf("quantity"),
            Shape::IntOrString => leaf("int or string"),
            Shape::Raw(form, reason) => {
                self.untyped(place, tree.node, reason);
                (format!("raw {form:?}"), 0)
            }
            Shape::List(inner) | Shape::Map(inner) => {
                let last = place.path.len() - 1;
                let was_item = std::mem::replace(&mut place.path[last].is_item, true);
                let (text, height) = self.walk(inner, place);
                place.path[last].is_item = was_item;
                let name = if let Shape::List(_) = tree.shape { "list" } else { "map" };
                (format!("{name}({text})"), height)
            }
            Shape::Object(properties) => {
                if let Some(id) = self.of_kubernetes(properties, tree, place) {
                    let text = id.to_string();
                    self.types.insert(tree, id);
                    return (text, 0);
                }
                let mut parts = Vec::new();
                let mut height = 0;
                for property in properties {
                    let (text, below) = self.walk_property(property, place);
                    height = height.max(below + 1);
                    let required = if property.required { "!" } else { "" };
                    parts.push(format!("{:?}{required}: {text}", property.name));
                }
                parts.sort();
                let next = self.heights.len();
                let shape = *self.shapes.entry(parts.join(", ")).or_insert((next, height));
                if shape.0 == next {
                    self.heights.push(height);
                }
                self.occurrences.push(Occurrence {
                    version: place.root.version.name.clone(),
                    kind: place.root.definition.kind.clone(),
                    path: place.path.clone(),
                    shape: shape.0,
                });
                self.nested.push(Nested { tree, properties });
                (format!("object {}", shape.0), height)
            }
        }
    }

    fn untyped(&mut self, place: &Place<'_, '_>, node: &Node, reason: &'static str) {
        let source = &place.root.definition.source;
        self.imported.untyped.push(Untyped {
            file: source.file().to_owned(),
            line: source.position(node.span.start).0,
            path: format!("{} {}", place.root.group_version(), place.text()),
            reason,
        });
    }

    /// The type of Kubernetes that an object becomes, if any.
    fn of_kubernetes(
        &mut self,
        properties: &[Property<'_>],
        tree: &Tree<'_>,
        place: &Place<'_, '_>,
    ) -> Option<TypeId> {
        let path = place.text();
        let options = self.options;
        for mapped in &options.mapped {
            match &mapped.what {
                Objects::At(at) if *at == path => {
                    self.used.push(mapped.what.clone());
                    if let Err(message) = leaves::fits(self.kubernetes, properties, &mapped.ty) {
                        let source = &place.root.definition.source;
                        self.errors.push(source.error(
                            tree.node.span.clone(),
                            path,
                            format!("cannot become {}: {message}", mapped.ty),
                            "map it to another type, or to none",
                        ));
                    }
                    return Some(mapped.ty.clone());
                }
                Objects::OfSameShape if leaves::has_shape(self.kubernetes, properties, &mapped.ty) => {
                    return Some(mapped.ty.clone());
                }
                _ => {}
            }
        }
        leaves::of(self.kubernetes, properties)
    }

    /// Names the objects.
    fn name(&mut self, roots: &[&Root<'a>]) {
        let mut reserved: BTreeSet<String> = RESERVED.map(str::to_owned).into();
        for root in roots {
            reserved.extend([root.definition.kind.clone(), root.definition.list_kind.clone()]);
        }
        reserved.extend(["ObjectMeta", "ListMeta"].map(str::to_owned));
        reserved.extend(self.types.values().map(|id| id.name.clone()));
        let group = roots.first().map_or("", |root| &root.definition.group);
        let names = names::assign(&self.occurrences, &reserved, &known(&self.options.known, group));
        for ((nested, occurrence), name) in self.nested.iter().zip(&self.occurrences).zip(names) {
            self.types.insert(nested.tree, TypeId::new(group, &*occurrence.version, name));
        }
    }

    /// Adds the types to the API.
    fn emit(&mut self, roots: &[&Root<'a>]) {
        let docs = self.options.docs;
        let mut by_type: BTreeMap<TypeId, Vec<usize>> = BTreeMap::new();
        for (at, nested) in self.nested.iter().enumerate() {
            by_type.entry(self.types[&std::ptr::from_ref(nested.tree)].clone()).or_default().push(at);
        }
        let mut order: Vec<(&TypeId, &Vec<usize>)> = by_type.iter().collect();
        // A type comes after those that it contains.
        order.sort_by_key(|(_, members)| self.heights[self.occurrences[members[0]].shape]);
        for (id, members) in order {
            let representative = self.representative(members, docs);
            let properties = self.nested[representative].properties;
            let mut fields: Vec<Field> = properties.iter().map(|property| self.field(property)).collect();
            distinguish(&mut fields);
            let ty = Type {
                id: id.clone(),
                body: TypeBody::Struct(fields),
                kind: None,
                since: None,
                until: None,
                description: None,
                facts: None,
            };
            let version = self.imported.api.versions.entry(id.group_version.clone()).or_default();
            version.types.insert(id.name.clone(), ty);
        }
        for root in roots {
            for ty in [self.kind(root), list(root)] {
                let version = self.imported.api.versions.entry(ty.id.group_version.clone()).or_default();
                version.types.insert(ty.id.name.clone(), ty);
            }
        }
        for version in self.imported.api.versions.values_mut() {
            version.types.sort_keys();
        }
    }

    /// The object whose facts most of the objects have; of several such objects, the one with the
    /// shortest path.
    fn representative(&self, members: &[usize], docs: bool) -> usize {
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut sorted = members.to_vec();
        let place = |at: &usize| {
            let occurrence = &self.occurrences[*at];
            (occurrence.path.len(), &occurrence.kind, &occurrence.path)
        };
        sorted.sort_by(|a, b| place(a).cmp(&place(b)));
        if let [only] = sorted[..] {
            return only;
        }
        for (rank, at) in sorted.iter().enumerate() {
            let properties = clean(self.nested[*at].tree.node, docs).get("properties").map(Value::to_string);
            counts.entry(properties.unwrap_or_default()).or_insert((0, rank)).0 += 1;
        }
        let best = counts.values().max_by_key(|(count, rank)| (*count, std::cmp::Reverse(*rank)));
        best.map_or(members[0], |(_, rank)| sorted[*rank])
    }

    fn expr(&self, tree: &Tree<'a>) -> TypeExpr {
        match &tree.shape {
            Shape::Bool => TypeExpr::Bool,
            Shape::Int32 => TypeExpr::Int32,
            Shape::Int64 => TypeExpr::Int64,
            Shape::Double => TypeExpr::Double,
            Shape::String => TypeExpr::String,
            Shape::Quantity => TypeExpr::Quantity,
            Shape::IntOrString => TypeExpr::IntOrString,
            Shape::Raw(form, _) => TypeExpr::Raw(*form),
            Shape::List(inner) => TypeExpr::List(Box::new(self.expr(inner))),
            Shape::Map(inner) => TypeExpr::Map(Box::new(self.expr(inner))),
            Shape::Object(_) => TypeExpr::Ref(self.types[&std::ptr::from_ref(tree)].clone()),
        }
    }

    fn rebuilt(&self) -> Types<'_> {
        Types { own: &self.imported.api, kubernetes: self.kubernetes }
    }

    fn field(&self, property: &Property<'a>) -> Field {
        let tree = &property.tree;
        let mut field = Field::new(property.name, self.expr(tree));
        field.required = property.required;
        with_presence(&mut field);
        let mut keywords = tree.keywords.clone();
        if let Some(Value::String(text)) = keywords.shift_remove("description") {
            field.description = Some(text);
        }
        let fits = |default: &Value| field.ty.fits(default);
        field.default = keywords.get("default").cloned().filter(fits);
        let words = innermost(tree).keywords.get("enum").and_then(Value::as_array);
        field.enumeration = words.cloned().unwrap_or_default();
        field.list_type = match keywords.get("x-kubernetes-list-type").and_then(Value::as_str) {
            Some("atomic") => Some(ListType::Atomic),
            Some("set") => Some(ListType::Set),
            Some("map") => {
                let keys = keywords.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                let keys = keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
                Some(ListType::Map(keys.collect()))
            }
            _ => None,
        };
        field.atomic = keywords.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
        // What the field has a member for is not a fact besides.
        let of_field = [
            "default",
            "enum",
            "x-kubernetes-list-type",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-map-type",
        ];
        keywords.retain(|keyword, _| !of_field.contains(&keyword.as_str()));
        let inner = match &tree.shape {
            Shape::List(inner) | Shape::Map(inner) => self.facts(inner, &field.enumeration).boxed(),
            _ => None,
        };
        field.facts = Facts { keywords, inner, imported: None }.boxed();
        let schema = clean(tree.node, self.options.docs);
        if self.rebuilt().field(&field) != schema {
            field.facts = Facts::imported(schema).boxed();
        }
        field
    }

    /// The facts of the items of a list, or of the values of a map.
    fn facts(&self, tree: &Tree<'a>, words: &[Value]) -> Facts {
        let mut keywords = tree.keywords.clone();
        let inner = match &tree.shape {
            Shape::List(inner) | Shape::Map(inner) => self.facts(inner, words).boxed(),
            // These are the words of the field.
            _ => {
                keywords.shift_remove("enum");
                None
            }
        };
        let facts = Facts { keywords, inner, imported: None };
        let schema = clean(tree.node, self.options.docs);
        let rebuilt: Value = self.rebuilt().value(&self.expr(tree), Some(&facts), words).into();
        if rebuilt == schema { facts } else { Facts::imported(schema) }
    }

    fn kind(&self, root: &Root<'a>) -> Type {
        let Root { definition, version, reader, .. } = root;
        let mut metadata = Field::new("metadata", TypeExpr::Ref(TypeId::new(META, "v1", "ObjectMeta")));
        metadata.presence = Presence::Value;
        let properties = version.schema.get("properties");
        let schema_of = |name: &str| {
            properties.and_then(|properties| properties.get(name)).map(|node| clean(node, reader.docs))
        };
        metadata.facts = schema_of("metadata").and_then(|schema| Facts::imported(schema).boxed());
        let mut fields = vec![metadata];
        fields.extend(root.properties.iter().map(|property| self.field(property)));
        distinguish(&mut fields);
        if root.properties.is_empty() && is_open(root) {
            // Nearly all kinds have these two.
            let raw = |name: &str| Field::new(name, TypeExpr::Raw(RawForm::Extension));
            fields.extend(["spec", "status"].map(raw));
        }
        let mut keywords = reader.keywords(&version.schema, &Shape::Object(Vec::new()));
        let description = match keywords.shift_remove("description") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        // Every object has these three, so that no field is required.
        let required = version.schema.get("required").and_then(Node::array).into_iter().flatten();
        let required: Vec<Value> = required
            .filter_map(Node::str)
            .filter(|name| fields.iter().skip(1).all(|field| field.name != *name))
            .map(Value::from)
            .collect();
        if !required.is_empty() {
            keywords.insert("required".to_owned(), required.into());
        }
        let mut facts = version.facts.clone();
        if !reader.docs {
            facts.columns.iter_mut().for_each(|column| column.description = None);
        }
        facts.type_meta = ["apiVersion", "kind"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), schema_of(name)?)))
            .collect::<Map<_, _>>();
        let group_version = root.group_version();
        let name = GroupVersionKind { group_version: group_version.clone(), kind: definition.kind.clone() };
        let mut ty = Type {
            id: TypeId::at(group_version, definition.kind.clone()),
            body: TypeBody::Struct(fields),
            kind: Some(Kind {
                registered: vec![name],
                resource: Some(version.resource.clone()),
                bare: false,
                since: None,
                until: None,
                definition: Some(Box::new(facts)),
            }),
            since: None,
            until: None,
            description,
            facts: Facts { keywords, ..Facts::default() }.boxed(),
        };
        let schema = clean(&version.schema, reader.docs);
        if openapi_schema(&self.imported.api, self.kubernetes, &ty) != schema {
            ty.facts = Facts::imported(schema).boxed();
        }
        ty
    }
}

/// The names that the objects of a group already have. Of several versions, the newest counts.
fn known(api: &Api, group: &str) -> Known {
    let mut out = Known::new();
    for version in api.versions.iter().filter(|(name, _)| name.group == group).map(|(_, version)| version) {
        let is_defined = |ty: &&Type| ty.kind.as_ref().is_some_and(|kind| kind.definition.is_some());
        for ty in version.types.values().filter(is_defined) {
            add_known(api, &mut vec![ty], &ty.id.name, &mut out);
        }
    }
    out
}

/// Adds the names of the objects below the last type of `inside`.
fn add_known<'a>(api: &'a Api, inside: &mut Vec<&'a Type>, path: &str, out: &mut Known) {
    let Some(ty) = inside.last().copied() else { return };
    for field in ty.fields() {
        let below = field.ty.named().filter(|id| id.group_version == ty.id.group_version);
        let Some(below) = below.and_then(|id| api.find(id)).filter(|below| below.kind.is_none()) else {
            continue;
        };
        // Somebody may have edited the schemas: types in definitions do not contain themselves.
        if inside.iter().any(|outer| outer.id == below.id) {
            continue;
        }
        let path = format!("{path}.{}", field.name);
        inside.push(below);
        add_known(api, inside, &path, out);
        inside.pop();
        out.insert(path, below.id.name.clone());
    }
}

/// Whether the root lists no fields and keeps all.
fn is_open(root: &Root<'_>) -> bool {
    let keeps = root.version.schema.get("x-kubernetes-preserve-unknown-fields").and_then(Node::bool);
    (keeps == Some(true) || root.definition.preserves)
        && members(root.version.schema.get("properties"))
            .all(|(name, _)| OBJECT_FIELDS.contains(&name.as_str()))
}

const META: &str = "meta.k8s.io";

/// The list of a kind.
fn list(root: &Root<'_>) -> Type {
    let Root { definition, .. } = root;
    let group_version = root.group_version();
    let mut metadata = Field::new("metadata", TypeExpr::Ref(TypeId::new(META, "v1", "ListMeta")));
    metadata.presence = Presence::Value;
    let item = TypeExpr::Ref(TypeId::at(group_version.clone(), definition.kind.clone()));
    let mut items = Field::new("items", TypeExpr::List(Box::new(item)));
    items.required = true;
    with_presence(&mut items);
    let name = GroupVersionKind { group_version: group_version.clone(), kind: definition.list_kind.clone() };
    Type {
        id: TypeId::at(group_version, definition.list_kind.clone()),
        body: TypeBody::Struct(vec![metadata, items]),
        kind: Some(Kind {
            registered: vec![name],
            resource: None,
            bare: false,
            since: None,
            until: None,
            definition: None,
        }),
        since: None,
        until: None,
        description: None,
        facts: None,
    }
}

/// Sets presence and omission as Go does: what is required is a value that is always written.
pub(super) fn with_presence(field: &mut Field) {
    if field.required {
        field.presence = Presence::Value;
        field.omit = Omit::Never;
    }
}

/// Gives fields whose names differ only in case and punctuation different names in Rust.
fn distinguish(fields: &mut [Field]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut order: Vec<&mut Field> = fields.iter_mut().collect();
    // `proxyUrl` keeps its name, beside `proxyURL` and `proxy_url`: most names in JSON are written so.
    let unusual = |name: &str| {
        let pairs = name.as_bytes().windows(2).filter(|pair| pair.iter().all(u8::is_ascii_uppercase));
        (name.contains(|c: char| !c.is_ascii_alphanumeric()), pairs.count())
    };
    order.sort_by(|a, b| (unusual(&a.name), &a.name).cmp(&(unusual(&b.name), &b.name)));
    for field in order {
        let key = field.name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let count = seen.entry(key).or_default();
        *count += 1;
        field.rust_suffix = (*count > 1).then_some(*count);
    }
}

/// The innermost items of lists and maps.
fn innermost<'t, 'a>(tree: &'t Tree<'a>) -> &'t Tree<'a> {
    match &tree.shape {
        Shape::List(inner) | Shape::Map(inner) => innermost(inner),
        _ => tree,
    }
}
