//! How long ago something was, as people read it: two numbers at most.

use crate::scalar::Time;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// How long ago a time was, in the form of the reference server.
pub fn age(since: Time, now: Time) -> String {
    human(now.0.as_second().saturating_sub(since.0.as_second()))
}

/// A number of seconds, in the form of the reference server: `119s`, `2m`, `3h5m`, `2d1h`, `2y3d`.
///
/// Clocks differ: up to a second in the future is now, and all beyond is invalid.
///
/// ```
/// use hubgen_machinery::columns::human;
///
/// assert_eq!(human(119), "119s");
/// assert_eq!(human(3 * 3600 + 5 * 60), "3h5m");
/// assert_eq!(human(-2), "<invalid>");
/// ```
pub fn human(seconds: i64) -> String {
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two((seconds / MINUTE, 'm'), (seconds % MINUTE, 's')),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => two((seconds / HOUR, 'h'), (seconds / MINUTE % 60, 'm')),
        _ if seconds < 48 * HOUR => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => two((seconds / DAY, 'd'), (seconds / HOUR % 24, 'h')),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => two((seconds / YEAR, 'y'), (seconds / DAY % 365, 'd')),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Two numbers, each with its unit, of which the second is left out if it is 0.
fn two((large, of_large): (i64, char), (small, of_small): (i64, char)) -> String {
    if small == 0 { format!("{large}{of_large}") } else { format!("{large}{of_large}{small}{of_small}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_two_numbers_at_most() {
        for (seconds, expected) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (121, "2m1s"),
            (599, "9m59s"),
            (601, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 61, "3h1m"),
            (8 * HOUR + 61, "8h"),
            (47 * HOUR + 3599, "47h"),
            (48 * HOUR, "2d"),
            (49 * HOUR, "2d1h"),
            (8 * DAY + HOUR, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + 3 * DAY, "2y3d"),
            (8 * YEAR + 3 * DAY, "8y"),
        ] {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }
}
