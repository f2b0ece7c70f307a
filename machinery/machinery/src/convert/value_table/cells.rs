//! Reads the values of a row, and writes those of its other side.

use std::collections::BTreeMap;

use super::known::{Bound, Known, Value, plain, read};
use super::pattern::{join, split};
use super::{Cell, PlainType};

/// What the names of a row have if it has these values.
pub(super) fn bind(cells: &[Cell], values: &[Value], types: &[PlainType]) -> Option<Bound> {
    let mut bound = Bound::new();
    for ((cell, value), ty) in cells.iter().zip(values).zip(types) {
        match (cell, value) {
            (Cell::Any, _) | (Cell::Nothing, None) => {}
            // A field without a value is `false` or zero. JSON of any form has more than one that is empty.
            (Cell::Bool(false) | Cell::Integer(0), None) if !is_json(*ty) => {}
            // The other side has none, either.
            (Cell::Named(_), None) => {}
            (cell, Some(value)) => bound.extend(bind_one(cell, value)?),
            _ => return None,
        }
    }
    Some(bound)
}

fn is_json(ty: PlainType) -> bool {
    matches!(ty, PlainType::Json | PlainType::Optional(PlainType::Json))
}

/// What the names of a cell have if it has this value.
fn bind_one(cell: &Cell, value: &Known) -> Option<Bound> {
    let is_it = |is: bool| is.then(Bound::new);
    match (cell, value) {
        (Cell::Any, _) => Some(Bound::new()),
        (Cell::Bool(expected), Known::Bool(found)) => is_it(expected == found),
        (Cell::Integer(expected), Known::Integer(found)) => is_it(expected == found),
        (Cell::Word(word), Known::Text(found)) => is_it(**word == **found),
        (Cell::Nothing, Known::Text(found)) => is_it(found.is_empty()),
        (Cell::Named(name), value) => Some(Bound::from([(name.to_string(), value.clone())])),
        (Cell::Text(parts), Known::Text(text)) => split(parts, text),
        (Cell::List(cells), Known::List(items)) if cells.len() == items.len() => {
            let mut bound = Bound::new();
            for (cell, item) in cells.iter().zip(items) {
                bound.extend(bind_one(cell, item)?);
            }
            Some(bound)
        }
        (Cell::Each(cell), Known::List(items)) if !items.is_empty() => {
            let mut lists: BTreeMap<String, Vec<Known>> = BTreeMap::new();
            for item in items {
                for (name, value) in bind_one(cell, item)? {
                    lists.entry(name).or_default().push(value);
                }
            }
            Some(lists.into_iter().map(|(name, values)| (name, Known::List(values))).collect())
        }
        _ => None,
    }
}

/// The values of a row; `None` if they would not be read as this row again, with the same names.
pub(super) fn fill(cells: &[Cell], bound: &Bound, types: &[PlainType]) -> Option<Vec<Value>> {
    let value = |(cell, ty): (&Cell, &PlainType)| -> Option<Value> {
        match cell {
            Cell::Nothing | Cell::Any => Some(None),
            Cell::Named(name) if !bound.contains_key(&**name) => Some(None),
            cell => Some(Some(fill_one(cell, bound)?.of_type(*ty)?)),
        }
    };
    let values: Vec<Value> = cells.iter().zip(types).map(value).collect::<Option<_>>()?;
    let reread = values.iter().cloned().zip(types).map(|(value, ty)| read(plain(value, *ty)));
    let reread = bind(cells, &reread.collect::<Option<Vec<_>>>()?, types)?;
    let is_same = reread.len() == bound.len()
        && bound.iter().all(|(name, value)| reread.get(name).is_some_and(|other| value.is_like(other)));
    is_same.then_some(values)
}

fn fill_one(cell: &Cell, bound: &Bound) -> Option<Known> {
    Some(match cell {
        // An item of a list is always there.
        Cell::Nothing | Cell::Any => Known::Text("".into()),
        Cell::Bool(value) => Known::Bool(*value),
        Cell::Integer(value) => Known::Integer(*value),
        Cell::Word(word) => Known::Text((&**word).into()),
        Cell::Named(name) => bound.get(&**name)?.clone(),
        Cell::Text(parts) => Known::Text(join(parts, bound)?),
        Cell::List(cells) => {
            Known::List(cells.iter().map(|cell| fill_one(cell, bound)).collect::<Option<_>>()?)
        }
        Cell::Each(cell) => {
            let mut names = Vec::new();
            cell.names(&mut names);
            let mut lists = Vec::with_capacity(names.len());
            for name in names {
                let Known::List(items) = bound.get(name)? else { return None };
                lists.push((name, items));
            }
            let (_, first) = lists.first()?;
            let one = |index: usize| {
                let of = |(name, items): &(&str, &Vec<Known>)| {
                    Some(((*name).to_owned(), items.get(index)?.clone()))
                };
                fill_one(cell, &lists.iter().map(of).collect::<Option<Bound>>()?)
            };
            Known::List((0..first.len()).map(one).collect::<Option<_>>()?)
        }
    })
}
