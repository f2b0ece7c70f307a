//! Which resources a server has.

use std::fmt;
use std::ops::ControlFlow;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::cluster::Cluster;
use crate::failure::{Cause, Failure};
use crate::in_order::in_order;
use crate::kubectl::{Mishap, parsed};

/// What a server has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The resources that can be listed.
    pub resources: Vec<Resource>,
    /// The group versions that do not tell what they have.
    pub unavailable: Vec<Unavailable>,
}

/// A resource that can be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `apps`; empty for the core group.
    pub group: String,
    /// `v1`: the version at which it is read.
    pub version: String,
    /// `deployments`.
    pub plural: String,
    /// `Deployment`.
    pub kind: String,
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
    /// All versions of the group at which the server has it, in the server's order.
    pub served: Vec<String>,
}

/// A group version that does not tell what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// `metrics.k8s.io/v1beta1`.
    pub group_version: String,
    /// What the server told, or what is wrong with its answer.
    pub message: String,
}

/// A group version to ask.
struct Asked {
    group: String,
    version: String,
    is_preferred: bool,
}

#[derive(Deserialize)]
struct Versions {
    versions: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Groups {
    groups: Option<Vec<Group>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
    preferred_version: Option<GroupVersion>,
}

#[derive(Deserialize)]
struct GroupVersion {
    version: String,
}

#[derive(Deserialize)]
struct Resources {
    resources: Option<Vec<Listed>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    kind: String,
    namespaced: bool,
    #[serde(default)]
    verbs: Vec<String>,
    /// The same for resources whose objects are stored as the same kind.
    #[serde(default)]
    storage_version_hash: String,
}

impl Cluster {
    /// The resources that can be listed, and the groups that do not tell theirs.
    ///
    /// Each resource is there once, at the version that the server prefers for its group, or else at the first version that has
    /// it; and once if the server stores the same objects for resources of several groups, such as events. With a
    /// [namespace](Self::namespace), only resources in namespaces are there. The order is that of the server.
    ///
    /// # Errors
    /// When there is no answer at `/api` or `/apis`, or the namespace does not exist.
    pub fn discover(&self) -> Result<Discovery, Failure> {
        if let Some(namespace) = &self.namespace {
            exists(self, namespace)?;
        }
        let asked = group_versions(self)?;
        let (mut answers, mut failure) = (Vec::new(), None);
        in_order(
            &asked,
            |asked, send| {
                let answer = self.get(&asked.path());
                let _ = send(answer.and_then(|answer| parsed::<Resources>(&answer, "a list of resources")));
            },
            |_, answer| {
                if let Err(Mishap::Fatal(fatal)) = answer {
                    failure = Some(fatal);
                    return ControlFlow::Break(());
                }
                answers.push(answer);
                ControlFlow::Continue(())
            },
        );
        match failure {
            Some(failure) => Err(failure),
            None => Ok(gathered(asked.iter().zip(answers), self.namespace.is_some())),
        }
    }
}

/// Checks that there is a namespace: its lists would be empty otherwise. Who may not read it may list what is in it.
fn exists(cluster: &Cluster, namespace: &str) -> Result<(), Failure> {
    let path = format!("/api/v1/namespaces/{}", utf8_percent_encode(namespace, NON_ALPHANUMERIC));
    match cluster.get(&path) {
        Err(Mishap::Server(status)) if status.reason == "NotFound" => {
            Err(Failure::new(cluster, Cause::NoNamespace, &path, &status.message))
        }
        Err(Mishap::Fatal(failure)) => Err(failure),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The group versions of a server, the core group first.
fn group_versions(cluster: &Cluster) -> Result<Vec<Asked>, Failure> {
    let core = match cluster.get("/api") {
        // A server of other groups only.
        Err(Mishap::Server(status)) if status.reason == "NotFound" => Ok(Vec::new()),
        answer => answer.and_then(|answer| {
            Ok(parsed::<Versions>(&answer, "a list of versions")?.versions.unwrap_or_default())
        }),
    };
    let core = core.map_err(|mishap| mishap.without("/api", cluster))?;
    let groups = cluster.get("/apis").and_then(|answer| parsed::<Groups>(&answer, "a list of groups"));
    let groups = groups.map_err(|mishap| mishap.without("/apis", cluster))?;
    let core = Group {
        name: String::new(),
        preferred_version: None,
        versions: core.into_iter().map(|version| GroupVersion { version }).collect(),
    };
    let groups = std::iter::once(core).chain(groups.groups.unwrap_or_default());
    Ok(groups.flat_map(Asked::of).collect())
}

/// The resources of all answers, each once.
fn gathered<'a>(
    answers: impl Iterator<Item = (&'a Asked, Result<Resources, Mishap>)>,
    is_namespaced_only: bool,
) -> Discovery {
    let mut unavailable = Vec::new();
    // Each with what it is stored as, if the server tells.
    let mut found: Vec<(Resource, String)> = Vec::new();
    for (asked, answer) in answers {
        let listed = match answer {
            Ok(resources) => resources.resources.unwrap_or_default(),
            Err(mishap) => {
                unavailable.push(Unavailable::of(asked, &mishap));
                continue;
            }
        };
        for one in listed.into_iter().filter(|one| one.can_be_listed()) {
            if is_namespaced_only && !one.namespaced {
                continue;
            }
            let known = found.iter_mut().find(|(known, stored)| {
                known.plural == one.name && (known.group == asked.group || one.is_stored_as(stored))
            });
            match known {
                None => {
                    let stored = one.storage_version_hash.clone();
                    found.push((Resource::of(asked, one), stored));
                }
                Some((known, _)) if known.group == asked.group => known.also_at(asked, one),
                // Its objects are there already.
                Some(_) => {}
            }
        }
    }
    Discovery { resources: found.into_iter().map(|(resource, _)| resource).collect(), unavailable }
}

impl Asked {
    /// The versions of a group, in the server's order.
    fn of(group: Group) -> Vec<Self> {
        let Group { name, versions, preferred_version } = group;
        let preferred = preferred_version.map(|preferred| preferred.version);
        let asked = |GroupVersion { version }| {
            let is_preferred = preferred.as_ref() == Some(&version);
            Self { group: name.clone(), version, is_preferred }
        };
        versions.into_iter().map(asked).collect()
    }

    fn path(&self) -> String {
        path_of(&self.group, &self.version)
    }
}

impl Listed {
    /// Whether it is a resource whose objects can be listed, and no subresource.
    fn can_be_listed(&self) -> bool {
        !self.name.contains('/') && self.verbs.iter().any(|verb| verb == "list")
    }

    fn is_stored_as(&self, other: &str) -> bool {
        !other.is_empty() && self.storage_version_hash == other
    }
}

impl Resource {
    fn of(asked: &Asked, listed: Listed) -> Self {
        Self {
            group: asked.group.clone(),
            version: asked.version.clone(),
            plural: listed.name,
            kind: listed.kind,
            namespaced: listed.namespaced,
            served: vec![asked.version.clone()],
        }
    }

    /// Notes that the resource is also at another version.
    fn also_at(&mut self, asked: &Asked, listed: Listed) {
        self.served.push(asked.version.clone());
        if asked.is_preferred {
            self.version.clone_from(&asked.version);
            self.kind = listed.kind;
            self.namespaced = listed.namespaced;
        }
    }

    /// The version with its group: `apps/v1`, or `v1`.
    pub fn api_version(&self) -> String {
        group_version(&self.group, &self.version)
    }

    /// Where the server lists the objects of all namespaces, or of one.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let path = path_of(&self.group, &self.version);
        match namespace.filter(|_| self.namespaced) {
            Some(namespace) => {
                let namespace = utf8_percent_encode(namespace, NON_ALPHANUMERIC);
                format!("{path}/namespaces/{namespace}/{}", self.plural)
            }
            None => format!("{path}/{}", self.plural),
        }
    }
}

fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// Where a server has a group version.
fn path_of(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

impl Unavailable {
    fn of(asked: &Asked, mishap: &Mishap) -> Self {
        Self { group_version: group_version(&asked.group, &asked.version), message: mishap.to_string() }
    }

    /// What to do so that its resources are found.
    pub fn help(&self) -> String {
        format!(
            "its objects are not read unless another version has them; `kubectl get apiservices` lists what answers for {}",
            self.group_version
        )
    }
}

impl fmt::Display for Resource {
    /// As kubectl names it: `pods`, `deployments.apps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, plural, .. } = self;
        if group.is_empty() { f.write_str(plural) } else { write!(f, "{plural}.{group}") }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.group_version, self.message)
    }
}
