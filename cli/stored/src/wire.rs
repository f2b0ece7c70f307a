//! Bytes field by field: numbers, values, and names where the type is known.

use std::fmt::Write as _;
use std::sync::Arc;

use hubgen_kubernetes::machinery::protobuf::{Envelope, PartValue, parts};
use hubgen_kubernetes::machinery::reflect::{Descriptor, Field, Numbered, Type};
use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};

use crate::encrypted::Encrypted;

/// The wire form of a value, a line for each field. JSON is shown as it is; of what is encrypted, only who
/// did it.
pub fn text(bytes: &[u8], scheme: &Scheme, kind: Option<&Arc<KindEntry>>) -> String {
    let mut lines = Lines { scheme, out: String::new() };
    let (message, offset, entry) = match Envelope::decode(bytes) {
        Ok(envelope) => {
            let _ = writeln!(lines.out, "{}", heading(&envelope));
            (envelope.raw, envelope.raw_offset(bytes), scheme.kind_in(&envelope).ok())
        }
        Err(error) if Envelope::is_one(bytes) => {
            let _ = writeln!(lines.out, "broken envelope: {error}");
            (&bytes[4..], 4, kind)
        }
        Err(_) => {
            if let Some(encrypted) = Encrypted::of(bytes) {
                return format!("{}: {} bytes\n", encrypted.text(), bytes.len());
            }
            (bytes, 0, kind)
        }
    };
    if message.trim_ascii().starts_with(b"{") {
        let _ = writeln!(lines.out, "{}", String::from_utf8_lossy(message).trim());
        return lines.out;
    }
    lines.message(message, offset, entry.and_then(|entry| Known::of_kind(entry)), 0);
    lines.out
}

fn heading(envelope: &Envelope<'_>) -> String {
    format!("envelope: apiVersion {:?}, kind {:?}", envelope.api_version, envelope.kind)
}

/// The type of a message.
#[derive(Clone, Copy)]
struct Known {
    descriptor: &'static Descriptor,
    message: &'static [Numbered],
}

/// The name and type of a field.
enum Named {
    /// Its name and type.
    Field(&'static str, &'static Type),
    /// A message whose fields JSON has in the surrounding object.
    Inlined(Known),
}

impl Known {
    /// The message of a kind; `None` for a kind that is made at run time, which has none.
    fn of_kind(entry: &KindEntry) -> Option<Self> {
        entry.descriptor().compiled().map(Self::of_struct)
    }

    fn of_struct(descriptor: &'static Descriptor) -> Self {
        Self { descriptor, message: &descriptor.message }
    }

    fn field(self, number: u32) -> Option<Named> {
        Some(match self.message.iter().find(|numbered| numbered.number() == number)? {
            Numbered::Field { position, .. } => {
                let Field { name, ty, .. } = &self.descriptor.fields[usize::from(*position)];
                Named::Field(name, ty)
            }
            Numbered::Inlined { message, .. } => Named::Inlined(Self { message, ..self }),
        })
    }
}

/// How many levels of messages are shown; deeper ones are shown as bytes.
const DEEPEST: usize = 64;

/// The lines so far.
struct Lines<'s> {
    scheme: &'s Scheme,
    out: String,
}

impl Lines<'_> {
    fn message(&mut self, bytes: &[u8], offset: usize, known: Option<Known>, depth: usize) {
        for part in parts(bytes) {
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    self.line(depth, offset + error.offset(), &format!("broken: {}", error.message()));
                    return;
                }
            };
            let at = offset + part.offset;
            let named = known.and_then(|known| known.field(part.number));
            let (label, ty, inner) = match named {
                Some(Named::Field(name, ty)) => (format!("{} {name}", part.number), Some(ty), message_of(ty)),
                Some(Named::Inlined(inner)) => (format!("{} (inlined)", part.number), None, Some(inner)),
                None => (part.number.to_string(), None, None),
            };
            match part.value {
                PartValue::Varint(value) => {
                    let text = match ty {
                        Some(Type::Bool) => (value != 0).to_string(),
                        _ if value > i64::MAX as u64 => (value as i64).to_string(),
                        _ => value.to_string(),
                    };
                    self.line(depth, at, &format!("{label}: {text}"));
                }
                PartValue::Fixed64(value) => {
                    self.line(depth, at, &format!("{label}: {} (0x{value:016x})", f64::from_bits(value)));
                }
                PartValue::Fixed32(value) => {
                    self.line(depth, at, &format!("{label}: {} (0x{value:08x})", f32::from_bits(value)));
                }
                PartValue::Group(inside) => {
                    self.line(depth, at, &format!("{label}: group"));
                    let start = offset + start_of(inside, bytes);
                    self.message(inside, start, None, depth + 1);
                }
                PartValue::Bytes(inside) => {
                    let start = offset + start_of(inside, bytes);
                    let envelope = Envelope::decode(inside)
                        .ok()
                        .filter(|envelope| depth < DEEPEST && envelope.content_type.is_empty());
                    if let Some(envelope) = envelope {
                        let text = format!("{label}: {} bytes, {}", inside.len(), heading(&envelope));
                        self.line(depth, at, &text);
                        let entry = self.scheme.kind_in(&envelope).ok();
                        let start = start + envelope.raw_offset(inside);
                        self.message(
                            envelope.raw,
                            start,
                            entry.and_then(|entry| Known::of_kind(entry)),
                            depth + 1,
                        );
                    } else if depth < DEEPEST
                        && (inner.is_some() || (ty.is_none_or(is_message) && is_likely_message(inside)))
                    {
                        self.line(depth, at, &format!("{label}: {} bytes", inside.len()));
                        self.message(inside, start, inner, depth + 1);
                    } else {
                        self.line(depth, at, &format!("{label}: {}", shown(inside)));
                    }
                }
            }
        }
    }

    fn line(&mut self, depth: usize, offset: usize, text: &str) {
        let _ = writeln!(self.out, "{offset:>6}  {:indent$}{text}", "", indent = 2 * depth);
    }
}

fn start_of(inside: &[u8], bytes: &[u8]) -> usize {
    inside.as_ptr() as usize - bytes.as_ptr() as usize
}

/// The message in a field of that type, where its type is known.
fn message_of(ty: &'static Type) -> Option<Known> {
    match ty {
        Type::Struct(ty) => ty.compiled().map(Known::of_struct),
        Type::List(node) => message_of(&node.ty),
        _ => None,
    }
}

/// Whether a value of that type, which has a length on the wire, is a message.
fn is_message(ty: &Type) -> bool {
    match ty {
        Type::String | Type::Bytes | Type::Enum(_) | Type::Words(_) | Type::Leaf(_) => false,
        Type::List(node) => is_message(&node.ty),
        _ => true,
    }
}

/// Whether bytes of an unknown type are likely a message: they can be read as one, and are not text.
fn is_likely_message(bytes: &[u8]) -> bool {
    let is_text = std::str::from_utf8(bytes)
        .is_ok_and(|text| text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace()));
    !bytes.is_empty() && !is_text && parts(bytes).all(|part| part.is_ok())
}

/// Text in quotes, other bytes in hex.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{text:?}"),
        Err(_) => bytes.iter().fold("0x".to_owned(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
    }
}
