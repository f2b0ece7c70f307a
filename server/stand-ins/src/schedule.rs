//! When a CronJob is due.
//!
//! The rules are those of the library robfig/cron, by which Kubernetes runs CronJobs. They differ from those of other readers of
//! crontabs in what a day has to be, in names, and in `@every`, so this is code of our own.

use hubgen_machinery::scalar::Duration;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};

/// The bit of a field that begins with a star: the days of the month and of the week have both to match then.
const STAR: u64 = 1 << 63;
/// After how many years without a match there is none, such as on the 31st of February.
const YEARS: i16 = 5;
/// How far back the last time is looked for, in hours: a step of more is taken if there is none.
const BACK: [i64; 4] = [1, 24, 24 * 32, 24 * 366];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The names of schedules.
const NAMED: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// The times of a CronJob.
#[derive(Clone, Debug)]
pub(crate) enum Schedule {
    /// Again after a time.
    Every(SignedDuration),
    /// By the calendar of a zone.
    Calendar(Box<Calendar>),
}

/// The minutes that match, as sets of bits.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    zone: TimeZone,
}

impl Schedule {
    /// Reads a schedule such as `*/5 0-6 * * mon-fri`, `@daily` or `@every 90m`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str, zone: TimeZone) -> Result<Self, String> {
        if let Some(every) = text.strip_prefix("@every ") {
            let every: Duration = every.parse().map_err(|error| format!("{error}"))?;
            // Neither less than a second nor parts of one.
            return Ok(Self::Every(SignedDuration::from_secs((every.0 / 1_000_000_000).max(1))));
        }
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, fields)| *fields);
        let fields: Vec<&str> = named.unwrap_or(text).split_whitespace().collect();
        let &[minutes, hours, days, months, weekdays] = &fields[..] else {
            let found = fields.len();
            return Err(format!("expected 5 fields, or a name such as @daily, found {found} fields"));
        };
        Ok(Self::Calendar(Box::new(Calendar {
            minutes: field(minutes, 0, 59, &[])?,
            hours: field(hours, 0, 23, &[])?,
            days: field(days, 1, 31, &[])?,
            months: field(months, 1, 12, &MONTHS)?,
            weekdays: field(weekdays, 0, 6, &DAYS)?,
            zone,
        })))
    }

    /// The first time after another one; `None` if there is none.
    pub(crate) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Every(every) => Timestamp::from_second(after.as_second()).ok()?.checked_add(*every).ok(),
            Self::Calendar(calendar) => calendar.next(after),
        }
    }

    /// The last time after one and not after another one; `None` if there is none.
    pub(crate) fn last(&self, after: Timestamp, now: Timestamp) -> Option<Timestamp> {
        if let Self::Every(every) = self {
            let elapsed = now.as_second() - after.as_second();
            let times = elapsed.div_euclid(every.as_secs());
            let last = after.as_second().checked_add(times.checked_mul(every.as_secs())?)?;
            return Timestamp::from_second(last).ok().filter(|_| times > 0);
        }
        // Near the end first, so that few times are gone through after a long time.
        let begin =
            |hours: &i64| now.checked_sub(SignedDuration::from_hours(*hours)).unwrap_or(after).max(after);
        let in_time = |time: &Timestamp| *time <= now;
        let mut begins = BACK.iter().map(begin).chain([after]);
        let first = begins.find_map(|begin| self.next(begin).filter(in_time))?;
        std::iter::successors(Some(first), |time| self.next(*time).filter(in_time)).last()
    }
}

impl Calendar {
    fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let mut at = after.to_zoned(self.zone.clone());
        at = at.checked_add((60 - i64::from(at.second())).seconds()).ok()?;
        at = at.with().second(0).subsec_nanosecond(0).build().ok()?;
        let last = at.year() + YEARS;
        while at.year() <= last {
            let has = |set: u64, bit: i8| set & (1 << bit) != 0;
            at = if !has(self.months, at.month()) {
                at.first_of_month().and_then(|first| first.checked_add(1.month())?.start_of_day()).ok()?
            } else if !self.is_day(&at) {
                at.tomorrow().and_then(|tomorrow| tomorrow.start_of_day()).ok()?
            } else if !has(self.hours, at.hour()) {
                // An hour later, also where clocks are changed.
                at.checked_add((60 - i64::from(at.minute())).minutes()).ok()?
            } else if !has(self.minutes, at.minute()) {
                at.checked_add(1.minute()).ok()?
            } else {
                return Some(at.timestamp());
            };
        }
        None
    }

    fn is_day(&self, at: &Zoned) -> bool {
        let of_month = self.days & (1 << at.day()) != 0;
        let of_week = self.weekdays & (1 << at.weekday().to_sunday_zero_offset()) != 0;
        if (self.days | self.weekdays) & STAR != 0 { of_month && of_week } else { of_month || of_week }
    }
}

/// The numbers of a field: a list of ranges, each perhaps with a step. Names are in the order of the numbers.
fn field(text: &str, first: u32, last: u32, names: &[&str]) -> Result<u64, String> {
    let mut all = 0;
    for range in text.split(',').filter(|range| !range.is_empty()) {
        all |= numbers(range, first, last, names).ok_or_else(|| {
            format!(
                "expected *, or numbers from {first} to {last} such as {first}, {first}-{last} or */2, found {range:?}"
            )
        })?;
    }
    Ok(all)
}

fn numbers(text: &str, first: u32, last: u32, names: &[&str]) -> Option<u64> {
    let number = |text: &str| {
        let named = (first..).zip(names).find(|(_, name)| name.eq_ignore_ascii_case(text));
        named.map(|(number, _)| number).or_else(|| text.parse().ok())
    };
    let (range, step) = match text.split_once('/') {
        Some((range, step)) => (range, Some(step.parse::<u32>().ok().filter(|step| *step > 0)?)),
        None => (text, None),
    };
    let parts: Vec<&str> = range.split('-').collect();
    let is_star = ["*", "?"].contains(&parts[0]);
    let (low, high) = match parts[..] {
        _ if is_star => (first, last),
        // With a step, it goes on to the end.
        [low] if step.is_some() => (number(low)?, last),
        [one] => (number(one)?, number(one)?),
        [low, high] => (number(low)?, number(high)?),
        _ => return None,
    };
    if low < first || high > last || low > high {
        return None;
    }
    let step = step.unwrap_or(1);
    let star = if is_star && step == 1 { STAR } else { 0 };
    Some((low..=high).step_by(step as usize).fold(star, |all, number| all | 1 << number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(text: &str) -> Schedule {
        Schedule::parse(text, TimeZone::UTC).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// By the rules of robfig/cron 3.0.1.
    #[test]
    fn the_next_time_is_that_of_kubernetes() {
        const SUNDAY: &str = "2026-11-29T13:05:30Z";
        for (text, next) in [
            ("* * * * *", "2026-11-29T13:06:00Z"),
            ("*/15 * * * *", "2026-11-29T13:15:00Z"),
            ("5/20 * * * *", "2026-11-29T13:25:00Z"),
            ("0 0 * * *", "2026-11-30T00:00:00Z"),
            ("30 4 1,15 * 5", "2026-12-01T04:30:00Z"),
            ("0 0 */2 * mon", "2026-11-30T00:00:00Z"),
            ("0 0 * * SUN", "2026-12-06T00:00:00Z"),
            ("0 12 13 * fri", "2026-12-04T12:00:00Z"),
            ("0 12 ? * tue-thu", "2026-12-01T12:00:00Z"),
            ("0 0 29 2 *", "2028-02-29T00:00:00Z"),
            ("59 23 31 dec ?", "2026-12-31T23:59:00Z"),
            ("@hourly", "2026-11-29T14:00:00Z"),
            ("@daily", "2026-11-30T00:00:00Z"),
            ("@weekly", "2026-12-06T00:00:00Z"),
            ("@monthly", "2026-12-01T00:00:00Z"),
            ("@yearly", "2027-01-01T00:00:00Z"),
            ("@every 1h30m", "2026-11-29T14:35:30Z"),
            ("@every 10ms", "2026-11-29T13:05:31Z"),
        ] {
            assert_eq!(schedule(text).next(at(SUNDAY)), Some(at(next)), "{text}");
        }
        assert_eq!(schedule("0 0 31 2 *").next(at(SUNDAY)), None);
        assert_eq!(schedule("* * * * *").next(at("2026-11-29T13:05:00Z")), Some(at("2026-11-29T13:06:00Z")));
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 7",
            "*/0 * * * *",
            "5-1 * * * *",
            "a * * * *",
            "1-2-3 * * * *",
            "1/2/3 * * * *",
            "-1 * * * *",
            "@never",
            "@every",
            "@every soon",
        ] {
            assert!(Schedule::parse(text, TimeZone::UTC).is_err(), "{text:?}");
        }
        let error = Schedule::parse("* * * 13 *", TimeZone::UTC).unwrap_err();
        assert_eq!(error, "expected *, or numbers from 1 to 12 such as 1, 1-12 or */2, found \"13\"");
    }

    #[test]
    fn the_last_time_is_the_last_of_all_next_ones() {
        for text in ["* * * * *", "*/7 * * * *", "30 6-16/4 * * 1-5", "@monthly", "0 0 1 1 *", "@every 100m"]
        {
            let schedule = schedule(text);
            for [after, now] in [
                ["2026-01-01T00:00:30Z", "2026-01-01T00:00:40Z"],
                ["2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"],
                ["2026-01-01T00:00:30Z", "2026-01-04T05:00:00Z"],
                ["2026-01-01T00:00:30Z", "2026-02-15T11:22:33Z"],
                ["2026-01-31T00:00:00Z", "2027-12-31T23:59:59Z"],
            ]
            .map(|times| times.map(at))
            {
                let times = std::iter::successors(schedule.next(after), |time| schedule.next(*time));
                let expected = times.take_while(|time| *time <= now).last();
                assert_eq!(schedule.last(after, now), expected, "{text} {after} {now}");
            }
        }
    }

    #[test]
    fn days_are_those_of_the_zone() {
        let Ok(zone) = TimeZone::get("America/New_York") else {
            println!("left out: this machine has no time zones");
            return;
        };
        let schedule = Schedule::parse("30 2 * * *", zone).unwrap();
        assert_eq!(schedule.next(at("2026-11-29T00:00:00Z")), Some(at("2026-11-29T07:30:00Z")));
        // In that night, there is no half past two.
        assert_eq!(schedule.next(at("2026-03-07T08:00:00Z")), Some(at("2026-03-09T06:30:00Z")));
    }
}
