//! Lists, with the type of their elements as data.
//!
//! Every type of an API occurs in lists. A `Vec` therefore implements as little as possible for
//! each type: where its elements are, and what needs to drop or move them. What all lists do is
//! compiled once, here.

#![allow(
    unsafe_code,
    reason = "elements are reached by their size, so that lists need little code for each type: measured"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::mem::{MaybeUninit, forget, replace};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::ptr::NonNull;

use super::access::{Access, At, AtMut};
use super::runtime::ListCell;
use super::{Empty, Fields, Lent, Slot, SlotMut, Value};
use crate::Str;

/// A list of values: a `Vec`, or a list of a run-time type.
///
/// Its methods are those of `dyn List`. Those of the trait serve them.
pub trait List: Sealed {
    /// The elements, for reading.
    #[doc(hidden)]
    fn elements(&self) -> Elements<'_>;

    /// The elements, for writing.
    #[doc(hidden)]
    fn elements_mut(&mut self) -> ElementsMut<'_>;

    /// Replaces the parts of a `Vec`, whose elements are neither moved nor dropped.
    ///
    /// # Safety
    /// As `Vec::from_raw_parts`: `first` is the address of memory for `capacity` elements, of which
    /// there are `len`. The list itself has no other use for its memory.
    #[doc(hidden)]
    unsafe fn set(&mut self, _first: NonNull<u8>, _len: usize, _capacity: usize) {
        unreachable!("other lists move their elements themselves");
    }
}

/// Only this crate implements [`List`].
#[doc(hidden)]
pub trait Sealed {}

/// The elements of a list, for reading.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum Elements<'a> {
    /// Of a `Vec`: the address of the first, and their number.
    Typed { first: At<'a>, len: usize, ty: &'static ElementType },
    /// Of a run-time type.
    Cells(&'a ListCell),
}

/// The elements of a list, for writing.
#[doc(hidden)]
pub enum ElementsMut<'a> {
    /// Of a `Vec`: the address of the first, their number, and how many there is room for.
    Typed { first: NonNull<u8>, len: usize, capacity: usize, ty: &'static ElementType },
    /// Of a run-time type.
    Cells(&'a mut ListCell),
}

/// The type of the elements of a `Vec`.
#[doc(hidden)]
pub struct ElementType {
    layout: Layout,
    /// Whether elements may be absent (`Vec<Option<…>>`).
    optional: bool,
    access: &'static Access,
    /// An empty element.
    empty: At<'static>,
}

impl ElementType {
    pub(super) const fn of<T: Value + Empty>() -> Self {
        Self {
            layout: Layout::new::<T>(),
            optional: T::OPTIONAL,
            access: T::ACCESS,
            empty: At::of(T::STATIC),
        }
    }
}

impl ElementType {
    /// Drops elements.
    ///
    /// # Safety
    /// `first` is the address of the first of a list's elements. It has those at `which`, which nobody
    /// uses afterwards.
    unsafe fn drop(&self, first: NonNull<u8>, which: Range<usize>) {
        if self.access.needs_no_drop() {
            return;
        }
        for index in which {
            // SAFETY: the caller's promise.
            unsafe { self.access.drop(AtMut::new(first).part(index * self.layout.size())) };
        }
    }
}

/// Copies elements to new memory for exactly so many. Returns its address.
///
/// # Safety
/// The address is that of `len` elements of that type.
pub(super) unsafe fn copy_elements(first: At<'_>, len: usize, ty: &ElementType) -> NonNull<u8> {
    let size = ty.layout.size();
    // SAFETY: the caller's promise. There is no memory yet, and then room for all elements.
    unsafe {
        let copy = resize_memory(NonNull::dangling(), ty.layout, 0, len);
        if ty.access.needs_no_drop() {
            first.copy_to(copy, len * size);
        } else {
            for index in 0..len {
                ty.access.copy(first.part(index * size), copy.add(index * size));
            }
        }
        copy
    }
}

/// Drops a list, which is empty afterwards and has no memory.
pub(super) fn drop_list(list: &mut dyn List) {
    list.truncate(0);
    list.shrink();
}

impl<T> Sealed for Lent<Vec<T>> {}

impl<T: Value + Empty> List for Lent<Vec<T>> {
    fn elements(&self) -> Elements<'_> {
        let first = At::of_all(self.as_slice());
        Elements::Typed { first, len: self.len(), ty: const { &ElementType::of::<T>() } }
    }

    fn elements_mut(&mut self) -> ElementsMut<'_> {
        let (len, capacity) = (self.len(), self.capacity());
        // SAFETY: the address of a `Vec`'s elements is not null.
        let first = unsafe { NonNull::new_unchecked(self.as_mut_ptr().cast()) };
        ElementsMut::Typed { first, len, capacity, ty: const { &ElementType::of::<T>() } }
    }

    unsafe fn set(&mut self, first: NonNull<u8>, len: usize, capacity: usize) {
        // SAFETY: the caller's promise.
        let list = unsafe { Vec::from_raw_parts(first.as_ptr().cast(), len, capacity) };
        forget(replace(&mut **self, list));
    }
}

/// As many elements as a list has room for after the first one is added: as in the standard library.
fn least_room(size: usize) -> usize {
    if size <= 1024 { 4 } else { 1 }
}

#[cold]
fn no_such_element(index: usize, len: usize) -> ! {
    panic!("expected an index below {len}, found {index}")
}

/// The methods of all lists.
impl dyn List + '_ {
    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.elements().len()
    }

    /// Whether the list has no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether elements may be absent (`Vec<Option<…>>`).
    pub fn has_optional_values(&self) -> bool {
        matches!(self.elements(), Elements::Typed { ty, .. } if ty.optional)
    }

    /// The elements, in order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Slot<'_>> + ExactSizeIterator + Clone {
        let elements = self.elements();
        // SAFETY: the index is below the number of elements.
        (0..elements.len()).map(move |index| unsafe { elements.get_unchecked(index) })
    }

    /// The elements, if their type is [`Str`].
    pub(crate) fn strs(&self) -> Option<&[Str]> {
        match self.elements() {
            // SAFETY: these are `len` elements of that type.
            Elements::Typed { first, len, ty } if ty.access.is_str() => Some(unsafe { first.all(len) }),
            _ => None,
        }
    }

    /// The fields of the elements, if their type is a struct or an enum with fields.
    pub(crate) fn objects(&self) -> Option<impl DoubleEndedIterator<Item = Fields<'_>>> {
        match self.elements() {
            // SAFETY: these are `len` elements of that type.
            Elements::Typed { first, len, ty } => unsafe {
                Fields::of_list(first, len, ty.layout.size(), ty.access)
            },
            Elements::Cells(_) => None,
        }
    }

    /// The element at `index`.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn get(&self, index: usize) -> Slot<'_> {
        self.elements().get(index)
    }

    /// The element at `index`, for writing.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn get_mut(&mut self, index: usize) -> SlotMut<'_> {
        match self.elements_mut() {
            ElementsMut::Typed { first, len, ty, .. } => {
                if index >= len {
                    no_such_element(index, len);
                }
                // SAFETY: the element exists, and is borrowed for as long as the list.
                unsafe { ty.access.slot_mut(AtMut::new(first).part(index * ty.layout.size())) }
            }
            ElementsMut::Cells(list) => list.slot_mut(index),
        }
    }

    /// Reserves memory for exactly that many more elements.
    pub fn reserve(&mut self, additional: usize) {
        match self.elements_mut() {
            ElementsMut::Typed { len, capacity, .. } => {
                if additional > capacity - len {
                    self.resize(len.saturating_add(additional));
                }
            }
            ElementsMut::Cells(list) => list.reserve(additional),
        }
    }

    /// Returns memory that is reserved for more elements.
    pub fn shrink(&mut self) {
        match self.elements_mut() {
            ElementsMut::Typed { len, capacity, .. } => {
                // Elements without a size have room for any number.
                if len < capacity && capacity != usize::MAX {
                    self.resize(len);
                }
            }
            ElementsMut::Cells(list) => list.shrink(),
        }
    }

    /// Moves the elements of a `Vec` to memory for `room` elements, which are not fewer than there are.
    #[inline(never)]
    fn resize(&mut self, room: usize) {
        let ElementsMut::Typed { first, len, capacity, ty } = self.elements_mut() else { return };
        assert!(len <= room, "{len} elements need more room than for {room}");
        // SAFETY: the memory is that of a `Vec`, with room for `capacity` elements of that layout. The
        // elements move with the bytes, and `room` is enough for them.
        unsafe {
            let first = resize_memory(first, ty.layout, capacity, room);
            self.set(first, len, room);
        }
    }

    /// Appends an empty element and returns its slot.
    pub fn push(&mut self) -> SlotMut<'_> {
        let (first, len, capacity, ty) = match self.elements_mut() {
            ElementsMut::Typed { first, len, capacity, ty } if len < capacity => (first, len, capacity, ty),
            _ => match self.grow() {
                Some(parts) => parts,
                None => return self.push_cell(),
            },
        };
        // SAFETY: there is room after the last element. An empty value is a constant, so its bytes can
        // be copied: it owns nothing. It is then an element, borrowed for as long as the list.
        unsafe {
            let new = first.add(len * ty.layout.size());
            ty.empty.copy_to(new, ty.layout.size());
            self.set(first, len + 1, capacity);
            ty.access.slot_mut(AtMut::new(new))
        }
    }

    /// Reserves memory for more elements of a `Vec`, and returns its parts.
    #[inline(never)]
    fn grow(&mut self) -> Option<(NonNull<u8>, usize, usize, &'static ElementType)> {
        if let ElementsMut::Typed { len, ty, .. } = self.elements_mut() {
            self.reserve(len.max(least_room(ty.layout.size())));
        }
        match self.elements_mut() {
            ElementsMut::Typed { first, len, capacity, ty } => Some((first, len, capacity, ty)),
            ElementsMut::Cells(_) => None,
        }
    }

    #[cold]
    fn push_cell(&mut self) -> SlotMut<'_> {
        match self.elements_mut() {
            ElementsMut::Cells(list) => list.push(),
            ElementsMut::Typed { .. } => unreachable!("a list does not change its kind"),
        }
    }

    /// Removes the elements after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        match self.elements_mut() {
            ElementsMut::Cells(list) => list.truncate(len),
            ElementsMut::Typed { first, len: before, capacity, ty } if len < before => {
                // SAFETY: these are the parts of the list, with fewer elements, and its other elements. They
                // are no longer the list's when they are dropped, so that a panic drops nothing twice.
                unsafe {
                    self.set(first, len, capacity);
                    ty.drop(first, len..before);
                }
            }
            ElementsMut::Typed { .. } => {}
        }
    }

    /// Removes every element.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Swaps two elements.
    ///
    /// # Panics
    /// When an index is out of range.
    pub fn swap(&mut self, a: usize, b: usize) {
        match self.elements_mut() {
            // SAFETY: these are the list's elements, to which nothing else refers.
            ElementsMut::Typed { first, len, ty, .. } => unsafe {
                swap_bytes(first.as_ptr().cast(), len, ty.layout.size(), a, b);
            },
            ElementsMut::Cells(list) => list.swap(a, b),
        }
    }

    /// Moves the element at `from` to `to`. Elements between them shift by one.
    ///
    /// # Panics
    /// When an index is out of range.
    pub fn shift(&mut self, from: usize, to: usize) {
        for index in from..to {
            self.swap(index, index + 1);
        }
        for index in (to..from).rev() {
            self.swap(index, index + 1);
        }
    }
}

impl<'a> Elements<'a> {
    #[inline(always)]
    fn len(self) -> usize {
        match self {
            Self::Typed { len, .. } => len,
            Self::Cells(list) => list.len(),
        }
    }

    #[inline(always)]
    fn get(self, index: usize) -> Slot<'a> {
        if index >= self.len() {
            no_such_element(index, self.len());
        }
        // SAFETY: the element exists.
        unsafe { self.get_unchecked(index) }
    }

    /// # Safety
    /// The index is below the number of elements.
    #[inline(always)]
    unsafe fn get_unchecked(self, index: usize) -> Slot<'a> {
        match self {
            // SAFETY: the caller's promise.
            Self::Typed { first, ty, .. } => unsafe { ty.access.slot(first.part(index * ty.layout.size())) },
            Self::Cells(list) => list.slot(index),
        }
    }
}

/// Moves elements to memory for `room` elements. Memory for none is an address that is never used.
///
/// # Safety
/// `first` is the address of memory for `capacity` elements, which the standard library's allocator
/// reserved. Nothing else refers to it. There are not more elements than `room`.
unsafe fn resize_memory(first: NonNull<u8>, element: Layout, capacity: usize, room: usize) -> NonNull<u8> {
    let of = |count: usize| {
        let size = element.size().checked_mul(count).filter(|size| *size <= isize::MAX as usize);
        let layout = size.and_then(|size| Layout::from_size_align(size, element.align()).ok());
        layout.unwrap_or_else(|| panic!("{count} elements of {} bytes do not fit in memory", element.size()))
    };
    let new = of(room);
    // SAFETY: the caller's promise. No size is zero where the allocator is called.
    let memory = unsafe {
        if new.size() == 0 {
            if capacity > 0 && element.size() > 0 {
                dealloc(first.as_ptr(), of(capacity));
            }
            return NonNull::without_provenance(element.align().try_into().unwrap_or(NonZeroUsize::MIN));
        }
        if capacity == 0 { alloc(new) } else { realloc(first.as_ptr(), of(capacity), new.size()) }
    };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(new))
}

/// Swaps two elements of a list.
///
/// # Panics
/// When an index is out of range.
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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "a text that is too long to be stored in place";

    fn list<T: Value + Empty>(list: &mut Vec<T>) -> &mut dyn List {
        Lent::new_mut(list)
    }

    #[test]
    fn elements_are_pushed_read_and_removed() {
        let mut owner: Vec<Str> = Vec::new();
        for index in 0..9 {
            let SlotMut::String(text) = list(&mut owner).push() else { unreachable!() };
            text.set(&format!("{LONG}{index}"));
        }
        list(&mut owner).truncate(7);
        let SlotMut::String(text) = list(&mut owner).get_mut(6) else { unreachable!() };
        text.set("last");
        let texts = list(&mut owner).iter().map(|slot| match slot {
            Slot::String(text) => text.as_str().to_owned(),
            _ => unreachable!(),
        });
        let texts: Vec<String> = texts.collect();
        assert_eq!((texts[0].as_str(), texts[6].as_str(), texts.len()), (&*format!("{LONG}0"), "last", 7));
        list(&mut owner).shrink();
        assert_eq!(owner.capacity(), 7);
        list(&mut owner).clear();
        assert!(list(&mut owner).is_empty());
    }

    /// The room doubles, as that of any `Vec`, unless it was reserved.
    #[test]
    fn a_list_grows_by_its_length() {
        let mut owner: Vec<i64> = Vec::new();
        let mut room = Vec::new();
        for _ in 0..9 {
            list(&mut owner).push();
            room.push(owner.capacity());
        }
        assert_eq!(room, [4, 4, 4, 4, 8, 8, 8, 8, 16]);
        let mut exact: Vec<i64> = Vec::new();
        list(&mut exact).reserve(3);
        list(&mut exact).push();
        assert_eq!(exact.capacity(), 3);
    }

    #[test]
    fn an_absent_element_is_pushed() {
        let mut owner: Vec<Option<Str>> = vec![Some(LONG.into())];
        list(&mut owner).push();
        assert!(list(&mut owner).has_optional_values());
        assert_eq!(owner, [Some(LONG.into()), None]);
    }

    /// Elements with pointers and with padding.
    #[test]
    fn elements_are_swapped_completely() {
        let mut texts = ["a", LONG, "c"].map(Str::from).to_vec();
        list(&mut texts).swap(2, 0);
        list(&mut texts).swap(1, 1);
        assert_eq!(texts, ["c", LONG, "a"]);
        let mut padded = vec![Some(1), None, Some(3)];
        list::<Option<i64>>(&mut padded).shift(0, 2);
        assert_eq!(padded, [None, Some(3), Some(1)]);
    }

    #[test]
    #[should_panic(expected = "expected two of 1 elements, found 0 and 1")]
    fn swapping_beyond_the_end_panics() {
        list(&mut vec![0]).swap(0, 1);
    }

    #[test]
    #[should_panic(expected = "expected an index below 1, found 1")]
    fn reading_beyond_the_end_panics() {
        list(&mut vec![0]).get(1);
    }

    #[test]
    #[should_panic(expected = "expected an index below 1, found 1")]
    fn writing_beyond_the_end_panics() {
        list(&mut vec![0]).get_mut(1);
    }
}
