use std::collections::{BTreeMap, BTreeSet};

use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use super::error::{ItemError, TypedError};
use super::item::element;
use super::place::{By, List, Members, Place, Types};
use crate::fields::Element;

/// What applying a configuration makes of an object: whatever the configuration has is taken from it, and all else stays.
///
/// Nothing is removed. The items of a list that both have come in the order of the configuration; those that only the object
/// has stay before what followed them. Of an item that the object has several times, one is left if the configuration has
/// it, too.
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::reflect::Reflect;
/// use hubgen_patch::typed::merge;
/// use serde_json::json;
///
/// #[derive(ApiType)]
/// struct Pod {
///     #[field(list = map("name"))]
///     containers: Vec<Container>,
/// }
///
/// #[derive(ApiType)]
/// struct Container {
///     name: String,
///     image: String,
/// }
///
/// let object = json!({"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "one"}]});
/// let configuration = json!({"containers": [{"name": "b", "image": "two"}]});
/// let merged = merge(&Pod::default().descriptor().share(), &object, &configuration)?;
/// let expected = json!({"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "two"}]});
/// assert_eq!(merged, expected);
/// # Ok::<_, hubgen_patch::typed::TypedError>(())
/// ```
///
/// # Errors
/// If an item of a list cannot be told from others, as its type specifies.
pub fn merge(of: &Described, object: &Value, configuration: &Value) -> Result<Value, TypedError> {
    let walk = Walk { types: Types(of) };
    let merged = walk.merge(walk.types.root(), Some(object), Some(configuration))?;
    Ok(merged.unwrap_or_default())
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    types: Types<'a>,
}

impl<'a> Walk<'a> {
    /// What both values become; `None` if nothing is left of them.
    fn merge(
        self,
        place: Place<'a>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<Option<Value>, TypedError> {
        let is_leaf = |value: &Value| !value.is_object() && !value.is_null();
        match place {
            Place::Leaf(_) | Place::Object { is_atomic: true, .. } => Ok(replaced(old, new)),
            // The value that counts tells its own type.
            Place::Any if new.or(old).is_some_and(is_leaf) => Ok(replaced(old, new)),
            Place::Any => self.object(None, old, new),
            Place::Object { members, .. } => self.object(Some(members), old, new),
            Place::List(list) => self.list(list, old, new),
        }
    }

    /// Objects; of any JSON if nothing is known of their members.
    fn object(
        self,
        members: Option<Members<'a>>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<Option<Value>, TypedError> {
        let empty = Map::new();
        let [old_members, new_members] =
            [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        // An empty object differs from a missing one.
        if old_members.is_empty() && new_members.is_empty() {
            return Ok(replaced(old, new));
        }
        let mut merged = Map::new();
        let mut member = |name: &str, old, new| {
            let place = members.and_then(|members| self.types.member(members, name)).unwrap_or(Place::Any);
            let value = self.merge(place, old, new).map_err(|error| error.behind(&Element::field(name)))?;
            if let Some(value) = value {
                merged.insert(name.to_owned(), value);
            }
            Ok(())
        };
        for (name, old) in old_members {
            member(name, Some(old), new_members.get(name))?;
        }
        for (name, new) in new_members.iter().filter(|(name, _)| !old_members.contains_key(*name)) {
            member(name, None, Some(new))?;
        }
        Ok((!merged.is_empty()).then_some(Value::Object(merged)))
    }

    fn list(
        self,
        list: List<'a>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<Option<Value>, TypedError> {
        let [old_items, new_items] =
            [old, new].map(|value| value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
        if matches!(list.by, By::Nothing) || old_items.is_empty() && new_items.is_empty() {
            return Ok(replaced(old, new));
        }
        let new = Items::of(self.types, list, new_items)?;
        if let Some((index, element)) = new.duplicate() {
            return Err(TypedError::of(index, ItemError::Duplicate(element.to_string())));
        }
        let items = self.items(list, &Items::of(self.types, list, old_items)?, &new)?;
        Ok((!items.is_empty()).then_some(Value::Array(items)))
    }

    /// The items of both lists in their order.
    fn items(self, list: List<'a>, old: &Items<'_>, new: &Items<'_>) -> Result<Vec<Value>, TypedError> {
        let mut merged = Vec::new();
        let mut add = |element: &Element, old, new| {
            let item = self.merge(self.types.item(list), old, new);
            merged.extend(item.map_err(|error| error.behind(element))?);
            Ok(())
        };
        let mut done: BTreeSet<&Element> = BTreeSet::new();
        // The items of both, in the order of the new list.
        let mut shared = new.in_order.iter().map(|(element, _)| element).filter(|element| old.has(element));
        let mut next = shared.next();
        let (mut left, mut right) = (0, 0);
        while left < old.in_order.len() || right < new.in_order.len() {
            if let (Some((element, _)), Some((other, item))) =
                (old.in_order.get(left), new.in_order.get(right))
            {
                if element == other {
                    add(element, old.single(element), Some(*item))?;
                    done.insert(element);
                    (left, right) = (left + 1, right + 1);
                    next = shared.next();
                    continue;
                }
                if new.has(element) && next.is_some_and(|next| next != element) {
                    // It is in both, and another one of these comes first.
                    left += 1;
                    continue;
                }
            }
            if let Some((element, item)) = old.in_order.get(left) {
                if !new.has(element) {
                    add(element, Some(*item), None)?;
                    left += 1;
                    continue;
                }
                if done.contains(element) {
                    left += 1;
                }
            }
            if let Some((element, item)) = new.in_order.get(right) {
                add(element, old.single(element), Some(*item))?;
                done.insert(element);
                right += 1;
                if next == Some(element) {
                    next = shared.next();
                }
            }
        }
        Ok(merged)
    }
}

/// The new value, or else the old one.
fn replaced(old: Option<&Value>, new: Option<&Value>) -> Option<Value> {
    new.or(old).cloned()
}

/// The items of a list, with the elements that name them.
struct Items<'v> {
    in_order: Vec<(Element, &'v Value)>,
    /// Each element, and how many items it names.
    counts: BTreeMap<Element, (&'v Value, usize)>,
}

impl<'v> Items<'v> {
    fn of<'a>(types: Types<'a>, list: List<'a>, items: &'v [Value]) -> Result<Self, TypedError> {
        let mut in_order = Vec::with_capacity(items.len());
        let mut counts = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let element = element(types, list, item).map_err(|why| TypedError::of(index, why))?;
            counts.entry(element.clone()).or_insert((item, 0)).1 += 1;
            in_order.push((element, item));
        }
        Ok(Self { in_order, counts })
    }

    fn has(&self, element: &Element) -> bool {
        self.counts.contains_key(element)
    }

    /// The item of an element; `None` if there is none. Several items are taken for nothing that another could be merged with.
    fn single(&self, element: &Element) -> Option<&'v Value> {
        match self.counts.get(element)? {
            (item, 1) => Some(item),
            _ => Some(&Value::Null),
        }
    }

    /// The first item whose element named one before it.
    fn duplicate(&self) -> Option<(usize, &Element)> {
        let mut seen = BTreeSet::new();
        let mut in_order = self.in_order.iter().enumerate();
        in_order.find(|(_, (element, _))| !seen.insert(element)).map(|(index, (element, _))| (index, element))
    }
}
