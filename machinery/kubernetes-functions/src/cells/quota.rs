//! Cells of ResourceQuotas.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// How much is requested and counted, of how much that is allowed.
pub fn requests(status: Value<'_>, _: Time) -> Cell {
    used(status, false)
}

/// How much is the sum of all limits, of how much that is allowed.
pub fn limits(status: Value<'_>, _: Time) -> Cell {
    used(status, true)
}

fn used(status: Value<'_>, limits: bool) -> Cell {
    let used = status.get("used");
    let of = |(name, hard): (&str, Value<'_>)| {
        let used = used.member(name);
        let used = if used.is_present() { used.shown() } else { "0".to_owned() };
        format!("{name}: {used}/{}", hard.shown())
    };
    let all = status.get("hard").entries().into_iter();
    let shown: Vec<String> = all.filter(|(name, _)| name.starts_with("limits.") == limits).map(of).collect();
    Cell::Text(shown.join(", "))
}
