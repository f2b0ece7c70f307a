//! The families whose conversions are checked.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_kubernetes_functions::conversions;
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{Convertible, Version};

use crate::title;

/// All compiled kinds: those of Kubernetes, and those of the examples that are generated from
/// CustomResourceDefinitions.
pub static SCHEME: LazyLock<Scheme> = LazyLock::new(|| {
    let mut scheme = hubgen_kubernetes::scheme();
    hubgen_example_cert_manager::api::acme::register(&mut scheme);
    hubgen_example_cert_manager::api::cert_manager::register(&mut scheme);
    hubgen_example_gateway_api::api::gateway::register(&mut scheme);
    scheme
});

/// The versions of a kind.
pub struct Family<'a> {
    /// `apps/Deployment`; `core` is the empty group.
    pub title: String,
    /// Whether its types distinguish all that JSON does. Those of Kubernetes do not.
    pub is_exact: bool,
    /// The versions, oldest first.
    pub versions: Vec<Member<'a>>,
    /// The same versions, converting by interpreted rules; empty if no rules are given.
    pub written: Vec<Member<'a>>,
    /// Words that the conversions check for, by field.
    pub words: Vec<(&'a str, &'a str)>,
}

/// A version of a kind.
pub struct Member<'a> {
    /// Its kind and version.
    pub entry: &'static Arc<KindEntry>,
    /// Its conversion.
    pub version: Box<dyn Convertible + Sync + 'a>,
}

impl<'a> Family<'a> {
    /// A source of choices from `bytes`.
    pub fn source(&'a self, bytes: &'a [u8]) -> Source<'a> {
        Source::new(bytes, &self.words)
    }
}

/// Whether the types of a kind distinguish all that JSON does: it is generated from a
/// CustomResourceDefinition.
pub fn is_exact(entry: &KindEntry) -> bool {
    static KUBERNETES: LazyLock<Scheme> = LazyLock::new(hubgen_kubernetes::scheme);
    KUBERNETES.kind(&entry.group, &entry.version, &entry.kind).is_none()
}

/// Every family of Kubernetes with conversions, by title.
pub fn of_kubernetes() -> BTreeMap<String, Family<'static>> {
    let mut families = compiled();
    families.retain(|_, family| !family.is_exact);
    families
}

/// Every compiled family with conversions, by title.
pub fn compiled() -> BTreeMap<String, Family<'static>> {
    let mut out: BTreeMap<String, Family<'_>> = BTreeMap::new();
    for entry in SCHEME.kinds() {
        let Conversion::Hub(conversion) = &entry.conversion else { continue };
        let version = Box::new(Version { new: entry.new.clone(), conversion: conversion.clone() });
        let title = title(entry);
        let family = out.entry(title.clone()).or_insert_with(|| {
            let words = entry.family.as_ref().map_or_else(Vec::new, |family| family.words());
            Family {
                title,
                is_exact: is_exact(entry),
                versions: Vec::new(),
                written: Vec::new(),
                // The words of functions are only for families without their own, since among so
                // many words a family's own would rarely be chosen.
                words: if words.is_empty() { conversions::WORDS.to_vec() } else { words },
            }
        });
        family.versions.push(Member { entry, version });
    }
    out
}
