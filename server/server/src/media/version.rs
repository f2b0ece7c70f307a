//! The versions of the group `meta.k8s.io`, and objects of which it has only the metadata.

use hubgen_machinery::json::{self, EncodeError, writer};
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

/// The versions of the group `meta.k8s.io` that have `PartialObjectMetadata` and `Table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    V1,
    V1beta1,
}

impl MetaVersion {
    /// The version of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1beta1),
            _ => None,
        }
    }

    pub(super) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The kind of an object of which only the metadata is shown; that of a list ends with `List`.
pub(crate) const PARTIAL: &str = "PartialObjectMetadata";

/// Kind and version, up to the metadata.
pub(super) fn named(kind: &str, api_version: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"kind\":");
    writer::string(out, kind);
    out.extend_from_slice(b",\"apiVersion\":");
    writer::string(out, api_version);
    out.extend_from_slice(b",\"metadata\":");
}

/// The metadata of an object, in JSON.
///
/// # Errors
/// If it contains a value that JSON cannot represent.
pub(super) fn partial_json(
    object: &dyn Reflect,
    version: MetaVersion,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    named(PARTIAL, version.api_version(), out);
    match meta::metadata(object) {
        Some(metadata) => json::encode_into(metadata, None, out)?,
        None => out.extend_from_slice(b"{}"),
    }
    out.push(b'}');
    Ok(())
}
