//! Objects in objects: upstream's `RawExtension`, which holds JSON, or an
//! object in its envelope.

use super::{Envelope, Error, Result};
use crate::json::Raw;

/// Reads an object in an envelope, into JSON.
pub type Embedded<'e> = dyn Fn(&[u8]) -> Result<Raw> + 'e;

/// Where no kinds are known, only JSON in an envelope can be read.
pub(crate) fn unknown(bytes: &[u8]) -> Result<Raw> {
    let envelope = Envelope::decode(bytes)?;
    if let Some(json) = in_json(&envelope, bytes) {
        return json;
    }
    let Envelope { api_version, kind, .. } = envelope;
    let message = format!(
        "expected JSON, found \"{kind}\" of version \"{api_version}\" in an envelope, which only a Scheme can read"
    );
    Err(Error::new(0, message))
}

/// The JSON in an envelope that says that it holds some.
pub(crate) fn in_json(envelope: &Envelope<'_>, bytes: &[u8]) -> Option<Result<Raw>> {
    let holds_json = envelope.content_encoding.is_empty() && envelope.content_type == "application/json";
    holds_json.then(|| json_of(envelope.raw).map_err(|error| error.after(envelope.raw_offset(bytes))))
}

/// Bytes that have to be JSON.
pub(crate) fn json_of(bytes: &[u8]) -> Result<Raw> {
    Raw::new(bytes).map_err(|error| Error::new(error.offset(), format!("found no JSON: {}", error.message())))
}
