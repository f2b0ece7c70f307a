//! Which version an object should get.

use std::fmt;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_model::Release;

use crate::known::{Known, first, is_of_repository, last, members};
use crate::replaced::replacement;

/// The wanted version, for objects of every kind.
pub enum Target {
    /// The first of these group versions that the kind has.
    Versions(Vec<(String, String)>),
    /// The newest one that is served.
    Newest,
    /// The one in storage.
    Storage,
    /// One that this release of Kubernetes serves: the object's own, or else the newest one.
    Release(Release),
}

/// What to do with an object.
pub enum Choice {
    /// It stays at its version.
    Stay,
    /// It goes to that one.
    To(Arc<KindEntry>),
    /// It stays, because no version of its kind is served any more.
    Gone(Gone),
}

/// A kind that no release serves any more.
pub struct Gone {
    /// Which kind, and since when.
    pub message: String,
    /// What to use instead, where that is known.
    pub help: String,
}

/// A release of Kubernetes that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRelease {
    release: Release,
    oldest: Release,
    newest: Release,
}

impl fmt::Display for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { release, oldest, newest } = self;
        write!(f, "{release}: this release is not known; expected one from {oldest} to {newest}")
    }
}

impl std::error::Error for UnknownRelease {}

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
    /// What a user names: `newest`, a release such as `1.22`, or group versions, of which the first counts that a kind has.
    ///
    /// ```
    /// use hubgen_migrate::{Known, Target};
    ///
    /// let scheme = &Known::kubernetes().scheme;
    /// assert!(matches!(Target::named(scheme, &["1.22"])?, Target::Release(_)));
    /// assert!(matches!(Target::named(scheme, &["apps/v1", "batch/v1"])?, Target::Versions(_)));
    /// let error = Target::named(scheme, &["apps/v9"]).err().unwrap();
    /// assert!(error.contains("no kind has this version; expected one of apps/v1"));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// When nothing is known of the release, or no kind has one of the versions.
    pub fn named<T: AsRef<str>>(scheme: &Scheme, names: &[T]) -> Result<Self, String> {
        if let [name] = names {
            if name.as_ref() == "newest" {
                return Ok(Self::Newest);
            }
            if let Ok(release) = name.as_ref().parse() {
                return Self::release(scheme, release).map_err(|error| error.to_string());
            }
        }
        Self::versions(scheme, names).map_err(|error| error.to_string())
    }

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

    /// What a release of Kubernetes serves.
    ///
    /// # Errors
    /// When the release is older or newer than all that are known.
    pub fn release(scheme: &Scheme, release: Release) -> Result<Self, UnknownRelease> {
        let [oldest, newest] = releases(scheme).unwrap_or([release; 2]);
        if !(oldest..=newest).contains(&release) {
            return Err(UnknownRelease { release, oldest, newest });
        }
        Ok(Self::Release(release))
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
            Self::Newest => newest(known, entry),
            Self::Release(release) => served_by(known, entry, *release),
        }
    }
}

/// The oldest and the newest release of Kubernetes of which something is known.
pub fn releases(scheme: &Scheme) -> Option<[Release; 2]> {
    let entries = || scheme.kinds().filter(|entry| !is_of_repository(entry));
    let known = || entries().flat_map(|entry| [first(entry), last(entry)]).flatten();
    Some([known().min()?, known().max()?])
}

impl Known {
    /// The newest version of a kind, of those that are accepted: stable before beta before alpha. Of several, the one in the
    /// group where the kind is at home.
    pub fn newest<'a>(
        &'a self,
        entry: &'a Arc<KindEntry>,
        is_accepted: impl Fn(&KindEntry) -> bool,
    ) -> Option<&'a Arc<KindEntry>> {
        // Kinds that are never stored, such as reviews, are served without a resource.
        let is_alike = |member: &KindEntry| member.resource.is_some() == entry.resource.is_some();
        let accepted = members(&self.scheme, entry).filter(|member| is_alike(member) && is_accepted(member));
        let home = entry.storage().0;
        accepted.max_by_key(|member| (rank(&member.version), member.group == home))
    }
}

fn go(from: &Arc<KindEntry>, to: &Arc<KindEntry>) -> Choice {
    if from == to { Choice::Stay } else { Choice::To(Arc::clone(to)) }
}

fn newest(known: &Known, entry: &Arc<KindEntry>) -> Choice {
    let scheme = &known.scheme;
    let Some(best) = known.newest(entry, |member| known.is_served(member)) else {
        // No release serves kinds that kubelets keep in files: there is nothing to warn of.
        return if members(scheme, entry).any(|member| member.until.is_some()) {
            gone(scheme, entry)
        } else {
            Choice::Stay
        };
    };
    // Of two equally new versions, such as the events of two groups, keep the object's own.
    if known.is_served(entry) && rank(&entry.version) == rank(&best.version) {
        return Choice::Stay;
    }
    go(entry, best)
}

fn gone(scheme: &Scheme, entry: &Arc<KindEntry>) -> Choice {
    let last = members(scheme, entry).filter_map(|member| last(member)).max();
    let last = last.map_or(String::new(), |last| format!(" after release {last}"));
    let help = replacement(&entry.group, &entry.kind)
        .map_or(String::new(), |instead| format!("use instead: {instead}"));
    Choice::Gone(Gone { message: format!("no version of {entry} is served{last}; it stays as it is"), help })
}

/// The object's own version if the release serves it, or else the newest one that it serves.
fn served_by(known: &Known, entry: &Arc<KindEntry>, release: Release) -> Choice {
    if is_of_repository(entry) {
        return if known.is_served(entry) { Choice::Stay } else { newest(known, entry) };
    }
    let scheme = &known.scheme;
    // No release serves kinds that kubelets keep in files.
    let is_of_files = members(scheme, entry).all(|member| first(member).is_none() && last(member).is_none());
    if known.is_served_in(entry, release) || is_of_files {
        return Choice::Stay;
    }
    if let Some(best) = known.newest(entry, |member| known.is_served_in(member, release)) {
        return go(entry, best);
    }
    match gone(scheme, entry) {
        Choice::Gone(Gone { help, .. }) => {
            let message = format!("release {release} serves no version of {entry}; it stays as it is");
            Choice::Gone(Gone { message, help })
        }
        other => other,
    }
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

    #[test]
    fn a_release_needs_what_it_does_not_serve_to_move() {
        let known = Known::kubernetes();
        let chosen = |version: &str, kind: &str, release: &str| {
            let target = Target::release(&known.scheme, release.parse().unwrap()).unwrap();
            match target.choose(&known, known.scheme.named(version, kind).unwrap()) {
                Choice::Stay => "stays".to_owned(),
                Choice::To(to) => to.api_version(),
                Choice::Gone(gone) => gone.message,
            }
        };
        for (version, kind, release, expected) in [
            ("extensions/v1beta1", "Ingress", "1.21", "stays"),
            ("extensions/v1beta1", "Ingress", "1.22", "networking.k8s.io/v1"),
            ("networking.k8s.io/v1", "Ingress", "1.18", "networking.k8s.io/v1beta1"),
            ("apps/v1beta2", "Deployment", "1.15", "stays"),
            ("apps/v1beta2", "Deployment", "1.16", "apps/v1"),
            ("autoscaling/v1", "HorizontalPodAutoscaler", "1.35", "stays"),
            ("autoscaling/v2beta2", "HorizontalPodAutoscaler", "1.26", "autoscaling/v2"),
            ("v1", "Pod", "1.35", "stays"),
            (
                "policy/v1beta1",
                "PodSecurityPolicy",
                "1.25",
                "release 1.25 serves no version of policy/v1beta1 PodSecurityPolicy; it stays as it is",
            ),
        ] {
            assert_eq!(chosen(version, kind, release), expected, "{version} {kind} {release}");
        }
        let error = Target::release(&known.scheme, Release::new(2, 0)).err().unwrap().to_string();
        assert_eq!(error, "2.0: this release is not known; expected one from 1.5 to 1.37");
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
