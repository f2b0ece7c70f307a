//! Protobuf, read and written as the reference server does.
//!
//! Numbers and presence come from the descriptors of the types that JSON uses.
//! Upstream's rules, where protobuf leaves a choice: fields in the order of
//! their numbers; a value is written always, a pointer when it is set, lists
//! and maps when they hold something; entries of maps in the order of their
//! keys.

mod decode;
pub(crate) mod embedded;
mod encode;
mod envelope;
mod error;
mod frame;
mod parts;
mod reader;
mod scalar;
mod unknown;
mod watch_event;
mod writer;

pub(crate) use decode::decode_into_with;
pub use decode::{decode, decode_into};
pub use encode::{encode, encode_into};
pub(crate) use envelope::name;
pub use envelope::{Envelope, MAGIC, encode_enveloped, encode_list};
pub use error::Error;
pub use frame::{Frames, write_frame};
pub use parts::{Part, PartValue, parts};
pub use unknown::{Unknown, decode_keeping, encode_with};
pub use watch_event::WatchEvent;
pub use writer::Writer;

use crate::reflect::{Described, Descriptor, Type, Value};

/// Whether a type is one of protobuf: its fields have numbers, all the way
/// down. Types of one's own may not.
///
/// Upstream's `kind` and `apiVersion` have none, because envelopes say them,
/// nor have a few fields that it took away before it numbered them.
pub fn covers(descriptor: &Descriptor) -> bool {
    let descriptor = descriptor.share();
    let (mut seen, mut open) = (vec![descriptor.clone()], vec![descriptor]);
    while let Some(descriptor) = open.pop() {
        let lacks = |name| descriptor.fields.iter().any(|f| f.name == name && f.number.is_empty());
        let is_named_outside = lacks("kind") && lacks("apiVersion");
        for field in &*descriptor.fields {
            let is_said_elsewhere = is_named_outside && matches!(&*field.name, "kind" | "apiVersion");
            if field.number.is_empty() && !is_said_elsewhere && field.facts.until().is_none() {
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

/// Calls `visit` with the structs that a field holds, below lists, maps and
/// unions.
fn for_each_struct(ty: &Type, visit: &mut impl FnMut(Described)) {
    match ty {
        Type::Struct(ty) => visit(ty.descriptor()),
        Type::List(node) | Type::Map(node) => for_each_struct(&node.ty, visit),
        Type::Union(forms) => forms.iter().for_each(|form| for_each_struct(form, visit)),
        _ => {}
    }
}

/// The type of the list that strings in a message of their own are.
fn items(ty: &Type) -> &Type {
    const ITEMS: &Type = &<Vec<String> as Value>::TYPE;
    if let Type::Strings = ty { ITEMS } else { ty }
}

/// The two forms of a union.
fn forms(ty: &Type) -> &[Type; 2] {
    let forms = if let Type::Union(forms) = ty { (**forms).try_into().ok() } else { None };
    forms.unwrap_or_else(|| unreachable!("a union has two forms, found {ty:?}"))
}

/// Result of reading protobuf.
pub type Result<T> = std::result::Result<T, Error>;

/// How the bytes of a field are told apart from the next one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    StartGroup = 3,
    EndGroup = 4,
    Fixed32 = 5,
}
