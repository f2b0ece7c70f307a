//! Objects that reflection owns.
//!
//! The vtable of a `Box<dyn Reflect>` refers to the code that drops its object. If the compiler makes
//! that code, each crate of types contains the code to drop all its types. [`Owned`] drops an object
//! by its fields instead, which is one function for all types.
//!
//! `ARCHITECTURE.md` lists the modules with unsafe code. Miri runs their tests.

#![allow(
    unsafe_code,
    reason = "objects in boxes are copies of constants, and are cast to a transparent wrapper: measured"
)]

use std::alloc::{Layout, alloc, handle_alloc_error};
use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use super::access::{At, discard, drop_object};
use super::{ApiType, Descriptor, Empty, Fields, Reflect, SlotMut};

/// An object in a box that reflection made.
#[repr(transparent)]
pub(super) struct Owned<T: ApiType>(ManuallyDrop<T>);

impl<T: ApiType> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: nobody uses the object afterwards.
        unsafe { drop_object(&mut self.0) }
    }
}

impl<T: ApiType> Owned<T> {
    pub fn get(&self) -> &T {
        &self.0
    }

    pub fn get_mut(&mut self) -> &mut T {
        &mut self.0
    }

    /// The object in a box that drops it by its fields.
    pub fn from_box(object: Box<T>) -> Box<Self> {
        // SAFETY: an `Owned<T>` is a `T` in memory, since both wrappers are `repr(transparent)`.
        unsafe { Box::from_raw(Box::into_raw(object).cast()) }
    }

    /// The object in a box of its own type.
    pub fn into_box(self: Box<Self>) -> Box<T> {
        // SAFETY: as in `from_box`.
        unsafe { Box::from_raw(Box::into_raw(self).cast()) }
    }
}

impl<T: ApiType> Reflect for Owned<T> {
    fn descriptor(&self) -> &Descriptor {
        T::describe()
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of(self.get())
    }

    fn write(&mut self, index: usize) -> SlotMut<'_> {
        self.get_mut().write_field(index)
    }
}

/// Makes an empty object in a box, which owns it. Derived code calls it.
pub fn boxed<T: ApiType>() -> Box<dyn Reflect> {
    Owned::from_box(empty_box::<T>())
}

/// Moves the value out of an object and leaves an empty value.
///
/// # Panics
/// When the object is of another type. The Scheme calls this only with objects of its entry's type.
#[inline(never)]
pub(crate) fn take<T: ApiType>(object: &mut dyn Reflect) -> T {
    let Some(source) = object.downcast_mut() else {
        panic!("expected an object of type {}, found {}", T::describe().name, object.descriptor().name)
    };
    std::mem::replace(source, T::EMPTY)
}

/// Moves a value into a box. `reuse` is reused if its object is of the same type, so that a version
/// whose type is the hub type needs no allocation.
#[inline(never)]
pub(crate) fn put<T: ApiType>(mut reuse: Box<dyn Reflect>, value: T) -> Box<dyn Reflect> {
    match reuse.downcast_mut() {
        Some(target) => {
            discard(std::mem::replace(target, value));
            reuse
        }
        None => Owned::from_box(Box::new(value)),
    }
}

/// Makes a copy of an empty value in a box.
pub(super) fn empty_box<T: Empty>() -> Box<T> {
    let empty = At::of(T::STATIC);
    // SAFETY: the memory has the layout of a `T`. An empty value is a constant, so its bytes can be
    // copied: it owns nothing. A type of size zero has no memory, as `Box` requires.
    unsafe { Box::from_raw(copy(empty, Layout::new::<T>()).cast().as_ptr()) }
}

/// Memory for a value. For a value without a size, it is an address that is never used.
pub(super) fn memory(layout: Layout) -> NonNull<u8> {
    if layout.size() == 0 {
        return NonNull::without_provenance(layout.align().try_into().unwrap_or(NonZeroUsize::MIN));
    }
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Copies a constant into new memory, compiled once for all types.
///
/// # Safety
/// The value has that layout, and may be copied byte by byte.
unsafe fn copy(value: At<'static>, layout: Layout) -> NonNull<u8> {
    let memory = memory(layout);
    // SAFETY: the caller's promise. The memory has that size.
    unsafe { value.copy_to(memory, layout.size()) };
    memory
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::json::Raw;
    use crate::reflect::DeepCopy;
    use crate::scalar::{IntOrString, Quantity};
    use crate::{Str, StrMap};
    use std::collections::BTreeMap;

    #[derive(hubgen_derive::ApiType)]
    struct Inner {
        text: Str,
        next: Option<Box<Inner>>,
        inners: Vec<Inner>,
    }

    #[derive(hubgen_derive::ApiType)]
    enum Choice {
        Inner(Inner),
        Text(Str),
    }

    /// Everything that owns memory, in every way in which it can be owned.
    #[derive(hubgen_derive::ApiType)]
    struct All {
        text: Str,
        option: Option<Str>,
        string: String,
        bytes: Vec<u8>,
        raw: Raw,
        quantity: Quantity,
        port: IntOrString,
        texts: Vec<Str>,
        options: Vec<Option<Str>>,
        lists: Vec<Vec<Str>>,
        numbers: Vec<i64>,
        map: StrMap<Str>,
        tree: BTreeMap<Str, Inner>,
        quantities: StrMap<Quantity>,
        inner: Inner,
        some: Option<Inner>,
        boxed: Option<Box<Inner>>,
        inners: Vec<Inner>,
        choice: Choice,
        choices: Vec<Choice>,
        #[field(omit = never)]
        always: Option<Box<Inner>>,
    }

    const LONG: &str = "a text that is too long to be stored in place";

    /// Miri and the other leak checkers notice what is not freed here.
    #[test]
    fn a_dropped_object_frees_all_that_it_owns() {
        let inner =
            format!(r#"{{"text":"{LONG}","next":{{"text":"{LONG}"}},"inners":[{{"text":"{LONG}"}},{{}}]}}"#);
        let json = format!(
            r#"{{"text":"{LONG}","option":"{LONG}","string":"{LONG}","bytes":"AQID","raw":{{"a":"{LONG}"}},
            "quantity":"1.000000000000000000000000000001","port":"{LONG}","texts":["{LONG}","a"],"options":["{LONG}",null],
            "lists":[["{LONG}"],[]],"numbers":[1],"map":{{"{LONG}":"{LONG}"}},"tree":{{"{LONG}":{inner}}},
            "quantities":{{"{LONG}":"1"}},"inner":{inner},"some":{inner},"boxed":{inner},"inners":[{inner},{inner}],
            "choice":{{"inner":{inner}}},"choices":[{{"text":"{LONG}"}},{{"inner":{inner}}}],"always":{inner}}}"#
        );
        let mut object = boxed::<All>();
        json::decode_into(json.as_bytes(), &mut *object).unwrap();
        // What is replaced and cleared is dropped, too.
        json::decode_into(json.as_bytes(), &mut *object).unwrap();
        let copy = object.downcast_ref::<All>().unwrap().deep_copy();
        assert!(Some(&copy) == object.downcast_ref());
        let replaced = put(boxed::<All>(), take::<All>(&mut *object.boxed_copy()));
        drop(put(replaced, All::default()));
        for index in 0..object.fields().len() / 2 {
            object.write(index).clear();
        }
        drop(object);
    }

    #[test]
    fn an_object_is_moved_out_of_its_box() {
        let mut object = boxed::<Inner>();
        json::decode_into(format!(r#"{{"text":"{LONG}"}}"#).as_bytes(), &mut *object).unwrap();
        let object = object.downcast::<All>().expect_err("it is of another type");
        let object = object.downcast::<Inner>().unwrap_or_else(|_| unreachable!("it is of that type"));
        assert_eq!(object.text, LONG);
        let object: Box<dyn Reflect> = object;
        assert_eq!(object.downcast_ref::<Inner>().map(|inner| &*inner.text), Some(LONG));
    }
}
