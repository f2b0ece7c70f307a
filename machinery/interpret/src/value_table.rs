//! Tables of values, as the machinery looks values up in them.

use hubgen_machinery::convert::{self, Cell, Member, Part, PlainType as Known, Row, ValueTable};
use hubgen_machinery::reflect::{Held, Text};
use hubgen_model::{PlainType, TypeExpr, value_table};
use hubgen_plan::program::ops::{Level, TypedCell, TypedMember, TypedRow, TypedTable};

pub(crate) fn lowered(TypedTable { table: _, version, hub, rows, each }: &TypedTable) -> ValueTable {
    let level = |level: &Level| match level {
        Level::List => convert::Level::List,
        Level::Map => convert::Level::Map,
        Level::Any => convert::Level::Any,
    };
    let row = |row: &TypedRow| Row {
        version: list(&row.version, cell),
        hub: list(&row.hub, cell),
        way: match row.way {
            value_table::Way::Both => convert::Way::Both,
            value_table::Way::ToHub => convert::Way::ToHub,
            value_table::Way::FromHub => convert::Way::FromHub,
        },
    };
    ValueTable {
        version: list(version, ty),
        hub: list(hub, ty),
        rows: list(rows, row),
        each: list(each, level),
    }
}

fn list<T, L>(items: &[T], lowered: impl Fn(&T) -> L) -> Held<[L]> {
    items.iter().map(lowered).collect::<Vec<_>>().into()
}

fn text(text: &str) -> Text {
    text.to_owned().into()
}

fn cell(cell: &TypedCell) -> Cell {
    match cell {
        TypedCell::Single(cell) => single(cell),
        TypedCell::List(cells) => Cell::List(list(cells, self::cell)),
        TypedCell::Each(inner) => Cell::Each(Held::Boxed(Box::new(self::cell(inner)))),
        TypedCell::Object { members, others } => Cell::Object {
            members: list(members, member),
            others: others.as_ref().map(|others| list(others, |name| text(name))),
        },
        TypedCell::Entry(name, inner) => Cell::Entry(text(name), Held::Boxed(Box::new(self::cell(inner)))),
    }
}

fn member(TypedMember { name, ty: of, always, cell: own }: &TypedMember) -> Member {
    Member { name: text(name), ty: ty(of), always: always.as_deref().map(text), cell: cell(own) }
}

/// A cell without others in it.
fn single(cell: &value_table::Cell) -> Cell {
    match cell {
        value_table::Cell::Nothing => Cell::Nothing,
        value_table::Cell::Any => Cell::Any,
        value_table::Cell::Bool(value) => Cell::Bool(*value),
        value_table::Cell::Integer(value) => Cell::Integer(*value),
        value_table::Cell::Word(word) => Cell::Word(text(word)),
        value_table::Cell::Named(name) => Cell::Named(text(name)),
        value_table::Cell::Text(pattern) => Cell::Text(list(&pattern.parts, part)),
        value_table::Cell::EmptyText => Cell::EmptyText,
        value_table::Cell::EmptyList => Cell::EmptyList,
        value_table::Cell::List(_)
        | value_table::Cell::Each(_)
        | value_table::Cell::Object(_)
        | value_table::Cell::Entry(..) => unreachable!("the plan types what is in it"),
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
