//! What a caller decides.

use crate::place::Place;

/// What becomes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stays as it is.
    Keep,
    /// It stays as it is, because something is wrong with it.
    Fail,
    /// It has another version.
    New {
        /// The name of its resource there, with the group: `deployments.apps`.
        resource: String,
        /// The version: `v1`.
        version: String,
        /// The object.
        text: Vec<u8>,
    },
}

/// Decides what becomes of the objects of a backup.
pub trait Convert {
    /// An object, by the name of its entry and what that means, and its text.
    fn object(&mut self, entry: &str, place: &Place, text: &[u8]) -> Outcome;

    /// An object of so many bytes, more than [`LARGEST_OBJECT`](crate::LARGEST_OBJECT), stays as it is.
    fn too_large(&mut self, entry: &str, bytes: u64);

    /// An entry is left out, because another one, which is kept, has come to the same path.
    fn left_out(&mut self, entry: &str, kept: &str);
}
