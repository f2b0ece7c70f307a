//! Defaulting, from attributes and from tables.
//!
//! [`set`] sets the defaults in the attributes of fields, and needs no generated code.
//!
//! Generated code has tables. One type can have different defaults at different versions, so its descriptor does not
//! contain them. Instead each kind has its own table, which covers only the structs that have defaults.
//!
//! A struct is defaulted before the structs inside it. Its steps run in order, so that a step can
//! use what an earlier one has set.

mod condition;
mod fields;
mod tables;

pub use self::condition::{Condition, Is};
pub use self::fields::{WrongDefault, check, set};
pub use self::tables::{BelowDef, Table, TableDef, Tables};
use crate::json;
use crate::reflect::{Field, Reflect, Slot, SlotMut};
use crate::scalar::Time;
use crate::storage::{Compiled, Storage};

/// What defaults depend on besides the object.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The current time.
    pub now: Time,
}

/// Computes a default. It is called with the struct that its table is for.
pub type Function = fn(&mut dyn Reflect, &Context);

/// A reference from one table to the next.
pub trait Link: Storage {
    /// A reference to a table. Types can refer to each other in a cycle, so a reference does not
    /// own its table.
    type Table: Send + Sync;

    /// Calls `visit` with the table that the reference points to.
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>));
}

impl Link for Compiled {
    type Table = &'static Defaults;

    #[inline]
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        visit(table);
    }
}

/// The defaults of one struct and of the structs below it.
pub struct Defaults<S: Link = Compiled> {
    /// The steps for the struct itself, in order.
    pub steps: S::List<DefaultStep<S>>,
    /// The fields that lead to structs with defaults.
    pub below: S::List<Below<S>>,
}

/// One default.
pub enum DefaultStep<S: Storage = Compiled> {
    /// Sets a field that has no value.
    Set {
        /// The field path in JSON; for readers only.
        field: S::Text,
        /// The path as positions in descriptors. Absent objects on the path are created.
        path: S::List<usize>,
        /// The default value, as JSON text.
        value: S::Text,
        /// The conditions; all of them must be true.
        when: S::List<Condition<S>>,
    },
    /// Calls a function.
    Call(Function),
}

/// A field that leads to a struct with defaults. It contains one such struct, or a list or map of
/// them.
pub struct Below<S: Link = Compiled> {
    /// The name of the field in JSON; for readers only.
    pub field: S::Text,
    /// The position of the field in its struct's descriptor.
    pub index: usize,
    /// The table of the struct.
    pub defaults: S::Table,
}

impl DefaultStep {
    /// Sets a field that has no value.
    pub const fn set(field: &'static str, path: &'static [usize], value: &'static str) -> Self {
        Self::set_when(field, path, value, &[])
    }

    /// Sets a field that has no value if all conditions are true.
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
    fn apply(&self, object: &mut dyn Reflect, context: &Context) {
        match self {
            Self::Call(function) => function(object, context),
            Self::Set { field, path, value, when } => {
                debug_assert_eq!(
                    Some(&*object.descriptor().fields[path[0]].name),
                    field.split('.').next(),
                    "the table belongs to another type"
                );
                if is_unset(object, path) && when.iter().all(|condition| condition.holds(object)) {
                    set_at(object, path, &|slot, target| {
                        json::decode_slot(value.as_bytes(), &target.ty, slot)
                            .unwrap_or_else(|error| panic!("invalid default for {}: {error}", &**field));
                    });
                }
            }
        }
    }
}

impl Below {
    /// Refers to the table for the structs in a field.
    pub const fn new(field: &'static str, index: usize, defaults: &'static Defaults) -> Self {
        Self { field, index, defaults }
    }
}

impl<S: Link> Defaults<S> {
    /// Sets each absent field that has a default. Fields with a value stay as they are, and a
    /// second call changes nothing.
    ///
    /// # Panics
    /// When the table belongs to another type.
    ///
    /// ```
    /// use hubgen_machinery::ApiType;
    /// use hubgen_machinery::defaults::{Context, DefaultStep, Defaults};
    ///
    /// #[derive(ApiType)]
    /// struct Widget {
    ///     size: Option<i32>,
    ///     color: String,
    /// }
    ///
    /// static WIDGET: Defaults = Defaults {
    ///     steps: &[DefaultStep::set("size", &[0], "1"), DefaultStep::set("color", &[1], "\"red\"")],
    ///     below: &[],
    /// };
    ///
    /// let mut widget = Widget { color: "blue".to_owned(), ..Widget::default() };
    /// WIDGET.apply(&mut widget, &Context { now: "2026-01-01T00:00:00Z".parse().unwrap() });
    /// assert_eq!((widget.size, widget.color.as_str()), (Some(1), "blue"));
    /// ```
    pub fn apply(&self, object: &mut dyn Reflect, context: &Context) {
        for step in &*self.steps {
            step.apply(object, context);
        }
        for below in &*self.below {
            debug_assert_eq!(
                object.descriptor().fields[below.index].name,
                &*below.field,
                "the table belongs to another type"
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

/// The value at a path, and its field; `None` if an object on the path is absent.
fn read<'a>(object: &'a dyn Reflect, path: &[usize]) -> Option<(Slot<'a>, &'a Field)> {
    let (index, rest) = path.split_first()?;
    let found = object.fields().slot(*index);
    if rest.is_empty() {
        return Some((found, &object.descriptor().fields[*index]));
    }
    match found {
        Slot::Struct(inner) => read(inner, rest),
        _ => None,
    }
}

/// Whether the field has no value: an absent pointer, or a zero value, which upstream cannot
/// distinguish from an absent one.
fn is_unset(object: &dyn Reflect, path: &[usize]) -> bool {
    read(object, path).is_none_or(|(slot, field)| match slot {
        Slot::Absent => true,
        slot => !field.pointer && slot.is_zero(),
    })
}

/// Calls `write` with the slot at a path. Absent objects on the path are created.
fn set_at(object: &mut dyn Reflect, path: &[usize], write: &dyn Fn(SlotMut<'_>, &Field)) {
    let Some((index, rest)) = path.split_first() else { return };
    let described = object.descriptor().share();
    let field = &described.fields[*index];
    if rest.is_empty() {
        return write(object.write(*index), field);
    }
    match object.write(*index).present() {
        SlotMut::Struct(inner) => set_at(inner, rest, write),
        _ => panic!("the table belongs to another type: {} is not an object", field.name),
    }
}
