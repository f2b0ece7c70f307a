//! Sets of verbs that many resources share, each in alphabetical order.

/// The verbs of most resources.
pub const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// The verbs of most subresources, such as `status` and `scale`.
pub const OF_PARTS: &[&str] = &["get", "patch", "update"];
