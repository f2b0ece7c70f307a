use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use super::error::{ItemError, TypedError};
use super::go;
use super::item::element;
use super::place::{By, List, Members, Place, Scalar, Types};
use crate::fields::Element;

/// Checks that an object has only what its type has, that scalars are what the type says, and that the items of lists can be
/// told apart.
///
/// # Errors
/// All that is wrong, but for what follows the first wrong item of a list, or the first unknown field of an object.
pub fn validate(of: &Described, object: &Value) -> Result<(), Vec<TypedError>> {
    let types = Types(of);
    let mut found = Vec::new();
    Walk { types, found: &mut found }.value(types.root(), object, "");
    if found.is_empty() { Ok(()) } else { Err(found) }
}

struct Walk<'a, 'f> {
    types: Types<'a>,
    found: &'f mut Vec<TypedError>,
}

impl<'a> Walk<'a, '_> {
    fn wrong(&mut self, path: &str, why: ItemError) {
        self.found.push(TypedError { path: path.to_owned(), why });
    }

    fn value(&mut self, place: Place<'a>, value: &Value, path: &str) {
        match (place, value) {
            (_, Value::Null) | (Place::Any, Value::Array(_)) => {}
            (Place::Leaf(scalar), value) => self.scalar(scalar, value, path),
            (Place::Any, Value::Object(members)) => self.object(None, members, path),
            (Place::Object { members: of, .. }, Value::Object(members)) => {
                self.object(Some(of), members, path);
            }
            (Place::Object { .. }, other) => self.wrong(path, ItemError::NoMap(go::plain(other))),
            (Place::List(list), Value::Array(items)) => self.list(list, items, path),
            (Place::List(_), other) => self.wrong(path, ItemError::NoList(go::plain(other))),
            (Place::Any, _) => {}
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value, path: &str) {
        let is_scalar = !value.is_object() && !value.is_array();
        let why = match scalar {
            Scalar::Number if !value.is_number() => ItemError::NoNumber(go::type_of(value).to_owned()),
            Scalar::Text if !value.is_string() => ItemError::NoText(go::literal(value)),
            Scalar::Bool if !value.is_boolean() => ItemError::NoBool(go::plain(value)),
            Scalar::Any if !is_scalar => ItemError::NotScalar(go::plain(value)),
            _ => return,
        };
        self.wrong(path, why);
    }

    fn object(&mut self, of: Option<Members<'a>>, members: &Map<String, Value>, path: &str) {
        for (name, value) in members {
            let path = format!("{path}.{name}");
            let place = match of {
                None => Place::Any,
                Some(of) => match self.types.member(of, name) {
                    Some(place) => place,
                    None if of.takes(name) => continue,
                    None => return self.wrong(&path, ItemError::Unknown),
                },
            };
            self.value(place, value, &path);
        }
    }

    fn list(&mut self, list: List<'a>, items: &[Value], path: &str) {
        let mut seen = std::collections::BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let named = match list.by {
                By::Nothing => Element::Index(i64::try_from(index).unwrap_or(i64::MAX)),
                By::Value | By::Keys(_) => match element(self.types, list, item) {
                    Ok(named) => named,
                    Err(why) => return self.wrong(path, ItemError::At(index, Box::new(why))),
                },
            };
            let inner = format!("{path}{named}");
            if !seen.insert(named.clone()) {
                self.wrong(path, ItemError::Duplicate(named.to_string()));
            }
            self.value(self.types.item(list), item, &inner);
        }
    }
}
