//! Reads one file of behaviour.

use std::ops::Range;
use std::time::Duration;

use hubgen_model::behaviour::{Deprecation, Generation, NameForm, Priority, SelectableField};
use hubgen_model::rules::{At, FieldPath};
use hubgen_model::{GroupVersionKind, Release};
use toml::de::{DeTable, DeValue};

use super::{DEPRECATED, Document, Fact, KindFacts, METADATA, NEVER_OWNER, ORPHANS, SELECTABLE_FIELDS};
use crate::table::{Reader, Value, group_version};
use crate::{Diagnostic, Source};

/// The table about the group itself. Kinds begin with a capital letter.
const GROUP: &str = "group";
/// The priority of a group before all others.
const FIRST: &str = "first";

pub fn document(source: Source, errors: &mut Vec<Diagnostic>) -> Document {
    let group = source.file().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let mut out =
        Document { source: source.clone(), group, priority: None, versions: Vec::new(), kinds: Vec::new() };
    let mut reader = Reader::new(&source, errors);
    let document = match DeTable::parse(source.text()) {
        Ok(document) => document.into_inner(),
        Err(error) => {
            let help = "write valid TOML, with each table and key once";
            reader.error(error.span().unwrap_or(0..0), error.message(), help);
            return out;
        }
    };
    for (key, value) in &document {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            if name == GROUP {
                if let Some((priority, versions)) = priority(reader, value) {
                    (out.priority, out.versions) = (Some(At::new(priority, key.span())), versions);
                }
            } else if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                out.kinds.extend(kind(reader, At::new(name.to_owned(), key.span()), value));
            } else {
                let message = format!("`{name}` is neither `{GROUP}` nor a kind");
                reader.error(key.span(), message, "write the name of a kind as objects do: [Deployment]");
            }
        });
    }
    out
}

/// Reads the priorities of a group, and where those of versions are.
fn priority(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<(Priority, Vec<Range<usize>>)> {
    let table = reader.table(value)?;
    reader.only(table, &["priority", "versions"]);
    let (mut priority, mut spans) = (Priority::default(), Vec::new());
    if let Some(value) = table.get("priority") {
        priority.group = reader.below("priority", |reader| match value.get_ref().as_str() {
            Some(FIRST) => Some(Priority::FIRST),
            Some(other) => {
                let message = format!("`{other}` is not a priority");
                reader.error(value.span(), message, format!("expected a number, or \"{FIRST}\""));
                None
            }
            None => number(reader, value),
        });
    }
    if let Some(value) = table.get("versions") {
        reader.below("versions", |reader| {
            for (version, value) in reader.table(value).into_iter().flatten() {
                let name = version.get_ref().as_ref();
                reader.below(name, |reader| {
                    if let Some(number) = number(reader, value) {
                        priority.versions.push((name.to_owned(), number));
                        spans.push(version.span());
                    }
                });
            }
        });
    }
    if table.is_empty() {
        reader.error(value.span(), "the table is empty", "write `priority` or `versions`, or remove it");
    }
    Some((priority, spans))
}

/// A number that can be a priority or a time.
fn number(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<u32> {
    let number = reader.integer(value)?;
    let small = u32::try_from(number).ok().filter(|small| (1..u32::MAX).contains(small));
    if small.is_none() {
        let help = format!("expected a number from 1 to {}", u32::MAX - 1);
        reader.error(value.span(), format!("{number} is out of range"), help);
    }
    small
}

fn kind(reader: &mut Reader<'_>, name: At<String>, value: &Value<'_>) -> Option<KindFacts> {
    let table = reader.table(value)?;
    let mut out = KindFacts { name, facts: Vec::new(), versions: Vec::new() };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            if value.get_ref().as_table().is_none() || name == DEPRECATED {
                out.facts.extend(fact(reader, &Fact::KEYS, &At::new(name, key.span()), value));
                return;
            }
            let Some(version) = group_version(name) else {
                let message = format!("`{name}` is not a group version");
                let help = "write one such as `apps/v1`, in quotes; `core` is the empty group";
                return reader.error(key.span(), message, help);
            };
            let lines = reader.table(value).into_iter().flatten();
            let facts: Vec<At<Fact>> = lines
                .filter_map(|(key, value)| {
                    let name = key.get_ref().as_ref();
                    reader.below(name, |reader| {
                        fact(reader, &Fact::OF_VERSIONS, &At::new(name, key.span()), value)
                    })
                })
                .collect();
            empty(reader, value);
            out.versions.push((At::new(version, key.span()), facts));
        });
    }
    empty(reader, value);
    Some(out)
}

/// Reports a table without lines.
fn empty(reader: &mut Reader<'_>, value: &Value<'_>) {
    if value.get_ref().as_table().is_some_and(DeTable::is_empty) {
        reader.error(value.span(), "the table is empty", "remove it: what is usual needs no line");
    }
}

/// Reads one line; `keys` are those that are allowed there.
fn fact(reader: &mut Reader<'_>, keys: &[&str], key: &At<&str>, value: &Value<'_>) -> Option<At<Fact>> {
    if !keys.contains(&key.value) {
        let help = if Fact::KEYS.contains(&key.value) {
            "it is about all versions, whose objects are stored once: write it in the table of the kind"
                .to_owned()
        } else {
            format!("expected one of {}", keys.join(", "))
        };
        reader.error(key.span.clone(), format!("unknown key `{}`", key.value), help);
        return None;
    }
    let fact = match key.value {
        "names" => {
            let usual = NameForm::default();
            let words = NameForm::ALL.map(NameForm::as_str);
            let form = word(reader, value, &words[1..], usual.as_str())?;
            Fact::Names(NameForm::ALL.into_iter().find(|known| known.as_str() == form)?)
        }
        "generation" => {
            let words = Generation::NAMED.map(Generation::as_str);
            let found = word(reader, value, &words, Generation::default().as_str())?;
            Fact::Generation(Generation::NAMED.into_iter().find(|known| known.as_str() == found)?)
        }
        "generation-counts" => Fact::GenerationCounts(metadata(reader, value)?),
        "status-takes" => Fact::StatusTakes(metadata(reader, value)?),
        "keeps-status-on-creation" => truth(reader, value).map(|()| Fact::KeepsStatusOnCreation)?,
        SELECTABLE_FIELDS => Fact::SelectableFields(selectable_fields(reader, value)?),
        "time-to-live-seconds" => Fact::TimeToLive(Duration::from_secs(number(reader, value)?.into())),
        NEVER_OWNER => truth(reader, value).map(|()| Fact::NeverOwner)?,
        ORPHANS => truth(reader, value).map(|()| Fact::OrphansDependents)?,
        "stored-as" => Fact::StoredAs(reader.string(value)?.value),
        "stored-separately" => truth(reader, value).map(|()| Fact::StoredSeparately)?,
        DEPRECATED => Fact::Deprecated(At::new(deprecation(reader, value)?, value.span())),
        other => unreachable!("`{other}` is one of the keys"),
    };
    Some(At::new(fact, key.span.clone()))
}

/// One of some words. The usual one needs no line.
fn word(reader: &mut Reader<'_>, value: &Value<'_>, words: &[&str], usual: &str) -> Option<String> {
    let found = reader.string(value)?;
    if found.value == usual {
        reader.error(found.span, format!("`{usual}` is usual"), "remove the line");
        return None;
    }
    if !words.contains(&found.value.as_str()) {
        let help = format!("expected one of {}", words.join(", "));
        reader.error(found.span, format!("unknown word `{}`", found.value), help);
        return None;
    }
    Some(found.value)
}

/// `true`: `false` is usual, and needs no line.
fn truth(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<()> {
    if reader.bool(value)? {
        return Some(());
    }
    reader.error(value.span(), "`false` is usual", "remove the line");
    None
}

/// A list that is not empty.
fn list<'v, 't>(reader: &mut Reader<'_>, value: &'v Value<'t>) -> Option<Vec<&'v Value<'t>>> {
    let elements: Vec<_> = reader.array(value)?.iter().collect();
    if elements.is_empty() {
        reader.error(value.span(), "the list is empty", "remove the line: this is usual");
        return None;
    }
    Some(elements)
}

/// Names of fields of the metadata.
fn metadata(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<At<String>>> {
    let mut out: Vec<At<String>> = Vec::new();
    for value in list(reader, value)? {
        let field = reader.string(value)?;
        if !METADATA.contains(&field.value.as_str()) {
            let message = format!("clients do not own a field `{}` of the metadata", field.value);
            reader.error(field.span, message, format!("expected one of {}", METADATA.join(", ")));
        } else if out.iter().any(|other| other.value == field.value) {
            reader.error(field.span, format!("`{}` is already listed", field.value), "list each field once");
        } else {
            out.push(field);
        }
    }
    Some(out)
}

/// Fields that selectors can select by: a path, or `{ name = "…", paths = ["…"] }`.
fn selectable_fields(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<At<SelectableField>>> {
    let mut out: Vec<At<SelectableField>> = Vec::new();
    for value in list(reader, value)? {
        let field = match value.get_ref() {
            DeValue::Table(table) => {
                reader.only(table, &["name", "paths"]);
                let name = reader.required(value, table, "name").and_then(|name| reader.string(name));
                let paths = reader.required(value, table, "paths").and_then(|paths| reader.array(paths));
                let (name, paths) = (name?, paths?);
                let paths: Option<Vec<String>> = paths.iter().map(|path| text(reader, path)).collect();
                SelectableField { name: name.value, paths: Some(paths?) }
            }
            _ => SelectableField { name: text(reader, value)?, paths: None },
        };
        if ["metadata.name", "metadata.namespace"].contains(&field.name.as_str()) {
            let message = format!("`{}` is selectable for every kind", field.name);
            reader.error(value.span(), message, "remove it from the list");
        } else if out.iter().any(|other| other.value.name == field.name) {
            reader.error(value.span(), format!("`{}` is already listed", field.name), "list each name once");
        } else {
            out.push(At::new(field, value.span()));
        }
    }
    Some(out)
}

/// A field path, as text.
fn text(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<String> {
    reader.field_path(value).map(|FieldPath(names)| names.join("."))
}

/// Since when clients should use something else: `{ since = "1.14", unavailable = "1.22", use = "apps/v1 Deployment" }`.
fn deprecation(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Deprecation> {
    let table = reader.table(value)?;
    reader.only(table, &["since", "unavailable", "use"]);
    let since = reader.required(value, table, "since").and_then(|since| release(reader, since))?;
    let unavailable = match table.get("unavailable") {
        Some(value) => Some(release(reader, value)?),
        None => None,
    };
    if unavailable.is_some_and(|unavailable| unavailable <= since) {
        reader.error(value.span(), "it is unavailable before it is deprecated", "exchange the releases");
    }
    let replacement = match table.get("use") {
        Some(value) => Some(kind_name(reader, value)?),
        None => None,
    };
    Some(Deprecation { since: Some(since), unavailable, replacement, warning: None })
}

fn release(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Release> {
    let text = reader.string(value)?;
    let release = text.value.parse::<Release>();
    if let Err(error) = &release {
        reader.error(text.span, error.to_string(), "");
    }
    release.ok()
}

/// A kind with its group version: `apps/v1 Deployment`.
fn kind_name(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<GroupVersionKind> {
    let text = reader.string(value)?;
    let parts = text.value.split_once(' ');
    let name = parts.and_then(|(version, kind)| {
        Some(GroupVersionKind { group_version: group_version(version)?, kind: kind.to_owned() })
    });
    if name.is_none() {
        let message = format!("`{}` is not a kind at a version", text.value);
        reader.error(text.span, message, "write one such as `apps/v1 Deployment`; `core` is the empty group");
    }
    name
}
