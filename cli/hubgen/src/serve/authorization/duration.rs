//! Durations as Go writes them.

use std::time::Duration;

/// Reads a duration such as `5m0s`, `1h30m`, `300ms` or `0`.
///
/// # Errors
/// What was expected.
pub(in super::super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a duration such as 30s or 5m0s".to_owned();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = &rest[digits..];
        let units =
            [("ms", 0.001), ("us", 0.000_001), ("ns", 0.000_000_001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
        let (name, seconds) = units.into_iter().find(|(name, _)| unit.starts_with(name)).ok_or_else(wrong)?;
        let part = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
        total = total.checked_add(part).ok_or_else(wrong)?;
        rest = &unit[name.len()..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        for (text, milliseconds) in
            [("5m0s", 300_000), ("1h30m", 5_400_000), ("300ms", 300), ("1.5s", 1500), ("0", 0)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "5", "s", "-1s", "1d", "1s2", "99999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
