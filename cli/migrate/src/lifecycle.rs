//! How long releases served a kind at a version, and what takes its place.

use std::fmt;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{GroupVersionKind, KindEntry};
use hubgen_model::Release;

use crate::known::{Known, first, last, release, removed};
use crate::replaced::replacement;
use crate::target::{Choice, Target};

/// How long releases of Kubernetes served a kind at a version, and what takes its place.
///
/// ```
/// use hubgen_migrate::{Known, Successor};
///
/// let known = Known::kubernetes();
/// let ingress = known.lifecycle(known.scheme.named("extensions/v1beta1", "Ingress").unwrap());
/// assert_eq!(ingress.deprecated, Some("1.14".parse()?));
/// assert_eq!(ingress.removed, Some("1.22".parse()?));
/// let Some(Successor::Version(to)) = ingress.successor else { panic!("it has newer versions") };
/// assert_eq!(to.to_string(), "networking.k8s.io/v1 Ingress");
/// # Ok::<(), hubgen_model::InvalidRelease>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// The first release that had it, of those that are known.
    pub since: Option<Release>,
    /// The first release in which clients are told to use something else; `None` if they are not, or if no release told so before
    /// it was gone.
    pub deprecated: Option<Release>,
    /// The last release that had it; `None` if the newest known one does.
    pub last: Option<Release>,
    /// The first release that does not serve it, unless it is told to; it may be one to come, if that is decided.
    pub removed: Option<Release>,
    /// What clients should use; `None` if nothing else is known, or nothing else is needed.
    pub successor: Option<Successor>,
}

/// What takes the place of a kind at a version.
#[derive(Clone, Debug)]
pub enum Successor {
    /// The same kind at the newest version that the newest known release serves.
    Version(Arc<KindEntry>),
    /// Another kind. Objects do not convert to it.
    Kind(GroupVersionKind),
    /// Something else, for people.
    Else(&'static str),
}

impl fmt::Display for Successor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(to) => to.fmt(f),
            Self::Kind(GroupVersionKind { group, version, kind }) => {
                let slash = if group.is_empty() { "" } else { "/" };
                write!(f, "{group}{slash}{version} {kind}")
            }
            Self::Else(text) => f.write_str(text),
        }
    }
}

impl Known {
    /// How long releases served a kind at its version.
    pub fn lifecycle(&self, entry: &Arc<KindEntry>) -> Lifecycle {
        let deprecation = entry.behaviour.deprecation.as_ref();
        let (since, last, removed) = (first(entry), last(entry), removed(entry));
        // Without a release, it always was.
        let deprecated = deprecation.and_then(|told| told.since.map_or(since, release));
        Lifecycle { since, deprecated, last, removed, successor: self.successor(entry) }
    }

    fn successor(&self, entry: &Arc<KindEntry>) -> Option<Successor> {
        if let Choice::To(to) = Target::Newest.choose(self, entry) {
            return Some(Successor::Version(to));
        }
        if let Some(instead) = replacement(&entry.group, &entry.kind) {
            return Some(Successor::Else(instead));
        }
        let told = entry.behaviour.deprecation.as_ref()?.replacement.clone()?;
        Some(Successor::Kind(told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_announced_happened() {
        let known = Known::kubernetes();
        let mut earlier = Vec::new();
        let mut later = Vec::new();
        for entry in known.scheme.kinds() {
            let announced = entry.behaviour.deprecation.as_ref().and_then(|told| release(told.unavailable?));
            let (Some(announced), Some(last)) = (announced, last(entry)) else { continue };
            if announced <= last {
                later.push(format!("{} {announced}", entry.api_version()));
            } else if announced.minor > last.minor + 1 {
                earlier.push(entry.to_string());
            }
        }
        later.dedup();
        // Which 1.16 and 1.17 served where they were told to.
        assert_eq!(later, ["apps/v1beta1 1.16", "apps/v1beta2 1.16", "extensions/v1beta1 1.16"]);
        assert_eq!(
            earlier,
            [
                "networking.k8s.io/v1alpha1 ClusterCIDR",
                "networking.k8s.io/v1alpha1 IPAddress",
                "networking.k8s.io/v1alpha1 ServiceCIDR",
                "storage.k8s.io/v1alpha1 VolumeAttachment",
                "storagemigration.k8s.io/v1alpha1 StorageVersionMigration",
            ]
        );
    }

    #[test]
    fn what_is_gone_was_there_before() {
        let known = Known::kubernetes();
        for entry in known.scheme.kinds() {
            let Lifecycle { since, deprecated, removed, .. } = known.lifecycle(entry);
            if let (Some(since), Some(removed)) = (since, removed) {
                assert!(since < removed, "{entry}: {since} {removed}");
            }
            if let (Some(since), Some(deprecated)) = (since, deprecated) {
                assert!(since <= deprecated, "{entry}: {since} {deprecated}");
            }
        }
    }

    #[test]
    fn successors_are_versions_kinds_or_something_else() {
        let known = Known::kubernetes();
        let told = |version: &str, kind: &str| {
            let successor = known.lifecycle(known.scheme.named(version, kind).unwrap()).successor;
            successor.map_or("none".to_owned(), |successor| successor.to_string())
        };
        assert_eq!(told("apps/v1beta1", "Deployment"), "apps/v1 Deployment");
        assert_eq!(told("v1", "Endpoints"), "discovery.k8s.io/v1 EndpointSlice");
        assert!(told("policy/v1beta1", "PodSecurityPolicy").starts_with("Pod Security admission"));
        assert_eq!(told("v1", "Pod"), "none");
    }
}
