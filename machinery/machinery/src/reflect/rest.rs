//! The fields of an object that its type does not have.

use std::collections::BTreeMap;

use super::Value;
use crate::json::Raw;
use crate::{Str, StrMap};

/// A map that can contain the fields that a type does not have, as JSON: see `rest` of
/// `#[derive(ApiType)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot contain the fields that the type does not have",
    label = "expected `StrMap<Raw>`",
    note = "`rest` fields have the type `StrMap<Raw>` or `BTreeMap<String, Raw>`, with `hubgen_machinery::json::Raw`"
)]
pub trait Rest: Value {}

impl Rest for StrMap<Raw> {}

impl Rest for BTreeMap<Str, Raw> {}

impl Rest for BTreeMap<String, Raw> {}
