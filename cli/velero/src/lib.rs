//! Rewrites the objects in backups of Velero, and moves each to the path at which a restore looks for its new version.
//!
//! A backup is a tar file in gzip, with a file for each object: `resources/deployments.apps/namespaces/default/web.json`.
//! Since format 1.1.0 there is another one below a folder for the version, `v1-preferredversion`, and with the feature
//! `EnableAPIGroupVersions` one for every other version of the group: `v1beta1`. [`Place`] is such a path, and [`rewrite()`]
//! rewrites a backup.
//!
//! ```
//! use hubgen_velero::{Convert, Outcome, Place, rewrite};
//!
//! /// Moves every object to `v2`.
//! struct ToV2;
//!
//! impl Convert for ToV2 {
//!     fn object(&mut self, _: &str, place: &Place, text: &[u8]) -> Outcome {
//!         let resource = place.folder.resource.clone();
//!         let text = String::from_utf8_lossy(text).replace("example.com/v1", "example.com/v2");
//!         Outcome::New { resource, version: "v2".to_owned(), text: text.into_bytes() }
//!     }
//!
//!     fn too_large(&mut self, entry: &str, bytes: u64) {
//!         eprintln!("{entry} has {bytes} bytes, and stays as it is");
//!     }
//!
//!     fn left_out(&mut self, entry: &str, kept: &str) {
//!         eprintln!("{entry} is left out: {kept} has the same object");
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! # let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), Default::default()));
//! # let text = br#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}"#;
//! # let mut header = tar::Header::new_ustar();
//! # header.set_size(text.len() as u64);
//! # tar.append_data(&mut header, "resources/widgets.example.com/v1-preferredversion/cluster/a.json", &text[..])?;
//! # let backup = tar.into_inner()?.finish()?;
//! let converted = rewrite(backup.as_slice(), folder, &mut ToV2)?;
//! converted.persist(folder.join("new.tar.gz"))?;
//! # let new = std::fs::File::open(folder.join("new.tar.gz"))?;
//! # let mut new = tar::Archive::new(flate2::read::GzDecoder::new(new));
//! # let entry = new.entries()?.next().unwrap()?;
//! # assert_eq!(entry.path()?.to_str(), Some("resources/widgets.example.com/v2-preferredversion/cluster/a.json"));
//! # Ok(())
//! # }
//! ```
//!
//! Entries are read and written one by one. What is held of all of them are four bytes each, and the names of objects that
//! may come to the same path. All that is not an object is written again byte for byte. A file that would lead out of the
//! folder where it is unpacked, has links, ends too early, or grows without end is a [`Refusal`], and nothing is written.

mod bounded;
mod convert;
mod entry;
mod folders;
mod merge;
mod pax;
mod place;
mod refusal;
mod rewrite;

pub use self::bounded::MOST_TIMES;
pub use self::convert::{Convert, Outcome};
pub use self::place::{Folder, Place, Version};
pub use self::refusal::Refusal;
pub use self::rewrite::{LARGEST_OBJECT, rewrite};
