//! Hubs: what every version of a kind converts to, and how.
//!
//! The hub of a family is its hub version's own type where that holds
//! everything. Where a rules file adds fields, it is a type of its own, in the
//! pseudo version `hub` of the home group; only the types on the way to such a
//! field are new, all others are shared.
//!
//! For each version, [`build`] finds how every pair of types that differ maps
//! field by field. Whatever is neither shared nor ruled is a [`Problem`].

mod locate;
mod mapping;
mod superset;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::family;
use crate::rules::{Annotation, Pending, Rules};
use crate::sharing::Sharing;
use crate::{Api, Family, Field, GroupVersion, Presence, TypeExpr, TypeId};

use self::mapping::Mapper;

/// The pseudo version that hubs of their own live in.
pub const HUB: &str = "hub";

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
            for link in mapping.pairs.values().flat_map(|pair| &pair.links) {
                match link {
                    Link::Constant { version, value } => {
                        out.insert((&*version.field().name, &**value));
                    }
                    Link::Tag { hub, set, otherwise } => {
                        let words = set.iter().map(|(_, word)| word).chain([otherwise]);
                        out.extend(words.map(|word| (&*hub.field().name, &**word)));
                    }
                    Link::Element { when, .. } => {
                        out.extend(when.iter().map(|(place, word)| (&*place.field().name, &**word)));
                    }
                    _ => {}
                }
            }
        }
        out
    }

    /// Whether the hub is a type of its own.
    pub fn has_own_hub(&self) -> bool {
        self.hub.group_version.version == HUB
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
    /// Not yet.
    Pending,
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
}

/// How two types map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// Where each field comes from and goes to.
    pub links: Vec<Link>,
}

/// The way to a field from a type, with all fields on it. The last is the
/// field itself; those before are objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Place(pub Vec<Field>);

impl Place {
    /// The field itself.
    pub fn field(&self) -> &Field {
        self.0.last().expect("a place has at least one field")
    }

    /// The names on the way.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|field| field.name.as_str()).collect()
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names().join("."))
    }
}

/// How fields of two types belong together.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// One holds what the other holds.
    Copy {
        /// In the version.
        version: Place,
        /// In the hub.
        hub: Place,
        /// How the value converts.
        value: Value,
    },
    /// A field of the version that always says the same.
    Constant {
        /// In the version.
        version: Place,
        /// What it says.
        value: String,
    },
    /// A field of the hub says which field of the version is set.
    Tag {
        /// In the hub.
        hub: Place,
        /// The first that is set gives the word.
        set: Vec<(Place, String)>,
        /// The word if none is.
        otherwise: String,
    },
    /// A field of the version is an element of a list of the hub.
    Element {
        /// In the version.
        version: Place,
        /// The list in the hub.
        list: Place,
        /// The type of its elements.
        element: TypeId,
        /// What the element says elsewhere.
        when: Vec<(Place, String)>,
        /// Where the element holds the value.
        value: Place,
    },
    /// A number or a name.
    Split {
        /// In the version: a number or a string.
        version: Place,
        /// In the hub: the number.
        number: Place,
        /// In the hub: the name.
        name: Place,
    },
    /// A field of the version that is there even when nothing is in it.
    Always {
        /// In the version.
        version: Place,
    },
    /// A field of the version that all elements of a list agree on.
    Hoist {
        /// In the version.
        version: Place,
        /// The list in the hub, which a [`Link::Copy`] makes.
        list: Place,
        /// The element's field in the hub.
        element: Field,
        /// How the value converts.
        value: Value,
    },
    /// A field of the version that says the same as the first element of a
    /// list.
    Head {
        /// In the version.
        version: Place,
        /// The list in the hub, which a [`Link::Copy`] makes.
        list: Place,
        /// The type of its elements.
        id: TypeId,
        /// The element's field.
        element: Field,
        /// What is true of an element that the field makes.
        set: Vec<Field>,
    },
    /// A function over plain values.
    Function {
        /// Its name.
        name: String,
        /// In the version.
        version: Vec<Place>,
        /// In the hub.
        hub: Vec<Place>,
    },
    /// A field of the hub that the version cannot say.
    Kept {
        /// In the hub.
        hub: Place,
    },
}

/// How a value converts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is of one type.
    Same,
    /// By the pair of these types.
    Pair(TypeId, TypeId),
    /// Element by element.
    List(Box<Value>),
    /// Value by value.
    Map(Box<Value>),
    /// In the hub, in this field of an object of this type.
    Wrapped(TypeId, String),
}

/// A field of the hub that upstream keeps in an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// From the hub downwards.
    pub place: Place,
    /// Where and how.
    pub annotation: Annotation,
    /// How the annotation's value converts, where it is in the form of some
    /// version: that version, its own type there, and the way.
    pub via: Option<(GroupVersion, TypeExpr, Value)>,
    /// Whether an element of the list is a field of the version.
    pub shows_element: bool,
}

/// Something wrong with the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is said.
    pub place: Where,
    /// The field or kind that it is about.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

/// Where something is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// In the rules of that position, at these bytes.
    Rules(usize, Range<usize>),
    /// In the list of pending families.
    Pending(Range<usize>),
    /// Nowhere, and that is what is wrong.
    Nowhere,
}

/// Finds how every family with several versions converts, and adds the hubs
/// that are types of their own to `api`.
///
/// # Errors
/// Everything that is wrong: fields that no rule covers, rules that fit
/// nothing, families that are neither ruled nor pending, pending families that
/// need not be.
pub fn build(
    api: &mut Api,
    families: &[Family],
    sharing: &Sharing,
    rules: &[Rules],
    pending: &[Pending],
) -> Result<Vec<FamilyPlan>, Vec<Problem>> {
    let mut problems = Vec::new();
    let by_family: BTreeMap<String, (usize, &Rules)> = rules
        .iter()
        .enumerate()
        .map(|(index, rules)| {
            (format!("{} {}", rules.hub.value.group_or_core(), rules.kind.value), (index, rules))
        })
        .collect();
    let mut hubs = BTreeMap::new();
    for (title, (index, rules)) in &by_family {
        superset::add(api, *index, rules, &mut problems).map(|hub| hubs.insert(title.clone(), hub));
    }
    let pending_by_family: BTreeMap<&str, &Pending> =
        pending.iter().map(|pending| (pending.family.value.as_str(), pending)).collect();
    let mut plans = Vec::new();
    for family in families.iter().filter(|family| family.has_versions()) {
        let title = family.title();
        let ruled = by_family.get(&title).copied();
        let pending = pending_by_family.get(title.as_str()).copied();
        let Some(root) = family::root(api, &family.hub, &family.kind) else { continue };
        let hub = hubs.get(&title).unwrap_or(&root.id).clone();
        let mut plan =
            FamilyPlan { family: family.clone(), hub, members: Vec::new(), reserved: BTreeSet::new() };
        let found = members(api, sharing, &mut plan, ruled);
        match (ruled, pending) {
            (Some(_), pending) => {
                problems.extend(pending.map(|pending| outdated(pending, "it has rules")));
                problems.extend(found);
            }
            (None, Some(pending)) => {
                if found.is_empty() && !pending.meaning {
                    problems.push(outdated(pending, "its versions convert by their names alone"));
                }
                plan.members.iter_mut().for_each(|member| member.how = How::Pending);
            }
            (None, None) => problems.extend(found.into_iter().take(1).map(|first| Problem {
                place: Where::Nowhere,
                message: format!("the versions differ: at {}, {}", first.path, first.message),
                path: title.clone(),
                help: format!(
                    "write rules/{}.{}.toml, or list it as pending",
                    family.hub.group_or_core(),
                    family.kind
                ),
            })),
        }
        plans.push(plan);
    }
    let known: BTreeSet<String> = plans.iter().map(|plan| plan.family.title()).collect();
    for pending in pending.iter().filter(|pending| !known.contains(&pending.family.value)) {
        problems.push(outdated(pending, "no such kind has several versions"));
    }
    for (title, (index, rules)) in by_family.iter().filter(|(title, _)| !known.contains(*title)) {
        problems.push(Problem {
            place: Where::Rules(*index, rules.kind.span.clone()),
            path: title.clone(),
            message: "no such kind has several versions".to_owned(),
            help: "the file is named <group>.<Kind>.toml, by the group of the hub; `core` is the empty group"
                .to_owned(),
        });
    }
    if problems.is_empty() { Ok(plans) } else { Err(problems) }
}

fn outdated(pending: &Pending, why: &str) -> Problem {
    Problem {
        place: Where::Pending(pending.family.span.clone()),
        path: pending.family.value.clone(),
        message: format!("is not pending: {why}"),
        help: "take it off the list".to_owned(),
    }
}

/// Maps every member of a family; gives what is wrong.
fn members(
    api: &Api,
    sharing: &Sharing,
    plan: &mut FamilyPlan,
    ruled: Option<(usize, &Rules)>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some((index, rules)) = ruled {
        let unknown = |version: &&GroupVersion| !plan.family.members.contains(version);
        for version in rules.versions.keys().filter(unknown) {
            problems.push(Problem {
                place: Where::Rules(index, rules.versions[version].span.clone()),
                path: version.to_string(),
                message: "is no version of the family".to_owned(),
                help: "name one of the family's, or add it to `family`".to_owned(),
            });
        }
    }
    for version in plan.family.members.clone() {
        let Some(root) = family::root(api, &version, &plan.family.kind) else {
            if let Some((index, rules)) = ruled {
                let said = rules.family.iter().find(|said| said.value == version);
                problems.push(Problem {
                    place: Where::Rules(
                        index,
                        said.map_or_else(|| rules.hub.span.clone(), |said| said.span.clone()),
                    ),
                    path: version.to_string(),
                    message: format!("has no kind {}", plan.family.kind),
                    help: "name group versions that have it".to_owned(),
                });
            }
            continue;
        };
        let said = ruled.and_then(|(_, rules)| rules.versions.get(&version));
        let how = match said.and_then(|said| said.not_convertible.as_ref()) {
            Some(reason) => How::NotConvertible(reason.value.clone()),
            None => {
                let mut mapper = Mapper::new(api, sharing, ruled, &version);
                let mapping = mapper.map(&root.id, &plan.hub);
                problems.append(&mut mapper.problems);
                plan.reserved.extend(mapping.kept.iter().map(|kept| kept.annotation.key.clone()));
                How::Convert(mapping)
            }
        };
        plan.members.push(Member { group_version: version, root: root.id.clone(), how });
    }
    if plan.keeps() || !plan.reserved.is_empty() {
        let converts = |member: &&Member| matches!(member.how, How::Convert(_));
        for member in
            plan.members.iter().filter(converts).filter(|member| !has_annotations(api, &member.root))
        {
            problems.push(Problem {
                place: ruled
                    .map_or(Where::Nowhere, |(index, rules)| Where::Rules(index, rules.hub.span.clone())),
                path: "metadata.annotations".to_owned(),
                message: format!("{} has no annotations to keep in what it cannot say", member.root),
                help: "say with `not-convertible` why the versions do not convert".to_owned(),
            });
        }
    }
    problems
}

fn has_annotations(api: &Api, root: &TypeId) -> bool {
    let metadata = api.find(root).and_then(|ty| ty.field("metadata"));
    let metadata = metadata.filter(|field| field.presence == Presence::Value);
    let ty = metadata.and_then(|field| api.find(field.ty.named()?));
    let annotations = ty.and_then(|ty| ty.field("annotations"));
    annotations.is_some_and(|field| field.ty == TypeExpr::Map(Box::new(TypeExpr::String)))
}
