//! Values as reflection lends them: seen through a reference, never dropped.
//!
//! A trait object drags along the code that drops its value, though nobody
//! drops what is behind a reference. For types as large as those of an API that
//! code is most of what a crate of them compiles to, and the compiler repeats
//! it in every codegen unit that needs it, which are up to sixteen. [`Lent`]
//! has nothing to drop, so trait objects of it have no such code.
//!
//! The functions below, and the methods of `Lent`, do need it. They stand in
//! one module because instances of what a module holds are compiled in one
//! unit; in another place each would bring a copy of its own. Hence also that
//! they are not inlined. `docs/performance.md` has the figures.
//!
//! The only unsafe code of the workspace is here, and Miri runs its tests.

#![allow(
    unsafe_code,
    reason = "casts between a type and a transparent wrapper, and swapping without a type: both are measured"
)]

use std::any::Any;
use std::mem::{ManuallyDrop, MaybeUninit, transmute};
use std::ops::{Deref, DerefMut};

use super::{ApiType, Reflect};

/// A value behind a reference, as trait objects of reflection have it.
#[repr(transparent)]
pub struct Lent<T>(ManuallyDrop<T>);

impl<T> Lent<T> {
    /// The value, lent.
    #[inline(always)]
    pub fn new(value: &T) -> &Self {
        // SAFETY: `Lent<T>` and `ManuallyDrop<T>` are `repr(transparent)`: a
        // `Lent<T>` is a `T` in memory, and any `T` is a valid one. The
        // lifetime stays what it is.
        unsafe { transmute::<&T, &Self>(value) }
    }

    /// The value, lent for writing.
    ///
    /// What is written through it is a `T`: the field is private, and nothing
    /// here moves a value out or makes a `Lent` that owns one.
    #[inline(always)]
    pub fn new_mut(value: &mut T) -> &mut Self {
        // SAFETY: as in `new`; whatever is left behind the reference is a valid
        // `T`, which its owner drops.
        unsafe { transmute::<&mut T, &mut Self>(value) }
    }
}

impl<T> Deref for Lent<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: as in `new`. `&self.0` says the same and is two calls where
        // nothing is optimised, for every type.
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
/// When one of them does not exist.
pub(super) fn swap<T>(slice: &mut [T], a: usize, b: usize) {
    // SAFETY: these are the slice's elements, which nobody else refers to.
    unsafe { swap_bytes(slice.as_mut_ptr().cast(), slice.len(), size_of::<T>(), a, b) };
}

/// As [`swap`], compiled once for all types.
///
/// # Safety
/// `first` points to `len` elements of `size` bytes each, and nobody else does.
unsafe fn swap_bytes(first: *mut MaybeUninit<u8>, len: usize, size: usize, a: usize, b: usize) {
    assert!(a < len && b < len, "expected two of {len} elements, found {a} and {b}");
    if a == b {
        return;
    }
    // SAFETY: two different elements do not overlap, and moving all bytes of a
    // value, padding too, moves the value.
    unsafe { std::ptr::swap_nonoverlapping(first.add(a * size), first.add(b * size), size) };
}

/// An empty object in a box, which owns it whole; for derived code.
pub fn boxed<T: ApiType>() -> Box<dyn Reflect> {
    Box::new(empty::<T>())
}

/// An empty value. It stands here, once, and not in each place that makes one.
#[inline(never)]
pub(super) fn empty<T: Default>() -> T {
    T::default()
}

/// Takes an object out of what holds it, which is empty then.
///
/// # Panics
/// When it is of another type: the Scheme pairs objects with their own entries.
#[inline(never)]
pub(crate) fn take<T: ApiType>(object: &mut dyn Reflect) -> T {
    let Some(place) = object.downcast_mut() else {
        panic!("an object of type {} came as {}", object.descriptor().name, T::describe().name)
    };
    std::mem::replace(place, empty())
}

/// Puts an object into a box: the one at hand, where it is of the same type, so
/// that a version whose own type is the hub costs nothing.
#[inline(never)]
pub(crate) fn put<T: ApiType>(mut at_hand: Box<dyn Reflect>, value: T) -> Box<dyn Reflect> {
    match at_hand.downcast_mut() {
        Some(place) => {
            *place = value;
            at_hand
        }
        None => Box::new(value),
    }
}

/// The concrete value, lent or not, where it is of that type.
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

    /// What is lent is read, written and replaced in place, and dropped once,
    /// by its owner.
    #[test]
    fn lent_values_stay_their_owners() {
        let mut owner = vec!["a".to_owned()];
        assert_eq!(**Lent::new(&owner), ["a"]);
        let lent = Lent::new_mut(&mut owner);
        lent.push("b".to_owned());
        **lent = vec![lent.concat()];
        assert_eq!(owner, ["ab"]);
    }

    /// Elements with pointers, padding and no size at all.
    #[test]
    fn elements_are_swapped_whole() {
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
    fn an_element_that_there_is_not_is_not_swapped() {
        swap(&mut [0], 0, 1);
    }

    /// An object of a type and one in a box are both of it.
    #[test]
    fn objects_are_found_by_their_type_lent_or_not() {
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
