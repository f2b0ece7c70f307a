//! Reads the values of a row, and writes those of its other side.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Bound, Known, Named, Value, of_json, plain, read, there};
use super::pattern::{join, split};
use super::{Cell, Member, PlainType};

/// The values of one side of a row.
pub(super) struct Side<'t> {
    pub(super) cells: &'t [Cell],
    pub(super) types: &'t [PlainType],
    pub(super) of: Of,
}

/// What has the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Fields, to which an empty text is no value.
    Fields,
    /// An item or entry, which is always there.
    Item,
    /// A key of several maps, of which some have it.
    Key,
}

impl Side<'_> {
    /// What the names of the row have if the side has these values.
    pub(super) fn bind(&self, values: &[Value]) -> Option<Bound> {
        let mut bound = Bound::new();
        for ((cell, value), ty) in self.cells.iter().zip(values).zip(self.types) {
            // An item that is not there is `null`, and no value that a name may have.
            let is_missing =
                self.of == Of::Item && value.is_none() && !matches!(cell, Cell::Nothing | Cell::Any);
            // An empty text of an item or a key is there.
            let is_there = self.of != Of::Fields && value.is_some() && *cell == Cell::Nothing;
            if is_missing || is_there {
                return None;
            }
            add(&mut bound, bind(cell, value.as_ref(), *ty, self.of != Of::Fields)?)?;
        }
        Some(bound)
    }

    /// The values that have these names; `None` if they would not be read as this row again, with the same names.
    pub(super) fn fill(&self, bound: &Bound) -> Option<Vec<Value>> {
        let value = |(cell, ty): (&Cell, &PlainType)| fill(cell, bound, *ty);
        let values: Vec<Value> = self.cells.iter().zip(self.types).map(value).collect::<Option<_>>()?;
        let reread =
            values.iter().cloned().zip(self.types).map(|(value, ty)| {
                if self.of == Of::Fields { read(plain(value, *ty)?) } else { Some(value) }
            });
        let reread = self.bind(&reread.collect::<Option<Vec<_>>>()?)?;
        let is_same = reread.len() == bound.len()
            && bound
                .iter()
                .all(|(name, part)| reread.get(name).is_some_and(|other| part.known.is_like(&other.known)));
        is_same.then_some(values)
    }
}

/// Adds names. One that is in several cells has one value.
fn add(bound: &mut Bound, found: Bound) -> Option<()> {
    for (name, named) in found {
        match bound.get(&name) {
            Some(other) if !other.known.is_like(&named.known) => return None,
            _ => drop(bound.insert(name, named)),
        }
    }
    Some(())
}

fn is_json(ty: PlainType) -> bool {
    matches!(ty, PlainType::Json | PlainType::Optional(PlainType::Json))
}

/// What the names of a cell have if it has this value.
fn bind(cell: &Cell, value: Option<&Known>, ty: PlainType, is_inside: bool) -> Option<Bound> {
    let filled = value.filter(|known| is_inside || !known.is_empty());
    match (cell, filled) {
        (Cell::Any, _) | (Cell::Nothing, None) => Some(Bound::new()),
        // An item of a list is always there.
        (Cell::Nothing, Some(known)) => known.is_empty().then(Bound::new),
        // A field without a value is `false` or zero. JSON of any form has more than one that is empty.
        (Cell::Bool(false) | Cell::Integer(0), None) if !is_json(ty) => Some(Bound::new()),
        (Cell::EmptyText, _) => (value == Some(&Known::Text("".into()))).then(Bound::new),
        (Cell::EmptyList, _) => (value == Some(&Known::List(Vec::new()))).then(Bound::new),
        // The other side has none, either.
        (Cell::Named(name), None) => Some(Bound::from([(name.to_string(), Named::NOTHING)])),
        (cell, Some(known)) => bind_one(cell, known, is_json(ty)),
        _ => None,
    }
}

/// The same for a value that is there.
fn bind_one(cell: &Cell, value: &Known, is_exact: bool) -> Option<Bound> {
    let is_it = |is: bool| is.then(Bound::new);
    match (cell, value) {
        (Cell::Any, _) => Some(Bound::new()),
        (Cell::Bool(expected), Known::Bool(found)) => is_it(expected == found),
        (Cell::Integer(expected), Known::Integer(found)) => is_it(expected == found),
        (Cell::Word(word), Known::Text(found)) => is_it(**word == **found),
        (Cell::Nothing, known) => is_it(known.is_empty()),
        (Cell::EmptyText, Known::Text(found)) => is_it(found.is_empty()),
        (Cell::EmptyList, Known::List(items)) => is_it(items.is_empty()),
        (Cell::Named(name), known) => {
            Some(Bound::from([(name.to_string(), Named { known: known.clone(), is_exact })]))
        }
        (Cell::Text(parts), Known::Text(text)) => {
            let part = |(name, known)| (name, Named { known, is_exact: false });
            Some(split(parts, text)?.into_iter().map(part).collect())
        }
        (Cell::List(cells), Known::List(items)) if cells.len() == items.len() => {
            let mut bound = Bound::new();
            for (cell, item) in cells.iter().zip(items) {
                add(&mut bound, bind_one(cell, item, is_exact)?)?;
            }
            Some(bound)
        }
        (Cell::Each(cell), Known::List(items)) if !items.is_empty() => {
            let mut lists: BTreeMap<String, Vec<Known>> = BTreeMap::new();
            for item in items {
                for (name, part) in bind_one(cell, item, is_exact)? {
                    lists.entry(name).or_default().push(part.known);
                }
            }
            let part = |(name, values)| (name, Named { known: Known::List(values), is_exact });
            Some(lists.into_iter().map(part).collect())
        }
        (Cell::Object { members, others }, Known::Object(found)) => {
            bind_members(members, others.as_deref(), found, is_exact)
        }
        (Cell::Entry(name, cell), Known::Object(found)) => {
            let mut entries = found.iter();
            let (Some((key, value)), None) = (entries.next(), entries.next()) else { return None };
            let mut bound = bind_one(cell, value, is_exact)?;
            let known = Known::Text(key.as_str().into());
            let key = Bound::from([(name.to_string(), Named { known, is_exact: false })]);
            add(&mut bound, key)?;
            Some(bound)
        }
        _ => None,
    }
}

fn bind_members(
    members: &[Member],
    others: Option<&[crate::reflect::Text]>,
    found: &BTreeMap<String, Known>,
    is_exact: bool,
) -> Option<Bound> {
    let there = |name: &str| found.get(name).and_then(|known| there(known.clone()));
    let named: BTreeSet<&str> = members.iter().map(|member| &*member.name).collect();
    let is_other = |name: &str| match others {
        Some(others) => others.iter().any(|other| **other == *name),
        None => !named.contains(name),
    };
    if found.keys().any(|name| is_other(name) && there(name).is_some()) {
        return None;
    }
    let mut bound = Bound::new();
    for Member { name, ty, always, cell } in members {
        let written = || always.as_ref().and_then(|json| self::there(of_json(json.parse().ok()?)));
        let value = match (ty, there(name)) {
            // What is always written is a value even if it is empty.
            (_, value) if always.is_some() => value.or_else(written),
            (PlainType::Optional(_) | PlainType::Json, value) => value,
            // A value that cannot be absent is the same as none if it is empty.
            (_, Some(Known::Bool(false) | Known::Integer(0))) => None,
            (_, value) => value.filter(|known| !known.is_empty()),
        };
        let found = bind(cell, value.as_ref(), *ty, true)?;
        let exact =
            |(name, named): (String, Named)| (name, Named { is_exact: named.is_exact || is_exact, ..named });
        add(&mut bound, found.into_iter().map(exact).collect())?;
    }
    Some(bound)
}

/// The value of a cell; `Some(None)` if it has none, and `None` if the names have other values than it can have.
fn fill(cell: &Cell, bound: &Bound, ty: PlainType) -> Option<Value> {
    match cell {
        Cell::Nothing | Cell::Any => Some(None),
        Cell::Named(name) => match bound.get(&**name) {
            None => Some(None),
            Some(part) if part.known.is_null() => Some(None),
            Some(part) if part.is_exact && !part.known.is_of(ty) => None,
            Some(part) => Some(Some(part.known.of_type(ty)?)),
        },
        cell => Some(Some(fill_one(cell, bound)?.of_type(ty)?)),
    }
}

fn fill_one(cell: &Cell, bound: &Bound) -> Option<Known> {
    Some(match cell {
        // An item of a list is always there.
        Cell::Nothing | Cell::Any | Cell::EmptyText => Known::Text("".into()),
        Cell::EmptyList => Known::List(Vec::new()),
        Cell::Bool(value) => Known::Bool(*value),
        Cell::Integer(value) => Known::Integer(*value),
        Cell::Word(word) => Known::Text((&**word).into()),
        Cell::Named(name) => bound.get(&**name)?.known.clone(),
        Cell::Text(parts) => Known::Text(join(parts, bound)?),
        Cell::List(cells) => {
            Known::List(cells.iter().map(|cell| fill_one(cell, bound)).collect::<Option<_>>()?)
        }
        Cell::Each(cell) => {
            let mut names = Vec::new();
            cell.names(&mut names);
            let mut lists = Vec::with_capacity(names.len());
            for name in names {
                let Named { known: Known::List(items), is_exact } = bound.get(name)? else { return None };
                lists.push((name, items, *is_exact));
            }
            let (_, first, _) = lists.first()?;
            let one = |index: usize| {
                let of = |(name, items, is_exact): &(&str, &Vec<Known>, bool)| {
                    let known = items.get(index)?.clone();
                    Some(((*name).to_owned(), Named { known, is_exact: *is_exact }))
                };
                fill_one(cell, &lists.iter().map(of).collect::<Option<Bound>>()?)
            };
            Known::List((0..first.len()).map(one).collect::<Option<_>>()?)
        }
        Cell::Object { members, .. } => {
            let mut out = BTreeMap::new();
            for Member { name, ty, always, cell } in &**members {
                let value = match fill(cell, bound, *ty)? {
                    None => always.as_ref().map(|json| of_json(json.parse().unwrap_or_default())),
                    value => value,
                };
                out.extend(value.map(|value| (name.to_string(), value)));
            }
            Known::Object(out)
        }
        Cell::Entry(name, cell) => {
            let key = bound.get(&**name)?.known.text()?;
            Known::Object(BTreeMap::from([(key.to_string(), fill_one(cell, bound)?)]))
        }
    })
}
