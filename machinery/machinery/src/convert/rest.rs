//! Unknown fields of objects, as conversions see them.
//!
//! A field of one version may be an unknown field of another one that keeps unknown fields. Both have the same JSON,
//! so that the one converts to the other wherever the value has the field's type.

use super::ConvertError;
use super::plain::is_unset;
use crate::StrMap;
use crate::json::{self, Raw};
use crate::reflect::{ApiType, Lent, Map, Reflect, Slot, SlotMut, Type, Value};

/// Adds a field to the unknown fields, unless it has no value.
pub fn into_rest<T: Value>(rest: &mut StrMap<Raw>, name: &str, value: T) {
    into_rest_any(Lent::new_mut(rest), name, T::OPTIONAL, &value.slot());
}

/// As [`into_rest`], for types that are known only at run time. `optional` is whether the value may be absent.
pub fn into_rest_any(rest: &mut dyn Map, name: &str, optional: bool, value: &Slot<'_>) {
    if is_unset(optional, value) {
        return;
    }
    if let SlotMut::Raw(raw) = rest.entry(name) {
        let mut json = Vec::new();
        json::encode_slot(value, &mut json);
        *raw = Raw::new(&json).unwrap_or_default();
    }
}

/// Takes a field out of the unknown fields. If there is none of this name, or the field could not represent it
/// exactly, it stays there and the value is empty.
pub fn from_rest<T: Value + Default>(rest: &mut StrMap<Raw>, name: &str) -> T {
    let mut value = T::default();
    if let Some(raw) = rest.get(name) {
        if fits(raw, &T::TYPE, T::OPTIONAL, value.slot_mut()) && is_exact(raw, T::OPTIONAL, &value.slot()) {
            rest.remove(name);
        } else {
            value = T::default();
        }
    }
    value
}

/// As [`from_rest`], for types that are known only at run time: fills the field `to` of an object, which is empty.
pub fn from_rest_any(rest: &mut dyn Map, name: &str, object: &mut dyn Reflect, to: usize) {
    let described = object.descriptor().share();
    let field = &described.fields[to];
    let is_taken = match rest.get(name) {
        Some(Slot::Raw(raw)) => {
            fits(raw, &field.ty, field.optional, object.write(to))
                && is_exact(raw, field.optional, &object.fields().slot(to))
        }
        _ => return,
    };
    if is_taken {
        rest.retain(&mut |other| other != name);
    } else {
        object.write(to).clear();
    }
}

/// The unknown fields without those whose names the target has itself.
#[must_use]
pub fn without(mut rest: StrMap<Raw>, names: &[&str]) -> StrMap<Raw> {
    rest.retain(|name, _| !names.contains(&&**name));
    rest
}

/// Reads a value into an empty slot. Returns whether it is of that type.
fn fits(raw: &Raw, ty: &Type, optional: bool, slot: SlotMut<'_>) -> bool {
    if raw.is_null() {
        slot.set_null();
        return optional;
    }
    raw.to_json().is_ok_and(|json| json::decode_slot(json.as_bytes(), ty, slot).is_ok())
}

/// Whether a value is the same JSON again.
fn is_exact(raw: &Raw, optional: bool, value: &Slot<'_>) -> bool {
    let mut json = Vec::new();
    json::encode_slot(value, &mut json);
    let is_same = || match (raw.to_value(), Raw::new(&json).and_then(|json| json.to_value())) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    !is_unset(optional, value) && (raw.as_str().as_bytes() == json || is_same())
}

/// Refuses a hub in which an unknown field has the name of a field. It comes from a version that does not have the
/// field, with a value that the field cannot represent.
///
/// # Errors
/// The path of the first such field.
pub fn expect_unknown<T: ApiType>(hub: &T) -> Result<(), ConvertError> {
    expect_unknown_any(Lent::new(hub))
}

/// As [`expect_unknown`], for types that are known only at run time.
///
/// # Errors
/// As [`expect_unknown`].
pub fn expect_unknown_any(hub: &dyn Reflect) -> Result<(), ConvertError> {
    match in_object(hub) {
        Some(path) => Err(ConvertError::KnownName { path }),
        None => Ok(()),
    }
}

fn in_object(object: &dyn Reflect) -> Option<String> {
    let descriptor = object.descriptor();
    object.fields().iter().enumerate().find_map(|(index, (field, slot))| match &slot {
        Slot::Map(rest) if descriptor.is_rest(index) => {
            let mut found = None;
            rest.visit(&mut |name, _| {
                if found.is_none() && descriptor.has(name) {
                    found = Some(name.to_owned());
                }
            });
            found
        }
        slot => in_slot(slot).map(|below| join(&field.name, &below)),
    })
}

fn in_slot(slot: &Slot<'_>) -> Option<String> {
    match slot {
        Slot::Struct(object) => in_object(*object),
        Slot::List(list) => {
            (0..list.len()).find_map(|index| Some(join(&format!("[{index}]"), &in_slot(&list.get(index))?)))
        }
        Slot::Map(map) => {
            let mut found = None;
            map.visit(&mut |key, slot| {
                if found.is_none() {
                    found = in_slot(&slot).map(|below| join(&format!("[{key}]"), &below));
                }
            });
            found
        }
        _ => None,
    }
}

fn join(name: &str, below: &str) -> String {
    if below.starts_with('[') { format!("{name}{below}") } else { format!("{name}.{below}") }
}

#[cfg(test)]
mod tests {
    use hubgen_derive::ApiType;

    use super::*;
    use crate::Str;

    #[derive(ApiType)]
    struct Size {
        width: i32,
        height: Option<i32>,
    }

    #[derive(ApiType)]
    struct Hub {
        size: Option<Size>,
        #[field(rest)]
        rest: StrMap<Raw>,
    }

    fn rest(json: &str) -> StrMap<Raw> {
        [("a", json.parse().unwrap())].into_iter().collect()
    }

    /// The field that takes the unknown field `a`, as JSON; `None` if it does not take it.
    fn taken<T: Value + Default>(json: &str) -> Option<String> {
        let mut rest = rest(json);
        let value: T = from_rest(&mut rest, "a");
        if let Some(raw) = rest.get("a") {
            assert_eq!((raw.as_str(), is_unset(T::OPTIONAL, &value.slot())), (json, true));
            return None;
        }
        into_rest(&mut rest, "a", value);
        rest.get("a").map(|raw| raw.as_str().to_owned())
    }

    #[test]
    fn a_value_of_the_type_becomes_a_field_and_is_the_same_json_again() {
        for json in ["1", "-7"] {
            assert_eq!(taken::<Option<i32>>(json).as_deref(), Some(json));
            assert_eq!(taken::<i32>(json).as_deref(), Some(json));
        }
        assert_eq!(taken::<Option<Str>>("\"\"").as_deref(), Some("\"\""));
        assert_eq!(taken::<Option<Vec<Str>>>("[]").as_deref(), Some("[]"));
        assert_eq!(taken::<Option<Option<i32>>>("null").as_deref(), Some("null"));
        let sorted = Some("{\"width\":1,\"height\":0}".to_owned());
        assert_eq!(taken::<Option<Size>>("{\"height\":0,\"width\":1}"), sorted);
    }

    #[test]
    fn a_value_that_the_field_would_change_stays_an_unknown_field() {
        assert_eq!(taken::<Option<i32>>("\"1\""), None);
        assert_eq!(taken::<Option<i32>>("null"), None);
        // An empty value that the type does not distinguish from none.
        assert_eq!(taken::<Vec<Str>>("[]"), None);
        assert_eq!(taken::<i32>("0"), None);
        // A field that the type would drop.
        assert_eq!(taken::<Option<Size>>("{\"width\":1,\"depth\":0}"), None);
    }

    #[test]
    fn the_path_of_an_unknown_field_that_is_known_is_reported() {
        #[derive(ApiType)]
        struct Root {
            hubs: Vec<Hub>,
            by_name: StrMap<Hub>,
        }

        let mut root = Root { hubs: vec![Hub::default(), Hub::default()], ..Root::default() };
        assert_eq!(expect_unknown(&root), Ok(()));
        root.by_name.insert("k", Hub { rest: rest("1"), ..Hub::default() });
        assert_eq!(expect_unknown(&root), Ok(()));
        root.by_name.get_mut("k").unwrap().rest.insert("size", Raw::NULL);
        let path = |root: &Root| match expect_unknown(root) {
            Err(ConvertError::KnownName { path }) => path,
            other => panic!("{other:?}"),
        };
        assert_eq!(path(&root), "byName[k].size");
        root.hubs[1].rest.insert("size", Raw::NULL);
        assert_eq!(path(&root), "hubs[1].size");
    }
}
