//! Converts types of the model to types of a snapshot.

use std::collections::HashMap;
use std::sync::Arc;

use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{Fact, Facts, KindName, ListType, Type, UnknownFields, Words};
use hubgen_model::{Field, Presence, TypeExpr, TypeId};
use hubgen_plan::sharing::Sharing;

use super::SnapshotError;

/// Builds the types of the roots and all types below them, and the index of each.
pub(super) fn make(
    all: hubgen_plan::Types<'_>,
    sharing: &Sharing,
    roots: &[&TypeId],
) -> Result<(Arc<Types>, HashMap<TypeId, usize>), SnapshotError> {
    let mut maker = Maker { sharing, positions: HashMap::new(), open: Vec::new() };
    for root in roots {
        let position = maker.position(root);
        maker.positions.insert((*root).clone(), position);
    }
    let mut definitions = Vec::new();
    while let Some(id) = maker.open.get(definitions.len()).cloned() {
        let ty = all.find(&id).ok_or(SnapshotError::NoSuchType(id))?;
        definitions.push(maker.definition(ty));
    }
    Ok((Types::new(definitions)?, maker.positions))
}

struct Maker<'a> {
    sharing: &'a Sharing,
    positions: HashMap<TypeId, usize>,
    /// The types in the order of their indices.
    open: Vec<TypeId>,
}

impl Maker<'_> {
    /// The index of a type, assigned if necessary.
    fn position(&mut self, id: &TypeId) -> usize {
        let id = self.sharing.representing(id);
        if let Some(position) = self.positions.get(id) {
            return *position;
        }
        let position = self.open.len();
        self.positions.insert(id.clone(), position);
        self.open.push(id.clone());
        position
    }

    fn definition(&mut self, ty: &hubgen_model::Type) -> StructDef {
        let names = ty.kind.as_ref().filter(|kind| !kind.bare).map(|kind| &kind.registered);
        let kind = names.and_then(|names| names.first()).map(|name| KindName {
            api_version: name.group_version.api_version().into(),
            kind: name.kind.clone().into(),
        });
        let fields = ty.fields().iter().map(|field| self.field(ty, field)).collect();
        let unknown = match (ty.has_rest(), ty.refuses_unknown) {
            (true, _) => UnknownFields::Kept,
            (false, true) => UnknownFields::Refused,
            (false, false) => UnknownFields::Dropped,
        };
        StructDef { name: ty.id.name.clone(), kind, fields, unknown }
    }

    fn field(&mut self, owner: &hubgen_model::Type, field: &Field) -> FieldDef {
        // The values that the schema lists are those of the innermost items.
        let words = one_of(field);
        let ty = self.ty(&field.ty, &words);
        let own = if matches!(ty, TypeDef::List(_) | TypeDef::Map(_)) { Facts::NONE } else { words };
        let facts = own.iter().cloned().chain(facts(owner, field)).collect();
        FieldDef {
            name: field.name.clone(),
            number: field.number.clone(),
            ty,
            pointer: field.presence != Presence::Value,
            nullable: field.is_nullable(),
            omit: field.omit,
            facts,
        }
    }

    /// `words` are the allowed values of the innermost items of lists and maps.
    fn ty(&mut self, ty: &TypeExpr, words: &Facts) -> TypeDef {
        TypeDef::Is(match ty {
            TypeExpr::Bool => Type::Bool,
            TypeExpr::Int32 => Type::Int32,
            TypeExpr::Int64 => Type::Int64,
            TypeExpr::Float => Type::Float,
            TypeExpr::Double => Type::Double,
            TypeExpr::Uint16 => Type::Uint16,
            TypeExpr::Uint32 => Type::Uint32,
            TypeExpr::Uint64 => Type::Uint64,
            TypeExpr::String => Type::String,
            TypeExpr::Bytes => Type::Bytes,
            TypeExpr::Time => Type::Time,
            TypeExpr::MicroTime => Type::MicroTime,
            TypeExpr::Duration => Type::Duration,
            TypeExpr::Quantity => Type::Quantity,
            TypeExpr::IntOrString => Type::IntOrString,
            TypeExpr::Raw(_) => Type::Raw,
            TypeExpr::Strings => Type::Strings,
            TypeExpr::Ref(id) => return TypeDef::Struct(self.position(id)),
            TypeExpr::List(inner) => return TypeDef::List(self.node(inner, words)),
            TypeExpr::Map(inner) => return TypeDef::Map(self.node(inner, words)),
            TypeExpr::OrBool(inner) => return TypeDef::EitherBool(Box::new(self.ty(inner, words))),
            TypeExpr::OrArray(inner) => return TypeDef::EitherArray(Box::new(self.ty(inner, words))),
            TypeExpr::OrStrings(inner) => return TypeDef::EitherStrings(Box::new(self.ty(inner, words))),
        })
    }

    fn node(&mut self, ty: &TypeExpr, words: &Facts) -> Box<NodeDef> {
        let ty = self.ty(ty, words);
        let is_innermost = !matches!(ty, TypeDef::List(_) | TypeDef::Map(_));
        Box::new(NodeDef { ty, facts: if is_innermost { words.clone() } else { Facts::NONE } })
    }
}

/// The values that the schema allows, if it lists them.
fn one_of(field: &Field) -> Facts {
    let words: Words = field.words().collect();
    (!words.is_empty()).then_some(Fact::OneOf(words)).into_iter().collect()
}

/// All other facts about a field in the schema.
fn facts(owner: &hubgen_model::Type, field: &Field) -> impl Iterator<Item = Fact> {
    let (since, until) = owner.releases(field);
    let patch = field.patch.as_ref();
    let words = |words: &[String]| words.iter().cloned().collect::<Words>();
    let list_type = field.list_type.as_ref().map(|list_type| match list_type {
        hubgen_model::ListType::Atomic => ListType::Atomic,
        hubgen_model::ListType::Set => ListType::Set,
        hubgen_model::ListType::Map(keys) => ListType::Map(words(keys)),
    });
    let strategies = patch.map(|patch| words(&patch.strategies)).filter(|words| !words.is_empty());
    [
        field.required.then_some(Fact::Required),
        field.default.as_ref().map(|value| Fact::Default(value.to_string().into())),
        list_type.map(Fact::List),
        field.atomic.then_some(Fact::Atomic),
        strategies.map(Fact::Patch),
        patch.and_then(|patch| patch.merge_key.clone()).map(|key| Fact::MergeKey(key.into())),
        since.map(|release| Fact::Since(release.to_string().into())),
        until.map(|release| Fact::Until(release.to_string().into())),
    ]
    .into_iter()
    .flatten()
}
