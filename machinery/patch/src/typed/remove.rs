use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use super::item::element;
use super::place::{By, List, Members, Place, Types};
use crate::fields::{Element, Set};

/// An object without fields, and without what is in them. What is owned as a whole goes if something in it does.
///
/// A list or an object of which nothing is left becomes `null`.
pub fn remove(of: &Described, object: &Value, fields: &Set) -> Value {
    let walk = Walk { types: Types(of), keeps: false };
    walk.inside(walk.types.root(), object, fields)
}

/// Only these fields of an object, each with what the set has in it; items of lists with what the set has of them.
pub fn extract(of: &Described, object: &Value, fields: &Set) -> Value {
    let walk = Walk { types: Types(of), keeps: true };
    walk.inside(walk.types.root(), object, fields)
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    types: Types<'a>,
    /// Whether the fields stay and all else goes.
    keeps: bool,
}

impl<'a> Walk<'a> {
    fn inside(self, place: Place<'a>, value: &Value, fields: &Set) -> Value {
        let whole = || if self.keeps { value.clone() } else { Value::Null };
        match (place, value) {
            (Place::Leaf(_), Value::Array(_) | Value::Object(_)) => whole(),
            (Place::Any, Value::Array(_)) => whole(),
            (Place::Object { is_atomic: true, .. }, Value::Object(_)) => whole(),
            (Place::List(List { by: By::Nothing, .. }), Value::Array(_)) => whole(),
            (Place::Any, Value::Object(members)) if !members.is_empty() => self.object(None, members, fields),
            (Place::Object { members: of, .. }, Value::Object(members)) if !members.is_empty() => {
                self.object(Some(of), members, fields)
            }
            (Place::List(list), Value::Array(items)) if !items.is_empty() => self.list(list, items, fields),
            (_, Value::Array(_) | Value::Object(_)) => whole(),
            (_, scalar) => scalar.clone(),
        }
    }

    fn object(self, of: Option<Members<'a>>, members: &Map<String, Value>, fields: &Set) -> Value {
        let mut left = Map::new();
        for (name, value) in members {
            let field = Element::field(name);
            let place = of.and_then(|of| self.types.member(of, name)).unwrap_or(Place::Any);
            let kept = match (fields.has_member(&field), fields.behind(&field)) {
                (true, _) if !self.keeps => continue,
                // Upstream looks for the fields of the object in its member then, and finds them only by chance.
                (true, _) => self.inside(place, value, fields),
                (false, Some(inside)) => self.inside(place, value, inside),
                (false, None) if self.keeps => continue,
                (false, None) => value.clone(),
            };
            left.insert(name.clone(), kept);
        }
        if left.is_empty() { Value::Null } else { Value::Object(left) }
    }

    /// An item that cannot be told from others stays: the fields of such a list are never asked for.
    fn list(self, list: List<'a>, items: &[Value], fields: &Set) -> Value {
        let kept = |item: &Value| {
            let named = element(self.types, list, item).ok();
            let is_member = named.as_ref().is_some_and(|named| fields.has_member(named));
            let inside = named.as_ref().and_then(|named| fields.behind(named));
            if is_member && !self.keeps {
                return None;
            }
            match inside {
                Some(inside) => Some(self.inside(self.types.item(list), item, inside)),
                None => (is_member || !self.keeps).then(|| item.clone()),
            }
        };
        let left: Vec<Value> = items.iter().filter_map(kept).collect();
        if left.is_empty() { Value::Null } else { Value::Array(left) }
    }
}
