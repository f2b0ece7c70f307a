//! From types of the model to types of a snapshot.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{Facts, KindName, ListType, Omit, Type, Words};
use hubgen_model::{Api, Field, Presence, TypeExpr, TypeId};
use hubgen_plan::sharing::Sharing;

use super::SnapshotError;

/// The types of the roots and all below them, and where each is.
pub(super) fn make(
    api: &Api,
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
        let ty = api.find(&id).ok_or(SnapshotError::NoSuchType(id))?;
        definitions.push(maker.definition(ty));
    }
    Ok((Types::new(definitions)?, maker.positions))
}

struct Maker<'a> {
    sharing: &'a Sharing,
    positions: HashMap<TypeId, usize>,
    /// The types in the order of their positions.
    open: Vec<TypeId>,
}

impl Maker<'_> {
    /// Where a type is, or is going to be.
    fn position(&mut self, id: &TypeId) -> usize {
        let id = self.sharing.of(id);
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
            api_version: Cow::Owned(name.group_version.api_version()),
            kind: Cow::Owned(name.kind.clone()),
        });
        let fields = ty.fields().iter().map(|field| self.field(ty, field)).collect();
        StructDef { name: ty.id.name.clone(), kind, fields }
    }

    fn field(&mut self, owner: &hubgen_model::Type, field: &Field) -> FieldDef {
        let mut facts = facts(owner, field);
        // The schema's words are those of the innermost values.
        let words = std::mem::replace(&mut facts.enumeration, Words::NONE);
        let ty = self.ty(&field.ty, &words);
        if !matches!(ty, TypeDef::List(_) | TypeDef::Map(_)) {
            facts.enumeration = words;
        }
        FieldDef {
            name: field.name.clone(),
            number: field.number.clone(),
            ty,
            pointer: field.presence == Presence::Pointer,
            omit: match field.omit {
                hubgen_model::Omit::Never => Omit::Never,
                hubgen_model::Omit::Empty => Omit::Empty,
                hubgen_model::Omit::Zero => Omit::Zero,
            },
            facts,
        }
    }

    /// `words` are those that the values at the bottom of lists and maps allow.
    fn ty(&mut self, ty: &TypeExpr, words: &Words) -> TypeDef {
        TypeDef::Is(match ty {
            TypeExpr::Bool => Type::Bool,
            TypeExpr::Int32 => Type::Int32,
            TypeExpr::Int64 => Type::Int64,
            TypeExpr::Double => Type::Double,
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

    fn node(&mut self, ty: &TypeExpr, words: &Words) -> Box<NodeDef> {
        let ty = self.ty(ty, words);
        let is_innermost = !matches!(ty, TypeDef::List(_) | TypeDef::Map(_));
        let enumeration = if is_innermost { words.clone() } else { Words::NONE };
        Box::new(NodeDef { ty, facts: Facts { enumeration, ..Facts::NONE } })
    }
}

fn facts(owner: &hubgen_model::Type, field: &Field) -> Facts {
    let (since, until) = owner.releases(field);
    let patch = field.patch.as_ref();
    let words = |words: &[String]| words.iter().cloned().collect::<Words>();
    Facts {
        required: field.required,
        default: field.default.as_ref().map(|value| Cow::Owned(value.to_string())),
        enumeration: field.words().collect(),
        list_type: field.list_type.as_ref().map(|list_type| match list_type {
            hubgen_model::ListType::Atomic => ListType::Atomic,
            hubgen_model::ListType::Set => ListType::Set,
            hubgen_model::ListType::Map(keys) => ListType::Map(words(keys)),
        }),
        atomic: field.atomic,
        patch_strategy: patch.map_or(Words::NONE, |patch| words(&patch.strategies)),
        merge_key: patch.and_then(|patch| patch.merge_key.clone()).map(Cow::Owned),
        since: since.map(|release| Cow::Owned(release.to_string())),
        until: until.map(|release| Cow::Owned(release.to_string())),
    }
}
