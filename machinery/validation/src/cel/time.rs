//! Times, as Go reads and writes them.

use jiff::tz::{Offset, TimeZone};

use crate::duration::SECOND;

const DAY_SECONDS: i64 = 86_400;

/// The first and the last second that a timestamp can have: the years 1 to 9999.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// A point in time, with the zone in which it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// Since 1970.
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
    /// Seconds east of Greenwich.
    offset: i32,
}

/// A date and a time of day in a zone.
pub(crate) struct Clock {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
    /// From 0.
    pub(crate) day_of_year: i64,
    /// From 0, a Sunday.
    pub(crate) weekday: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Time {
    pub(crate) fn of_seconds(seconds: i64) -> Self {
        Self { seconds, nanos: 0, offset: 0 }
    }

    pub(crate) fn is_in_range(self) -> bool {
        RANGE.contains(&self.seconds)
    }

    /// What decides which of two times is later.
    pub(crate) fn order(self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.order() == (*RANGE.start(), 0)
    }

    /// `2006-01-02T15:04:05Z`, with a fraction or not, and `Z` or an offset.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let day = days_of_date(date)?;
        let rest = rest.strip_prefix('T')?;
        let colon = rest.find(':')?;
        let hour = number(rest.get(..colon).filter(|hour| matches!(hour.len(), 1 | 2))?, 23)?;
        let minute = number(rest.get(colon + 1..colon + 3)?, 59)?;
        let rest = rest.get(colon + 3..)?.strip_prefix(':')?;
        let second = number(rest.get(..2)?, 59)?;
        let mut rest = &rest[2..];
        let mut nanos = 0;
        if let Some(after) = rest.strip_prefix(['.', ',']) {
            let length = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let digits = after.get(..length.min(9)).filter(|digits| !digits.is_empty())?;
            nanos = format!("{digits:0<9}").parse().ok()?;
            rest = &after[length..];
        }
        let offset = match rest {
            "Z" => 0,
            _ => {
                let sign = match rest.as_bytes().first()? {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                if rest.len() != 6 || rest.as_bytes()[3] != b':' {
                    return None;
                }
                let (hours, minutes) = (number(rest.get(1..3)?, 24)?, number(rest.get(4..)?, 60)?);
                sign * (hours * 3600 + minutes * 60)
            }
        };
        let seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset;
        Some(Self { seconds, nanos, offset: i32::try_from(offset).ok()? })
    }

    /// A value with the format `date`.
    pub(crate) fn of_date(text: &str) -> Option<Self> {
        Some(Self::of_seconds(days_of_date(text)? * DAY_SECONDS))
    }

    /// A value with the format `date-time`: the zone may be missing, and letters may be small.
    pub(crate) fn of_date_time(text: &str) -> Option<Self> {
        let text = text.to_ascii_uppercase();
        Self::parse(&text).or_else(|| Self::parse(&format!("{text}Z")))
    }

    /// The date and the time of day; in UTC, if no zone is given. A zone is an offset, `-08:00`, or a name.
    pub(crate) fn clock(self, zone: Option<&str>) -> Result<Clock, String> {
        let offset = match zone {
            None => 0,
            Some(zone) => self.offset_of(zone)?,
        };
        Ok(Clock::of(self.seconds.saturating_add(offset)))
    }

    fn offset_of(self, zone: &str) -> Result<i64, String> {
        let Some((hours, minutes)) = zone.split_once(':') else {
            if matches!(zone, "" | "UTC") {
                return Ok(0);
            }
            let unknown = |_| format!("unknown time zone {zone}");
            if zone.contains("..") || zone.starts_with(['/', '\\']) {
                return Err("time: invalid location name".to_owned());
            }
            let found = TimeZone::get(zone).map_err(unknown)?;
            let at = jiff::Timestamp::from_second(self.seconds).map_err(unknown)?;
            return Ok(Offset::seconds(found.to_offset(at)).into());
        };
        let whole = |text: &str| {
            text.parse::<i64>()
                .map_err(|_| format!("strconv.Atoi: parsing {}: invalid syntax", crate::text::quoted(text)))
        };
        let (hours, minutes) = (whole(hours)?, whole(minutes)?);
        let minutes = if zone.starts_with('-') { -minutes } else { minutes };
        Ok(hours.saturating_mul(60).saturating_add(minutes).saturating_mul(60).clamp(-1 << 40, 1 << 40))
    }

    pub(crate) fn add(self, nanoseconds: i64) -> Option<Self> {
        let nanos = i64::from(self.nanos) + nanoseconds.rem_euclid(SECOND);
        let seconds =
            self.seconds.checked_add(nanoseconds.div_euclid(SECOND))?.checked_add(nanos / SECOND)?;
        let time = Self { seconds, nanos: u32::try_from(nanos % SECOND).ok()?, offset: self.offset };
        time.is_in_range().then_some(time)
    }

    /// The nanoseconds from another time to this one.
    pub(crate) fn since(self, other: Self) -> Option<i64> {
        let seconds = self.seconds.checked_sub(other.seconds)?.checked_mul(SECOND)?;
        seconds.checked_add(i64::from(self.nanos) - i64::from(other.nanos))
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let clock = Clock::of(self.seconds + i64::from(self.offset));
        let Clock { year, month, day, hour, minute, second, .. } = clock;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.nanos > 0 {
            let digits = format!("{:09}", self.nanos);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let (sign, minutes) = (if self.offset < 0 { '-' } else { '+' }, self.offset.abs() / 60);
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

impl Clock {
    fn of(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
        // Years begin in March here, so that a leap day is the last day of one.
        let shifted = days + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month,
            day,
            day_of_year: days - days_before(year, 1, 1),
            weekday: (days + 4).rem_euclid(7),
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }
}

/// The days from 1970 to a date.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn number(digits: &str, max: i64) -> Option<i64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number <= max)
}

fn days_of_date(date: &str) -> Option<i64> {
    let bytes = date.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) =
        (number(date.get(..4)?, 9999)?, number(date.get(5..7)?, 12)?, number(date.get(8..)?, 31)?);
    if month == 0 || day == 0 {
        return None;
    }
    let days = days_before(year, month, day);
    let clock = Clock::of(days * DAY_SECONDS);
    ((clock.month, clock.day) == (month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for text in [
            "2021-03-04T05:06:07Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "2024-02-29T01:02:03.5+01:30",
        ] {
            assert_eq!(Time::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["1000-00-00T00:00:00Z", "1000-01-01T00:00:00ZZ", "2023-02-29T00:00:00Z", "2021-01-01", ""]
        {
            assert!(Time::parse(text).is_none(), "{text}");
        }
        let clock = Time::parse("2021-03-04T23:06:07Z").unwrap().clock(Some("+02:00")).unwrap();
        assert_eq!((clock.day, clock.hour, clock.day_of_year, clock.weekday), (5, 1, 63, 5));
        let new_york = Time::parse("2021-07-04T23:06:07Z").unwrap().clock(Some("America/New_York"));
        assert!(new_york.is_err() || new_york.is_ok_and(|clock| clock.hour == 19));
        assert!(Time::parse("2021-07-04T23:06:07Z").unwrap().clock(Some("Mars")).is_err());
    }
}
