//! Embedded objects: upstream's `RawExtension`, which contains JSON or an
//! object in an envelope.

use super::{Envelope, Error, Result};
use crate::json::Raw;

/// Converts an object in an envelope to JSON.
pub type Embedded<'e> = dyn Fn(&[u8]) -> Result<Raw> + 'e;

/// Reads the JSON in an envelope. Without a Scheme no kinds are known, so an
/// object in protobuf is an error.
pub(crate) fn json_only(bytes: &[u8]) -> Result<Raw> {
    let envelope = Envelope::decode(bytes)?;
    if let Some(json) = json_in(&envelope, bytes) {
        return json;
    }
    let Envelope { api_version, kind, .. } = envelope;
    let message = format!(
        "expected JSON, found \"{kind}\" of version \"{api_version}\" in an envelope, which only a Scheme can read"
    );
    Err(Error::new(0, message))
}

/// The JSON in an envelope; `None` if its content type is not JSON.
pub(crate) fn json_in(envelope: &Envelope<'_>, bytes: &[u8]) -> Option<Result<Raw>> {
    let is_json = envelope.content_encoding.is_empty() && envelope.content_type == "application/json";
    is_json.then(|| json_of(envelope.raw).map_err(|error| error.after(envelope.raw_offset(bytes))))
}

/// Reads bytes that must be JSON.
pub(crate) fn json_of(bytes: &[u8]) -> Result<Raw> {
    Raw::new(bytes).map_err(|error| Error::new(error.offset(), format!("invalid JSON: {}", error.message())))
}
