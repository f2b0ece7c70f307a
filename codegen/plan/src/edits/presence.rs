//! Edits for what is there without a value: objects that others follow, required ones, and those that a stash must
//! tell.

use std::collections::BTreeMap;

use hubgen_json::writer;
use hubgen_model::Omit;
use hubgen_model::value_table::Cell;

use super::{Edit, path};
use crate::program::empty::{self, is_null};
use crate::program::made_up::{self, Made};
use crate::program::ops::{Absence, Callee, Element, FieldCopy, Op, Parent, When};
use crate::program::{Direction, ResolvedPath};
use crate::{Mapping, Pair};

/// The edits for optional objects.
pub(super) fn edits(mapping: &Mapping, pair: &Pair, direction: Direction) -> Vec<Edit> {
    let program = pair.program(direction);
    let mut out: Vec<Edit> =
        program.parents.iter().filter_map(|parent| present(parent, &program.ops, direction)).collect();
    if direction == Direction::FromHub {
        let determined = pair.to_hub.ops.iter().filter_map(|op| determined(mapping, op));
        out.extend(determined.flat_map(determined_edits));
        out.extend(program.ops.iter().filter_map(Op::copy).filter(|copy| moves_null(copy)).map(null));
        out.extend(filled(pair));
    }
    out
}

/// The edits for required members, of objects before what is in them.
pub(super) fn required_edits(mapping: &Mapping, pair: &Pair, direction: Direction) -> Vec<Edit> {
    let program = pair.program(direction);
    // Of fields that only the hub has, the objects around them.
    let kept = if direction == Direction::ToHub { &*pair.kept } else { &[] };
    let edit = |to: &ResolvedPath, empty: &str| Edit::Required { to: path(to), empty: empty.to_owned() };
    let mut out: Vec<Edit> = required(&program.ops, kept).iter().map(|to| edit(to, "{}")).collect();
    for copy in program.ops.iter().filter_map(Op::copy) {
        let mut values = values(mapping, copy, direction);
        // An object that the source requires as well is only absent from a part of an object, which stays one.
        let is_of_field = |made: &Made| matches!(made, Made::Element(_) | Made::Number(_));
        values.retain(|(_, made)| copy.absence == Absence::BecomesEmpty || !is_of_field(made));
        if !values.is_empty() {
            out.push(edit(&copy.to, "{}"));
        }
        for (names, value) in values {
            out.extend(with_value(copy, &names, &value));
        }
    }
    out.extend(nulls(&program.ops).map(|to| edit(to, "null")));
    if direction == Direction::FromHub {
        out.extend(left_out_nulls(pair).map(|to| edit(to, "null")));
    }
    out.extend(always_written(&program.ops).map(|to| edit(to, empty::json(&to.field().ty))));
    out
}

/// The edits for a value in an object that a copy makes of an absent one, and for the required objects around it. A word
/// is always there; what a table writes without values is not where it finds some, nor is the element or the text for a
/// field where the field is.
fn with_value<'a>(
    copy: &'a FieldCopy,
    names: &'a [&str],
    value: &Made,
) -> impl Iterator<Item = Edit> + use<'a> {
    let (value, is_word) = match value {
        Made::Word(word) => (json(&Cell::Word((*word).to_owned())), true),
        Made::Cell(cell) => (json(cell), false),
        Made::Number(form) => (json(&Cell::Word(form.zero().to_owned())), false),
        Made::Element(element) => (format!("[{}]", json_of(element)), false),
    };
    (1..=names.len()).map(move |count| {
        let to = super::names(copy.to.names().into_iter().chain(names[..count].iter().copied()));
        match count == names.len() {
            true if is_word => Edit::Required { to, empty: value.clone() },
            true => Edit::Made { to, value: value.clone(), without: path(&copy.from) },
            false => Edit::Required { to, empty: "{}".to_owned() },
        }
    })
}

/// The element for a field that has no value.
fn json_of(element: &Element) -> String {
    let word = |word: &str| json(&Cell::Word(word.to_owned()));
    let when = element.when.iter().map(|(path, text)| (path.names(), word(text)));
    let value = &element.value;
    let value = (value.may_be_absent() || value.field().omit == Omit::Exact)
        .then(|| (value.names(), empty::json(&value.field().ty).to_owned()));
    object(&when.chain(value).collect::<Vec<_>>())
}

/// An object with these values, each with its names from this object.
fn object(values: &[(Vec<&str>, String)]) -> String {
    let mut members: BTreeMap<&str, Vec<(Vec<&str>, String)>> = BTreeMap::new();
    for (names, value) in values {
        members.entry(names[0]).or_default().push((names[1..].to_vec(), value.clone()));
    }
    let member = |(name, values): (&str, Vec<(Vec<&str>, String)>)| {
        let value = match &values[..] {
            [(names, value)] if names.is_empty() => value.clone(),
            values => object(values),
        };
        format!("{}:{value}", json(&Cell::Word(name.to_owned())))
    };
    format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
}

fn json(cell: &Cell) -> String {
    let mut out = Vec::new();
    append(&mut out, cell);
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn append(out: &mut Vec<u8>, cell: &Cell) {
    match cell {
        Cell::Bool(value) => writer::bool(out, *value),
        Cell::Integer(value) => writer::integer(out, *value),
        Cell::Word(word) => writer::string(out, word),
        Cell::List(cells) => {
            out.push(b'[');
            for (index, cell) in cells.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                append(out, cell);
            }
            out.push(b']');
        }
        Cell::Object(members) => {
            let members = members.iter().filter(|(_, cell)| *cell != Cell::Nothing);
            out.push(b'{');
            for (index, (name, cell)) in members.enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                writer::string(out, name);
                out.push(b':');
                append(out, cell);
            }
            out.push(b'}');
        }
        Cell::EmptyList => out.extend_from_slice(b"[]"),
        // As an item of a list.
        Cell::Nothing
        | Cell::Any
        | Cell::EmptyText
        | Cell::Entry(..)
        | Cell::Named(_)
        | Cell::Text(_)
        | Cell::Each(_) => writer::string(out, ""),
    }
}

/// The edit for an optional object that is elsewhere in the source and may be empty, or at the same path where that of
/// the version has fields that the hub has elsewhere or not at all: it may be there for them alone.
fn present(parent: &Parent, ops: &[Op], direction: Direction) -> Option<Edit> {
    let source = parent.when.followed()?;
    let is_in = |path: &ResolvedPath| path.names().starts_with(&source.names());
    let leaves_hub = |copy: &FieldCopy| match direction {
        Direction::ToHub => is_in(&copy.from) && !is_in(&copy.to),
        Direction::FromHub => is_in(&copy.to) && !is_in(&copy.from),
    };
    let crosses = |copy: &FieldCopy| is_in(&copy.from) != is_in(&copy.to);
    let copies = || ops.iter().filter_map(Op::copy);
    let has_word = || ops.iter().any(|op| matches!(op, Op::Word { to, .. } if is_in(to)));
    // What elements share leaves the object, and is lost where the list is empty.
    let shares = |op: &Op| match op {
        Op::Spread { first, each, .. } => {
            let fields = first.iter().map(|first| &first.field).chain(each.iter().map(|each| &each.field));
            fields.into_iter().any(is_in)
        }
        _ => false,
    };
    let is_needed = source.names() != parent.path.names()
        || ops.iter().any(shares)
        || copies().any(leaves_hub)
        || has_word() && copies().any(crosses);
    is_needed.then(|| Edit::Present { from: path(source), to: path(&parent.path) })
}

/// The edits for objects of the hub that are not there just because the version has them.
fn filled(pair: &Pair) -> Vec<Edit> {
    let ops = pair.from_hub.ops.iter();
    let touched = ops.flat_map(|op| op.reads().into_iter().chain(op.writes())).chain(&pair.kept);
    let mut out: Vec<Edit> = Vec::new();
    for object in touched.flat_map(ResolvedPath::parents) {
        let is_it = |parent: &&Parent| parent.path.names() == object.names();
        let follows = |parent: &Parent| parent.when.followed().is_some();
        let is_always = |parent: &Parent| parent.when == When::Always;
        let comes_back = pair.to_hub.parents.iter().filter(is_it).any(follows)
            && !pair.from_hub.parents.iter().filter(is_it).any(is_always);
        let edit = Edit::Filled { path: path(&object) };
        if !comes_back && !out.contains(&edit) {
            out.push(edit);
        }
    }
    out
}

/// The word that an op to the hub writes, or the object that it makes for such a word.
pub(super) fn determined<'a>(mapping: &Mapping, op: &'a Op) -> Option<&'a ResolvedPath> {
    match (op, op.copy()) {
        (Op::Word { to, .. }, _) => Some(to),
        (_, Some(copy)) if !values(mapping, copy, Direction::ToHub).is_empty() => Some(&copy.to),
        _ => None,
    }
}

/// The edits for what the other direction determines, with the required objects around it, which it makes as well.
fn determined_edits(to: &ResolvedPath) -> impl Iterator<Item = Edit> {
    let around = (1..to.0.len()).map(|count| to.first(count));
    let required = around.filter(|object| object.field().required && !object.may_be_absent());
    required.chain([to.clone()]).map(|object| Edit::Determined { path: path(&object) })
}

/// Whether a copy from the hub has a `null` that makes the optional object around the target: one of the types tells it
/// from none, or the hub requires the field. Then the object may have come with it, and does not come back otherwise.
pub(super) fn moves_null(FieldCopy { from, to, .. }: &FieldCopy) -> bool {
    let (of_hub, own) = (from.field(), to.field());
    let is_required = of_hub.required && !of_hub.may_be_absent();
    from.names() != to.names()
        && to.parents().next().is_some()
        && (is_null(of_hub) || is_required || is_null(own) || own.is_nullable())
}

fn null(copy: &FieldCopy) -> Edit {
    Edit::Null { to: path(&copy.to) }
}

/// The values in an object that a copy makes of an absent one.
fn values<'a>(mapping: &'a Mapping, copy: &FieldCopy, direction: Direction) -> Vec<(Vec<&'a str>, Made<'a>)> {
    if made_up::makes_up(copy) { made_up::values(&mapping.pairs, &copy.value, direction) } else { Vec::new() }
}

/// The required objects of the target into which ops write, or with fields that only the target has, outermost first. A
/// move may leave them out.
fn required(ops: &[Op], only: &[ResolvedPath]) -> Vec<ResolvedPath> {
    let is_kept = |copy: &FieldCopy| copy.from.names() == copy.to.names();
    let mut out: Vec<ResolvedPath> = Vec::new();
    for written in ops.iter().flat_map(Op::writes).chain(only) {
        for count in 1..written.0.len() {
            let object = written.first(count);
            let field = object.field();
            if !field.required || field.may_be_absent() || out.contains(&object) {
                continue;
            }
            let is_in = |path: &ResolvedPath| path.names().starts_with(&object.names());
            // What has no field that moves is there as it was.
            let moves = |op: &Op| match op.copy() {
                Some(copy) if is_kept(copy) => false,
                _ => op.reads().into_iter().chain(op.writes()).any(is_in),
            };
            if ops.iter().any(moves) {
                out.push(object);
            }
        }
    }
    out.sort_by_key(|object| object.0.len());
    out
}

/// The fields of the target that get the values of a table, or of functions of the user's own code, and are written even
/// if they have none.
fn always_written(ops: &[Op]) -> impl Iterator<Item = &ResolvedPath> {
    let is_computed =
        |op: &&Op| matches!(op, Op::Call { function: Callee::Table(_) | Callee::Own { .. }, .. });
    ops.iter()
        .filter(is_computed)
        .flat_map(Op::writes)
        .filter(|to| !to.may_be_absent() && to.field().omit == Omit::Exact)
}

/// The required fields of the version that are `null` where the hub has none: that of the hub is in an object that is
/// left out where it is empty.
fn left_out_nulls(pair: &Pair) -> impl Iterator<Item = &ResolvedPath> {
    let is_left_out = |object: ResolvedPath| {
        let is_it = |parent: &Parent| {
            matches!(parent.when, When::EmptyIsAbsent(_)) && parent.path.names() == object.names()
        };
        pair.to_hub.parents.iter().any(is_it)
    };
    let copies = pair.from_hub.ops.iter().filter_map(Op::copy);
    let copies = copies.filter(move |copy| copy.from.parents().any(is_left_out));
    copies.map(|copy| &copy.to).filter(|to| is_null(to.field()))
}

/// The required fields of the target that are `null` where nothing is computed. A copy brings the `null` of the source
/// along, and leaves a field absent where the source has none.
fn nulls(ops: &[Op]) -> impl Iterator<Item = &ResolvedPath> {
    let computing = ops.iter().filter(|op| op.copy().is_none());
    computing.flat_map(Op::writes).filter(|to| is_null(to.field()))
}
