//! Lookup of types of versions and of hubs.

use hubgen_model::{Api, Type, TypeId};

use crate::Hubs;

/// All types of versions and of hubs.
#[derive(Clone, Copy)]
pub struct Types<'a> {
    /// The types of versions.
    pub api: &'a Api,
    /// The hubs that are separate types.
    pub hubs: &'a Hubs,
}

impl<'a> Types<'a> {
    /// Looks up a type of a version or a hub.
    pub fn find(self, id: &TypeId) -> Option<&'a Type> {
        if id.of_hub { self.hubs.find(id) } else { self.api.find(id) }
    }

    /// All types.
    pub fn all(self) -> impl Iterator<Item = &'a Type> {
        self.hubs.types().chain(self.api.types())
    }
}
