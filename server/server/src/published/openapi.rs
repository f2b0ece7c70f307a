//! OpenAPI: made when it is first asked for, and kept packed.
//!
//! A hash in the list of documents tells clients whether they have one already. It is that of the document's content, as
//! upstream's, so that the list needs all documents.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_meta::v1::APIResource;
use hubgen_openapi::{GroupVersion, InvalidSchemas, Kind, Publisher, Resource, Sources, gnostic};
use openapiv3::OpenAPI;
use serde_json::{Value, json};

use super::discovery::Discovery;
use super::version::version;

/// What a request asks of OpenAPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// `/openapi/v2`.
    Swagger,
    /// `/openapi/v3`.
    List,
    /// `/openapi/v3/<path>`, without a slash at the beginning of the path.
    Document(String),
}

/// The encoding of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Protobuf,
}

/// The documents of one snapshot of kinds.
pub(crate) struct OpenApi {
    sources: Sources,
    /// The release of Kubernetes for which the server is taken.
    release: (u32, u32),
    documents: OnceLock<Result<Documents, String>>,
    swagger: OnceLock<Result<Packed, String>>,
}

/// All documents of OpenAPI v3.
struct Documents {
    list: Packed,
    by_path: BTreeMap<String, Packed>,
}

/// A document that is packed.
pub(crate) struct Packed {
    /// The document in JSON, compressed with gzip.
    json: Arc<[u8]>,
    /// The same in protobuf, when it was asked for.
    protobuf: OnceLock<Arc<[u8]>>,
    encode: fn(&str) -> Result<Vec<u8>, serde_json::Error>,
    hash: String,
}

impl OpenApi {
    pub(crate) fn new(sources: Sources, release: (u32, u32)) -> Self {
        Self { sources, release, documents: OnceLock::new(), swagger: OnceLock::new() }
    }

    /// Whether the answer to a request is made, so that answering is no work.
    pub(crate) fn is_made(&self, topic: &Topic) -> bool {
        match topic {
            Topic::Swagger => self.swagger.get().is_some(),
            Topic::List | Topic::Document(_) => self.documents.get().is_some(),
        }
    }

    /// The document that is asked for; `None` if there is no such one.
    ///
    /// # Errors
    /// Why the schemas that the program has handed over cannot be read.
    pub(crate) fn document(&self, topic: &Topic, kinds: &Served<'_>) -> Result<Option<&Packed>, &str> {
        let documents = || {
            let made = self.documents.get_or_init(|| self.make(kinds).map_err(|error| error.to_string()));
            made.as_ref().map_err(String::as_str)
        };
        match topic {
            Topic::Swagger => {
                let made =
                    self.swagger.get_or_init(|| self.make_swagger(kinds).map_err(|error| error.to_string()));
                made.as_ref().map(Some).map_err(String::as_str)
            }
            Topic::List => documents().map(|documents| Some(&documents.list)),
            Topic::Document(path) => documents().map(|documents| documents.by_path.get(path)),
        }
    }

    fn make(&self, kinds: &Served<'_>) -> Result<Documents, InvalidSchemas> {
        let version = version(self.release);
        let publisher = Publisher::new(&self.sources, &version.git_version)?;
        let pack = |document: OpenAPI| Packed::new(&written(&document), gnostic::v3);
        let mut by_path = BTreeMap::new();
        by_path.insert("api".to_owned(), pack(publisher.core()));
        by_path.insert("apis".to_owned(), pack(publisher.groups()));
        by_path.insert("version".to_owned(), pack(publisher.version(&fields(&version))));
        for group_version in kinds.group_versions() {
            let group = &group_version.group;
            if !group_version.defined && !group.is_empty() {
                by_path.entry(format!("apis/{group}")).or_insert_with(|| pack(publisher.group(group)));
            }
            by_path.insert(group_version.path(), pack(publisher.group_version(&group_version)));
        }
        let url = |(path, document): (&String, &Packed)| {
            (path.clone(), json!({"serverRelativeURL": document_url(path, &document.hash)}))
        };
        let paths: serde_json::Map<String, Value> = by_path.iter().map(url).collect();
        Ok(Documents { list: Packed::new(&json!({"paths": paths}).to_string(), gnostic::v3), by_path })
    }

    fn make_swagger(&self, kinds: &Served<'_>) -> Result<Packed, InvalidSchemas> {
        let version = version(self.release);
        let publisher = Publisher::new(&self.sources, &version.git_version)?;
        let group_versions: Vec<_> = kinds.group_versions().collect();
        Ok(Packed::new(&publisher.swagger(&group_versions, &fields(&version)), gnostic::v2))
    }
}

/// Where a document is, with the hash of its content.
pub(crate) fn document_url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

impl Packed {
    fn new(text: &str, encode: fn(&str) -> Result<Vec<u8>, serde_json::Error>) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = format!("{:016X}", hasher.finish());
        Self { json: packed(text.as_bytes()), protobuf: OnceLock::new(), encode, hash }
    }

    /// The hash of its content, which is the same in both encodings.
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    /// The document, compressed with gzip.
    pub(crate) fn packed(&self, encoding: Encoding) -> Arc<[u8]> {
        match encoding {
            Encoding::Json => Arc::clone(&self.json),
            Encoding::Protobuf => Arc::clone(self.protobuf.get_or_init(|| {
                let text = String::from_utf8(unpacked(&self.json)).unwrap_or_default();
                packed(&(self.encode)(&text).expect("it was written here"))
            })),
        }
    }
}

/// A document in JSON.
fn written(document: &OpenAPI) -> String {
    serde_json::to_string(document).expect("its types are those of JSON")
}

/// Compresses with gzip: each document is made once, and kept.
fn packed(bytes: &[u8]) -> Arc<[u8]> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing into memory does not fail").into()
}

/// What was compressed with gzip.
pub(crate) fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let read: io::Result<usize> = GzDecoder::new(bytes).read_to_end(&mut out);
    read.expect("it was packed here");
    out
}

/// The fields of an object of the server's own.
fn fields(object: &dyn Reflect) -> Vec<&str> {
    let descriptor = object.descriptor().compiled();
    descriptor.into_iter().flat_map(|descriptor| descriptor.fields.iter()).map(|field| &*field.name).collect()
}

/// The kinds that documents are about.
pub(crate) struct Served<'a> {
    pub(crate) scheme: &'a Scheme,
    pub(crate) discovery: &'a Discovery,
    /// The media types in which objects of a kind are sent.
    pub(crate) media: &'a dyn Fn(&KindEntry) -> Vec<&'static str>,
    /// The media types of patches of a kind.
    pub(crate) patches: &'a dyn Fn(&KindEntry) -> Vec<&'static str>,
}

impl Served<'_> {
    /// What discovery lists: so what is served is published, and nothing else.
    fn group_versions(&self) -> impl Iterator<Item = GroupVersion> {
        self.discovery.all().map(|(group, version, resources)| GroupVersion {
            group: group.to_owned(),
            version: version.to_owned(),
            resources: resources.iter().map(|resource| self.resource(group, version, resource)).collect(),
            defined: self.is_defined(group, version, resources),
        })
    }

    /// Whether all resources of a group version come from definitions.
    fn is_defined(&self, group: &str, version: &str, resources: &[APIResource]) -> bool {
        resources.iter().filter(|resource| !resource.name.contains('/')).all(|resource| {
            let entry = self.scheme.resource(group, version, &resource.name);
            entry.is_some_and(|entry| entry.untyped.is_some())
        })
    }

    fn resource(&self, group: &str, version: &str, listed: &APIResource) -> Resource {
        let plural = listed.name.split('/').next().unwrap_or_default();
        let entry = self.scheme.resource(group, version, plural);
        // A subresource can have a kind of another group.
        let (group, version) = match &*listed.version {
            "" => (group, version),
            version => (&*listed.group, version),
        };
        Resource {
            name: listed.name.to_string(),
            namespaced: listed.namespaced,
            kind: Kind {
                group: group.to_owned(),
                version: version.to_owned(),
                kind: listed.kind.to_string(),
            },
            verbs: listed.verbs.iter().map(ToString::to_string).collect(),
            media: entry.map_or_else(Vec::new, |entry| (self.media)(entry)),
            patches: entry.map_or_else(Vec::new, |entry| (self.patches)(entry)),
        }
    }
}
