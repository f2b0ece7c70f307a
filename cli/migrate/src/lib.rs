//! Moves Kubernetes objects to other versions of their kinds, as their authors would have written them.
//!
//! [`Known`] has the kinds that a program knows, [`Target`] chooses the version of each object, and [`Converter`]
//! converts objects as JSON. [`Manifest`] converts the objects of a text where they stand; all else in the
//! text stays as it is. [`Known::seek`] finds the objects in a document without converting them, and [`Known::lifecycle`] tells since
//! when and until when releases served a kind at a version, and what takes its place. [`Repository`] has the definitions of a repository's kinds, and what converts their objects in a server.
//!
//! ```
//! use std::ops::Range;
//!
//! use hubgen_manifest::Pieces;
//! use hubgen_migrate::{Change, Converter, Hear, Known, Manifest, Note, Target};
//!
//! /// Keeps what is found, as lines.
//! #[derive(Default)]
//! struct Lines(Vec<String>);
//!
//! impl Hear for Lines {
//!     fn note(&mut self, bytes: Range<usize>, note: &Note) {
//!         self.0.push(format!("byte {}: {}", bytes.start, note.message));
//!     }
//!
//!     fn change(&mut self, _: usize, _: &str, change: &Change) {
//!         self.0.push(change.to_string());
//!     }
//!
//!     fn take_back(&mut self, changes: usize) {
//!         self.0.truncate(self.0.len() - changes);
//!     }
//! }
//!
//! let text = "\
//! apiVersion: batch/v1beta1
//! kind: CronJob
//! metadata: {name: nightly}
//! spec:
//!   schedule:   '0 3 * * *'  # when nobody looks
//! ";
//! let converter = Converter {
//!     known: &Known::kubernetes(),
//!     target: &Target::Newest,
//!     drops_unknown: false,
//!     help_for_unknown: "",
//! };
//! let manifest = Manifest { text, converter: &converter };
//! let mut lines = Lines::default();
//! let is_list = |document: &_| converter.is_list(document);
//! for piece in Pieces::new(text, false, &is_list) {
//!     let piece = piece.map_err(|mistake| mistake.message)?;
//!     let new = manifest.document(&piece, piece.format, &mut lines).expect("it changes");
//!     assert_eq!(new.parts().collect::<String>(), text.replace("batch/v1beta1", "batch/v1"));
//! }
//! assert_eq!(lines.0, ["batch/v1beta1 CronJob nightly → batch/v1 CronJob"]);
//! # Ok::<(), String>(())
//! ```

mod converter;
mod inside;
mod known;
mod lifecycle;
mod manifest;
mod merge;
mod path;
mod replaced;
mod repository;
mod seek;
mod target;

pub use self::converter::{Change, Converter, Found, Note, named};
pub use self::known::{Known, is_of_repository};
pub use self::lifecycle::{Lifecycle, Successor};
pub use self::manifest::{Hear, Manifest};
pub use self::repository::{Brought, Left, Repository, bring_rules, definitions_with_rules, forget_rules};
pub use self::seek::{Seen, What};
pub use self::target::{Choice, Gone, Target, UnknownRelease, UnknownVersion, releases};
