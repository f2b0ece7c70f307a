//! The metadata of an object: its fields, and what the API server requires of them.

mod fields;
mod rules;

pub(crate) use self::fields::{prune, type_error};
pub(crate) use self::rules::validate;
