//! Answers of the API server and ours.

use std::collections::BTreeSet;

use hubgen_validation::{FieldError, Schema};
use serde_json::{Map, Value, json};

use super::cases::Case;
use super::definition::Definition;

/// An answer of the API server.
pub struct Answer {
    pub code: u64,
    /// Reason, field and message of each cause.
    pub causes: BTreeSet<(String, String, String)>,
    /// The message, if there are no causes.
    pub message: String,
    /// The paths of unknown fields.
    pub unknown: BTreeSet<String>,
    /// The object as it is stored, without its metadata.
    pub object: Value,
}

impl Answer {
    pub fn of_json(json: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |name: &str| json.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let cause = |cause: &Value| (text(&cause["reason"]), text(&cause["field"]), text(&cause["message"]));
        Self {
            code: json["code"].as_u64().unwrap(),
            causes: list("causes").iter().map(cause).collect(),
            message: text(&json["message"]),
            unknown: list("unknown").iter().map(text).collect(),
            object: json["object"].clone(),
        }
    }

    pub fn to_json(&self) -> Value {
        let cause = |(reason, field, message): &(String, String, String)| json!({"reason": reason, "field": field, "message": message});
        let mut out = json!({"code": self.code});
        if !self.causes.is_empty() {
            out["causes"] = self.causes.iter().map(cause).collect();
        } else if !self.message.is_empty() {
            out["message"] = self.message.clone().into();
        }
        if !self.unknown.is_empty() {
            out["unknown"] = self.unknown.iter().map(String::as_str).collect();
        }
        if !self.object.is_null() {
            out["object"] = self.object.clone();
        }
        out
    }
}

/// What this crate finds.
pub struct Ours {
    errors: Vec<FieldError>,
    unknown: Vec<String>,
    object: Value,
}

/// Does with an object what the API server does with a new one.
pub fn ours(case: &Case<'_>) -> Ours {
    let Definition { schema, has_status, .. } = case.definition;
    let mut object = case.object.clone();
    let unknown = schema.prune(&mut object);
    schema.drop_nulls(&mut object);
    schema.set_defaults(&mut object);
    if *has_status {
        object.as_object_mut().unwrap().shift_remove("status");
    }
    let errors = schema.validate(&object).err().map(|errors| errors.to_vec()).unwrap_or_default();
    // What is read from the store has defaults, too: a status that was dropped may have one.
    schema.set_defaults(&mut object);
    object.as_object_mut().unwrap().shift_remove("metadata");
    Ours { errors, unknown, object }
}

pub enum Verdict {
    Equal,
    Different(String),
}

fn causes(errors: &[FieldError]) -> BTreeSet<(String, String, String)> {
    let cause =
        |error: &FieldError| (error.reason.as_str().to_owned(), error.field.clone(), error.message.clone());
    errors.iter().map(cause).collect()
}

pub fn compare(ours: &Ours, theirs: &Answer) -> Verdict {
    let own = causes(&ours.errors);
    let different = |what: &str| {
        let line = |(reason, field, message): &(String, String, String)| {
            format!("\n    {reason} {field}: {message}")
        };
        let only =
            |one: &BTreeSet<_>, other: &BTreeSet<_>| one.difference(other).map(line).collect::<String>();
        let message = if theirs.causes.is_empty() { theirs.message.as_str() } else { "" };
        Verdict::Different(format!(
            "  {what}\n  only ours:{}\n    {}\n  only theirs:{}\n    {message} {}",
            only(&own, &theirs.causes),
            ours.object,
            only(&theirs.causes, &own),
            theirs.object
        ))
    };
    match theirs.code {
        400 => {
            // Metadata of a wrong type is not even decoded.
            let is_named = ours.errors.iter().any(|error| theirs.message.contains(&error.to_string()));
            return if is_named { Verdict::Equal } else { different("400") };
        }
        201 | 422 => {}
        code => return different(&code.to_string()),
    }
    let unknown: BTreeSet<String> = ours.unknown.iter().cloned().collect();
    if unknown != theirs.unknown {
        return different(&format!("unknown fields: ours {unknown:?}, theirs {:?}", theirs.unknown));
    }
    if theirs.code == 201 && own.is_empty() && !same(&ours.object, &theirs.object) {
        return different("the object");
    }
    if own == theirs.causes {
        return Verdict::Equal;
    }
    different("causes")
}

/// Whether two values are equal, where a whole number may have a fraction.
fn same(one: &Value, other: &Value) -> bool {
    let members = |one: &Map<String, Value>, other: &Map<String, Value>| {
        one.len() == other.len()
            && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same(one, other)))
    };
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => members(one, other),
        _ => one == other,
    }
}

/// Compares the errors of a schema that the API server refuses.
pub fn compare_refusal(schema: &Value, theirs: &Answer) -> Option<String> {
    let errors = Schema::compile(schema).err().map(|errors| errors.to_vec()).unwrap_or_default();
    let own = causes(&errors);
    (theirs.code != 422 || own != theirs.causes).then(|| {
        format!(
            "{schema}\n  ours: {own:#?}\n  theirs: {} {} {:#?}",
            theirs.code, theirs.message, theirs.causes
        )
    })
}
