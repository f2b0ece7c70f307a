//! What follows from the model and the rules: families, which types their
//! versions share, the hub of each family, and how each version converts.
//!
//! The hub of a family is its hub version's own type where that contains
//! everything. Where a rules file adds fields, it is a type of its own
//! ([`Hubs`]); only the types on the way to such a field are new, all others are
//! shared. [`Types`] finds a type wherever it is.
//!
//! For each version, [`build`] lowers the rules to a program each way for every
//! pair of types that differ. The generator prints programs, `interpret` runs
//! them, and [`report`] tells people what they do. Whatever is neither shared
//! nor covered by a rule is a [`Problem`](hubgen_model::rules::Problem).

mod build;
mod conversion;
pub mod family;
mod hubs;
pub mod program;
pub mod report;
pub mod sharing;
mod superset;
mod types;

pub use build::{Plan, build, conversions};
pub use conversion::{FamilyPlan, How, Kept, Mapping, Member, Pair};
pub use family::Family;
pub use hubs::Hubs;
pub use program::{ResolvedPath, Value, Way};
pub use types::Types;
