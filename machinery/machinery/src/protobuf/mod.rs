//! Protobuf, read and written as the reference server reads and writes it.
//!
//! Field numbers and presence come from the same descriptors that JSON uses.
//! Where protobuf leaves a choice, this follows upstream: fields are in the
//! order of their numbers, and entries of maps in the order of their keys. A
//! value is always written, a pointer only when it is set, and lists and maps
//! only when they are not empty.

mod decode;
pub(crate) mod embedded;
mod encode;
mod envelope;
mod error;
mod frame;
mod list;
mod parts;
mod reader;
mod scalar;
mod unknown;
mod watch_event;
mod writer;

pub(crate) use decode::decode_into_with;
pub use decode::{decode, decode_into};
pub use encode::{encode, encode_into};
pub(crate) use envelope::set_type_meta;
pub use envelope::{Envelope, MAGIC, encode_enveloped};
pub use error::Error;
pub use frame::{Frames, write_frame};
pub use list::ListFrame;
pub use parts::{Part, PartValue, parts};
pub use unknown::{Unknown, decode_keeping, encode_with};
pub use watch_event::WatchEvent;
pub use writer::Writer;

use crate::reflect::{Described, Descriptor, Type, Value};

/// Whether protobuf can represent a type: its fields, and those of the structs
/// in it, have numbers. Types outside Kubernetes may have none.
///
/// Two sorts of fields need no number. Upstream's `kind` and `apiVersion` are
/// in the envelope. A few fields were removed before upstream numbered them.
pub fn covers(descriptor: &Descriptor) -> bool {
    let descriptor = descriptor.share();
    let (mut seen, mut open) = (vec![descriptor.clone()], vec![descriptor]);
    while let Some(descriptor) = open.pop() {
        let lacks = |name| descriptor.fields.iter().any(|f| f.name == name && f.number.is_empty());
        let kind_is_in_envelope = lacks("kind") && lacks("apiVersion");
        for field in &*descriptor.fields {
            let is_in_envelope = kind_is_in_envelope && matches!(&*field.name, "kind" | "apiVersion");
            if field.number.is_empty() && !is_in_envelope && field.facts.until().is_none() {
                return false;
            }
            for_each_struct(&field.ty, &mut |inner| {
                if !seen.iter().any(|other| std::ptr::eq::<Descriptor>(&**other, &*inner)) {
                    seen.push(inner.clone());
                    open.push(inner);
                }
            });
        }
    }
    true
}

/// Calls `visit` with the structs that a field contains, also inside lists,
/// maps and unions.
fn for_each_struct(ty: &Type, visit: &mut impl FnMut(Described)) {
    match ty {
        Type::Struct(ty) => visit(ty.descriptor()),
        Type::List(node) | Type::Map(node) => for_each_struct(&node.ty, visit),
        Type::Union(members) => members.iter().for_each(|member| for_each_struct(member, visit)),
        _ => {}
    }
}

/// The list type of [`Type::Strings`], which is a message around a list of
/// strings. Any other type is returned unchanged.
fn items(ty: &Type) -> &Type {
    const ITEMS: &Type = &<Vec<String> as Value>::TYPE;
    if let Type::Strings = ty { ITEMS } else { ty }
}

/// The two members of a union.
fn union_members(ty: &Type) -> &[Type; 2] {
    let members = if let Type::Union(members) = ty { (**members).try_into().ok() } else { None };
    members.unwrap_or_else(|| unreachable!("expected a union of two members, found {ty:?}"))
}

/// The result of reading protobuf.
pub type Result<T> = std::result::Result<T, Error>;

/// The wire type of a field. It determines where the field ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    StartGroup = 3,
    EndGroup = 4,
    Fixed32 = 5,
}
