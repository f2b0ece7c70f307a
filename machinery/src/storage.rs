//! How tables of defaults and of normal forms own what they are made of.

use std::ops::Deref;
use std::sync::Weak;

use crate::defaults::{Defaults, Tables};

/// How a table owns what it is made of: a compiled one refers to other statics,
/// one that was made at run time owns its parts.
pub trait Storage: Sized + 'static {
    /// Text, such as the name of a field.
    type Text: Deref<Target = str> + Send + Sync;
    /// Several of something.
    type List<T: Send + Sync + 'static>: Deref<Target = [T]> + Send + Sync;
    /// The way to a table of defaults. Types refer to each other in circles, so
    /// it does not own the table.
    type Table: Send + Sync;

    /// Calls `visit` with the table at the end of the way.
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>));
}

/// What is compiled.
pub enum Compiled {}

impl Storage for Compiled {
    type Text = &'static str;
    type List<T: Send + Sync + 'static> = &'static [T];
    type Table = &'static Defaults;

    #[inline]
    fn follow(table: &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        visit(table);
    }
}

/// What was made at run time.
pub enum Owned {}

impl Storage for Owned {
    type Text = String;
    type List<T: Send + Sync + 'static> = Vec<T>;
    /// By its position.
    type Table = (Weak<Tables>, usize);

    fn follow((tables, index): &Self::Table, visit: &mut dyn FnMut(&Defaults<Self>)) {
        let tables = tables.upgrade().expect("whoever applies a table holds those below it");
        visit(tables.get(*index));
    }
}
