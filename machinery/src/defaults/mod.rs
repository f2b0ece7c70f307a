//! Defaulting, from tables.
//!
//! The same type can have other defaults at another version, so defaults are
//! not part of a type's descriptor: each kind has a table of its own that
//! leads only to places which have defaults.
//!
//! A struct comes before what is in it, and its steps are taken in order, so
//! that a step can build on what an earlier one has set.

mod condition;
pub mod functions;
mod tables;

pub use self::condition::{Condition, Is};
pub use self::tables::{BelowDef, Table, TableDef, Tables};
use crate::json;
use crate::reflect::{Field, Reflect, Slot, SlotMut};
use crate::scalar::Time;
use crate::storage::{Compiled, Storage};

/// What defaults depend on beyond the object.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The time that it is.
    pub now: Time,
}

/// A default that needs computing: it gets the struct that its table is for.
pub type Function = fn(&mut dyn Reflect, &Context);

/// The way from a table to those below it.
pub trait Link: Storage {
    /// The way to one. Types refer to each other in circles, so it does not own
    /// the table.
    type Table: Send + Sync;

    /// Calls `visit` with the table at the end of the way.
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>));
}

impl Link for Compiled {
    type Table = &'static Defaults;

    #[inline]
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        visit(table);
    }
}

/// The defaults of one struct and of what is below it.
pub struct Defaults<S: Link = Compiled> {
    /// What is set in the struct itself, in order.
    pub steps: S::List<DefaultStep<S>>,
    /// The fields that lead to structs with defaults.
    pub below: S::List<Below<S>>,
}

/// One default.
pub enum DefaultStep<S: Storage = Compiled> {
    /// A field gets a value where it has none.
    Set {
        /// The path of the field in JSON; for readers only.
        field: S::Text,
        /// The positions on the way to the field, from descriptor to
        /// descriptor. Objects on the way that are absent are made.
        path: S::List<usize>,
        /// What it becomes, as JSON text.
        value: S::Text,
        /// What has to hold for that; all of it.
        when: S::List<Condition<S>>,
    },
    /// A function sees to it.
    Call(Function),
}

/// A field that leads to a struct with defaults: it holds one, or a list or
/// map of such.
pub struct Below<S: Link = Compiled> {
    /// The name of the field in JSON; for readers only.
    pub field: S::Text,
    /// The position of the field in its struct's descriptor.
    pub index: usize,
    /// The table of the struct.
    pub defaults: S::Table,
}

impl DefaultStep {
    /// Sets the field to a value where it has none.
    pub const fn set(field: &'static str, path: &'static [usize], value: &'static str) -> Self {
        Self::set_when(field, path, value, &[])
    }

    /// Sets the field to a value where it has none and all conditions hold.
    pub const fn set_when(
        field: &'static str,
        path: &'static [usize],
        value: &'static str,
        when: &'static [Condition],
    ) -> Self {
        Self::Set { field, path, value, when }
    }
}

impl<S: Storage> DefaultStep<S> {
    fn take(&self, object: &mut dyn Reflect, context: &Context) {
        match self {
            Self::Call(function) => function(object, context),
            Self::Set { field, path, value, when } => {
                debug_assert_eq!(
                    Some(&*object.descriptor().fields[path[0]].name),
                    field.split('.').next(),
                    "another type's table"
                );
                if is_unset(object, path) && when.iter().all(|condition| condition.holds(object)) {
                    set(object, path, &|slot, target| {
                        json::decode_slot(value.as_bytes(), &target.ty, slot)
                            .unwrap_or_else(|error| panic!("the default of {}: {error}", &**field));
                    });
                }
            }
        }
    }
}

impl Below {
    /// What is below a field has defaults.
    pub const fn new(field: &'static str, index: usize, defaults: &'static Defaults) -> Self {
        Self { field, index, defaults }
    }
}

impl<S: Link> Defaults<S> {
    /// Sets what is absent and has a default. What is there is left alone;
    /// doing it twice changes nothing.
    ///
    /// # Panics
    /// When the table belongs to another type.
    pub fn apply(&self, object: &mut dyn Reflect, context: &Context) {
        for step in &*self.steps {
            step.take(object, context);
        }
        for below in &*self.below {
            debug_assert_eq!(
                object.descriptor().fields[below.index].name,
                &*below.field,
                "another type's table"
            );
            S::follow(&below.defaults, &mut |defaults| defaults.apply_in(object.write(below.index), context));
        }
    }

    fn apply_in(&self, slot: SlotMut<'_>, context: &Context) {
        match slot {
            SlotMut::Optional(value) if value.is_present() => self.apply_in(value.insert(), context),
            SlotMut::Struct(value) => self.apply(value, context),
            SlotMut::List(list) => {
                for index in 0..list.len() {
                    self.apply_in(list.get_mut(index), context);
                }
            }
            SlotMut::Map(map) => map.visit_mut(&mut |_, value| self.apply_in(value, context)),
            _ => {}
        }
    }
}

/// The value at a path and the field that it is in; `None` where an object on
/// the way is absent.
fn read<'a>(object: &'a dyn Reflect, path: &[usize]) -> Option<(Slot<'a>, &'a Field)> {
    let (index, rest) = path.split_first()?;
    let mut found = Slot::Absent;
    object.read(&mut |slots| found = slots[*index]);
    if rest.is_empty() {
        return Some((found, &object.descriptor().fields[*index]));
    }
    match found {
        Slot::Struct(inner) => read(inner, rest),
        _ => None,
    }
}

/// Whether the field holds nothing: a pointer that is absent, or a value that
/// is zero, since upstream cannot tell that one from none.
fn is_unset(object: &dyn Reflect, path: &[usize]) -> bool {
    read(object, path).is_none_or(|(slot, field)| match slot {
        Slot::Absent => true,
        slot => !field.pointer && slot.is_zero(),
    })
}

/// Gives out the slot at a path; objects on the way are made.
fn set(object: &mut dyn Reflect, path: &[usize], write: &dyn Fn(SlotMut<'_>, &Field)) {
    let Some((index, rest)) = path.split_first() else { return };
    let described = object.descriptor().share();
    let field = &described.fields[*index];
    if rest.is_empty() {
        return write(object.write(*index), field);
    }
    match object.write(*index).present() {
        SlotMut::Struct(inner) => set(inner, rest, write),
        _ => panic!("a table of another type: {} holds no object", field.name),
    }
}
