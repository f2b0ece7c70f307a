//! Fingerprints of values: 64 bits that show whether a value has changed.
//!
//! They are stored in objects, so the algorithm never changes: FNV-1a over names and values. Fields
//! without a value are left out, so that a type may gain fields.

use super::plain::is_unset;
use crate::reflect::{Keys, Literal, Reflect, Slot};

/// Appends the form used in annotations: a JSON string of 16 hexadecimal digits.
pub(super) fn write_hex(out: &mut Vec<u8>, fingerprint: u64) {
    out.push(b'"');
    for digit in (0..16).rev() {
        let digit = (fingerprint >> (4 * digit)) & 0xF;
        out.push(b"0123456789abcdef"[digit as usize]);
    }
    out.push(b'"');
}

/// Reads 16 hexadecimal digits; `None` for any other text.
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
    of_fields(object, |name| !without.contains(&name))
}

/// The fingerprint of an object's `keys` alone.
pub(super) fn of_keys(object: &dyn Reflect, keys: Keys<'_>) -> u64 {
    of_fields(object, |name| keys.contains(name))
}

fn of_fields(object: &dyn Reflect, counts: impl Fn(&str) -> bool) -> u64 {
    let mut hasher = Hasher::default();
    hasher.object(object, counts);
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
        Slot::Absent | Slot::Null => {}
        Slot::Struct(object) => {
            for (field, slot) in object.fields().iter() {
                if !is_unset(field.optional, &slot) {
                    leaves(&slot, &below(&field.name), out);
                }
            }
        }
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

/// What FNV-1a multiplies by after each byte.
const PRIME: u64 = 0x0100_0000_01b3;

/// The powers of [`PRIME`], up to the eighth.
const POWERS: [u64; 9] = {
    let mut powers = [1; 9];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = PRIME.wrapping_mul(powers[at - 1]);
        at += 1;
    }
    powers
};

impl Hasher {
    #[inline]
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // Local, so that it stays in a register, and several at a time, so that loops are unrolled.
        let mut hash = Self(self.0);
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            eight.iter().for_each(|byte| hash.byte(*byte));
        }
        let (fours, rest) = rest.as_chunks::<4>();
        if let [four] = fours {
            four.iter().for_each(|byte| hash.byte(*byte));
        }
        rest.iter().for_each(|byte| hash.byte(*byte));
        self.0 = hash.0;
    }

    /// Adds the eight bytes of a number, the lowest first. A byte that is zero only multiplies, and
    /// most numbers end with many.
    #[inline]
    fn number(&mut self, number: u64) {
        let (mut rest, mut zeros) = (number, 8);
        while rest != 0 {
            self.byte(rest as u8);
            rest >>= 8;
            zeros -= 1;
        }
        self.0 = self.0.wrapping_mul(POWERS[zeros]);
    }

    /// A tag separates values of different types; a length separates adjacent values.
    #[inline]
    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.byte(tag);
        self.number(bytes.len() as u64);
        self.bytes(bytes);
    }

    /// As [`tagged`](Self::tagged), with the eight bytes of a number.
    #[inline]
    fn tagged_number(&mut self, tag: u8, number: u64) {
        self.byte(tag);
        self.number(8);
        self.number(number);
    }

    fn slot(&mut self, slot: &Slot<'_>) {
        match slot {
            Slot::Absent => self.byte(b'-'),
            Slot::Null => self.byte(b'n'),
            Slot::Bool(value) => self.tagged(b'b', &[u8::from(*value)]),
            // A number has the same fingerprint in every width.
            Slot::Int32(value) => self.tagged_number(b'i', i64::from(*value).cast_unsigned()),
            Slot::Int64(value) => self.tagged_number(b'i', value.cast_unsigned()),
            // Adding zero turns negative zero into zero, since the two are equal.
            Slot::Double(value) => self.tagged_number(b'd', (value + 0.0).to_bits()),
            Slot::String(value) => self.tagged(b's', value.as_bytes()),
            Slot::Bytes(value) => self.tagged(b'x', value),
            Slot::Raw(value) => self.tagged(b'r', value.as_str().as_bytes()),
            Slot::Scalar(value) => value.show(&mut |literal| match literal {
                Literal::Text(text) | Literal::Number(text) => self.tagged(b's', text.as_bytes()),
                Literal::Integer(number) => self.tagged_number(b'i', number.cast_unsigned()),
                Literal::Unsigned(number) => self.tagged_number(b'u', number),
                // Both zeros are equal.
                Literal::Float(number) => self.tagged_number(b'f', (number + 0.0).to_bits().into()),
            }),
            Slot::Union(value) => self.slot(&value.active()),
            Slot::Struct(value) => self.object(*value, |_| true),
            Slot::List(list) => {
                self.tagged_number(b'[', list.len() as u64);
                for index in 0..list.len() {
                    self.slot(&list.get(index));
                }
            }
            Slot::Map(map) => {
                self.tagged_number(b'{', map.len() as u64);
                map.visit(&mut |key, slot| {
                    self.tagged(b'k', key.as_bytes());
                    self.slot(&slot);
                });
            }
        }
    }

    fn object(&mut self, object: &dyn Reflect, counts: impl Fn(&str) -> bool) {
        self.byte(b'(');
        for (field, slot) in object.fields().iter() {
            // Most fields of an object are absent.
            let is_set = !matches!(slot, Slot::Absent) && !is_unset(field.optional, &slot);
            if is_set && counts(&field.name) {
                self.tagged(b'k', field.name.as_bytes());
                self.slot(&slot);
            }
        }
        self.byte(b')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::TextRef;

    fn to_hex(fingerprint: u64) -> String {
        let mut out = Vec::new();
        write_hex(&mut out, fingerprint);
        String::from_utf8(out).unwrap().trim_matches('"').to_owned()
    }

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
    fn a_number_is_its_eight_bytes() {
        for number in [0, 1, 0xFF, 0x100, 0x1_0000, 0xFF00, u64::MAX, 1 << 56, 0x0102_0304_0506_0708] {
            let (mut short, mut long) = (Hasher::default(), Hasher::default());
            short.tagged_number(b'i', number);
            long.tagged(b'i', &number.to_le_bytes());
            assert_eq!(short.0, long.0, "{number}");
        }
    }

    #[test]
    fn hexadecimal_is_read_back_and_nothing_else_is() {
        assert_eq!(from_hex(&to_hex(42)), Some(42));
        for text in ["", "2a", "00000000000000000002a", "zzzzzzzzzzzzzzzz", "é00000000000000"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
