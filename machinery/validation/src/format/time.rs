//! Dates and times.

/// `2006-01-02`, with a day that the month has.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digits = |(at, b): (usize, &u8)| if matches!(at, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() };
    if bytes.len() != 10 || !bytes.iter().enumerate().all(is_digits) {
        return false;
    }
    let number = |part: &[u8]| part.iter().fold(0_u32, |number, b| number * 10 + u32::from(b - b'0'));
    let (year, month, day) = (number(&bytes[..4]), number(&bytes[5..7]), number(&bytes[8..]));
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// A date, `t`, a time and a zone, in any case. The API server ignores what follows a second `t`, accepts any character
/// before a fraction, and does not check the zone.
pub(super) fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && is_time(time)
}

fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let field = |at: usize, max: &str| {
        let field = clock.get(at..at + 2).unwrap_or_default();
        field.len() == 2 && field.bytes().all(|b| b.is_ascii_digit()) && field <= max
    };
    let is_clock = field(0, "23")
        && field(3, "59")
        && field(6, "59")
        && clock.as_bytes().get(2) == Some(&b':')
        && clock.as_bytes().get(5) == Some(&b':');
    is_clock && (is_zone(rest) || is_fraction_and_zone(rest))
}

fn is_fraction_and_zone(text: &str) -> bool {
    let mut rest = text.chars();
    if rest.next().is_none_or(|c| c == '\n') {
        return false;
    }
    let rest = rest.as_str();
    let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    zone.len() < rest.len() && is_zone(zone)
}

fn is_zone(text: &str) -> bool {
    let is_offset = |(at, b): (usize, u8)| match at {
        0 => b == b'+' || b == b'-',
        3 => b == b':',
        _ => b.is_ascii_digit(),
    };
    matches!(text, "z" | "Z") || (text.len() == 6 && text.bytes().enumerate().all(is_offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        for good in ["2024-02-29", "2000-02-29", "0000-01-01", "2023-12-31"] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "2023-02-29",
            "1900-02-29",
            "2023-13-01",
            "2023-04-31",
            "2023-00-01",
            "2023-1-01",
            "23-01-01",
            "",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
        for good in [
            "2024-02-29T12:30:59Z",
            "2024-02-29t12:30:59z",
            "2024-02-29T23:59:59.123456+99:99",
            "2024-02-29T23:59:59x1-01:00",
            "2024-02-29T23:59:59Ztomorrow",
        ] {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "2024-02-29",
            "2024-02-29T24:00:00Z",
            "2024-02-29T12:30:60Z",
            "2024-02-29T12:30Z",
            "2024-02-29 12:30:00Z",
            "2024-02-29T12:30:00",
            "2024-02-29T12:30:00.Z",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
    }
}
