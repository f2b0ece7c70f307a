//! Envelopes: the wrapper around a message, in storage and on the wire, that
//! contains its kind.

use super::embedded::Embedded;
use super::reader::Reader;
use super::writer::Writer;
use super::{Error, Result};
use crate::reflect::{Reflect, SlotMut, TypeMeta};

/// The four bytes that begin every envelope: `k8s` and a zero.
pub const MAGIC: [u8; 4] = *b"k8s\0";

/// Upstream's `runtime.Unknown`, after [`MAGIC`].
///
/// ```
/// use hubgen_machinery::protobuf::Envelope;
///
/// let bytes = Envelope { api_version: "v1", kind: "Pod", ..Envelope::default() }.encode();
/// assert_eq!(bytes, b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x00\x1a\x00\x22\x00");
/// assert_eq!(Envelope::decode(&bytes).unwrap().kind, "Pod");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'b> {
    /// `apps/v1`; empty for a `WatchEvent`.
    pub api_version: &'b str,
    /// `Deployment`; empty for a `WatchEvent`.
    pub kind: &'b str,
    /// The object's message.
    pub raw: &'b [u8],
    /// The compression of `raw`; empty if it is not compressed.
    pub content_encoding: &'b str,
    /// The media type of `raw`; empty for protobuf.
    pub content_type: &'b str,
}

impl<'b> Envelope<'b> {
    /// Whether bytes begin with [`MAGIC`].
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Decodes an envelope.
    ///
    /// # Errors
    /// When the bytes do not begin with [`MAGIC`] or are not protobuf after it.
    pub fn decode(bytes: &'b [u8]) -> Result<Self> {
        let Some(rest) = bytes.strip_prefix(&MAGIC) else {
            let found = &bytes[..bytes.len().min(MAGIC.len())];
            return Err(Error::new(0, format!("expected the bytes {MAGIC:02x?}, found {found:02x?}")));
        };
        Self::fields(rest).map_err(|error| error.after(MAGIC.len()))
    }

    fn fields(bytes: &'b [u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let mut envelope = Self::default();
        while let Some(tag) = reader.next_tag()? {
            match tag.number() {
                1 => {
                    let mut reader = reader.message(tag)?;
                    while let Some(tag) = reader.next_tag()? {
                        match tag.number() {
                            1 => envelope.api_version = reader.string(tag)?,
                            2 => envelope.kind = reader.string(tag)?,
                            _ => reader.skip(tag)?,
                        }
                    }
                }
                2 => envelope.raw = reader.bytes(tag)?,
                3 => envelope.content_encoding = reader.string(tag)?,
                4 => envelope.content_type = reader.string(tag)?,
                _ => reader.skip(tag)?,
            }
        }
        Ok(envelope)
    }

    /// Encodes the envelope.
    pub fn encode(&self) -> Vec<u8> {
        Writer::scratch(|writer| self.write(writer, |writer| writer.long_raw(self.raw)))
    }

    /// Writes the envelope. `raw` writes the message in it.
    fn write<'a>(&self, writer: &mut Writer<'a>, raw: impl FnOnce(&mut Writer<'a>)) {
        self.write_end(writer);
        let end = writer.len();
        raw(writer);
        self.write_begin(writer, writer.len() - end);
    }

    /// Writes what comes after the message.
    pub(super) fn write_end(&self, writer: &mut Writer<'_>) {
        writer.bytes(4, self.content_type.as_bytes());
        writer.bytes(3, self.content_encoding.as_bytes());
    }

    /// Writes what comes before the message, which has that length.
    pub(super) fn write_begin(&self, writer: &mut Writer<'_>, length: usize) {
        writer.head(2, length);
        let length = writer.len();
        writer.bytes(2, self.kind.as_bytes());
        writer.bytes(1, self.api_version.as_bytes());
        writer.message(1, length);
        writer.raw(&MAGIC);
    }

    /// The offset of the message in `bytes`, from which the envelope was decoded.
    pub fn raw_offset(&self, bytes: &[u8]) -> usize {
        (self.raw.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize)
    }

    /// Decodes the message into `object`, which must be empty. `bytes` are those
    /// from which the envelope was decoded; offsets of errors refer to them.
    ///
    /// # Errors
    /// As [`super::decode`], and when the message is compressed or is not
    /// protobuf.
    pub fn decode_into(&self, bytes: &[u8], object: &mut dyn Reflect) -> Result<()> {
        self.decode_into_with(bytes, object, None)
    }

    /// As [`Envelope::decode_into`], with the parts of a Scheme as in [`super::decode_into_with`].
    pub(crate) fn decode_into_with(
        &self,
        bytes: &[u8],
        object: &mut dyn Reflect,
        embedded: Option<&Embedded<'_>>,
    ) -> Result<()> {
        let offset = self.raw_offset(bytes);
        if !self.content_encoding.is_empty() {
            let message =
                format!("expected a message that is not compressed, found {}", self.content_encoding);
            return Err(Error::new(offset, message));
        }
        if !matches!(self.content_type, "" | "application/vnd.kubernetes.protobuf") {
            return Err(Error::new(offset, format!("expected protobuf, found {}", self.content_type)));
        }
        super::decode_into_with(self.raw, object, embedded).map_err(|error| error.after(offset))?;
        set_type_meta(object, self.api_version, self.kind);
        Ok(())
    }
}

/// Sets an object's fields `apiVersion` and `kind` from its envelope, if its
/// type has them. A few kinds do, because they also occur inside other kinds.
pub(crate) fn set_type_meta(object: &mut dyn Reflect, api_version: &str, kind: &str) {
    for (field, text) in [("apiVersion", api_version), ("kind", kind)] {
        if let Some(SlotMut::String(value)) = object.field_mut(field).map(SlotMut::present) {
            value.set(text);
        }
    }
}

/// Writes an object in an envelope, before the contents of the buffer. Without
/// `type_meta`, the envelope's version and kind are empty.
pub fn encode_enveloped<'a>(
    object: &'a dyn Reflect,
    type_meta: Option<TypeMeta<'_>>,
    writer: &mut Writer<'a>,
) {
    let TypeMeta { api_version, kind } = type_meta.unwrap_or(TypeMeta { api_version: "", kind: "" });
    let envelope = Envelope { api_version, kind, ..Envelope::default() };
    envelope.write(writer, |writer| super::encode_into(object, writer));
}
