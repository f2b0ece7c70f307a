//! Checks that the cells of a table fit their fields.

use hubgen_model::value_table::Cell;
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
    }
    Ok(TypedTable { table: table.clone(), version: version_types, hub: hub_types })
}

fn types(paths: &[ResolvedPath]) -> Result<Vec<PlainType>, Refusal> {
    let plain = |path: &ResolvedPath| {
        let is_known =
            matches!(path.field().ty, TypeExpr::Bool | TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::String);
        PlainType::from_field(path.field()).filter(|_| is_known).ok_or_else(|| Refusal {
            message: format!(
                "tables have texts, truth values and whole numbers; {path} is {}",
                path.field().ty
            ),
            help: "name other fields, or write two functions of your own: function = [{ module = \"…\", … }]"
                .to_owned(),
        })
    };
    paths.iter().map(plain).collect()
}

fn fits(cell: &Cell, path: &ResolvedPath) -> Result<(), Refusal> {
    let Some(needed) = cell.needs() else { return Ok(()) };
    let ty = &path.field().ty;
    if let Cell::Integer(value) = cell
        && *ty == TypeExpr::Int32
        && i32::try_from(*value).is_err()
    {
        return Err(Refusal {
            message: format!("{path} is {ty}, which cannot be {value}"),
            help: "write a number between -2147483648 and 2147483647".to_owned(),
        });
    }
    if needed.contains(ty) {
        return Ok(());
    }
    Err(Refusal {
        message: format!("{path} is {ty}; a row has a cell for {}", needed[0]),
        help: "write `true` or `false` for a truth value, a number without quotes for a number, \"{name}\" for a value that \
               the other side has as well, and \"\" for none"
            .to_owned(),
    })
}
