//! How a family converts, as data.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::rules::Annotation;
use hubgen_model::{GroupVersion, TypeExpr, TypeId};

use crate::Family;
use crate::program::{Element, Expected, Op, Program, ResolvedPath, Value, Way};

/// How a family converts.
#[derive(Clone, Debug)]
pub struct FamilyPlan {
    /// The family.
    pub family: Family,
    /// The hub.
    pub hub: TypeId,
    /// Each member.
    pub members: Vec<Member>,
    /// Annotations that mean something at some version; no hub shows them.
    pub reserved: BTreeSet<String>,
}

impl FamilyPlan {
    /// Whether some version keeps in our annotation what it cannot say.
    pub fn keeps(&self) -> bool {
        self.members.iter().any(|member| matches!(&member.how, How::Convert(mapping) if !mapping.exact))
    }

    /// Words that the rules look for or say, by the name of the field that holds
    /// them.
    pub fn words(&self) -> BTreeSet<(&str, &str)> {
        let mut out = BTreeSet::new();
        for member in &self.members {
            let How::Convert(mapping) = &member.how else { continue };
            for expected in mapping.expected_to_hub.iter().chain(&mapping.expected_from_hub) {
                let name = expected.path.rsplit('.').next().unwrap_or_default();
                out.extend(expected.words.iter().map(|word| (name, &**word)));
            }
            let ops =
                mapping.pairs.values().flat_map(|pair| pair.to_hub.ops.iter().chain(&pair.from_hub.ops));
            for op in ops {
                match op {
                    Op::Word { to, cases, otherwise } => {
                        let words = cases.iter().map(|(_, word)| word).chain([otherwise]);
                        out.extend(words.map(|word| (&*to.field().name, &**word)));
                    }
                    Op::FromElement { element, .. } => {
                        out.extend(element.when.iter().map(|(place, word)| (&*place.field().name, &**word)));
                    }
                    _ => {}
                }
            }
        }
        out
    }

    /// Whether the hub is a type of its own.
    pub fn has_own_hub(&self) -> bool {
        self.hub.of_hub
    }
}

/// A member of a family.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its group version.
    pub group_version: GroupVersion,
    /// Its type.
    pub root: TypeId,
    /// How it converts.
    pub how: How,
}

/// How a version converts.
#[derive(Clone, Debug)]
pub enum How {
    /// As mapped.
    Convert(Mapping),
    /// Never, for this reason.
    NotConvertible(String),
}

/// A version's types beside the hub's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// Every pair of types that are not one, by the version's and the hub's.
    /// None at all: the version's type is the hub.
    pub pairs: BTreeMap<(TypeId, TypeId), Pair>,
    /// What upstream keeps in annotations, in the rules' order.
    pub kept: Vec<Kept>,
    /// Whether hub → version → hub loses nothing by these rules alone.
    pub exact: bool,
    /// Fields of the version whose words have to be known.
    pub expected_to_hub: Vec<Expected>,
    /// Fields of the hub whose words have to be known.
    pub expected_from_hub: Vec<Expected>,
}

impl Mapping {
    /// Fields of what is converted whose words have to be known.
    pub fn expected(&self, way: Way) -> &[Expected] {
        match way {
            Way::ToHub => &self.expected_to_hub,
            Way::FromHub => &self.expected_from_hub,
        }
    }
}

/// How two types become one another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// From the version to the hub.
    pub to_hub: Program,
    /// From the hub to the version.
    pub from_hub: Program,
    /// Fields of the hub that the version cannot contain.
    pub kept: Vec<ResolvedPath>,
    /// Objects of the version that are there even when they are empty.
    pub always: Vec<ResolvedPath>,
}

impl Pair {
    /// The program of one way.
    pub fn program(&self, way: Way) -> &Program {
        match way {
            Way::ToHub => &self.to_hub,
            Way::FromHub => &self.from_hub,
        }
    }
}

/// A field of the hub that upstream keeps in an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// From the hub downwards.
    pub place: ResolvedPath,
    /// Where and how.
    pub annotation: Annotation,
    /// How the annotation's value converts, where it is in the form of some
    /// version: that version, its own type there, and the way.
    pub via: Option<(GroupVersion, TypeExpr, Value)>,
    /// The element of the list that is a field of the version.
    pub shown: Option<Element>,
}
