//! Who owns which fields of an object: what `metadata.managedFields` contains, and what becomes of it when the object is written.
//!
//! A manager that writes an object owns the fields that it adds or changes, and no other manager owns them any more. Each
//! manager's fields are those of a version of the kind, so that a change is looked at in every version that occurs.
//!
//! A manager that applies a configuration owns what the configuration has. What others own it changes only by force, and what
//! it does not have any more goes if nobody else owns it.
//!
//! Upstream: `managedfields` of apimachinery, and `merge` of structured-merge-diff.

mod apply;
mod cap;
mod conflicts;
mod identity;
mod kinds;
mod last_applied;
mod manager;
mod prune;
mod scale;
mod unowned;
mod update;

pub use self::apply::{Application, ApplyError};
pub use self::conflicts::{Conflict, Conflicts};
pub use self::identity::{Identity, Operation};
pub use self::kinds::{Kind, Kinds};
pub use self::manager::{EntryError, Manager, Managers};
pub use self::unowned::{UNOWNED, without_unowned};
pub use self::update::{Changes, Versioned, Versions, Write};
