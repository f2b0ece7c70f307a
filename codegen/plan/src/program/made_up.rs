//! Objects that are not in the source, and are made because the type of the target requires them. Rules may write words
//! into them, numbers as texts, or elements of lists, so they are not empty.

use std::collections::BTreeMap;

use hubgen_model::value_table::Cell;
use hubgen_model::{NumberText, Type, TypeId};

use super::ops::{Absence, Callee, Element, FieldCopy, Op, Parent, Program, TypedTable, When};
use super::{Direction, Mapper, ResolvedPath, Value};
use crate::Pair;

type Key = (TypeId, TypeId);
type PairMap = BTreeMap<Key, Pair>;

/// A value in an object that is made of none.
pub(crate) enum Made<'a> {
    /// A word that is always there.
    Word(&'a str),
    /// What a table has for no values.
    Cell(&'a Cell),
    /// The element of a list for a field that is never absent.
    Element(&'a Element),
    /// The text of a number that is never absent.
    Number(NumberText),
}

/// The values that rules write into an object made of one that is absent, each with its names from this object.
pub(crate) fn values<'a>(
    pairs: &'a PairMap,
    value: &Value,
    direction: Direction,
) -> Vec<(Vec<&'a str>, Made<'a>)> {
    let mut walk = Walk { pairs, direction, inside: Vec::new(), found: Vec::new() };
    walk.value(value, &[]);
    walk.found
}

/// Whether a copy makes an object of an absent one.
pub(crate) fn makes_up(copy: &FieldCopy) -> bool {
    matches!(copy.absence, Absence::BecomesEmpty | Absence::Impossible)
        && matches!(copy.value, Value::Pair(..))
}

/// Whether a copy writes a number as a text, even if there is none: `0s`.
fn writes_number(copy: &FieldCopy, direction: Direction) -> bool {
    direction == Direction::ToHub && matches!(copy.value, Value::Number(..)) && !copy.to.may_be_absent()
}

struct Walk<'a> {
    pairs: &'a PairMap,
    direction: Direction,
    /// The pairs that contain the current one: types may contain themselves.
    inside: Vec<&'a Key>,
    found: Vec<(Vec<&'a str>, Made<'a>)>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &Value, at: &[&'a str]) {
        let Value::Pair(version, hub) = value else { return };
        let Some((key, pair)) = self.pairs.get_key_value(&(version.clone(), hub.clone())) else { return };
        if self.inside.contains(&key) {
            return;
        }
        self.inside.push(key);
        for op in &pair.program(self.direction).ops {
            let names = |to: &'a ResolvedPath| [at, &to.names()].concat();
            match op {
                Op::Word { to, otherwise, .. } if to.parents().next().is_none() => {
                    self.found.push((names(to), Made::Word(otherwise)));
                }
                Op::Call { function: Callee::Table(TypedTable { table, .. }), to, .. } => {
                    let cells = table.of_nothing(self.direction == Direction::ToHub).unwrap_or_default();
                    let values = cells.iter().zip(to).filter(|(cell, _)| cell.is_value());
                    self.found.extend(values.map(|(cell, to)| (names(to), Made::Cell(cell))));
                }
                Op::ToElement { list, element }
                    if element.is_always_there() && list.parents().next().is_none() =>
                {
                    self.found.push((names(list), Made::Element(element)));
                }
                Op::Copy(FieldCopy { value: Value::Number(form, _), to, .. })
                    if op.copy().is_some_and(|copy| writes_number(copy, self.direction))
                        && to.parents().next().is_none() =>
                {
                    self.found.push((names(to), Made::Number(*form)));
                }
                Op::Copy(copy) if makes_up(copy) && copy.to.parents().next().is_none() => {
                    self.value(&copy.value, &names(&copy.to));
                }
                _ => {}
            }
        }
        self.inside.pop();
    }
}

/// When an optional object is there that a word would make up.
enum Settled {
    /// With this object of the source.
    Follows(ResolvedPath),
    /// Nothing tells. Has the path of the word or the number that it always contains.
    Unclear(String),
}

impl Mapper<'_> {
    /// Lets optional objects follow those of the source, if a word in a required object in them would make them up.
    ///
    /// Reports those that other fields enter, too: what they contain does not tell whether they are there.
    pub(super) fn settle_made_up(&mut self) {
        let mut settled = Vec::new();
        for (key, pair) in &self.mapping.pairs {
            for direction in [Direction::ToHub, Direction::FromHub] {
                let program = pair.program(direction);
                for (index, parent) in program.parents.iter().enumerate() {
                    let found = settle(&self.mapping.pairs, program, parent, direction);
                    settled.extend(found.map(|found| (key.clone(), direction, index, found)));
                }
            }
        }
        for (key, direction, index, found) in settled {
            let Some(pair) = self.mapping.pairs.get_mut(&key) else { continue };
            let program = match direction {
                Direction::ToHub => &mut pair.to_hub,
                Direction::FromHub => &mut pair.from_hub,
            };
            let target = if direction == Direction::ToHub { &key.1 } else { &key.0 };
            match found {
                Settled::Follows(source) => program.parents[index].when = When::OnlyWith(source),
                Settled::Unclear(word) => {
                    let place = program.parents[index].path.clone();
                    let Some(target) = self.types.find(target) else { continue };
                    self.unclear(target, &place, &word);
                }
            }
        }
    }

    fn unclear(&mut self, target: &Type, place: &ResolvedPath, word: &str) {
        let names: Vec<String> = place.names().into_iter().map(str::to_owned).collect();
        self.missing(
            (target, &names),
            place,
            format!(
                "rules always write `{word}`, so the other fields of `{place}` do not tell whether it is there"
            ),
            format!("let the object around `{word}` be optional, or make `{place}` required"),
        );
    }
}

/// What decides whether an optional object is there, if a word in a required object in it would make it up.
fn settle(pairs: &PairMap, program: &Program, parent: &Parent, direction: Direction) -> Option<Settled> {
    let place = &parent.path;
    let is_in = |path: &ResolvedPath, object: &ResolvedPath| path.names().starts_with(&object.names());
    let made_up = |copy: &&FieldCopy| {
        let is_always_in_it = copy.to.parents().last().is_some_and(|around| around.names() == place.names());
        is_always_in_it && (makes_up(copy) || writes_number(copy, direction))
    };
    let copies = || program.ops.iter().filter_map(Op::copy).filter(made_up);
    let word = |copy: &FieldCopy| {
        if writes_number(copy, direction) {
            return Some(copy.to.to_string());
        }
        let (names, _) = values(pairs, &copy.value, direction).into_iter().next()?;
        Some(format!("{}.{}", copy.to, names.join(".")))
    };
    match &parent.when {
        When::Always | When::OnlyWith(_) => None,
        When::With(source) => {
            let enters = |op: &Op| {
                let is_written = op.writes().into_iter().any(|to| is_in(to, place));
                let is_word = matches!(op, Op::Word { .. });
                is_written && !is_word && !op.reads().into_iter().all(|from| is_in(from, source))
            };
            let (word, is_entered) = (copies().find_map(word)?, program.ops.iter().any(enters));
            Some(if is_entered { Settled::Unclear(word) } else { Settled::Follows(source.clone()) })
        }
        When::Filled | When::EmptyIsAbsent(_) => {
            // An object that every source has is made up by no word.
            let may_lack = |copy: &&FieldCopy| {
                copy.absence != Absence::Impossible || copy.from.parents().next().is_some()
            };
            copies().filter(may_lack).find_map(word).map(Settled::Unclear)
        }
    }
}
