//! How the types of a version convert to those of the hub and back, as data.

use std::collections::BTreeMap;

use hubgen_model::rules::Annotation;
use hubgen_model::{GroupVersion, TypeExpr, TypeId};

use super::ops::{Parent, When};
use super::{Applied, Direction, Element, Expected, Op, Program, ResolvedPath, Value};

/// Maps the types of a version to those of the hub.
///
/// Two mappings are equal if they convert alike, whichever rules they come from.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Every pair of types that differ, keyed by the version's type and the hub's. Empty if the
    /// version's own type is the hub.
    pub pairs: BTreeMap<(TypeId, TypeId), Pair>,
    /// The rules that the programs of each pair carry out. Nothing that converts reads them.
    pub rules: BTreeMap<(TypeId, TypeId), Vec<Applied>>,
    /// The fields that upstream keeps in annotations, in the order of the rules.
    pub kept: Vec<Kept>,
    /// Whether hub → version → hub loses nothing by these rules alone, without the stash.
    pub exact: bool,
    /// Fields of the version that may contain only the listed values.
    pub expected_to_hub: Vec<Expected>,
    /// Fields of the hub that may contain only the listed values.
    pub expected_from_hub: Vec<Expected>,
}

impl PartialEq for Mapping {
    fn eq(&self, other: &Self) -> bool {
        let Self { pairs, rules: _, kept, exact, expected_to_hub, expected_from_hub } = self;
        *pairs == other.pairs
            && *kept == other.kept
            && *exact == other.exact
            && *expected_to_hub == other.expected_to_hub
            && *expected_from_hub == other.expected_from_hub
    }
}

impl Mapping {
    /// Whether unknown fields of the version can have names that the hub has for other values, so that an object with
    /// such a field does not convert.
    pub fn refuses_names(&self) -> bool {
        let ops = self.pairs.values().flat_map(|pair| &pair.to_hub.ops);
        ops.into_iter().any(|op| matches!(op, Op::Rest(rest) if rest.conflicts().next().is_some()))
    }

    /// Fields of the source that may contain only the listed values.
    pub fn expected(&self, direction: Direction) -> &[Expected] {
        match direction {
            Direction::ToHub => &self.expected_to_hub,
            Direction::FromHub => &self.expected_from_hub,
        }
    }
}

/// How two types convert to each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// From the version to the hub.
    pub to_hub: Program,
    /// From the hub to the version.
    pub from_hub: Program,
    /// Fields of the hub that the version cannot represent.
    pub kept: Vec<ResolvedPath>,
    /// Objects of the version that are present even when they are empty.
    pub always: Vec<ResolvedPath>,
    /// The field of the hub that the key of a map of the version becomes, if the objects are its values.
    pub key: Option<ResolvedPath>,
}

impl Pair {
    /// Whether an optional object of the hub is still present or absent after hub → version → hub:
    /// the version has the object as well, and fills it only from fields in it.
    pub(crate) fn keeps_presence(&self, object: &ResolvedPath) -> bool {
        let follows = |parent: &Parent| parent.when.followed().filter(|_| parent.path == *object).cloned();
        let Some(source) = self.to_hub.parents.iter().find_map(follows) else { return false };
        let is_in = |path: &ResolvedPath, object: &ResolvedPath| path.names().starts_with(&object.names());
        let is_filled_elsewhere = |op: &Op| {
            op.writes().into_iter().any(|path| is_in(path, &source))
                && !op.copy().is_some_and(|copy| is_in(&copy.from, object))
        };
        let is_always = |parent: &Parent| parent.path == source && parent.when == When::Always;
        // `null` becomes absent where the fields of an object convert one by one.
        !self.from_hub.parents.iter().any(is_always)
            && !object.field().is_nullable()
            && !self.from_hub.ops.iter().any(is_filled_elsewhere)
    }

    /// The program for one direction.
    pub fn program(&self, direction: Direction) -> &Program {
        match direction {
            Direction::ToHub => &self.to_hub,
            Direction::FromHub => &self.from_hub,
        }
    }
}

/// A field of the hub that upstream keeps in an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The field path from the hub's kind.
    pub path: ResolvedPath,
    /// The annotation and its form.
    pub annotation: Annotation,
    /// How the annotation's value converts, if its form is that of a version: that version, the
    /// field's type there, and the conversion.
    pub via: Option<(GroupVersion, TypeExpr, Value)>,
    /// The element of the list that the version shows as a field.
    pub shown: Option<Element>,
}
