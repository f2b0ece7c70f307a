//! Defaults beyond the published schema's, as people write them down.

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
    /// All defaults of a type, in the order in which they are set: upstream's
    /// functions come before what its schema says.
    pub fn steps<'a>(&'a self, ty: &'a Type) -> impl Iterator<Item = Cow<'a, DefaultStep>> {
        let own = self.types.get(&ty.id).into_iter().flatten();
        let published = ty.fields().iter().filter_map(|field| {
            let value = field.default.clone()?;
            Some(Cow::Owned(DefaultStep::Set { path: vec![field.name.clone()], value, when: Vec::new() }))
        });
        own.map(Cow::Borrowed).chain(published)
    }

    /// The types that have a default in themselves or below.
    pub fn holders<'a>(&self, api: &'a Api) -> HashSet<&'a TypeId> {
        // Backwards from the types that have a default themselves to those
        // that hold them.
        let mut holders: HashMap<&TypeId, Vec<&TypeId>> = HashMap::new();
        let mut todo = Vec::new();
        for ty in api.types() {
            if self.steps(ty).next().is_some() {
                todo.push(&ty.id);
            }
            for target in ty.fields().iter().filter_map(|field| field.ty.named()) {
                holders.entry(target).or_default().push(&ty.id);
            }
        }
        let mut has = HashSet::new();
        while let Some(id) = todo.pop() {
            if has.insert(id) {
                todo.extend(holders.get(id).into_iter().flatten());
            }
        }
        has
    }
}

/// One default of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultStep {
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
