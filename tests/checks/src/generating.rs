//! Generates objects for checks, and counts the results.

use hubgen_kubernetes::machinery::reflect::{Field, Reflect, Shape, Slot, SlotMut};
use hubgen_laws::objects;

use super::Failure;

/// What a check generates.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// Check only this kind, such as `apps/Deployment`; `core` is the group with the empty name
    #[arg(long, value_name = "GROUP/KIND")]
    pub kind: Option<String>,
    /// The number of objects to generate of each kind at each version, for each law or codec
    #[arg(long, default_value_t = 100)]
    pub iterations: u64,
    /// The first seed; a failure names the seed that reproduces it
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl Args {
    /// Whether objects of the kind with this title are generated.
    pub fn wants(&self, title: &str) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind == title)
    }

    /// How many objects are generated.
    pub fn count(&self) -> usize {
        usize::try_from(self.iterations).unwrap_or(usize::MAX)
    }
}

/// The results for the objects of a kind at a version.
#[derive(Default)]
pub struct Found {
    /// The number of objects that passed.
    pub passed: usize,
    /// The first object that failed.
    pub failure: Option<Failure>,
}

impl Found {
    /// Generates objects and checks each.
    pub fn of(
        args: &Args,
        bytes: impl Fn(u64) -> Vec<u8>,
        passes: impl Fn(&[u8]) -> bool,
        failure: impl Fn(u64, &[u8]) -> Failure,
    ) -> Self {
        let mut found = Self::default();
        for seed in (args.seed..).take(args.count()) {
            let bytes = bytes(seed);
            if passes(&bytes) {
                found.passed += 1;
            } else if found.failure.is_none() {
                found.failure = Some(failure(seed, &bytes));
            }
        }
        found
    }
}

/// Bytes to generate an object from; the same seed gives the same bytes. The number of zeros
/// varies, so that objects range from almost empty to almost full.
pub fn bytes(seed: u64) -> Vec<u8> {
    let mut next = objects::random(seed);
    let zeros = next() % 200;
    let len = 50 + next() % 1500;
    let byte = |random: u64| if random >> 8 & 0xff < zeros { 0 } else { random.to_le_bytes()[0] };
    (0..len).map(|_| byte(next())).collect()
}

/// Clears the fields without a protobuf number: `kind` and `apiVersion` of objects, which the
/// envelope contains, and the few fields that upstream removed before it numbered them.
pub fn only_numbered(object: &mut dyn Reflect) {
    let described = object.descriptor().share();
    for (index, field) in described.fields.iter().enumerate() {
        if field.number.is_empty() {
            object.write(index).clear();
        } else {
            inside(object.write(index), &only_numbered);
        }
    }
}

/// Clears pointers to values that JSON writes as `null`, which reads as no pointer: the JSON value
/// `null`, and an empty list in a field for a value or a list (`items` of a custom resource's
/// schema), as upstream writes it.
pub fn without_pointers_to_null(object: &mut dyn Reflect) {
    let is_null = |(field, slot): (&Field, Slot<'_>)| {
        field.optional
            && match slot {
                Slot::Raw(value) => value.is_null(),
                Slot::Union(value) => matches!(value.active(), Slot::List(list) if list.is_empty()),
                _ => false,
            }
    };
    let null: Vec<bool> = object.fields().iter().map(is_null).collect();
    for (index, is_null) in null.into_iter().enumerate() {
        if is_null {
            object.write(index).clear();
        } else {
            inside(object.write(index), &without_pointers_to_null);
        }
    }
}

/// Applies `change` to the objects in a value, but not to the objects inside them.
fn inside(slot: SlotMut<'_>, change: &dyn Fn(&mut dyn Reflect)) {
    match slot {
        SlotMut::Struct(object) => change(object),
        SlotMut::Optional(value) if value.is_present() => inside(value.insert(), change),
        SlotMut::List(list) => (0..list.len()).for_each(|index| inside(list.get_mut(index), change)),
        SlotMut::Map(map) => map.visit_mut(&mut |_, value| inside(value, change)),
        SlotMut::Member(value, index) if value.active() == index => inside(value.activate(index), change),
        SlotMut::Union(value) => {
            let shape = match value.active() {
                Slot::Struct(_) => Shape::Object,
                Slot::List(_) => Shape::Array,
                _ => return,
            };
            value.select(shape).into_iter().for_each(|form| inside(form, change));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use hubgen_kubernetes::machinery::json::{self, Raw};
    use hubgen_kubernetes::machinery::reflect::equal;

    use super::*;

    /// Only a pointer to `null` is cleared; other pointers stay.
    #[test]
    fn a_pointer_to_null_alone_is_cleared() {
        let scheme = hubgen_kubernetes::scheme();
        let entry = scheme.named("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        let text = br#"{"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"","served":false,"storage":false,"schema":{"openAPIV3Schema":{"default":{},"items":{"items":[{}],"properties":{"a":{"example":1}}}}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}"#;
        let mut object = entry.unwrap().object();
        json::decode_into(text, &mut *object).unwrap();
        let before = object.boxed_copy();
        without_pointers_to_null(&mut *object);
        assert!(equal(&*object, &*before), "{}", String::from_utf8_lossy(&json::encode(&*object).unwrap()));

        let schema = |object: &mut dyn Reflect, change: &dyn Fn(&mut dyn Reflect)| {
            let Some(SlotMut::Struct(spec)) = object.field_mut("spec") else { panic!("no spec") };
            let Some(SlotMut::List(versions)) = spec.field_mut("versions") else { panic!("no versions") };
            let SlotMut::Struct(version) = versions.get_mut(0) else { panic!("no object") };
            let SlotMut::Struct(schema) = version.field_mut("schema").unwrap().present() else { panic!() };
            let SlotMut::Struct(schema) = schema.field_mut("openAPIV3Schema").unwrap().present() else {
                panic!()
            };
            change(schema);
        };
        schema(&mut *object, &|schema| {
            let SlotMut::Raw(default) = schema.field_mut("default").unwrap().present() else { panic!() };
            *default = Raw::default();
            schema.field_mut("items").unwrap().clear();
            let SlotMut::Union(items) = schema.field_mut("items").unwrap().present() else { panic!() };
            items.select(Shape::Array);
        });
        without_pointers_to_null(&mut *object);
        let mut expected = before;
        schema(&mut *expected, &|schema| {
            schema.field_mut("default").unwrap().clear();
            schema.field_mut("items").unwrap().clear();
        });
        assert!(equal(&*object, &*expected), "{}", String::from_utf8_lossy(&json::encode(&*object).unwrap()));
    }
}
