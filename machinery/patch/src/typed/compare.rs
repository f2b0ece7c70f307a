use std::collections::BTreeMap;

use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use super::error::TypedError;
use super::item::element;
use super::place::{By, List, Members, Place, Types};
use crate::fields::{Element, Set, equal};

/// How an object differs from an older one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The fields that only the newer one has.
    pub added: Set,
    /// The fields that both have, with other values.
    pub modified: Set,
    /// The fields that only the older one has.
    pub removed: Set,
}

impl Comparison {
    /// Whether the objects have the same fields with the same values.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// The comparison without fields, and without what is in them.
    #[must_use]
    pub fn without(self, fields: &Set) -> Self {
        if fields.is_empty() {
            return self;
        }
        let without = |set: Set| set.recursive_difference(fields);
        Self { added: without(self.added), modified: without(self.modified), removed: without(self.removed) }
    }
}

/// Compares two objects of a type.
///
/// Items of a list that have the same keys, or the same value, are compared together, as if they were one value.
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::reflect::Reflect;
/// use hubgen_patch::typed::compare;
/// use serde_json::json;
///
/// #[derive(ApiType)]
/// struct Pod {
///     #[field(list = map("name"))]
///     containers: Vec<Container>,
///     #[field(list = atomic)]
///     tolerations: Vec<String>,
/// }
///
/// #[derive(ApiType)]
/// struct Container {
///     name: String,
///     image: String,
/// }
///
/// let old = json!({"containers": [{"name": "a", "image": "one"}], "tolerations": ["x"]});
/// let new = json!({"containers": [{"name": "a", "image": "two"}], "tolerations": ["x", "y"]});
/// let found = compare(&Pod::default().descriptor().share(), &old, &new)?;
/// let modified = r#"{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}},"f:tolerations":{}}"#;
/// assert_eq!(found.modified.to_string(), modified);
/// assert!(found.added.is_empty() && found.removed.is_empty());
/// # Ok::<_, hubgen_patch::typed::TypedError>(())
/// ```
///
/// # Errors
/// If an item of a list cannot be told from others, as its type specifies.
pub fn compare(of: &Described, old: &Value, new: &Value) -> Result<Comparison, TypedError> {
    let types = Types(of);
    Walk { types }.compare(types.root(), Some(old), Some(new)).map(|found| found.inside)
}

/// What a comparison finds at a place.
#[derive(Default)]
struct Found {
    /// Whether the place itself is added, modified, removed.
    itself: [bool; 3],
    /// What is inside.
    inside: Comparison,
    /// Whether nothing is looked at inside: the place is one field.
    is_leaf: bool,
}

impl Found {
    fn leaf(old: Option<&Value>, new: Option<&Value>) -> Self {
        let itself = match (old, new) {
            (None, _) => [true, false, false],
            (_, None) => [false, false, true],
            (Some(old), Some(new)) => [false, !equal(old, new), false],
        };
        Self { itself, inside: Comparison::default(), is_leaf: true }
    }

    fn removed() -> Self {
        Self { itself: [false, false, true], ..Self::default() }
    }

    /// What is found if a value is taken for one type, and for another.
    fn or(self, other: Self) -> Self {
        let itself = std::array::from_fn(|at| self.itself[at] || other.itself[at]);
        let (one, two) = (&self.inside, &other.inside);
        let inside = Comparison {
            added: one.added.union(&two.added),
            modified: one.modified.union(&two.modified),
            removed: one.removed.union(&two.removed),
        };
        Self { itself, inside, is_leaf: other.is_leaf }
    }
}

/// What is found in the parts of a place.
#[derive(Default)]
struct Parts {
    members: [Vec<Element>; 3],
    children: [Vec<(Element, Set)>; 3],
}

impl Parts {
    fn add(&mut self, element: Element, found: Found) {
        let Comparison { added, modified, removed } = found.inside;
        for (at, child) in [added, modified, removed].into_iter().enumerate() {
            if found.itself[at] {
                self.members[at].push(element.clone());
            }
            if !child.is_empty() {
                self.children[at].push((element.clone(), child));
            }
        }
    }

    fn found(self) -> Found {
        let [added, modified, removed] = self.members;
        let [in_added, in_modified, in_removed] = self.children;
        let inside = Comparison {
            added: Set::of(added, in_added),
            modified: Set::of(modified, in_modified),
            removed: Set::of(removed, in_removed),
        };
        Found { inside, ..Found::default() }
    }
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    types: Types<'a>,
}

impl<'a> Walk<'a> {
    fn compare(
        self,
        place: Place<'a>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<Found, TypedError> {
        let mut found = match place {
            Place::Leaf(_) => Found::leaf(old, new),
            Place::Any => self.any(old, new)?,
            Place::Object { members, is_atomic } => self.object(Some(members), is_atomic, old, new)?,
            Place::List(list) => self.list(list, old, new)?,
        };
        if !found.is_leaf {
            found.itself[0] |= old.is_none();
            found.itself[2] |= new.is_none();
        }
        Ok(found)
    }

    /// Compares any JSON. Each value tells its own type; where the two are of different types, both count. `null` has the
    /// type of an object.
    fn any(self, old: Option<&Value>, new: Option<&Value>) -> Result<Found, TypedError> {
        let is_leaf = |value: &Value| !value.is_object() && !value.is_null();
        let as_type = |is_leaf| {
            if is_leaf { Ok(Found::leaf(old, new)) } else { self.object(None, false, old, new) }
        };
        match (old.map(is_leaf), new.map(is_leaf)) {
            (Some(one), Some(two)) if one != two => Ok(as_type(one)?.or(as_type(two)?)),
            (Some(is_leaf), _) | (None, Some(is_leaf)) => as_type(is_leaf),
            (None, None) => Ok(Found::default()),
        }
    }

    /// Compares objects; of any JSON if nothing is known of their members.
    fn object(
        self,
        members: Option<Members<'a>>,
        is_atomic: bool,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<Found, TypedError> {
        let empty = Map::new();
        let [old_members, new_members] =
            [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        // An empty object differs from a missing one.
        if is_atomic || old_members.is_empty() && new_members.is_empty() {
            return Ok(Found::leaf(old, new));
        }
        let mut parts = Parts::default();
        let mut part = |name: &str, old, new| {
            let place = members.and_then(|members| self.types.member(members, name)).unwrap_or(Place::Any);
            let element = Element::field(name);
            let found = self.compare(place, old, new).map_err(|error| error.behind(&element))?;
            parts.add(element, found);
            Ok(())
        };
        for (name, old) in old_members {
            part(name, Some(old), new_members.get(name))?;
        }
        for (name, new) in new_members.iter().filter(|(name, _)| !old_members.contains_key(*name)) {
            part(name, None, Some(new))?;
        }
        Ok(parts.found())
    }

    fn list(self, list: List<'a>, old: Option<&Value>, new: Option<&Value>) -> Result<Found, TypedError> {
        let [old_items, new_items] =
            [old, new].map(|value| value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
        if matches!(list.by, By::Nothing) || old_items.is_empty() && new_items.is_empty() {
            return Ok(Found::leaf(old, new));
        }
        let mut by_element: BTreeMap<Element, [Vec<&Value>; 2]> = BTreeMap::new();
        for (side, items) in [old_items, new_items].into_iter().enumerate() {
            for (index, item) in items.iter().enumerate() {
                let element = element(self.types, list, item).map_err(|why| TypedError::of(index, why))?;
                by_element.entry(element).or_default()[side].push(item);
            }
        }
        let mut parts = Parts::default();
        for (element, [old, new]) in by_element {
            let found = self.items(list, &old, &new).map_err(|error| error.behind(&element))?;
            parts.add(element, found);
        }
        Ok(parts.found())
    }

    /// Compares the items of the same element. If there are several, they are one value together.
    fn items(self, list: List<'a>, old: &[&Value], new: &[&Value]) -> Result<Found, TypedError> {
        let single = |old, new| self.compare(self.types.item(list), old, new);
        match (old, new) {
            ([] | [_], [] | [_]) => single(old.first().copied(), new.first().copied()),
            ([_, _, ..], [_, _, ..]) => {
                let is_equal =
                    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| equal(old, new));
                Ok(Found { itself: [false, !is_equal, false], ..Found::default() })
            }
            // The item is there now, and the several ones are not any more.
            ([_, _, ..], [new]) => Ok(single(None, Some(new))?.or(Found::removed())),
            ([_, _, ..], []) => Ok(Found::removed()),
            (old, _) => {
                let several = Found { itself: [true, false, false], ..Found::default() };
                match old {
                    [old] => Ok(single(Some(old), None)?.or(several)),
                    _ => Ok(several),
                }
            }
        }
    }
}
