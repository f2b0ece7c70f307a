//! How a family converts, as data.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::rules::Annotation;
use hubgen_model::{Field, GroupVersion, TypeExpr, TypeId};

use crate::Family;

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
        /// Whether it is the last one that fits, not the first.
        last: bool,
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
