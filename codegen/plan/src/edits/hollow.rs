//! Members that make no object for a word to be in, because a typed object does not tell them from none.

use hubgen_model::{Type, TypeExpr};

use super::presence::{determined, moves_null};
use super::{Blank, Edit, NoValue, names, path};
use crate::program::ops::{Absence, FieldCopy, Op, Parent};
use crate::program::{Direction, Program, ResolvedPath};
use crate::{Mapping, Pair, Types};

/// The edits for members that enter an optional object with a word, or one for which the hub has such an object.
pub(super) fn edits(types: Types<'_>, mapping: &Mapping, pair: &Pair, direction: Direction) -> Vec<Edit> {
    let program = pair.program(direction);
    let words = program.ops.iter().filter(|op| matches!(op, Op::Word { .. }));
    let with_word: Vec<ResolvedPath> = words.flat_map(Op::writes).flat_map(ResolvedPath::parents).collect();
    let followed = match direction {
        Direction::ToHub => Vec::new(),
        Direction::FromHub => followed(mapping, &pair.to_hub),
    };
    let is_in = |to: &ResolvedPath, objects: &[ResolvedPath]| {
        let is_it =
            |object: &ResolvedPath| to.0.len() > object.0.len() && to.names().starts_with(&object.names());
        objects.iter().any(is_it)
    };
    let edit = |(to, is_empty_nothing): (&ResolvedPath, bool)| {
        let makes = !is_in(to, &followed);
        if makes && !is_in(to, &with_word) {
            return None;
        }
        let mut nothing = Vec::new();
        if is_empty_nothing {
            find(types, &to.field().ty, &[], &mut nothing);
        } else {
            nothing.push(NoValue { path: Vec::new(), value: Blank::Null });
        }
        Some(Edit::Hollow { to: path(to), nothing, makes })
    };
    program.ops.iter().flat_map(|op| written(op, direction)).filter_map(edit).collect()
}

/// The optional objects of the version for which the hub has an object with a word.
fn followed(mapping: &Mapping, to_hub: &Program) -> Vec<ResolvedPath> {
    let word = |op| determined(mapping, op);
    let around: Vec<ResolvedPath> =
        to_hub.ops.iter().filter_map(word).flat_map(ResolvedPath::parents).collect();
    let has_word = |parent: &&Parent| around.iter().any(|object| object.names() == parent.path.names());
    to_hub.parents.iter().filter(has_word).filter_map(|parent| parent.when.followed().cloned()).collect()
}

/// The members that an op writes at another path than it read them, each with whether an empty value of it is none in a
/// typed object, as `null` is.
fn written(op: &Op, direction: Direction) -> Vec<(&ResolvedPath, bool)> {
    let by_type = |to| -> (&ResolvedPath, bool) { (to, !ResolvedPath::may_be_absent(to)) };
    let (first, each) = match op {
        Op::Gather { first, each, .. } => (&**first, &**each),
        _ => (&[][..], &[][..]),
    };
    let shared = first.iter().map(|first| &first.field).chain(each.iter().map(|each| &each.field));
    match op {
        Op::Split { number, name, .. } => vec![(number, true), (name, true)],
        Op::Join { to, .. } => vec![(to, true)],
        Op::Call { to, .. } => to.iter().map(by_type).collect(),
        _ => {
            op.copy().and_then(|copy| moved(copy, direction)).into_iter().chain(shared.map(by_type)).collect()
        }
    }
}

/// The same for a copy, if it is not at one path.
fn moved(copy: &FieldCopy, direction: Direction) -> Option<(&ResolvedPath, bool)> {
    let FieldCopy { from, to, absence, .. } = copy;
    if from.names() == to.names() {
        return None;
    }
    match absence {
        Absence::Impossible | Absence::BecomesEmpty | Absence::WhereEmpty | Absence::EmptyIsAbsent => {
            Some((to, true))
        }
        // The target tells `null` from none, or has a value in any case.
        Absence::Stays if from.field().is_nullable() && to.field().is_nullable() => None,
        Absence::Never => None,
        // It makes no object in any case.
        Absence::Stays if direction == Direction::FromHub && !moves_null(copy) => None,
        Absence::Stays => Some((to, false)),
    }
}

/// Finds what a typed object does not tell from none: the value, and of an object its members.
fn find(types: Types<'_>, ty: &TypeExpr, at: &[&str], out: &mut Vec<NoValue>) {
    let value = match ty {
        TypeExpr::IntOrString => Blank::Number,
        TypeExpr::Quantity => Blank::Quantity,
        TypeExpr::Duration => Blank::Duration,
        ty if ty.has_empty() || matches!(ty, TypeExpr::Ref(_)) => Blank::Empty,
        _ => Blank::Null,
    };
    out.push(NoValue { path: names(at.iter().copied()), value });
    let TypeExpr::Ref(id) = ty else { return };
    for field in types.find(id).into_iter().flat_map(Type::named) {
        let at = [at, &[field.name.as_str()]].concat();
        if !field.may_be_absent() {
            find(types, &field.ty, &at, out);
        } else if !field.is_nullable() {
            out.push(NoValue { path: names(at), value: Blank::Null });
        }
    }
}
