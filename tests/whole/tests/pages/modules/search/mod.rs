//! Circles of modules inside a crate: modules that use each other, directly or through others.
//!
//! The source is read as it is written, without expanding macros or choosing features. What `use` names and what paths
//! name counts; methods do not, because no path says where they are. Code for tests does not count.

use std::path::Path;

mod circles;
mod paths;
mod resolve;
mod tree;

pub use circles::Circle;

/// The circles of the crate whose root is this file.
pub fn of_crate(root: &Path) -> Vec<Circle> {
    circles::find(&tree::Tree::of_file(root))
}

/// The circles of a crate that is one text.
pub fn of_text(text: &str) -> Vec<Circle> {
    circles::find(&tree::Tree::of_text(text))
}
