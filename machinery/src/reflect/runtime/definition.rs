//! What a type is to be.

use super::super::{Facts, KindName, Omit, Type};

/// A struct.
#[derive(Clone, Debug)]
pub struct StructDef {
    /// `WidgetSpec`.
    pub name: String,
    /// What clients name it by; `None` for parts of other types.
    pub kind: Option<KindName>,
    /// Its fields, in the order in which JSON has them.
    pub fields: Vec<FieldDef>,
}

impl StructDef {
    /// A struct without fields, which is a part of other types.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: None, fields: Vec::new() }
    }
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// Its name in JSON.
    pub name: String,
    /// Its protobuf numbers, from the outermost message inwards.
    pub number: Vec<u32>,
    /// What it holds.
    pub ty: TypeDef,
    /// Whether absence differs from the empty value.
    pub pointer: bool,
    /// When JSON leaves it out.
    pub omit: Omit,
    /// Everything else that the schema says of it.
    pub facts: Facts,
}

impl FieldDef {
    /// A field of which nothing but its name and its type is known: its empty
    /// value is as good as none, and left out.
    pub fn new(name: impl Into<String>, ty: TypeDef) -> Self {
        Self {
            name: name.into(),
            number: Vec::new(),
            ty,
            pointer: false,
            omit: Omit::Empty,
            facts: Facts::NONE,
        }
    }
}

/// What a field holds.
#[derive(Clone, Debug)]
pub enum TypeDef {
    /// A leaf, or a struct that is compiled.
    Is(Type),
    /// One of the structs that are being made, by its position.
    Struct(usize),
    /// A list.
    List(Box<NodeDef>),
    /// A map from strings.
    Map(Box<NodeDef>),
    /// An object, or a boolean in its place.
    EitherBool(Box<Self>),
    /// An object, or a list of such.
    EitherArray(Box<Self>),
    /// An object, or a list of strings in its place.
    EitherStrings(Box<Self>),
}

/// What the items of a list or the values of a map are.
#[derive(Clone, Debug)]
pub struct NodeDef {
    /// What they hold.
    pub ty: TypeDef,
    /// What the schema says of each.
    pub facts: Facts,
}

impl From<TypeDef> for Box<NodeDef> {
    /// A type of which nothing more is known.
    fn from(ty: TypeDef) -> Self {
        Self::new(NodeDef { ty, facts: Facts::NONE })
    }
}
