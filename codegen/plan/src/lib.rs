//! Plans conversions from the model and the rules: families, the types that versions share, the hub
//! of each family, and how each version converts.
//!
//! The hub of a family is the type of its hub version if that can represent everything. If a rules
//! file adds fields, the hub is a separate type ([`Hubs`]). Only the types on the path to an added
//! field are new; all others are shared. [`Types`] finds both.
//!
//! For each version, [`build`] lowers the rules to two programs, one for each direction, for every
//! pair of types that differ. The generator prints the programs as Rust, `interpret` runs them, and
//! [`report`] describes them for reviewers. A field that is neither shared nor covered by a rule is
//! a [`Problem`](hubgen_model::rules::Problem).

mod build;
mod calls;
mod conversion;
mod difference;
mod differences;
pub mod edits;
pub mod family;
mod hubs;
pub mod program;
pub mod report;
pub mod sharing;
mod superset;
mod types;

pub use build::{Plan, build, conversions};
pub use calls::{Pairs, fallible, is_by, reading};
pub use conversion::{FamilyPlan, Hoisted, How, Member};
pub use difference::{Difference, What};
pub use differences::differences;
pub use family::Family;
pub use hubs::Hubs;
pub use program::{Applied, Direction, Expected, Kept, Keyed, Mapping, Pair, ResolvedPath, Value};
pub use types::Types;
