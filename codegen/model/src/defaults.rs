//! Handwritten defaults, in addition to those of the published schema.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::{Api, Type, TypeId};

/// The defaults of each type, in the order in which they are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// By type; no entry is empty.
    pub types: BTreeMap<TypeId, Vec<DefaultStep>>,
}

impl Defaults {
    /// All defaults of a type, in the order in which they are set: as upstream does it, the
    /// handwritten ones (its defaulting functions) before those of the schema.
    pub fn steps<'a>(&'a self, ty: &'a Type) -> impl Iterator<Item = Cow<'a, DefaultStep>> {
        let own = self.types.get(&ty.id).into_iter().flatten();
        let published = ty.fields().iter().filter_map(|field| {
            let value = field.default.clone()?;
            Some(Cow::Owned(DefaultStep::Set { path: vec![field.name.clone()], value, when: Vec::new() }))
        });
        own.map(Cow::Borrowed).chain(published)
    }

    /// The types that have a default themselves or contain such a type.
    pub fn types_with_defaults<'a>(&self, api: &'a Api) -> HashSet<&'a TypeId> {
        // Walks from the types that have a default themselves to the types that contain them.
        let mut referring: HashMap<&TypeId, Vec<&TypeId>> = HashMap::new();
        let mut todo = Vec::new();
        // Objects of other APIs inside an object get the defaults that its own schema specifies.
        for ty in api.own_types() {
            if self.steps(ty).next().is_some() {
                todo.push(&ty.id);
            }
            for target in ty.fields().iter().filter_map(|field| field.ty.named()) {
                referring.entry(target).or_default().push(&ty.id);
            }
        }
        let mut found = HashSet::new();
        while let Some(id) = todo.pop() {
            if found.insert(id) {
                todo.extend(referring.get(id).into_iter().flatten());
            }
        }
        found
    }
}

/// One default of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultStep {
    /// A field that has no value gets one.
    Set {
        /// JSON names from the type to the field. Missing objects are created.
        path: Vec<String>,
        /// The value.
        value: Value,
        /// The conditions, all of which must be true.
        when: Vec<Condition>,
    },
    /// One of the [functions](crate::functions::OF_DEFAULTS) sets the defaults: `pod::host_ports`.
    Call(String),
}

/// A condition on another field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// JSON names from the type to the field.
    pub path: Vec<String>,
    /// The required state.
    pub is: Is,
}

/// The state of a field that a condition requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Is {
    /// Set: a pointer that is present, or a value that is not zero.
    Set,
    /// Not set.
    Unset,
    /// One of these words, numbers or booleans.
    OneOf(Vec<String>),
    /// None of these words, numbers or booleans.
    NoneOf(Vec<String>),
}
