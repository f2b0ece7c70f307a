//! Borrowed values that trait objects of reflection refer to.
//!
//! The vtable of a trait object refers to the code that drops its value, even
//! if the value is only borrowed and never dropped through the trait object.
//! For types as large as those of an API, drop code is most of a crate's
//! compiled code, and the compiler repeats it in every codegen unit that needs
//! it: up to sixteen times. [`Lent`] has nothing to drop, so its trait objects
//! need no drop code.
//!
//! `docs/performance-history.md` contains the figures.
//!
//! `ARCHITECTURE.md` lists the modules with unsafe code. Miri runs their tests.

#![allow(unsafe_code, reason = "casts between a type and a transparent wrapper: measured")]

use std::any::Any;
use std::mem::{ManuallyDrop, transmute};
use std::ops::{Deref, DerefMut};

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
    use crate::reflect::{Reflect, put, take};

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
