//! Edits for what is there without a value: objects that others follow, required ones, and those that a stash must tell.

use hubgen_machinery::tree::Edit;
use hubgen_model::{Field, Omit, Presence};

use super::{path, text};
use crate::Pair;
use crate::program::ops::{FieldCopy, Op, Parent, When};
use crate::program::{Direction, Program, ResolvedPath};

/// The edits for optional objects.
pub(super) fn edits(pair: &Pair, direction: Direction) -> Vec<Edit> {
    let program = pair.program(direction);
    let mut out: Vec<Edit> =
        program.parents.iter().filter_map(|parent| present(parent, &program.ops, direction)).collect();
    if direction == Direction::FromHub {
        out.extend(pair.to_hub.ops.iter().filter_map(determined));
        out.extend(filled(pair));
    }
    out
}

/// The edits for required members.
pub(super) fn required_edits(program: &Program) -> impl Iterator<Item = Edit> {
    let objects = required(&program.ops).into_iter().map(|to| (to, "{}"));
    let nulls = nulls(&program.ops).map(|to| (to.clone(), "null"));
    objects.chain(nulls).map(|(to, empty)| Edit::Required { to: path(&to), empty: text(empty) })
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
    let is_needed = source.names() != parent.path.names()
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

/// The edit for a word that the other direction writes.
fn determined(op: &Op) -> Option<Edit> {
    match op {
        Op::Word { to, .. } => Some(Edit::Determined { path: path(to) }),
        _ => None,
    }
}

/// The required objects of the target into which ops write, outermost first. A move may leave them out.
fn required(ops: &[Op]) -> Vec<ResolvedPath> {
    let is_kept = |copy: &FieldCopy| copy.from.names() == copy.to.names();
    let mut out: Vec<ResolvedPath> = Vec::new();
    for written in ops.iter().flat_map(Op::writes) {
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

/// The required fields of the target that are `null` where nothing is computed. A copy brings the `null` of the source
/// along, and leaves a field absent where the source has none.
fn nulls(ops: &[Op]) -> impl Iterator<Item = &ResolvedPath> {
    let is_null = |field: &Field| field.presence == Presence::Pointer && field.omit == Omit::Exact;
    let computing = ops.iter().filter(|op| op.copy().is_none());
    computing.flat_map(Op::writes).filter(move |to| is_null(to.field()))
}
