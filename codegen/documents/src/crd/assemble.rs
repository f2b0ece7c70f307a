//! Makes types of the schemas of all definitions.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Api, Field, Type, TypeBody, TypeId};
use serde_json::Value;

use super::definition::Definition;
use super::fields::distinguish;
use super::group::{Group, Nested, Root};
use super::names::{self, Occurrence, Segment};
use super::rebuild::clean;
use super::tree::{Property, Shape, Tree, preserves};
use super::{Imported, Mapped, Objects, Options, Untyped, kinds, known, leaves, unknown};
use crate::Diagnostic;
use crate::node::Node;

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
    let of_types = options.presences.types.keys().map(|name| (name, "a `presence`"));
    for (name, what) in
        of_types.chain(options.unknowns.types.keys().map(|name| (name, "a line in `unknown`")))
    {
        if !imported.api.types().any(|ty| ty.id.name == *name) {
            errors.push(Diagnostic::message(
                format!("`{name}` has {what}, but no definition has a type of this name"),
                "write the name of a type in the generated code, such as `CertificateSpec`",
            ));
        }
    }
    for ty in imported.api.types().filter(|ty| ty.has_rest() && ty.named().count() + 1 < ty.fields().len()) {
        errors.push(Diagnostic::message(
            format!("{} keeps fields that its schema does not list, and lists one that is called `*`", ty.id),
            format!("declare what becomes of them: `[unknown]`, and `{} = \"drop\"`", ty.id.name),
        ));
    }
    for Mapped { what, ty } in unused {
        match what {
            Objects::At(path) => errors.push(Diagnostic::message(
                format!("`{path}` is mapped to {ty}, but no definition has an object there"),
                "write the kind and the names of the fields: `Certificate.spec.template`",
            )),
            Objects::OfSameShape if kubernetes.find(ty).is_none() => errors.push(Diagnostic::message(
                format!("objects are mapped to {ty}, but Kubernetes has no such type"),
                "write group, version and type as Kubernetes does: `meta.k8s.io/v1 Condition`",
            )),
            Objects::OfSameShape => {}
        }
    }
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

impl<'a> Group<'a, '_> {
    /// Collects the objects below a root.
    fn walk_root(&mut self, root: &'a Root<'a>) {
        let mut place = Place { root, path: Vec::new() };
        if root.definition.preserves {
            let reason = "objects may have fields besides those in the schema (`preserveUnknownFields`); below the \
                          root, they are dropped";
            self.untyped(&place, &root.version.schema, reason);
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
                    let presence = property.presence();
                    let marks = [
                        if property.required { "!" } else { "" },
                        if presence.nullable { "?" } else { "" },
                        // Only the type of a required field depends on whether it has a default.
                        if property.required && presence.has_default { "=" } else { "" },
                    ];
                    parts.push(format!("{:?}{}: {text}", property.name, marks.concat()));
                }
                if preserves(tree.node) {
                    parts.push("…".to_owned());
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
        let source = &place.root.version.source;
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
                        let source = &place.root.version.source;
                        self.errors.push(source.error(
                            tree.node.span.clone(),
                            path,
                            format!("cannot become {}: {message}", mapped.ty),
                            "map it to another type, or to none",
                        ));
                    }
                    return Some(mapped.ty.clone());
                }
                Objects::OfSameShape
                    if !preserves(tree.node)
                        && leaves::has_shape(self.kubernetes, properties, &mapped.ty) =>
                {
                    return Some(mapped.ty.clone());
                }
                _ => {}
            }
        }
        // A type of Kubernetes drops what it does not know.
        (!preserves(tree.node))
            .then(|| leaves::leaf_type(self.kubernetes, properties, options.presences.all))?
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
        let names = names::assign(&self.occurrences, &reserved, &known::of_group(&self.options.known, group));
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
            let mut fields: Vec<Field> =
                properties.iter().map(|property| self.field(&id.name, property)).collect();
            distinguish(&mut fields);
            let preserves = preserves(self.nested[representative].tree.node);
            let refuses_unknown = unknown::set(&mut fields, self.options.unknowns.named(&id.name, preserves));
            let ty = Type {
                id: id.clone(),
                body: TypeBody::Struct(fields),
                kind: None,
                since: None,
                until: None,
                description: None,
                refuses_unknown,
                facts: None,
            };
            let version = self.imported.api.versions.entry(id.group_version.clone()).or_default();
            version.types.insert(id.name.clone(), ty);
        }
        for root in roots {
            for ty in [self.kind(root), kinds::list(root)] {
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
}
