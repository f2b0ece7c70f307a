//! How much memory an input may ask for.

use crate::reflect::Type;

/// What any input may take, however small it is. A CustomResourceDefinition without descriptions takes
/// about 90 bytes for each of its own, so that one of 2.5 MB still fits.
const BASE: usize = 64 << 20;

/// What each byte of the input may take beyond that.
const PER_BYTE: usize = 64;

/// How many entries the smallest node of a `BTreeMap` has room for.
const NODE: usize = 11;

/// The memory that decoding may still ask for.
///
/// An element of a list takes two bytes of an input and, of some types, more
/// than three thousand of memory. Only what multiplies is counted: structs as
/// elements of lists and values of maps, and the nodes of maps. Text takes as
/// much as the input has, and the rest is part of its struct.
pub(crate) struct Budget {
    left: usize,
    input: usize,
}

impl Budget {
    /// For an input of that many bytes.
    pub fn of(input: usize) -> Self {
        Self { left: allowed(input), input }
    }

    /// Elements of a list.
    ///
    /// # Errors
    /// A message for the user, when they take more than is left.
    #[inline(always)]
    pub fn elements(&mut self, element: &Type, count: usize) -> Result<(), String> {
        match element {
            Type::Struct(ty) => self.spend(ty.size().saturating_mul(count)),
            _ => Ok(()),
        }
    }

    /// An entry of a map, maybe its first. Counted twice, since nodes that fill up are split: keys that
    /// come in their order leave nodes that are half full.
    ///
    /// # Errors
    /// As [`elements`](Self::elements).
    #[inline]
    pub fn entry(&mut self, value: &Type, first: bool) -> Result<(), String> {
        let value = if let Type::Struct(ty) = value { ty.size() } else { size_of::<String>() };
        let entry = size_of::<String>() + value;
        self.spend(entry.saturating_mul(if first { NODE } else { 2 }))
    }

    #[inline]
    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.spent()),
        }
    }

    #[cold]
    fn spent(&self) -> String {
        format!(
            "expected objects that take at most {} bytes of memory for {} of input, found more",
            allowed(self.input),
            self.input
        )
    }
}

fn allowed(input: usize) -> usize {
    input.saturating_mul(PER_BYTE).saturating_add(BASE)
}
