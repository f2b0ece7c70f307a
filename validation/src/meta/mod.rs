//! The metadata of an object: its fields, and what the API server requires of them.

mod fields;
mod names;
mod rules;

pub(crate) use self::fields::{prune, type_error};
pub(crate) use self::names::label_1035_mistakes;
pub(crate) use self::rules::validate;
