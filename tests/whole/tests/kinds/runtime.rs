//! Compares kinds made at run time from the distilled schemas with the same compiled kinds: types, every format,
//! copies, comparison, defaults, canonical forms and conversions. Then drops everything, and checks that all memory is
//! freed.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use allocation_counter::measure;
use hubgen_interpret::runtime::{Snapshot, forms};
use hubgen_interpret::{NewObject, Version};
use hubgen_kubernetes::machinery::convert::{ConvertError, Functions};
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::{Described, Facts, Reflect, Type, copy_into, equal, serialize};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object};
use hubgen_kubernetes::machinery::{json, protobuf, yaml};
use hubgen_laws::objects::{Source, fill};
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_model::{GroupVersion, TypeId};
use hubgen_plan::{FamilyPlan, How};

use crate::schemas::Schemas;

/// The number of objects of each kind, besides the empty one.
const OBJECTS: u64 = 3;

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(Schemas::read);

impl Schemas {
    fn root(&self, entry: &KindEntry) -> &hubgen_model::Type {
        let group_version = GroupVersion::new(&*entry.group, &*entry.version);
        self.api.root(&group_version, &entry.kind).unwrap_or_else(|| panic!("the schemas lack {entry}"))
    }

    fn snapshot<'a>(&self, roots: impl IntoIterator<Item = &'a TypeId>) -> Arc<Snapshot> {
        let types = self.plan.types(&self.api);
        Arc::new(Snapshot::new(types, &self.plan.sharing, &self.defaults, roots).unwrap())
    }
}

/// All kinds in one snapshot.
static ALL: LazyLock<Arc<Snapshot>> = LazyLock::new(|| {
    let scheme = hubgen_kubernetes::scheme();
    let kinds = scheme.kinds().map(|entry| &SCHEMAS.root(entry).id);
    let hubs = SCHEMAS.plan.conversions.iter().map(|plan| &plan.hub);
    SCHEMAS.snapshot(kinds.chain(hubs))
});

/// Calls `visit` with two objects of every kind, a compiled one and one made at run time, both generated from the same
/// bytes.
fn each(visit: impl Fn(&KindEntry, &TypeId, AnyObject, AnyObject)) {
    let scheme = hubgen_kubernetes::scheme();
    let mut kinds = 0;
    for entry in scheme.kinds() {
        let id = &SCHEMAS.root(entry).id;
        for seed in 0..=OBJECTS {
            let bytes = if seed == 0 { Vec::new() } else { objects::bytes(seed) };
            let (mut compiled, mut runtime) = (entry.object(), ALL.object(id).unwrap());
            fill(&mut *compiled, &mut Source::new(&bytes, &[]));
            fill(&mut *runtime, &mut Source::new(&bytes, &[]));
            visit(entry, id, compiled, runtime);
        }
        kinds += 1;
    }
    assert!(kinds > 1000, "compared only {kinds} kinds");
}

fn text(entry: &KindEntry, object: &dyn Reflect) -> String {
    let mut out = Vec::new();
    json::encode_into(object, entry.type_meta(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn descriptors_equal_the_compiled_ones() {
    let scheme = hubgen_kubernetes::scheme();
    let mut seen = BTreeSet::new();
    for entry in scheme.kinds() {
        let runtime = ALL.describe(&SCHEMAS.root(entry).id).unwrap();
        compare(&entry.descriptor(), &runtime, &mut seen);
    }
    assert!(seen.len() > 1000, "compared only {} types", seen.len());
}

/// Compares two descriptors with everything that they refer to. A runtime type has the allowed values of a list or map
/// as facts of its items; a compiled type as facts of the field.
fn compare(compiled: &Described, runtime: &Described, seen: &mut BTreeSet<(usize, usize)>) {
    let address = |of: &Described| std::ptr::from_ref(&**of) as usize;
    if !seen.insert((address(compiled), address(runtime))) {
        return;
    }
    assert!(compiled.compiled().is_some() && runtime.compiled().is_none());
    let name = &compiled.name;
    assert_eq!((name, &compiled.kind), (&runtime.name, &runtime.kind));
    assert_eq!(format!("{:?}", compiled.message), format!("{:?}", runtime.message), "{name}");
    // Doc comments of generated types are no descriptions.
    assert_eq!(compiled.facts, runtime.facts, "{name}");
    assert_eq!(compiled.fields.len(), runtime.fields.len(), "{name}");
    for (one, other) in compiled.fields.iter().zip(&*runtime.fields) {
        let at = format!("{name}.{}", one.name);
        assert_eq!(one.name, other.name);
        assert_eq!(
            (&one.number, one.pointer, one.optional, one.omit),
            (&other.number, other.pointer, other.optional, other.omit),
            "{at}"
        );
        assert_eq!(format!("{:?}", one.ty), format!("{:?}", other.ty), "{at}");
        let mut facts = other.facts.to_vec();
        if let Some(innermost) = innermost(&other.ty) {
            assert!(other.facts.enumeration().is_empty(), "{at}");
            facts.extend(innermost.iter().cloned());
        }
        assert_eq!(one.facts, facts.into_iter().collect(), "{at}");
        structs(&one.ty, &other.ty, seen);
    }
}

/// The facts of the innermost node below a list or map of lists or maps.
fn innermost(ty: &Type) -> Option<&Facts> {
    let (Type::List(node) | Type::Map(node)) = ty else { return None };
    Some(innermost(&node.ty).unwrap_or(&node.facts))
}

fn structs(compiled: &Type, runtime: &Type, seen: &mut BTreeSet<(usize, usize)>) {
    match (compiled, runtime) {
        (Type::Struct(one), Type::Struct(other)) => compare(&one.descriptor(), &other.descriptor(), seen),
        (Type::List(one) | Type::Map(one), Type::List(other) | Type::Map(other)) => {
            structs(&one.ty, &other.ty, seen);
        }
        (Type::Union(one), Type::Union(other)) => {
            one.iter().zip(&**other).for_each(|(one, other)| structs(one, other, seen));
        }
        _ => {}
    }
}

#[test]
fn objects_are_the_same_in_json_yaml_and_serde() {
    each(|entry, id, compiled, runtime| {
        let expected = text(entry, &*compiled);
        assert_eq!(text(entry, &*runtime), expected, "{entry}");
        // Not every generated object survives a round trip, so the decoded objects are compared.
        let mut read = [entry.object(), ALL.object(id).unwrap()];
        let notes =
            read.each_mut().map(|object| json::decode_into(expected.as_bytes(), &mut **object).unwrap());
        assert_eq!(notes[0], notes[1], "{entry}");
        let again = read.each_ref().map(|object| text(entry, &**object));
        assert_eq!(again[0], again[1], "{entry}");
        // YAML sorts the keys of raw JSON.
        let document = yaml::from_json(again[1].as_bytes()).unwrap();
        let sorted = yaml::to_json(&document).unwrap();
        let mut read = [entry.object(), ALL.object(id).unwrap()];
        read.iter_mut().for_each(|object| drop(json::decode_into(&sorted, &mut **object).unwrap()));
        let again = read.each_ref().map(|object| text(entry, &**object));
        assert_eq!(again[0], again[1], "{entry}");
        let again = yaml::from_json(again[1].as_bytes()).unwrap();
        assert_eq!(again, document, "{entry}");
        let serde = [&compiled, &runtime].map(|object| {
            let mut out = Vec::new();
            serialize(&**object, &mut serde_json::Serializer::new(&mut out)).unwrap();
            String::from_utf8(out).unwrap()
        });
        assert_eq!(serde[0], serde[1], "{entry}");
    });
}

#[test]
fn objects_are_the_same_in_protobuf() {
    each(|entry, id, compiled, runtime| {
        let expected = protobuf::encode(&*compiled);
        assert_eq!(protobuf::encode(&*runtime), expected, "{entry}");
        let mut read = ALL.object(id).unwrap();
        protobuf::decode_into(&expected, &mut *read).unwrap();
        assert_eq!(protobuf::encode(&*read), expected, "{entry}");
        let unknown = [&compiled, &runtime]
            .map(|object| protobuf::Unknown::collect(object.descriptor(), &expected).unwrap().is_empty());
        assert_eq!(unknown, [true, true], "{entry}");
        assert_eq!(
            protobuf::covers(compiled.descriptor()),
            protobuf::covers(runtime.descriptor()),
            "{entry}"
        );
    });
}

#[test]
fn copies_are_equal_and_share_nothing() {
    each(|entry, id, _, runtime| {
        let copy = runtime.boxed_copy();
        assert!(equal(&*copy, &*runtime), "{entry}");
        // Copies into an object with other contents.
        let mut other = ALL.object(id).unwrap();
        fill(&mut *other, &mut Source::new(&objects::bytes(OBJECTS + 1), &[]));
        let was = other.boxed_copy();
        copy_into(&*runtime, &mut *other);
        assert!(equal(&*other, &*runtime), "{entry}");
        copy_into(&*was, &mut *other);
        assert!(equal(&*other, &*was) && equal(&*copy, &*runtime), "{entry}");
        if equal(&*was, &*runtime) {
            assert_eq!(text(entry, &*was), text(entry, &*runtime), "{entry}");
        }
        assert!(!equal(&*entry.object(), &*runtime), "{entry}: objects of two types are never equal");
    });
}

#[test]
fn defaults_and_canonical_forms_are_the_same() {
    let context = Context { now: "2006-01-02T15:04:05Z".parse().unwrap() };
    let (changed, canonicalized) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let entries = hubgen_kubernetes::scheme();
    each(|entry, id, compiled, mut runtime| {
        let entry = entries.kind(&entry.group, &entry.version, &entry.kind).unwrap();
        let before = text(entry, &*runtime);
        let mut compiled = Object { entry: Arc::clone(entry), value: compiled };
        compiled.set_defaults(&context);
        ALL.set_defaults(id, &mut *runtime, &context);
        let defaulted = text(entry, &*runtime);
        assert_eq!(defaulted, text(entry, &*compiled.value), "{entry}");
        changed.set(changed.get() + usize::from(defaulted != before));
        compiled.canonicalize();
        let root = SCHEMAS.root(entry);
        if !root.is_list() {
            forms(&SCHEMAS.api, &SCHEMAS.canonical, root).iter().for_each(|form| form.apply(&mut *runtime));
        }
        let canonical = text(entry, &*runtime);
        assert_eq!(canonical, text(entry, &*compiled.value), "{entry}");
        canonicalized.set(canonicalized.get() + usize::from(canonical != defaulted));
    });
    assert!(
        changed.get() > 300 && canonicalized.get() >= 5,
        "{changed:?} {canonicalized:?} objects were changed"
    );
}

/// The result of a conversion as text.
fn shown(entry: &KindEntry, result: Result<AnyObject, ConvertError>) -> Result<String, String> {
    result.map(|object| text(entry, &*object)).map_err(|error| error.to_string())
}

/// Compares the interpreted conversions of a family with the compiled ones. Returns the number of compared objects.
fn conversions(plan: &FamilyPlan, snapshot: &Arc<Snapshot>, objects: u64) -> usize {
    let scheme = hubgen_kubernetes::scheme();
    let (plan, snapshot) = (Arc::new(plan.clone()), Arc::clone(snapshot));
    let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
    let words: Vec<_> = plan.words().into_iter().collect();
    let mut compared = 0;
    for (at, member) in plan.members.iter().enumerate() {
        let Some(version) = Version::new(&plan, at, &new, &Functions::default()).unwrap() else { continue };
        let GroupVersion { group, version: name } = &member.group_version;
        let entry = scheme.kind(group, name, &plan.family.kind).unwrap();
        let Conversion::Hub(conversion) = &entry.conversion else { continue };
        let compiled = versions::Version { new: entry.new.clone(), conversion: conversion.clone() };
        for seed in 0..objects {
            let bytes = objects::bytes(seed);
            let objects = [&compiled as &dyn Convertible, &version]
                .map(|version| version.generate(&mut Source::new(&bytes, &words)));
            let [ours, theirs] = [version.try_to_hub(&*objects[1]), compiled.try_to_hub(&*objects[0])];
            assert_eq!(shown(entry, ours), shown(entry, theirs), "{entry} to the hub");
            let hubs = [&compiled as &dyn Convertible, &version]
                .map(|version| version.generate_hub(&mut Source::new(&bytes, &words)));
            let [ours, theirs] = [version.try_from_hub(&*hubs[1]), compiled.try_from_hub(&*hubs[0])];
            assert_eq!(shown(entry, ours), shown(entry, theirs), "{entry} from the hub");
            compared += 1;
        }
    }
    compared
}

#[test]
fn conversions_are_the_same() {
    let plans = &SCHEMAS.plan.conversions;
    let compared: usize = plans.iter().map(|plan| conversions(plan, &ALL, 4)).sum();
    assert!(compared > 400, "converted only {compared} objects");
}

/// Creates a kind with all its versions from the schemas, uses it, and drops everything.
fn create_use_and_drop() {
    let Schemas { api, plan, defaults, canonical, .. } = Schemas::read();
    let family = plan.conversions.iter().find(|plan| plan.family.kind == "HorizontalPodAutoscaler").unwrap();
    let convertible = |member: &&hubgen_plan::Member| matches!(member.how, How::Convert(_));
    let roots = family.members.iter().filter(convertible).map(|member| &member.root).chain([&family.hub]);
    let snapshot = Snapshot::new(plan.types(&api), &plan.sharing, &defaults, roots).unwrap();
    let snapshot = Arc::new(snapshot);
    let (types, tables) = (Arc::downgrade(snapshot.types()), Arc::downgrade(snapshot.tables()));
    assert!(conversions(family, &snapshot, 5) >= 25);
    let root = &family.members[1].root;
    let mut object = snapshot.object(root).unwrap();
    fill(&mut *object, &mut Source::new(&objects::bytes(1), &[]));
    snapshot.set_defaults(root, &mut *object, &Context { now: "2006-01-02T15:04:05Z".parse().unwrap() });
    forms(&api, &canonical, api.find(root).unwrap()).iter().for_each(|form| form.apply(&mut *object));
    let document = yaml::from_json(&json::encode(&*object).unwrap()).unwrap();
    let mut again = snapshot.object(root).unwrap();
    json::decode_into(&yaml::to_json(&document).unwrap(), &mut *again).unwrap();
    assert_eq!(json::encode(&*again).unwrap(), json::encode(&*object).unwrap());
    // The objects own their types, and only these.
    drop(snapshot);
    assert!(tables.upgrade().is_none() && types.upgrade().is_some());
    let copy = again.boxed_copy();
    assert!(equal(&*copy, &*again));
    drop((object, again));
    assert!(types.upgrade().is_some());
    drop(copy);
    assert!(types.upgrade().is_none());
}

#[test]
fn dropped_kinds_free_all_memory() {
    // The first run allocates what the process keeps: the compiled kinds' Scheme, a buffer of the thread.
    create_use_and_drop();
    let info = measure(create_use_and_drop);
    assert!(info.count_total > 10_000, "{info:?}");
    assert_eq!((info.count_current, info.bytes_current), (0, 0), "{info:?}");
}
