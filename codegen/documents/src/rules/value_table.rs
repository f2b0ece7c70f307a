//! Reads tables of values.

use std::collections::BTreeSet;

use hubgen_model::ValueTable;
use hubgen_model::rules::{FieldPath, Function, Rule};
use hubgen_model::value_table::{Cell, Row, Way};
use toml::de::{DeTable, DeValue};

use crate::table::{Reader, Value};

/// How to write a table, for errors.
const EXAMPLE: &str =
    "write a pair for each row, with a cell for each field: rows = [[[\"a\"], [\"A\", true]]]";

/// The number of fields that each side may have.
const FIELDS: usize = 6;

pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["version", "hub", "rows"]);
    let mut side = |key| {
        let fields = reader.required(value, table, key)?;
        Some((fields, self::fields(reader, fields)?))
    };
    let (version, hub) = (side("version"), side("hub"));
    let rows = reader.required(value, table, "rows").and_then(|rows| Some((rows, reader.array(rows)?)));
    let ((rows_value, rows), (own, mut version), (other, mut hub)) = (rows?, version?, hub?);
    let (each, of_hub) = (each(reader, own, &mut version)?, each(reader, other, &mut hub)?);
    if each > 1 && version.len().max(hub.len()) > 1 {
        reader.error(
            own.span(),
            "several maps, and more than one `*`",
            "end each path with one `*`: the rows are those of each key",
        );
        return None;
    }
    if each != of_hub {
        reader.error(
            other.span(),
            format!("the version's path has {each} `*`, the hub's has {of_hub}"),
            "end both paths with a `*` for each list or map whose items the rows are about",
        );
        return None;
    }
    if rows.is_empty() {
        reader.error(rows_value.span(), "no rows", EXAMPLE);
        return None;
    }
    let read: Vec<Option<Row>> =
        rows.iter().map(|row| self::row(reader, row, [version.len(), hub.len()])).collect();
    let read: Vec<Row> = read.into_iter().collect::<Option<_>>()?;
    for (at, row) in read.iter().enumerate() {
        let is_hidden = |to_hub: bool| {
            let is_like =
                |other: &Row| if to_hub { other.version == row.version } else { other.hub == row.hub };
            let hides = |other: &Row| other.way.is_to(to_hub) && is_like(other);
            !row.way.is_to(to_hub) || read[..at].iter().any(hides)
        };
        if is_hidden(true) && is_hidden(false) {
            reader.error(
                rows[at].span(),
                "rows before this one have the same cells, so it never counts",
                "remove it",
            );
        }
    }
    Some(Rule::Function { function: Function::Table(ValueTable { rows: read, each }), version, hub })
}

/// The fields of one side.
fn fields(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<FieldPath>> {
    let fields = reader.array(value)?;
    if fields.is_empty() || fields.len() > FIELDS {
        reader.error(
            value.span(),
            format!("{} fields", fields.len()),
            format!("name between one and {FIELDS} fields"),
        );
        return None;
    }
    let fields: Vec<Option<FieldPath>> = fields.iter().map(|field| reader.field_path(field)).collect();
    fields.into_iter().collect()
}

/// Removes each `*` from the end of a side's path, and counts them.
fn each(reader: &mut Reader<'_>, value: &Value<'_>, fields: &mut [FieldPath]) -> Option<usize> {
    const EACH: &str = "*";
    let count = |path: &FieldPath| path.0.iter().rev().take_while(|name| *name == EACH).count();
    let each = fields.first().map_or(0, count);
    if fields.iter().any(|path| count(path) != each) {
        reader.error(
            value.span(),
            "a `*` beside other fields",
            "end all paths with a `*`, whose rows are those of each key, or write a table of its own for other fields",
        );
        return None;
    }
    if fields.iter().any(|path| path.0.len() == each) {
        reader.error(value.span(), "no field before `*`", "write the path of the list or map: spec.tags.*");
        return None;
    }
    fields.iter_mut().for_each(|path| path.0.truncate(path.0.len() - each));
    Some(each)
}

fn row(reader: &mut Reader<'_>, value: &Value<'_>, counts: [usize; 2]) -> Option<Row> {
    let sides = reader.array(value)?;
    let [version, hub] = [sides.first(), sides.get(1)];
    let (Some(version), Some(hub), 2..=3) = (version, hub, sides.len()) else {
        reader.error(value.span(), format!("expected two sides, found {}", sides.len()), EXAMPLE);
        return None;
    };
    let way = match sides.get(2) {
        Some(way) => self::way(reader, way)?,
        None => Way::Both,
    };
    let [version, hub] =
        [(version, counts[0]), (hub, counts[1])].map(|(side, count)| cells(reader, side, count));
    let (version, hub) = (version?, hub?);
    let names =
        |cells: &[Cell]| -> Vec<String> { cells.iter().flat_map(Cell::names).map(str::to_owned).collect() };
    let [of_version, of_hub] = [names(&version), names(&hub)];
    let sets: [BTreeSet<&String>; 2] = [of_version.iter().collect(), of_hub.iter().collect()];
    if sets[0] != sets[1] {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        reader.error(
            value.span(),
            format!(
                "a name must be on both sides; the version has {}, the hub {}",
                list(&of_version),
                list(&of_hub)
            ),
            "use each name in the cells of the version and in those of the hub; \"{}\" is a value that is not kept",
        );
        return None;
    }
    Some(Row { version, hub, way })
}

fn way(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Way> {
    let text = reader.string(value)?;
    let way = Way::parse(&text.value);
    if way.is_none() {
        let help = "write \"to-hub\" or \"from-hub\" for a row that counts in one direction only";
        reader.error(text.span, format!("`{}` is no direction", text.value), help);
    }
    way
}

fn cells(reader: &mut Reader<'_>, value: &Value<'_>, count: usize) -> Option<Vec<Cell>> {
    let cells = reader.array(value)?;
    if cells.len() != count {
        reader.error(
            value.span(),
            format!("expected {count} cell(s), one for each field, found {}", cells.len()),
            "write \"\" where a field has no value",
        );
        return None;
    }
    let cells: Vec<Option<Cell>> = cells.iter().map(|cell| self::cell(reader, cell)).collect();
    cells.into_iter().collect()
}

fn cell(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Cell> {
    match value.get_ref() {
        DeValue::Boolean(value) => Some(Cell::Bool(*value)),
        DeValue::Integer(_) => Some(Cell::Integer(reader.integer(value)?)),
        DeValue::Array(items) => list(reader, value, items),
        DeValue::Table(members) => object(reader, value, members),
        _ => {
            let text = reader.string(value)?;
            match Cell::parse(&text.value) {
                Ok(cell) => Some(cell),
                Err((message, help)) => {
                    reader.error(text.span, format!("{:?}: {message}", text.value), help);
                    None
                }
            }
        }
    }
}

/// An object of cells.
fn object(reader: &mut Reader<'_>, value: &Value<'_>, members: &DeTable<'_>) -> Option<Cell> {
    let (mut out, mut entries) = (Vec::with_capacity(members.len()), Vec::new());
    for (key, value) in members {
        let name = key.get_ref();
        let cell = cell(reader, value)?;
        match Cell::parse(name) {
            Ok(Cell::Named(name)) => entries.push((name, cell)),
            _ => out.push((name.to_string(), cell)),
        }
    }
    if entries.len() > 1 || !entries.is_empty() && !out.is_empty() {
        reader.error(
            value.span(),
            format!("a key `{{{}}}` beside others", entries[0].0),
            "write one key with a name, which stands for the only one that there is, or only keys without names",
        );
        return None;
    }
    Some(match entries.pop() {
        Some((name, cell)) => Cell::Entry(name, Box::new(cell)),
        None => Cell::Object(out),
    })
}

/// The last item of a list whose first item stands for all.
const MORE: &str = "...";

/// A list of cells.
fn list(reader: &mut Reader<'_>, value: &Value<'_>, items: &[Value<'_>]) -> Option<Cell> {
    const HELP: &str = "write [\"{name}\"] for a list of one item, [\"{name}\", \"...\"] for any number of such items, and \
                        [] for an empty list that is there";
    let is_more = |item: &Value<'_>| item.get_ref().as_str() == Some(MORE);
    let mut error = |value: &Value<'_>, message: &str| {
        reader.error(value.span(), message, HELP);
        None
    };
    if items.is_empty() {
        return Some(Cell::EmptyList);
    }
    if let Some(item) = items.iter().find(|item| item.get_ref().as_array().is_some()) {
        return error(item, "a list in a list");
    }
    let repeats = items.last().is_some_and(is_more);
    let count = items.len() - usize::from(repeats);
    let is_misplaced = items[..count].iter().any(is_more) || repeats && count != 1;
    if let Some(item) = items.iter().find(|item| is_more(item)).filter(|_| is_misplaced) {
        return error(item, "\"...\" comes after one item, which stands for all");
    }
    let cells: Vec<Option<Cell>> = items[..count].iter().map(|item| cell(reader, item)).collect();
    let mut cells = cells.into_iter().collect::<Option<Vec<Cell>>>()?;
    let mut error = |message: &str| {
        reader.error(value.span(), message, HELP);
        None
    };
    if cells.contains(&Cell::Any) {
        return error("\"{}\" writes no value, and an item of a list is one");
    }
    if !repeats {
        return Some(Cell::List(cells));
    }
    let item = cells.remove(0);
    if item.names().is_empty() {
        return error("all items are the same, and nothing tells how many they are");
    }
    Some(Cell::Each(Box::new(item)))
}
