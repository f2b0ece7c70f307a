//! Reflection: every struct answers for its fields through one object-safe
//! trait, so that codecs, comparison, defaulting and the rest are written
//! once, concretely, instead of once per type.
//!
//! Reading hands all fields over in one go; writing asks for one slot. Slots
//! are made from a field's *type* by [`Value`], never from generated text, so
//! that a descriptor and its field cannot disagree.

mod compare;
mod containers;
mod copy;
mod debug;
mod descriptor;
mod facts;
mod leaves;
mod lent;
mod new;
pub mod runtime;
mod serde;
mod shared;
mod slot;
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
pub use self::new::NewObject;
pub use self::serde::{deserialize, serialize};
pub(crate) use self::serde::{is_null, is_shown};
pub use self::shared::{Held, Ref, Text, Words};
pub use self::slot::{List, Map, OneOf, Optional, Shape, Slot, SlotMut, Union, is_unset};
pub use self::union::{OrArray, OrBool, OrStrings};

/// A struct that answers for its fields.
///
/// Derive it with `#[derive(ApiType)]`; the order of fields is the order of
/// declaration, in the descriptor as in [`read`](Reflect::read) and
/// [`write`](Reflect::write).
pub trait Reflect: Any + Send + Sync {
    /// What the fields are called, and every schema fact about them. A compiled
    /// type has it in a `static`; an object of a type that was made at run time
    /// owns it together with all others of its snapshot.
    fn descriptor(&self) -> &Descriptor;

    /// Hands over all fields, in the descriptor's order.
    fn read<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>]));

    /// The slot of the field at `index` of the descriptor.
    ///
    /// # Panics
    /// When there is no such field.
    fn write(&mut self, index: usize) -> SlotMut<'_>;
}

/// What is whole, such as an object in a box, answers as what it is lent as.
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

    /// The concrete object, where it is of that type.
    pub fn downcast_ref<T: Reflect>(&self) -> Option<&T> {
        lent::downcast_ref(self)
    }

    /// The concrete object, where it is of that type.
    pub fn downcast_mut<T: Reflect>(&mut self) -> Option<&mut T> {
        lent::downcast_mut(self)
    }

    /// The concrete object, or the box back where it is of another type.
    ///
    /// # Errors
    /// The box itself, when the object is of another type.
    pub fn downcast<T: Reflect>(self: Box<Self>) -> Result<Box<T>, Box<dyn Reflect>> {
        if (&*self as &dyn Any).is::<T>() {
            Ok((self as Box<dyn Any>).downcast().unwrap_or_else(|_| unreachable!("checked above")))
        } else {
            Err(self)
        }
    }

    /// The position of the field of that JSON name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.descriptor().position(name)
    }

    /// The field of that JSON name, if there is one.
    pub fn field(&self, name: &str) -> Option<Slot<'_>> {
        let index = self.position(name)?;
        let mut found = None;
        self.read(&mut |slots| found = Some(slots[index]));
        found
    }

    /// The slot of the field of that JSON name, if there is one.
    pub fn field_mut(&mut self, name: &str) -> Option<SlotMut<'_>> {
        let index = self.position(name)?;
        Some(self.write(index))
    }
}

/// What a field can hold: it knows its type and gives its slot.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "fields hold bool, i32, i64, f64, String, Vec<u8> (bytes), hubgen_machinery's scalars, json::Raw, \
            other API types, and Option, Vec, Box and BTreeMap<String, _> of these",
    note = "put `#[derive(ApiType)]` on your own types"
)]
pub trait Value: Send + Sync + 'static {
    /// The type, for descriptors.
    const TYPE: Type;

    /// The same, as lists and maps have it of their items and values.
    const NODE: &'static Node = &Node::of(Self::TYPE);

    /// Whether absence is a state of its own (`Option`).
    const OPTIONAL: bool = false;

    /// The value, for reading.
    fn slot(&self) -> Slot<'_>;

    /// The value, for writing.
    fn slot_mut(&mut self) -> SlotMut<'_>;
}

/// A struct of an API: what `#[derive(ApiType)]` makes of one.
pub trait ApiType: Reflect + Value + DeepCopy + Default {
    /// The descriptor, without an object at hand.
    fn describe() -> &'static Descriptor;

    /// What [`Reflect::read`] does.
    fn read_fields<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>]));

    /// What [`Reflect::write`] does.
    fn write_field(&mut self, index: usize) -> SlotMut<'_>;
}

/// A type that clients name in `apiVersion` and `kind`.
pub trait Kind: ApiType {
    /// `apps`; empty for the core group.
    const GROUP: &'static str;
    /// `v1`.
    const VERSION: &'static str;
    /// `apps/v1`, as objects carry it.
    const API_VERSION: &'static str;
    /// `Deployment`.
    const KIND: &'static str;
}

/// Refuses an index that no field has; called by derived code.
#[cold]
#[doc(hidden)]
pub fn no_such_field(descriptor: &Descriptor, index: usize) -> ! {
    panic!("{} has {} fields, none at {index}", descriptor.name, descriptor.fields.len())
}
