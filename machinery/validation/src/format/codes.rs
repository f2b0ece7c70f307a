//! Numbers and codes: credit cards, books, colours, identifiers, base64.

/// Base64 with padding, and at least one group.
pub(super) fn is_base64(text: &str) -> bool {
    let is_code = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && text.bytes().take(text.len() - padding).all(is_code)
}

/// A number of a known issuer with a right check digit, with anything but digits in between.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
    let number = |length: usize| {
        digits.iter().take(length).fold(0_u32, |number, digit| number * 10 + u32::from(*digit))
    };
    let is_issued = matches!(
        (digits.len(), number(4)),
        (13 | 16, 4000..5000)
            | (16, 5100..5600 | 6011 | 6500..6600 | 3500..3600)
            | (15, 3400..3500 | 3700..3800 | 1800 | 2131)
            | (14, 3000..3060 | 3600..3700 | 3800..3900)
    );
    let sum: u32 = digits.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        let digit = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
        sum + digit / 10 + digit % 10
    });
    is_issued && sum.is_multiple_of(10)
}

/// The text without white space and dashes.
fn compact(text: &str) -> Vec<u8> {
    text.bytes().filter(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'-')).collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let code = compact(text);
    let value = |at: usize, b: u8| match b {
        b'X' if at == 9 => Some(10),
        b'0'..=b'9' => Some(u32::from(b - b'0')),
        _ => None,
    };
    let sum = code
        .iter()
        .enumerate()
        .try_fold(0, |sum, (at, b)| Some(sum + (u32::try_from(at).ok()? + 1) * value(at, *b)?));
    code.len() == 10 && sum.is_some_and(|sum| sum.is_multiple_of(11))
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let code = compact(text);
    let sum: u32 =
        code.iter().enumerate().map(|(at, b)| u32::from(b & 0xf) * if at % 2 == 0 { 1 } else { 3 }).sum();
    code.len() == 13 && code.iter().all(u8::is_ascii_digit) && sum.is_multiple_of(10)
}

/// `ddd-dd-dddd`, with dashes or blanks.
pub(super) fn is_ssn(text: &str) -> bool {
    text.len() == 11
        && text.bytes().enumerate().all(|(at, b)| match at {
            3 | 6 => b == b'-' || b == b' ',
            _ => b.is_ascii_digit(),
        })
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `rgb(1, 2, 3)`.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r');
    // Without a leading zero.
    let is_part = |part: &str| {
        let part = part.trim_matches(is_blank);
        part.parse::<u8>().is_ok_and(|value| value.to_string() == part)
    };
    let parts = text.strip_prefix("rgb(").and_then(|text| text.strip_suffix(')'));
    parts.is_some_and(|parts| parts.split(',').count() == 3 && parts.split(',').all(is_part))
}

/// A UUID of any version or a certain one. Each dash may be absent.
pub(super) fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut digits = Vec::new();
    for c in text.chars() {
        match c {
            '-' if matches!(digits.len(), 8 | 12 | 16 | 20) => {}
            c if c.is_ascii_hexdigit() => digits.push(c.to_ascii_lowercase()),
            _ => return false,
        }
    }
    // Not two dashes in a row, and none after the last digit.
    let is_variant = |c: &char| matches!(c, '8' | '9' | 'a' | 'b');
    digits.len() == 32
        && !text.contains("--")
        && version.is_none_or(|version| {
            digits.get(12) == Some(&version) && (version == '3' || digits.get(16).is_some_and(is_variant))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for (check, good, bad) in [
            (
                is_base64 as fn(&str) -> bool,
                &["YQ==", "YWI=", "YWJj"][..],
                &["", "YQ", "YQ=", "Y===", "Y Q="][..],
            ),
            (
                is_credit_card,
                &[
                    "4220855426222389",
                    "4220-8554 2622-2389",
                    "374953669708156",
                    "6011464355444102",
                    "3548209662790989",
                ],
                &["", "4220855426213389", "30190239451016", "6521674451993089"],
            ),
            (is_isbn10, &["3836221195", "1-61729-085-8", "3 401 01319 X"], &["3423214121", "X836221195", ""]),
            (is_isbn13, &["9784873113685", "978-3-8362-2119-1"], &["978-3836221190", "01234567890ab"]),
            (is_ssn, &["111-22-3333", "111 22-3333"], &["111223333", "111-22-333a"]),
            (is_hex_color, &["#fff", "A1b2C3"], &["#ffff", "ggg", "#"]),
            (
                is_rgb_color,
                &["rgb(0,31,255)", "rgb( 0 , 1,2 )"],
                &["rgb(1,349,2)", "rgb(01,1,1)", "rgb(+1,1,1)", "rgb(1,1)"],
            ),
        ] {
            for good in good {
                assert!(check(good), "{good}");
            }
            for bad in bad {
                assert!(!check(bad), "{bad}");
            }
        }
    }

    #[test]
    fn uuids() {
        let uuid = "a987fbc9-4bed-4078-8f07-9141ba07c9f3";
        assert!(is_uuid(uuid, None) && is_uuid(uuid, Some('4')) && is_uuid(&uuid.to_uppercase(), None));
        assert!(is_uuid(&uuid.replace('-', ""), None));
        assert!(!is_uuid(uuid, Some('3')) && !is_uuid(uuid, Some('5')));
        assert!(!is_uuid(&uuid.replacen('-', "--", 1), None) && !is_uuid(&uuid[1..], None));
        assert!(!is_uuid(&uuid.replace("8f07", "7f07"), Some('4')));
    }
}
