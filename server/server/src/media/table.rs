//! Objects as rows of a table, whose columns their kind decides: what clients print.

use hubgen_machinery::columns::{Cell, Column};
use hubgen_machinery::json::{self, writer};
use hubgen_machinery::meta;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;

use super::unshown::Unshown;
use super::version::{MetaVersion, named, partial_json};

/// The kind of a table.
pub(crate) const TABLE: &str = "Table";

/// How objects are shown as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableShape {
    pub(crate) version: MetaVersion,
    /// What a row has of its object, beside the cells.
    pub(crate) include: Include,
    /// Whether the columns are described. In a watch, only the first event does it.
    pub(crate) has_headers: bool,
}

/// What a row has of its object, beside the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    None,
    #[default]
    Metadata,
    Object,
}

impl Include {
    /// All words that clients can write, the usual one last.
    const WORDS: [(&str, Self); 4] =
        [("None", Self::None), ("Object", Self::Object), ("Metadata", Self::Metadata), ("", Self::Metadata)];

    /// What a client asks for.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, include)| include)
    }
}

/// A row, with what decides where it is in a list.
pub(crate) struct Row {
    pub(super) json: Vec<u8>,
    /// The number by which the list is sorted.
    order: i64,
    /// Since when the object is the default of its kind.
    default_since: Option<String>,
    /// Where the text of the first cell ends.
    name_end: usize,
}

impl Row {
    /// The row of an object at the version that a client asks for.
    ///
    /// # Errors
    /// If the object contains a value that JSON cannot represent, or has no counterpart at the hub.
    pub(super) fn new(object: &Object, shape: TableShape) -> Result<Self, Unshown> {
        let columns = &*object.entry.columns;
        // The object at the hub has the same cells at all versions.
        let hub;
        let printed = if columns.is_of_version {
            &*object.value
        } else {
            hub = object.copy_at_hub()?;
            &*hub
        };
        let now = Time::now();
        let cells = columns.cells(printed, now);
        let mut json = b"{\"cells\":[".to_vec();
        let mut name_end = 0;
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            cell.write(&mut json);
            if index == 0 && matches!(cell, Cell::Text(_)) {
                name_end = json.len() - 1;
            }
        }
        json.push(b']');
        if let Some(reason) = columns.completed(printed, now) {
            json.extend_from_slice(
                b",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":",
            );
            writer::string(&mut json, &reason);
            json.extend_from_slice(b"}]");
        }
        json.extend_from_slice(b",\"object\":");
        match shape.include {
            Include::None => writer::null(&mut json),
            Include::Metadata => partial_json(&*object.value, shape.version, &mut json)?,
            Include::Object => object.encode_into(&mut json)?,
        }
        json.push(b'}');
        let (order, default_since) = (columns.order(printed), columns.default_since(printed, now));
        Ok(Self { json, order, default_since, name_end })
    }
}

/// Arranges the rows of a list: sorts them, and tells which object is the default of its kind.
pub(crate) fn arrange(rows: &mut [Row]) {
    // The order is stable: equal ones stay sorted by name.
    rows.sort_by_key(|row| row.order);
    let mut default: Option<&mut Row> = None;
    for row in rows.iter_mut().filter(|row| row.default_since.is_some() && row.name_end > 0) {
        // Of several, the latest one is, and of those the first one.
        if default.as_ref().is_none_or(|found| row.default_since > found.default_since) {
            default = Some(row);
        }
    }
    if let Some(Row { json, name_end, .. }) = default {
        json.splice(*name_end..*name_end, *b" (default)");
    }
}

/// What a table has before its rows.
///
/// # Errors
/// As [`Row::new`].
pub(super) fn begin(
    entry: &KindEntry,
    shape: TableShape,
    meta: &ListMeta,
    out: &mut Vec<u8>,
) -> Result<(), Unshown> {
    named(TABLE, shape.version.api_version(), out);
    json::encode_into(meta, None, out)?;
    out.extend_from_slice(b",\"columnDefinitions\":");
    if shape.has_headers {
        out.push(b'[');
        for (index, column) in entry.columns.columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            header(column, out);
        }
        out.push(b']');
    } else {
        writer::null(out);
    }
    out.extend_from_slice(b",\"rows\":[");
    Ok(())
}

/// The description of a column.
fn header(column: &Column, out: &mut Vec<u8>) {
    let Column { name, ty, format, description, priority, .. } = column;
    let texts = [
        ("{\"name\":", name),
        (",\"type\":", ty),
        (",\"format\":", format),
        (",\"description\":", description),
    ];
    for (key, text) in texts {
        out.extend_from_slice(key.as_bytes());
        writer::string(out, text);
    }
    out.extend_from_slice(b",\"priority\":");
    writer::integer(out, (*priority).into());
    out.push(b'}');
}

/// A table with the row of one object.
///
/// # Errors
/// As [`Row::new`].
pub(super) fn of_object(object: &Object, shape: TableShape) -> Result<Vec<u8>, Unshown> {
    let row = Row::new(object, shape)?;
    let revision = meta::text(&*object.value, "resourceVersion");
    let meta = ListMeta { resource_version: revision.into(), ..ListMeta::default() };
    let mut out = Vec::new();
    begin(&object.entry, shape, &meta, &mut out)?;
    out.extend_from_slice(&row.json);
    out.extend_from_slice(b"]}");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, order: i64, default_since: Option<&str>) -> Row {
        let json = format!("{{\"cells\":[\"{name}\"]}}").into_bytes();
        Row { name_end: 11 + name.len(), json, order, default_since: default_since.map(str::to_owned) }
    }

    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| str::from_utf8(&row.json).unwrap().split('"').nth(3).unwrap()).collect()
    }

    #[test]
    fn rows_are_arranged() {
        let mut rows = [row("a", 2, None), row("b", 1, None), row("c", 2, None)];
        arrange(&mut rows);
        assert_eq!(names(&rows), ["b", "a", "c"]);

        let mut rows = [
            row("a", 0, Some("2026-01")),
            row("b", 0, Some("2026-02")),
            row("c", 0, Some("2026-02")),
            row("d", 0, None),
        ];
        arrange(&mut rows);
        assert_eq!(names(&rows), ["a", "b (default)", "c", "d"]);
    }

    #[test]
    fn clients_say_what_to_include() {
        assert_eq!(Include::named("None"), Some(Include::None));
        assert_eq!(Include::named(""), Some(Include::Metadata));
        assert_eq!(Include::named("none"), None);
    }
}
