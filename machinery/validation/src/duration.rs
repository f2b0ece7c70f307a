//! Durations, as Go reads and writes them, and those of the format `duration`.

/// The nanoseconds of a second.
pub(crate) const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A duration in Go's syntax, `1h30m`, in nanoseconds.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (whole, after) = rest.split_at(digits(rest));
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let unit: u64 = match &after[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        rest = &after[end..];
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part = format!("0.{fraction}").parse::<f64>().unwrap_or(0.0) * unit as f64;
        total = total.checked_add(whole.checked_mul(unit)?)?.checked_add(part as u64)?;
    }
    match i64::try_from(total) {
        Ok(total) => Some(if negative { -total } else { total }),
        Err(_) => (negative && total == 1 << 63).then_some(i64::MIN),
    }
}

/// A value with the format `duration`, in nanoseconds: a duration of Go, or any text with numbers and units of Scala (`5 days`).
/// A number that does not fit into 63 bits is an error.
pub(crate) fn of_format(text: &str) -> Option<i64> {
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "µs", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], SECOND),
        (&["m", "min"], 60 * SECOND),
        (&["h", "hr", "hour"], 3600 * SECOND),
        (&["d", "day"], DAY),
        (&["w", "wk", "week"], 7 * DAY),
    ];
    if let Some(duration) = parse(text) {
        return Some(duration);
    }
    let (mut total, mut found, mut rest) = (0_i64, false, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let from = &rest[start..];
        let (digits, after) = from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
        let unit = after.trim_start_matches([' ', '\t', '\n', '\x0c', '\r']);
        let end = unit.find(|c: char| !c.is_ascii_alphabetic() && c != 'µ').unwrap_or(unit.len());
        rest = if end == 0 { after } else { &unit[end..] };
        if end == 0 {
            continue;
        }
        let (count, unit) = (digits.parse::<i64>().ok()?, unit[..end].to_lowercase());
        for (names, nanoseconds) in UNITS {
            for (at, name) in names.iter().enumerate() {
                if unit == *name || (at + 1 == names.len() && unit.starts_with(name)) {
                    found = true;
                    total = total.wrapping_add(count.wrapping_mul(nanoseconds));
                }
            }
        }
    }
    found.then_some(total)
}

/// A duration as text: seconds with a fraction.
pub(crate) fn text(nanoseconds: i64) -> String {
    let (seconds, rest) = (nanoseconds / SECOND, nanoseconds % SECOND);
    format!("{}s", seconds as f64 + rest as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        assert_eq!(parse("1h2m3.5s"), Some(3723 * SECOND + SECOND / 2));
        assert_eq!(parse("-1ns"), Some(-1));
        assert_eq!(parse("1d"), None);
        assert_eq!(of_format("3 days"), Some(3 * DAY));
        assert_eq!(text(1_500_000_000), "1.5s");
        assert_eq!(text(90 * 60 * SECOND), "5400s");
    }

    #[test]
    fn formats_know_units_of_go_and_scala() {
        for good in [
            "0",
            "-0",
            "1h30m",
            "1.5s",
            ".5h",
            "5.s",
            "-1ns",
            "1µs",
            "1μs",
            "5 days",
            "in 2 WEEKS",
            "1 millisecond",
            "3 hr",
            "2562048h",
            "-9223372036854775808ns",
        ] {
            assert!(of_format(good).is_some(), "{good}");
        }
        for bad in ["", "1", "h", ".s", "1 fortnight", "99999999999999999999h", "1e3", "3 hrs"] {
            assert!(of_format(bad).is_none(), "{bad}");
        }
    }
}
