//! The order of groups and versions in discovery.
//!
//! If several groups have a resource of the same name, clients use the first group. Kubernetes' own groups have
//! upstream's priorities, so that clients use the same group with both servers.

use std::cmp::Reverse;

use hubgen_machinery::scheme::{GroupPriority, Scheme};

/// The sort key of a group.
pub(super) fn of_group(scheme: &Scheme, group: &str) -> impl Ord + use<> {
    let priority = scheme.priority(group).and_then(|priority| priority.group);
    (Reverse(priority.unwrap_or(GroupPriority::CUSTOM)), group.to_owned())
}

/// The sort key of a version within its group: its priority, then the stability that the name
/// specifies.
pub(super) fn of_version(scheme: &Scheme, group: &str, version: &str) -> impl Ord + use<> {
    let priority = scheme.priority(group).map_or(0, |priority| priority.of_version(version));
    Reverse((priority, stability(version)))
}

/// Orders versions by name: stable before beta before alpha, then by number. Other names come last.
fn stability(version: &str) -> (u8, u32, u32) {
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    for (level, word) in [(1, "alpha"), (2, "beta")] {
        if let Some((major, minor)) = rest.split_once(word)
            && let (Ok(major), Ok(minor)) = (major.parse(), minor.parse())
        {
            return (level, major, minor);
        }
    }
    rest.parse().map_or((0, 0, 0), |major| (3, major, 0))
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::scheme::{PriorityRow, Scheme};

    use super::{of_group, of_version};

    fn sorted(scheme: &Scheme, group: &str, mut versions: Vec<&'static str>) -> Vec<&'static str> {
        versions.sort_by_key(|version| of_version(scheme, group, version));
        versions
    }

    #[test]
    fn versions_without_priorities_are_ordered_by_their_names() {
        let versions = vec!["v1", "v2", "v1beta1", "v2alpha1", "other", "v2beta2", "v10"];
        assert_eq!(
            sorted(&Scheme::new(), "example.com", versions),
            ["v10", "v2", "v1", "v2beta2", "v1beta1", "v2alpha1", "other"]
        );
    }

    #[test]
    fn priorities_come_first() {
        let mut scheme = Scheme::new();
        let of = |group, priority, versions| PriorityRow { group, priority, versions };
        scheme.prioritize(&of("late", Some(1), &[("v1", 15), ("v2beta1", 9), ("v2beta2", 1)]));
        scheme.prioritize(&of("early", Some(u32::MAX), &[]));
        scheme.prioritize(&of("second", Some(1001), &[]));
        // The group itself has none.
        scheme.prioritize(&of("bar", None, &[("v1beta1", 2), ("v1", 1)]));
        assert_eq!(
            sorted(&scheme, "late", vec!["v2alpha1", "v2beta2", "v1", "v2beta1", "v2"]),
            ["v1", "v2beta1", "v2beta2", "v2", "v2alpha1"]
        );
        assert_eq!(sorted(&scheme, "bar", vec!["v1", "v1beta1"]), ["v1beta1", "v1"]);
        let mut groups = ["zoo", "late", "bar", "second", "early"];
        groups.sort_by_key(|group| of_group(&scheme, group));
        assert_eq!(groups, ["early", "second", "bar", "zoo", "late"]);
    }
}
