//! Families whose conversions are held to the laws.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use hubgen_kubernetes::machinery::convert::functions;
use hubgen_kubernetes::machinery::convert::laws::{Convertible, Source, Version};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};

use crate::title;

/// The kinds that are compiled.
pub static SCHEME: LazyLock<Scheme> = LazyLock::new(hubgen_kubernetes::scheme);

/// The versions of a kind.
pub struct Family<'a> {
    /// `apps/Deployment`; `core` is the empty group.
    pub title: String,
    /// The versions, oldest first.
    pub versions: Vec<Member<'a>>,
    /// The same, by the rules as they are written; none where those are not at
    /// hand.
    pub written: Vec<Member<'a>>,
    /// Words that the conversions look for, by the field that holds them.
    pub words: Vec<(&'a str, &'a str)>,
}

/// A version of a kind.
pub struct Member<'a> {
    /// What it is called.
    pub entry: &'static Arc<KindEntry>,
    /// How it converts.
    pub version: Box<dyn Convertible + Sync + 'a>,
}

impl<'a> Family<'a> {
    /// Choices from `bytes`.
    pub fn source(&'a self, bytes: &'a [u8]) -> Source<'a> {
        Source::new(bytes, &self.words)
    }
}

/// Every convertible family as it is compiled, by its title.
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
                versions: Vec::new(),
                written: Vec::new(),
                // Among those of functions, a family's own would hardly be generated.
                words: if words.is_empty() { functions::WORDS.to_vec() } else { words },
            }
        });
        family.versions.push(Member { entry, version });
    }
    out
}
