//! What fields and resources were in earlier releases.
//!
//! The schemas have the newest form of each, and its first and last release. What releases changed about something that
//! stayed is kept here: only values that differ from those of the schemas, each with the last release that had it.

mod at;
mod fact;
mod file;
mod observed;
mod step;

use std::collections::BTreeMap;

use hubgen_model::{Release, TypeId};

pub use at::at;
pub use fact::{Fact, Told};
pub use file::FILE;
pub(super) use observed::observed;
pub(super) use step::step;

/// What fields and resources were in earlier releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(BTreeMap<Place, BTreeMap<Fact, Past>>);

/// Something that stays while releases change facts about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The type.
    pub ty: TypeId,
    /// What of it.
    pub part: Part,
}

/// What of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// How a server offers the kind that it is.
    Resource,
    /// A subresource of the kind: `scale`.
    Subresource(String),
    /// A field.
    Field(String),
}

/// Earlier values of a fact, each with the last release that had it.
type Past = BTreeMap<Release, Told>;

impl History {
    /// What differed from the schemas in a release: facts with their values then.
    pub fn at(&self, place: &Place, release: Release) -> impl Iterator<Item = (Fact, &Told)> {
        let facts = self.0.get(place).into_iter().flatten();
        facts.filter_map(move |(fact, past)| Some((*fact, past.range(release..).next()?.1)))
    }

    /// The value of a fact in a release; `None` if it is that of the schemas.
    pub fn told(&self, place: &Place, fact: Fact, release: Release) -> Option<&Told> {
        Some(self.0.get(place)?.get(&fact)?.range(release..).next()?.1)
    }

    /// The last release before this one that had another value of a fact; `None` if none had.
    pub fn until(&self, place: &Place, fact: Fact, release: Release) -> Option<Release> {
        Some(*self.0.get(place)?.get(&fact)?.range(..release).next_back()?.0)
    }

    /// The earlier values of a fact, oldest first, each with the last release that had it.
    pub fn past(&self, place: &Place, fact: Fact) -> impl Iterator<Item = (Release, &Told)> {
        let past = self.0.get(place).and_then(|facts| facts.get(&fact)).into_iter().flatten();
        past.map(|(until, told)| (*until, told))
    }

    /// Records an earlier value, with the last release that had it.
    fn add(&mut self, place: &Place, fact: Fact, until: Release, told: Told) {
        self.0.entry(place.clone()).or_default().entry(fact).or_default().insert(until, told);
    }
}

impl Place {
    /// A field of a type.
    pub fn field(ty: &TypeId, name: &str) -> Self {
        Self { ty: ty.clone(), part: Part::Field(name.to_owned()) }
    }

    /// The resource of a kind.
    pub fn resource(ty: &TypeId) -> Self {
        Self { ty: ty.clone(), part: Part::Resource }
    }

    /// A subresource of a kind.
    pub fn subresource(ty: &TypeId, name: &str) -> Self {
        Self { ty: ty.clone(), part: Part::Subresource(name.to_owned()) }
    }
}
