//! Types wherever they are: of a version, or of a hub.

use hubgen_model::{Api, Type, TypeId};

use crate::Hubs;

/// All types: the versions' and the hubs'.
#[derive(Clone, Copy)]
pub struct Types<'a> {
    /// The versions.
    pub api: &'a Api,
    /// The hubs that are types of their own.
    pub hubs: &'a Hubs,
}

impl<'a> Types<'a> {
    /// The type of that name, wherever it is.
    pub fn find(self, id: &TypeId) -> Option<&'a Type> {
        if id.of_hub { self.hubs.find(id) } else { self.api.find(id) }
    }

    /// Every type.
    pub fn all(self) -> impl Iterator<Item = &'a Type> {
        self.hubs.types().chain(self.api.types())
    }
}
