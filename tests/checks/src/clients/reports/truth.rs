//! What a release serves: its server is the judge.

use std::collections::BTreeSet;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_model::Release;
use serde_json::Value;

use crate::differential::told::Facts;

/// What is so of a version of a kind in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Its server serves it.
    Served,
    /// Its server does not serve it, and cannot be told to, or no release has ever served it.
    NotServed,
    /// Its server serves it if it is told to, as most alpha and beta versions.
    OffByDefault,
    /// It is served, and its newest writer uses a version that is served. An older one, who may write again
    /// or not, did not.
    Stale,
    /// The group is none of Kubernetes' server: a server with the right definition would serve it.
    Foreign,
}

/// What the server of a release serves by default.
pub struct Served {
    kinds: BTreeSet<(String, String)>,
    /// All kinds that releases had, to tell what is only off by default.
    scheme: Scheme,
    release: Release,
}

impl Served {
    /// What the discovery of the server of a release has told.
    pub fn of(facts: &Facts, release: Release) -> Self {
        let mut kinds = BTreeSet::new();
        // The resources of each group version, one by one: `apps/v1 deployments/scale`.
        let resources =
            facts.iter().filter(|(about, _)| !about.starts_with(['/']) && !about.starts_with("aggregated "));
        for (about, told) in resources {
            let text = |key: &str| told[key].as_str().filter(|text| !text.is_empty());
            let of_path = about.split(' ').next().unwrap_or_default();
            // The objects of a part may be of another group than the resource.
            let api_version = match (text("group"), text("version")) {
                (Some(group), Some(version)) => format!("{group}/{version}"),
                (None, Some(version)) => version.to_owned(),
                _ => of_path.to_owned(),
            };
            kinds.extend(text("kind").map(|kind| (api_version, kind.to_owned())));
        }
        Self { kinds, scheme: hubgen_kubernetes::scheme(), release }
    }

    /// Its release.
    pub fn release(&self) -> Release {
        self.release
    }

    /// How many versions of kinds it serves.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether it serves a version of a kind.
    pub fn serves(&self, api_version: &str, kind: &str) -> bool {
        let is_served = |kind: &str| self.kinds.contains(&(api_version.to_owned(), kind.to_owned()));
        // A client applies the objects of a list one by one. `List` is known by clients alone.
        is_served(kind)
            || kind.strip_suffix("List").is_some_and(is_served)
            || (api_version, kind) == ("v1", "List")
    }

    /// What is so of a version of a kind.
    pub fn truth(&self, api_version: &str, kind: &str) -> Truth {
        if self.serves(api_version, kind) {
            return Truth::Served;
        }
        if self.known(api_version, kind).is_some_and(|entry| self.has(entry)) {
            return Truth::OffByDefault;
        }
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let mut own = self.scheme.kinds().filter(|entry| entry.is_built_in);
        if own.any(|entry| &*entry.group == group) { Truth::NotServed } else { Truth::Foreign }
    }

    /// Whether a release has served a version of a kind, as far as they are known.
    pub fn was_ever(&self, api_version: &str, kind: &str) -> bool {
        self.known(api_version, kind).is_some()
    }

    fn known(&self, api_version: &str, kind: &str) -> Option<&KindEntry> {
        let of = |kind: &str| self.scheme.named(api_version, kind).filter(|entry| entry.is_built_in);
        of(kind).or_else(|| of(kind.strip_suffix("List")?)).map(|entry| &**entry)
    }

    /// Whether it is wrong to use a version of a kind instead of another one: it is not served, or only if
    /// the server is told to, where another version of the kind is served anyway.
    pub fn misleads(&self, api_version: &str, kind: &str) -> bool {
        match self.truth(api_version, kind) {
            Truth::Served => false,
            Truth::OffByDefault => {
                let group =
                    |api_version: &str| api_version.rsplit_once('/').map(|(group, _)| group.to_owned());
                self.kinds.iter().any(|(other, of)| of == kind && group(other) == group(api_version))
            }
            _ => true,
        }
    }

    /// Whether the release has a kind at all.
    fn has(&self, entry: &KindEntry) -> bool {
        let release = |text: &Option<_>| text.as_deref().and_then(|text: &str| text.parse::<Release>().ok());
        release(&entry.since).is_none_or(|since| since <= self.release)
            && release(&entry.until).is_none_or(|until| until >= self.release)
    }
}

/// The release of a server, by its answer at `/version`.
///
/// # Errors
/// If the answer has no release.
pub fn release_of(version: &Value) -> Result<Release, String> {
    // The whole version is that of the build, which not everybody sets.
    let text = |key: &str| version[key].as_str().unwrap_or_default();
    let release = format!("{}.{}", text("major"), text("minor").trim_end_matches('+'));
    release.parse().map_err(|error| format!("/version: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn served(release: Release) -> Served {
        let facts = [
            ("/apis", json!(["apps"])),
            ("apps/v1 deployments", json!({"kind": "Deployment"})),
            ("apps/v1 deployments/scale", json!({"kind": "Scale", "group": "autoscaling", "version": "v1"})),
            (
                "aggregated apps/v1beta1 deployments",
                json!({"responseKind": {"kind": "Deployment"}, "kind": "no"}),
            ),
        ];
        Served::of(&facts.into_iter().map(|(about, told)| (about.to_owned(), told)).collect(), release)
    }

    #[test]
    fn the_server_decides_what_is_served() {
        let served = served(Release::new(1, 37));
        for (api_version, kind, truth) in [
            ("apps/v1", "Deployment", Truth::Served),
            ("apps/v1", "DeploymentList", Truth::Served),
            ("autoscaling/v1", "Scale", Truth::Served),
            ("v1", "List", Truth::Served),
            ("apps/v1beta1", "Deployment", Truth::NotServed),
            ("policy/v1beta1", "PodSecurityPolicy", Truth::NotServed),
            ("policy/v1beta1", "PodDisruptionBudgetList", Truth::NotServed),
            ("apps/v1beta1", "ReplicaSet", Truth::NotServed),
            ("resource.k8s.io/v1beta2", "ResourceClaim", Truth::OffByDefault),
            ("resource.k8s.io/v1beta2", "ResourceClaimList", Truth::OffByDefault),
            ("example.com/v1", "Widget", Truth::Foreign),
        ] {
            assert_eq!(served.truth(api_version, kind), truth, "{api_version} {kind}");
        }
        assert_eq!(served.len(), 2);
        assert!(served.was_ever("policy/v1beta1", "PodDisruptionBudgetList"));
        assert!(!served.was_ever("apps/v1beta1", "ReplicaSet"));
    }

    #[test]
    fn a_better_version_is_to_be_named() {
        let served = served(Release::new(1, 37));
        assert!(!served.misleads("apps/v1", "Deployment"));
        assert!(served.misleads("apps/v1beta1", "Deployment"));
        // No version of it is served here without being told to.
        assert!(!served.misleads("resource.k8s.io/v1beta2", "ResourceClaim"));
        let facts =
            [("resource.k8s.io/v1 resourceclaims".to_owned(), json!({"kind": "ResourceClaim"}))].into();
        assert!(Served::of(&facts, Release::new(1, 37)).misleads("resource.k8s.io/v1beta2", "ResourceClaim"));
    }

    #[test]
    fn what_came_later_is_not_only_off() {
        let served = served(Release::new(1, 20));
        assert_eq!(served.truth("resource.k8s.io/v1beta2", "ResourceClaim"), Truth::NotServed);
        assert_eq!(served.truth("policy/v1beta1", "PodSecurityPolicy"), Truth::OffByDefault);
    }

    #[test]
    fn a_server_tells_its_release() {
        let version = json!({"major": "1", "minor": "37+", "gitVersion": "v0.0.0-master+$Format:%H$"});
        assert_eq!(release_of(&version), Ok(Release::new(1, 37)));
        assert!(release_of(&json!({})).is_err());
    }
}
