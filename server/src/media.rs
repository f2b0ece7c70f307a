//! What objects are encoded in, on the wire and in storage.

use std::collections::HashSet;

use hubgen_machinery::protobuf;
use hubgen_machinery::scheme::{KindEntry, Scheme};

/// What an object is encoded in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Media {
    /// JSON, as the reference server writes it.
    Json,
    /// Protobuf in an envelope; of kinds that protobuf does not cover, JSON.
    #[default]
    Protobuf,
}

impl Media {
    /// The name that clients and options have for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Json, Self::Protobuf].into_iter().find(|media| media.name().eq_ignore_ascii_case(name))
    }
}

/// The kinds that protobuf covers.
pub(crate) struct Coverage(HashSet<(&'static str, &'static str, &'static str)>);

impl Coverage {
    /// Those of a Scheme.
    pub(crate) fn of(scheme: &Scheme) -> Self {
        let covered = scheme.kinds().filter(|entry| protobuf::covers((entry.new)().descriptor()));
        Self(covered.map(|entry| (entry.group, entry.version, entry.kind)).collect())
    }

    /// What an object of a kind is encoded in, where `wanted` is to be.
    pub(crate) fn media(&self, entry: &KindEntry, wanted: Media) -> Media {
        if self.0.contains(&(entry.group, entry.version, entry.kind)) { wanted } else { Media::Json }
    }
}
