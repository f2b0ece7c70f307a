//! Compares the protobuf that another implementation writes for an object with ours.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::json::{self, Lexer};
use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use serde_json::Value;

use super::compare::{Tally, is_unknown};
use super::path::general;
use crate::compare::first_difference;
use crate::{generating, title, wire};

/// Creates a request.
pub fn request(object: &Value) -> Value {
    serde_json::json!({"encode": "protobuf", "object": object})
}

/// A request and its answer.
#[derive(Debug)]
pub struct Encoded {
    /// The object, byte for byte as in the request: protobuf contains raw JSON unchanged.
    pub object: String,
    /// The object in protobuf, in an envelope, or the error that prevented it.
    pub protobuf: Result<Vec<u8>, String>,
}

/// The path of a difference, and a message.
type Difference = (String, String);

impl Encoded {
    /// Reads a line.
    ///
    /// # Errors
    /// If a member is missing or has the wrong type.
    pub fn read(line: &str) -> Result<Self, String> {
        let (mut object, mut protobuf, mut error) = (None, None, None);
        let mut members = || -> json::lexer::Result<()> {
            let mut lexer = Lexer::new(line.as_bytes())?;
            let mut is_inside = lexer.enter_object()?;
            while is_inside {
                match &*lexer.key()? {
                    "object" => object = Some(lexer.raw()?.to_owned()),
                    "protobuf" => protobuf = Some(lexer.string()?.into_owned()),
                    "error" => error = Some(lexer.string()?.into_owned()),
                    _ => lexer.skip()?,
                }
                is_inside = lexer.next_member()?;
            }
            lexer.finish()
        };
        members().map_err(|error| error.to_string())?;
        let object = object.ok_or("expected a member `object`, found none")?;
        let protobuf = match (protobuf, error) {
            (Some(text), _) => {
                let bytes = BASE64_STANDARD.decode(text);
                Ok(bytes.map_err(|error| format!("protobuf: expected base64: {error}"))?)
            }
            (None, Some(error)) => Err(error),
            _ => return Err("expected a text `protobuf` or `error`, found neither".to_owned()),
        };
        Ok(Self { object, protobuf })
    }

    /// Compares the bytes with ours, and the object that they contain with the request.
    pub fn compare(&self, scheme: &Scheme, line: usize, tally: &mut Tally) {
        let named = json::type_meta(self.object.as_bytes()).unwrap_or_default();
        let (api_version, kind) = (&*named.api_version, &*named.kind);
        let Some(entry) = scheme.named(api_version, kind) else {
            let name = format!("{api_version} {kind}");
            tally.kinds.entry(name.clone()).or_default().different += 1;
            return tally.differ(
                (name, String::new()),
                &self.object,
                line,
                api_version,
                "hubgen does not have this kind",
            );
        };
        let counts = tally.kinds.entry(title(entry)).or_default();
        let ours = Object::decode(entry, self.object.as_bytes());
        let found = match (&self.protobuf, ours) {
            (Err(error), _) if is_unknown(error) => {
                counts.unknown += 1;
                return;
            }
            (Err(_), Err(_)) => None,
            (Err(error), Ok(_)) => Some((String::new(), format!("refused by the other side: {error}"))),
            (Ok(_), Err(error)) => Some((String::new(), format!("refused by us: {error}"))),
            (Ok(theirs), Ok((ours, _))) => difference(scheme, entry, theirs, ours),
        };
        match found {
            None => counts.equal += 1,
            Some((path, message)) => {
                counts.different += 1;
                let message = if path.is_empty() { message } else { format!("{path}: {message}") };
                tally.differ((entry.to_string(), general(&path)), &self.object, line, api_version, &message);
            }
        }
    }
}

fn difference(
    scheme: &Scheme,
    entry: &Arc<KindEntry>,
    theirs: &[u8],
    mut ours: Object,
) -> Option<Difference> {
    let bytes = ours.encode_protobuf();
    if bytes != theirs {
        return Some(different_bytes(entry, theirs, &bytes));
    }
    let read = match scheme.decode_protobuf(theirs) {
        Ok(read) => read,
        Err(error) => return Some((String::new(), format!("cannot be read: {error}"))),
    };
    generating::only_numbered(&mut *ours.value);
    let [expected, found] = [ours, read].map(|object| object.encode().unwrap());
    if expected == found {
        return None;
    }
    let [expected, found] =
        [expected, found].map(|json| serde_json::from_slice(&json).expect("what we write is JSON"));
    let difference = first_difference(&expected, &found);
    Some(difference.map_or_else(
        || (String::new(), "the same members, but in another order or format".to_owned()),
        |difference| (difference.path, format!("read from protobuf: {}", difference.message)),
    ))
}

fn different_bytes(entry: &KindEntry, theirs: &[u8], ours: &[u8]) -> Difference {
    let descriptor = entry.descriptor().compiled().expect("the kinds that are checked are compiled");
    let message = match [theirs, ours].map(Envelope::decode) {
        [Ok(theirs), Ok(ours)] => wire::first_difference(theirs.raw, ours.raw, descriptor)
            .unwrap_or_else(|| "the envelope differs".to_owned()),
        _ => format!("expected an envelope, found {theirs:02x?}"),
    };
    // The message begins with the path.
    match message.split_once(": ") {
        Some((path, message)) => (path.to_owned(), message.to_owned()),
        None => (String::new(), message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(record: &Value) -> (usize, String) {
        let mut tally = Tally::default();
        let record = Encoded::read(&record.to_string()).unwrap();
        record.compare(&hubgen_kubernetes::scheme(), 0, &mut tally);
        let messages = tally.failures(false).into_iter().map(|failure| failure.message);
        (tally.total().equal, messages.collect())
    }

    #[test]
    fn different_bytes_are_reported_with_their_field() {
        let scheme = hubgen_kubernetes::scheme();
        let object = json!({"apiVersion": "v1", "kind": "Node", "spec": {"podCIDR": "a"}});
        let (mut node, _) = scheme.decode(object.to_string().as_bytes()).unwrap();
        let record = |node: &Object| {
            let mut record = request(&object);
            record["protobuf"] = BASE64_STANDARD.encode(node.encode_protobuf()).into();
            record
        };
        assert_eq!(compared(&record(&node)), (1, String::new()));
        node = scheme.decode(object.to_string().replace("\"a\"", "\"b\"").as_bytes()).unwrap().0;
        let (equal, messages) = compared(&record(&node));
        assert_eq!(equal, 0);
        assert!(messages.starts_with("spec.podCIDR: expected [62], found [61]"), "{messages}");
    }

    /// The bytes contain raw JSON unchanged.
    #[test]
    fn letters_of_the_request_are_kept() {
        let line = r#"{"encode":"protobuf", "object":{"data":0.10}, "error":"no kind"}"#;
        assert_eq!(Encoded::read(line).unwrap().object, r#"{"data":0.10}"#);
        let error = Encoded::read(r#"{"encode":"protobuf","object":{}}"#).unwrap_err();
        assert_eq!(error, "expected a text `protobuf` or `error`, found neither");
    }

    #[test]
    fn a_refusal_by_the_other_side_is_reported() {
        let object = json!({"apiVersion": "v1", "kind": "Node"});
        let mut record = request(&object);
        record["error"] = "no kind \"Node\" is registered".into();
        assert_eq!(compared(&record), (0, String::new()));
        record["error"] = "a bad one".into();
        assert!(compared(&record).1.starts_with("refused by the other side: a bad one"));
    }
}
