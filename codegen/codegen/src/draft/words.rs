//! Words that the schemas of a version and of the hub have for the same field.

use std::fmt::Write as _;

use hubgen_model::{Api, Field, GroupVersion, Type, TypeId};

use super::moves::letters;
use super::quoted;

/// A field of a version and of the hub, whose schemas do not allow the same words.
#[derive(Debug)]
pub(super) struct Words {
    /// The path, the same in both.
    path: String,
    /// Words that differ in case and punctuation only: of the version, and of the hub.
    pub(super) pairs: Vec<(String, String)>,
    /// The words that both allow.
    of_both: Vec<String>,
    /// The other words that only the version allows.
    of_version: Vec<String>,
    /// The other words that only the hub allows.
    of_hub: Vec<String>,
}

impl Words {
    /// Writes what a person should look at, as comments.
    pub(super) fn write(&self, out: &mut String) {
        let path = quoted(&self.path);
        if !self.pairs.is_empty() {
            // The operator needs all words.
            let same = self.of_both.iter().map(|word| (word, word));
            let pairs = self.pairs.iter().map(|(own, hub)| (own, hub)).chain(same);
            let pairs = pairs.map(|(own, hub)| format!("{} = {}", quoted(own), quoted(hub)));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                out,
                "# Perhaps the same words: words = [{{ from = {path}, to = {path}, words = {{ {pairs} }} }}]"
            );
        }
        for (side, words) in [("this version", &self.of_version), ("the hub", &self.of_hub)] {
            if !words.is_empty() {
                let words = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
                let _ = writeln!(
                    out,
                    "# Only {side} allows {words} in `{}`: schemas of other versions refuse such objects.",
                    self.path
                );
            }
        }
    }
}

/// The fields of a kind with the same path in a version and in the hub, whose schemas do not allow the same words.
pub(super) fn words(api: &Api, kind: &str, version: &GroupVersion, hub: &GroupVersion) -> Vec<Words> {
    let mut walk = Walk { api, inside: Vec::new(), found: Vec::new() };
    if let (Some(own), Some(of_hub)) = (api.root(version, kind), api.root(hub, kind)) {
        walk.objects(own, of_hub, "");
    }
    walk.found
}

struct Walk<'a> {
    api: &'a Api,
    /// The types of the version that contain the current one: types may contain themselves.
    inside: Vec<&'a TypeId>,
    found: Vec<Words>,
}

impl<'a> Walk<'a> {
    fn objects(&mut self, own: &'a Type, of_hub: &'a Type, at: &str) {
        if self.inside.contains(&&own.id) {
            return;
        }
        self.inside.push(&own.id);
        for field in own.named() {
            let Some(other) = of_hub.field(&field.name) else { continue };
            let path = if at.is_empty() { field.name.clone() } else { format!("{at}.{}", field.name) };
            self.found.extend(compared(field, other, &path));
            let object = |field: &Field| field.ty.named().and_then(|id| self.api.find(id));
            if let (Some(own), Some(of_hub)) = (object(field), object(other)) {
                self.objects(own, of_hub, &path);
            }
        }
        self.inside.pop();
    }
}

fn compared(own: &Field, of_hub: &Field, path: &str) -> Option<Words> {
    if own.enumeration.is_empty() || of_hub.enumeration.is_empty() {
        return None;
    }
    let only = |one: &Field, other: &Field| -> Vec<String> {
        let other: Vec<String> = other.words().collect();
        one.words().filter(|word| !other.contains(word)).collect()
    };
    let (mut of_version, mut others) = (only(own, of_hub), only(of_hub, own));
    let of_both = own.words().filter(|word| !of_version.contains(word)).collect();
    let mut pairs = Vec::new();
    of_version.retain(|word| {
        // Without letters, as `*` and `-` are, no words are alike.
        let is_like = |other: &String| letters(other) == letters(word) && !letters(word).is_empty();
        let Some(at) = others.iter().position(is_like) else { return true };
        pairs.push((word.clone(), others.remove(at)));
        false
    });
    let differ = !pairs.is_empty() || !of_version.is_empty() || !others.is_empty();
    differ.then(|| Words { path: path.to_owned(), pairs, of_both, of_version, of_hub: others })
}
