//! Converts the columns of the model to those of entries of a Scheme.

use std::sync::Arc;

use hubgen_kubernetes_functions::cells;
use hubgen_machinery::columns::{self, CellFunction};
use hubgen_machinery::reflect::{Ref, Text};
use hubgen_model::columns::{Column, Columns, KindColumns, Or, Show, ValueAt};

use super::SnapshotError;

/// The columns of a kind; usual ones if there are no others.
pub(super) fn columns(columns: Option<&Columns>) -> Result<Ref<columns::Columns>, SnapshotError> {
    Ok(match columns {
        None => Ref::Static(columns::Columns::USUAL),
        Some(Columns::OfKind(of_kind)) => Ref::Shared(Arc::new(made(of_kind)?)),
        Some(Columns::Defined(none)) if none.is_empty() => Ref::Static(columns::Columns::OF_DEFINITIONS),
        // As in upstream, there are no columns after one whose path cannot be read.
        Some(Columns::Defined(defined)) => {
            let columns = defined.iter().map_while(|column| columns::Column::defined(column).ok());
            Ref::Shared(Arc::new(columns::Columns::defined(columns)))
        }
    })
}

fn made(of_kind: &KindColumns) -> Result<columns::Columns, SnapshotError> {
    let KindColumns { columns, completed, sorted_by, default_since } = of_kind;
    let columns = columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Ok(columns::Columns {
        columns: Ref::Shared(columns.into()),
        is_of_version: false,
        completed: completed.as_deref().map(function).transpose()?,
        sorted_by: sorted_by.as_deref().map(text),
        default_since: default_since.as_deref().map(function).transpose()?,
    })
}

fn text(text: &str) -> Text {
    Text::from(text.to_owned())
}

fn function(name: &str) -> Result<CellFunction, SnapshotError> {
    let found = cells::find(name).ok_or_else(|| SnapshotError::NoSuchCell(name.to_owned()));
    Ok(found?.function)
}

fn column(Column { name, ty, format, priority, show }: &Column) -> Result<columns::Column, SnapshotError> {
    Ok(columns::Column {
        name: text(name),
        ty: text(ty),
        format: text(format),
        description: text(""),
        priority: *priority,
        show: shown(show)?,
    })
}

fn shown(show: &Show) -> Result<columns::Show, SnapshotError> {
    Ok(match show {
        Show::Value(value) => columns::Show::Value(value_at(value)),
        Show::Text { values, after } => {
            let part = |(before, value): &(String, ValueAt)| columns::TextPart {
                before: text(before),
                value: Some(value_at(value)),
            };
            let last = columns::TextPart { before: text(after), value: None };
            let parts: Vec<_> = values.iter().map(part).chain([last]).collect();
            columns::Show::Text(Ref::Shared(parts.into()))
        }
        Show::Joined { path, or, empty_is_none } => {
            columns::Show::Joined { path: text(path), or: text(or), empty_is_none: *empty_is_none }
        }
        Show::Count(paths) => columns::Show::Count(paths.iter().cloned().collect()),
        Show::Age { path, or } => columns::Show::Age { path: text(path), or: text(or) },
        Show::Function { name, path } => {
            columns::Show::Function { function: function(name)?, path: text(path) }
        }
    })
}

fn value_at(ValueAt { path, or, empty_is_none }: &ValueAt) -> columns::ValueAt {
    columns::ValueAt {
        path: text(path),
        or: match or {
            Or::Text(or) => columns::Or::Text(text(or)),
            Or::Integer(number) => columns::Or::Integer(*number),
            Or::Bool(value) => columns::Or::Bool(*value),
        },
        empty_is_none: *empty_is_none,
    }
}
