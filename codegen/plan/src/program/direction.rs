//! The two directions.

/// The direction of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a version to the hub.
    ToHub,
    /// From the hub to a version.
    FromHub,
}
