//! Limits how much memory decoding an input may allocate.

use crate::reflect::Type;

/// The memory that any input may take, however small it is. A CustomResourceDefinition without
/// descriptions takes about 90 bytes of memory for each byte of input, so one of 2.5 MB still fits.
const BASE: usize = 64 << 20;

/// The additional memory for each byte of the input.
const PER_BYTE: usize = 64;

/// The capacity of the smallest node of a `BTreeMap`.
const NODE: usize = 11;

/// The memory that decoding may still allocate.
///
/// An element of a list takes two bytes of input, but for some types more than three thousand bytes
/// of memory. Only what multiplies is counted: structs as elements of lists and values of maps, and
/// the nodes of maps. Text takes as much memory as input, and everything else is part of its
/// struct.
pub(crate) struct Budget {
    left: usize,
    input: usize,
}

impl Budget {
    /// The budget for an input of that many bytes.
    pub fn of(input: usize) -> Self {
        Self { left: allowed(input), input }
    }

    /// Counts elements of a list.
    ///
    /// # Errors
    /// A message for the user, when they exceed the budget.
    #[inline(always)]
    pub fn elements(&mut self, element: &Type, count: usize) -> Result<(), String> {
        match element {
            Type::Struct(ty) => self.spend(ty.size().saturating_mul(count)),
            _ => Ok(()),
        }
    }

    /// Counts an entry of a map; `first` specifies that the map was empty. Each entry counts twice,
    /// because full nodes are split: keys in ascending order leave nodes half full.
    ///
    /// # Errors
    /// As [`elements`](Self::elements).
    #[inline]
    pub fn entry(&mut self, value: &Type, first: bool) -> Result<(), String> {
        let value = if let Type::Struct(ty) = value { ty.size() } else { size_of::<String>() };
        let entry = size_of::<String>() + value;
        self.spend(entry.saturating_mul(if first { NODE } else { 2 }))
    }

    /// Counts bytes of memory.
    ///
    /// # Errors
    /// As [`elements`](Self::elements).
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

    #[cold]
    fn spent(&self) -> String {
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
