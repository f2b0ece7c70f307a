//! The differences that are meant, as docs/differences.md lists them: by name,
//! and by what they look like.

use hubgen_kubernetes::machinery::reflect::Field;
use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::Value;

use super::record::Record;
use super::served;

/// What was asked.
pub struct Case<'a> {
    /// What the object is.
    pub from: &'static KindEntry,
    /// What it becomes; the same where it is only defaulted.
    pub to: &'static KindEntry,
    /// The request and all its answers.
    pub record: &'a Record,
}

/// A field and the struct that it is in.
pub type Owned = (&'static str, &'static Field);

/// Where two answers differ.
pub struct Place<'a> {
    /// `spec.containers[0].image`; empty for the whole.
    pub path: String,
    /// The value there; `null` for none.
    pub theirs: &'a Value,
    /// Our value; `null` for none.
    pub ours: &'a Value,
    /// The field that holds it, itself or as an element.
    pub field: Option<Owned>,
    /// Why one of the two refused.
    pub refused: Option<&'a str>,
}

/// A difference that is meant.
struct Difference {
    /// The heading in docs/differences.md.
    name: &'static str,
    applies: fn(&Case<'_>, &Place<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "Fields of older releases stay",
        applies: |_, place| {
            place.theirs.is_null() && place.field.is_some_and(|(_, field)| field.facts.until.is_some())
        },
    },
    Difference {
        name: "What is absent and has no default stays absent",
        applies: |case, place| !case.record.default && place.ours.is_null() && is_zero(place.theirs),
    },
];

/// What Go shows of a value that nobody has set.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}

/// The name of the difference that explains it.
pub fn listed(case: &Case<'_>, place: &Place<'_>) -> Option<&'static str> {
    let difference = DIFFERENCES.iter().find(|difference| (difference.applies)(case, place));
    difference.map(|difference| difference.name).or_else(|| served::set_by(case, place))
}
