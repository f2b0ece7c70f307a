//! Names of the types of nested objects.
//!
//! An object at the same path has the same name in every version, so that versions can share its type.
//! Objects of equal shape share a name, unless they differ in some other version.

use std::collections::{BTreeMap, BTreeSet};

use super::singular;

/// An object somewhere in a kind.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub version: String,
    pub kind: String,
    /// The properties that lead to it.
    pub path: Vec<Segment>,
    /// Equal numbers are equal shapes.
    pub shape: usize,
}

/// A property on the path to an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub name: String,
    /// Whether the objects are items of a list, or values of a map.
    pub is_item: bool,
}

/// Words that are no name of a type on their own.
const VAGUE: [&str; 12] = [
    "Config", "Data", "Item", "Kind", "Metadata", "Object", "Option", "Ref", "Spec", "Status", "Template",
    "Value",
];

/// The objects that share a name.
struct Cluster<'a> {
    /// By version.
    shapes: BTreeMap<&'a str, usize>,
    places: Vec<Place<'a>>,
}

/// A path in a kind, in whichever versions have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'a> {
    /// The length of the path: short paths come first.
    length: usize,
    kind: &'a str,
    path: &'a [Segment],
}

impl Place<'_> {
    /// Kind and path: `Certificate.spec.keystores`.
    fn text(&self) -> String {
        let names = self.path.iter().map(|segment| segment.name.as_str());
        std::iter::once(self.kind).chain(names).collect::<Vec<_>>().join(".")
    }

    /// Whether it is `spec` or `status` of a kind.
    fn is_top(&self) -> bool {
        self.length == 1 && matches!(&*self.path[0].name, "spec" | "status")
    }
}

/// Names that objects already have, by their kinds and paths: `Certificate.spec.keystores`.
pub(super) type Known = BTreeMap<String, String>;

/// The name of each object. An object that has a name keeps it, unless it no longer has the shape of
/// others with that name. No name is among `reserved` or differs from one of them only in upper and
/// lower case. The order of the objects has no influence.
pub(super) fn assign(objects: &[Occurrence], reserved: &BTreeSet<String>, known: &Known) -> Vec<String> {
    let clusters = clusters(objects);
    let has_name: Vec<Option<&String>> = clusters
        .iter()
        .map(|cluster| cluster.places.iter().find_map(|place| known.get(&place.text())))
        .collect();
    let candidates: Vec<Vec<String>> = clusters
        .iter()
        .zip(&has_name)
        .map(|(cluster, name)| name.iter().copied().cloned().chain(candidates(cluster)).collect())
        .collect();
    let mut levels = vec![0; clusters.len()];
    let versions: BTreeSet<&str> = objects.iter().map(|object| &*object.version).collect();
    let name = |cluster: usize, level: usize| -> String {
        let all = &candidates[cluster];
        all.get(level).cloned().unwrap_or_else(|| {
            // Nothing longer is left.
            format!("{}{}", all.last().map_or("Object", String::as_str), level - all.len() + 2)
        })
    };
    loop {
        // Names need to differ within each version only.
        let mut taken: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
        for (at, cluster) in clusters.iter().enumerate() {
            // But no other object takes the name of a kind's specification in any of them.
            let is_top = cluster.is_top();
            for version in versions.iter().filter(|version| is_top || cluster.shapes.contains_key(*version)) {
                taken.entry((version, name(at, levels[at]).to_lowercase())).or_default().push(at);
            }
        }
        let mut longer: BTreeSet<usize> = BTreeSet::new();
        for ((_, name), owners) in taken {
            let is_reserved = reserved.iter().any(|reserved| reserved.to_lowercase() == name);
            if owners.len() == 1 && !is_reserved {
                continue;
            }
            // What already has the name keeps it; then the specification of a kind, and what has no longer
            // name.
            let has_it = |at: &usize| levels[*at] == 0 && has_name[*at].is_some();
            let is_top = |at: &usize| clusters[*at].is_top();
            let is_longest = |at: &usize| levels[*at] + 1 >= candidates[*at].len();
            let find = |keeps: &dyn Fn(&usize) -> bool| owners.iter().copied().find(keeps);
            let keeps = find(&has_it).or_else(|| find(&is_top)).or_else(|| find(&is_longest));
            longer.extend(owners.into_iter().filter(|at| is_reserved || keeps != Some(*at)));
        }
        if longer.is_empty() {
            break;
        }
        longer.into_iter().for_each(|at| levels[at] += 1);
    }
    let mut names: BTreeMap<Place<'_>, String> = BTreeMap::new();
    for (at, cluster) in clusters.iter().enumerate() {
        names.extend(cluster.places.iter().map(|place| (*place, name(at, levels[at]))));
    }
    objects.iter().map(|object| names.get(&place(object)).cloned().unwrap_or_default()).collect()
}

fn place(object: &Occurrence) -> Place<'_> {
    Place { length: object.path.len(), kind: &object.kind, path: &object.path }
}

fn clusters(objects: &[Occurrence]) -> Vec<Cluster<'_>> {
    let mut places: BTreeMap<Place<'_>, BTreeMap<&str, usize>> = BTreeMap::new();
    for object in objects {
        places.entry(place(object)).or_default().insert(&object.version, object.shape);
    }
    let mut clusters: Vec<Cluster<'_>> = Vec::new();
    // The clusters that contain a shape in a version.
    let mut with: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
    for (place, shapes) in places {
        let known = shapes.iter().flat_map(|(version, shape)| with.get(&(*version, *shape))).flatten();
        let candidates: BTreeSet<usize> = known.copied().collect();
        let found = candidates.into_iter().find(|at| clusters[*at].admits(&place, &shapes));
        let at = found.unwrap_or_else(|| {
            clusters.push(Cluster { shapes: BTreeMap::new(), places: Vec::new() });
            clusters.len() - 1
        });
        for (version, shape) in shapes {
            clusters[at].shapes.insert(version, shape);
            let with = with.entry((version, shape)).or_default();
            if !with.contains(&at) {
                with.push(at);
            }
        }
        clusters[at].places.push(place);
    }
    clusters
}

impl Cluster<'_> {
    /// Whether it contains the specification or the status of a kind.
    fn is_top(&self) -> bool {
        self.places.iter().any(Place::is_top)
    }

    /// Whether an object has the shape of the others in every version.
    fn admits(&self, place: &Place<'_>, shapes: &BTreeMap<&str, usize>) -> bool {
        let agrees =
            |(version, shape): (&&str, &usize)| self.shapes.get(version).is_none_or(|known| known == shape);
        // The specifications of two kinds keep names of their own, unless the kinds have a common one.
        let is_related = |other: &Place<'_>| {
            other.path[0].name == place.path[0].name && words(other.kind).last() == words(place.kind).last()
        };
        shapes.iter().all(agrees)
            && (!place.is_top() || self.places.iter().filter(|other| other.is_top()).all(is_related))
    }
}

/// The names that objects could have, shortest first.
fn candidates(cluster: &Cluster<'_>) -> Vec<String> {
    let first = cluster.places[0];
    let tops: Vec<&Place<'_>> = cluster.places.iter().filter(|place| place.is_top()).collect();
    let named_by: Vec<&Place<'_>> =
        if tops.is_empty() { cluster.places.iter().collect() } else { tops.clone() };
    let kinds: BTreeSet<&str> = named_by.iter().map(|place| place.kind).collect();
    let kind = common_suffix(kinds.iter().map(|kind| words(kind)));
    let is_unrelated = kind.is_empty();
    let kind = if is_unrelated { first.kind.to_owned() } else { kind.concat() };
    let mut out = Vec::new();
    if tops.is_empty() && cluster.places.len() > 1 {
        let last = |place: &Place<'_>| place.path.last().map(segment_words).unwrap_or_default();
        let common = common_suffix(cluster.places.iter().map(last)).concat();
        if !VAGUE.contains(&common.as_str()) {
            out.push(common);
        }
        // The name of one of several unrelated kinds would mislead those who use it in the others.
        if is_unrelated {
            let whole = |place: &Place<'_>| place.path.iter().flat_map(segment_words).collect();
            let common = common_suffix(cluster.places.iter().map(whole));
            if common.len() > 1 {
                out.push(common.concat());
            }
        }
    }
    for start in (0..first.path.len()).rev() {
        // `spec` and `status` distinguish nothing, except where the whole path is needed.
        if start == 0 && first.path.len() > 1 && matches!(&*first.path[0].name, "spec" | "status") {
            continue;
        }
        let segments: Vec<String> = first.path[start..].iter().flat_map(segment_words).collect();
        out.push(format!("{kind}{}", segments.concat()));
    }
    let all: Vec<String> = first.path.iter().flat_map(segment_words).collect();
    out.push(format!("{kind}{}", all.concat()));
    out.push(format!("{}{}", first.kind, all.concat()));
    out.retain(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    out.dedup();
    out
}

/// Names for the type of a field that has none in the schema, such as an enum, shortest first:
/// `CertificateUsage` and `CertificateSpecUsage` for the items of `usages` of `CertificateSpec`.
pub fn of_field(owner: &str, field: &str, is_item: bool) -> [String; 2] {
    let field = segment_words(&Segment { name: field.to_owned(), is_item }).concat();
    let kind = ["Spec", "Status"].iter().find_map(|end| owner.strip_suffix(end));
    let kind = kind.filter(|kind| !kind.is_empty()).unwrap_or(owner);
    [kind, owner].map(|owner| format!("{owner}{field}"))
}

/// The words of a segment, in the singular if its objects are items.
fn segment_words(segment: &Segment) -> Vec<String> {
    if segment.is_item { words(&singular::of_name(&segment.name)) } else { words(&segment.name) }
}

/// The words at the end that all names have.
fn common_suffix(names: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let common = |a: Vec<String>, b: Vec<String>| {
        let count = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        a[a.len() - count..].to_vec()
    };
    names.reduce(common).unwrap_or_default()
}

/// The words of a name, each with a capital: `privateKeySecretRef`, `HTTPRoute`, `max-size`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let characters: Vec<char> = name.chars().collect();
    let mut is_new = true;
    for (at, c) in characters.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            is_new = true;
            continue;
        }
        let before = at.checked_sub(1).map(|before| characters[before]);
        let next = characters.get(at + 1);
        let begins = c.is_ascii_uppercase()
            && (before.is_some_and(|before| !before.is_ascii_uppercase())
                || next.is_some_and(|next| next.is_ascii_lowercase() && at > 0));
        match words.last_mut() {
            Some(word) if !is_new && !begins => word.push(*c),
            _ => words.push(c.to_ascii_uppercase().to_string()),
        }
        is_new = false;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(version: &str, place: &str, shape: usize) -> Occurrence {
        let mut parts = place.split('.');
        let kind = parts.next().unwrap().to_owned();
        let path = parts
            .map(|part| match part.strip_suffix("[]") {
                Some(name) => Segment { name: name.to_owned(), is_item: true },
                None => Segment { name: part.to_owned(), is_item: false },
            })
            .collect();
        Occurrence { version: version.to_owned(), kind, path, shape }
    }

    fn names(objects: &[Occurrence]) -> Vec<String> {
        let reserved: BTreeSet<String> = ["Issuer", "Option"].map(str::to_owned).into();
        let found = assign(objects, &reserved, &Known::new());
        let mut backwards: Vec<Occurrence> = objects.to_vec();
        backwards.reverse();
        let mut again = assign(&backwards, &reserved, &Known::new());
        again.reverse();
        assert_eq!(found, again, "the order of objects has no influence");
        found
    }

    #[test]
    fn words_are_separated() {
        for (name, expected) in [
            ("privateKeySecretRef", "Private Key Secret Ref"),
            ("HTTPRoute", "HTTP Route"),
            ("max-size", "Max Size"),
            ("emailSANs", "Email SA Ns"),
            ("dns01", "Dns01"),
            ("s3Bucket", "S3 Bucket"),
        ] {
            assert_eq!(words(name).join(" "), expected);
        }
    }

    #[test]
    fn fields_have_the_names_of_their_kinds() {
        for (owner, field, is_item, expected) in [
            ("CertificateSpec", "usages", true, ["CertificateUsage", "CertificateSpecUsage"]),
            ("Issuer", "policies", true, ["IssuerPolicy"; 2]),
            ("PrivateKey", "rotation-policy", false, ["PrivateKeyRotationPolicy"; 2]),
            ("Spec", "mode", false, ["SpecMode"; 2]),
        ] {
            assert_eq!(of_field(owner, field, is_item), expected);
        }
    }

    #[test]
    fn equal_objects_have_the_words_that_their_names_have_in_common() {
        let found = names(&[
            object("v1", "Certificate.spec", 1),
            object("v1", "Certificate.spec.keystores", 2),
            object("v1", "Certificate.spec.keystores.jks.passwordSecretRef", 3),
            object("v1", "Certificate.spec.keystores.tokenSecretRef", 3),
        ]);
        assert_eq!(found, ["CertificateSpec", "CertificateKeystores", "SecretRef", "SecretRef"]);
    }

    #[test]
    fn objects_of_several_kinds_are_not_named_after_one_of_them() {
        let found = names(&[
            object("v1", "Cluster.spec.template.metadata", 1),
            object("v1", "Machine.spec.pool.template.metadata", 1),
            // One kind has a name of its own.
            object("v1", "Volume.spec.metadata", 2),
        ]);
        assert_eq!(found, ["TemplateMetadata", "TemplateMetadata", "VolumeMetadata"]);
    }

    #[test]
    fn related_kinds_share_their_specification() {
        let found = names(&[
            object("v1", "ClusterIssuer.spec", 1),
            object("v1", "Issuer.spec", 1),
            object("v1", "Certificate.status", 2),
            object("v1", "Order.status", 2),
        ]);
        assert_eq!(found, ["IssuerSpec", "IssuerSpec", "CertificateStatus", "OrderStatus"]);
    }

    #[test]
    fn all_that_collide_take_longer_names() {
        let found = names(&[
            object("v1", "Pool.spec.a.limits", 1),
            object("v1", "Pool.spec.b.limits", 2),
            object("v1", "Pool.spec.solvers[]", 3),
            object("v1", "Pool.spec.solvers[].options[]", 4),
            object("v1", "Pool.spec.options[]", 4),
        ]);
        assert_eq!(found, ["PoolALimits", "PoolBLimits", "PoolSolver", "PoolOption", "PoolOption"]);
    }

    #[test]
    fn a_specification_keeps_its_name() {
        let found = names(&[
            object("v1", "Pool.spec", 1),
            object("v1", "Pool.spec.template.spec", 2),
            object("v2", "Pool.spec.TEMPLATE.spec", 3),
        ]);
        assert_eq!(found, ["PoolSpec", "PoolTemplateSpec", "PoolTEMPLATESpec"]);
    }

    /// A definition that was imported before keeps its names, though a new object would change them.
    #[test]
    fn names_are_kept() {
        let before = [object("v1", "Pool.spec.a.limits", 1)];
        let name = assign(&before, &BTreeSet::new(), &Known::new()).remove(0);
        assert_eq!(name, "PoolLimits");
        let known = Known::from([("Pool.spec.a.limits".to_owned(), name)]);
        let mut after = before.to_vec();
        after.push(object("v1", "Pool.spec.b.limits", 2));
        assert_eq!(assign(&after, &BTreeSet::new(), &known), ["PoolLimits", "PoolBLimits"]);
        assert_eq!(assign(&after, &BTreeSet::new(), &Known::new()), ["PoolALimits", "PoolBLimits"]);
        // Both had the name while their shapes were equal.
        let known =
            Known::from(["a", "b"].map(|name| (format!("Pool.spec.{name}.limits"), "Limit".to_owned())));
        assert_eq!(assign(&after, &BTreeSet::new(), &known), ["Limit", "PoolLimits"]);
    }

    #[test]
    fn a_path_has_the_same_name_in_every_version() {
        let found = names(&[
            object("v1", "Pool.spec.aRef", 1),
            object("v1", "Pool.spec.bRef", 1),
            object("v2", "Pool.spec.aRef", 1),
            object("v2", "Pool.spec.bRef", 2),
        ]);
        assert_eq!(found, ["PoolARef", "PoolBRef", "PoolARef", "PoolBRef"]);
    }
}
