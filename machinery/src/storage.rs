//! How tables of defaults and of canonical forms own what they are made of.

use std::ops::Deref;

/// How a table owns what it is made of: a compiled one refers to other statics,
/// one that was made at run time owns its parts.
pub trait Storage: Sized + 'static {
    /// Text, such as the name of a field.
    type Text: Deref<Target = str> + Send + Sync;
    /// Several of something.
    type List<T: Send + Sync + 'static>: Deref<Target = [T]> + Send + Sync;
}

/// What is compiled.
pub enum Compiled {}

impl Storage for Compiled {
    type Text = &'static str;
    type List<T: Send + Sync + 'static> = &'static [T];
}

/// What was made at run time.
pub enum Owned {}

impl Storage for Owned {
    type Text = String;
    type List<T: Send + Sync + 'static> = Vec<T>;
}
