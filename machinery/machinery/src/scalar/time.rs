//! Times with a precision of a second or of a microsecond.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use super::ParseError;

/// A time with a precision of a second, written in UTC as `2006-01-02T15:04:05Z`.
///
/// It is parsed from any RFC 3339 text, also with an offset and a fraction. The fraction is dropped,
/// as the reference server drops it when it writes. The default is the Unix epoch. A field for a
/// time that may be missing is an `Option<Time>`.
///
/// The range is 0001-01-01T00:00:00Z to 9999-12-30T22:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub Timestamp);

/// A time with a precision of a microsecond, written in UTC as `2006-01-02T15:04:05.000000Z`, always
/// with six digits. Otherwise it is like [`Time`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroTime(pub Timestamp);

const EXPECTED_TIME: &str = "a time in RFC 3339 format, such as 2006-01-02T15:04:05Z, in the years 1 to 9999";
const EXPECTED_MICRO_TIME: &str =
    "a time in RFC 3339 format, such as 2006-01-02T15:04:05.000000Z, in the years 1 to 9999";

impl Time {
    /// The time of this machine's clock.
    ///
    /// ```
    /// use hubgen_machinery::scalar::Time;
    ///
    /// assert_eq!(Time::now().0.subsec_nanosecond(), 0);
    /// ```
    #[inline]
    pub fn now() -> Self {
        Timestamp::now().into()
    }

    /// The text, written into `buffer`.
    pub fn text<'b>(&self, buffer: &'b mut [u8; 20]) -> &'b str {
        let (second, _) = split(self.0);
        write_second(second, buffer);
        buffer[19] = b'Z';
        ascii(buffer)
    }
}

impl MicroTime {
    /// The time of this machine's clock.
    #[inline]
    pub fn now() -> Self {
        Timestamp::now().into()
    }

    /// The text, written into `buffer`.
    pub fn text<'b>(&self, buffer: &'b mut [u8; 27]) -> &'b str {
        let (second, nanosecond) = split(self.0);
        write_second(second, buffer);
        buffer[19] = b'.';
        write_digits(&mut buffer[20..26], nanosecond / 1000);
        buffer[26] = b'Z';
        ascii(buffer)
    }
}

impl From<Timestamp> for Time {
    /// Drops the fraction of the second, so that the time equals itself after a round trip.
    fn from(time: Timestamp) -> Time {
        if time.subsec_nanosecond() == 0 {
            // Nearly all times are whole seconds.
            return Time(time);
        }
        let (second, _) = split(time);
        Time(Timestamp::new(second, 0).unwrap_or(Timestamp::MIN))
    }
}

impl From<Timestamp> for MicroTime {
    /// Drops fractions of a microsecond, so that the time equals itself after a round trip.
    fn from(time: Timestamp) -> MicroTime {
        let (second, nanosecond) = split(time);
        let kept = (nanosecond - nanosecond % 1000) as i32;
        MicroTime(Timestamp::new(second, kept).unwrap_or(Timestamp::MIN))
    }
}

impl FromStr for Time {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Time, ParseError> {
        read(text.as_bytes())
            .and_then(|(second, _)| Timestamp::new(second, 0).ok())
            .map(Time)
            .ok_or_else(|| ParseError::new(EXPECTED_TIME, text))
    }
}

impl FromStr for MicroTime {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<MicroTime, ParseError> {
        read(text.as_bytes())
            .and_then(|(second, nanosecond)| Timestamp::new(second, nanosecond - nanosecond % 1000).ok())
            .map(MicroTime)
            .ok_or_else(|| ParseError::new(EXPECTED_MICRO_TIME, text))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut [0; 20]))
    }
}

impl fmt::Display for MicroTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut [0; 27]))
    }
}

super::serde_as_text!(Time);
super::serde_as_text!(MicroTime);

const DAY: i64 = 86_400;

/// Seconds since the epoch, rounded down, and the remaining nanoseconds.
fn split(time: Timestamp) -> (i64, u32) {
    let nanosecond = time.as_nanosecond();
    let second = nanosecond.div_euclid(1_000_000_000);
    let rest = nanosecond.rem_euclid(1_000_000_000);
    (second as i64, rest as u32)
}

/// Reads an RFC 3339 time as seconds since the epoch and nanoseconds.
///
/// As in Go, `T` and `Z` must be upper case, and leap seconds are refused.
fn read(text: &[u8]) -> Option<(i64, i32)> {
    let (date_time, mut rest) = text.split_at_checked(19)?;
    let [.., b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', _, _] = date_time else {
        return None;
    };
    let year = digits(&date_time[..4])?;
    let month = digits(&date_time[5..7])?;
    let day = digits(&date_time[8..10])?;
    let hour = digits(&date_time[11..13])?;
    let minute = digits(&date_time[14..16])?;
    let second = digits(&date_time[17..])?;
    if !(1..=12).contains(&month)
        || !(1..=days_of_month(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let mut nanosecond = 0;
    if let [b'.', fraction @ ..] = rest {
        let length = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        for place in 0..9 {
            let digit = fraction[..length].get(place).map_or(0, |b| b - b'0');
            nanosecond = nanosecond * 10 + i32::from(digit);
        }
        rest = &fraction[length..];
    }
    let offset = match rest {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), hours @ .., b':', _, _] if hours.len() == 2 => {
            let hours = digits(hours)?;
            let minutes = digits(&rest[4..])?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            let ahead = (hours * 60 + minutes) * 60;
            if *sign == b'+' { ahead } else { -ahead }
        }
        _ => return None,
    };
    let days = days_from_civil(year, month, day);
    let second = days * DAY + (hour * 60 + minute) * 60 + second - offset;
    // The offset may lead to a year before 1 or after 9999.
    let years = days_from_civil(1, 1, 1) * DAY..days_from_civil(10_000, 1, 1) * DAY;
    years.contains(&second).then_some((second, nanosecond))
}

/// The value of a text that consists of digits only.
fn digits(text: &[u8]) -> Option<i64> {
    let mut value = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days in 400 years, after which the Gregorian calendar repeats.
const ERA: i64 = 146_097;
/// Days from 0000-03-01 to the epoch. Years begin in March, so that a leap day is the last day of
/// its year.
const EPOCH: i64 = 719_468;

/// Days from the epoch to a date of the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let march_year = if month > 2 { year } else { year - 1 };
    let era = march_year.div_euclid(400);
    let year_of_era = march_year.rem_euclid(400);
    let march_month = (month + 9) % 12;
    let day_of_year = (153 * march_month + 2) / 5 + day - 1;
    era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH
}

/// The date `days` days after the epoch: year, month, day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + EPOCH;
    let era = shifted.div_euclid(ERA);
    let day_of_era = shifted.rem_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// Writes `2006-01-02T15:04:05` at the start of `buffer`.
fn write_second(second: i64, buffer: &mut [u8]) {
    let (year, month, day) = civil_from_days(second.div_euclid(DAY));
    let of_day = second.rem_euclid(DAY) as u32;
    buffer[..19].copy_from_slice(b"0000-00-00T00:00:00");
    // Years before 1 cannot be parsed. If a program makes one, it is clamped.
    write_digits(&mut buffer[..4], year.clamp(0, 9999) as u32);
    write_digits(&mut buffer[5..7], month as u32);
    write_digits(&mut buffer[8..10], day as u32);
    write_digits(&mut buffer[11..13], of_day / 3600);
    write_digits(&mut buffer[14..16], of_day / 60 % 60);
    write_digits(&mut buffer[17..19], of_day % 60);
}

/// Fills `target` with the last digits of `value`.
fn write_digits(target: &mut [u8], mut value: u32) {
    for place in target.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

fn ascii(buffer: &[u8]) -> &str {
    std::str::from_utf8(buffer).expect("digits and punctuation")
}
