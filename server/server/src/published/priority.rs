//! The order of groups and versions in discovery.
//!
//! If several groups have a resource of the same name, clients use the first group. The order is
//! upstream's, so that clients use the same group with both servers.

use std::cmp::Reverse;

/// The priorities of upstream's APIServices; higher numbers come first. The sources are two lists
/// of Kubernetes 1.35: `apiVersionPriorities` in `cmd/kube-apiserver/app/aggregator.go` and
/// `DefaultGenericAPIServicePriorities` in `pkg/controlplane/apiserver/aggregator.go`. A version
/// that these lists lack has its number from the last release that listed it. The first two alphas
/// of resource.k8s.io have no number: each was the only version of its group in its release, and
/// its number would sort it before the third alpha.
const PRIORITIES: &[Group] = &[
    // Upstream sorts this group before all others, without a number.
    ("apiregistration.k8s.io", u32::MAX, &[("v1", 15), ("v1beta1", 9)]),
    ("apps", 17800, &[("v1", 15), ("v1beta2", 9), ("v1beta1", 1)]),
    ("events.k8s.io", 17750, &[("v1", 15), ("v1beta1", 5)]),
    ("authentication.k8s.io", 17700, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("authorization.k8s.io", 17600, &[("v1", 15), ("v1beta1", 9)]),
    ("autoscaling", 17500, &[("v2", 30), ("v1", 15), ("v2beta1", 9), ("v2beta2", 1)]),
    ("batch", 17400, &[("v1", 15), ("v1beta1", 9), ("v2alpha1", 9)]),
    ("certificates.k8s.io", 17300, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("networking.k8s.io", 17200, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("extensions", 17150, &[("v1beta1", 1)]),
    ("policy", 17100, &[("v1", 15), ("v1beta1", 9)]),
    ("rbac.authorization.k8s.io", 17000, &[("v1", 15), ("v1beta1", 12), ("v1alpha1", 9)]),
    ("settings.k8s.io", 16900, &[("v1alpha1", 9)]),
    ("storage.k8s.io", 16800, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("admissionregistration.k8s.io", 16700, &[("v1", 15), ("v1beta1", 12), ("v1alpha1", 9)]),
    ("apiextensions.k8s.io", 16700, &[("v1", 15), ("v1beta1", 9)]),
    ("scheduling.k8s.io", 16600, &[("v1", 15), ("v1beta1", 12), ("v1alpha1", 1)]),
    ("coordination.k8s.io", 16500, &[("v1", 15), ("v1beta1", 13), ("v1alpha2", 12), ("v1alpha1", 9)]),
    ("auditregistration.k8s.io", 16400, &[("v1alpha1", 1)]),
    ("node.k8s.io", 16300, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("discovery.k8s.io", 16200, &[("v1", 15), ("v1beta1", 12), ("v1alpha1", 9)]),
    ("resource.k8s.io", 16200, &[("v1", 21), ("v1beta2", 15), ("v1beta1", 9), ("v1alpha3", 1)]),
    (
        "flowcontrol.apiserver.k8s.io",
        16100,
        &[("v1", 21), ("v1beta3", 18), ("v1beta2", 15), ("v1beta1", 12), ("v1alpha1", 9)],
    ),
    ("internal.apiserver.k8s.io", 16000, &[("v1alpha1", 9)]),
    ("storagemigration.k8s.io", 15800, &[("v1beta1", 9), ("v1alpha1", 9)]),
];
/// A group name, its priority, and its versions with their priorities.
type Group = (&'static str, u32, &'static [(&'static str, u32)]);

/// The priority of groups that upstream does not list: groups of custom resources.
const CUSTOM_GROUP: u32 = 1000;
/// The priority of versions that upstream does not list.
const OTHER_VERSION: u32 = 0;

/// The sort key of a group.
pub(super) fn of_group(group: &str) -> impl Ord + use<> {
    let listed = PRIORITIES.iter().find(|listed| listed.0 == group);
    let priority = listed.map_or(CUSTOM_GROUP, |listed| listed.1);
    (Reverse(priority), group.to_owned())
}

/// The sort key of a version within its group: the listed priority, then the stability that the
/// name specifies.
pub(super) fn of_version(group: &str, version: &str) -> impl Ord + use<> {
    let listed = PRIORITIES.iter().find(|listed| listed.0 == group);
    let listed = listed.and_then(|listed| listed.2.iter().find(|listed| listed.0 == version));
    Reverse((listed.map_or(OTHER_VERSION, |listed| listed.1), stability(version)))
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
    use super::{of_group, of_version};

    #[test]
    fn versions_that_upstream_does_not_list_are_ordered_by_their_names() {
        let mut versions = ["v1", "v2", "v1beta1", "v2alpha1", "other", "v2beta2", "v10"];
        versions.sort_by_key(|version| of_version("example.com", version));
        assert_eq!(versions, ["v10", "v2", "v1", "v2beta2", "v1beta1", "v2alpha1", "other"]);
    }

    #[test]
    fn versions_that_upstream_lists_have_upstreams_order() {
        let sorted = |group, mut versions: Vec<&'static str>| {
            versions.sort_by_key(|version| of_version(group, version));
            versions
        };
        assert_eq!(
            sorted("autoscaling", vec!["v1", "v2alpha1", "v2beta2", "v2beta1", "v2"]),
            ["v2", "v1", "v2beta1", "v2beta2", "v2alpha1"]
        );
        assert_eq!(sorted("batch", vec!["v2alpha1", "v1beta1", "v1"]), ["v1", "v1beta1", "v2alpha1"]);
    }

    #[test]
    fn groups_have_upstreams_order() {
        let mut groups =
            ["zoo.example.com", "extensions", "bar.example.com", "apps", "networking.k8s.io", "policy"];
        groups.sort_by_key(|group| of_group(group));
        let expected =
            ["apps", "networking.k8s.io", "extensions", "policy", "bar.example.com", "zoo.example.com"];
        assert_eq!(groups, expected);
    }
}
