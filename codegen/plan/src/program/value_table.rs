//! Checks that the cells of a table fit their fields, and adds the types that they need.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::value_table::{Cell, Part, Row};
use hubgen_model::{Field, Omit, PlainType, RawForm, Type, TypeExpr, TypeId, ValueTable};

use super::ops::{Level, TypedCell, TypedMember, TypedRow, TypedTable};
use super::refusal::Refusal;
use super::{ResolvedPath, empty};
use crate::Types;
use crate::sharing::Sharing;

type Result<T, E = Refusal> = std::result::Result<T, E>;

/// A table with the types of its fields.
///
/// # Errors
/// When a field has a type that no table has, or a cell needs another one.
pub(super) fn typed(
    types: Types<'_>,
    sharing: &Sharing,
    table: &ValueTable,
    [version, hub]: [&[ResolvedPath]; 2],
) -> Result<TypedTable> {
    let check = Check { types, sharing };
    let by_key = version.len().max(hub.len()) > 1;
    let columns = |paths| check.columns(paths, table.each, by_key);
    let (of_version, of_hub) = (columns(version)?, columns(hub)?);
    let row = |row: &Row| {
        check.shapes(row, [&of_version, &of_hub])?;
        let side = |cells: &[Cell], columns: &[Column<'_>]| -> Result<Vec<TypedCell>> {
            cells.iter().zip(columns).map(|(cell, column)| check.in_column(cell, column)).collect()
        };
        Ok(TypedRow {
            version: side(&row.version, &of_version)?,
            hub: side(&row.hub, &of_hub)?,
            way: row.way,
        })
    };
    let rows = table.rows.iter().map(row).collect::<Result<_>>()?;
    for (to_hub, fields) in [(true, hub), (false, version)] {
        let cells = table.of_nothing(to_hub).unwrap_or_default();
        cells.iter().zip(fields).try_for_each(|(cell, path)| makes_nothing(cell, path))?;
    }
    let plain = |columns: &[Column<'_>]| columns.iter().map(Column::plain).collect();
    let each = levels(version, hub, table.each)?;
    Ok(TypedTable { table: table.clone(), version: plain(&of_version), hub: plain(&of_hub), rows, each })
}

/// The lists and maps through which the rows of a table reach. Where one side has JSON of any form, it has what the other
/// side has.
fn levels(version: &[ResolvedPath], hub: &[ResolvedPath], each: usize) -> Result<Vec<Level>> {
    let ([version], [hub]) = (version, hub) else {
        // Lists of keys are beside maps.
        return Ok(vec![Level::Map; each]);
    };
    let level = |(own, other): (Level, Level)| match (own, other) {
        (Level::Any, level) | (level, Level::Any) => Ok(level),
        (own, other) if own == other => Ok(own),
        _ => Err(Refusal {
            message: format!(
                "a `*` stands for the items of a list on one side, and the entries of a map on the other: {version}, {hub}"
            ),
            help: "use `keyed` for a map that is a list in the hub".to_owned(),
        }),
    };
    levels_of(version, each).into_iter().zip(levels_of(hub, each)).map(level).collect()
}

fn levels_of(path: &ResolvedPath, each: usize) -> Vec<Level> {
    let mut ty = &path.field().ty;
    let mut out = Vec::with_capacity(each);
    for _ in 0..each {
        out.push(match ty {
            TypeExpr::List(inner) => {
                ty = inner;
                Level::List
            }
            TypeExpr::Map(inner) => {
                ty = inner;
                Level::Map
            }
            _ => Level::Any,
        });
    }
    out
}

/// Refuses a value for fields without values that only an optional object has: the row does not tell whether the object
/// is there.
fn makes_nothing(cell: &Cell, path: &ResolvedPath) -> Result<()> {
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

/// A field of one side, or the items or entries of one.
struct Column<'a> {
    path: &'a ResolvedPath,
    ty: &'a TypeExpr,
    may_be_absent: bool,
    /// Whether it is the items or entries.
    is_inside: bool,
    /// Whether it has a value for some keys only: the rows are those of each key of several maps.
    is_by_key: bool,
    /// Whether it is a list of keys. To the rows, it is true where it has the key.
    are_keys: bool,
}

impl Column<'_> {
    fn plain(&self) -> PlainType {
        match self.are_keys {
            true => PlainType { ty: TypeExpr::List(Box::new(TypeExpr::String)), optional: true },
            false => PlainType { ty: plain(self.ty), optional: self.may_be_absent && !self.is_inside },
        }
    }
}

/// What a table reads and writes: a single value, a list of such, or JSON.
fn plain(ty: &TypeExpr) -> TypeExpr {
    match ty {
        TypeExpr::List(inner) if is_single(inner) => ty.clone(),
        ty if is_single(ty) => ty.clone(),
        _ => TypeExpr::Raw(RawForm::Json),
    }
}

fn is_single(ty: &TypeExpr) -> bool {
    matches!(ty, TypeExpr::Bool | TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::String)
}

fn is_known(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::Raw(_) | TypeExpr::Ref(_) => true,
        TypeExpr::List(inner) | TypeExpr::Map(inner) => is_known(inner),
        ty => is_single(ty),
    }
}

/// What a name has in a cell.
#[derive(Clone, Copy)]
enum Shape<'a> {
    /// A single value in so many lists.
    Single(usize),
    /// JSON of any form.
    Any,
    /// A value of another type in so many lists, which is copied.
    Copied(&'a TypeExpr, usize),
}

struct Check<'a> {
    types: Types<'a>,
    sharing: &'a Sharing,
}

impl Check<'_> {
    fn columns<'p>(&self, paths: &'p [ResolvedPath], each: usize, by_key: bool) -> Result<Vec<Column<'p>>> {
        let column = |path: &'p ResolvedPath| {
            let field = path.field();
            let mut ty = &field.ty;
            let is_by_key = each > 0 && by_key;
            let are_keys = is_by_key && matches!(ty, TypeExpr::List(inner) if **inner == TypeExpr::String);
            for _ in 0..each {
                ty = match ty {
                    _ if are_keys => &BOOL,
                    TypeExpr::List(_) if is_by_key => {
                        return Err(Refusal {
                            message: format!(
                                "beside other fields, a `*` stands for the keys of a map, or of a list of them; {path} is {}",
                                field.ty
                            ),
                            help: "name maps and lists of texts only".to_owned(),
                        });
                    }
                    TypeExpr::List(inner) | TypeExpr::Map(inner) => inner,
                    TypeExpr::Raw(_) => ty,
                    other => {
                        return Err(Refusal {
                            message: format!(
                                "a `*` stands for the items of a list or a map; {path} is {}, and {other} has none",
                                field.ty
                            ),
                            help: "end the path with one `*` for each list or map".to_owned(),
                        });
                    }
                };
            }
            if !is_known(ty) {
                return Err(Refusal {
                    message: format!(
                        "tables have texts, truth values, whole numbers, objects, lists and maps of these, and JSON of any \
                         form; {path} is {ty}"
                    ),
                    help: "name other fields, or write two functions of your own: function = [{ module = \"…\", … }]"
                        .to_owned(),
                });
            }
            let (may_be_absent, is_inside) = (field.may_be_absent(), each > 0);
            Ok(Column { path, ty, may_be_absent, is_inside, is_by_key, are_keys })
        };
        paths.iter().map(column).collect()
    }

    fn in_column(&self, cell: &Cell, column: &Column<'_>) -> Result<TypedCell> {
        let is_json = matches!(column.ty, TypeExpr::Raw(_));
        let is_empty = matches!(cell, Cell::EmptyText | Cell::EmptyList);
        if is_empty && !column.may_be_absent && !column.is_inside && !is_json {
            return Err(Refusal {
                message: format!("{} is the same by its type, whether it is empty or absent", column.path),
                help: "write \"\" for no value and for an empty one".to_owned(),
            });
        }
        if *cell == Cell::Nothing && column.is_inside && !column.is_by_key && !is_json {
            return Err(Refusal {
                message: format!("the items of {} are {}, which is always a value", column.path, column.ty),
                help: "write '{\"\"}' for an empty text, [] for an empty list, and {} for an empty object"
                    .to_owned(),
            });
        }
        self.cell(cell, column.ty, &column.path.to_string())
    }

    /// A cell of a value with a type; `at` is its path, for errors.
    fn cell(&self, cell: &Cell, ty: &TypeExpr, at: &str) -> Result<TypedCell> {
        let inside = |cell: &Cell, ty: &TypeExpr| self.cell(cell, ty, at);
        let json = &TypeExpr::Raw(RawForm::Json);
        Ok(match (cell, ty) {
            (Cell::List(cells), TypeExpr::List(_) | TypeExpr::Raw(_)) => {
                let ty = items(ty);
                TypedCell::List(cells.iter().map(|cell| inside(cell, ty)).collect::<Result<_>>()?)
            }
            (Cell::Each(cell), TypeExpr::List(_) | TypeExpr::Raw(_)) => {
                TypedCell::Each(Box::new(inside(cell, items(ty))?))
            }
            (Cell::Object(members), TypeExpr::Ref(id)) => self.object(members, id, at)?,
            (Cell::Object(members), TypeExpr::Map(_) | TypeExpr::Raw(_)) => {
                let inner = if let TypeExpr::Map(inner) = ty { &**inner } else { json };
                let member = |(name, cell): &(String, Cell)| {
                    Ok(TypedMember {
                        name: name.clone(),
                        ty: PlainType { ty: plain(inner), optional: true },
                        always: None,
                        cell: self.cell(cell, inner, &format!("{at}.{name}"))?,
                    })
                };
                TypedCell::Object {
                    members: members.iter().map(member).collect::<Result<_>>()?,
                    others: None,
                }
            }
            (Cell::Entry(name, cell), TypeExpr::Map(inner)) => {
                TypedCell::Entry(name.clone(), Box::new(inside(cell, inner)?))
            }
            (Cell::Entry(name, cell), TypeExpr::Raw(_)) => {
                TypedCell::Entry(name.clone(), Box::new(inside(cell, json)?))
            }
            (cell, ty) => {
                single(cell, ty, at)?;
                TypedCell::Single(cell.clone())
            }
        })
    }

    /// A cell of an object: its members, those that its type writes in any case, and the names of all others.
    fn object(&self, members: &[(String, Cell)], id: &TypeId, at: &str) -> Result<TypedCell> {
        let Some(ty) = self.types.find(id) else { return Err(format!("{at}: unknown type {id}").into()) };
        if let Some((name, _)) = members.iter().find(|(name, _)| ty.named().all(|field| field.name != *name))
        {
            let fields: Vec<&str> = ty.named().map(|field| &*field.name).collect();
            return Err(Refusal {
                message: format!("{id} has no field `{name}`; its fields are {}", fields.join(", ")),
                help: "name a field of the object in each of its cells".to_owned(),
            });
        }
        let (mut out, mut others) = (Vec::new(), Vec::new());
        for field in ty.named() {
            let cell = members.iter().find(|(name, _)| *name == field.name).map(|(_, cell)| cell);
            if cell.is_none() && field.may_be_absent() {
                others.push(field.name.clone());
                continue;
            }
            out.push(self.member(cell, field, &format!("{at}.{}", field.name))?);
        }
        // Unknown fields that the type keeps are values, too.
        Ok(TypedCell::Object { members: out, others: (!ty.has_rest()).then_some(others) })
    }

    fn member(&self, cell: Option<&Cell>, field: &Field, at: &str) -> Result<TypedMember> {
        let is_written = !field.may_be_absent() && field.omit == Omit::Exact;
        let cell = match (cell, &field.ty) {
            (Some(cell), ty) => self.cell(cell, ty, at)?,
            (None, TypeExpr::Ref(id)) if is_written => self.object(&[], id, at)?,
            (None, ty) if ty.has_empty() || !is_written => TypedCell::Single(Cell::Nothing),
            (None, ty) => {
                return Err(Refusal {
                    message: format!("{at} is {ty}, which is there in any case"),
                    help: format!("name it in the cell: {{ {} = \"{{name}}\" }}", field.name),
                });
            }
        };
        Ok(TypedMember {
            name: field.name.clone(),
            ty: PlainType { ty: plain(&field.ty), optional: field.may_be_absent() },
            always: is_written.then(|| empty::json(&field.ty).to_owned()),
            cell,
        })
    }

    /// Refuses a name that has other values on the one side than on the other.
    fn shapes(&self, row: &Row, [version, hub]: [&[Column<'_>]; 2]) -> Result<()> {
        let mut shapes: BTreeMap<&str, Shape<'_>> = BTreeMap::new();
        for (cells, columns) in [(&row.version, version), (&row.hub, hub)] {
            for (cell, column) in cells.iter().zip(columns) {
                let mut found = Vec::new();
                self.shape(cell, column.ty, 0, &mut found);
                for (name, shape) in found {
                    if let Some(other) = shapes.insert(name, shape) {
                        self.same_shape(name, other, shape)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn same_shape(&self, name: &str, one: Shape<'_>, other: Shape<'_>) -> Result<()> {
        let others = |ty: &TypeExpr, other: &str| Refusal {
            message: format!("`{name}` is {ty} on one side of a row, and {other} on the other"),
            help: format!(
                "write the members of the object on both sides, such as {{ name = \"{{{name}}}\" }}, or copy values of one \
                 type"
            ),
        };
        match (one, other) {
            (Shape::Single(lists), Shape::Single(others)) if lists != others => Err(Refusal {
                message: format!("`{name}` is a list on one side of a row, and a single value on the other"),
                help: format!(
                    "write [\"{{{name}}}\"] for a list of one value, [\"{{{name}}}\", \"...\"] for a list of such values, or \
                     \"{{{name}:,}}\" for a text with commas between them"
                ),
            }),
            (Shape::Copied(ty, lists), Shape::Copied(other, of_other)) => {
                match lists == of_other && self.is_same(ty, other, &mut BTreeSet::new()) {
                    true => Ok(()),
                    false => Err(others(ty, &other.to_string())),
                }
            }
            (Shape::Copied(ty, _), Shape::Any) | (Shape::Any, Shape::Copied(ty, _)) => {
                Err(others(ty, "JSON of any form"))
            }
            (Shape::Copied(ty, _), Shape::Single(_)) | (Shape::Single(_), Shape::Copied(ty, _)) => {
                Err(others(ty, "a single value"))
            }
            _ => Ok(()),
        }
    }

    /// Whether values of two types have the same JSON.
    fn is_same<'t>(
        &self,
        one: &'t TypeExpr,
        other: &'t TypeExpr,
        inside: &mut BTreeSet<(TypeId, TypeId)>,
    ) -> bool {
        match (one, other) {
            (TypeExpr::List(one), TypeExpr::List(other)) | (TypeExpr::Map(one), TypeExpr::Map(other)) => {
                self.is_same(one, other, inside)
            }
            (TypeExpr::Ref(one), TypeExpr::Ref(other)) => {
                // Types may contain themselves.
                if self.sharing.representing(one) == self.sharing.representing(other)
                    || !inside.insert((one.clone(), other.clone()))
                {
                    return true;
                }
                let (Some(one), Some(other)) = (self.types.find(one), self.types.find(other)) else {
                    return false;
                };
                let is_field = |field: &Field, other: &Field| {
                    field.name == other.name && field.presence == other.presence && field.omit == other.omit
                };
                let fields: Vec<(&Field, &Field)> = one.fields().iter().zip(other.fields()).collect();
                one.fields().len() == other.fields().len()
                    && fields.into_iter().all(|(field, other)| {
                        is_field(field, other) && self.is_same(&field.ty, &other.ty, inside)
                    })
            }
            (one, other) => one == other,
        }
    }

    /// The names in a cell. JSON of any form may be a list or none.
    fn shape<'c>(&self, cell: &'c Cell, ty: &'c TypeExpr, lists: usize, out: &mut Vec<(&'c str, Shape<'c>)>)
    where
        Self: 'c,
    {
        match cell {
            Cell::Named(name) => out.push((
                name,
                match ty {
                    TypeExpr::Raw(_) => Shape::Any,
                    TypeExpr::List(inner) if is_single(inner) => Shape::Single(lists + 1),
                    ty if is_single(ty) => Shape::Single(lists),
                    ty => Shape::Copied(ty, lists),
                },
            )),
            Cell::Text(pattern) => out.extend(pattern.parts.iter().filter_map(|part| match part {
                Part::Literal(_) => None,
                Part::Named(name) => Some((&**name, Shape::Single(lists))),
                Part::Joined(name, _) => Some((&**name, Shape::Single(lists + 1))),
            })),
            Cell::List(cells) => cells.iter().for_each(|cell| self.shape(cell, items(ty), lists, out)),
            Cell::Each(cell) => self.shape(cell, items(ty), lists + 1, out),
            Cell::Object(members) => {
                for (name, cell) in members {
                    let of_field = |ty: &'c Type| ty.field(name).map(|field| &field.ty);
                    let inner = match ty {
                        TypeExpr::Ref(id) => self.found(id).and_then(of_field),
                        TypeExpr::Map(inner) => Some(&**inner),
                        _ => None,
                    };
                    self.shape(cell, inner.unwrap_or(&JSON), lists, out);
                }
            }
            Cell::Entry(name, cell) => {
                out.push((name, Shape::Single(lists)));
                let inner = if let TypeExpr::Map(inner) = ty { inner } else { &JSON };
                self.shape(cell, inner, lists, out);
            }
            _ => {}
        }
    }

    fn found<'c>(&self, id: &TypeId) -> Option<&'c Type>
    where
        Self: 'c,
    {
        self.types.find(id)
    }
}

static JSON: TypeExpr = TypeExpr::Raw(RawForm::Json);

/// Of a key that a list has.
static BOOL: TypeExpr = TypeExpr::Bool;

/// The type of the items of a list. Those of JSON are JSON.
fn items(ty: &TypeExpr) -> &TypeExpr {
    match ty {
        TypeExpr::List(inner) => inner,
        ty => ty,
    }
}

/// Checks a cell of a single value.
fn single(cell: &Cell, ty: &TypeExpr, at: &str) -> Result<()> {
    let (fits, needed) = match (cell, ty) {
        (Cell::Nothing | Cell::Any | Cell::Named(_), _) | (_, TypeExpr::Raw(_)) => return Ok(()),
        (Cell::Bool(_), ty) => (*ty == TypeExpr::Bool, "bool"),
        (Cell::Integer(value), TypeExpr::Int32) if i32::try_from(*value).is_err() => {
            return Err(Refusal {
                message: format!("{at} is {ty}, which cannot be {value}"),
                help: "write a number between -2147483648 and 2147483647".to_owned(),
            });
        }
        (Cell::Integer(_), ty) => (matches!(ty, TypeExpr::Int32 | TypeExpr::Int64), "a whole number"),
        (Cell::Word(_) | Cell::Text(_) | Cell::EmptyText, ty) => (*ty == TypeExpr::String, "a text"),
        (Cell::EmptyList, ty) => (matches!(ty, TypeExpr::List(_)), "a list"),
        (Cell::List(_) | Cell::Each(_), _) => (false, "a list"),
        (Cell::Object(_), _) => (false, "an object"),
        (Cell::Entry(..), _) => (false, "a map"),
    };
    if fits {
        return Ok(());
    }
    Err(Refusal {
        message: format!("{at} is {ty}; a row has a cell for {needed}"),
        help: "write `true` or `false` for a truth value, a number without quotes for a number, an array for a list, \
               `{ name = … }` for an object, \"{name}\" for a value that the other side has as well, and \"\" for none"
            .to_owned(),
    })
}
