//! The law that what the schema of one version allows, those of its siblings allow after conversion.
//!
//! A client that reads an object at another version must be able to write it back. The law does not hold where versions
//! differ in what they allow, and no conversion could change that. Rules then accept the path by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_validation::FieldError;
use serde_json::Value;

use crate::objects::{Source, bytes, shrink};
use crate::valid::Valid;
use crate::versions::Convertible;

/// The path of an error that is about no single field.
const NO_FIELD: &str = "<nil>";

/// Objects that are generated at least, before an acceptance counts as stale.
const ENOUGH: u64 = 2000;

/// A path of a version at which its schema refuses what an object of another version converts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// `cert-manager.io/v1 Certificate`: the version whose schema refuses the object.
    pub version: String,
    /// The path, as rules write it: it goes through lists and maps without an index. `<nil>` where an error is about no
    /// single field, such as that no alternative of `anyOf` fits.
    pub path: String,
    /// Whether the rules of the version accept the path, with `may-be-invalid`.
    pub is_accepted: bool,
    /// The version whose schema allows the object.
    pub from: String,
    /// The smallest object of that version that was found. It is valid there.
    pub object: Value,
    /// The error of the schema.
    pub error: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, path, from, object, error, .. } = self;
        write!(f, "{version}: {path}: {error}\n  of an object that {from} allows: {object}")
    }
}

/// What the law lists for one kind.
#[derive(Default)]
pub(crate) struct Listed {
    /// The paths at which it does not hold.
    pub(crate) refused: Vec<Refused>,
    /// The paths that rules accept and at which it holds, each after its version.
    pub(crate) stale: Vec<(String, String)>,
}

/// Lists the paths of all versions of a kind at which the law does not hold, with `count` objects of each version.
pub(crate) fn list(
    scheme: &Scheme,
    family: &[&Arc<KindEntry>],
    versions: &[Valid<'_>],
    words: &[(&str, &str)],
    count: u64,
) -> Listed {
    let accepted: Vec<Vec<String>> = versions.iter().map(Valid::may_be_invalid).collect();
    // The version that refuses and the path, and what to generate the first such object from.
    let mut found: BTreeMap<(usize, String), (usize, Vec<u8>)> = BTreeMap::new();
    let is_missing = |found: &BTreeMap<(usize, String), _>| {
        let mut all =
            accepted.iter().enumerate().flat_map(|(to, paths)| paths.iter().map(move |path| (to, path)));
        all.any(|(to, path)| !found.contains_key(&(to, path.clone())))
    };
    for seed in 0..count.max(ENOUGH) {
        if seed >= count && !is_missing(&found) {
            break;
        }
        let bytes = bytes(seed);
        for (from, version) in versions.iter().enumerate() {
            let object = version.generate_json(&mut Source::new(&bytes, words));
            for (to, sibling) in versions.iter().enumerate().filter(|(to, _)| *to != from) {
                for (path, _) in errors(scheme, family[to], sibling, &object) {
                    found.entry((to, path)).or_insert_with(|| (from, bytes.clone()));
                }
            }
        }
    }
    let mut listed = Listed::default();
    for (to, paths) in accepted.iter().enumerate() {
        let stale = paths.iter().filter(|path| !found.contains_key(&(to, (*path).clone())));
        listed.stale.extend(stale.map(|path| (versions[to].title(), path.clone())));
    }
    for ((to, path), (from, bytes)) in found {
        let (version, sibling) = (&versions[from], &versions[to]);
        let error = |bytes: &[u8]| {
            let object = version.generate_json(&mut Source::new(bytes, words));
            let (_, error) =
                errors(scheme, family[to], sibling, &object).into_iter().find(|(at, _)| *at == path)?;
            Some((object, error))
        };
        let is_accepted = accepted[to].contains(&path);
        // Nobody reads the examples of what is accepted, and shrinking takes hundreds of conversions.
        let small = if is_accepted { bytes } else { shrink(&bytes, |bytes| error(bytes).is_some()) };
        let Some((object, error)) = error(&small) else { continue };
        let (version, from) = (sibling.title(), version.title());
        listed.refused.push(Refused { version, path, is_accepted, from, object, error });
    }
    listed
}

/// The errors of a sibling's schema for what an object converts to, each with its path. None if a conversion refuses
/// the object. The object converts as a webhook converts it: what was not there does not appear.
fn errors(
    scheme: &Scheme,
    to: &Arc<KindEntry>,
    sibling: &Valid<'_>,
    object: &Value,
) -> Vec<(String, String)> {
    let convert =
        || serde_json::from_slice(&scheme.convert_json(object.to_string().as_bytes(), to).ok()?).ok();
    let Some(mut converted) = convert() else { return Vec::new() };
    let found = sibling.refuses(&mut converted);
    // Beside errors of fields it says that these left rules in CEL unchecked.
    let follows =
        |error: &FieldError| error.field == NO_FIELD && found.iter().any(|other| other.field != NO_FIELD);
    let causes = found.iter().filter(|error| !follows(error)).cloned();
    causes.map(|error| (path(&error.field), error.message)).collect()
}

/// A path of an error as rules write it: `spec.names[0].key` is `spec.names.key`.
fn path(field: &str) -> String {
    let mut depth = 0;
    let mut out = String::new();
    for c in field.chars() {
        match c {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_no_indices() {
        assert_eq!(path("spec.names[0].key"), "spec.names.key");
        assert_eq!(path("spec.by[a.b]"), "spec.by");
    }
}
