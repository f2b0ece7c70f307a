//! Tables of defaults that are made at run time, beside those that are compiled.

use std::sync::{Arc, Weak};

use super::{Below, Context, DefaultStep, Defaults, Link};
use crate::reflect::Reflect;
use crate::storage::Owned;

/// Tables that may lead to each other in circles, by their positions. Who
/// applies one of them holds them all.
pub struct Tables {
    tables: Vec<Defaults<Owned>>,
}

/// A table that is to be made.
pub struct TableDef {
    /// What is set in the struct itself, in order.
    pub steps: Vec<DefaultStep<Owned>>,
    /// The fields that lead to structs with defaults.
    pub below: Vec<BelowDef>,
}

/// A field that leads to a struct with defaults.
pub struct BelowDef {
    /// The name of the field in JSON.
    pub field: String,
    /// Its position in its struct's descriptor.
    pub index: usize,
    /// The position of the struct's table.
    pub table: usize,
}

impl Link for Owned {
    /// By its position.
    type Table = (Weak<Tables>, usize);

    fn follow((tables, index): &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        let tables = tables.upgrade().expect("whoever applies a table holds those below it");
        visit(tables.get(*index));
    }
}

impl Tables {
    /// Makes tables; each is known by its position.
    ///
    /// # Panics
    /// When a field leads to a table that there is not.
    pub fn new(definitions: Vec<TableDef>) -> Arc<Self> {
        let count = definitions.len();
        Arc::new_cyclic(|tables| {
            let below = |BelowDef { field, index, table }| {
                assert!(table < count, "{field}: there are {count} tables, none at {table}");
                Below { field, index, defaults: (Weak::clone(tables), table) }
            };
            let made = definitions.into_iter().map(|TableDef { steps, below: fields }| Defaults {
                steps,
                below: fields.into_iter().map(below).collect(),
            });
            Self { tables: made.collect() }
        })
    }

    /// The table at a position.
    ///
    /// # Panics
    /// When there is none.
    pub fn get(&self, index: usize) -> &Defaults<Owned> {
        &self.tables[index]
    }
}

/// The defaults of a kind.
#[derive(Clone)]
pub enum Table {
    /// A compiled table.
    Compiled(&'static Defaults),
    /// One of tables that were made at run time, by its position.
    Runtime(Arc<Tables>, usize),
}

impl Table {
    /// Sets what is absent and has a default ([`Defaults::apply`]).
    ///
    /// # Panics
    /// When the table belongs to another type.
    pub fn apply(&self, object: &mut dyn Reflect, context: &Context) {
        match self {
            Self::Compiled(table) => table.apply(object, context),
            Self::Runtime(tables, index) => tables.get(*index).apply(object, context),
        }
    }
}
