//! Borrowed values that trait objects of reflection refer to.
//!
//! The vtable of a trait object refers to the code that drops its value, even
//! if the value is only borrowed and never dropped through the trait object.
//! For types as large as those of an API, drop code is most of a crate's
//! compiled code, and the compiler repeats it in every codegen unit that needs
//! it: up to sixteen times. [`Lent`] has nothing to drop, so its trait objects
//! need no drop code.
//!
//! The functions below, and the methods of `Lent`, do need it. They are in one
//! module because the compiler puts the instances of one module's functions into
//! one codegen unit; in other modules, each would add another copy. For the same
//! reason they are not inlined. `docs/performance.md` contains the figures.
//!
//! `ARCHITECTURE.md` lists the modules with unsafe code. Miri runs their tests.

#![allow(
    unsafe_code,
    reason = "casts between a type and a transparent wrapper, and swapping without a type: both are measured"
)]

use std::any::Any;
use std::mem::{ManuallyDrop, MaybeUninit, transmute};
use std::ops::{Deref, DerefMut};

use super::{ApiType, Reflect};

/// A value behind a reference, for trait objects of reflection.
#[repr(transparent)]
pub struct Lent<T>(ManuallyDrop<T>);

impl<T> Lent<T> {
    /// Wraps a reference.
    #[inline(always)]
    pub fn new(value: &T) -> &Self {
        // SAFETY: `Lent<T>` and `ManuallyDrop<T>` are `repr(transparent)`, so a
        // `Lent<T>` is a `T` in memory, and every `T` is a valid `Lent<T>`. The
        // lifetime does not change.
        unsafe { transmute::<&T, &Self>(value) }
    }

    /// Wraps a mutable reference.
    ///
    /// Only a `T` can be written through it: the field is private, and nothing
    /// here moves a value out or makes a `Lent` that owns one.
    #[inline(always)]
    pub fn new_mut(value: &mut T) -> &mut Self {
        // SAFETY: as in `new`. After writing, the value is still a valid `T`,
        // which its owner drops.
        unsafe { transmute::<&mut T, &mut Self>(value) }
    }
}

impl<T> Deref for Lent<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: as in `new`. `&self.0` does the same, but is two calls for
        // every type in unoptimized builds.
        unsafe { transmute::<&Self, &T>(self) }
    }
}

impl<T> DerefMut for Lent<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`.
        unsafe { transmute::<&mut Self, &mut T>(self) }
    }
}

/// Swaps two elements of a slice.
///
/// # Panics
/// When an index is out of range.
pub(super) fn swap<T>(slice: &mut [T], a: usize, b: usize) {
    // SAFETY: these are the slice's elements, to which nothing else refers.
    unsafe { swap_bytes(slice.as_mut_ptr().cast(), slice.len(), size_of::<T>(), a, b) };
}

/// As [`swap`], compiled once for all types.
///
/// # Safety
/// `first` points to `len` elements of `size` bytes each, and nothing else
/// refers to them.
unsafe fn swap_bytes(first: *mut MaybeUninit<u8>, len: usize, size: usize, a: usize, b: usize) {
    assert!(a < len && b < len, "expected two of {len} elements, found {a} and {b}");
    if a == b {
        return;
    }
    // SAFETY: two different elements do not overlap, and moving all bytes of a
    // value, including padding, moves the value.
    unsafe { std::ptr::swap_nonoverlapping(first.add(a * size), first.add(b * size), size) };
}

/// Makes an empty object in a box, which owns it. Derived code calls it.
pub fn boxed<T: ApiType>() -> Box<dyn Reflect> {
    Box::new(empty::<T>())
}

/// Makes an empty value. It is not inlined, so that it is compiled once for each
/// type.
#[inline(never)]
pub(super) fn empty<T: Default>() -> T {
    T::default()
}

/// Moves the value out of an object and leaves an empty value.
///
/// # Panics
/// When the object is of another type. The Scheme calls this only with objects
/// of its entry's type.
#[inline(never)]
pub(crate) fn take<T: ApiType>(object: &mut dyn Reflect) -> T {
    let Some(source) = object.downcast_mut() else {
        panic!("expected an object of type {}, found {}", T::describe().name, object.descriptor().name)
    };
    std::mem::replace(source, empty())
}

/// Moves a value into a box. `reuse` is reused if its object is of the same
/// type, so that a version whose type is the hub type needs no allocation.
#[inline(never)]
pub(crate) fn put<T: ApiType>(mut reuse: Box<dyn Reflect>, value: T) -> Box<dyn Reflect> {
    match reuse.downcast_mut() {
        Some(target) => {
            *target = value;
            reuse
        }
        None => Box::new(value),
    }
}

/// The concrete value, if it is a `T` or a [`Lent<T>`].
pub(super) fn downcast_ref<T: Any>(value: &dyn Any) -> Option<&T> {
    value.downcast_ref::<Lent<T>>().map(Deref::deref).or_else(|| value.downcast_ref())
}

/// As [`downcast_ref`], for writing.
pub(super) fn downcast_mut<T: Any>(value: &mut dyn Any) -> Option<&mut T> {
    if value.is::<Lent<T>>() {
        value.downcast_mut::<Lent<T>>().map(DerefMut::deref_mut)
    } else {
        value.downcast_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A borrowed value is read, written and replaced in place. Only its owner
    /// drops it.
    #[test]
    fn borrowed_values_are_changed_in_place() {
        let mut owner = vec!["a".to_owned()];
        assert_eq!(**Lent::new(&owner), ["a"]);
        let lent = Lent::new_mut(&mut owner);
        lent.push("b".to_owned());
        **lent = vec![lent.concat()];
        assert_eq!(owner, ["ab"]);
    }

    /// Elements with pointers, with padding, and of size zero.
    #[test]
    fn elements_are_swapped_completely() {
        let mut strings = ["a", "b", "c"].map(str::to_owned);
        swap(&mut strings, 2, 0);
        swap(&mut strings, 1, 1);
        assert_eq!(strings, ["c", "b", "a"]);
        let mut padded = [(1u8, 2u64, Some("x".to_owned())), (3, 4, None)];
        swap(&mut padded, 0, 1);
        assert_eq!(padded, [(3, 4, None), (1, 2, Some("x".to_owned()))]);
        swap(&mut [(), ()], 0, 1);
    }

    #[test]
    #[should_panic(expected = "expected two of 1 elements, found 0 and 1")]
    fn an_index_out_of_range_panics() {
        swap(&mut [0], 0, 1);
    }

    /// A borrowed object and an object in a box have the same type.
    #[test]
    fn downcast_accepts_borrowed_and_owned_objects() {
        #[derive(hubgen_derive::ApiType)]
        struct Size {
            width: i32,
        }
        #[derive(hubgen_derive::ApiType)]
        struct Other {
            width: i32,
        }
        let mut size = Size { width: 3 };
        let lent: &mut dyn Reflect = Lent::new_mut(&mut size);
        assert_eq!(take::<Size>(lent).width, 3);
        let mut owned = put(lent.boxed_copy(), Size { width: 4 });
        assert_eq!(owned.downcast_ref::<Size>().map(|size| size.width), Some(4));
        assert!(owned.downcast_mut::<Other>().is_none());
        assert_eq!(size.width, 0);
    }

    #[test]
    fn lent_values_need_no_drop() {
        assert!(std::mem::needs_drop::<String>());
        assert!(!std::mem::needs_drop::<Lent<String>>());
    }
}
