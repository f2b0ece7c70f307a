//! Defaults beyond the published schema's, as people write them down.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::TypeId;

/// The defaults of each type, in the order in which they are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// By type; no entry is empty.
    pub types: BTreeMap<TypeId, Vec<Step>>,
}

/// One default of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A field gets a value where it has none.
    Set {
        /// JSON names on the way to the field. Objects that are absent are
        /// made.
        path: Vec<String>,
        /// What it becomes.
        value: Value,
        /// What has to hold for that; all of it.
        when: Vec<Condition>,
    },
    /// A function of `machinery::defaults::functions` sees to it:
    /// `pod::host_ports`.
    Call(String),
}

/// What another field has to be for a default to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// JSON names on the way to the field.
    pub path: Vec<String>,
    /// What it has to be.
    pub is: Is,
}

/// What a field has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Is {
    /// There: a pointer that is present, or a value that is not zero.
    Set,
    /// Not there.
    Unset,
    /// One of these words, numbers or booleans.
    OneOf(Vec<String>),
    /// None of these.
    NoneOf(Vec<String>),
}
