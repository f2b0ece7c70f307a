//! Defaulting, from tables.
//!
//! The same type can have other defaults at another version, so defaults are
//! not part of a type's descriptor: each kind has a table of its own that
//! leads only to places which have defaults.

use crate::json;
use crate::reflect::{Reflect, Slot, SlotMut};

/// The defaults below one struct.
#[derive(Debug)]
pub struct Defaults {
    /// The fields that have defaults, or lead to such.
    pub fields: &'static [FieldDefault],
}

/// The default of a field, or the defaults below it.
#[derive(Debug)]
pub struct FieldDefault {
    /// The JSON name of the field; for readers only.
    pub field: &'static str,
    /// The position of the field in its struct's descriptor.
    pub index: usize,
    /// What it becomes when absent, as JSON text.
    pub value: Option<&'static str>,
    /// The defaults of the struct that it holds: itself, or each element of a
    /// list or value of a map.
    pub below: Option<&'static Defaults>,
}

impl Defaults {
    /// Sets what is absent and has a default. What is there is left alone;
    /// doing it twice changes nothing.
    ///
    /// # Panics
    /// When the table belongs to another type.
    pub fn apply(&self, object: &mut dyn Reflect) {
        let fields = object.descriptor().fields;
        for default in self.fields {
            let field = &fields[default.index];
            debug_assert_eq!(field.name, default.field, "a table of another type");
            if let Some(value) = default.value {
                let mut absent = false;
                object.read(&mut |slots| {
                    absent = match &slots[default.index] {
                        Slot::Absent => true,
                        slot => !field.pointer && slot.is_zero(),
                    };
                });
                if absent {
                    json::decode_slot(value.as_bytes(), field.ty, object.write(default.index))
                        .unwrap_or_else(|error| panic!("the default of {}: {error}", field.name));
                }
            }
            if let Some(below) = default.below {
                below.apply_in(object.write(default.index));
            }
        }
    }

    fn apply_in(&self, slot: SlotMut<'_>) {
        match slot {
            SlotMut::Optional(value) if value.is_present() => self.apply_in(value.insert()),
            SlotMut::Struct(value) => self.apply(value),
            SlotMut::List(list) => {
                for index in 0..list.len() {
                    self.apply_in(list.get_mut(index));
                }
            }
            SlotMut::Map(map) => map.visit_mut(&mut |_, value| self.apply_in(value)),
            _ => {}
        }
    }
}
