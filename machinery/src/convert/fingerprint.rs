//! Fingerprints of values: 64 bits that show whether a value has changed.
//!
//! They are stored in objects, so the algorithm never changes: FNV-1a over names and values. Fields
//! without a value are left out, so that a type may gain fields.

use super::plain::is_unset;
use crate::reflect::{Keys, Literal, Reflect, Slot};

/// The form used in annotations: 16 hexadecimal digits.
pub(super) fn to_hex(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

pub(super) fn from_hex(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok())?
}

/// The fingerprint of a value.
pub(super) fn of(slot: &Slot<'_>) -> u64 {
    let mut hasher = Hasher::default();
    hasher.slot(slot);
    hasher.0
}

/// The fingerprint of an object without some of its fields.
pub(super) fn of_object(object: &dyn Reflect, without: &[&str]) -> u64 {
    let mut hasher = Hasher::default();
    hasher.object(object, &|name| !without.contains(&name));
    hasher.0
}

/// The fingerprint of an object's `keys` alone.
pub(super) fn of_keys(object: &dyn Reflect, keys: Keys<'_>) -> u64 {
    let mut hasher = Hasher::default();
    hasher.object(object, &|name| keys.contains(name));
    hasher.0
}

/// The maximum number of leaves that identify an edited value.
const LEAVES: usize = 16;

/// The fingerprints of the first leaves of a value. Each covers the leaf's path, without its
/// indices in lists.
pub(super) fn of_leaves(slot: &Slot<'_>) -> Vec<u64> {
    let mut out = Vec::new();
    leaves(slot, &Hasher::default(), &mut out);
    out
}

fn leaves(slot: &Slot<'_>, path: &Hasher, out: &mut Vec<u64>) {
    if out.len() == LEAVES {
        return;
    }
    let below = |name: &str| {
        let mut path = Hasher(path.0);
        path.tagged(b'k', name.as_bytes());
        path
    };
    match slot {
        Slot::Absent => {}
        Slot::Struct(object) => object.read(&mut |slots| {
            for (field, slot) in object.descriptor().fields.iter().zip(slots) {
                if !is_unset(field.optional, slot) {
                    leaves(slot, &below(&field.name), out);
                }
            }
        }),
        Slot::List(list) => (0..list.len()).for_each(|index| leaves(&list.get(index), path, out)),
        Slot::Map(map) => map.visit(&mut |key, slot| leaves(&slot, &below(key), out)),
        leaf => {
            let mut hasher = Hasher(path.0);
            hasher.slot(leaf);
            out.push(hasher.0);
        }
    }
}

struct Hasher(u64);

impl Default for Hasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// A tag separates values of different types; a length separates adjacent values.
    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.bytes(&[tag]);
        self.bytes(&(bytes.len() as u64).to_le_bytes());
        self.bytes(bytes);
    }

    fn slot(&mut self, slot: &Slot<'_>) {
        match slot {
            Slot::Absent => self.bytes(b"-"),
            Slot::Bool(value) => self.tagged(b'b', &[u8::from(*value)]),
            // A number has the same fingerprint in every width.
            Slot::Int32(value) => self.tagged(b'i', &i64::from(*value).to_le_bytes()),
            Slot::Int64(value) => self.tagged(b'i', &value.to_le_bytes()),
            // Adding zero turns negative zero into zero, since the two are equal.
            Slot::Double(value) => self.tagged(b'd', &(value + 0.0).to_bits().to_le_bytes()),
            Slot::String(value) => self.tagged(b's', value.as_bytes()),
            Slot::Bytes(value) => self.tagged(b'x', value),
            Slot::Raw(value) => self.tagged(b'r', value.as_str().as_bytes()),
            Slot::Scalar(value) => value.show(&mut |literal| match literal {
                Literal::Text(text) | Literal::Number(text) => self.tagged(b's', text.as_bytes()),
                Literal::Integer(number) => self.tagged(b'i', &number.to_le_bytes()),
            }),
            Slot::Union(value) => self.slot(&value.active()),
            Slot::Struct(value) => self.object(*value, &|_| true),
            Slot::List(list) => {
                self.tagged(b'[', &(list.len() as u64).to_le_bytes());
                for index in 0..list.len() {
                    self.slot(&list.get(index));
                }
            }
            Slot::Map(map) => {
                self.tagged(b'{', &(map.len() as u64).to_le_bytes());
                map.visit(&mut |key, slot| {
                    self.tagged(b'k', key.as_bytes());
                    self.slot(&slot);
                });
            }
        }
    }

    fn object(&mut self, object: &dyn Reflect, counts: &dyn Fn(&str) -> bool) {
        self.bytes(b"(");
        object.read(&mut |slots| {
            for (field, slot) in object.descriptor().fields.iter().zip(slots) {
                if counts(&field.name) && !is_unset(field.optional, slot) {
                    self.tagged(b'k', field.name.as_bytes());
                    self.slot(slot);
                }
            }
        });
        self.bytes(b")");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::TextRef;

    #[test]
    fn fingerprints_never_change() {
        // Fingerprints are stored in objects. If this fails, stored objects are no longer
        // recognised.
        assert_eq!(to_hex(of(&Slot::String(TextRef::Plain("cpu")))), "08de3092c518e075");
        assert_eq!(of(&Slot::Int32(7)), of(&Slot::Int64(7)));
        assert_ne!(of(&Slot::String(TextRef::Plain("7"))), of(&Slot::Int64(7)));
        assert_eq!(of(&Slot::Double(0.0)), of(&Slot::Double(-0.0)));
    }

    #[test]
    fn hexadecimal_is_read_back_and_nothing_else_is() {
        assert_eq!(from_hex(&to_hex(42)), Some(42));
        for text in ["", "2a", "00000000000000000002a", "zzzzzzzzzzzzzzzz", "é00000000000000"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
