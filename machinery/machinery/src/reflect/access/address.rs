//! Addresses of values whose type is known elsewhere.

#![allow(unsafe_code, reason = "values are reached by their addresses: measured")]

use std::marker::PhantomData;
use std::ptr::NonNull;

/// The address of a value that is borrowed for reading.
#[derive(Clone, Copy)]
pub struct At<'a>(NonNull<u8>, PhantomData<&'a ()>);

impl<'a> At<'a> {
    /// The address of a value.
    #[inline(always)]
    pub(in crate::reflect) const fn of<T>(value: &'a T) -> Self {
        Self(NonNull::from_ref(value).cast(), PhantomData)
    }

    /// The address of the first element of a list, if there is one.
    #[inline(always)]
    pub(in crate::reflect) const fn of_all<T>(list: &'a [T]) -> Self {
        Self(NonNull::from_ref(list).cast(), PhantomData)
    }

    /// The elements of a list.
    ///
    /// # Safety
    /// The address is that of `len` elements of type `T`.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn all<T>(self, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.0.cast().as_ptr(), len) }
    }

    /// Copies the bytes of the value.
    ///
    /// # Safety
    /// The value has that size, and may be copied byte by byte. There is room for it.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn copy_to(self, target: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { target.copy_from_nonoverlapping(self.0, size) }
    }

    /// The value.
    ///
    /// # Safety
    /// The address is that of a `T`.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn get<T>(self) -> &'a T {
        // SAFETY: the caller's promise. The lifetime is that of the borrow.
        unsafe { self.0.cast().as_ref() }
    }

    /// Whether an `Option<Box<_>>` is `None`, which is a null pointer: the standard library
    /// guarantees it.
    ///
    /// # Safety
    /// The address is that of such an option.
    #[inline(always)]
    pub(super) unsafe fn is_null_box(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.get::<*const u8>() }.is_null()
    }

    /// The address of a part of the value.
    ///
    /// # Safety
    /// The value, or the list that starts with it, has a part at that offset.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn part(self, offset: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { self.0.add(offset) }, PhantomData)
    }
}

/// The address of a value that is borrowed for writing.
pub struct AtMut<'a>(NonNull<u8>, PhantomData<&'a mut ()>);

impl<'a> AtMut<'a> {
    /// An address.
    ///
    /// # Safety
    /// Nothing else uses the value while it is borrowed.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn new(address: NonNull<u8>) -> Self {
        Self(address, PhantomData)
    }

    /// The address of a value.
    #[inline(always)]
    pub(in crate::reflect) fn of<T>(value: &'a mut T) -> Self {
        Self(NonNull::from_mut(value).cast(), PhantomData)
    }

    /// The value.
    ///
    /// # Safety
    /// The address is that of a `T`.
    #[inline(always)]
    pub(in crate::reflect) unsafe fn get<T>(self) -> &'a mut T {
        // SAFETY: the caller's promise. Nobody else uses the address: there is no copy of `self`.
        unsafe { self.0.cast().as_mut() }
    }

    /// The address itself, which is not borrowed.
    #[inline(always)]
    pub(super) fn address(&self) -> NonNull<u8> {
        self.0
    }

    /// The address, for reading.
    #[inline(always)]
    pub(super) fn shared(&self) -> At<'_> {
        At(self.0, PhantomData)
    }

    /// The address of a part of the value.
    ///
    /// # Safety
    /// As [`At::part`].
    #[inline(always)]
    pub(in crate::reflect) unsafe fn part(self, offset: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { self.0.add(offset) }, PhantomData)
    }
}
