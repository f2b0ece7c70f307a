//! Tables of defaults that are built at run time, the counterpart of compiled ones.

use std::sync::{Arc, Weak};

use super::{Below, Context, DefaultStep, Defaults, Link};
use crate::reflect::Reflect;
use crate::storage::Owned;

/// Tables that may refer to each other in cycles, by index. A caller that applies one of them owns
/// all of them.
pub struct Tables {
    tables: Vec<Defaults<Owned>>,
}

/// The definition of a table.
pub struct TableDef {
    /// The steps for the struct itself, in order.
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
    /// The index of the struct's table.
    pub table: usize,
}

impl Link for Owned {
    /// The tables, and the index of one.
    type Table = (Weak<Tables>, usize);

    fn follow((tables, index): &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        let tables = tables.upgrade().expect("the tables exist while one of them is applied");
        visit(tables.get(*index));
    }
}

impl Tables {
    /// Builds tables; each is identified by its index.
    ///
    /// # Panics
    /// When a field refers to a table that does not exist.
    pub fn new(definitions: Vec<TableDef>) -> Arc<Self> {
        let count = definitions.len();
        Arc::new_cyclic(|tables| {
            let below = |BelowDef { field, index, table }| {
                assert!(table < count, "{field} refers to table {table}, but there are only {count} tables");
                Below { field, index, defaults: (Weak::clone(tables), table) }
            };
            let made = definitions.into_iter().map(|TableDef { steps, below: fields }| Defaults {
                steps,
                below: fields.into_iter().map(below).collect(),
            });
            Self { tables: made.collect() }
        })
    }

    /// The table at an index.
    ///
    /// # Panics
    /// When the index is out of bounds.
    pub fn get(&self, index: usize) -> &Defaults<Owned> {
        &self.tables[index]
    }
}

/// The defaults of a kind.
#[derive(Clone)]
pub enum Table {
    /// A compiled table.
    Compiled(&'static Defaults),
    /// One of the tables built at run time, by its index.
    Runtime(Arc<Tables>, usize),
}

impl Table {
    /// Sets each absent field that has a default ([`Defaults::apply`]).
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
