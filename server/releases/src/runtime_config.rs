//! `--runtime-config`: which group versions and resources are served.

use std::collections::BTreeMap;

use hubgen_machinery::scheme::{KindEntry, Scheme};

/// A text for `--runtime-config` that cannot be parsed: the pair, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRuntimeConfig(String);

/// What a kube-apiserver takes for `--runtime-config`: `api/all=true`, `api/beta=false`, `batch/v1beta1`,
/// `apps/v1/deployments=false`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeConfig {
    all: Option<bool>,
    levels: BTreeMap<Level, bool>,
    versions: BTreeMap<(String, String), bool>,
    resources: BTreeMap<(String, String, String), bool>,
}

/// How stable a version is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Alpha,
    Beta,
    Stable,
}

impl Level {
    /// The level of a version, such as `v1beta1`.
    pub(crate) fn of(version: &str) -> Self {
        if version.contains("alpha") {
            Self::Alpha
        } else if version.contains("beta") {
            Self::Beta
        } else {
            Self::Stable
        }
    }
}

impl RuntimeConfig {
    /// Parses pairs between commas. A key without a value is `true`.
    ///
    /// # Errors
    /// If a value is neither `true` nor `false`, or a key names nothing that the Scheme has.
    pub fn parse(text: &str, scheme: &Scheme) -> Result<Self, InvalidRuntimeConfig> {
        let mut config = Self::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, "true"));
            let value = match value {
                "true" => true,
                "false" => false,
                _ => {
                    let why = format!("{pair}: expected `true` or `false` after `=`, found `{value}`");
                    return Err(InvalidRuntimeConfig(why));
                }
            };
            let set = config.set(key, value, scheme);
            set.map_err(|why| InvalidRuntimeConfig(format!("{pair}: {why}")))?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: bool, scheme: &Scheme) -> Result<(), String> {
        let level = match key {
            "api/all" => {
                self.all = Some(value);
                return Ok(());
            }
            "api/ga" => Some(Level::Stable),
            "api/beta" => Some(Level::Beta),
            "api/alpha" => Some(Level::Alpha),
            _ => None,
        };
        if let Some(level) = level {
            self.levels.insert(level, value);
            return Ok(());
        }
        let parts: Vec<&str> = key.split('/').collect();
        let (group, version, resource) = match parts.as_slice() {
            // The version of the core group, in both of upstream's spellings.
            [version] | ["api", version] => ("", *version, None),
            [group, version] => (*group, *version, None),
            [group, version, resource] => (*group, *version, Some(*resource)),
            _ => return Err("expected GROUP/VERSION or GROUP/VERSION/RESOURCE".to_owned()),
        };
        let is_known = |entry: &KindEntry| {
            (&*entry.group, &*entry.version) == (group, version)
                && entry
                    .resource
                    .as_ref()
                    .is_some_and(|known| resource.is_none_or(|named| known.plural == named))
        };
        if !scheme.kinds().any(|entry| is_known(entry)) {
            return Err(
                "no release of Kubernetes had it; expected api/all, api/ga, api/beta, api/alpha, GROUP/VERSION such as \
                 batch/v1beta1, or GROUP/VERSION/RESOURCE"
                    .to_owned(),
            );
        }
        let (group, version) = (group.to_owned(), version.to_owned());
        match resource {
            Some(resource) => self.resources.insert((group, version, resource.to_owned()), value),
            None => self.versions.insert((group, version), value),
        };
        Ok(())
    }

    /// Whether everything is asked for, whichever release had it.
    pub(crate) fn has_all(&self) -> bool {
        self.all == Some(true)
    }

    /// Whether the group version or the resource is named.
    pub(crate) fn names(&self, group: &str, version: &str, plural: &str) -> bool {
        self.named(group, version, plural) == Some(true)
    }

    /// Whether a resource is served: what is said about it, about its version, about the level, about all, or by default.
    pub(crate) fn serves(&self, group: &str, version: &str, plural: &str, by_default: bool) -> bool {
        let level = || self.levels.get(&Level::of(version)).copied();
        self.named(group, version, plural).or_else(level).or(self.all).unwrap_or(by_default)
    }

    fn named(&self, group: &str, version: &str, plural: &str) -> Option<bool> {
        let (group, version) = (group.to_owned(), version.to_owned());
        let resource = (group.clone(), version.clone(), plural.to_owned());
        self.resources.get(&resource).or_else(|| self.versions.get(&(group, version))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<RuntimeConfig, InvalidRuntimeConfig> {
        RuntimeConfig::parse(text, &hubgen_kubernetes::scheme())
    }

    #[test]
    fn what_is_nearest_counts() {
        let config =
            parsed("api/all=false, api/beta, batch/v1beta1=false,batch/v1beta1/cronjobs=true,v1").unwrap();
        for (group, version, plural, expected) in [
            ("apps", "v1", "deployments", false),
            ("policy", "v1beta1", "poddisruptionbudgets", true),
            ("batch", "v1beta1", "jobs", false),
            ("batch", "v1beta1", "cronjobs", true),
            ("", "v1", "pods", true),
        ] {
            assert_eq!(config.serves(group, version, plural, true), expected, "{group}/{version} {plural}");
        }
        assert!(!RuntimeConfig::default().serves("apps", "v1", "deployments", false));
    }

    #[test]
    fn wrong_pairs_are_refused() {
        for (text, why) in [
            ("api/all=yes", "api/all=yes: expected `true` or `false` after `=`, found `yes`"),
            ("batch/v9", "batch/v9: no release of Kubernetes had it; expected api/all"),
            ("apps/v1/pods", "apps/v1/pods: no release of Kubernetes had it"),
            ("a/b/c/d=true", "a/b/c/d=true: expected GROUP/VERSION or GROUP/VERSION/RESOURCE"),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
