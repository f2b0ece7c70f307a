//! Computes what differs between the JSON of a version and of its hub, from the programs of the version.

mod data;
mod hollow;
mod presence;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hubgen_model::functions::RuleFunction;
use hubgen_model::{Field, Type, TypeExpr, TypeId};

pub use self::data::{
    Blank, Case, Change, Each, Edit, Edits, Element, Expected, First, NoValue, Path, VersionEdits,
};
use crate::program::empty::{is_null, json as empty, nulls, zeros};
use crate::program::ops::{self, Absence, Callee, FieldCopy, Op, Parent, When};
use crate::program::{Direction, Program, ResolvedPath, Value};
use crate::{Mapping, Types};

/// Why the JSON of a version cannot be converted without decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnlyTyped {
    /// A field of the hub is in an annotation of upstream's.
    Annotation,
    /// A function takes values that only their types can read.
    Function,
    /// Unknown fields move to a field, or the target does not keep them.
    UnknownFields,
}

/// The edits of a version, whose kind has the type `root` and whose hub has the type `hub`.
///
/// # Errors
/// When a rule of the version needs typed objects.
pub fn edits(
    types: Types<'_>,
    mapping: &Mapping,
    root: &TypeId,
    hub: &TypeId,
) -> Result<VersionEdits, OnlyTyped> {
    if !mapping.kept.is_empty() {
        return Err(OnlyTyped::Annotation);
    }
    let mut keys: Vec<&(TypeId, TypeId)> = mapping.pairs.keys().collect();
    keys.sort_by_key(|(version, to)| (version, to) != (root, hub));
    let all = |direction| -> Result<Vec<Edits>, OnlyTyped> {
        let pair = |key: &&(TypeId, TypeId)| Lowering { types, mapping, direction }.pair(key);
        Ok(without_unchanged(keys.iter().map(pair).collect::<Result<_, _>>()?))
    };
    let expected = |direction| -> Vec<Expected> {
        let from = if direction == Direction::ToHub { root } else { hub };
        let expected = mapping.expected(direction).iter().map(|expected| Expected {
            path: through_maps(types, from, &expected.path),
            words: expected.words.clone(),
        });
        expected.collect()
    };
    Ok(VersionEdits {
        to_hub: all(Direction::ToHub)?,
        from_hub: all(Direction::FromHub)?,
        exact: mapping.exact,
        expected_to_hub: expected(Direction::ToHub),
        expected_from_hub: expected(Direction::FromHub),
    })
}

/// A path from a type, with a name for the values of each map that it passes through.
fn through_maps(types: Types<'_>, from: &TypeId, path: &str) -> Path {
    let (mut ty, mut out) = (types.find(from), Vec::new());
    for name in path.split('.') {
        out.push(name);
        let mut value = ty.and_then(|ty| ty.field(name)).map(|field| &field.ty);
        ty = loop {
            match value {
                Some(TypeExpr::List(inner)) => value = Some(inner),
                Some(TypeExpr::Map(inner)) => {
                    out.push(Expected::EACH);
                    value = Some(inner);
                }
                Some(TypeExpr::Ref(id)) => break types.find(id),
                _ => break None,
            }
        };
    }
    names(out)
}

/// Removes types of which no object changes, except for the first one, which is the kind's.
fn without_unchanged(mut pairs: Vec<Edits>) -> Vec<Edits> {
    let mut changing = BTreeSet::new();
    loop {
        let known = changing.len();
        for pair in &pairs {
            let is_changed = |edit: &Edit| match edit {
                Edit::Change { change, .. } => changes(change, &changing),
                _ => true,
            };
            if !pair.strangers.is_empty() || !pair.drops.is_empty() || pair.edits.iter().any(is_changed) {
                changing.insert(pair.name.clone());
            }
        }
        if changing.len() == known {
            break;
        }
    }
    let mut index = 0..;
    pairs.retain(|pair| index.next() == Some(0) || changing.contains(&pair.name));
    for pair in &mut pairs {
        let kept = pair.edits.iter().filter_map(|edit| match edit {
            Edit::Change { change, .. } if !changes(change, &changing) => None,
            Edit::Move { from, to, change } if !changes(change, &changing) => {
                Some(Edit::Move { from: from.clone(), to: to.clone(), change: Change::Same })
            }
            edit => Some(edit.clone()),
        });
        pair.edits = kept.collect();
    }
    pairs
}

/// Whether a value changes; `changing` has the names of the types whose objects do.
fn changes(change: &Change, changing: &BTreeSet<String>) -> bool {
    match change {
        Change::Same => false,
        Change::Object(name) => changing.contains(name),
        Change::List(inner) | Change::Map(inner) => changes(inner, changing),
        Change::Wrap(_)
        | Change::Unwrap(..)
        | Change::Words(_)
        | Change::ToItems { .. }
        | Change::ToEntries(..)
        | Change::ToText(_)
        | Change::ToNumber(..) => true,
    }
}

fn path(path: &ResolvedPath) -> Path {
    names(path.names())
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Path {
    names.into_iter().map(str::to_owned).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

struct Lowering<'a> {
    types: Types<'a>,
    mapping: &'a Mapping,
    direction: Direction,
}

/// Names from a type down to a field.
type Names<'a> = Vec<&'a str>;

/// What the ops of a program do with the fields of both types.
#[derive(Default)]
struct Seen<'a> {
    /// Fields that are at the same path on both sides.
    staying: BTreeSet<Names<'a>>,
    /// All fields that ops read or write.
    named: BTreeSet<Names<'a>>,
}

impl<'a> Lowering<'a> {
    fn pair(&self, key: &'a (TypeId, TypeId)) -> Result<Edits, OnlyTyped> {
        let (version, hub) = key;
        let pair = &self.mapping.pairs[key];
        let (source, target) = match self.direction {
            Direction::ToHub => (version, hub),
            Direction::FromHub => (hub, version),
        };
        let (mut edits, mut seen, mut refuses) = (Vec::new(), Seen::default(), false);
        for op in &pair.program(self.direction).ops {
            self.op(op, &mut edits)?;
            seen.add(op);
            if let Op::Rest(rest) = op {
                refuses |= rest.conflicts().next().is_some();
            }
        }
        let program = pair.program(self.direction);
        edits.extend(presence::edits(self.mapping, pair, self.direction));
        edits.extend(self.empty(program));
        edits.extend(hollow::edits(self.types, self.mapping, pair, self.direction));
        edits.extend(presence::required_edits(self.mapping, pair, self.direction));
        let (mut drops, mut strangers) = (Vec::new(), Vec::new());
        let (source, target) = (self.types.find(source), self.types.find(target));
        // JSON does not tell which members are unknown, so it cannot tell what to stash or to refuse, either.
        let is_taken = pair.program(self.direction).ops.iter().any(|op| matches!(op, Op::Rest(_)));
        if !is_taken && source.is_some_and(|source| source.fields().iter().any(Field::is_rest)) {
            return Err(OnlyTyped::UnknownFields);
        }
        if let (Some(source), Some(target)) = (source, target) {
            self.differences(&seen, &[], source, target, &mut drops, &mut strangers);
        }
        drops.retain(|path| !edits.iter().flat_map(Edit::takes).any(|taken| taken == path));
        Ok(Edits { name: version.name.clone(), strangers, refuses, drops, edits })
    }

    /// Finds the fields that only one of two types has, and those that do not stay where they are.
    fn differences(
        &self,
        seen: &Seen<'_>,
        at: &[&str],
        source: &Type,
        target: &Type,
        drops: &mut Vec<Path>,
        strangers: &mut Vec<Path>,
    ) {
        let below =
            |name: &str| -> Vec<String> { at.iter().copied().chain([name]).map(str::to_owned).collect() };
        for field in source.named() {
            let names = below(&field.name);
            let names: Names<'_> = names.iter().map(String::as_str).collect();
            if seen.staying.contains(&names) {
                continue;
            }
            let other = target.field(&field.name).and_then(|other| self.object(&other.ty));
            match self.object(&field.ty).zip(other) {
                Some((inner, other)) if seen.reaches_into(&names) => {
                    self.differences(seen, &names, inner, other, drops, strangers);
                }
                // What is left of an object must not stay where the target has something else of this name.
                _ => drops.push(self::names(names)),
            }
        }
        for field in target.named() {
            let names = below(&field.name);
            let names: Names<'_> = names.iter().map(String::as_str).collect();
            if source.field(&field.name).is_none() && !seen.staying.contains(&names) {
                strangers.push(self::names(names));
            }
        }
    }

    /// The type of an object.
    fn object(&self, ty: &TypeExpr) -> Option<&'a Type> {
        match ty {
            TypeExpr::Ref(id) => self.types.find(id),
            _ => None,
        }
    }

    fn op(&self, op: &Op, out: &mut Vec<Edit>) -> Result<(), OnlyTyped> {
        match op {
            Op::Copy(copy) => out.extend(self.copy(copy)),
            Op::Word { to, cases, otherwise } => out.push(Edit::Word {
                to: path(to),
                cases: cases.iter().map(lowered_case).collect(),
                otherwise: otherwise.clone(),
            }),
            Op::Call { function, from, to } => {
                if let Callee::Named { name, .. } = function
                    && RuleFunction::find(name).is_none_or(RuleFunction::takes_objects)
                {
                    return Err(OnlyTyped::Function);
                }
                // Functions take times and others by their types.
                if !from.iter().chain(to).all(|path| is_plain(&path.field().ty)) {
                    return Err(OnlyTyped::Function);
                }
                let paths = |paths: &[ResolvedPath]| paths.iter().map(path).collect();
                let reads: &[ResolvedPath] = match function {
                    Callee::Named { .. } => &[],
                    Callee::Own { reads, .. } => reads,
                    Callee::Table(table) => {
                        out.push(Edit::Table { table: table.clone(), from: paths(from), to: paths(to) });
                        return Ok(());
                    }
                };
                if !reads.iter().all(|path| is_plain(&path.field().ty)) {
                    return Err(OnlyTyped::Function);
                }
                out.push(Edit::Call {
                    function: function.to_string(),
                    from: paths(from),
                    reads: paths(reads),
                    to: paths(to),
                });
            }
            Op::Split { from, number, name } => {
                out.push(Edit::Split { from: path(from), number: path(number), name: path(name) });
            }
            Op::Join { number, name, to } => {
                out.push(Edit::Join { number: path(number), name: path(name), to: path(to) });
            }
            Op::ToElement { list, element } => {
                out.push(Edit::ToElement { list: path(list), element: lowered(element) });
            }
            Op::FromElement { list, element, .. } => {
                out.push(Edit::FromElement { list: path(list), element: lowered(element) });
            }
            Op::Spread { list, first, each } => {
                out.extend(self.copy(list));
                let (first, each) = (firsts(first), self.each(each));
                out.push(Edit::Spread { list: path(&list.to), first, each });
            }
            Op::Gather { list, first, each } => {
                let (first, each) = (firsts(first), self.each(each));
                out.push(Edit::Gather { list: path(&list.from), first, each });
                out.extend(self.copy(list));
            }
            // The hub has no such field: all of these are dropped.
            Op::Drop { .. } => {}
            Op::Rest(rest) => {
                if !rest.from.field().is_rest()
                    || !rest.to.field().is_rest()
                    || rest.from.0.len() + rest.to.0.len() > 2
                {
                    return Err(OnlyTyped::UnknownFields);
                }
            }
        }
        Ok(())
    }

    /// The members of the target that are left out if they are empty, inner ones first.
    fn empty(&self, program: &Program) -> Vec<Edit> {
        let copies = || program.ops.iter().filter_map(Op::copy);
        let of_copies = copies().filter(|copy| copy.absence == Absence::EmptyIsAbsent);
        let nothing =
            |to: &ResolvedPath| [zeros(self.types, &to.field().ty), nulls(self.types, &to.field().ty)];
        let mut all: Vec<(&ResolvedPath, [Vec<Vec<String>>; 2])> = Vec::new();
        for copy in of_copies {
            let mut nothing = nothing(&copy.to);
            if let Value::Pair(version, hub) = &copy.value
                && let Some(pair) = self.mapping.pairs.get(&(version.clone(), hub.clone()))
            {
                self.add_nulls(pair.program(self.direction), &[], &mut nothing);
            }
            all.push((&copy.to, nothing));
        }
        for Parent { path, when } in &program.parents {
            let When::EmptyIsAbsent(source) = when else { continue };
            // What enters the object from elsewhere has no other place, even if it is empty.
            let enters = |names: &Vec<String>| {
                let to: Vec<&str> =
                    path.names().into_iter().chain(names.iter().map(String::as_str)).collect();
                copies().any(|copy| copy.to.names() == to && !copy.from.names().starts_with(&source.names()))
            };
            let [mut zeros, mut nulls] = nothing(path);
            zeros.retain(|names| !enters(names));
            // What leaves the object may have filled it: then it comes back, and must have its `null` again.
            let leaves = |copy: &FieldCopy| {
                copy.from.names().starts_with(&source.names()) && !copy.to.names().starts_with(&path.names())
            };
            if self.direction == Direction::ToHub && copies().any(leaves) {
                nulls.clear();
            }
            let mut nothing = [zeros, nulls];
            self.add_nulls(program, &path.names(), &mut nothing);
            all.push((path, nothing));
        }
        all.sort_by_key(|(path, _)| Reverse(path.0.len()));
        let edit = |(to, [zeros, nulls]): (&ResolvedPath, [Vec<Vec<String>>; 2])| Edit::Empty {
            to: path(to),
            zeros,
            nulls,
        };
        all.into_iter().map(edit).collect()
    }

    /// Adds what a `null` or an empty value of the hub is below `object`, or makes there, and what is none in a typed
    /// object.
    fn add_nulls(&self, program: &Program, object: &[&str], [zeros, nulls]: &mut [Vec<Vec<String>>; 2]) {
        let is_filled = |place: &ResolvedPath| {
            let is_it = |parent: &Parent| parent.path == *place && parent.when == When::Filled;
            program.parents.iter().any(is_it)
        };
        let is_told = |copy: &FieldCopy| {
            let moves = copy.from.names() != copy.to.names();
            copy.from.field().is_nullable() || moves && copy.to.field().is_nullable()
        };
        let copies = program.ops.iter().filter_map(Op::copy);
        for copy in copies.filter(|_| self.direction == Direction::FromHub) {
            let moves = copy.from.names() != copy.to.names();
            let has_null = if moves { presence::moves_null(copy) } else { is_null(copy.from.field()) };
            let is_null = has_null && !is_told(copy);
            let is_empty = moves && !copy.from.may_be_absent();
            let Some(names) = copy.to.names().strip_prefix(object).map(owned) else { continue };
            let around: Vec<ResolvedPath> =
                copy.to.parents().filter(|parent| parent.0.len() > object.len()).collect();
            let is_made = around.iter().all(is_filled) && !(moves && around.is_empty());
            if names.is_empty() || !is_made || !is_null && !is_empty {
                continue;
            }
            zeros.extend(around.iter().map(|parent| owned(&parent.names()[object.len()..])));
            if is_empty {
                let below = self::zeros(self.types, &copy.to.field().ty).into_iter();
                zeros.extend(below.map(|below| [names.clone(), below].concat()));
                zeros.push(names.clone());
            }
            if is_null {
                nulls.push(names);
            }
        }
    }

    fn copy(&self, copy: &FieldCopy) -> Option<Edit> {
        let change = self.change(&copy.value);
        if copy.from.names() == copy.to.names() {
            return (change != Change::Same).then(|| Edit::Change { path: path(&copy.to), change });
        }
        Some(Edit::Move { from: path(&copy.from), to: path(&copy.to), change })
    }

    fn each(&self, each: &[ops::Each]) -> Vec<Each> {
        let each = each.iter().map(|each| Each {
            field: path(&each.field),
            element: each.element.name.clone(),
            empty: empty_of(&each.field),
            change: self.change(&each.value),
        });
        each.collect()
    }

    fn change(&self, value: &Value) -> Change {
        let held = |inner: &Value| match self.change(inner) {
            Change::Same => None,
            change => Some(Box::new(change)),
        };
        match value {
            Value::Same => Change::Same,
            Value::Pair(version, _) => Change::Object(version.name.clone()),
            Value::List(inner) => held(inner).map_or(Change::Same, Change::List),
            Value::Map(inner) => held(inner).map_or(Change::Same, Change::Map),
            Value::Wrapped(_, field) if self.direction == Direction::ToHub => Change::Wrap(field.clone()),
            Value::Wrapped(id, field) => {
                let inner = self.types.find(id).and_then(|ty| ty.field(field)).map(|field| &field.ty);
                Change::Unwrap(field.clone(), inner.map_or("null", empty).to_owned())
            }
            Value::Keyed(keyed) => {
                let (key, value) = (keyed.key.clone(), Box::new(self.change(&keyed.value)));
                match self.direction {
                    Direction::ToHub => Change::ToItems { key, writes_empty: keyed.writes_empty, value },
                    Direction::FromHub => Change::ToEntries(key, value),
                }
            }
            Value::Number(form, bits) => match self.direction {
                Direction::ToHub => Change::ToText(*form),
                Direction::FromHub => Change::ToNumber(*form, *bits),
            },
            Value::Words(_) => {
                let words = value.translations(self.direction).into_iter();
                let words = words.filter(|(from, to)| from != to);
                Change::Words(words.map(|(from, to)| (from.to_owned(), to.to_owned())).collect())
            }
        }
    }
}

/// Whether the JSON of a value is enough to call a function with it.
fn is_plain(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::List(inner) | TypeExpr::Map(inner) => is_plain(inner),
        TypeExpr::Bool
        | TypeExpr::Int32
        | TypeExpr::Int64
        | TypeExpr::Double
        | TypeExpr::String
        | TypeExpr::Strings
        | TypeExpr::Quantity
        | TypeExpr::IntOrString
        | TypeExpr::Raw(_)
        | TypeExpr::Ref(_) => true,
        _ => false,
    }
}

fn lowered_case((case, word): &(ResolvedPath, String)) -> Case {
    Case { path: path(case), word: word.clone(), empty: empty_of(case) }
}

/// The JSON of the empty value of a field whose type does not tell it from an absent one.
fn empty_of(place: &ResolvedPath) -> Option<String> {
    let empty = Some(empty(&place.field().ty)).filter(|empty| *empty != "null");
    empty.filter(|_| !place.may_be_absent()).map(str::to_owned)
}

fn lowered(element: &ops::Element) -> Element {
    Element {
        field: path(&element.field),
        field_empty: empty_of(&element.field).filter(|_| element.is_absent_where_empty()),
        when: element.when.iter().map(|(at, word)| (path(at), word.clone())).collect(),
        value: path(&element.value),
        empty: empty_of(&element.value),
        last: element.last,
    }
}

fn firsts(first: &[ops::First]) -> Vec<First> {
    let first = first.iter().map(|first| First {
        field: path(&first.field),
        element: first.element.name.clone(),
        set: first.set.iter().map(|field| field.name.clone()).collect(),
    });
    first.collect()
}

impl<'a> Seen<'a> {
    fn add(&mut self, op: &'a Op) {
        if let Some(copy) = op.copy()
            && copy.from.names() == copy.to.names()
        {
            self.staying.insert(copy.to.names());
        }
        if let Op::Rest(rest) = op {
            let staying = rest.given.iter().chain(&rest.taken).map(ResolvedPath::names);
            self.staying.extend(staying);
        }
        let (cases, element): (&[(ResolvedPath, String)], _) = match op {
            Op::Word { cases, .. } => (cases, None),
            Op::ToElement { element, .. } => (&[], Some(&element.field)),
            Op::Drop { from } => (&[], Some(from)),
            _ => (&[], None),
        };
        let read = op.reads().into_iter().chain(cases.iter().map(|(path, _)| path)).chain(element);
        self.named.extend(read.chain(op.writes()).map(ResolvedPath::names));
    }

    /// Whether an op names a field inside the object at a path.
    fn reaches_into(&self, names: &[&str]) -> bool {
        self.named.iter().any(|path| path.len() > names.len() && path.starts_with(names))
    }
}
