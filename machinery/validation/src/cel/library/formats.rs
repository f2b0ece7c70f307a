//! The named formats: `format.uuid()` and the others.

use crate::format::Format;
use crate::names;

/// A format that expressions can check texts by.
#[derive(Debug)]
pub(crate) struct NamedFormat {
    /// The function: `format.` comes before it.
    pub(crate) function: &'static str,
    /// The length of the pattern that upstream takes for the cost of a check.
    pub(crate) pattern_size: u64,
    /// What is wrong with a text.
    pub(crate) mistakes: fn(&str) -> Vec<String>,
}

const fn format(function: &'static str, pattern_size: u64, mistakes: fn(&str) -> Vec<String>) -> NamedFormat {
    NamedFormat { function, pattern_size, mistakes }
}

pub(crate) static ALL: [NamedFormat; 13] = [
    format("dns1123Label", 30, names::dns_label_mistakes),
    format("dns1123Subdomain", 60, names::subdomain_mistakes),
    format("dns1035Label", 30, names::dns_1035_label_mistakes),
    format("qualifiedName", 60, names::label_key_mistakes),
    format("dns1123LabelPrefix", 30, |text| names::dns_label_mistakes(&prefix(text))),
    format("dns1123SubdomainPrefix", 60, |text| names::subdomain_mistakes(&prefix(text))),
    format("dns1035LabelPrefix", 30, |text| names::dns_1035_label_mistakes(&prefix(text))),
    format("labelValue", 40, names::label_value_mistakes),
    format("uri", 1103, |text| match is(text, "uri") {
        true => Vec::new(),
        false => vec![format!("parse {}: invalid URI for request", crate::text::quoted(text))],
    }),
    format("uuid", 70, |text| unless(is(text, "uuid"), "does not match the UUID format")),
    format("byte", 84, |text| unless(is(text, "byte"), "invalid base64")),
    format("date", 71, |text| unless(is(text, "date"), "invalid date")),
    format("datetime", 71, |text| unless(is(text, "date-time"), "invalid datetime")),
];

pub(crate) fn named(function: &str) -> Option<&'static NamedFormat> {
    ALL.iter().find(|format| format.function == function)
}

fn is(text: &str, format: &str) -> bool {
    Format::named(format).is_some_and(|format| format.accepts(text))
}

fn unless(is_right: bool, mistake: &str) -> Vec<String> {
    if is_right { Vec::new() } else { vec![mistake.to_owned()] }
}

/// A name that begins so; something will follow a dash at its end.
fn prefix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => format!("{rest}a"),
        _ => text.to_owned(),
    }
}
