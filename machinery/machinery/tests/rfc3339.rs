//! Times of chrono as leaves.

#![cfg(feature = "chrono")]

use chrono::{DateTime, Utc};
use hubgen_machinery::{ApiType, Leaf, Rfc3339, json};

#[derive(ApiType)]
#[leaf(text, format = "date-time", expects = "a time of RFC 3339", examples("2006-01-02T15:04:05.5Z"))]
struct Instant(Leaf<Rfc3339>);

#[derive(ApiType)]
struct Event {
    at: Instant,
}

fn event(at: &str) -> Result<Event, String> {
    json::decode(format!(r#"{{"at": "{at}"}}"#).as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn the_text_stays_until_a_time_is_set() {
    for text in ["2006-01-02T15:04:05.250+01:00", "2006-01-02t15:04:05z", "2006-01-02T15:04:05.123456789Z"] {
        let mut event = event(text).unwrap();
        assert_eq!(event.at.as_str(), text);
        let at: DateTime<Utc> = **event.at.get().unwrap();
        event.at = Rfc3339::from(at).into();
        assert_eq!(event.at.as_str().parse::<Rfc3339>(), Ok(Rfc3339(at)));
        assert!(event.at.as_str().ends_with('Z') && !event.at.as_str().contains(' '), "{text}");
    }
}

#[test]
fn other_texts_are_refused_with_their_path() {
    for text in ["2006-01-02 15:04:05 UTC", "2006-01-02", "now"] {
        let error = event(text).map(|_| ()).unwrap_err();
        assert!(error.contains("at: expected a time of RFC 3339, found "), "{error}");
    }
}
