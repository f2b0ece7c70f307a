//! Conversions between identical versions allocate nothing. The pairs come from the report that `cargo xtask generate`
//! writes, so that none is omitted; the objects are generated from their types.

use std::collections::BTreeMap;
use std::sync::Arc;

use allocation_counter::{AllocationInfo, measure};
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::reflect::{Reflect, copy_into};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object};
use hubgen_laws::objects::{Source, fill};
use hubgen_laws::{objects, versions};

const REPORT: &str = include_str!("../../../../generated/CONVERSIONS.md");

/// The number of objects of each version.
const OBJECTS: u64 = 50;

/// Every version that the report calls identical to its hub: its group and version, and its kind.
fn identical() -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut kind = "";
    for line in REPORT.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            kind = title.split_once(' ').map_or(title, |(_, kind)| kind);
        } else if let Some(version) =
            line.strip_prefix("* `").and_then(|rest| rest.strip_suffix("`: identical"))
        {
            pairs.push((version.to_owned(), kind.to_owned()));
        }
    }
    pairs
}

/// A count from the report.
fn count(name: &str) -> usize {
    let line = REPORT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.expect("the report has this count").parse().unwrap()
}

/// Generates objects of a kind. The largest has many kilobytes, the smallest is empty.
fn objects(entry: &KindEntry) -> Vec<Box<dyn Reflect>> {
    let generated = (0..OBJECTS).map(|seed| {
        let mut object = entry.object();
        fill(&mut *object, &mut Source::new(&objects::bytes(seed), &[]));
        object
    });
    std::iter::once(entry.object()).chain(generated).collect()
}

/// The number of boxes that a conversion through the Scheme must allocate: one if it changes the type of the object.
fn boxes(from: &dyn Reflect, to: &dyn Reflect) -> u64 {
    u64::from((from as &dyn std::any::Any).type_id() != (to as &dyn std::any::Any).type_id())
}

fn counted<T>(work: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut out = None;
    let info = measure(|| out = Some(work()));
    (out.expect("the work has run"), info)
}

#[test]
fn identical_versions_convert_without_an_allocation() {
    let scheme = hubgen_kubernetes::scheme();
    let pairs = identical();
    assert_eq!(pairs.len(), count("identical"), "the report must list as many pairs as it counts");
    let mut wrong = BTreeMap::new();
    let mut largest = 0;
    for (version, kind) in &pairs {
        let entry = scheme.named(version, kind).unwrap_or_else(|| panic!("{version} {kind}"));
        let Conversion::Hub(conversion) = &entry.conversion else { panic!("{entry} does not convert") };
        for object in objects(entry) {
            // First convert what only this version represents differently.
            let object = conversion.to_hub(object).and_then(|hub| conversion.from_hub(hub)).expect("it fits");
            largest = largest.max(json::encode(&*object).unwrap().len());
            let before = object.boxed_copy();
            let (hub, there) =
                counted(|| conversion.to_hub(object).expect("it contains no value without a counterpart"));
            let needed = boxes(&*before, &*hub);
            let (object, back) = counted(|| conversion.from_hub(hub).expect("it fits"));
            versions::same(&*object, &*before).unwrap();
            if (there.count_total, back.count_total) != (needed, needed) {
                let found = (there.count_total - needed, back.count_total - needed);
                wrong.entry(entry.to_string()).or_insert(found);
            }
        }
    }
    assert!(wrong.is_empty(), "allocations to the hub and back, beyond the box: {wrong:#?}");
    assert!(pairs.len() > 50 && largest > 10_000, "{} pairs, up to {largest} bytes", pairs.len());
}

/// Canonicalizing an object in its canonical form allocates nothing.
#[test]
fn canonicalizing_a_canonical_object_allocates_nothing() {
    let scheme = hubgen_kubernetes::scheme();
    let mut kinds = 0;
    for entry in scheme.kinds().filter(|entry| !entry.canonical.is_empty()) {
        kinds += 1;
        for value in objects(entry) {
            let mut object = Object { entry: Arc::clone(entry), value };
            object.canonicalize();
            let ((), again) = counted(|| object.canonicalize());
            assert_eq!(again.count_total, 0, "{entry}");
        }
    }
    assert!(kinds >= 5, "{kinds}");
}

/// Copying into an object with the same contents allocates nothing, for every kind.
#[test]
fn a_copy_into_a_used_object_of_the_same_sizes_allocates_nothing() {
    let scheme = hubgen_kubernetes::scheme();
    for entry in scheme.kinds() {
        for object in objects(entry) {
            let mut target = object.boxed_copy();
            let ((), info) = counted(|| copy_into(&*object, &mut *target));
            assert_eq!(
                info.count_total,
                0,
                "{entry}: {}",
                String::from_utf8_lossy(&json::encode(&*object).unwrap())
            );
            versions::same(&*target, &*object).unwrap();
        }
    }
}

/// Checks the counter: a copy allocates.
#[test]
fn a_copy_is_counted() {
    let scheme = hubgen_kubernetes::scheme();
    let entry = scheme.named("apps/v1", "Deployment").unwrap();
    let (_, info) = counted(|| entry.object().boxed_copy());
    assert!(info.count_total >= 2);
}
