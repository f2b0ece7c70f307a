//! The laws of undecoded JSON notice when the edits of a conversion are wrong.

use std::sync::Arc;

use hubgen_laws::versions::{self, Convertible, Version};
use hubgen_machinery::convert::{Canonical, ConvertError, ConvertObject, Functions, ViaHub};
use hubgen_machinery::reflect::{Held, NewObject, Reflect};
use hubgen_machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_machinery::tree::{Change, Edit, Edits, VersionEdits};

/// The number of objects of each version for each law.
const OBJECTS: u64 = 100;

/// Converts typed objects as a version does, and JSON by other edits.
struct Changed {
    new: NewObject,
    typed: ViaHub,
    edits: VersionEdits,
    functions: Functions,
}

impl ConvertObject for Changed {
    fn empty(&self) -> Box<dyn Reflect> {
        self.new.object()
    }

    fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        self.typed.to_hub(object)
    }

    fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        self.typed.from_hub(hub)
    }

    fn canonical(&self) -> Vec<Canonical> {
        self.typed.canonical()
    }

    fn json(&self) -> Option<(&VersionEdits, Functions)> {
        Some((&self.edits, self.functions.clone()))
    }
}

/// The edits of a version, each time with one change.
fn mutations(edits: &VersionEdits) -> Vec<(String, VersionEdits)> {
    let mut out = Vec::new();
    if !edits.exact {
        out.push(("it is exact".to_owned(), VersionEdits { exact: true, ..edits.clone() }));
    }
    let mut without = |pairs: &Held<[Edits]>, direction: &str, make: &dyn Fn(Vec<Edits>) -> VersionEdits| {
        for (at, pair) in pairs.iter().enumerate() {
            let mut changed = |what: String, pair: Edits| {
                let mut pairs = pairs.to_vec();
                pairs[at] = pair;
                out.push((format!("{direction}, {}: {what}", pairs[at].name), make(pairs)));
            };
            for index in 0..pair.edits.len() {
                let mut left = pair.edits.to_vec();
                let edit = left.remove(index);
                // It matters to unknown fields with a name of the target only, which generated objects do not have.
                if let Edit::Change { change: Change::Object(name), .. } = &edit
                    && pairs
                        .iter()
                        .any(|pair| pair.name == *name && pair.edits.is_empty() && pair.drops.is_empty())
                {
                    continue;
                }
                changed(format!("without {edit:?}"), Edits { edits: left.into(), ..pair.clone() });
            }
            for index in 0..pair.drops.len() {
                let mut left = pair.drops.to_vec();
                let path = left.remove(index);
                changed(format!("{path:?} stays"), Edits { drops: left.into(), ..pair.clone() });
            }
        }
    };
    without(&edits.to_hub, "to the hub", &|pairs| VersionEdits { to_hub: pairs.into(), ..edits.clone() });
    without(&edits.from_hub, "from the hub", &|pairs| VersionEdits {
        from_hub: pairs.into(),
        ..edits.clone()
    });
    out
}

fn version(entry: &KindEntry) -> Version {
    let Conversion::Hub(conversion) = &entry.conversion else { panic!("{entry} does not convert") };
    Version { new: entry.new.clone(), conversion: conversion.clone() }
}

/// The mutations of the versions of a kind that no law notices.
fn unnoticed(scheme: &Scheme, kind: &str) -> (usize, Vec<String>) {
    let entries: Vec<&Arc<KindEntry>> = scheme.kinds().filter(|entry| *entry.kind == *kind).collect();
    let words = entries[0].family.as_ref().unwrap().words();
    let all: Vec<Version> = entries.iter().map(|entry| version(entry)).collect();
    let (mut count, mut unnoticed) = (0, Vec::new());
    for (at, entry) in entries.iter().enumerate() {
        let (edits, functions) = all[at].conversion.json().unwrap();
        for (what, edits) in mutations(edits) {
            let changed = Changed {
                new: all[at].new.clone(),
                typed: all[at].conversion.clone(),
                edits,
                functions: functions.clone(),
            };
            let mut versions = all.clone();
            versions[at].conversion = ViaHub::Runtime(Arc::new(changed));
            let versions: Vec<&dyn Convertible> =
                versions.iter().map(|version| version as &dyn Convertible).collect();
            count += 1;
            if versions::check_undecoded(&versions, &words, OBJECTS).is_ok() {
                unnoticed.push(format!("{} {what}", entry.version));
            }
        }
    }
    (count, unnoticed)
}

#[test]
fn every_mutation_of_edits_is_noticed() {
    for (scheme, kind) in [
        (hubgen_example_cert_manager::api::scheme(), "Certificate"),
        (hubgen_example_backups::api::scheme(), "Backup"),
    ] {
        let (count, unnoticed) = unnoticed(&scheme, kind);
        println!("{kind}: {count} mutations");
        assert!(
            count > 0 && unnoticed.is_empty(),
            "{kind}: {count} mutations, unnoticed:\n{}",
            unnoticed.join("\n")
        );
    }
}
