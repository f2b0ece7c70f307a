//! Copying values by what their descriptors contain.
//!
//! Code that copies a struct field by field is compiled in each crate that copies one, and with it
//! the code for all types below. The functions here are compiled once.

#![allow(unsafe_code, reason = "values are copied by their addresses: measured")]

use std::alloc::Layout;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::super::list::{self, ElementType};
use super::super::owned::memory;
use super::super::{ApiType, DeepCopy, Descriptor, Element, Empty, Value};
use super::address::At;
use super::{Access, Quick};
use crate::Str;
use crate::scalar::Time;

/// Copies an object. Derived code calls it.
pub fn deep_copy<T: ApiType>(object: &T) -> T {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: there is room for a `T`, which `copy_struct` writes.
    unsafe {
        copy_struct::<T>(At::of(object), NonNull::from_mut(&mut copy).cast());
        copy.assume_init()
    }
}

/// Copies a value as its type does it.
///
/// # Safety
/// The address is that of a `T`, and there is room for another at `copy`.
pub(super) unsafe fn copy<T: DeepCopy>(at: At<'_>, copy: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe { copy.cast().write(at.get::<T>().deep_copy()) }
}

/// Copies an object by its fields.
///
/// # Safety
/// As [`copy`].
pub(super) unsafe fn copy_struct<T: ApiType>(at: At<'_>, copy: NonNull<u8>) {
    // SAFETY: the caller's promise. An empty value is a constant, so its bytes can be copied: it owns
    // nothing. Afterwards there is an empty object at `copy`.
    unsafe {
        At::of(T::STATIC).copy_to(copy, size_of::<T>());
        copy_fields(at, copy, T::describe());
    }
}

/// Copies the fields of an object that are not empty.
///
/// # Safety
/// The address is that of an object of a struct with this descriptor, and there is an empty one at
/// `copy`.
unsafe fn copy_fields(at: At<'_>, copy: NonNull<u8>, descriptor: &'static Descriptor) {
    for field in &*descriptor.fields {
        let place = &field.place;
        // SAFETY: the value of the field is at that offset, in the object and in the copy. Each variant
        // belongs to the type that is copied. What is overwritten is empty, so there is nothing to drop.
        unsafe {
            let (at, copy) = (at.part(place.offset as usize), copy.add(place.offset as usize));
            match place.quick {
                Quick::Str => {
                    let text: &Str = at.get();
                    if !text.is_empty() {
                        copy.cast().write(text.clone());
                    }
                }
                Quick::Boxed | Quick::BoxedObject if at.is_null_box() => {}
                Quick::Bool => copy.cast().write(*at.get::<bool>()),
                Quick::Int32 => copy.cast().write(*at.get::<i32>()),
                Quick::Int64 => copy.cast().write(*at.get::<i64>()),
                Quick::Strs if at.get::<Vec<Str>>().is_empty() => {}
                Quick::OptionBool => copy.cast().write(*at.get::<Option<bool>>()),
                Quick::OptionInt32 => copy.cast().write(*at.get::<Option<i32>>()),
                Quick::OptionInt64 => copy.cast().write(*at.get::<Option<i64>>()),
                Quick::OptionTime => copy.cast().write(*at.get::<Option<Time>>()),
                Quick::Empty if (place.access.is_empty)(at) => {}
                _ => (place.access.copy)(at, copy),
            }
        }
    }
}

/// # Safety
/// As [`copy`], for an `Option<T>`.
pub(super) unsafe fn copy_option<T: Element>(at: At<'_>, copy: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        let value = at.get::<Option<T>>().as_ref().map(|value| {
            let mut copy = MaybeUninit::<T>::uninit();
            (T::ACCESS.copy)(At::of(value), NonNull::from_mut(&mut copy).cast());
            copy.assume_init()
        });
        copy.cast().write(value);
    }
}

/// # Safety
/// As [`copy`], for a `Box<T>`.
pub(super) unsafe fn copy_box<T: Element + Empty>(at: At<'_>, copy: NonNull<u8>) {
    // SAFETY: the caller's promise. A box is the address of its value.
    unsafe { copy.cast().write(copy_boxed(*at.get::<At<'_>>(), T::ACCESS, Layout::new::<T>())) }
}

/// As [`copy_box`], compiled once for all types. Returns the address of the copy.
///
/// # Safety
/// The address is that of a box's value, which has that access and layout.
unsafe fn copy_boxed(value: At<'_>, access: &Access, layout: Layout) -> NonNull<u8> {
    let copy = memory(layout);
    // SAFETY: the caller's promise, and there is room for the value.
    unsafe { (access.copy)(value, copy) };
    copy
}

/// # Safety
/// As [`copy`], for a `Vec<T>`.
pub(super) unsafe fn copy_list<T: Value + Empty>(at: At<'_>, copy: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        let list = at.get::<Vec<T>>();
        let first = list::copy_elements(At::of_all(list), list.len(), const { &ElementType::of::<T>() });
        copy.cast().write(Vec::<T>::from_raw_parts(first.cast().as_ptr(), list.len(), list.len()));
    }
}
