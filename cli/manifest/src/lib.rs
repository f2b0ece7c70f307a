//! Edits manifests: what a program does not change in them stays as people wrote it.
//!
//! [`Pieces`] are the documents of a text. Each has a value, which a program may change, and
//! [`Written::again`] is the text of the changed value: with as few edits as possible, so that order, layout
//! and comments stay. Comments of a field that moves go where the field goes. What edits cannot do is written anew,
//! and [`lost`] finds the comments that did not survive.
//!
//! ```
//! use hubgen_manifest::{Body, Pieces, Text, Tree, Written};
//! use serde_json::Value;
//!
//! let text = "\
//! ## Three of them.
//! spec:
//!     replicas: 3 # as many as zones
//!     paused:   false
//! ";
//! let change = |old: &Value| {
//!     let mut new = old.clone();
//!     let replicas = new["spec"].as_object_mut()?.remove("replicas")?;
//!     new["spec"]["count"] = replicas;
//!     Some(new)
//! };
//!
//! let mut out = Text::default();
//! let mut end = 0;
//! for piece in Pieces::new(text, false, &|_| false) {
//!     let piece = piece.map_err(|mistake| mistake.message)?;
//!     let document = &text[piece.bytes.clone()];
//!     out.push_str(&text[end..piece.bytes.start]);
//!     end = piece.bytes.end;
//!     let Body::Value(old) = &piece.body else { unreachable!("no list is read item by item") };
//!     let tree = Tree::parse(document, piece.format);
//!     let written =
//!         Written { text: document, tree: tree.as_ref(), format: piece.format, margin: "", value: old };
//!     match change(old) {
//!         Some(new) => out.push_str(&written.again(&new, &change)),
//!         None => out.push_str(document),
//!     }
//! }
//! out.push_str(&text[end..]);
//!
//! let expected = "\
//! ## Three of them.
//! spec:
//!     paused:   false
//!     count: 3 # as many as zones
//! ";
//! assert_eq!(out.parts().collect::<String>(), expected);
//! # Ok::<(), String>(())
//! ```
//!
//! A document that is a list of many objects need not be read as a whole: see [`List`].

mod comments;
mod edit;
mod file;
mod format;
mod layout;
mod list;
mod mistake;
mod pieces;
mod stream;
mod text;
mod tree;

pub use self::comments::{Convert, lost};
pub use self::file::replace;
pub use self::format::{Format, value};
pub use self::layout::{Fresh, Written, fresh, word};
pub use self::list::{Item, List};
pub use self::mistake::Mistake;
pub use self::pieces::{Body, Piece, Pieces};
pub use self::stream::Stream;
pub use self::text::Text;
pub use self::tree::Tree;
