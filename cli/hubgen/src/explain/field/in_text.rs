//! A field as text for people.

use std::fmt::Write as _;

use hubgen_documents::archive::{Fact, Told};

use super::elsewhere::{AtVersion, Elsewhere};
use super::{Element, FactThen};

/// The width of the first column.
const COLUMN: usize = 18;

/// Lines about a field, or about a kind at a version.
pub fn show(element: &Element) -> String {
    let Element { api_version, kind, path, release, newest, range, .. } = element;
    let dot = if path.0.is_empty() { "" } else { "." };
    let mut out = format!("{api_version} {kind}{dot}{path}");
    if release != newest {
        let _ = write!(out, " in {release}");
    }
    out.push('\n');
    let mut lines: Vec<(String, Vec<String>)> =
        vec![("type".to_owned(), vec![element.ty.clone()]), ("releases".to_owned(), vec![range.to_string()])];
    lines.extend(element.facts.iter().filter(|fact| is_worth_a_line(fact)).map(fact));
    lines.extend(element.preferred.iter().map(|version| ("preferred".to_owned(), vec![version.clone()])));
    if !element.defaults.is_empty() {
        let defaults = element.defaults.iter().map(|default| {
            let below = if default.below.is_empty() { String::new() } else { format!("{} ", default.below) };
            let when =
                if default.when.is_empty() { String::new() } else { format!(" when {}", default.when) };
            format!("{below}{}{when}", default.value)
        });
        lines.push((format!("set by {newest}"), defaults.collect()));
    }
    let fields = element.fields.iter().filter(|(.., is_there)| *is_there);
    let later = |since| element.range.since < since;
    let fields = fields.map(|(name, range, _)| {
        let differs = later(range.since) || range.until.is_some() && range.until != element.range.until;
        if differs { format!("{name} ({range})") } else { name.clone() }
    });
    lines.push(("fields".to_owned(), fields.collect()));
    match &element.elsewhere {
        None => lines.push(("conversion".to_owned(), vec!["none: the kind has no other version".to_owned()])),
        Some(elsewhere) => lines.extend(conversion(element, elsewhere)),
    }
    for (name, texts) in lines {
        for (index, text) in texts.iter().enumerate() {
            let name = if index == 0 { &*name } else { "" };
            let _ = writeln!(out, "  {name:COLUMN$}{text}");
        }
    }
    out
}

/// What is not so and never was needs no line, but that a field is not required.
fn is_worth_a_line(FactThen { fact, told, past, .. }: &FactThen) -> bool {
    let is_nothing = match told {
        Told::Flag(flag) => !flag && *fact != Fact::Required,
        Told::Text(text) => text.is_empty(),
        Told::Words(words) => words.is_empty() && *fact != Fact::Verbs,
    };
    // The type is on a line of its own.
    !past.is_empty() || *fact != Fact::Type && !is_nothing
}

fn fact(FactThen { part, fact, told, past, last }: &FactThen) -> (String, Vec<String>) {
    let name = match fact {
        Fact::Type => "earlier types",
        Fact::Default => "published default",
        Fact::Words => "published words",
        Fact::ListType => "list type",
        Fact::ShortNames => "short names",
        other => other.name(),
    };
    let name = part.as_ref().map_or_else(|| name.to_owned(), |part| format!("{part} {name}"));
    let is_other = |earlier: &Told| *fact == Fact::Type || earlier != told;
    let earlier = past.iter().filter(|(_, earlier)| is_other(earlier));
    let earlier: Vec<String> =
        earlier.map(|(until, told)| format!("{} until {until}", fact.shown(told))).collect();
    if *fact == Fact::Type {
        return (name, earlier);
    }
    let mut text = fact.shown(told);
    if !earlier.is_empty() {
        let _ = write!(text, " ({})", earlier.join(", "));
    }
    let mut texts = vec![text];
    if told != last {
        texts.push(format!(
            "{} after {}",
            fact.shown(last),
            past.last().map_or_else(String::new, |(until, _)| until.to_string())
        ));
    }
    (name, texts)
}

fn conversion(element: &Element, elsewhere: &Elsewhere) -> Vec<(String, Vec<String>)> {
    let Elsewhere { hub, in_hub, rules, versions } = elsewhere;
    let is_kind = element.path.0.is_empty();
    let mut own = vec![match &**in_hub {
        _ if is_kind => format!("through {hub}"),
        [] => format!("none in the hub, {hub}"),
        paths => {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            format!("{} in the hub, {hub}", paths.join(", "))
        }
    }];
    own.extend(rules.iter().map(|rule| format!("  rule: {rule}")));
    let width = versions.iter().map(|version| version.api_version.len()).max().unwrap_or_default();
    let mut others = Vec::new();
    for AtVersion { api_version, fields, rules } in versions {
        let there: Vec<String> = fields
            .iter()
            .map(|(path, range)| if is_kind { range.to_string() } else { format!("{path} ({range})") })
            .collect();
        let there = match &*there {
            [] if in_hub.is_empty() => "none".to_owned(),
            [] => "none: an annotation keeps it".to_owned(),
            there => there.join(", "),
        };
        others.push(format!("{api_version:width$}  {there}"));
        others.extend(rules.iter().map(|rule| format!("{:width$}  rule: {rule}", "")));
    }
    vec![("conversion".to_owned(), own), ("other versions".to_owned(), others)]
}
