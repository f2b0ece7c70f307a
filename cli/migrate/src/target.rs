//! Which version an object should get.

use std::fmt;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_model::Release;

use crate::known::{Known, members};
use crate::replaced::replacement;

/// The wanted version, for objects of every kind.
pub enum Target {
    /// The first of these group versions that the kind has.
    Versions(Vec<(String, String)>),
    /// The newest one that is served.
    Newest,
    /// The newest one that this release of Kubernetes serves.
    ServedBy(Release),
    /// The one in storage.
    Storage,
}

/// What to do with an object.
pub enum Choice {
    /// It stays at its version.
    Stay,
    /// It goes to that one.
    To(Arc<KindEntry>),
    /// It stays, because no version of its kind is served any more, or by the wanted release.
    Gone(Gone),
}

/// A kind that no release serves any more, or that the wanted one does not serve.
pub struct Gone {
    /// Which kind, and since when.
    pub message: String,
    /// What to use instead, where that is known.
    pub help: String,
}

/// A group version that no kind has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVersion {
    text: String,
    hint: String,
}

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, hint } = self;
        write!(f, "{text}: no kind has this version; {hint}")
    }
}

impl std::error::Error for UnknownVersion {}

impl Target {
    /// The first of these group versions that a kind has, such as `apps/v1`; `v1` is the core group.
    ///
    /// # Errors
    /// When no kind has one of them.
    pub fn versions<T: AsRef<str>>(
        scheme: &Scheme,
        versions: impl IntoIterator<Item = T>,
    ) -> Result<Self, UnknownVersion> {
        let versions = versions.into_iter().map(|text| {
            let text = text.as_ref().trim();
            let (group, version) = text.split_once('/').unwrap_or(("", text));
            if scheme.kinds().any(|entry| entry.group == group && entry.version == version) {
                return Ok((group.to_owned(), version.to_owned()));
            }
            let mut known: Vec<String> = scheme
                .kinds()
                .filter(|entry| entry.group == group || entry.group.split('.').next() == Some(group))
                .map(|entry| entry.api_version())
                .collect();
            known.dedup();
            let hint = if known.is_empty() || group.is_empty() {
                "write it as in `apiVersion`: apps/v1, or v1 for the core group".to_owned()
            } else {
                format!("expected one of {}", known.join(", "))
            };
            Err(UnknownVersion { text: text.to_owned(), hint })
        });
        versions.collect::<Result<_, _>>().map(Self::Versions)
    }

    /// What to do with an object of that kind.
    pub fn choose(&self, known: &Known, entry: &Arc<KindEntry>) -> Choice {
        let scheme = &known.scheme;
        match self {
            Self::Versions(versions) => {
                let mut found = versions.iter().filter_map(|(group, version)| {
                    // Where a version has two kinds of the family, one has the object's own name.
                    let same = scheme.kind(group, version, &entry.kind).filter(|to| entry.is_family_of(to));
                    same.or_else(|| {
                        members(scheme, entry).find(|to| to.group == **group && to.version == **version)
                    })
                });
                found.next().map_or(Choice::Stay, |to| go(entry, to))
            }
            Self::Storage => known.stored_at(entry).map_or(Choice::Stay, |to| go(entry, to)),
            Self::Newest => newest(known, entry, None),
            Self::ServedBy(release) => newest(known, entry, Some(*release)),
        }
    }
}

fn go(from: &Arc<KindEntry>, to: &Arc<KindEntry>) -> Choice {
    if from == to { Choice::Stay } else { Choice::To(Arc::clone(to)) }
}

/// The newest version that is served, or that a release serves.
fn newest(known: &Known, entry: &Arc<KindEntry>, release: Option<Release>) -> Choice {
    let scheme = &known.scheme;
    let is_served = |member: &KindEntry| {
        release.map_or(known.is_served(member), |release| known.is_served_by(member, release))
    };
    // Kinds that are never stored, such as reviews, are served without a resource.
    let served = members(scheme, entry)
        .filter(|member| is_served(member) && member.resource.is_some() == entry.resource.is_some());
    let home = entry.storage().0;
    let Some(best) = served.max_by_key(|member| (rank(&member.version), member.group == home)) else {
        // No release serves kinds that kubelets keep in files: there is nothing to warn of.
        return match release {
            None if members(scheme, entry).any(|member| member.until.is_some()) => gone(scheme, entry),
            Some(release) if entry.since.is_some() || entry.until.is_some() => unserved(entry, release),
            None | Some(_) => Choice::Stay,
        };
    };
    // Of two equally new versions, such as the events of two groups, keep the object's own.
    if is_served(entry) && rank(&entry.version) == rank(&best.version) {
        return Choice::Stay;
    }
    go(entry, best)
}

fn gone(scheme: &Scheme, entry: &Arc<KindEntry>) -> Choice {
    let release =
        |until: &str| -> Vec<u32> { until.split('.').filter_map(|part| part.parse().ok()).collect() };
    let last = members(scheme, entry)
        .filter_map(|member| member.until.as_deref())
        .max_by_key(|until| release(until));
    let last = last.map_or(String::new(), |last| format!(" after release {last}"));
    let message = format!("no version of {entry} is served{last}; it stays as it is");
    Choice::Gone(Gone { message, help: instead(entry) })
}

fn unserved(entry: &KindEntry, release: Release) -> Choice {
    let message = format!("no version of {entry} is served by release {release}; it stays as it is");
    Choice::Gone(Gone { message, help: instead(entry) })
}

fn instead(entry: &KindEntry) -> String {
    let found = replacement(&entry.group, &entry.kind);
    found.map_or(String::new(), |instead| format!("use instead: {instead}"))
}

/// `v1` > `v2beta1` > `v1beta2` > `v1alpha1`: stability, then numbers.
fn rank(version: &str) -> (u8, u32, u32) {
    let digits = |text: &str| text.parse().unwrap_or(0);
    let rest = version.trim_start_matches('v');
    for (stability, name) in [(1, "beta"), (0, "alpha")] {
        if let Some((major, minor)) = rest.split_once(name) {
            return (stability, digits(major), digits(minor));
        }
    }
    (2, digits(rest), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The version that a release serves, as text; empty where the object stays, and `gone` where there is none.
    fn served_by(release: &str, api_version: &str, kind: &str) -> String {
        let known = Known::kubernetes();
        let entry = known.scheme.named(api_version, kind).unwrap();
        match Target::ServedBy(release.parse().unwrap()).choose(&known, entry) {
            Choice::Stay => String::new(),
            Choice::To(to) => to.api_version(),
            Choice::Gone(_) => "gone".to_owned(),
        }
    }

    #[test]
    fn releases_serve_their_own_newest_version() {
        let autoscaler = |release| served_by(release, "autoscaling/v2beta1", "HorizontalPodAutoscaler");
        assert_eq!(
            ["1.22", "1.23", "1.37"].map(autoscaler),
            ["autoscaling/v1", "autoscaling/v2", "autoscaling/v2"]
        );
        // Of two groups with the same version, an object keeps its own.
        let ingress = |release| served_by(release, "extensions/v1beta1", "Ingress");
        assert_eq!(["1.13", "1.18", "1.19"].map(ingress), ["", "", "networking.k8s.io/v1"]);
        // Back, for an older cluster.
        assert_eq!(served_by("1.20", "policy/v1", "PodDisruptionBudget"), "policy/v1beta1");
        let policy = |release| served_by(release, "policy/v1beta1", "PodSecurityPolicy");
        assert_eq!(["1.24", "1.25"].map(policy), ["", "gone"]);
    }

    #[test]
    fn stability_counts_before_numbers() {
        let mut versions = ["v1alpha1", "v2beta2", "v1", "v2alpha1", "v2beta1", "v2", "v1beta10", "v1beta2"];
        versions.sort_by_key(|version| rank(version));
        assert_eq!(
            versions,
            ["v1alpha1", "v2alpha1", "v1beta2", "v1beta10", "v2beta1", "v2beta2", "v1", "v2"]
        );
    }
}
