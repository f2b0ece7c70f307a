//! Compares a Scheme of kinds made at run time with the Scheme of the same compiled kinds. Everything that a state of a
//! Scheme owns is freed with its last object.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use allocation_counter::measure;
use hubgen_interpret::runtime::{Model, entries};
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types};
use hubgen_kubernetes::machinery::reflect::{NewObject, Text, Type, Words};
use hubgen_kubernetes::machinery::scheme::{
    Conversion, GroupVersionKind, KindEntry, Object, RegisterError, Resource, Scheme, SchemeError,
};
use hubgen_laws::objects::{self, Source, fill};
use hubgen_plan::Family;

use crate::schemas::Schemas;

/// The number of objects of each kind, besides the empty one.
const OBJECTS: u64 = 3;

impl Schemas {
    fn family(&self, home: &str, kind: &str) -> &Family {
        let is_it = |family: &&Family| (family.home(), &*family.kind) == (home, kind);
        self.plan.families.iter().find(is_it).unwrap()
    }

    /// The entries of a family, with the storage keys of the compiled ones.
    fn entries(&self, family: &Family) -> Vec<KindEntry> {
        let Self { api, plan, defaults, canonical, behaviours } = self;
        let functions = &Functions::default();
        let model = Model { api, plan, defaults, canonical, behaviours, functions, over_json: false };
        let mut made = entries(model, family).unwrap();
        made.iter_mut().for_each(|entry| entry.is_built_in = entry.resource.is_some());
        made
    }

    /// Replaces the compiled kinds of a family by kinds made at run time.
    fn replace(&self, scheme: &mut Scheme, family: &Family) {
        for entry in self.entries(family) {
            assert!(scheme.remove(&entry.group, &entry.version, &entry.kind).is_some(), "{entry}");
            scheme.add(entry).unwrap();
        }
    }
}

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(Schemas::read);

/// The compiled kinds.
static COMPILED: LazyLock<Scheme> = LazyLock::new(hubgen_kubernetes::scheme);

/// The same kinds, with all families and their lists made at run time.
static MADE: LazyLock<Scheme> = LazyLock::new(|| {
    let mut scheme = COMPILED.clone();
    SCHEMAS.plan.families.iter().for_each(|family| SCHEMAS.replace(&mut scheme, family));
    scheme
});

fn context() -> Context {
    Context { now: "2006-01-02T15:04:05Z".parse().unwrap() }
}

/// The entry with the same group, version and kind.
fn same<'a>(scheme: &'a Scheme, entry: &KindEntry) -> &'a Arc<KindEntry> {
    scheme.kind(&entry.group, &entry.version, &entry.kind).unwrap()
}

fn generated(entry: &Arc<KindEntry>, seed: u64) -> Object {
    let mut object = Object::new(entry);
    let bytes = if seed == 0 { Vec::new() } else { objects::bytes(seed) };
    let words = entry.family.as_ref().map_or_else(Vec::new, |family| family.words());
    fill(&mut *object.value, &mut Source::new(&bytes, &words));
    object
}

fn text(object: &Object) -> String {
    String::from_utf8(object.encode().unwrap()).unwrap()
}

/// The kinds of a Scheme that were made at run time.
fn made(scheme: &Scheme) -> impl Iterator<Item = &Arc<KindEntry>> {
    scheme.kinds().filter(|entry| entry.row.is_none())
}

#[test]
fn entries_equal_the_compiled_ones() {
    let mut kinds = 0;
    for entry in made(&MADE) {
        let compiled = same(&COMPILED, entry);
        assert_eq!(entry.type_meta(), compiled.type_meta(), "{entry}");
        assert_eq!(entry.resource, compiled.resource, "{entry}");
        assert_eq!(entry.behaviour, compiled.behaviour, "{entry}");
        assert_eq!(entry.hoisted, compiled.hoisted, "{entry}");
        assert_eq!(entry.family, compiled.family, "{entry}");
        assert_eq!((&entry.since, &entry.until), (&compiled.since, &compiled.until), "{entry}");
        assert_eq!(entry.defaults.is_some(), compiled.defaults.is_some(), "{entry}");
        assert_eq!(MADE.storage_prefix(entry), COMPILED.storage_prefix(compiled), "{entry}");
        let shown = |entry: &KindEntry| match &entry.conversion {
            Conversion::Hub(_) => "hub".to_owned(),
            Conversion::Single => "single".to_owned(),
            Conversion::NotConvertible(reason) => reason.to_string(),
        };
        assert_eq!(shown(entry), shown(compiled), "{entry}");
        kinds += 1;
    }
    assert!(kinds > 400, "{kinds} kinds were made");
    assert!(MADE.kinds().eq(COMPILED.kinds()));
}

#[test]
fn members_of_a_family_share_one_family_entry() {
    for scheme in [&*COMPILED, &*MADE] {
        let mut families = BTreeSet::new();
        for entry in scheme.kinds() {
            let Some(family) = &entry.family else { continue };
            families.insert(family.storage.parts());
            assert!(
                scheme
                    .family(family)
                    .all(|other| other.family.as_ref().is_some_and(|of| Arc::ptr_eq(of, family)))
            );
        }
        assert!(families.len() > 55, "{} families", families.len());
    }
}

#[test]
fn objects_decode_encode_and_default_like_compiled_ones() {
    let mut defaulted = 0;
    // Some types have `kind` as a generated field.
    let has_no_kind_field = |entry: &&Arc<KindEntry>| entry.object().position("kind").is_none();
    for entry in made(&MADE).filter(has_no_kind_field) {
        let compiled = same(&COMPILED, entry);
        for seed in 0..=OBJECTS {
            let object = generated(compiled, seed);
            let json = object.encode().unwrap();
            let (ours, notes) = MADE.decode(&json).unwrap();
            let (theirs, expected) = COMPILED.decode(&json).unwrap();
            assert!(Arc::ptr_eq(&ours.entry, entry) && notes == expected, "{entry}");
            assert_eq!(text(&ours), text(&theirs), "{entry}");
            let protobuf = object.encode_protobuf();
            let [mut ours, mut theirs] =
                [&*MADE, &COMPILED].map(|scheme| scheme.decode_protobuf(&protobuf).unwrap());
            assert_eq!(ours.encode_protobuf(), theirs.encode_protobuf(), "{entry}");
            let before = text(&ours);
            for object in [&mut ours, &mut theirs] {
                object.set_defaults(&context());
                object.canonicalize();
            }
            assert_eq!(text(&ours), text(&theirs), "{entry}");
            defaulted += usize::from(text(&ours) != before);
        }
    }
    assert!(defaulted > 300, "{defaulted} objects were changed");
}

/// An object converted to a version, in JSON and in protobuf.
fn converted(scheme: &Scheme, json: &[u8], to: &KindEntry) -> Result<(String, Vec<u8>), String> {
    let (object, _) = scheme.decode(json).unwrap();
    let object = scheme.convert(object, same(scheme, to)).map_err(|error| error.to_string())?;
    Ok((text(&object), object.encode_protobuf()))
}

#[test]
fn versions_convert_like_compiled_ones() {
    let (mut same_bytes, mut refused) = (0, 0);
    for entry in made(&MADE) {
        let Some(family) = &entry.family else { continue };
        for seed in 0..2 {
            let json = generated(same(&COMPILED, entry), seed).encode().unwrap();
            for to in MADE.family(family) {
                let ours = converted(&MADE, &json, to);
                assert_eq!(ours, converted(&COMPILED, &json, to), "{entry} as {to}");
                *(if ours.is_ok() { &mut same_bytes } else { &mut refused }) += 1;
            }
        }
    }
    assert!(same_bytes > 500 && refused > 10, "{same_bytes} objects, and {refused} were refused");
    let [pod, job] =
        [("v1", "Pod"), ("batch/v1", "Job")].map(|(version, kind)| MADE.named(version, kind).unwrap());
    assert!(matches!(MADE.convert(Object::new(pod), job), Err(SchemeError::OtherKind { .. })));
}

#[test]
fn lists_contain_known_kinds_in_envelopes() {
    let json = br#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[
        {"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"a"},"spec":{"maxReplicas":3}},
        {"kind":"Gear","apiVersion":"example.com/v1","size":3}]}"#;
    let read = |scheme: &Scheme| {
        let (list, _) = scheme.decode(json).unwrap();
        let protobuf = scheme.encode_protobuf(&list);
        (text(&scheme.decode_protobuf(&protobuf).unwrap()), protobuf)
    };
    let (ours, protobuf) = read(&MADE);
    assert_eq!((ours, protobuf.clone()), read(&COMPILED));
    // An unknown kind is embedded as JSON, a known one in an envelope.
    let mut scheme = MADE.clone();
    scheme.add(gear("example.com", "v1", "Gear", "gears")).unwrap();
    let (_, known) = read(&scheme);
    assert_ne!(known, protobuf);
    let found = |bytes: &[u8], scheme: &Scheme| scheme.decode_protobuf(bytes).map(|list| text(&list));
    assert!(
        found(&known, &scheme).unwrap().contains(r#"{"kind":"Gear","apiVersion":"example.com/v1","size":3}"#)
    );
    let error = found(&known, &MADE).unwrap_err().to_string();
    assert!(error.contains("no kind \"Gear\" is registered for version \"example.com/v1\""), "{error}");
}

/// A custom kind without a schema.
fn gear(group: &str, version: &str, kind: &str, plural: &str) -> KindEntry {
    let size = FieldDef { number: vec![1], ..FieldDef::new("size", TypeDef::Is(Type::Int32)) };
    let types = Types::new(vec![StructDef { fields: vec![size], ..StructDef::new(kind) }]).unwrap();
    let owned = |text: &str| Text::from(text.to_owned());
    let name = GroupVersionKind { group: owned(group), version: owned(version), kind: owned(kind) };
    let resource = Resource {
        plural: owned(plural),
        singular: owned(&kind.to_lowercase()),
        namespaced: true,
        verbs: ["create", "get", "list"].map(str::to_owned).into_iter().collect(),
        short_names: Words::NONE,
        categories: Words::NONE,
        subresources: Vec::new(),
    };
    KindEntry { resource: Some(resource), ..KindEntry::new(name, NewObject::Runtime(types, 0)) }
}

#[test]
fn conflicting_kinds_are_refused_and_change_nothing() {
    let mut scheme = COMPILED.clone();
    scheme.add(gear("example.com", "v1", "Gear", "gears")).unwrap();
    let names = |scheme: &Scheme| scheme.kinds().map(ToString::to_string).collect::<Vec<_>>();
    let before = names(&scheme);
    for (refused, message) in [
        // A kind added twice, and a compiled one.
        (
            gear("example.com", "v1", "Gear", "gears"),
            "example.com/v1 Gear is registered twice, as different types",
        ),
        (
            gear("apps", "v1", "Deployment", "deploys"),
            "apps/v1 Deployment is registered twice, as different types",
        ),
        // The storage keys of another kind, those of a compiled kind, and a prefix inside those.
        (
            gear("example.com", "v2", "Cog", "gears"),
            "example.com/v2 Cog and example.com/v1 Gear are different kinds and would be stored under \
             /registry/example.com/gears/ and /registry/example.com/gears/: give one of them another plural name",
        ),
        (
            gear("", "v2", "Cog", "pods"),
            "v2 Cog and v1 Pod are different kinds and would be stored under /registry/pods/ and \
             /registry/pods/: give one of them another plural name",
        ),
        (
            gear("pods", "v1", "Cog", "cogs"),
            "pods/v1 Cog and v1 Pod are different kinds and would be stored under /registry/pods/cogs/ and \
             /registry/pods/: give one of them another plural name",
        ),
    ] {
        let name = refused.parts().2.to_owned();
        let error = scheme.add(refused).unwrap_err();
        assert_eq!(error.to_string(), message);
        match error {
            RegisterError::Twice(entry) | RegisterError::SameKeys { one: (entry, _), .. } => {
                assert_eq!(*entry.kind, name);
                assert!(entry.resource.as_ref().is_some_and(|resource| {
                    let found = scheme.resource(&entry.group, &entry.version, &resource.plural);
                    found.is_none_or(|found| !Arc::ptr_eq(found, &entry))
                }));
            }
        }
        assert_eq!(names(&scheme), before);
    }
    // A kind can be added when its keys are free.
    assert!(scheme.remove("example.com", "v1", "Gear").is_some());
    assert!(scheme.remove("example.com", "v1", "Gear").is_none());
    scheme.add(gear("example.com", "v2", "Cog", "gears")).unwrap();
}

/// A Scheme adds either all kinds of a table or none.
#[test]
fn a_refused_table_adds_no_kind() {
    let mut scheme = Scheme::new();
    scheme.add(gear("autoscaling", "v2", "HorizontalPodAutoscalerList", "lists")).unwrap();
    let error = scheme.try_register(hubgen_kubernetes::autoscaling::v2::KINDS).unwrap_err();
    assert!(
        matches!(&error, RegisterError::Twice(entry) if entry.kind == "HorizontalPodAutoscalerList"),
        "{error}"
    );
    assert_eq!(scheme.kinds().count(), 1);
    scheme.add(gear("autoscaling", "v3", "Other", "horizontalpodautoscalers")).unwrap();
}

#[test]
fn keys_of_a_family_stay_taken_until_its_last_member_is_removed() {
    let mut scheme = COMPILED.clone();
    let family = SCHEMAS.family("autoscaling", "HorizontalPodAutoscaler");
    let other =
        || KindEntry { is_built_in: true, ..gear("autoscaling", "v3", "Other", "horizontalpodautoscalers") };
    for member in &family.members {
        assert!(matches!(scheme.add(other()), Err(RegisterError::SameKeys { .. })), "{member:?}");
        scheme.remove(&member.group, &member.version, &family.kind).unwrap();
    }
    scheme.add(other()).unwrap();
}

/// A removed member of a family is unknown; the others are not affected.
#[test]
fn removed_members_are_unknown() {
    let mut scheme = MADE.clone();
    let gone = scheme.remove("autoscaling", "v2beta1", "HorizontalPodAutoscaler").unwrap();
    let family = gone.family.as_ref().unwrap();
    assert_eq!(scheme.family(family).count(), family.members.len() - 1);
    let json = br#"{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2beta1"}"#;
    assert!(matches!(scheme.decode(json), Err(SchemeError::UnknownKind { .. })));
    // Other versions still stash what they cannot represent in the removed version's form.
    let to = COMPILED.named("autoscaling/v1", "HorizontalPodAutoscaler").unwrap();
    let json =
        generated(COMPILED.named("autoscaling/v2", "HorizontalPodAutoscaler").unwrap(), 3).encode().unwrap();
    assert_eq!(converted(&scheme, &json, to), converted(&COMPILED, &json, to));
}

/// Creates and drops several states of a Scheme, from reading the schemas to the last object.
fn create_and_drop_states() {
    let schemas = Schemas::read();
    let mut first = COMPILED.clone();
    schemas.replace(&mut first, schemas.family("autoscaling", "HorizontalPodAutoscaler"));
    first.add(gear("example.com", "v1", "Gear", "gears")).unwrap();
    drop(schemas);
    let (gears, _) = first.decode(br#"{"kind":"Gear","apiVersion":"example.com/v1","size":3}"#).unwrap();
    let entry = Arc::downgrade(&gears.entry);
    // The next state lacks the kind, but an existing object of it remains usable.
    let mut second = first.clone();
    second.remove("example.com", "v1", "Gear").unwrap();
    drop(first);
    assert!(second.named("example.com/v1", "Gear").is_none());
    let copy = gears.clone();
    drop(gears);
    assert_eq!(text(&copy), r#"{"kind":"Gear","apiVersion":"example.com/v1","size":3}"#);
    assert!(entry.upgrade().is_some());
    drop(copy);
    assert!(entry.upgrade().is_none());
    // An object outlives all states, and converts to any version whose entry exists.
    let json =
        br#"{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","spec":{"maxReplicas":3}}"#;
    let (mut object, _) = second.decode(json).unwrap();
    let to = Arc::clone(second.named("autoscaling/v1", "HorizontalPodAutoscaler").unwrap());
    drop(second);
    object.set_defaults(&context());
    let object = Scheme::new().convert(object, &to).unwrap();
    assert!(text(&object).contains(r#""apiVersion":"autoscaling/v1""#));
}

#[test]
fn dropped_states_free_all_memory() {
    // The first run allocates what the process keeps: the compiled kinds' Scheme, a buffer of the thread.
    create_and_drop_states();
    let info = measure(create_and_drop_states);
    assert!(info.count_total > 10_000, "{info:?}");
    assert_eq!((info.count_current, info.bytes_current), (0, 0), "{info:?}");
}
