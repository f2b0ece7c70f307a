//! Sets of verbs that many resources share, each in alphabetical order.

/// What clients may do with most resources.
pub const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// What clients may do with most subresources, such as `status` and `scale`.
pub const OF_PARTS: &[&str] = &["get", "patch", "update"];
