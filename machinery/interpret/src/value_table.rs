//! Tables of values, as the machinery looks values up in them.

use hubgen_machinery::convert::{Cell, Part, PlainType as Known, Row, ValueTable};
use hubgen_machinery::reflect::{Held, Text};
use hubgen_model::{PlainType, TypeExpr, value_table};
use hubgen_plan::program::ops::TypedTable;

pub(crate) fn lowered(TypedTable { table, version, hub }: &TypedTable) -> ValueTable {
    let row = |row: &value_table::Row| Row { version: list(&row.version, cell), hub: list(&row.hub, cell) };
    ValueTable { version: list(version, ty), hub: list(hub, ty), rows: list(&table.rows, row) }
}

fn list<T, L>(items: &[T], lowered: impl Fn(&T) -> L) -> Held<[L]> {
    items.iter().map(lowered).collect::<Vec<_>>().into()
}

fn text(text: &str) -> Text {
    text.to_owned().into()
}

fn cell(cell: &value_table::Cell) -> Cell {
    match cell {
        value_table::Cell::Nothing => Cell::Nothing,
        value_table::Cell::Any => Cell::Any,
        value_table::Cell::Bool(value) => Cell::Bool(*value),
        value_table::Cell::Integer(value) => Cell::Integer(*value),
        value_table::Cell::Word(word) => Cell::Word(text(word)),
        value_table::Cell::Named(name) => Cell::Named(text(name)),
        value_table::Cell::Text(pattern) => Cell::Text(list(&pattern.parts, part)),
        value_table::Cell::List(cells) => Cell::List(list(cells, self::cell)),
        value_table::Cell::Each(inner) => Cell::Each(Held::Boxed(Box::new(self::cell(inner)))),
    }
}

fn part(part: &value_table::Part) -> Part {
    match part {
        value_table::Part::Literal(literal) => Part::Literal(text(literal)),
        value_table::Part::Named(name) => Part::Named(text(name)),
        value_table::Part::Joined(name, separator) => Part::Joined(text(name), text(separator)),
    }
}

fn ty(PlainType { ty, optional }: &PlainType) -> Known {
    match (ty, optional) {
        (TypeExpr::List(inner), false) => match &**inner {
            TypeExpr::Bool => Known::List(&Known::Bool),
            TypeExpr::Int32 => Known::List(&Known::Int32),
            TypeExpr::Int64 => Known::List(&Known::Int64),
            _ => Known::List(&Known::Text),
        },
        (TypeExpr::List(inner), true) => match &**inner {
            TypeExpr::Bool => Known::Optional(&Known::List(&Known::Bool)),
            TypeExpr::Int32 => Known::Optional(&Known::List(&Known::Int32)),
            TypeExpr::Int64 => Known::Optional(&Known::List(&Known::Int64)),
            _ => Known::Optional(&Known::List(&Known::Text)),
        },
        (TypeExpr::Bool, false) => Known::Bool,
        (TypeExpr::Bool, true) => Known::Optional(&Known::Bool),
        (TypeExpr::Int32, false) => Known::Int32,
        (TypeExpr::Int32, true) => Known::Optional(&Known::Int32),
        (TypeExpr::Int64, false) => Known::Int64,
        (TypeExpr::Int64, true) => Known::Optional(&Known::Int64),
        (TypeExpr::Raw(_), false) => Known::Json,
        (TypeExpr::Raw(_), true) => Known::Optional(&Known::Json),
        (_, false) => Known::Text,
        (_, true) => Known::Optional(&Known::Text),
    }
}
