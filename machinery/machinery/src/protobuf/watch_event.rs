//! Events of a watch.

use super::reader::Reader;
use super::writer::Writer;
use super::{Envelope, Result};

/// Upstream's `meta/v1.WatchEvent`. A watch sends the message without an
/// envelope, in a frame. Elsewhere it is in an [`Envelope`] whose version and
/// kind are empty.
///
/// ```
/// use hubgen_machinery::protobuf::{Envelope, WatchEvent};
///
/// let pod = Envelope { api_version: "v1", kind: "Pod", ..Envelope::default() }.encode();
/// let bytes = WatchEvent { event_type: "ADDED", object: &pod }.encode();
/// assert_eq!(bytes[..11], *b"\x0a\x05ADDED\x12\x17\x0a\x15");
/// assert_eq!(WatchEvent::decode(&bytes).unwrap().object, pod);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchEvent<'b> {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    pub event_type: &'b str,
    /// The object in its own envelope, or as JSON if the client requested JSON
    /// for the objects.
    pub object: &'b [u8],
}

impl<'b> WatchEvent<'b> {
    /// Decodes the message, without an envelope or in one without a kind.
    ///
    /// # Errors
    /// When the bytes are not protobuf, or when the envelope contains a kind.
    pub fn decode(bytes: &'b [u8]) -> Result<Self> {
        if !Envelope::is_one(bytes) {
            return Self::message(bytes);
        }
        let envelope = Envelope::decode(bytes)?;
        let offset = envelope.raw_offset(bytes);
        if !envelope.api_version.is_empty() || !envelope.kind.is_empty() {
            let Envelope { api_version, kind, .. } = envelope;
            let message = format!(
                "expected a WatchEvent in an envelope without a kind, found kind {api_version} {kind}"
            );
            return Err(super::Error::new(0, message));
        }
        Self::message(envelope.raw).map_err(|error| error.after(offset))
    }

    fn message(bytes: &'b [u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let mut event = Self::default();
        while let Some(tag) = reader.next_tag()? {
            match tag.number() {
                1 => event.event_type = reader.string(tag).map_err(|error| error.in_field("type"))?,
                2 => {
                    let mut object = reader.message(tag).map_err(|error| error.in_field("object"))?;
                    while let Some(tag) = object.next_tag()? {
                        match tag.number() {
                            1 => {
                                event.object = object.bytes(tag).map_err(|error| error.in_field("object"))?
                            }
                            _ => object.skip(tag)?,
                        }
                    }
                }
                _ => reader.skip(tag)?,
            }
        }
        Ok(event)
    }

    /// Encodes the message, without an envelope.
    pub fn encode(&self) -> Vec<u8> {
        Writer::scratch(|writer| {
            let length = writer.len();
            if !self.object.is_empty() {
                writer.long_bytes(1, self.object);
            }
            writer.message(2, length);
            writer.bytes(1, self.event_type.as_bytes());
        })
    }
}
