//! What clients are told that use a version which they should not.

use std::cmp::Reverse;

use hubgen_validation::definition::Definition;

/// Upstream's text, for a version that has none of its own: it names the newest version that is served and newer.
pub(crate) fn warning(version: &str, definition: &Definition<'_>) -> String {
    let Definition { group, kind, versions, .. } = definition;
    let newer =
        versions.iter().filter(|other| other.served && !other.deprecated && age(&other.name) < age(version));
    let newest = newer.min_by_key(|other| age(&other.name));
    let instead = newest.map(|newest| format!("; use {group}/{} {kind}", newest.name)).unwrap_or_default();
    format!("{group}/{version} {kind} is deprecated{instead}")
}

/// Orders the names of versions as Kubernetes does, the newest first: stable ones before beta before alpha, then by their
/// numbers; other names come last, in their own order.
fn age(version: &str) -> impl Ord + '_ {
    let numbers = || {
        let rest = version.strip_prefix('v')?;
        let number = |text: &str| text.parse::<u64>().ok();
        for (level, word) in [(1, "beta"), (2, "alpha")] {
            if let Some((major, minor)) = rest.split_once(word) {
                return Some((level, Reverse(number(major)?), Reverse(number(minor)?)));
            }
        }
        Some((0, Reverse(number(rest)?), Reverse(0)))
    };
    let found = numbers();
    (found.is_none(), found, version)
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn newer_versions_come_first() {
        let mut versions =
            ["foo10", "v1alpha1", "v2", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "foo1", "v10", "v1"];
        versions.sort_by(|one, other| age(one).cmp(&age(other)));
        let expected =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v1alpha1", "foo1", "foo10"];
        assert_eq!(versions, expected);
    }
}
