use std::collections::BTreeSet;

use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use super::error::{ItemError, TypedError};
use super::go;
use super::item::element;
use super::place::{By, List, Members, Place, Scalar, Types};
use crate::fields::Element;

/// The most errors that are told.
const MOST: usize = 32;

/// Checks that an object has only what its type has, that scalars are what the type specifies, and that the items of lists can be
/// told apart.
///
/// # Errors
/// What is wrong, but for what follows the first wrong item of a list, or the first unknown field of an object. Of many errors,
/// the first ones are told.
pub fn validate(of: &Described, object: &Value) -> Result<(), Vec<TypedError>> {
    walked(of, object, false)
}

/// Checks the same, but for items of lists that are there more than once.
///
/// # Errors
/// As [`validate`].
pub fn validate_but_duplicates(of: &Described, object: &Value) -> Result<(), Vec<TypedError>> {
    walked(of, object, true)
}

fn walked(of: &Described, object: &Value, allows_duplicates: bool) -> Result<(), Vec<TypedError>> {
    let types = Types(of);
    let mut walk = Walk { types, allows_duplicates, path: Vec::new(), found: Vec::new() };
    walk.value(types.root(), object);
    if walk.found.is_empty() { Ok(()) } else { Err(walk.found) }
}

struct Walk<'a, 'v> {
    types: Types<'a>,
    allows_duplicates: bool,
    /// The way to the value. It becomes a text only where something is wrong: names can be long, and have many members.
    path: Vec<Step<'v>>,
    found: Vec<TypedError>,
}

enum Step<'v> {
    Member(&'v str),
    Item(Element),
}

impl<'a, 'v> Walk<'a, 'v> {
    fn wrong(&mut self, why: ItemError) {
        if self.found.len() == MOST {
            return;
        }
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Member(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                Step::Item(element) => path.push_str(&element.to_string()),
            }
        }
        self.found.push(TypedError { path, why });
    }

    fn value(&mut self, place: Place<'a>, value: &'v Value) {
        match (place, value) {
            (_, Value::Null) | (Place::Any, Value::Array(_)) => {}
            (Place::Leaf(scalar), value) => self.scalar(scalar, value),
            (Place::Any, Value::Object(members)) => self.object(None, members),
            (Place::Object { members: of, .. }, Value::Object(members)) => self.object(Some(of), members),
            (Place::Object { .. }, other) => self.wrong(ItemError::NoMap(go::plain(other))),
            (Place::List(list), Value::Array(items)) => self.list(list, items),
            (Place::List(_), other) => self.wrong(ItemError::NoList(go::plain(other))),
            (Place::Any, _) => {}
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        let is_scalar = !value.is_object() && !value.is_array();
        let why = match scalar {
            Scalar::Number if !value.is_number() => ItemError::NoNumber(go::type_of(value).to_owned()),
            Scalar::Text if !value.is_string() => ItemError::NoText(go::literal(value)),
            Scalar::Bool if !value.is_boolean() => ItemError::NoBool(go::plain(value)),
            Scalar::Any if !is_scalar => ItemError::NotScalar(go::plain(value)),
            _ => return,
        };
        self.wrong(why);
    }

    fn object(&mut self, of: Option<Members<'a>>, members: &'v Map<String, Value>) {
        // Not every type knows of which kind it is.
        let is_whole = self.path.is_empty();
        for (name, value) in members {
            if is_whole && ["apiVersion", "kind"].contains(&name.as_str()) {
                continue;
            }
            let place = match of {
                None => Some(Place::Any),
                Some(of) => match self.types.member(of, name) {
                    None if of.takes(name) => continue,
                    place => place,
                },
            };
            self.path.push(Step::Member(name));
            match place {
                Some(place) => self.value(place, value),
                None => self.wrong(ItemError::Unknown),
            }
            self.path.pop();
            if place.is_none() {
                return;
            }
        }
    }

    fn list(&mut self, list: List<'a>, items: &'v [Value]) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let named = match list.by {
                By::Nothing => Element::Index(i64::try_from(index).unwrap_or(i64::MAX)),
                By::Value | By::Keys(_) => match element(self.types, list, item) {
                    Ok(named) => named,
                    Err(why) => return self.wrong(ItemError::At(index, Box::new(why))),
                },
            };
            let is_told_apart = !matches!(list.by, By::Nothing);
            if is_told_apart && !seen.insert(named.clone()) && !self.allows_duplicates {
                self.wrong(ItemError::Duplicate(named.to_string()));
            }
            self.path.push(Step::Item(named));
            self.value(self.types.item(list), item);
            self.path.pop();
        }
    }
}
