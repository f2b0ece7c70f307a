//! Scalars in another form than their own.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// An integer as text.
pub fn digits(value: Value<'_>, _: Time) -> Cell {
    Cell::Text(if value.is_present() { value.integer().to_string() } else { "<unset>".to_owned() })
}

/// A boolean as `True` or `False`.
pub fn capitalized(value: Value<'_>, _: Time) -> Cell {
    Cell::text(match (value.is_present(), value.is_true()) {
        (false, _) => "<unset>",
        (true, true) => "True",
        (true, false) => "False",
    })
}
