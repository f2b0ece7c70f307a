//! Objects of run-time types.

use std::fmt;
use std::sync::Arc;

use super::super::{Descriptor, Reflect, Slot, SlotMut, copy, debug, equal, no_such_field, serialize};
use super::Types;
use super::cell::Cell;

/// An object of a run-time type. It keeps the snapshot of its type alive.
pub struct Dynamic {
    types: Arc<Types>,
    index: usize,
    cells: Vec<Cell>,
}

/// The most fields of a struct that is read without an allocation.
const FEW: usize = 24;

impl Dynamic {
    /// Makes an empty object.
    pub(in super::super) fn new(types: &Arc<Types>, index: usize) -> Self {
        let one = &types.structs[index];
        let fields = one.descriptor.fields.iter().zip(&one.fields);
        let cells = fields.map(|(field, node)| Cell::of_field(field.optional, node)).collect();
        Self { types: Arc::clone(types), index, cells }
    }
}

impl Reflect for Dynamic {
    fn descriptor(&self) -> &Descriptor {
        self.types.descriptor(self.index)
    }

    fn read<'a>(&'a self, visit: &mut dyn FnMut(&[Slot<'a>])) {
        if self.cells.len() <= FEW {
            let mut slots = [Slot::Absent; FEW];
            for (slot, cell) in slots.iter_mut().zip(&self.cells) {
                *slot = cell.slot();
            }
            visit(&slots[..self.cells.len()]);
        } else {
            let slots: Vec<Slot<'a>> = self.cells.iter().map(Cell::slot).collect();
            visit(&slots);
        }
    }

    fn write(&mut self, index: usize) -> SlotMut<'_> {
        match self.cells.get_mut(index) {
            Some(cell) => cell.slot_mut(),
            None => no_such_field(self.types.descriptor(self.index), index),
        }
    }
}

impl Clone for Dynamic {
    fn clone(&self) -> Self {
        let mut out = Self::new(&self.types, self.index);
        copy(self, &mut out);
        out
    }
}

impl PartialEq for Dynamic {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other)
    }
}

impl fmt::Debug for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self, f)
    }
}

impl serde::Serialize for Dynamic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self, serializer)
    }
}
