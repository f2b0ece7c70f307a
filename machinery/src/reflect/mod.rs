//! Reflection: one object-safe trait, [`Reflect`], gives access to the fields
//! of every struct. Codecs, comparison, defaulting and the rest are therefore
//! written and compiled once, not once per type.
//!
//! A reader gets the slots of all fields at once. A writer asks for one slot at
//! a time. [`Value`] makes a slot from the field's *type*, never from generated
//! text, so that a descriptor always matches its field.

mod compare;
mod containers;
mod copy;
mod debug;
mod descriptor;
mod facts;
mod leaves;
mod lent;
mod name;
mod new;
pub mod runtime;
mod serde;
mod shared;
mod slot;
mod text;
mod union;

use std::any::Any;

pub use self::compare::{equal, slots_equal};
pub use self::containers::Element;
use self::copy::copy;
pub use self::copy::{DeepCopy, copy_into, copy_slot};
pub use self::debug::debug;
pub use self::descriptor::{
    Described, Descriptor, Field, KindName, Node, Numbered, Omit, Origin, StructType, Type, TypeMeta,
};
pub use self::facts::{Fact, Facts, Keys, ListType};
pub use self::leaves::{Literal, Scalar, Strings};
pub use self::lent::{Lent, boxed};
pub(crate) use self::lent::{put, take};
pub use self::name::Name;
pub use self::new::NewObject;
pub use self::serde::{deserialize, serialize};
pub(crate) use self::serde::{is_null, is_shown};
pub use self::shared::{Held, Ref, Text, Words};
pub use self::slot::{List, Map, OneOf, Optional, Shape, Slot, SlotMut, Union, is_unset};
pub use self::text::{TextRef, TextSlot};
pub use self::union::{OrArray, OrBool, OrStrings};

/// Access to the fields of a struct.
///
/// Derive it with `#[derive(ApiType)]`. The order of fields is the order of
/// declaration, in the descriptor, in [`read`](Reflect::read) and in
/// [`write`](Reflect::write).
pub trait Reflect: Any + Send + Sync {
    /// The names of the fields and all schema facts about them. The descriptor
    /// of a compiled type is a `static`. That of a run-time type is in a
    /// [snapshot](runtime::Types) that its objects share.
    fn descriptor(&self) -> &Descriptor;

    /// Calls `visit` once with the slots of all fields, in the descriptor's
    /// order.
    fn read<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>]));

    /// The slot of the field at `index` of the descriptor.
    ///
    /// # Panics
    /// When the index is out of range.
    fn write(&mut self, index: usize) -> SlotMut<'_>;
}

/// For owned values, such as an object in a box. Calls the implementation of
/// [`Lent`].
impl<T: ApiType> Reflect for T {
    fn descriptor(&self) -> &Descriptor {
        T::describe()
    }

    fn read<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>])) {
        Lent::new(self).read(visit);
    }

    fn write(&mut self, index: usize) -> SlotMut<'_> {
        Lent::new_mut(self).write(index)
    }
}

impl<T: ApiType> Reflect for Lent<T> {
    fn descriptor(&self) -> &Descriptor {
        T::describe()
    }

    #[inline(never)]
    fn read<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>])) {
        self.read_fields(visit);
    }

    #[inline(never)]
    fn write(&mut self, index: usize) -> SlotMut<'_> {
        self.write_field(index)
    }
}

impl dyn Reflect {
    /// A copy that shares nothing with `self`.
    pub fn boxed_copy(&self) -> Box<dyn Reflect> {
        let mut out = self.descriptor().new_object();
        copy(self, &mut *out);
        out
    }

    /// The concrete object, if it is of type `T`.
    pub fn downcast_ref<T: Reflect>(&self) -> Option<&T> {
        lent::downcast_ref(self)
    }

    /// The concrete object, if it is of type `T`.
    pub fn downcast_mut<T: Reflect>(&mut self) -> Option<&mut T> {
        lent::downcast_mut(self)
    }

    /// The concrete object in its box, if it is of type `T`.
    ///
    /// # Errors
    /// The unchanged box, when the object is of another type.
    pub fn downcast<T: Reflect>(self: Box<Self>) -> Result<Box<T>, Box<dyn Reflect>> {
        if (&*self as &dyn Any).is::<T>() {
            Ok((self as Box<dyn Any>).downcast().unwrap_or_else(|_| unreachable!("checked above")))
        } else {
            Err(self)
        }
    }

    /// The position of the field with that JSON name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.descriptor().position(name)
    }

    /// The field with that JSON name, if there is one.
    pub fn field(&self, name: &str) -> Option<Slot<'_>> {
        let index = self.position(name)?;
        let mut found = None;
        self.read(&mut |slots| found = Some(slots[index]));
        found
    }

    /// The slot of the field with that JSON name, if there is one.
    pub fn field_mut(&mut self, name: &str) -> Option<SlotMut<'_>> {
        let index = self.position(name)?;
        Some(self.write(index))
    }
}

/// A type that a field can have. It provides its [`Type`] and its slots.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "a field can be bool, i32, i64, f64, Str, String, Vec<u8> (bytes), one of hubgen_machinery's scalars, json::Raw, \
            another API type, or an Option, Vec, Box, StrMap or BTreeMap of these",
    note = "add `#[derive(ApiType)]` to your own types"
)]
pub trait Value: Send + Sync + 'static {
    /// The type, for descriptors.
    const TYPE: Type;

    /// The type as the items of a list or the values of a map, without facts.
    const NODE: &'static Node = &Node::of(Self::TYPE);

    /// Whether the value may be absent (`Option`).
    const OPTIONAL: bool = false;

    /// The slot for reading.
    fn slot(&self) -> Slot<'_>;

    /// The slot for writing.
    fn slot_mut(&mut self) -> SlotMut<'_>;
}

/// A struct of an API. `#[derive(ApiType)]` implements it.
pub trait ApiType: Reflect + Value + DeepCopy + Default {
    /// The descriptor, without an object.
    fn describe() -> &'static Descriptor;

    /// Implements [`Reflect::read`].
    fn read_fields<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>]));

    /// Implements [`Reflect::write`].
    fn write_field(&mut self, index: usize) -> SlotMut<'_>;
}

/// A kind: a type whose objects have an `apiVersion` and a `kind`.
pub trait Kind: ApiType {
    /// The group: `apps`; empty for the core group.
    const GROUP: &'static str;
    /// The version: `v1`.
    const VERSION: &'static str;
    /// The `apiVersion` of objects: `apps/v1`.
    const API_VERSION: &'static str;
    /// The `kind` of objects: `Deployment`.
    const KIND: &'static str;
}

/// Panics because `index` is out of range. Derived code calls it.
#[cold]
#[doc(hidden)]
pub fn no_such_field(descriptor: &Descriptor, index: usize) -> ! {
    panic!("{} has no field {index}; it has {} fields", descriptor.name, descriptor.fields.len())
}
