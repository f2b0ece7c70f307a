//! Dropping values by what their descriptors contain.
//!
//! The compiler's code to drop a struct is compiled in each crate that refers to it, several times
//! over, and was most of the code of a crate of types. The functions here need none of it.

#![allow(unsafe_code, reason = "values are dropped by their addresses: measured")]

use std::alloc::{Layout, dealloc};
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, drop_in_place};

use super::super::list;
use super::super::{ApiType, Descriptor, Element, Empty, Lent, Value};
use super::address::AtMut;
use super::{Access, Place, Quick};
use crate::Str;

/// Drops a value as the compiler does it.
///
/// # Safety
/// The address is that of a `T`, which nobody uses afterwards.
pub(super) unsafe fn drop<T>(at: AtMut<'_>) {
    // SAFETY: the caller's promise.
    unsafe { drop_in_place(at.get::<T>()) }
}

/// Drops an object by its fields.
///
/// # Safety
/// As [`drop`].
pub(super) unsafe fn drop_struct<T: ApiType>(at: AtMut<'_>) {
    // SAFETY: the caller's promise. The type is a struct with this descriptor and without an
    // implementation of `Drop`, as the implementation of `ApiType` promises.
    unsafe { drop_fields(at, T::describe()) }
}

/// # Safety
/// As [`drop`]. The address is that of an object of a struct with this descriptor.
unsafe fn drop_fields(at: AtMut<'_>, descriptor: &'static Descriptor) {
    for field in &*descriptor.fields {
        let place = &field.place;
        // SAFETY: the value of the field is at that offset, and nobody uses it afterwards.
        unsafe { drop_field(place, AtMut::new(at.address().add(place.offset as usize))) }
    }
}

/// # Safety
/// As [`drop`]. The address is that of the field with that place.
#[inline(always)]
unsafe fn drop_field(place: &Place, at: AtMut<'_>) {
    // SAFETY: the caller's promise. Each variant belongs to the type that is read.
    unsafe {
        match place.quick {
            Quick::Bool
            | Quick::Int32
            | Quick::Int64
            | Quick::OptionBool
            | Quick::OptionInt32
            | Quick::OptionInt64
            | Quick::OptionTime => {}
            Quick::Str => drop_in_place(at.get::<Str>()),
            Quick::Boxed | Quick::BoxedObject if at.shared().is_null_box() => {}
            _ => (place.access.drop)(at),
        }
    }
}

/// # Safety
/// As [`drop`], for an `Option<T>`.
pub(super) unsafe fn drop_option<T: Element>(at: AtMut<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(value) = at.get::<Option<T>>() {
            (T::ACCESS.drop)(AtMut::of(value));
        }
    }
}

/// # Safety
/// As [`drop`], for a `Box<T>`.
pub(super) unsafe fn drop_box<T: Element + Empty>(at: AtMut<'_>) {
    // SAFETY: the caller's promise. A box is the address of its value.
    unsafe { drop_boxed(*at.get::<NonNull<u8>>(), T::ACCESS, Layout::new::<T>()) }
}

/// As [`drop_box`], compiled once for all types.
///
/// # Safety
/// The address is that of a box's value, which has that access and layout.
unsafe fn drop_boxed(value: NonNull<u8>, access: &Access, layout: Layout) {
    // SAFETY: the caller's promise. The memory of a value without a size is none.
    unsafe {
        (access.drop)(AtMut::new(value));
        if layout.size() > 0 {
            dealloc(value.as_ptr(), layout);
        }
    }
}

/// # Safety
/// As [`drop`], for a `Vec<T>`.
pub(super) unsafe fn drop_list<T: Value + Empty>(at: AtMut<'_>) {
    // SAFETY: the caller's promise.
    let list = unsafe { at.get::<Vec<T>>() };
    list::drop_list(Lent::new_mut(list));
}

/// Drops an object without the compiler's code for that.
pub(in crate::reflect) fn discard<T: ApiType>(object: T) {
    // SAFETY: nobody uses the object afterwards.
    unsafe { drop_object(&mut ManuallyDrop::new(object)) }
}

/// As [`discard`], for an object that stays where it is.
///
/// # Safety
/// Nobody uses the object afterwards.
pub(in crate::reflect) unsafe fn drop_object<T: ApiType>(object: &mut ManuallyDrop<T>) {
    // SAFETY: the caller's promise.
    unsafe { (T::ACCESS.drop)(AtMut::of(&mut **object)) }
}

/// Makes an option `None`, and drops its value without the compiler's code for that.
pub(in crate::reflect) fn clear<T>(option: &mut Option<T>)
where
    Option<T>: Value,
{
    let mut old = ManuallyDrop::new(option.take());
    // SAFETY: nobody uses the value afterwards.
    unsafe { (<Option<T> as Value>::ACCESS.drop)(AtMut::of(&mut *old)) }
}
