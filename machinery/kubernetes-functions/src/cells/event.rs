//! Cells of Events.

use hubgen_machinery::columns::{Cell, Value, age};
use hubgen_machinery::scalar::Time;

/// When it was seen last.
pub fn last_seen(event: Value<'_>, now: Time) -> Cell {
    let series = event.get("series");
    let last = if series.is_present() {
        series.get("lastObservedTime").time()
    } else {
        event.get("lastTimestamp").time().or_else(|| first(event))
    };
    ago(last, now)
}

/// When it was seen first.
pub fn first_seen(event: Value<'_>, now: Time) -> Cell {
    ago(first(event), now)
}

fn first(event: Value<'_>) -> Option<Time> {
    event.get("firstTimestamp").time().or_else(|| event.get("eventTime").time())
}

fn ago(since: Option<Time>, now: Time) -> Cell {
    Cell::Text(since.map_or_else(|| "<unknown>".to_owned(), |since| age(since, now)))
}

/// How often it was seen.
pub fn count(event: Value<'_>, _: Time) -> Cell {
    let series = event.get("series");
    if series.is_present() {
        return Cell::Integer(series.get("count").integer());
    }
    // Events that are seen once have no number.
    Cell::Integer(match event.get("count").integer() {
        0 => 1,
        count => count,
    })
}

/// The object that it is about.
pub fn object(object: Value<'_>, _: Time) -> Cell {
    let (kind, name) = (object.get("kind").text().to_lowercase(), object.get("name").text());
    Cell::Text(if name.is_empty() { kind } else { format!("{kind}/{name}") })
}

/// Who reported it, and where.
pub fn source(event: Value<'_>, _: Time) -> Cell {
    let either = |one: &str, other: &str| {
        let one = event.get(one).text();
        if one.is_empty() { event.get(other).text() } else { one }
    };
    let component = either("source.component", "reportingComponent");
    let place = either("source.host", "reportingInstance");
    Cell::Text(if place.is_empty() { component.to_owned() } else { format!("{component}, {place}") })
}

/// Its message.
pub fn message(message: Value<'_>, _: Time) -> Cell {
    Cell::text(message.text().trim())
}
