//! Reflection: one object-safe trait, [`Reflect`], gives access to the fields
//! of every struct. Codecs, comparison, defaulting and the rest are therefore
//! written and compiled once, not once per type.
//!
//! [`Fields`] finds each field by the offset that the descriptor contains, so
//! that a struct needs no code to be read. [`Value`] makes a slot from the
//! field's *type*, never from generated text, so that a descriptor always
//! matches its field.

mod access;
mod compare;
mod containers;
mod copy;
mod debug;
mod descriptor;
mod empty;
mod facts;
mod fits;
mod flatten;
mod float;
mod leaves;
mod lent;
mod list;
mod name;
mod new;
mod owned;
mod rest;
pub mod runtime;
mod serde;
mod shared;
mod slot;
mod text;
mod union;
mod unsigned;
mod view;
mod words;

use std::any::Any;

pub use hubgen_facts::Omit;

pub(crate) use self::access::Visitor;
pub use self::access::{Access, At, AtMut, Fields, Place, deep_copy, write_field};
pub use self::compare::{equal, slots_equal};
pub use self::containers::{Element, fill};
use self::copy::copy;
pub use self::copy::{DeepCopy, copy_into, copy_slot};
pub use self::debug::debug;
pub use self::descriptor::{
    Described, Descriptor, Field, KindName, LeafType, Node, Numbered, Origin, REST, StructType, Type,
    TypeMeta, UnknownFields,
};
pub use self::empty::Empty;
pub use self::facts::{Fact, Facts, Keys, ListType};
#[doc(hidden)]
pub use self::fits::{may_be_missing, may_fit};
pub use self::flatten::Flattened;
#[doc(hidden)]
pub use self::flatten::Part;
#[doc(hidden)]
pub use self::leaves::clone_scalar;
pub use self::leaves::{Literal, Scalar, Strings};
pub use self::lent::Lent;
pub use self::list::List;
pub use self::name::Name;
pub use self::new::NewObject;
use self::owned::Owned;
pub use self::owned::boxed;
pub(crate) use self::owned::{put, take};
pub use self::rest::Rest;
pub use self::serde::{deserialize, serialize};
pub(crate) use self::serde::{is_null, is_shown};
pub use self::shared::{Held, Ref, Text, Words};
pub(crate) use self::slot::is_set;
pub use self::slot::{Map, OneOf, Optional, Shape, Slot, SlotMut, Union, is_unset};
pub use self::text::{TextRef, TextSlot};
pub use self::union::{OrArray, OrBool, OrStrings};
#[doc(hidden)]
pub use self::view::{Level, has_metadata, sees};
pub use self::words::HasWords;

/// Access to the fields of a struct.
///
/// Derive it with `#[derive(ApiType)]`. The order of fields is the order of
/// declaration, in the descriptor, in [`fields`](Reflect::fields) and in
/// [`write`](Reflect::write).
pub trait Reflect: Any + Send + Sync {
    /// The names of the fields and all schema facts about them. The descriptor
    /// of a compiled type is a `static`. That of a run-time type is in a
    /// [snapshot](runtime::Types) that its objects share.
    fn descriptor(&self) -> &Descriptor;

    /// The fields, for reading.
    fn fields(&self) -> Fields<'_>;

    /// The slot of the field at `index` of the descriptor.
    ///
    /// # Panics
    /// When the index is out of range.
    fn write(&mut self, index: usize) -> SlotMut<'_>;

    /// Implements the method `downcast_ref` of objects.
    #[doc(hidden)]
    fn concrete(object: &dyn Any) -> Option<&Self>
    where
        Self: Sized,
    {
        object.downcast_ref()
    }

    /// Implements the method `downcast_mut` of objects.
    #[doc(hidden)]
    fn concrete_mut(object: &mut dyn Any) -> Option<&mut Self>
    where
        Self: Sized,
    {
        object.downcast_mut()
    }

    /// Implements the method `downcast` of objects in boxes.
    #[doc(hidden)]
    fn concrete_box(object: Box<dyn Any>) -> Result<Box<Self>, Box<dyn Any>>
    where
        Self: Sized,
    {
        object.downcast()
    }
}

/// For owned values, such as an object in a box. Calls the implementation of
/// [`Lent`].
impl<T: ApiType> Reflect for T {
    fn descriptor(&self) -> &Descriptor {
        T::describe()
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of(self)
    }

    fn write(&mut self, index: usize) -> SlotMut<'_> {
        Lent::new_mut(self).write(index)
    }

    fn concrete(object: &dyn Any) -> Option<&Self> {
        object.downcast_ref().map(Owned::get).or_else(|| lent::downcast_ref(object))
    }

    fn concrete_mut(object: &mut dyn Any) -> Option<&mut Self> {
        if object.is::<Owned<Self>>() {
            object.downcast_mut().map(Owned::get_mut)
        } else {
            lent::downcast_mut(object)
        }
    }

    fn concrete_box(object: Box<dyn Any>) -> Result<Box<Self>, Box<dyn Any>> {
        object.downcast().map(Owned::into_box).or_else(|object| object.downcast())
    }
}

impl<T: ApiType> Reflect for Lent<T> {
    fn descriptor(&self) -> &Descriptor {
        T::describe()
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of(&**self)
    }

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
        T::concrete(self)
    }

    /// The concrete object, if it is of type `T`.
    pub fn downcast_mut<T: Reflect>(&mut self) -> Option<&mut T> {
        T::concrete_mut(self)
    }

    /// The concrete object in its box, if it is of type `T`.
    ///
    /// # Errors
    /// The unchanged box, when the object is of another type.
    pub fn downcast<T: Reflect>(self: Box<Self>) -> Result<Box<T>, Box<dyn Reflect>> {
        if T::concrete(&*self).is_none() {
            return Err(self);
        }
        Ok(T::concrete_box(self).unwrap_or_else(|_| unreachable!("checked above")))
    }

    /// The position of the field with that JSON name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.descriptor().position(name)
    }

    /// The field with that JSON name, if there is one.
    pub fn field(&self, name: &str) -> Option<Slot<'_>> {
        let index = self.position(name)?;
        Some(self.fields().slot(index))
    }

    /// The slot of the field with that JSON name, if there is one.
    pub fn field_mut(&mut self, name: &str) -> Option<SlotMut<'_>> {
        let index = self.position(name)?;
        Some(self.write(index))
    }
}

/// A type that a field can have. It provides its [`Type`] and its slots.
///
/// # Safety
/// `ACCESS` is that of the type itself: values are read, written, copied and dropped by it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "a field can be bool, i32, i64, u16, u32, u64, f32, f64, Str, String, Vec<u8> (bytes), one of hubgen_machinery's scalars, json::Raw, \
            another API type, or an Option, Option<Box<_>>, Vec, StrMap or BTreeMap of these",
    note = "add `#[derive(ApiType)]` to your own types",
    note = "declare a type of another crate that is a text in JSON as a leaf: `#[derive(ApiType)] #[leaf(text, \
            expects = \"a URL\", examples(\"https://example.com\"))] struct Endpoint(Leaf<url::Url>);`"
)]
#[allow(unsafe_code, reason = "safe code relies on the access")]
pub unsafe trait Value: DeepCopy + Send + Sync + 'static {
    /// The type itself, or the one with all fields if it is a [view](crate::ApiType#views). Boxes are left out.
    type Whole;

    /// Whether it is a view, or contains one: such a type is no field of a type that is none.
    #[doc(hidden)]
    const HAS_VIEW: bool = false;

    /// The descriptor of the object that it is, perhaps an optional one, for what the compiler computes.
    #[doc(hidden)]
    const OBJECT: Option<&'static Descriptor> = None;

    /// The type, for descriptors.
    const TYPE: Type;

    /// The type as the items of a list or the values of a map, without facts.
    const NODE: &'static Node = &Node::of(Self::TYPE);

    /// Whether the value may be absent (`Option`).
    const OPTIONAL: bool = false;

    /// Whether the value may be `null` as well as absent (`Option<Option<_>>`).
    const NULLABLE: bool = false;

    /// How a value is read and written by its address.
    #[doc(hidden)]
    const ACCESS: &'static Access = &Access::of::<Self>();

    /// The slot for reading.
    fn slot(&self) -> Slot<'_>;

    /// The slot for writing.
    fn slot_mut(&mut self) -> SlotMut<'_>;
}

/// An object of any type.
pub type AnyObject = Box<dyn Reflect>;

/// A number that changes with a type's definition: names, types as they are written, and attributes.
/// `#[derive(ApiType)]` implements it.
///
/// Code that `hubgen generate` writes for types in users' source compares it, so that stale code does not
/// compile.
pub trait Fingerprint {
    /// The number.
    const FINGERPRINT: u64;
}

/// A struct of an API. `#[derive(ApiType)]` implements it.
///
/// # Safety
/// [`describe`](Self::describe) describes the type. If `Self` is a struct, the descriptor has all its
/// fields, each with its offset and type, and the struct does not implement `Drop`. If it is an enum,
/// the descriptor's origin refers to it.
#[allow(unsafe_code, reason = "safe code relies on the offsets of the descriptor")]
pub unsafe trait ApiType: Reflect + Value + DeepCopy + Default + Empty {
    /// The descriptor, for what the compiler computes.
    #[doc(hidden)]
    const DESCRIPTOR: &'static Descriptor;

    /// The descriptor, without an object.
    fn describe() -> &'static Descriptor;

    /// The descriptor of the field `metadata` of a view, for what the compiler checks.
    #[doc(hidden)]
    const METADATA: Option<&'static Descriptor> = None;

    /// Implements [`Reflect::write`].
    fn write_field(&mut self, index: usize) -> SlotMut<'_> {
        write_field(self, index)
    }
}

/// A type that does not implement `Drop`: reflection drops objects by their fields.
///
/// Implementing both does not compile, because the two implementations of this trait conflict.
#[doc(hidden)]
pub trait MustNotImplementDrop {}

#[allow(drop_bounds, reason = "no type that implements `Drop` may implement the trait for itself")]
impl<T: Drop> MustNotImplementDrop for T {}

/// A kind: a type whose objects have an `apiVersion` and a `kind`.
pub trait Kind: ApiType<Whole = Self> {
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
