//! Limits how much memory decoding an input may allocate.

use crate::reflect::{Descriptor, Type};

/// The memory that any input may take, however small it is. A CustomResourceDefinition without
/// descriptions takes about 90 bytes of memory for each byte of input, so one of 2.5 MB still fits.
const BASE: usize = 64 << 20;

/// The additional memory for each byte of the input.
const PER_BYTE: usize = 64;

/// The capacity of the smallest node of a `BTreeMap`, which users' types may have.
const NODE: usize = 11;

/// For how many entries a map takes memory, at most, for each that it has. A `StrMap` moves its entries to twice the
/// room when it is full. In a `BTreeMap`, keys in ascending order leave nodes half full.
const GROWTH: usize = 3;

/// The memory that decoding may still allocate.
///
/// An element of a list takes two bytes of input, but for some types more than three thousand bytes
/// of memory. Only what multiplies is counted: objects and the nodes of maps. An object inside
/// another one is counted with both, because it may be in a box of its own. Text takes as much
/// memory as input.
pub(crate) struct Budget {
    left: usize,
    input: usize,
}

impl Budget {
    /// The budget for an input of that many bytes.
    pub fn of(input: usize) -> Self {
        Self { left: allowed(input), input }
    }

    /// Counts an object. Returns false if it exceeds the budget.
    #[inline(always)]
    pub fn object(&mut self, descriptor: &Descriptor) -> bool {
        let (left, is_spent) = self.left.overflowing_sub(descriptor.size);
        self.left = left;
        !is_spent
    }

    /// Checks that elements of a list fit, before memory is reserved for all of them. Each is
    /// counted when it is decoded.
    ///
    /// # Errors
    /// A message for the user, when they exceed the budget.
    #[inline(always)]
    pub fn has_room(&self, element: &Type, count: usize) -> Result<(), String> {
        match element {
            Type::Struct(ty) if ty.size().saturating_mul(count) > self.left => Err(self.spent()),
            _ => Ok(()),
        }
    }

    /// Counts an entry of a map without the object in it; `first` specifies that the map was empty.
    ///
    /// # Errors
    /// As [`has_room`](Self::has_room).
    #[inline]
    pub fn entry(&mut self, value: &Type, first: bool) -> Result<(), String> {
        let object = if let Type::Struct(ty) = value { ty.size() } else { 0 };
        let entry = size_of::<String>() + object.max(size_of::<String>());
        self.spend(entry.saturating_mul(if first { NODE } else { GROWTH }) - object)
    }

    /// Counts bytes of memory.
    ///
    /// # Errors
    /// As [`has_room`](Self::has_room).
    #[inline]
    pub fn spend(&mut self, bytes: usize) -> Result<(), String> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.spent()),
        }
    }

    /// The message for the user, when the budget is exceeded.
    #[cold]
    pub fn spent(&self) -> String {
        format!(
            "expected objects that take at most {} bytes of memory for {} bytes of input, found more",
            allowed(self.input),
            self.input
        )
    }
}

fn allowed(input: usize) -> usize {
    input.saturating_mul(PER_BYTE).saturating_add(BASE)
}
