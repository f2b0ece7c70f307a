//! Fields of a version and of the hub that may be the same field, at another path.

use std::collections::BTreeSet;

use hubgen_model::{Api, GroupVersion, TypeExpr};
use hubgen_plan::{Difference, What};

use super::field;

/// A version, a path in it, and a path in the hub.
pub(super) type Move = (GroupVersion, String, String);

/// Fields of a version and of the hub whose types are equal: those whose names differ in case and punctuation only, and
/// those that lie elsewhere and have like names.
pub(super) fn moves(
    api: &Api,
    kind: &str,
    hub: &GroupVersion,
    found: &[Difference],
) -> (Vec<Move>, Vec<Move>) {
    let of = |version: &GroupVersion, what: What| -> Vec<String> {
        let found =
            found.iter().filter(|difference| difference.what == what && difference.version == *version);
        found.map(|difference| difference.path.clone()).collect()
    };
    let versions: BTreeSet<&GroupVersion> = found.iter().map(|difference| &difference.version).collect();
    let (mut sure, mut likely) = (Vec::new(), Vec::new());
    for version in versions {
        let (own, other) = (of(version, What::OnlyInVersion), of(version, What::OnlyInHub));
        let fits = |own: &str, other: &str| {
            field(api, version, kind, own)
                .zip(field(api, hub, kind, other))
                .is_some_and(|(own, other)| same(&own.ty, &other.ty))
        };
        let sure_pair = |own: &str, other: &str| letters(own) == letters(other) && fits(own, other);
        // A rule cannot take a field out of each of several objects, nor put one into each.
        let lists = |own: &str, other: &str| lists(api, version, kind, own) == lists(api, hub, kind, other);
        let likely_pair =
            |own: &str, other: &str| are_alike(own, other) && fits(own, other) && lists(own, other);
        let pairs = only(&own, &other, &sure_pair);
        let left = |paths: &[String], done: &dyn Fn(&(String, String)) -> String| -> Vec<String> {
            let done: BTreeSet<String> = pairs.iter().map(done).collect();
            paths.iter().filter(|path| !done.contains(*path)).cloned().collect()
        };
        let (own, other) = (left(&own, &|pair| pair.0.clone()), left(&other, &|pair| pair.1.clone()));
        // A field may have moved into an object that is new, or out of one that is gone.
        let mut elsewhere: BTreeSet<(String, String)> =
            only(&own, &within(api, hub, kind, &other), &likely_pair).into_iter().collect();
        elsewhere.extend(only(&within(api, version, kind, &own), &other, &likely_pair));
        sure.extend(pairs.into_iter().map(|(own, other)| (version.clone(), own, other)));
        likely.extend(elsewhere.into_iter().map(|(own, other)| (version.clone(), own, other)));
    }
    (sure, likely)
}

/// The pairs of which neither path is in another pair.
fn only(own: &[String], other: &[String], is_pair: &dyn Fn(&str, &str) -> bool) -> Vec<(String, String)> {
    let pairs: Vec<(&String, &String)> = own
        .iter()
        .flat_map(|own| other.iter().map(move |other| (own, other)))
        .filter(|(own, other)| is_pair(own, other))
        .collect();
    let is_only = |(own, other): &&(&String, &String)| {
        pairs.iter().filter(|(a, b)| a == own || b == other).count() == 1
    };
    pairs.iter().filter(is_only).map(|(own, other)| ((*own).clone(), (*other).clone())).collect()
}

/// These paths, and those of the fields in the objects to which they lead. Not through lists and maps: a field does not
/// move into each of several objects.
fn within(api: &Api, version: &GroupVersion, kind: &str, paths: &[String]) -> Vec<String> {
    /// Deeper objects are rarely those into which people move a field.
    const DEPTH: usize = 3;
    let mut all = paths.to_vec();
    let mut last = paths.to_vec();
    for _ in 0..DEPTH {
        let below = |path: &String| {
            let id = match field(api, version, kind, path).map(|field| &field.ty) {
                Some(TypeExpr::Ref(id)) => api.find(id),
                _ => None,
            };
            let fields = id.map_or(&[][..], |ty| ty.fields());
            fields.iter().map(|field| format!("{path}.{}", field.name)).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(below).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The lists and maps that a path goes through.
fn lists<'p>(api: &Api, version: &GroupVersion, kind: &str, path: &'p str) -> Vec<&'p str> {
    let prefixes = path.match_indices('.').map(|(at, _)| &path[..at]);
    let is_list = |prefix: &&str| {
        let field = field(api, version, kind, prefix);
        field.is_some_and(|field| matches!(field.ty, TypeExpr::List(_) | TypeExpr::Map(_)))
    };
    prefixes.filter(is_list).collect()
}

/// Whether the last names of two paths are equal but for case and punctuation, or one is the other with its parent's
/// name before it, as `keySize` and `key.size` are.
fn are_alike(a: &str, b: &str) -> bool {
    let last = |path: &str| path.rsplit('.').next().map(letters).unwrap_or_default();
    let two = |path: &str| {
        let mut names = path.rsplit('.');
        let last = names.next().unwrap_or_default();
        names.next().map(|parent| letters(parent) + &letters(last))
    };
    // `privateKey.size` ends with `keySize`, too.
    let joins = |long: &str, short: &str| {
        let name = last(long);
        let whole = last(short);
        name.len() < whole.len()
            && whole.ends_with(&name)
            && two(long).is_some_and(|joined| joined.ends_with(&whole))
    };
    last(a) == last(b) || joins(a, b) || joins(b, a)
}

/// A path without case and punctuation.
pub(super) fn letters(path: &str) -> String {
    let plain = |c: &char| c.is_alphanumeric() || *c == '.';
    path.chars().filter(plain).flat_map(char::to_lowercase).collect()
}

/// Whether two types are equal, or are types of two versions whose names differ in case only.
fn same(a: &TypeExpr, b: &TypeExpr) -> bool {
    match (a, b) {
        (TypeExpr::Ref(a), TypeExpr::Ref(b)) => {
            letters(&a.name) == letters(&b.name) && a.group_version.group == b.group_version.group
        }
        (TypeExpr::List(a), TypeExpr::List(b)) | (TypeExpr::Map(a), TypeExpr::Map(b)) => same(a, b),
        _ => a == b,
    }
}
