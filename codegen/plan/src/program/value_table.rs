//! Checks that the cells of a table fit their fields.

use std::collections::BTreeMap;

use hubgen_model::value_table::{Cell, Part, Row};
use hubgen_model::{PlainType, TypeExpr, ValueTable};

use super::ResolvedPath;
use super::ops::TypedTable;
use super::refusal::Refusal;

/// A table with the types of its fields.
///
/// # Errors
/// When a field has a type that no table has, or a cell needs another one.
pub(super) fn typed(
    table: &ValueTable,
    version: &[ResolvedPath],
    hub: &[ResolvedPath],
) -> Result<TypedTable, Refusal> {
    let (version_types, hub_types) = (types(version)?, types(hub)?);
    for row in &table.rows {
        let cells = row.version.iter().zip(version).chain(row.hub.iter().zip(hub));
        cells.into_iter().try_for_each(|(cell, path)| fits(cell, path))?;
        shapes(row, [version, hub])?;
    }
    for (to_hub, fields) in [(true, hub), (false, version)] {
        let cells = table.of_nothing(to_hub).unwrap_or_default();
        cells.iter().zip(fields).try_for_each(|(cell, path)| makes_nothing(cell, path))?;
    }
    Ok(TypedTable { table: table.clone(), version: version_types, hub: hub_types })
}

/// Refuses a value for fields without values that only an optional object has: the row does not tell whether the object
/// is there.
fn makes_nothing(cell: &Cell, path: &ResolvedPath) -> Result<(), Refusal> {
    match path.parents().last() {
        Some(object) if cell.is_value() => Err(Refusal {
            message: format!(
                "a row with \"\" for all fields of one side writes {path}, and {object} is optional"
            ),
            help: format!(
                "leave the row out, or name a field in it that tells whether {object} is there: with this row alone, all \
                 objects would get {object}"
            ),
        }),
        _ => Ok(()),
    }
}

fn types(paths: &[ResolvedPath]) -> Result<Vec<PlainType>, Refusal> {
    let plain = |path: &ResolvedPath| {
        PlainType::from_field(path.field()).filter(|plain| is_known(&plain.ty)).ok_or_else(|| Refusal {
            message: format!(
                "tables have texts, truth values, whole numbers, lists of these, and JSON of any form; {path} is {}",
                path.field().ty
            ),
            help: "name other fields, or write two functions of your own: function = [{ module = \"…\", … }]"
                .to_owned(),
        })
    };
    paths.iter().map(plain).collect()
}

fn is_known(ty: &TypeExpr) -> bool {
    let is_single =
        |ty: &TypeExpr| matches!(ty, TypeExpr::Bool | TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::String);
    match ty {
        TypeExpr::Raw(_) => true,
        TypeExpr::List(inner) => is_single(inner),
        ty => is_single(ty),
    }
}

fn fits(cell: &Cell, path: &ResolvedPath) -> Result<(), Refusal> {
    let ty = &path.field().ty;
    if let Some(value) = too_large(cell, ty) {
        return Err(Refusal {
            message: format!("{path} is {ty}, which cannot be {value}"),
            help: "write a number between -2147483648 and 2147483647".to_owned(),
        });
    }
    let Some(needed) = cell.needs(ty) else { return Ok(()) };
    Err(Refusal {
        message: format!("{path} is {ty}; a row has a cell for {needed}"),
        help: "write `true` or `false` for a truth value, a number without quotes for a number, an array for a list, \
               \"{name}\" for a value that the other side has as well, and \"\" for none"
            .to_owned(),
    })
}

/// A number in a cell that a field of 32 bits cannot have.
fn too_large(cell: &Cell, ty: &TypeExpr) -> Option<i64> {
    match (cell, ty) {
        (Cell::Integer(value), TypeExpr::Int32) => i32::try_from(*value).is_err().then_some(*value),
        (Cell::List(cells), TypeExpr::List(inner)) => cells.iter().find_map(|cell| too_large(cell, inner)),
        _ => None,
    }
}

/// Refuses a name that is a list on the one side and a single value on the other: no value would be both.
fn shapes(row: &Row, sides: [&[ResolvedPath]; 2]) -> Result<(), Refusal> {
    let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
    for (cells, paths) in [&row.version, &row.hub].into_iter().zip(sides) {
        for (cell, path) in cells.iter().zip(paths) {
            let mut found = Vec::new();
            shape(cell, &path.field().ty, 0, &mut found);
            for (name, lists) in found {
                if *shapes.entry(name).or_insert(lists) != lists {
                    return Err(Refusal {
                        message: format!(
                            "`{name}` is a list on one side of a row, and a single value on the other"
                        ),
                        help: format!(
                            "write [\"{{{name}}}\"] for a list of one value, [\"{{{name}}}\", \"...\"] for a list of \
                             such values, or \"{{{name}:,}}\" for a text with commas between them"
                        ),
                    });
                }
            }
        }
    }
    Ok(())
}

/// The names in a cell, each with the number of lists around its values. JSON of any form may be a list or none.
fn shape<'c>(cell: &'c Cell, ty: &TypeExpr, lists: usize, out: &mut Vec<(&'c str, usize)>) {
    let inner = match ty {
        TypeExpr::List(inner) => inner,
        ty => ty,
    };
    match cell {
        Cell::Named(name) if !matches!(ty, TypeExpr::Raw(_)) => {
            out.push((name, lists + usize::from(matches!(ty, TypeExpr::List(_)))));
        }
        Cell::Text(pattern) => out.extend(pattern.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Named(name) => Some((&**name, lists)),
            Part::Joined(name, _) => Some((&**name, lists + 1)),
        })),
        Cell::List(cells) => cells.iter().for_each(|cell| shape(cell, inner, lists, out)),
        Cell::Each(cell) => shape(cell, inner, lists + 1, out),
        _ => {}
    }
}
