//! Objects whose fields are those of another object in JSON.
//!
//! A flattened object needs nothing at run time: the descriptor of the object around it has its fields, each at the
//! place where it is. The compiler joins them.

use super::descriptor::{Field, StructType, Type};
use super::{Held, Ref};

/// A struct whose fields other objects can have as their own: `#[field(flatten)] common: Common`.
///
/// `#[derive(ApiType)]` implements it for structs with `#[flattened]`.
///
/// # Safety
/// The fields are all fields of the struct, each with its offset and type, and the struct does not implement `Drop`:
/// objects around it are read, copied and dropped by them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be flattened",
    note = "flatten a struct with `#[derive(ApiType)]` and `#[flattened]`"
)]
#[allow(unsafe_code, reason = "safe code relies on the offsets of the fields")]
pub unsafe trait Flattened {
    /// Its fields.
    const FIELDS: &'static [Field];
}

/// Fields that follow each other in JSON, for derived code.
pub enum Part {
    /// Fields of the struct itself.
    Own(&'static [Field]),
    /// The fields of a flattened object at an offset.
    Flattened(&'static [Field], usize),
}

impl Part {
    const fn fields(&self) -> &'static [Field] {
        match self {
            Self::Own(fields) | Self::Flattened(fields, _) => fields,
        }
    }

    /// The number of fields of all parts.
    pub const fn count(parts: &[Self]) -> usize {
        let (mut count, mut at) = (0, 0);
        while at < parts.len() {
            count += parts[at].fields().len();
            at += 1;
        }
        count
    }

    /// The fields of all parts, whose number is `COUNT`.
    ///
    /// # Panics
    /// When two fields have the same name, or a field has a protobuf number. The compiler reports it.
    pub const fn join<const COUNT: usize>(parts: &[Self]) -> [Field; COUNT] {
        let mut out = [const { Field::of::<bool>(",\"\":", 0, &[], &[]) }; COUNT];
        let (mut count, mut part) = (0, 0);
        while part < parts.len() {
            let offset = match parts[part] {
                Self::Own(_) => 0,
                Self::Flattened(_, offset) => offset,
            };
            let (fields, mut at) = (parts[part].fields(), 0);
            while at < fields.len() {
                let field = fields[at].at(offset);
                assert!(
                    field.number.as_static().is_empty(),
                    "fields beside or in a flattened object have no protobuf number"
                );
                let mut before = 0;
                while before < count {
                    let is_other = !same(out[before].name.as_static(), field.name.as_static());
                    assert!(
                        is_other,
                        "two fields have the same name in JSON, and one is that of a flattened object"
                    );
                    before += 1;
                }
                core::mem::forget(core::mem::replace(&mut out[count], field));
                count += 1;
                at += 1;
            }
            part += 1;
        }
        out
    }
}

/// Whether two texts are equal.
pub(super) const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Field {
    /// The field of a flattened object at an offset. Descriptors are not `Copy`, because run-time types own parts of
    /// theirs.
    const fn at(&self, offset: usize) -> Self {
        Self {
            name: self.name.copy(),
            number: Held::Static(self.number.as_static()),
            ty: self.ty.copy(),
            pointer: self.pointer,
            optional: self.optional,
            nullable: self.nullable,
            omit: self.omit,
            facts: self.facts.copy(),
            place: self.place.inside(offset),
        }
    }
}

impl Type {
    const fn copy(&self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            Self::Int32 => Self::Int32,
            Self::Int64 => Self::Int64,
            Self::Float => Self::Float,
            Self::Double => Self::Double,
            Self::Uint16 => Self::Uint16,
            Self::Uint32 => Self::Uint32,
            Self::Uint64 => Self::Uint64,
            Self::String => Self::String,
            Self::Bytes => Self::Bytes,
            Self::Time => Self::Time,
            Self::MicroTime => Self::MicroTime,
            Self::Duration => Self::Duration,
            Self::Quantity => Self::Quantity,
            Self::IntOrString => Self::IntOrString,
            Self::Enum(words) => Self::Enum(words),
            Self::Words(words) => Self::Words(words),
            Self::Leaf(leaf) => Self::Leaf(leaf),
            Self::Raw => Self::Raw,
            Self::Strings => Self::Strings,
            Self::Struct(StructType::Compiled(describe)) => Self::Struct(StructType::Compiled(*describe)),
            Self::List(Ref::Static(node)) => Self::List(Ref::Static(node)),
            Self::Map(Ref::Static(node)) => Self::Map(Ref::Static(node)),
            Self::Union(Ref::Static(members)) => Self::Union(Ref::Static(members)),
            Self::Struct(StructType::Runtime(..))
            | Self::List(Ref::Shared(_))
            | Self::Map(Ref::Shared(_))
            | Self::Union(Ref::Shared(_)) => panic!("only compiled types are flattened"),
        }
    }
}
