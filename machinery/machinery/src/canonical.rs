//! Canonical forms: redundant fields of an object are brought into agreement.
//!
//! Some fields are aliases of other fields, and some are write-only. All versions of a kind share
//! these fields, so this is not part of a conversion: it is done once on the way to the hub, after
//! defaulting ([`Object::canonicalize`](crate::scheme::Object::canonicalize)). A second call
//! changes nothing, and an object that is already canonical allocates no memory.
//!
//! Steps run in the order in which the rules name them, and each sees what those before it wrote. Each derives its
//! value from what a client wrote, so the result does not depend on the version at which the client wrote it. Without
//! this, two fields that mean the same would go separate ways as soon as one version shows only one of them.

use std::ops::Deref;
use std::sync::Arc;

use crate::meta;
use crate::reflect::{List, Reflect, Slot, SlotMut, TextSlot};
use crate::storage::{Compiled, Owned, Storage};

/// The canonical form of a struct, and where an object contains that struct.
pub struct CanonicalForm<S: Storage = Compiled> {
    /// The field path to the struct, through lists and maps; empty for the object itself.
    pub at: S::List<S::Text>,
    /// The rewrites to apply, in this order.
    pub steps: S::List<Rewrite<S>>,
}

/// One rewrite of a struct. Fields are named as in JSON.
pub enum Rewrite<S: Storage = Compiled> {
    /// A string with two names. The second one wins unless it is empty; both get its value.
    Alias {
        /// The first name.
        field: S::Text,
        /// The second name.
        of: S::Text,
    },
    /// A string that is also the first element of a list. If they differ, the list becomes that one
    /// string; if one of them is empty, it gets the value of the other.
    First {
        /// The string.
        field: S::Text,
        /// The list: of strings, or of structs.
        list: S::Text,
        /// The field that contains the string, in a list of structs.
        element: Option<S::Text>,
    },
    /// A write-only map of strings: its entries replace those of a map of bytes.
    Overwrite {
        /// The write-only map; empty afterwards.
        from: S::Text,
        /// The map of bytes.
        into: S::Text,
    },
    /// A string with a fixed value in every element of a list.
    Constant {
        /// The list of structs.
        list: S::Text,
        /// Their field.
        field: S::Text,
        /// The fixed value.
        value: S::Text,
    },
    /// A negative number represents a fixed number.
    Negative {
        /// The field path to the number.
        path: S::List<S::Text>,
        /// The number that it represents.
        value: i64,
    },
    /// Removes annotations that fields have replaced, from the struct's metadata.
    Forget {
        /// The keys of the annotations.
        annotations: S::List<S::Text>,
    },
}

impl CanonicalForm {
    /// The rewrites for the structs at a field path.
    pub const fn new(at: &'static [&'static str], steps: &'static [Rewrite]) -> Self {
        Self { at, steps }
    }
}

impl<S: Storage> CanonicalForm<S> {
    /// Applies the rewrites.
    ///
    /// # Panics
    /// When the object is of another type than the one this was written for.
    pub fn apply(&self, object: &mut dyn Reflect) {
        at(object, &self.at, &mut |object| self.steps.iter().for_each(|step| step.apply(object)));
    }
}

/// The canonical forms of a kind.
#[derive(Clone)]
pub enum Forms {
    /// Compiled canonical forms.
    Compiled(&'static [CanonicalForm]),
    /// Canonical forms built at run time.
    Runtime(Arc<[CanonicalForm<Owned>]>),
}

impl Forms {
    /// No canonical forms: the kind has no redundant fields.
    pub const NONE: Self = Self::Compiled(&[]);

    /// Whether there are no canonical forms.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Compiled(forms) => forms.is_empty(),
            Self::Runtime(forms) => forms.is_empty(),
        }
    }

    /// Applies all canonical forms, in order.
    ///
    /// # Panics
    /// As [`CanonicalForm::apply`].
    pub fn apply(&self, object: &mut dyn Reflect) {
        match self {
            Self::Compiled(forms) => forms.iter().for_each(|form| form.apply(object)),
            Self::Runtime(forms) => forms.iter().for_each(|form| form.apply(object)),
        }
    }
}

/// Calls `visit` with every struct at a field path.
fn at<T: Deref<Target = str>>(object: &mut dyn Reflect, path: &[T], visit: &mut dyn FnMut(&mut dyn Reflect)) {
    match path.split_first() {
        None => visit(object),
        Some((name, rest)) => within(slot(object, name), rest, visit),
    }
}

fn within<T: Deref<Target = str>>(slot: SlotMut<'_>, path: &[T], visit: &mut dyn FnMut(&mut dyn Reflect)) {
    match slot {
        SlotMut::Struct(object) => at(object, path, visit),
        SlotMut::Optional(value) if value.is_present() => within(value.insert(), path, visit),
        SlotMut::List(list) => {
            for index in 0..list.len() {
                within(list.get_mut(index), path, visit);
            }
        }
        SlotMut::Map(map) => map.visit_mut(&mut |_, slot| within(slot, path, visit)),
        _ => {}
    }
}

impl<S: Storage> Rewrite<S> {
    fn apply(&self, object: &mut dyn Reflect) {
        match self {
            Self::Alias { field, of } => alias(object, field, of),
            Self::First { field, list, element } => first(object, field, list, element.as_deref()),
            Self::Overwrite { from, into } => overwrite(object, from, into),
            Self::Constant { list, field, value } => {
                let list = list_of(object, list);
                for index in 0..list.len() {
                    let SlotMut::Struct(element) = list.get_mut(index) else { continue };
                    let text = string(element, field);
                    if text.as_str() != &**value {
                        text.set(value);
                    }
                }
            }
            Self::Negative { path, value } => {
                let Some((field, parents)) = path.split_last() else { return };
                at(object, parents, &mut |object| {
                    let slot = slot(object, field);
                    let number = match slot {
                        SlotMut::Optional(number) if number.is_present() => number.insert(),
                        slot => slot,
                    };
                    match number {
                        SlotMut::Int64(number) if *number < 0 => *number = *value,
                        _ => {}
                    }
                });
            }
            Self::Forget { annotations } => {
                let found = meta::strings(object, "annotations");
                if !annotations.iter().any(|key| found.is_some_and(|found| found.get(key).is_some())) {
                    return;
                }
                if let Some(found) = meta::strings_mut(object, "annotations") {
                    found.retain(&mut |key| !annotations.iter().any(|gone| **gone == *key));
                }
            }
        }
    }
}

fn alias(object: &mut dyn Reflect, field: &str, of: &str) {
    let (one, other) = (text(object, field), text(object, of));
    if one == other {
        return;
    }
    if other.is_empty() {
        let value = one.to_owned();
        string(object, of).set(&value);
    } else {
        let value = other.to_owned();
        string(object, field).set(&value);
    }
}

fn first(object: &mut dyn Reflect, field: &str, list: &str, element: Option<&str>) {
    let own = text(object, field);
    let head = match object.field(list) {
        Some(Slot::List(elements)) if !elements.is_empty() => Some(match (elements.get(0), element) {
            (Slot::String(text), None) => text.as_str(),
            (Slot::Struct(object), Some(name)) => text(object, name),
            _ => panic!("the canonical form belongs to another type: {list} is not a list of strings"),
        }),
        _ => None,
    };
    match head {
        Some(head) if head == own => {}
        Some(head) if own.is_empty() => {
            let value = head.to_owned();
            string(object, field).set(&value);
        }
        None if own.is_empty() => {}
        _ => {
            let value = own.to_owned();
            let list = list_of(object, list);
            list.clear();
            match (list.push().present(), element) {
                (SlotMut::String(slot), None) => slot.set(&value),
                (SlotMut::Struct(object), Some(name)) => string(object, name).set(&value),
                _ => {}
            }
        }
    }
}

fn overwrite(object: &mut dyn Reflect, from: &str, into: &str) {
    let mut written = Vec::new();
    if let SlotMut::Map(map) = slot(object, from)
        && !map.is_empty()
    {
        map.visit(&mut |key, slot| {
            if let Slot::String(value) = slot {
                written.push((key.to_owned(), value.as_bytes().to_vec()));
            }
        });
        map.clear();
    }
    if let SlotMut::Map(map) = slot(object, into) {
        for (key, value) in written {
            if let SlotMut::Bytes(bytes) = map.entry(&key) {
                *bytes = value;
            }
        }
    }
}

fn text<'a>(object: &'a dyn Reflect, name: &str) -> &'a str {
    match object.field(name) {
        Some(Slot::String(text)) => text.as_str(),
        _ => "",
    }
}

fn slot<'a>(object: &'a mut dyn Reflect, name: &str) -> SlotMut<'a> {
    let Some(index) = object.position(name) else {
        panic!("the canonical form belongs to another type: {} has no field {name}", object.descriptor().name)
    };
    object.write(index)
}

fn string<'a>(object: &'a mut dyn Reflect, name: &str) -> &'a mut dyn TextSlot {
    match slot(object, name).present() {
        SlotMut::String(text) => text,
        _ => panic!("the canonical form belongs to another type: {name} is not a string"),
    }
}

fn list_of<'a>(object: &'a mut dyn Reflect, name: &str) -> &'a mut dyn List {
    match slot(object, name).present() {
        SlotMut::List(list) => list,
        _ => panic!("the canonical form belongs to another type: {name} is not a list"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ApiType;

    #[derive(ApiType)]
    struct Address {
        ip: String,
    }

    #[derive(ApiType)]
    struct Metadata {
        annotations: BTreeMap<String, String>,
    }

    #[derive(ApiType)]
    struct Thing {
        metadata: Metadata,
        old: String,
        new: String,
        range: String,
        ranges: Vec<String>,
        address: String,
        addresses: Vec<Address>,
        texts: BTreeMap<String, String>,
        data: BTreeMap<String, Vec<u8>>,
        seconds: Option<i64>,
        below: Vec<Thing>,
    }

    fn after(mut thing: Thing, step: Rewrite) -> Thing {
        step.apply(&mut thing);
        let once = thing.clone();
        step.apply(&mut thing);
        assert_eq!(thing, once, "the second time changes nothing");
        thing
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn the_second_of_two_names_wins() {
        for (old, new, both) in [("a", "", "a"), ("", "b", "b"), ("a", "b", "b"), ("", "", "")] {
            let thing = Thing { old: old.into(), new: new.into(), ..Thing::default() };
            let thing = after(thing, Rewrite::Alias { field: "old", of: "new" });
            assert_eq!((&*thing.old, &*thing.new), (both, both));
        }
    }

    #[test]
    fn a_string_equals_the_first_element_of_its_list() {
        for (own, list, first, all) in [
            ("a", &[][..], "a", &["a"][..]),
            ("", &["b", "c"], "b", &["b", "c"]),
            ("b", &["b", "c"], "b", &["b", "c"]),
            ("a", &["b", "c"], "a", &["a"]),
            ("", &[], "", &[]),
        ] {
            let addresses = |list: &[&str]| -> Vec<Address> {
                list.iter().map(|ip| Address { ip: (*ip).to_owned() }).collect()
            };
            let thing = Thing { range: own.into(), ranges: texts(list), ..Thing::default() };
            let thing = after(thing, Rewrite::First { field: "range", list: "ranges", element: None });
            assert_eq!((&*thing.range, thing.ranges), (first, texts(all)));
            let thing = Thing { address: own.into(), addresses: addresses(list), ..Thing::default() };
            let thing =
                after(thing, Rewrite::First { field: "address", list: "addresses", element: Some("ip") });
            assert_eq!((&*thing.address, thing.addresses), (first, addresses(all)));
        }
    }

    #[test]
    fn a_write_only_map_replaces_entries() {
        let thing = Thing {
            texts: [("a".to_owned(), "new".to_owned())].into(),
            data: [("a".to_owned(), b"old".to_vec()), ("b".to_owned(), b"kept".to_vec())].into(),
            ..Thing::default()
        };
        let thing = after(thing, Rewrite::Overwrite { from: "texts", into: "data" });
        assert!(thing.texts.is_empty());
        assert_eq!(thing.data["a"], b"new");
        assert_eq!(thing.data["b"], b"kept");
    }

    #[test]
    fn a_negative_number_becomes_the_fixed_one() {
        for (number, meant) in [(Some(-5), Some(1)), (Some(0), Some(0)), (None, None)] {
            let thing = Thing { seconds: number, ..Thing::default() };
            assert_eq!(after(thing, Rewrite::Negative { path: &["seconds"], value: 1 }).seconds, meant);
        }
    }

    #[test]
    fn field_paths_lead_through_lists() {
        let mut thing = Thing {
            below: vec![
                Thing { addresses: vec![Address::default(), Address { ip: "x".into() }], ..Thing::default() },
                Thing {
                    metadata: Metadata {
                        annotations: [("gone".into(), "x".into()), ("kept".into(), "y".into())].into(),
                    },
                    ..Thing::default()
                },
            ],
            ..Thing::default()
        };
        const STEPS: &[Rewrite] = &[
            Rewrite::Constant { list: "addresses", field: "ip", value: "same" },
            Rewrite::Forget { annotations: &["gone"] },
        ];
        CanonicalForm::new(&["below"], STEPS).apply(&mut thing);
        assert!(thing.below[0].addresses.iter().all(|address| address.ip == "same"));
        assert_eq!(thing.below[1].metadata.annotations.keys().collect::<Vec<_>>(), ["kept"]);
    }
}
