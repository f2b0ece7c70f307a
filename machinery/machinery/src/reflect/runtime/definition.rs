//! Definitions of run-time types.

use super::super::{Facts, KindName, Omit, REST, Type, UnknownFields};

/// The definition of a struct.
#[derive(Clone, Debug)]
pub struct StructDef {
    /// The name: `WidgetSpec`.
    pub name: String,
    /// The kind; `None` for parts of other types.
    pub kind: Option<KindName>,
    /// The fields, in the order of JSON.
    pub fields: Vec<FieldDef>,
    /// What becomes of fields in JSON that are not among `fields`. If they are kept, the last field
    /// contains them: [`FieldDef::rest`].
    pub unknown: UnknownFields,
}

impl StructDef {
    /// A struct without fields that is not a kind.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: None, fields: Vec::new(), unknown: UnknownFields::Dropped }
    }
}

/// The definition of a field.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// Its name in JSON.
    pub name: String,
    /// Its protobuf numbers, from the outermost message inwards.
    pub number: Vec<u32>,
    /// Its type.
    pub ty: TypeDef,
    /// Whether an absent value differs from the empty value.
    pub pointer: bool,
    /// Whether `null` is a value that differs from an absent one.
    pub nullable: bool,
    /// When JSON omits it.
    pub omit: Omit,
    /// Other schema facts.
    pub facts: Facts,
}

impl FieldDef {
    /// A field that is not a pointer, has no protobuf number and no facts, and
    /// is omitted when empty.
    pub fn new(name: impl Into<String>, ty: TypeDef) -> Self {
        Self {
            name: name.into(),
            number: Vec::new(),
            ty,
            pointer: false,
            nullable: false,
            omit: Omit::Empty,
            facts: Facts::NONE,
        }
    }

    /// The field that contains what JSON has besides the other fields, which are before it.
    pub fn rest() -> Self {
        Self::new(REST, TypeDef::Map(TypeDef::Is(Type::Raw).into()))
    }
}

/// The definition of a type.
#[derive(Clone, Debug)]
pub enum TypeDef {
    /// A leaf, or a compiled struct.
    Is(Type),
    /// The struct with this position among the definitions.
    Struct(usize),
    /// A list.
    List(Box<NodeDef>),
    /// A map from strings.
    Map(Box<NodeDef>),
    /// An object or a boolean.
    EitherBool(Box<Self>),
    /// An object or a list of objects.
    EitherArray(Box<Self>),
    /// An object or a list of strings.
    EitherStrings(Box<Self>),
}

/// The definition of the items of a list or the values of a map.
#[derive(Clone, Debug)]
pub struct NodeDef {
    /// Their type.
    pub ty: TypeDef,
    /// The schema facts of each.
    pub facts: Facts,
}

impl From<TypeDef> for Box<NodeDef> {
    /// A type without facts.
    fn from(ty: TypeDef) -> Self {
        Self::new(NodeDef { ty, facts: Facts::NONE })
    }
}
