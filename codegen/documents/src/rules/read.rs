//! Reads one file of rules.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_model::rules::{Add, Annotation, At, By, FieldPath, Form, Rule, Rules, VersionRules, Words};
use hubgen_model::{Multiple, NumberText, TimeUnit};
use toml::de::DeTable;

use super::shared::{self, Shared};
use super::{function, value_table};
use crate::table::{Reader, Value, group_version};
use crate::{Diagnostic, Source};

const OPERATORS: [&str; 17] = [
    "move",
    "constant",
    "tag",
    "element",
    "split",
    "wrap",
    "words",
    "number",
    "keyed",
    "always",
    "empty-is-absent",
    "hoist",
    "head",
    "function",
    "table",
    "keep",
    "drop",
];

pub fn rules(source: &Source, shared: &Shared, errors: &mut Vec<Diagnostic>) -> Option<Rules> {
    let stem = source.file().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut reader = Reader::new(source, errors);
    let Some((group, kind)) = stem.rsplit_once('.') else {
        reader.error(
            0..0,
            format!("`{stem}` is not the name of a kind"),
            "name the file <group>.<Kind>.toml, such as apps.Deployment.toml; `core` is the empty group",
        );
        return None;
    };
    let document = document(source, &mut reader)?;
    let mut family = Vec::new();
    let mut add = Vec::new();
    let mut versions = BTreeMap::new();
    let mut hub = None;
    for (key, value) in &document {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| match name {
            "family" => {
                let members = reader.array(value).into_iter().flat_map(|array| array.iter());
                family = members.filter_map(|value| reader.group_version(value)).collect();
            }
            "hub" => hub = reader.group_version(value),
            "add" => add = list(reader, value, self::add),
            _ => match group_version(name).filter(|_| name.contains('/') || value.get_ref().is_table()) {
                Some(version) => {
                    let rules = self::version(reader, key.span(), value, shared);
                    versions.insert(version, rules);
                }
                None => reader.error(
                    key.span(),
                    format!("unknown key `{name}`"),
                    "expected `family`, `hub`, `add` or a table for a version, such as [\"apps/v1\"]",
                ),
            },
        });
    }
    let Some(hub) = hub else {
        reader.error(0..0, "expected `hub`", format!("name the hub version, such as hub = \"{group}/v1\""));
        return None;
    };
    if hub.value.group_or_core() != group {
        reader.error(
            hub.span.clone(),
            format!(
                "the hub belongs to group {}, but the file name to group {group}",
                hub.value.group_or_core()
            ),
            "begin the file name with the group of the hub",
        );
    }
    Some(Rules { kind: At::new(kind.to_owned(), 0..0), family, hub, add, versions })
}

/// Reads the documents with rules that kinds share. The first one is the folder's own, and has this index among all
/// sources.
pub(super) fn shared(sources: &[Source], first: usize, errors: &mut Vec<Diagnostic>) -> Shared {
    let mut out = Shared::default();
    for (index, source) in sources.iter().enumerate() {
        let mut reader = Reader::new(source, errors);
        let Some(document) = document(source, &mut reader) else { continue };
        for (key, value) in &document {
            let name = key.get_ref().as_ref();
            let known = out.file_of(name).and_then(|file| sources.get(file - first));
            reader.below(name, |reader| match known {
                _ if name == shared::IMPORT => drop(shared::names(reader, value)),
                Some(other) => reader.error(
                    key.span(),
                    format!("{} has a table `{name}`, too", other.file().display()),
                    "give one of them another name",
                ),
                None if name.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
                    let rules = type_rules(reader, value, None);
                    out.add(name, (first + index, key.span()), rules, index == 0);
                }
                None => reader.error(
                    key.span(),
                    format!("`{name}` is no table for a type"),
                    "write `import`, or a name that begins with a capital, such as [Condition]",
                ),
            });
        }
    }
    out
}

pub(super) fn document<'a>(source: &'a Source, reader: &mut Reader<'_>) -> Option<DeTable<'a>> {
    match DeTable::parse(source.text()) {
        Ok(document) => Some(document.into_inner()),
        Err(error) => {
            let help = "write valid TOML, with each table and key once";
            reader.error(error.span().unwrap_or(0..0), error.message(), help);
            None
        }
    }
}

pub(super) fn list<T>(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    read: fn(&mut Reader<'_>, &Value<'_>) -> Option<T>,
) -> Vec<At<T>> {
    let elements = reader.array(value).into_iter().flat_map(|array| array.iter());
    elements.filter_map(|value| Some(At::new(read(reader, value)?, value.span()))).collect()
}

fn add(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Add> {
    let table = reader.table(value)?;
    reader.only(table, &["path", "from"]);
    let path = reader.required(value, table, "path").and_then(|value| reader.field_path(value));
    let from = reader.required(value, table, "from").and_then(|value| reader.group_version(value));
    Some(Add { path: path?, from: from?.value })
}

fn version(reader: &mut Reader<'_>, span: Range<usize>, value: &Value<'_>, shared: &Shared) -> VersionRules {
    let mut out = VersionRules {
        span,
        like: None,
        not_convertible: None,
        may_be_invalid: Vec::new(),
        rules: Vec::new(),
        types: BTreeMap::new(),
    };
    let Some(table) = reader.table(value) else { return out };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| match name {
            "like" => out.like = reader.group_version(value),
            "not-convertible" => out.not_convertible = reader.string(value),
            "may-be-invalid" => {
                out.may_be_invalid = list(reader, value, |reader, value| reader.field_path(value));
            }
            shared::USE => {
                for (ty, rules) in shared.by_name(reader, value) {
                    let known = out.types.entry(ty.value).or_insert_with(|| (ty.span, Vec::new()));
                    known.1.extend(rules);
                }
            }
            operator if OPERATORS.contains(&operator) => {
                let rules = rules_of(reader, operator, value);
                function::expect_no_metadata(reader, &rules);
                out.rules.extend(rules);
            }
            ty if ty.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let rules = type_rules(reader, value, Some(shared));
                let known = out.types.entry(ty.to_owned()).or_insert_with(|| (key.span(), Vec::new()));
                known.1.extend(rules);
            }
            _ => unknown_operator(reader, key.span(), name),
        });
    }
    out
}

/// The rules of a type. Tables that are shared themselves use none that is.
fn type_rules(reader: &mut Reader<'_>, value: &Value<'_>, shared: Option<&Shared>) -> Vec<At<Rule>> {
    let mut out = Vec::new();
    for (key, value) in reader.table(value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| {
            if name == shared::USE {
                match shared {
                    Some(shared) => out.extend(shared.rules(reader, value)),
                    None => reader.error(
                        key.span(),
                        "a shared table uses no other one",
                        "name both where a kind uses them: use = [\"A\", \"B\"]",
                    ),
                }
            } else if OPERATORS.contains(&name) {
                out.extend(rules_of(reader, name, value));
            } else {
                unknown_operator(reader, key.span(), name);
            }
        });
    }
    out
}

fn unknown_operator(reader: &mut Reader<'_>, span: Range<usize>, name: &str) {
    reader.error(
        span,
        format!("`{name}` is not an operator"),
        format!(
            "expected one of {}, or `like`, `use`, `not-convertible`, `may-be-invalid`, or the name of a type",
            OPERATORS.join(", ")
        ),
    );
}

fn rules_of(reader: &mut Reader<'_>, operator: &str, value: &Value<'_>) -> Vec<At<Rule>> {
    match operator {
        "move" => list(reader, value, moved),
        "tag" => list(reader, value, tag),
        "element" => list(reader, value, element),
        "split" => list(reader, value, split),
        "wrap" => list(reader, value, wrap),
        "words" => list(reader, value, word_map),
        "number" => list(reader, value, number),
        "keyed" => list(reader, value, keyed),
        "always" => list(reader, value, always),
        "empty-is-absent" => list(reader, value, empty_is_absent),
        "hoist" => list(reader, value, hoist),
        "head" => list(reader, value, head),
        "function" => list(reader, value, function::read),
        "table" => list(reader, value, value_table::read),
        "keep" => list(reader, value, keep),
        "drop" => list(reader, value, dropped),
        _ => words(reader, value)
            .into_iter()
            .map(|(field, value, span)| At::new(Rule::Constant { field, value }, span))
            .collect(),
    }
}

/// Reads a table from paths to words.
pub(super) fn words(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<(FieldPath, String, Range<usize>)> {
    let mut out = Vec::new();
    for (key, value) in reader.table(value).into_iter().flatten() {
        let path = reader.parse_path(key.get_ref(), key.span());
        let word = reader.string(value);
        if let (Some(path), Some(word)) = (path, word) {
            out.push((path, word.value, key.span()));
        }
    }
    out
}

fn moved(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let (from, to) = reader.pair(value)?;
    let from = reader.parse_path(&from.value, from.span);
    let to = reader.parse_path(&to.value, to.span);
    Some(Rule::Move { from: from?, to: to?, by: By::Same })
}

fn tag(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["path", "set", "otherwise"]);
    let path = reader.required(value, table, "path").and_then(|value| reader.field_path(value));
    let otherwise = reader.required(value, table, "otherwise").and_then(|value| reader.string(value));
    let set = table.get("set").map(|value| list(reader, value, word)).unwrap_or_default();
    Some(Rule::Tag {
        path: path?,
        set: set.into_iter().map(|at| at.value).collect(),
        otherwise: otherwise?.value,
    })
}

fn word(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<(FieldPath, String)> {
    let (path, word) = reader.pair(value)?;
    Some((reader.parse_path(&path.value, path.span)?, word.value))
}

fn element(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["field", "list", "where", "value", "last"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (field, list, at) = (path("field"), path("list"), path("value"));
    let when = table.get("where").map(|value| words(reader, value)).unwrap_or_default();
    Some(Rule::Element {
        field: field?,
        list: list?,
        when: when.into_iter().map(|(path, word, _)| (path, word)).collect(),
        value: at?,
        last: table.get("last").is_some_and(|value| reader.bool(value) == Some(true)),
    })
}

fn split(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["field", "number", "name"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (field, number, name) = (path("field"), path("number"), path("name"));
    Some(Rule::Split { field: field?, number: number?, name: name? })
}

fn wrap(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["from", "to", "field"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (from, to) = (path("from"), path("to"));
    let field = reader.required(value, table, "field").and_then(|value| reader.string(value));
    Some(Rule::Move { from: from?, to: to?, by: By::Wrap(field?.value) })
}

fn word_map(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["from", "to", "words", "also"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (from, to) = (path("from"), path("to"));
    let value = reader.required(value, table, "words")?;
    let mut words = Words::default();
    for (word, other) in word_pairs(reader, value)? {
        if let Some((known, _)) = words.pairs.iter().find(|(_, known)| *known == other.value) {
            reader.error(
                other.span,
                format!("both `{known}` and `{}` map to `{}`", word.value, other.value),
                "map each word of the version to another word of the hub, so that the conversion can be reversed; name words \
                 that become another one's counterpart in `also`",
            );
        } else {
            words.pairs.push((word.value, other.value));
        }
    }
    if words.pairs.is_empty() {
        reader.error(value.span(), "no words", "name at least one, such as { rsa = \"RSA\" }");
    }
    if let Some(value) = table.get("also") {
        for (word, other) in word_pairs(reader, value)? {
            if words.pairs.iter().any(|(known, _)| *known == word.value) {
                let message = format!("`words` has `{}`, too", word.value);
                reader.error(word.span, message, "remove it here or there");
            } else if words.pairs.iter().all(|(_, known)| *known != other.value) {
                let message = format!("`{}` is no counterpart in `words`", other.value);
                reader.error(other.span, message, "name a word of the hub that has a counterpart in `words`");
            } else {
                words.also.push((word.value, other.value));
            }
        }
    }
    Some(Rule::Move { from: from?, to: to?, by: By::Words(words) })
}

/// Reads a table from words to words.
fn word_pairs(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<(At<String>, At<String>)>> {
    let mut pairs = Vec::new();
    for (key, other) in reader.table(value)? {
        let (word, other) = (At::new(key.get_ref().to_string(), key.span()), reader.string(other)?);
        if word.value.is_empty() || other.value.is_empty() {
            reader.error(word.span, "a word is empty", "remove it: an empty field stays empty");
        } else {
            pairs.push((word, other));
        }
    }
    Some(pairs)
}

fn number(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["from", "to", "as", "unit"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (from, to) = (path("from"), path("to"));
    let form = reader.required(value, table, "as").and_then(|value| reader.string(value))?;
    let unit = match table.get("unit") {
        Some(unit) => Some(reader.string(unit)?),
        None => None,
    };
    let form = number_text(reader, &form, unit)?;
    Some(Rule::Move { from: from?, to: to?, by: By::Number(form) })
}

/// The form in which a text contains a number.
fn number_text(reader: &mut Reader<'_>, form: &At<String>, unit: Option<At<String>>) -> Option<NumberText> {
    fn list<T: ToString>(units: &[T]) -> String {
        units.iter().map(|unit| format!("\"{}\"", unit.to_string())).collect::<Vec<_>>().join(", ")
    }
    let (found, units): (fn(&str) -> Option<NumberText>, String) = match form.value.as_str() {
        "duration" => (|unit| TimeUnit::parse(unit).map(NumberText::Duration), list(TimeUnit::ALL)),
        "quantity" => (|unit| Multiple::parse(unit).map(NumberText::Quantity), list(Multiple::ALL)),
        name @ ("text" | "percent") => {
            if let Some(unit) = unit {
                reader.error(unit.span, format!("`{name}` has no unit"), "remove it");
            }
            return Some(if name == "text" { NumberText::Decimal } else { NumberText::Percent });
        }
        name => {
            let help = "expected one of `duration`, `quantity`, `percent`, `text`";
            reader.error(form.span.clone(), format!("`{name}` is no form of a number"), help);
            return None;
        }
    };
    let help = format!("write what the number counts: one of {units}");
    let Some(unit) = unit else {
        reader.error(form.span.clone(), format!("`{}` needs a `unit`", form.value), help);
        return None;
    };
    let form = found(&unit.value);
    if form.is_none() {
        reader.error(unit.span, format!("`{}` is not a unit of it", unit.value), help);
    }
    form
}

fn keyed(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["from", "to", "key", "value"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (from, to) = (path("from"), path("to"));
    let key = reader.required(value, table, "key").and_then(|value| reader.string(value));
    let value = match table.get("value") {
        Some(value) => Some(reader.string(value)?.value),
        None => None,
    };
    Some(Rule::Move { from: from?, to: to?, by: By::Keyed { key: key?.value, value } })
}

fn dropped(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    Some(Rule::Drop { path: reader.field_path(value)? })
}

fn always(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    Some(Rule::Always { path: reader.field_path(value)? })
}

fn empty_is_absent(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    Some(Rule::EmptyIsAbsent { path: reader.field_path(value)? })
}

fn hoist(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["field", "list", "element"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (field, list) = (path("field"), path("list"));
    let element = reader.required(value, table, "element").and_then(|value| reader.string(value));
    Some(Rule::Hoist { list: list?, field: field?, element: element?.value })
}

fn head(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["field", "list", "element", "set"]);
    let mut path = |key| reader.required(value, table, key).and_then(|value| reader.field_path(value));
    let (field, list) = (path("field"), path("list"));
    let element = reader.required(value, table, "element").and_then(|value| reader.string(value));
    let set = table.get("set").and_then(|value| reader.array(value));
    let set = set.into_iter().flat_map(|array| array.iter());
    let set = set.filter_map(|value| Some(reader.string(value)?.value)).collect();
    Some(Rule::Head { list: list?, field: field?, element: element?.value, set })
}

fn keep(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    if value.get_ref().is_str() {
        return Some(Rule::Keep { path: reader.field_path(value)?, annotation: None });
    }
    let table = reader.table(value)?;
    reader.only(table, &["path", "annotation", "as", "whole"]);
    let path = reader.required(value, table, "path").and_then(|value| reader.field_path(value));
    let key = reader.required(value, table, "annotation").and_then(|value| reader.string(value));
    let form = reader.required(value, table, "as").and_then(|value| form(reader, value));
    let whole = table.get("whole").is_some_and(|value| reader.bool(value) == Some(true));
    Some(Rule::Keep { path: path?, annotation: Some(Annotation { key: key?.value, form: form?, whole }) })
}

fn form(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Form> {
    Some(match value.get_ref().as_str() {
        Some("text") => Form::Text,
        Some("internal") => Form::Internal,
        Some("zero") => Form::Zero,
        _ => Form::Version(reader.group_version(value)?.value),
    })
}
