//! What the server serves: everything that depends on which kinds there are.
//!
//! A `Catalog` never changes. When kinds come or go, another one takes its place, as one: a request sees the same kinds
//! from its beginning to its end, and discovery never tells of a kind that the next line of code does not know.

mod coverage;
mod defined;
mod offered;
mod served;
mod storage_versions;

use std::sync::{Arc, OnceLock};

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_openapi::Sources;

use self::coverage::Coverage;
pub(crate) use self::defined::Defined;
pub use self::offered::Offered;
pub use self::served::Served;
pub(crate) use self::served::{Look, Span};
pub use self::storage_versions::{InvalidStorageVersions, StorageVersions};
use crate::media::Media;
use crate::published::openapi::{self, OpenApi};
use crate::published::{Discovery, REFERENCE, git_version};
use crate::validation::Schemas;

/// The kinds that a server serves, and what it must know to serve them.
#[derive(Clone)]
pub struct Kinds {
    /// The kinds.
    pub scheme: Arc<Scheme>,
    /// Which of them clients can name, and what they can do with them.
    pub offered: Offered,
    /// The release of Kubernetes for which the server is taken, by default the reference release: the two numbers of `1.37`.
    pub release: (u32, u32),
    /// The version at which each kind is stored.
    pub storage_versions: StorageVersions,
    /// Schemas of kinds that come from CustomResourceDefinitions, which validate their objects.
    pub schemas: Schemas,
    /// Where the schemas come from that OpenAPI publishes. Kinds without one are published as objects that may contain
    /// anything, which is enough for kubectl to write them.
    pub published: Sources,
}

impl Kinds {
    /// The kinds of a Scheme, all of which clients can name, stored at their default versions, without schemas.
    pub fn new(scheme: Arc<Scheme>) -> Self {
        Self {
            scheme,
            offered: Offered::default(),
            release: REFERENCE,
            storage_versions: StorageVersions::default(),
            schemas: Schemas::default(),
            published: Sources::default(),
        }
    }

    /// The reference release and the version of this server, as `/version` has them: `v1.37.0+hubgen-0.1.0`.
    pub fn reference_version() -> String {
        git_version(REFERENCE)
    }
}

impl From<Arc<Scheme>> for Kinds {
    fn from(scheme: Arc<Scheme>) -> Self {
        Self::new(scheme)
    }
}

/// An immutable snapshot of all that depends on kinds.
pub(crate) struct Catalog {
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) offered: Offered,
    pub(crate) release: (u32, u32),
    pub(crate) storage_versions: StorageVersions,
    pub(crate) schemas: Schemas,
    pub(crate) coverage: Coverage,
    /// Made when somebody asks for it: while many definitions come, most snapshots are gone before.
    discovery: OnceLock<Discovery>,
    address: String,
    openapi: OpenApi,
}

impl Catalog {
    /// The snapshot for some kinds, on a server with this address.
    fn new(kinds: Kinds, address: &str) -> Self {
        let Kinds { scheme, offered, release, storage_versions, schemas, published } = kinds;
        let coverage = Coverage::new(&scheme);
        let (discovery, address) = (OnceLock::new(), address.to_owned());
        let openapi = OpenApi::new(published, release);
        Self { scheme, offered, release, storage_versions, schemas, coverage, discovery, address, openapi }
    }

    pub(crate) fn discovery(&self) -> &Discovery {
        self.discovery.get_or_init(|| {
            let stored = |entry| &**self.storage_versions.for_kind(entry, &self.scheme);
            Discovery::new(&self.scheme, &|entry| self.offered.resource(entry), &stored, &self.address)
        })
    }

    /// Whether a document of OpenAPI is made.
    pub(crate) fn has_document(&self, topic: &openapi::Topic) -> bool {
        self.openapi.is_made(topic)
    }

    /// A document of OpenAPI, which is made if it is not; `None` if there is no such one. `patches` are the media types of
    /// patches of a kind.
    ///
    /// # Errors
    /// Why the schemas that the program has handed over cannot be read.
    pub(crate) fn document(
        &self,
        topic: &openapi::Topic,
        patches: &dyn Fn(&KindEntry) -> Vec<&'static str>,
    ) -> Result<Option<&openapi::Packed>, &str> {
        let media = |entry: &_| match self.coverage.media(entry, Media::Protobuf) {
            Media::Json => vec![Media::Json.name()],
            Media::Protobuf => vec![Media::Json.name(), Media::Protobuf.name()],
        };
        let served =
            openapi::Served { scheme: &self.scheme, discovery: self.discovery(), media: &media, patches };
        self.openapi.document(topic, &served)
    }
}
