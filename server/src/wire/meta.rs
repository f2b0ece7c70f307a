//! Metadata of lists, and options that come as bodies.

use hubgen_machinery::ApiType;

/// The metadata of a list.
#[derive(ApiType)]
pub struct ListMeta {
    /// The revision that the list shows.
    #[field(number = 2)]
    pub resource_version: String,
    /// Asks for the next part of the list; empty on the last part.
    #[field(number = 3)]
    pub continue_: String,
    /// How many items are left after this part, where that is known.
    #[field(number = 4)]
    pub remaining_item_count: Option<i64>,
}

/// What a client may say with a deletion.
#[derive(ApiType)]
pub struct DeleteOptions {
    /// How long the object has until it is gone. Nothing here waits.
    #[field(number = 1)]
    pub grace_period_seconds: Option<i64>,
    /// What must hold, or nothing is deleted.
    #[field(number = 2)]
    pub preconditions: Option<Preconditions>,
    /// As `propagation_policy`, in the words of old.
    #[field(number = 3)]
    pub orphan_dependents: Option<bool>,
    /// What happens to dependents. Nothing here collects them, so that every policy leaves them be.
    #[field(number = 4)]
    pub propagation_policy: Option<String>,
    /// Stages that are not to be persisted.
    #[field(number = 5)]
    pub dry_run: Vec<String>,
    /// Whether to remove a value that cannot be read, whatever it is.
    #[field(number = 6)]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

impl DeleteOptions {
    /// Whether a value that cannot be read is to be removed.
    pub fn ignores_unreadable(&self) -> bool {
        self.ignore_store_read_error_with_cluster_breaking_potential == Some(true)
    }
}

/// What must hold of an object, or nothing is done to it.
#[derive(ApiType)]
pub struct Preconditions {
    /// Its uid.
    #[field(number = 1)]
    pub uid: Option<String>,
    /// Its resourceVersion.
    #[field(number = 2)]
    pub resource_version: Option<String>,
}
