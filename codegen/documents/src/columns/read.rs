//! Reads one file of columns.

use std::ops::Range;

use hubgen_model::columns::Or;
use hubgen_model::rules::At;
use toml::de::{DeTable, DeValue};

use super::{ColumnLine, Document, KindLines, ShowLine, Template};
use crate::Diagnostic;
use crate::Source;
use crate::table::{Reader, Value};

/// The columns that most kinds have. Their names alone say what they show.
const NAME: &str = "Name";
const AGE: &str = "Age";
/// What is shown instead of an empty text, as well as without a value.
const IF_EMPTY: &str = "if-empty";
/// What an age shows without a time.
const UNKNOWN: &str = "<unknown>";

/// The keys of a column, of which it has one: what it shows.
const SHOWS: [&str; 6] = ["path", "text", "each", "count", "age", "function"];
/// The types of columns.
const TYPES: [&str; 5] = ["string", "integer", "number", "boolean", "date"];

pub fn document(source: Source, errors: &mut Vec<Diagnostic>) -> Document {
    let group = source.file().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let mut out = Document { source: source.clone(), group, kinds: Vec::new() };
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
            out.kinds.extend(kind(reader, At::new(name.to_owned(), key.span()), value));
        });
    }
    out
}

fn kind(reader: &mut Reader<'_>, name: At<String>, value: &Value<'_>) -> Option<KindLines> {
    let table = reader.table(value)?;
    reader.only(table, &["columns", "completed", "sorted-by", "default-since"]);
    let mut text =
        |key: &str| table.get(key).and_then(|value| reader.below(key, |reader| reader.string(value)));
    let (completed, sorted_by, default_since) = (text("completed"), text("sorted-by"), text("default-since"));
    let columns = reader.required(value, table, "columns")?;
    let columns = reader.below("columns", |reader| {
        let mut out: Vec<ColumnLine> = Vec::new();
        for value in reader.array(columns)?.iter() {
            let Some(column) = column(reader, value) else { continue };
            if out.iter().any(|other| other.name == column.name) {
                reader.error(
                    value.span(),
                    format!("there is a column `{}` already", column.name),
                    "name each once",
                );
            }
            out.push(column);
        }
        Some(out)
    })?;
    if columns.is_empty() {
        reader.error(value.span(), "there are no columns", "remove the table: names and times are usual");
    }
    Some(KindLines { name, columns, completed, sorted_by, default_since })
}

/// A column: a table, or the name of one that most kinds have.
fn column(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<ColumnLine> {
    let usual = |name: &str, format: &str, show: ShowLine| ColumnLine {
        name: name.to_owned(),
        ty: TYPES[0].to_owned(),
        format: format.to_owned(),
        priority: 0,
        show,
    };
    let at = |path: &str| At::new(path.to_owned(), value.span());
    match value.get_ref() {
        DeValue::String(name) if name == NAME => Some(usual(
            NAME,
            "name",
            ShowLine::Path { path: at(".metadata.name"), or: None, empty_is_none: false },
        )),
        DeValue::String(name) if name == AGE => {
            let path = at(".metadata.creationTimestamp");
            Some(usual(AGE, "", ShowLine::Age { path, or: UNKNOWN.to_owned() }))
        }
        DeValue::String(other) => {
            let help = format!("write a table, or one of {NAME}, {AGE}");
            reader.error(value.span(), format!("`{other}` does not say what the column shows"), help);
            None
        }
        _ => {
            let table = reader.table(value)?;
            written(reader, value, table)
        }
    }
}

fn written(reader: &mut Reader<'_>, value: &Value<'_>, table: &DeTable<'_>) -> Option<ColumnLine> {
    let mut known = vec!["name", "type", "format", "wide", "or", IF_EMPTY, "of"];
    known.extend(SHOWS);
    reader.only(table, &known);
    let name = reader.required(value, table, "name").and_then(|name| reader.string(name))?.value;
    let mut text = |key: &str, usual: &str| match table.get(key) {
        Some(value) => reader.string(value).map(|text| text.value),
        None => Some(usual.to_owned()),
    };
    let (ty, format) = (text("type", TYPES[0])?, text("format", "")?);
    if !TYPES.contains(&ty.as_str()) {
        let help = format!("expected one of {}", TYPES.join(", "));
        reader.error(value.span(), format!("`{ty}` is no type of a column"), help);
    }
    let wide = table.get("wide").map_or(Some(false), |wide| reader.bool(wide))?;
    if let (Some(or), true) = (table.get(IF_EMPTY), table.contains_key("or")) {
        reader.error(or.span(), "what is shown without a value is written twice", "remove `or`");
    }
    let shows: Vec<&str> = SHOWS.into_iter().filter(|key| table.contains_key(*key)).collect();
    let [key] = *shows else {
        let help = format!("write one of {}", SHOWS.join(", "));
        reader.error(value.span(), "a column shows one thing", help);
        return None;
    };
    for (extra, of) in
        [("or", &["path", "each", "age"][..]), (IF_EMPTY, &["path", "each"]), ("of", &["function"])]
    {
        if table.contains_key(extra) && !of.contains(&key) {
            reader.error(value.span(), format!("`{extra}` means nothing beside `{key}`"), "remove it");
        }
    }
    let show = reader.below(key, |reader| show(reader, table, key, &table[key]))?;
    Some(ColumnLine { name, ty, format, priority: i32::from(wide), show })
}

fn show(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, value: &Value<'_>) -> Option<ShowLine> {
    let if_empty = table.get(IF_EMPTY);
    let or = table.get("or").or(if_empty);
    let empty_is_none = if_empty.is_some();
    let or_text = |reader: &mut Reader<'_>, usual: &str| match or {
        Some(or) => reader.string(or).map(|or| or.value),
        None => Some(usual.to_owned()),
    };
    Some(match key {
        "path" => {
            let or = match or {
                Some(or) => Some(scalar(reader, or)?),
                None => None,
            };
            ShowLine::Path { path: reader.string(value)?, or, empty_is_none }
        }
        "text" => {
            let text = reader.string(value)?;
            ShowLine::Text(template(reader, &text.value, &text.span)?)
        }
        "each" => ShowLine::Each { path: reader.string(value)?, or: or_text(reader, "")?, empty_is_none },
        "count" => ShowLine::Count(match value.get_ref() {
            DeValue::Array(paths) => paths.iter().map(|path| reader.string(path)).collect::<Option<_>>()?,
            _ => vec![reader.string(value)?],
        }),
        "age" => ShowLine::Age { path: reader.string(value)?, or: or_text(reader, UNKNOWN)? },
        _ => {
            let path = match table.get("of") {
                Some(path) => Some(reader.string(path)?),
                None => None,
            };
            ShowLine::Function { name: reader.string(value)?, path }
        }
    })
}

/// A text, an integer or a boolean.
fn scalar(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Or> {
    Some(match value.get_ref() {
        DeValue::Boolean(value) => Or::Bool(*value),
        DeValue::Integer(_) => Or::Integer(reader.integer(value)?),
        _ => Or::Text(reader.string(value)?.value),
    })
}

/// The values in a text, which are in braces, each with what is before it; and what is after the last one.
fn template(reader: &mut Reader<'_>, text: &str, span: &Range<usize>) -> Option<Template> {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((path, after)) = after.split_once('}') else {
            reader.error(span.clone(), "a brace is not closed", "write `{.spec.replicas}`");
            return None;
        };
        values.push((before.to_owned(), At::new(path.to_owned(), span.clone())));
        rest = after;
    }
    if values.is_empty() {
        reader.error(span.clone(), "the text has no value", "write paths in braces: `{.spec.replicas}`");
        return None;
    }
    Some(Template { values, after: rest.to_owned() })
}
