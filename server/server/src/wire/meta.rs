//! Metadata of lists, and options in request bodies.

use hubgen_machinery::ApiType;

/// The metadata of a list.
#[derive(ApiType)]
pub struct ListMeta {
    /// The revision of the list.
    #[field(number = 2)]
    pub resource_version: String,
    /// The token for the next part of the list; empty in the last part.
    #[field(number = 3)]
    pub continue_: String,
    /// The number of items after this part, if it is known.
    #[field(number = 4)]
    pub remaining_item_count: Option<i64>,
}

/// The options of a deletion.
#[derive(ApiType)]
pub struct DeleteOptions {
    /// The grace period. This server deletes objects at once.
    #[field(number = 1)]
    pub grace_period_seconds: Option<i64>,
    /// Preconditions; if one is not met, nothing is deleted.
    #[field(number = 2)]
    pub preconditions: Option<Preconditions>,
    /// The deprecated form of `propagation_policy`.
    #[field(number = 3)]
    pub orphan_dependents: Option<bool>,
    /// What happens to dependents. This server has no garbage collector, so they always remain.
    #[field(number = 4)]
    pub propagation_policy: Option<String>,
    /// The stages of a dry run. The only one is `All`.
    #[field(number = 5)]
    pub dry_run: Vec<String>,
    /// Whether to remove a stored value that cannot be read.
    #[field(number = 6)]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

impl DeleteOptions {
    /// Whether to remove a stored value that cannot be read.
    pub fn ignores_unreadable(&self) -> bool {
        self.ignore_store_read_error_with_cluster_breaking_potential == Some(true)
    }
}

/// Preconditions on the current object.
#[derive(ApiType)]
pub struct Preconditions {
    /// The required uid.
    #[field(number = 1)]
    pub uid: Option<String>,
    /// The required resourceVersion.
    #[field(number = 2)]
    pub resource_version: Option<String>,
}
