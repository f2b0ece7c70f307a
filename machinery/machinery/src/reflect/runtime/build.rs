//! Builds descriptors from definitions.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use super::super::{
    Descriptor, Facts, Field, Name, Node, Numbered, Origin, Place, REST, Ref, StructType, Type, UnknownFields,
};
use super::cell::Cell;
use super::object::Dynamic;
use super::{FieldDef, NodeDef, Struct, StructDef, TypeDef, Types};

/// An error in the definitions of run-time types.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypesError {
    /// A field refers to a struct that does not exist.
    #[error("{at}: struct {index} does not exist; there are {count} structs")]
    NoSuchStruct {
        /// Type and field.
        at: String,
        /// The position of the struct.
        index: usize,
        /// The number of structs.
        count: usize,
    },
    /// Two fields have the same JSON name.
    #[error("{0} is defined twice; rename one of the two fields")]
    NameTaken(String),
    /// Two fields have the same protobuf number, or the number of one is that
    /// of a message around the other.
    #[error("{at}: the protobuf number {number:?} is already used; give the field another number")]
    NumberTaken {
        /// Type and field.
        at: String,
        /// The number, from the outermost message inwards.
        number: Vec<u32>,
    },
    /// Every object would contain another object of its type, without end.
    #[error("{0} contains itself in a field that cannot be absent; make the field a pointer or a list")]
    Endless(String),
    /// The type of a field is supported only in compiled types.
    #[error("{at}: a run-time type cannot have a field of type {ty}; define it as a list, a map or a string")]
    NotALeaf {
        /// Type and field.
        at: String,
        /// The type.
        ty: String,
    },
    /// A struct keeps unknown fields, but has no field for them.
    #[error("{0} keeps unknown fields, so its last field must be `FieldDef::rest()`")]
    NoRest(String),
    /// A struct has more fields than a descriptor can represent.
    #[error("{0} has more than 65,536 fields")]
    TooManyFields(String),
}

pub(super) fn types(definitions: Vec<StructDef>) -> Result<Arc<Types>, TypesError> {
    for definition in &definitions {
        check(definition, definitions.len())?;
    }
    let mut sizes = Sizes { definitions: &definitions, known: vec![Size::UnknownFields; definitions.len()] };
    let sizes = (0..definitions.len()).map(|index| sizes.size(index)).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new_cyclic(|types| {
        let structs = definitions.into_iter().zip(sizes).enumerate();
        Types { structs: structs.map(|(index, (one, size))| make(one, size, index, types)).collect() }
    }))
}

fn check(definition: &StructDef, count: usize) -> Result<(), TypesError> {
    let StructDef { name, fields, unknown, .. } = definition;
    let is_rest = |field: &FieldDef| {
        field.name == REST
            && matches!(&field.ty, TypeDef::Map(node) if matches!(node.ty, TypeDef::Is(Type::Raw)))
    };
    if *unknown == UnknownFields::Kept && !fields.last().is_some_and(is_rest) {
        return Err(TypesError::NoRest(name.clone()));
    }
    if fields.len() > usize::from(u16::MAX) + 1 {
        return Err(TypesError::TooManyFields(name.clone()));
    }
    let mut names = BTreeSet::new();
    let mut numbers: Vec<&[u32]> = Vec::new();
    for field in fields {
        let at = || format!("{name}.{}", field.name);
        if !names.insert(&field.name) {
            return Err(TypesError::NameTaken(at()));
        }
        if !field.number.is_empty() {
            let is_taken =
                |other: &&[u32]| other.starts_with(&field.number) || field.number.starts_with(other);
            if numbers.iter().any(is_taken) {
                return Err(TypesError::NumberTaken { at: at(), number: field.number.clone() });
            }
            numbers.push(&field.number);
        }
        check_type(&field.ty, count, &at)?;
    }
    Ok(())
}

fn check_type(ty: &TypeDef, count: usize, at: &dyn Fn() -> String) -> Result<(), TypesError> {
    match ty {
        TypeDef::Struct(index) if *index >= count => {
            Err(TypesError::NoSuchStruct { at: at(), index: *index, count })
        }
        TypeDef::Struct(_) => Ok(()),
        TypeDef::Is(
            ty @ (Type::Enum(_)
            | Type::Words(_)
            | Type::Leaf(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::Union(_)),
        ) => Err(TypesError::NotALeaf { at: at(), ty: format!("{ty:?}") }),
        TypeDef::Is(_) => Ok(()),
        TypeDef::List(node) | TypeDef::Map(node) => check_type(&node.ty, count, at),
        TypeDef::EitherBool(inner) | TypeDef::EitherArray(inner) | TypeDef::EitherStrings(inner) => {
            check_type(inner, count, at)
        }
    }
}

#[derive(Clone, Copy)]
enum Size {
    UnknownFields,
    /// It is being computed. A struct found in this state contains itself.
    Open,
    Known(usize),
}

/// Computes the memory that an empty object of each struct takes, in bytes.
struct Sizes<'d> {
    definitions: &'d [StructDef],
    known: Vec<Size>,
}

impl Sizes<'_> {
    fn size(&mut self, index: usize) -> Result<usize, TypesError> {
        let definition = &self.definitions[index];
        match self.known[index] {
            Size::Known(size) => return Ok(size),
            Size::Open => return Err(TypesError::Endless(definition.name.clone())),
            Size::UnknownFields => self.known[index] = Size::Open,
        }
        let mut size = size_of::<Dynamic>();
        for field in &definition.fields {
            size += size_of::<Cell>();
            size += match &field.ty {
                _ if is_optional(field) => 0,
                TypeDef::Struct(inner) => self.size(*inner)?,
                TypeDef::Is(Type::Struct(ty)) => ty.size(),
                _ => size_of::<Cell>(),
            };
        }
        self.known[index] = Size::Known(size);
        Ok(size)
    }
}

/// Whether a field may be absent. Times may, even if they are not pointers.
fn is_optional(field: &FieldDef) -> bool {
    field.pointer || matches!(field.ty, TypeDef::Is(Type::Time | Type::MicroTime))
}

fn make(definition: StructDef, size: usize, index: usize, types: &Weak<Types>) -> Struct {
    let StructDef { name, kind, fields, unknown } = definition;
    let message = message(&fields);
    let fields: Vec<Field> = fields.into_iter().map(|field| self::field(field, types)).collect();
    let nodes = fields.iter().map(|field| Node { ty: field.ty.clone(), facts: field.facts.clone() });
    Struct {
        fields: nodes.map(|node| Ref::Shared(Arc::new(node))).collect(),
        descriptor: Descriptor {
            name: name.into(),
            kind,
            fields: fields.into(),
            message: message.into(),
            size,
            unknown,
            facts: Facts::NONE,
            origin: Origin::Runtime(Weak::clone(types), index),
        },
    }
}

fn field(definition: FieldDef, types: &Weak<Types>) -> Field {
    let optional = is_optional(&definition);
    let FieldDef { name, number, ty, pointer, nullable, omit, facts } = definition;
    let ty = type_of(ty, types);
    Field {
        name: Name::from(&*name),
        number: number.into(),
        place: Place::ELSEWHERE.written(omit.writes_absent(pointer, ty.has_empty())),
        ty,
        pointer,
        optional,
        nullable,
        omit,
        facts,
    }
}

fn type_of(definition: TypeDef, types: &Weak<Types>) -> Type {
    let union = |members: [Type; 2]| Type::Union(Ref::Shared(Arc::new(members)));
    match definition {
        TypeDef::Is(ty) => ty,
        TypeDef::Struct(index) => Type::Struct(StructType::Runtime(Weak::clone(types), index)),
        TypeDef::List(node) => Type::List(self::node(*node, types)),
        TypeDef::Map(node) => Type::Map(self::node(*node, types)),
        TypeDef::EitherBool(inner) => union([type_of(*inner, types), Type::Bool]),
        TypeDef::EitherArray(inner) => {
            let inner = type_of(*inner, types);
            let list = Ref::Shared(Arc::new(Node::of(inner.clone())));
            union([inner, Type::List(list)])
        }
        TypeDef::EitherStrings(inner) => {
            let list = Ref::Shared(Arc::new(Node::of(Type::String)));
            union([type_of(*inner, types), Type::List(list)])
        }
    }
}

fn node(definition: NodeDef, types: &Weak<Types>) -> Ref<Node> {
    let NodeDef { ty, facts } = definition;
    Ref::Shared(Arc::new(Node { ty: type_of(ty, types), facts }))
}

/// The protobuf message of the fields.
fn message(fields: &[FieldDef]) -> Vec<Numbered> {
    let mut members: Vec<(u16, &FieldDef)> =
        (0..).zip(fields).filter(|(_, field)| !field.number.is_empty()).collect();
    members.sort_by(|(_, one), (_, other)| one.number.cmp(&other.number));
    level(&members, 0)
}

/// The message of fields whose numbers have the same first `depth` parts.
fn level(members: &[(u16, &FieldDef)], depth: usize) -> Vec<Numbered> {
    let numbered = members.chunk_by(|(_, one), (_, other)| one.number[depth] == other.number[depth]);
    let numbered = numbered.map(|same| {
        let (position, field) = same[0];
        let number = field.number[depth];
        if field.number.len() == depth + 1 {
            let written = !field.pointer && is_optional(field);
            return Numbered::Field { number, position, place: Place::ELSEWHERE.written(written) };
        }
        Numbered::Inlined { number, message: level(same, depth + 1).into() }
    });
    numbered.collect()
}
