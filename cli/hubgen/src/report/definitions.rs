//! The definitions of a cluster's custom resources: at which versions objects may be stored, and which are deprecated.

use std::collections::BTreeMap;

use hubgen_cluster::{Cluster, Failure, Resource, Written};
use serde_json::Value;

use super::finding::{Finding, Kind, Place, Rule};

/// The versions of custom resources, by group and kind.
#[derive(Default)]
pub struct Definitions(BTreeMap<(String, String), Vec<Version>>);

/// A version of a custom resource.
struct Version {
    name: String,
    is_served: bool,
    is_stored: bool,
    is_deprecated: bool,
}

impl Definitions {
    /// Those of a cluster. None of one that may not be read: it is told of when all objects are.
    ///
    /// # Errors
    /// When nothing more can be asked of the cluster.
    pub fn of(cluster: &Cluster) -> Result<Self, Failure> {
        let mut found = Self::default();
        // Definitions are outside of namespaces.
        let cluster = Cluster { namespace: None, ..cluster.clone() };
        let resource = Resource {
            group: "apiextensions.k8s.io".to_owned(),
            version: "v1".to_owned(),
            plural: "customresourcedefinitions".to_owned(),
            kind: "CustomResourceDefinition".to_owned(),
            namespaced: false,
            served: vec!["v1".to_owned()],
        };
        cluster.objects(&resource, &mut |definition| found.add(&definition))?;
        Ok(found)
    }

    fn add(&mut self, definition: &Value) {
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = spec["versions"].as_array().into_iter().flatten().map(|version| Version {
            name: text(&version["name"]),
            is_served: version["served"] == true,
            is_stored: version["storage"] == true,
            is_deprecated: version["deprecated"] == true,
        });
        self.0.insert((text(&spec["group"]), text(&spec["names"]["kind"])), versions.collect());
    }

    /// What is wrong with the versions at which a custom resource was written.
    pub fn findings(
        &self,
        resource: &Resource,
        object: &Value,
        written: &[&Written],
        place: &Place,
    ) -> Vec<Finding> {
        let key = (resource.group.clone(), resource.kind.clone());
        let Some(versions) = self.0.get(&key) else { return Vec::new() };
        let finding = |written: &Written| {
            let name = written.api_version.strip_prefix(&*resource.group)?.strip_prefix('/')?;
            let version = versions.iter().find(|version| version.name == name);
            let rule = match version {
                Some(version) if version.is_served && version.is_deprecated => Rule::DeprecatedVersion,
                Some(version) if version.is_served => return None,
                _ => Rule::RemovedVersion,
            };
            let is_good = |version: &&Version| version.is_served && !version.is_deprecated;
            let good = || versions.iter().filter(is_good);
            let to = good().find(|version| version.is_stored).or_else(|| good().next());
            let to = to.map(|version| kind(resource, &version.name));
            let finding = Finding::new(rule, kind(resource, name), place.clone());
            Some(Finding { to, ..finding }.by(written, object))
        };
        written.iter().filter_map(|written| finding(written)).collect()
    }

    /// The versions at which objects of a definition may be stored, and which it does not serve.
    pub fn stored(&self, definition: &Value, place: &Place) -> Vec<Finding> {
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let key = (text(&spec["group"]), text(&spec["names"]["kind"]));
        let versions = self.0.get(&key).map_or(&[][..], Vec::as_slice);
        let of = |version: &str| Kind { api_version: format!("{}/{version}", key.0), kind: key.1.clone() };
        let stored = definition["status"]["storedVersions"].as_array().into_iter().flatten();
        let stored = stored.filter_map(Value::as_str);
        let unserved =
            stored.filter(|name| !versions.iter().any(|version| version.name == **name && version.is_served));
        let to = versions.iter().find(|version| version.is_stored).map(|version| of(&version.name));
        let finding = |name| Finding::new(Rule::StoredVersion, of(name), place.clone());
        unserved.map(|name| Finding { to: to.clone(), ..finding(name) }).collect()
    }
}

fn kind(resource: &Resource, version: &str) -> Kind {
    Kind { api_version: format!("{}/{version}", resource.group), kind: resource.kind.clone() }
}
