//! Compile-time checks of defaults, for derived code.

use super::{Omit, Type, Value};

/// Whether a missing field of this type can be told from one with a value. If not, it can have no default.
pub const fn may_be_missing<T: Value>(omit: Omit) -> bool {
    T::OPTIONAL || !omit.writes_absent(false, T::NODE.ty.has_empty())
}

/// Whether JSON can be the default of a field of this type, as far as its first characters and numbers tell. To the API
/// server, `null` is no default, even where it is a value.
pub const fn may_fit<T: Value>(json: &str) -> bool {
    match json.as_bytes().trim_ascii() {
        b"" | b"null" => false,
        json => fits(&T::NODE.ty, json),
    }
}

const fn fits(ty: &Type, json: &[u8]) -> bool {
    match ty {
        Type::Bool => matches!(json, b"true" | b"false"),
        Type::Int32 => is_integer(json, 2_147_483_648, 2_147_483_647),
        Type::Int64 => is_integer(json, 9_223_372_036_854_775_808, 9_223_372_036_854_775_807),
        Type::Uint16 => is_integer(json, 0, 65_535),
        Type::Uint32 => is_integer(json, 0, 4_294_967_295),
        Type::Uint64 => is_integer(json, 0, u64::MAX),
        Type::Float | Type::Double => is_number(json),
        Type::String | Type::Leaf(_) | Type::Bytes | Type::Time | Type::MicroTime | Type::Duration => {
            is_text(json)
        }
        Type::Enum(words) | Type::Words(words) => is_word(json, words),
        Type::Quantity | Type::IntOrString => is_text(json) || is_number(json),
        Type::Strings | Type::List(_) => matches!(json, [b'[', .., b']']),
        Type::Struct(_) | Type::Map(_) => matches!(json, [b'{', .., b'}']),
        Type::Raw | Type::Union(_) => true,
    }
}

const fn is_text(json: &[u8]) -> bool {
    matches!(json, [b'"', .., b'"']) && json.len() > 1
}

const fn is_number(json: &[u8]) -> bool {
    matches!(json, [b'-' | b'0'..=b'9', ..])
}

/// Whether it is an integer of at least `-below` and at most `above`. Numbers with a point or an exponent are left to
/// the decoder.
const fn is_integer(json: &[u8], below: u64, above: u64) -> bool {
    let (is_negative, digits) = match json {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let limit = if is_negative { below } else { above };
    let mut value: u64 = 0;
    let mut at = 0;
    while at < digits.len() {
        let digit = match digits[at] {
            digit @ b'0'..=b'9' => digit - b'0',
            b'.' | b'e' | b'E' => return at > 0,
            _ => return false,
        };
        value = match value.checked_mul(10) {
            Some(value) => match value.checked_add(digit as u64) {
                Some(value) => value,
                None => return false,
            },
            None => return false,
        };
        at += 1;
    }
    at > 0 && value <= limit
}

/// Whether it is one of the words. Words with escapes are left to the decoder.
const fn is_word(json: &[u8], words: &[&str]) -> bool {
    let [b'"', word @ .., b'"'] = json else { return false };
    let mut at = 0;
    while at < words.len() {
        if is_equal(word, words[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    let mut at = 0;
    while at < word.len() {
        if word[at] == b'\\' {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::reflect::OrBool;
    use crate::scalar::{Duration, IntOrString, Quantity};
    use crate::{ApiType, StrMap};

    use super::*;

    #[derive(ApiType)]
    struct Part {}

    #[derive(ApiType)]
    enum Color {
        Red,
        #[field(name = "\"")]
        Quote,
    }

    #[test]
    fn defaults_fit_by_their_shape() {
        macro_rules! check {
            ($ty:ty: $($fits:literal)* ; $($does_not:literal)*) => {
                $(assert!(may_fit::<$ty>($fits), "{}", $fits);)*
                $(assert!(!may_fit::<$ty>($does_not), "{}", $does_not);)*
            };
        }
        check!(bool: "true" " false " ; "" "1" "\"true\"" "null");
        check!(i32: "0" "-2147483648" "2147483647" "1.0" "1e3"
               ; "-" "2147483648" "-2147483649" "99999999999999999999999" "\"1\"" ".5" "1x" "true" "{}");
        check!(i64: "-9223372036854775808" "9223372036854775807" ; "9223372036854775808" "-9223372036854775809");
        check!(u16: "0" "65535" "-0" ; "65536" "-1" "\"1\"");
        check!(Option<u32>: "4294967295" ; "4294967296");
        check!(u64: "18446744073709551615" ; "18446744073709551616" "-1" "99999999999999999999999");
        check!(f32: "-1.5" "3" ; "\"3\"" "true");
        check!(f64: "-1.5" "3" ; "\"3\"" "true");
        check!(Option<String>: "\"\"" "\"a\"" ; "a" "\"" "1" "null" "[]");
        check!(Option<Option<i32>>: "1" ; "\"\"" "null");
        check!(Duration: "\"1s\"" ; "1");
        check!(Quantity: "\"1Gi\"" "1" ; "[]" "true");
        check!(IntOrString: "\"http\"" "80" ; "{}");
        check!(Vec<i32>: "[1]" "[\"not checked\"]" ; "1" "{}" "[");
        check!(Vec<u8>: "\"AAEC\"" ; "[]");
        check!(StrMap<i32>: "{}" ; "[]");
        check!(Part: "{}" ; "1" "[]");
        check!(Color: "\"Red\"" "\"\\\"\"" ; "\"red\"" "Red" "1");
        check!(OrBool<Part>: "true" "{}" ; );
    }

    #[test]
    fn only_what_may_be_missing_has_a_default() {
        assert!(may_be_missing::<i32>(Omit::Empty));
        assert!(may_be_missing::<Option<i32>>(Omit::Exact));
        assert!(!may_be_missing::<i32>(Omit::Exact));
        assert!(!may_be_missing::<String>(Omit::Never));
        // Objects and the like are written even if they are zero.
        assert!(!may_be_missing::<Part>(Omit::Empty));
        assert!(!may_be_missing::<Quantity>(Omit::Empty));
        assert!(may_be_missing::<Part>(Omit::Zero));
    }
}
