//! Reads one file of defaults.

use std::ops::Range;

use hubgen_model::defaults::DefaultStep;
use hubgen_model::rules::At;
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::{TypeDefaults, VersionDefaults, key};
use crate::table::{Reader, Value, group_version};
use crate::{Diagnostic, Source};

/// The key whose value lists functions to call.
const CALL: &str = "call";

pub fn document(source: &Source, errors: &mut Vec<Diagnostic>) -> Vec<VersionDefaults> {
    let mut reader = Reader::new(source, errors);
    let document = match DeTable::parse(source.text()) {
        Ok(document) => document.into_inner(),
        Err(error) => {
            let help = "write valid TOML, with each table and key once";
            reader.error(error.span().unwrap_or(0..0), error.message(), help);
            return Vec::new();
        }
    };
    let group = source.file().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut versions = Vec::new();
    for (key, value) in &document {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            let Some(parsed) = group_version(name).filter(|parsed| parsed.group_or_core() == group) else {
                let help =
                    format!("this file contains defaults of {group}: expected one of its versions, such as [\"{group}/v1\"]");
                return reader.error(key.span(), format!("`{name}` is not a version of {group}"), help);
            };
            let mut version =
                VersionDefaults { name: At::new(parsed, key.span()), like: None, types: Vec::new() };
            for (key, value) in reader.table(value).into_iter().flatten() {
                let name = key.get_ref().as_ref();
                reader.below(name, |reader| match name {
                    "like" => version.like = reader.group_version(value),
                    _ => version.types.push(type_defaults(reader, name, key.span(), value)),
                });
            }
            versions.push(version);
        });
    }
    versions
}

fn type_defaults(reader: &mut Reader<'_>, name: &str, span: Range<usize>, value: &Value<'_>) -> TypeDefaults {
    let mut steps = Vec::new();
    for (key, value) in reader.table(value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            if name == CALL {
                let functions = reader.array(value).into_iter().flat_map(|array| array.iter());
                steps.extend(
                    functions
                        .filter_map(|value| reader.string(value))
                        .map(|function| At::new(DefaultStep::Call(function.value), function.span)),
                );
                return;
            }
            match key::parse(name) {
                Err((message, help)) => reader.error(key.span(), message, help),
                Ok((path, when)) => {
                    if let Some(value) = json(reader, value) {
                        steps.push(At::new(DefaultStep::Set { path, value, when }, key.span()));
                    }
                }
            }
        });
    }
    TypeDefaults { name: name.to_owned(), span, steps }
}

/// Converts a TOML value to JSON.
fn json(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Json> {
    Some(match value.get_ref() {
        DeValue::String(text) => Json::from(text.as_ref()),
        DeValue::Boolean(value) => Json::from(*value),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Json::from(number),
            Err(error) => {
                reader.error(
                    value.span(),
                    format!("`{number}` is not an integer: {error}"),
                    "expected a 64 bit integer",
                );
                return None;
            }
        },
        DeValue::Float(number) => {
            match number.as_str().parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
                Some(number) => Json::Number(number),
                None => {
                    reader.error(value.span(), format!("`{number}` is not a number in JSON"), "");
                    return None;
                }
            }
        }
        DeValue::Datetime(_) => {
            reader.error(value.span(), "a time is not a JSON value", "write the time as a string");
            return None;
        }
        DeValue::Array(elements) => {
            Json::Array(elements.iter().map(|element| json(reader, element)).collect::<Option<_>>()?)
        }
        DeValue::Table(members) => {
            let members =
                members.iter().map(|(key, value)| Some((key.get_ref().to_string(), json(reader, value)?)));
            Json::Object(members.collect::<Option<_>>()?)
        }
    })
}
