//! Nothing for nothing: a conversion between versions that agree allocates nothing. What agrees is
//! read off the report that `cargo xtask generate` writes, so that no pair is left out; the objects
//! are generated from their types.

use std::collections::BTreeMap;
use std::sync::Arc;

use allocation_counter::{AllocationInfo, measure};
use hubgen_kubernetes::machinery::convert::laws::{self, Source, fill};
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::reflect::{Reflect, copy_into};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object};

const REPORT: &str = include_str!("../../generated/CONVERSIONS.md");

/// How many objects of each version.
const OBJECTS: u64 = 50;

/// Every version that the report calls identical to its hub, with the hub: by name, then kind.
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

/// What the report counts.
fn count(name: &str) -> usize {
    let line = REPORT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.expect("the report counts it").parse().unwrap()
}

/// The largest of the objects that are generated is of many kilobytes, the smallest is empty.
fn objects(entry: &KindEntry) -> Vec<Box<dyn Reflect>> {
    let generated = (0..OBJECTS).map(|seed| {
        let mut object = entry.object();
        fill(&mut *object, &mut Source::new(&laws::bytes(seed), &[]));
        object
    });
    std::iter::once(entry.object()).chain(generated).collect()
}

/// A box for another struct is what a conversion through the Scheme needs, which holds any kind of
/// object.
fn boxes(from: &dyn Reflect, to: &dyn Reflect) -> u64 {
    u64::from((from as &dyn std::any::Any).type_id() != (to as &dyn std::any::Any).type_id())
}

fn counted<T>(work: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut out = None;
    let info = measure(|| out = Some(work()));
    (out.expect("it was run"), info)
}

#[test]
fn versions_that_agree_convert_without_an_allocation() {
    let scheme = hubgen_kubernetes::scheme();
    let pairs = identical();
    assert_eq!(pairs.len(), count("identical"), "the report lists as many as it counts");
    let mut wrong = BTreeMap::new();
    let mut largest = 0;
    for (version, kind) in &pairs {
        let entry = scheme.named(version, kind).unwrap_or_else(|| panic!("{version} {kind}"));
        let Conversion::Hub(conversion) = &entry.conversion else { panic!("{entry} converts") };
        for object in objects(entry) {
            // What one version says in a way of its own is said in the common one before.
            let object = conversion.to_hub(object).and_then(|hub| conversion.from_hub(hub)).expect("it fits");
            largest = largest.max(json::encode(&*object).len());
            let before = object.boxed_copy();
            let (hub, there) = counted(|| conversion.to_hub(object).expect("it contains no unknown word"));
            let needed = boxes(&*before, &*hub);
            let (object, back) = counted(|| conversion.from_hub(hub).expect("it fits"));
            laws::same(&*object, &*before).unwrap();
            if (there.count_total, back.count_total) != (needed, needed) {
                let found = (there.count_total - needed, back.count_total - needed);
                wrong.entry(entry.to_string()).or_insert(found);
            }
        }
    }
    assert!(wrong.is_empty(), "allocations to the hub and back, beyond the box: {wrong:#?}");
    assert!(pairs.len() > 50 && largest > 10_000, "{} pairs, up to {largest} bytes", pairs.len());
}

/// An object that says everything in one way is looked at, and that is all.
#[test]
fn canonical_forms_cost_nothing_once_they_are_reached() {
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
    assert!(kinds > 20, "{kinds}");
}

/// What was copied once is copied again for nothing, whatever the kind.
#[test]
fn a_copy_into_a_used_object_of_the_same_sizes_allocates_nothing() {
    let scheme = hubgen_kubernetes::scheme();
    for entry in scheme.kinds() {
        for object in objects(entry) {
            let mut target = object.boxed_copy();
            let ((), info) = counted(|| copy_into(&*object, &mut *target));
            assert_eq!(info.count_total, 0, "{entry}: {}", String::from_utf8_lossy(&json::encode(&*object)));
            laws::same(&*target, &*object).unwrap();
        }
    }
}

/// The counter counts: a copy is not free.
#[test]
fn a_copy_is_counted() {
    let scheme = hubgen_kubernetes::scheme();
    let entry = scheme.named("apps/v1", "Deployment").unwrap();
    let (_, info) = counted(|| entry.object().boxed_copy());
    assert!(info.count_total >= 2);
}
