//! Who owns which fields of an object: what `metadata.managedFields` contains, and what becomes of it when the object is written.
//!
//! A manager that writes an object owns the fields that it adds or changes, and no other manager owns them any more. Each
//! manager's fields are those of a version of the kind, so that a change is looked at in every version that occurs.
//!
//! Upstream: `managedfields` of apimachinery, and `merge` of structured-merge-diff. Apply is not here.

mod cap;
mod identity;
mod manager;
mod unowned;
mod update;

pub use self::identity::{Identity, Operation};
pub use self::manager::{EntryError, Manager, Managers};
pub use self::unowned::{UNOWNED, is_unowned_annotation};
pub use self::update::{Changes, Versioned, Versions, Write};
