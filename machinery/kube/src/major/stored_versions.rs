//! Rewrites stored objects at the storage version, so that an older version can be dropped.

use serde_json::json;

use super::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use super::kube_client::api::{Api, ListParams, Patch, PatchParams};
use super::kube_client::{Client, Error};
use super::kube_core::discovery::ApiResource;
use super::kube_core::metadata::PartialObjectMeta;
use super::kube_core::{DynamicObject, ObjectMeta};

/// Objects per request.
const PAGE: u32 = 500;
/// How often one object, or the definition, is tried again while others write it.
const TRIES: usize = 5;
/// How many refused objects an error names.
const NAMED: usize = 20;

/// What [`migrate_stored_versions`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The version at which all objects are stored now.
    pub storage_version: String,
    /// Objects that were stored at another version, or that somebody changed meanwhile.
    pub rewritten: usize,
    /// Objects that were stored as the API server stores them today.
    pub unchanged: usize,
    /// Objects that somebody deleted meanwhile.
    pub gone: usize,
    /// The versions that were removed from `status.storedVersions`: the definition may drop them now.
    pub dropped: Vec<String>,
}

/// Why stored objects were not migrated. `status.storedVersions` is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationError {
    /// The API server refused a request, or cannot be reached.
    #[error("{request}: {error}")]
    Request {
        /// What was asked for.
        request: String,
        /// What came back.
        error: Error,
    },
    /// No version is served, so that objects cannot be written.
    #[error("{definition}: no version is served; serve one to migrate its objects")]
    NotServed {
        /// The name of the definition.
        definition: String,
    },
    /// The definition got another storage version meanwhile.
    #[error(
        "{definition}: the storage version changed from {from} to {to} meanwhile, so objects may be stored at both; migrate again"
    )]
    Changed {
        /// The name of the definition.
        definition: String,
        /// The storage version at the beginning.
        from: String,
        /// The storage version at the end.
        to: String,
    },
    /// Some objects could not be written. All others were.
    #[error("{definition}: {count} objects could not be rewritten: {}", .objects.join("; "))]
    Objects {
        /// The name of the definition.
        definition: String,
        /// How many.
        count: usize,
        /// The first of them, each with the API server's answer: `default/web: …`.
        objects: Vec<String>,
    },
}

impl MigrationError {
    fn request(request: impl Into<String>) -> impl FnOnce(Error) -> Self {
        let request = request.into();
        move |error| Self::Request { request, error }
    }
}

/// Rewrites all objects of a CustomResourceDefinition, and then removes all versions but the storage version from its
/// `status.storedVersions`.
///
/// An API server refuses a definition without a version that `status.storedVersions` lists, because objects may be
/// stored at it. It never removes one from the list by itself. To drop a version: make another one the storage version,
/// call this, and apply a definition without the old version.
///
/// Every object gets a patch that changes nothing. The API server stores an object again if its bytes would be others,
/// which they are at another version. Whoever watches the objects sees them change; nothing but their
/// `resourceVersion` does. Objects are read 500 at a time, their metadata only, and written one after another. After
/// an interruption or an error, call it again.
///
/// An API server that runs several times (a control plane with replicas) learns of a new storage version within
/// seconds. Wait for all of them before you call this.
///
/// It needs the permissions `get` on the definition, `patch` on `customresourcedefinitions/status`, and `list` and
/// `patch` on the objects.
///
/// ```no_run
/// # use hubgen_kube::v5::migrate_stored_versions;
/// # async fn example(client: kube_client_5::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let migrated = migrate_stored_versions(client, "widgets.example.com").await?;
/// println!("{} objects rewritten; {:?} can be dropped", migrated.rewritten, migrated.dropped);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If a request fails, if an object cannot be written (a webhook or a new schema may refuse it), or if the storage
/// version changes meanwhile. Objects that were written stay so, and `status.storedVersions` is as it was.
pub async fn migrate_stored_versions(client: Client, definition: &str) -> Result<Migrated, MigrationError> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let get = || async {
        definitions.get(definition).await.map_err(MigrationError::request(format!("get {definition}")))
    };
    let crd = get().await?;
    let from = storage_version(&crd);
    let mut migration = Migration::new(client, &crd)?;
    migration.run().await?;
    let mut tries = 1;
    loop {
        let crd = get().await?;
        let to = storage_version(&crd);
        if from != to {
            return Err(MigrationError::Changed { definition: definition.to_owned(), from, to });
        }
        let stored = crd.status.and_then(|status| status.stored_versions).unwrap_or_default();
        let dropped: Vec<_> = stored.into_iter().filter(|version| *version != from).collect();
        let Migration { rewritten, unchanged, gone, .. } = migration;
        if !dropped.is_empty() {
            // With the version of the object, so that the API server refuses it if the storage version changes now.
            let patch = json!({
                "metadata": {"resourceVersion": crd.metadata.resource_version},
                "status": {"storedVersions": [from]},
            });
            match definitions.patch_status(definition, &PatchParams::default(), &Patch::Merge(patch)).await {
                Err(error) if is(&error, 409) && tries < TRIES => {
                    tries += 1;
                    continue;
                }
                result => result.map_err(MigrationError::request(format!("patch {definition}/status")))?,
            };
        }
        return Ok(Migrated { storage_version: from, rewritten, unchanged, gone, dropped });
    }
}

fn storage_version(crd: &CustomResourceDefinition) -> String {
    let found = crd.spec.versions.iter().find(|version| version.storage);
    found.map(|version| version.name.clone()).unwrap_or_default()
}

fn is(error: &Error, code: u16) -> bool {
    matches!(error, Error::Api(status) if status.code == code)
}

struct Migration {
    client: Client,
    definition: String,
    resource: ApiResource,
    rewritten: usize,
    unchanged: usize,
    gone: usize,
    failed: usize,
    failures: Vec<String>,
}

impl Migration {
    fn new(client: Client, crd: &CustomResourceDefinition) -> Result<Self, MigrationError> {
        let definition = crd.metadata.name.clone().unwrap_or_default();
        // Requests at the storage version convert once, those at another version twice.
        let served = crd.spec.versions.iter().filter(|version| version.served);
        let Some(version) = served.max_by_key(|version| version.storage) else {
            return Err(MigrationError::NotServed { definition });
        };
        let resource = ApiResource {
            group: crd.spec.group.clone(),
            version: version.name.clone(),
            api_version: format!("{}/{}", crd.spec.group, version.name),
            kind: crd.spec.names.kind.clone(),
            plural: crd.spec.names.plural.clone(),
        };
        let failures = Vec::new();
        Ok(Self { client, definition, resource, rewritten: 0, unchanged: 0, gone: 0, failed: 0, failures })
    }

    async fn run(&mut self) -> Result<(), MigrationError> {
        let all: Api<DynamicObject> = Api::all_with(self.client.clone(), &self.resource);
        let mut parameters = ListParams::default().limit(PAGE);
        loop {
            match all.list_metadata(&parameters).await {
                Ok(page) => {
                    for object in &page.items {
                        self.rewrite(&object.metadata).await;
                    }
                    parameters.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
                    if parameters.continue_token.is_none() {
                        break;
                    }
                }
                // The list is too old to go on with. The rest can be read as it is now: newer objects are stored at the
                // storage version.
                Err(Error::Api(status)) if status.code == 410 && parameters.continue_token.is_some() => {
                    let token = status.metadata.and_then(|metadata| metadata.continue_);
                    parameters.continue_token = token.filter(|token| !token.is_empty());
                    if parameters.continue_token.is_none() {
                        // From the beginning: what was written is unchanged now.
                        (self.rewritten, self.unchanged, self.gone, self.failed) = (0, 0, 0, 0);
                        self.failures.clear();
                    }
                }
                Err(error) => {
                    return Err(MigrationError::request(format!("list {}", self.definition))(error));
                }
            }
        }
        if self.failed == 0 {
            return Ok(());
        }
        Err(MigrationError::Objects {
            definition: self.definition.clone(),
            count: self.failed,
            objects: std::mem::take(&mut self.failures),
        })
    }

    async fn rewrite(&mut self, object: &ObjectMeta) {
        let name = object.name.as_deref().unwrap_or_default();
        let api: Api<DynamicObject> = match &object.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &self.resource),
            None => Api::all_with(self.client.clone(), &self.resource),
        };
        let nothing = Patch::Merge(json!({}));
        let mut tries = 1;
        let error = loop {
            match api.patch_metadata(name, &PatchParams::default(), &nothing).await {
                Ok(PartialObjectMeta { metadata, .. }) => {
                    if metadata.resource_version == object.resource_version {
                        self.unchanged += 1;
                    } else {
                        self.rewritten += 1;
                    }
                    return;
                }
                Err(error) if is(&error, 404) => {
                    self.gone += 1;
                    return;
                }
                Err(error) if is(&error, 409) && tries < TRIES => tries += 1,
                Err(error) => break error,
            }
        };
        self.failed += 1;
        if self.failures.len() < NAMED {
            let namespace = object.namespace.as_deref().map(|name| format!("{name}/")).unwrap_or_default();
            self.failures.push(format!("{namespace}{name}: {error}"));
        }
    }
}
