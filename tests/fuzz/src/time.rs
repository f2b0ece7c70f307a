//! Times: the input as text, texts generated from it, and instants: eight bytes are seconds, four are nanoseconds.

use hubgen_machinery::scalar::{MicroTime, Time};
use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::memory;
use crate::shapes::{Leaves, survives};

/// Bytes of memory per byte of text. An error contains at most 60 characters of it.
const MEMORY: u64 = 2;

pub fn check(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        read(text);
    }
    if let Some((second, rest)) = data.split_first_chunk()
        && let Some((nanosecond, _)) = rest.split_first_chunk()
    {
        let second = i64::from_le_bytes(*second) % (1 << 39);
        let nanosecond = i32::from_le_bytes(*nanosecond) % 1_000_000_000;
        if let Ok(instant) = Timestamp::new(second, nanosecond) {
            write(instant);
        }
    }
    if let Some(numbers) = data.first_chunk() {
        read(&generated(*numbers));
    }
}

/// A text whose numbers are mostly in range, and whose year is often the last of a century.
fn generated(numbers: [u8; 10]) -> String {
    let [century, year, month, day, hour, minute, second, fraction, zone, quarters] = numbers;
    let (century, year, month, day) = (century % 100, year.saturating_sub(128) % 100, month % 14, day % 33);
    let (hour, minute, second) = (hour % 25, minute % 61, second % 61);
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction}") };
    let zone = match zone {
        0 => "Z".to_owned(),
        _ => format!(
            "{}{:02}:{:02}",
            if zone % 2 == 0 { '+' } else { '-' },
            zone / 10,
            u32::from(quarters % 5) * 15
        ),
    };
    format!("{century:02}{year:02}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
}

fn read(text: &str) {
    let expected = instant(text);
    let time = memory::bounded(text.len(), MEMORY, || text.parse::<Time>()).ok();
    let micro = memory::bounded(text.len(), MEMORY, || text.parse::<MicroTime>()).ok();
    assert_eq!(time, expected.map(Time::from), "{text:?}");
    assert_eq!(micro, expected.map(MicroTime::from), "{text:?}");
    if let Some(instant) = expected {
        write(instant);
    }
}

/// Parses a text with jiff's calendar: RFC 3339 with upper-case letters, without leap seconds, from year 1 on.
fn instant(text: &str) -> Option<Timestamp> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let is = |at: usize, separator: &str| text.get(at..=at) == Some(separator);
    if !(is(4, "-") && is(7, "-") && is(10, "T") && is(13, ":") && is(16, ":")) {
        return None;
    }
    let small = |from, to| number(from, to).map(|number| number as i8);
    let mut rest = text.get(19..)?;
    let mut nanosecond = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        let digits = &fraction[..end];
        if digits.is_empty() {
            return None;
        }
        nanosecond = format!("{digits:0<9}")[..9].parse().ok()?;
        rest = &fraction[end..];
    }
    let ahead = match rest {
        "Z" => 0,
        _ => {
            let at = text.len() - rest.len();
            if rest.len() != 6 || !is(at + 3, ":") || !rest.starts_with(['+', '-']) {
                return None;
            }
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            if rest.starts_with('+') { seconds } else { -seconds }
        }
    };
    let year = number(0, 4)? as i16;
    let civil = DateTime::new(
        year,
        small(5, 7)?,
        small(8, 10)?,
        small(11, 13)?,
        small(14, 16)?,
        small(17, 19)?,
        nanosecond,
    )
    .ok()?;
    let days = civil.date().since((jiff::Unit::Day, jiff::civil::date(1970, 1, 1))).ok()?.get_days();
    let clock = civil.time();
    let of_day = i64::from(clock.hour()) * 3600 + i64::from(clock.minute()) * 60 + i64::from(clock.second());
    let instant = Timestamp::new(i64::from(days) * 86_400 + of_day - ahead, nanosecond).ok()?;
    is_writable(instant).then_some(instant)
}

/// Whether the instant is in year 1 or later.
fn is_writable(instant: Timestamp) -> bool {
    const FIRST: i64 = -62_135_596_800;
    instant.as_nanosecond().div_euclid(1_000_000_000) >= FIRST.into()
}

fn write(instant: Timestamp) {
    if !is_writable(instant) {
        return;
    }
    let (time, micro) = (Time::from(instant), MicroTime::from(instant));
    let utc = |format: &str| instant.strftime(format).to_string();
    assert_eq!(time.to_string(), utc("%Y-%m-%dT%H:%M:%SZ"));
    assert_eq!(micro.to_string(), utc("%Y-%m-%dT%H:%M:%S.%6fZ"));
    assert_eq!(time.to_string().parse(), Ok(time));
    assert_eq!(micro.to_string().parse(), Ok(micro));
    // In protobuf, the first instant means that the time is not set.
    if time.to_string() != "0001-01-01T00:00:00Z" {
        survives(&Leaves { time: Some(time), micro: Some(micro), ..Leaves::default() });
    }
}
