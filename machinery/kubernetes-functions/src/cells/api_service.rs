//! Cells of APIServices.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The service that serves the group version.
pub fn service(service: Value<'_>, _: Time) -> Cell {
    Cell::Text(match service.is_present() {
        true => format!("{}/{}", service.get("namespace").text(), service.get("name").text()),
        false => "Local".to_owned(),
    })
}

/// Whether it can be reached, and why not.
pub fn available(conditions: Value<'_>, _: Time) -> Cell {
    let mut conditions = conditions.items();
    let Some(available) = conditions.find(|condition| condition.get("type").text() == "Available") else {
        return Cell::text("Unknown");
    };
    let (status, reason) = (available.get("status").text(), available.get("reason").text());
    Cell::Text(match reason {
        "" => status.to_owned(),
        _ if status == "True" => status.to_owned(),
        reason => format!("{status} ({reason})"),
    })
}
