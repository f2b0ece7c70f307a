//! Assembles the lowered rules of a pair of types to its two programs. Decides what depends on more
//! than one rule.

use std::cmp::Reverse;

use hubgen_model::rules::Form;
use hubgen_model::{Field, Omit, TypeExpr};

use super::lower::Lowered;
use super::ops::{Absence, Each, FieldCopy, First, Op, Parent, Program, When};
use super::{Direction, Kept, Pair, ResolvedPath, Value};

/// The programs of a pair; `annotations` are the annotations for fields of the hub.
pub(super) fn pair(rules: &[Lowered], annotations: &[Kept]) -> Pair {
    let program = |direction| Assembly { rules, annotations, direction }.program();
    let kept = rules.iter().filter_map(|rule| match rule {
        Lowered::Kept(place) => Some(place.clone()),
        _ => None,
    });
    let always = rules.iter().filter_map(|rule| match rule {
        Lowered::Always(place) => Some(place.clone()),
        _ => None,
    });
    Pair {
        to_hub: program(Direction::ToHub),
        from_hub: program(Direction::FromHub),
        kept: kept.collect(),
        always: always.collect(),
        key: None,
    }
}

struct Assembly<'a> {
    rules: &'a [Lowered],
    annotations: &'a [Kept],
    direction: Direction,
}

impl Assembly<'_> {
    fn program(&self) -> Program {
        let ops: Vec<Op> = self.rules.iter().filter_map(|rule| self.op(rule)).collect();
        Program { opened: opened(&ops), parents: self.parents(&ops), ops }
    }

    fn op(&self, rule: &Lowered) -> Option<Op> {
        let Lowered::Ops { to_hub, from_hub } = rule else { return None };
        let op = match self.direction {
            Direction::ToHub => to_hub,
            Direction::FromHub => from_hub,
        };
        Some(match op.clone()? {
            Op::Copy(mut copy) => {
                copy.absence = self.absence(&copy.from, &copy.to);
                self.with_elements(copy)
            }
            op => op,
        })
    }

    /// The op that copies a field. For a list of the hub whose elements contain fields of
    /// the version, it includes those fields.
    fn with_elements(&self, list: FieldCopy) -> Op {
        let in_hub = match self.direction {
            Direction::ToHub => &list.to,
            Direction::FromHub => &list.from,
        };
        let first: Vec<First> = self.rules.iter().filter_map(|rule| rule.first_of(in_hub)).cloned().collect();
        let each: Vec<Each> = self.rules.iter().filter_map(|rule| rule.each_of(in_hub)).cloned().collect();
        match self.direction {
            _ if first.is_empty() && each.is_empty() => Op::Copy(list),
            Direction::ToHub => Op::Spread { list, first, each },
            Direction::FromHub => Op::Gather { list, first, each },
        }
    }

    fn absence(&self, from: &ResolvedPath, to: &ResolvedPath) -> Absence {
        match (from.may_be_absent(), to.may_be_absent()) {
            (false, false) => Absence::Impossible,
            (true, true) if self.is_empty_absent(from, to) => Absence::EmptyIsAbsent,
            (true, true) => Absence::Stays,
            (true, false) => Absence::BecomesEmpty,
            (false, true) if self.is_always(to) => Absence::Never,
            (false, true) if self.is_there(from.field()) && !self.is_marked(to) => Absence::Never,
            (false, true) => Absence::WhereEmpty,
        }
    }

    /// Whether the target is present even if the source is zero. To the hub, it is if JSON always
    /// contains the field; from the hub, only if no zero could stand for an absent value.
    fn is_there(&self, field: &Field) -> bool {
        let has_empty = field.ty.has_empty();
        match field.omit {
            Omit::Never | Omit::Exact => self.direction == Direction::ToHub || !has_empty,
            Omit::Empty => !has_empty,
            Omit::Zero => false,
        }
    }

    /// Whether an annotation distinguishes a zero of the hub from an absent value.
    fn is_marked(&self, place: &ResolvedPath) -> bool {
        let marks = |kept: &Kept| kept.annotation.form == Form::Zero && kept.path.ends_with(place);
        self.direction == Direction::ToHub && self.annotations.iter().any(marks)
    }

    /// Whether a rule specifies that a field of the version, or an object that contains it, is
    /// always present.
    fn is_always(&self, place: &ResolvedPath) -> bool {
        let is_it = |rule: &Lowered| matches!(rule, Lowered::Always(always) if always == place);
        self.direction == Direction::FromHub && self.rules.iter().any(is_it)
    }

    /// Whether a rule specifies that the field of the version is the same whether it is empty or absent.
    fn is_empty_absent(&self, from: &ResolvedPath, to: &ResolvedPath) -> bool {
        let in_version = match self.direction {
            Direction::ToHub => from,
            Direction::FromHub => to,
        };
        let is_it = |rule: &Lowered| matches!(rule, Lowered::EmptyIsAbsent(place) if place == in_version);
        self.rules.iter().any(is_it)
    }

    fn parents(&self, ops: &[Op]) -> Vec<Parent> {
        let mut out: Vec<Parent> = Vec::new();
        for place in ops.iter().flat_map(Op::writes).flat_map(ResolvedPath::parents) {
            if out.iter().all(|parent| parent.path != place) {
                // An object inside an object that is always present is always present, too.
                let always = (1..=place.0.len()).any(|count| self.is_always(&place.first(count)));
                let when = if always { When::Always } else { self.when(ops, &place) };
                out.push(Parent { path: place, when });
            }
        }
        out.sort_by_key(|parent| Reverse(parent.path.0.len()));
        out
    }

    /// When an optional object of the target is present that is not always there.
    fn when(&self, ops: &[Op], place: &ResolvedPath) -> When {
        let same = counterpart(ops, place);
        let moved = || moved(ops, place).map(|source| (source, is_made_up(ops, place)));
        let found = match same {
            Some(source) => Some((source, false)),
            None => moved().or_else(|| Some((self.with_word(place)?, false))),
        };
        match found {
            None => When::Filled,
            Some((source, _)) if self.is_empty_absent(&source, place) => When::EmptyIsAbsent(source),
            Some((source, true)) => When::OnlyWith(source),
            Some((source, false)) => When::With(source),
        }
    }

    /// The optional object of the source at the same path as one of the target, if one of them has a constant: no
    /// field need be in both for it to stay.
    fn with_word(&self, place: &ResolvedPath) -> Option<ResolvedPath> {
        let (mut sources, mut has_word) = (Vec::new(), false);
        for rule in self.rules {
            let Lowered::Ops { to_hub, from_hub } = rule else { continue };
            let (here, back) = match self.direction {
                Direction::ToHub => (to_hub, from_hub),
                Direction::FromHub => (from_hub, to_hub),
            };
            let written = back.iter().flat_map(Op::writes);
            sources.extend(here.iter().flat_map(Op::reads).chain(written).flat_map(ResolvedPath::parents));
            has_word |= here.iter().chain(back).any(|op| match op {
                Op::Word { to, .. } => to.parents().any(|parent| parent.names() == place.names()),
                _ => false,
            });
        }
        sources.into_iter().find(|source| has_word && source.names() == place.names())
    }
}

impl Lowered {
    fn first_of(&self, list: &ResolvedPath) -> Option<&First> {
        match self {
            Self::First(other, first) if other == list => Some(first),
            _ => None,
        }
    }

    fn each_of(&self, list: &ResolvedPath) -> Option<&Each> {
        match self {
            Self::Each(other, each) if other == list => Some(each),
            _ => None,
        }
    }
}

/// The optional object of the source with the names of one of the target, if a field in the one is copied to a field in
/// the other.
fn counterpart(ops: &[Op], place: &ResolvedPath) -> Option<ResolvedPath> {
    let is_it = |parent: &ResolvedPath| parent.names() == place.names();
    ops.iter().filter_map(Op::copy).find_map(|copy| {
        copy.to.parents().find(is_it)?;
        copy.from.parents().find(is_it)
    })
}

/// The optional object of the source whose fields all move to `place`, while nothing else moves there.
fn moved(ops: &[Op], place: &ResolvedPath) -> Option<ResolvedPath> {
    ops.iter().filter_map(Op::copy).find_map(|copy| moved_with(ops, copy, place))
}

/// Whether a required object in an object of the target is converted from an empty one where the source has none: rules
/// may write words into it.
fn is_made_up(ops: &[Op], place: &ResolvedPath) -> bool {
    ops.iter().filter_map(Op::copy).any(|copy| {
        matches!(copy.absence, Absence::BecomesEmpty | Absence::Impossible)
            && matches!(copy.value, Value::Pair(..))
            && copy.to.names().starts_with(&place.names())
    })
}

/// The optional object of the source that moves to `place` with this and all other fields in it,
/// while nothing else moves there.
fn moved_with(ops: &[Op], copy: &FieldCopy, place: &ResolvedPath) -> Option<ResolvedPath> {
    let is_in = |path: &ResolvedPath, object: &ResolvedPath| path.names().starts_with(&object.names());
    if !is_in(&copy.to, place) {
        return None;
    }
    let below = copy.to.0.len() - place.0.len();
    let at = copy.from.0.len().checked_sub(below).filter(|at| *at > 0 && below > 0)?;
    let source = copy.from.first(at);
    let goes_along = |op: &Op| {
        let mut reads =
            op.reads().into_iter().map(|path| is_in(path, &source) || source.names() == path.names());
        let mut writes = op.writes().into_iter().map(|path| is_in(path, place));
        match op {
            // It does not decide whether the object is present.
            Op::Word { .. } => true,
            Op::Copy(_) => reads.eq(writes),
            _ => !reads.any(|is_in| is_in) && !writes.any(|is_in| is_in),
        }
    };
    (source.may_be_absent() && ops.iter().all(goes_along)).then_some(source)
}

/// Objects that are read as empty ones if they are absent.
fn opened(ops: &[Op]) -> Vec<ResolvedPath> {
    let mut out: Vec<ResolvedPath> = Vec::new();
    let mut open = |place: ResolvedPath| {
        if !out.contains(&place) {
            out.push(place);
        }
    };
    for op in ops {
        op.reads().into_iter().flat_map(ResolvedPath::parents).for_each(&mut open);
        // The op reads the object itself, not only its fields.
        if let Op::Copy(FieldCopy { from, absence: Absence::BecomesEmpty, .. }) = op
            && matches!(from.field().ty, TypeExpr::Ref(_))
        {
            open(from.clone());
        }
    }
    out
}
