//! How tables of defaults and canonical forms own their parts.

use std::ops::Deref;

/// How a table owns its parts: a compiled table refers to other statics, one built at run time owns
/// them.
pub trait Storage: Sized + 'static {
    /// Text, such as the name of a field.
    type Text: Deref<Target = str> + Send + Sync;
    /// A list of values.
    type List<T: Send + Sync + 'static>: Deref<Target = [T]> + Send + Sync;
}

/// For compiled tables.
pub enum Compiled {}

impl Storage for Compiled {
    type Text = &'static str;
    type List<T: Send + Sync + 'static> = &'static [T];
}

/// For tables built at run time.
pub enum Owned {}

impl Storage for Owned {
    type Text = String;
    type List<T: Send + Sync + 'static> = Vec<T>;
}
