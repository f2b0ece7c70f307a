//! Which types are boxed where they are optional.

use std::collections::BTreeMap;

use crate::TypeId;

/// Where an optional object of a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In an allocation of its own: `Option<Box<T>>`.
    Boxed,
    /// In the object that contains it: `Option<T>`.
    Inline,
}

/// The decisions of people about types. One decision is about all types of a group with the same
/// name: those of all versions and of the hubs, so that converting them is a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boxes(BTreeMap<(String, String), Place>);

impl Boxes {
    /// Adds a decision about a group's types with this name. Returns the earlier one, if any.
    pub fn insert(&mut self, group: &str, name: &str, place: Place) -> Option<Place> {
        self.0.insert((group.to_owned(), name.to_owned()), place)
    }

    /// Adds all decisions of another API.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The decision about a type, if there is one.
    pub fn get(&self, id: &TypeId) -> Option<Place> {
        self.0.get(&(id.group_version.group_or_core().to_owned(), id.name.clone())).copied()
    }
}
