//! Opens the releases that Helm stores in a cluster, and writes them again with other manifests.
//!
//! Helm keeps each revision of a release in a Secret, or in a ConfigMap. [`Carrier`] is what such an object carries, and
//! [`Release`] is the release in it, whose [manifests](Release::manifests) a program may [edit](Edit).
//!
//! ```
//! use hubgen_helm::{Carrier, Edit};
//! use serde_json::json;
//!
//! // Without gzip, as the first versions of Helm 3 wrote it: base64 of `{"name":"web","info":{"description":"Install
//! // complete"},"manifest":"kind: Old\n"}`.
//! let object = json!({
//!     "apiVersion": "v1",
//!     "kind": "ConfigMap",
//!     "metadata": {"name": "sh.helm.release.v1.web.v1", "namespace": "shop", "labels": {"owner": "helm"}},
//!     "data": {"release": "eyJuYW1lIjoid2ViIiwiaW5mbyI6eyJkZXNjcmlwdGlvbiI6Ikluc3RhbGwgY29tcGxldGUifSwibWFuaWZlc3QiOiJraW5kOiBPbGRcbiJ9"},
//! });
//! let carrier = Carrier::of(&object).expect("it has a release");
//! assert_eq!(carrier.to_string(), "ConfigMap shop/sh.helm.release.v1.web.v1");
//!
//! let release = carrier.open(&object)?;
//! let manifests: Vec<_> = release.manifests().map(|manifest| (manifest.path.clone(), manifest.text())).collect();
//! assert_eq!(manifests, [("manifest".to_owned(), "kind: Old\n".into())]);
//!
//! let new = release.with(&[Edit::Text("kind: New\n".to_owned())], "all is new");
//! assert_eq!(
//!     new.json(),
//!     r#"{"name":"web","info":{"description":"Install complete; all is new"},"manifest":"kind: New\n"}"#
//! );
//! let object = carrier.with(&object, &new)?;
//! assert_eq!(object["metadata"]["name"], "sh.helm.release.v1.web.v1");
//! # Ok::<(), hubgen_helm::Mistake>(())
//! ```

mod carrier;
mod layout;
mod mistake;
mod packed;
mod release;

pub use self::carrier::{Carrier, MOST_STORED};
pub use self::mistake::Mistake;
pub use self::packed::MOST_OPENED;
pub use self::release::{Edit, Manifest, Release};
