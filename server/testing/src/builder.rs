//! What a server begins with, and what it serves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hubgen_machinery::crd::Crd;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::Scheme;
use hubgen_rules::DefinitionRules;
use hubgen_server::{Conversions, SchemeConversions, Settings};
use serde_json::Value;

use crate::error::Error;
use crate::kinds::Choice;
use crate::repository::Repository;
use crate::seeds;

/// What a server begins with, and what it serves.
///
/// ```
/// use hubgen_test_server::TestServer;
///
/// # #[cfg(feature = "kubernetes")]
/// # #[tokio::main]
/// # async fn main() -> Result<(), hubgen_test_server::Error> {
/// let server = TestServer::builder()
///     .emulated_version("1.30")
///     .manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
///     .start()
///     .await?;
/// # drop(server);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "kubernetes"))]
/// # fn main() {}
/// ```
#[derive(Clone, Default)]
pub struct Builder {
    choice: Choice,
    created: Vec<Source>,
    state: Vec<Source>,
    /// Kinds of the test's own, in Rust, and their definitions.
    own: Option<Arc<Scheme>>,
    definitions: Vec<Value>,
    conversions: Option<Arc<dyn Conversions>>,
    /// The `hubgen.toml` of a repository.
    repository: Option<PathBuf>,
    time: Option<Time>,
    settings: Vec<Change>,
}

/// What a test changes of the settings.
type Change = Arc<dyn Fn(&mut Settings) + Send + Sync>;

/// Where objects come from.
#[derive(Clone)]
enum Source {
    Text(String),
    Files(PathBuf),
    Object(Value),
}

impl Source {
    fn objects(&self) -> Result<Vec<Value>, Error> {
        match self {
            Self::Text(text) => seeds::read("manifests", text),
            Self::Files(path) => seeds::files(path),
            Self::Object(object) => Ok(vec![object.clone()]),
        }
    }
}

fn all(sources: &[Source]) -> Result<Vec<Value>, Error> {
    let mut objects = Vec::new();
    for source in sources {
        objects.extend(source.objects()?);
    }
    Ok(objects)
}

impl Builder {
    /// Serves the kinds of a Scheme instead of those of Kubernetes. If definitions are to be written, they need to be among
    /// them.
    #[must_use]
    pub fn scheme(mut self, scheme: impl Into<Arc<Scheme>>) -> Self {
        self.choice.scheme = Some(scheme.into());
        self
    }

    /// Serves what a release of Kubernetes had, such as `1.30`: its group versions, kinds and verbs.
    #[must_use]
    pub fn emulated_version(mut self, release: &str) -> Self {
        release.clone_into(&mut self.choice.release);
        self
    }

    /// Serves group versions and resources, too, or not, as `--runtime-config` of a kube-apiserver does: `api/all=true`,
    /// `batch/v1beta1=true`.
    #[must_use]
    pub fn runtime_config(mut self, pairs: &str) -> Self {
        pairs.clone_into(&mut self.choice.runtime_config);
        self
    }

    /// Stores kinds at these versions instead of the default ones: `autoscaling/v1,extensions=apps/v1`.
    #[must_use]
    pub fn storage_versions(mut self, versions: &str) -> Self {
        versions.clone_into(&mut self.choice.storage_versions);
        self
    }

    /// Begins with the objects of a text in YAML or JSON, which are created as a client does. Definitions among them are served
    /// before the other objects are created.
    #[must_use]
    pub fn manifests(mut self, text: &str) -> Self {
        self.created.push(Source::Text(text.to_owned()));
        self
    }

    /// The same with a file, or with all files of a folder that end with `.yaml`, `.yml` or `.json`.
    #[must_use]
    pub fn manifest_files(mut self, path: impl AsRef<Path>) -> Self {
        self.created.push(Source::Files(path.as_ref().to_owned()));
        self
    }

    /// The same with an object in JSON.
    #[must_use]
    pub fn object(mut self, object: Value) -> Self {
        self.created.push(Source::Object(object));
        self
    }

    /// Begins with the objects of a text in YAML or JSON as they are: with their uid, times, generation, status and owners of
    /// fields, and without admission and validation. It is what another cluster has had (`kubectl get --output json`). Only the
    /// revision is another one.
    #[must_use]
    pub fn state(mut self, text: &str) -> Self {
        self.state.push(Source::Text(text.to_owned()));
        self
    }

    /// The same with a file, or with all files of a folder that end with `.yaml`, `.yml` or `.json`.
    #[must_use]
    pub fn state_files(mut self, path: impl AsRef<Path>) -> Self {
        self.state.push(Source::Files(path.as_ref().to_owned()));
        self
    }

    /// Serves the kinds of definitions that are written in Rust or generated, such as `api::crds()`.
    #[must_use]
    pub fn definitions(mut self, definitions: impl IntoIterator<Item = Crd>) -> Self {
        self.definitions.extend(definitions.into_iter().map(|definition| definition.value()));
        self
    }

    /// Serves kinds of one's own, whose objects convert by the code of their Scheme: `.own_kinds(api::scheme(), api::crds())`.
    #[must_use]
    pub fn own_kinds(mut self, own: Scheme, definitions: impl IntoIterator<Item = Crd>) -> Self {
        self.own = Some(Arc::new(own));
        self.definitions(definitions)
    }

    /// Serves the kinds of a repository, which convert by its rules, as `hubgen serve --config` does: `.repository("hubgen.toml")`.
    #[cfg(feature = "repository")]
    #[must_use]
    pub fn repository(mut self, config: impl AsRef<Path>) -> Self {
        self.repository = Some(config.as_ref().to_owned());
        self
    }

    /// Says who converts the objects of definitions. By default, these are the rules of a repository and those that a definition
    /// brings.
    #[must_use]
    pub fn conversions(mut self, conversions: Arc<dyn Conversions>) -> Self {
        self.conversions = Some(conversions);
        self
    }

    /// Sets the [clock](crate::TestServer::clock) before anything is written.
    #[must_use]
    pub fn time(mut self, time: Time) -> Self {
        self.time = Some(time);
        self
    }

    /// Changes further settings of the server: who may, admission, limits. The clock and the faults of the server stay its
    /// own.
    #[must_use]
    pub fn settings(mut self, change: impl Fn(&mut Settings) + Send + Sync + 'static) -> Self {
        self.settings.push(Arc::new(change));
        self
    }

    /// The same kinds, and no objects.
    pub(crate) fn without_objects(&self) -> Self {
        Self { created: Vec::new(), state: Vec::new(), ..self.clone() }
    }

    pub(crate) fn first_time(&self) -> Option<Time> {
        self.time
    }

    /// The settings of a server with a store.
    ///
    /// # Errors
    /// If one is not valid.
    pub(crate) fn apply(&self, store: Arc<dyn hubgen_server::store::Store>) -> Result<Settings, Error> {
        let mut settings = Settings::new(self.choice.kinds()?, store);
        settings.state = all(&self.state)?;
        settings.admission.namespace_lifecycle = self.choice.has_namespaces();
        let rules: Arc<dyn Conversions> = match &self.repository {
            Some(config) => {
                let Repository { definitions, rules } = Repository::of(config)?;
                settings.initial.extend(definitions);
                rules
            }
            None => Arc::new(DefinitionRules::default()),
        };
        settings.initial.extend(self.definitions.iter().cloned());
        settings.initial.extend(all(&self.created)?);
        let others = self.conversions.clone().unwrap_or(rules);
        settings.conversions = Some(match &self.own {
            Some(own) => Arc::new(SchemeConversions::new(Arc::clone(own), Some(others))),
            None => others,
        });
        for change in &self.settings {
            change(&mut settings);
        }
        Ok(settings)
    }
}
