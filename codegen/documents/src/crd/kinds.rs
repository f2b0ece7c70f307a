//! Makes the types of kinds and of their lists.

use hubgen_model::{
    Facts, Field, GroupVersionKind, Kind, Omit, Presence, RawForm, Type, TypeBody, TypeExpr, TypeId,
};
use serde_json::{Map, Value};

use super::definition::members;
use super::fields::distinguish;
use super::group::{Group, OBJECT_FIELDS, Root};
use super::rebuild::{clean, openapi_schema};
use super::tree::{Shape, preserves};
use super::unknown;
use crate::node::Node;

impl<'a> Group<'a, '_> {
    /// The type of a kind.
    pub(super) fn kind(&self, root: &Root<'a>) -> Type {
        let Root { definition, version, reader, .. } = root;
        let mut metadata = Field::new("metadata", TypeExpr::Ref(TypeId::new(META, "v1", "ObjectMeta")));
        metadata.presence = Presence::Value;
        let properties = version.schema.get("properties");
        let schema_of = |name: &str| {
            properties.and_then(|properties| properties.get(name)).map(|node| clean(node, reader.docs))
        };
        metadata.facts = schema_of("metadata").and_then(|schema| Facts::imported(schema).boxed());
        let mut fields = vec![metadata];
        fields.extend(root.properties.iter().map(|property| self.field(&definition.kind, property)));
        distinguish(&mut fields);
        if root.properties.is_empty() && is_open(root) {
            // Nearly all kinds have these two.
            let raw = |name: &str| Field::new(name, TypeExpr::Raw(RawForm::Extension));
            fields.extend(["spec", "status"].map(raw));
        }
        let refuses_unknown =
            unknown::set(&mut fields, self.options.unknowns.named(&definition.kind, keeps(root)));
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
            refuses_unknown,
            facts: Facts { keywords, ..Facts::default() }.boxed(),
        };
        let schema = clean(&version.schema, reader.docs);
        if openapi_schema(&self.imported.api, self.kubernetes, &ty) != schema {
            ty.facts = Facts::imported(schema).boxed();
        }
        ty
    }
}

/// Whether the schema of the root preserves fields that it does not list.
pub(super) fn keeps(root: &Root<'_>) -> bool {
    preserves(&root.version.schema) || root.definition.preserves
}

/// Whether the root lists no fields and keeps all.
fn is_open(root: &Root<'_>) -> bool {
    keeps(root)
        && members(root.version.schema.get("properties"))
            .all(|(name, _)| OBJECT_FIELDS.contains(&name.as_str()))
}

const META: &str = "meta.k8s.io";

/// The list of a kind.
pub(super) fn list(root: &Root<'_>) -> Type {
    let kind = TypeId::at(root.group_version(), root.definition.kind.clone());
    list_of(&kind, &root.definition.list_kind)
}

/// The list of a kind, which clients name `name`: `WidgetList`.
pub fn list_of(kind: &TypeId, name: &str) -> Type {
    let mut metadata = Field::new("metadata", TypeExpr::Ref(TypeId::new(META, "v1", "ListMeta")));
    metadata.presence = Presence::Value;
    let mut items = Field::new("items", TypeExpr::List(Box::new(TypeExpr::Ref(kind.clone()))));
    items.required = true;
    (items.presence, items.omit) = (Presence::Value, Omit::Exact);
    let id = TypeId::at(kind.group_version.clone(), name);
    Type {
        body: TypeBody::Struct(vec![metadata, items]),
        kind: Some(Kind {
            registered: vec![GroupVersionKind {
                group_version: id.group_version.clone(),
                kind: name.to_owned(),
            }],
            resource: None,
            bare: false,
            since: None,
            until: None,
            definition: None,
        }),
        id,
        since: None,
        until: None,
        description: None,
        refuses_unknown: false,
        facts: None,
    }
}
