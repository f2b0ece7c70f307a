//! Objects of run-time types.

use std::fmt;
use std::sync::Arc;

use super::super::{
    Descriptor, Fields, Reflect, Slot, SlotMut, copy, debug, equal, no_such_field, serialize,
};
use super::Types;
use super::cell::Cell;

/// An object of a run-time type. It keeps the snapshot of its type alive.
pub struct Dynamic {
    types: Arc<Types>,
    index: usize,
    cells: Vec<Cell>,
}

impl Dynamic {
    /// Makes an empty object.
    pub(in super::super) fn new(types: &Arc<Types>, index: usize) -> Self {
        let one = &types.structs[index];
        let fields = one.descriptor.fields.iter().zip(&one.fields);
        let cells = fields.map(|(field, node)| Cell::of_field(field, node)).collect();
        Self { types: Arc::clone(types), index, cells }
    }

    /// The slot of the field at `index`, for reading.
    pub(in super::super) fn slot(&self, index: usize) -> Slot<'_> {
        self.cells[index].slot()
    }
}

impl Reflect for Dynamic {
    fn descriptor(&self) -> &Descriptor {
        self.types.descriptor(self.index)
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of_dynamic(self, self.types.descriptor(self.index))
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
