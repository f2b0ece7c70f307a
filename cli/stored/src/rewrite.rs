//! What a stored value becomes at another version, to be stored in its place.

use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::{Choice, Gone};

use crate::decoder::{Decoder, Read};
use crate::finding::Finding;

/// What becomes of a stored value.
#[derive(Clone, Debug)]
pub enum Rewritten {
    /// It stays as it is: it is at the wanted version.
    Stays,
    /// It moves.
    Moves {
        /// The bytes to store: in protobuf if the value is in protobuf, else in JSON.
        bytes: Vec<u8>,
        /// The version that is stored.
        from: Arc<KindEntry>,
        /// The version of the bytes.
        to: Arc<KindEntry>,
    },
    /// It stays, and somebody should look at it: its kind is not known, it is encrypted, or no version is
    /// served any more.
    Left(Finding),
}

impl Decoder<'_> {
    /// Converts a stored value to the wanted version, as a server would store it: it sets the defaults of the
    /// version that is stored, converts, and encodes.
    ///
    /// # Errors
    /// When the bytes are not an object of their kind, it cannot be converted, or something would be lost:
    /// fields that the type does not have.
    pub fn rewrite(&self, bytes: &[u8]) -> Result<Rewritten, Finding> {
        let (object, unknown, json) = match self.read(bytes)? {
            Read::Object { object, unknown, json } => (object, unknown, json),
            Read::Custom(object) => {
                let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
                let (version, kind) = (text("apiVersion"), text("kind"));
                return Ok(Rewritten::Left(Finding::new(format!(
                    "{version} {kind} is not a known kind; it stays as it is"
                ))));
            }
            Read::Unknown(why) => return Ok(Rewritten::Left(why)),
        };
        let from = Arc::clone(&object.entry);
        let choice = self.target.map_or(Choice::Stay, |target| target.choose(self.known, &from));
        let to = match choice {
            Choice::Stay => return Ok(Rewritten::Stays),
            Choice::Gone(Gone { message, help }) => {
                return Ok(Rewritten::Left(Finding::new(message).help(help)));
            }
            Choice::To(to) => to,
        };
        if let Some(mut unknown) = unknown.into_iter().next() {
            unknown.message = format!("cannot be rewritten without loss: {}", unknown.message);
            return Err(unknown);
        }
        let is_json = json.is_some();
        let object = self.converted(self.defaulted(object), &to, json)?;
        let bytes = if is_json {
            object.encode().map_err(|error| Finding::new(error.to_string()))?
        } else {
            self.known.scheme.encode_protobuf(&object)
        };
        Ok(Rewritten::Moves { bytes, from, to })
    }
}
