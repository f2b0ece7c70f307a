//! What an answer shows of an object, and in which media type.

use hubgen_machinery::json::{self, EncodeError, writer};
use hubgen_machinery::meta;
use hubgen_machinery::protobuf::{self, Envelope, Writer};
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;

use super::Media;

/// How objects are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Representation {
    pub(crate) media: Media,
    pub(crate) shape: Shape,
}

/// What is shown of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Whole,
    /// Only the metadata, as a `PartialObjectMetadata` of this version.
    Metadata(MetaVersion),
}

/// The versions of the group `meta.k8s.io` that have `PartialObjectMetadata`.
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

    fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The kind of an object of which only the metadata is shown; that of a list ends with `List`.
pub(crate) const PARTIAL: &str = "PartialObjectMetadata";

impl Representation {
    /// Whole objects in a media type.
    pub(crate) const fn whole(media: Media) -> Self {
        Self { media, shape: Shape::Whole }
    }

    /// Encodes an object.
    ///
    /// # Errors
    /// As [`Media::encode`].
    pub(crate) fn encode(self, object: &Object) -> Result<Vec<u8>, EncodeError> {
        match (self.shape, self.media) {
            (Shape::Whole, media) => media.encode(object),
            (Shape::Metadata(version), Media::Json) => {
                let mut out = Vec::new();
                partial_json(&*object.value, version, &mut out)?;
                Ok(out)
            }
            (Shape::Metadata(version), Media::Protobuf) => {
                let raw = Writer::scratch(|writer| partial_protobuf(&*object.value, writer));
                let api_version = version.api_version();
                Ok(Envelope { api_version, kind: PARTIAL, raw: &raw, ..Envelope::default() }.encode())
            }
        }
    }

    /// Encodes an object as an item of a list. It has no kind and version of its own, as in upstream, unless only its
    /// metadata is shown, in JSON.
    ///
    /// # Errors
    /// As [`Media::encode`].
    pub(crate) fn encode_item(self, object: &Object) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        match (self.shape, self.media) {
            (Shape::Whole, Media::Json) => json::encode_into(&*object.value, None, &mut out)?,
            (Shape::Metadata(version), Media::Json) => partial_json(&*object.value, version, &mut out)?,
            (Shape::Whole, Media::Protobuf) => out = protobuf::encode(&*object.value),
            (Shape::Metadata(_), Media::Protobuf) => {
                out = Writer::scratch(|writer| partial_protobuf(&*object.value, writer));
            }
        }
        Ok(out)
    }

    /// A list of objects of a kind that are [encoded as its items](Self::encode_item).
    ///
    /// # Errors
    /// As [`Media::encode`].
    pub(crate) fn encode_list(
        self,
        entry: &KindEntry,
        meta: &ListMeta,
        items: &[Vec<u8>],
    ) -> Result<Vec<u8>, EncodeError> {
        if self.media == Media::Protobuf {
            let (api_version, kind) = self.list_type(entry);
            return Ok(Writer::scratch(|writer| {
                let type_meta = TypeMeta { api_version: &api_version, kind: &kind };
                protobuf::encode_list(meta, items.iter().map(Vec::as_slice), type_meta, writer);
            }));
        }
        let mut out = Vec::new();
        self.begin_list(entry, meta, &mut out)?;
        json_items(items, true, &mut out);
        out.extend_from_slice(LIST_END);
        Ok(out)
    }

    /// What a list in JSON has before its items.
    ///
    /// # Errors
    /// As [`Media::encode`].
    pub(crate) fn begin_list(
        self,
        entry: &KindEntry,
        meta: &ListMeta,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let (api_version, kind) = self.list_type(entry);
        named(&kind, &api_version, out);
        json::encode_into(meta, None, out)?;
        out.extend_from_slice(b",\"items\":[");
        Ok(())
    }

    /// The version and the kind of a list.
    fn list_type(self, entry: &KindEntry) -> (String, String) {
        match self.shape {
            Shape::Whole => (entry.api_version(), format!("{}List", entry.kind)),
            Shape::Metadata(version) => (version.api_version().to_owned(), format!("{PARTIAL}List")),
        }
    }
}

/// What a list in JSON has after its items.
pub(crate) const LIST_END: &[u8] = b"]}";

/// Adds items of a list in JSON. `is_first` says whether the list has none before them.
pub(crate) fn json_items(items: &[Vec<u8>], is_first: bool, out: &mut Vec<u8>) {
    out.reserve(items.iter().map(|item| item.len() + 1).sum::<usize>() + LIST_END.len() + 1);
    for (index, item) in items.iter().enumerate() {
        if index > 0 || !is_first {
            out.push(b',');
        }
        out.extend_from_slice(item);
    }
}

/// Kind and version, up to the metadata.
fn named(kind: &str, api_version: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"kind\":");
    writer::string(out, kind);
    out.extend_from_slice(b",\"apiVersion\":");
    writer::string(out, api_version);
    out.extend_from_slice(b",\"metadata\":");
}

fn partial_json(object: &dyn Reflect, version: MetaVersion, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    named(PARTIAL, version.api_version(), out);
    match meta::metadata(object) {
        Some(metadata) => json::encode_into(metadata, None, out)?,
        None => out.extend_from_slice(b"{}"),
    }
    out.push(b'}');
    Ok(())
}

/// The message, without an envelope.
fn partial_protobuf<'a>(object: &'a dyn Reflect, writer: &mut Writer<'a>) {
    if let Some(metadata) = meta::metadata(object) {
        writer.field(1, |writer| protobuf::encode_into(metadata, writer));
    }
}
