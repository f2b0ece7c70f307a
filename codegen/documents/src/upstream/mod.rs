//! Reads published documents into facts that the archive merges: swagger 2.0 and OpenAPI v3,
//! protobuf descriptor sets, field facts, and answers to discovery.

mod descriptor;
mod discovery;
mod field_facts;
pub mod name;
mod openapi;

use std::path::Path;

use hubgen_model::{Field, GroupVersion, GroupVersionKind, Omit, Presence, Release, TypeExpr, TypeId};
use indexmap::IndexMap;

pub use self::discovery::DiscoveredResource;
use crate::node::Node;
use crate::{Diagnostic, Source};

/// The content of one document.
#[derive(Debug)]
pub struct Document {
    /// The form of the document.
    pub form: Form,
    /// The release that it describes, if the document or its path specifies one.
    pub release: Option<Release>,
    /// The types.
    pub types: IndexMap<TypeId, TypeFacts>,
    /// The operations of a server at each path (OpenAPI only).
    pub operations: Vec<Operation>,
    /// What a server answers to discovery.
    pub discovered: Discovered,
}

/// What a server answers to discovery.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// Its resources.
    pub resources: Vec<DiscoveredResource>,
    /// The preferred version of each group but the core group, which has one version.
    pub preferred: Vec<GroupVersion>,
}

impl Discovered {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.preferred.is_empty()
    }
}

impl Document {
    /// A document with types only.
    fn new(form: Form, release: Option<Release>, types: IndexMap<TypeId, TypeFacts>) -> Self {
        Self { form, release, types, operations: Vec::new(), discovered: Discovered::default() }
    }

    /// Removes descriptions.
    pub fn drop_prose(&mut self) {
        for facts in self.types.values_mut() {
            facts.description = None;
            for field in facts.fields.values_mut().filter_map(|field| field.published.as_mut()) {
                field.description = None;
            }
        }
    }
}

/// The forms of documents, ordered by how much they know about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Swagger 2.0 or OpenAPI v3.
    OpenApi,
    /// An `APIResourceList` or `APIGroupList`, with which a server answers discovery.
    Discovery,
    /// A protobuf `FileDescriptorSet`.
    Descriptors,
    /// Fields in order, with shape, omission and number.
    FieldFacts,
}

/// The facts about a type in one document.
#[derive(Clone, Debug, Default)]
pub struct TypeFacts {
    /// The fields, in the document's order.
    pub fields: IndexMap<String, FieldFacts>,
    /// The names under which clients may send it.
    pub kinds: Vec<GroupVersionKind>,
    /// Whether its objects contain `kind` and `apiVersion`.
    pub typed: bool,
    /// The types whose fields are inlined into it: protobuf number, type.
    pub inlined: Vec<(u32, TypeId)>,
    /// Its description.
    pub description: Option<String>,
}

/// The facts about a field in one document; `None` where it contains none.
#[derive(Clone, Debug, Default)]
pub struct FieldFacts {
    /// Its type.
    pub ty: Option<TypeExpr>,
    /// Its likely type, used if no document specifies one.
    pub guess: Option<TypeExpr>,
    /// Whether it is a pointer or a value.
    pub presence: Option<Presence>,
    /// When it is omitted from JSON.
    pub omit: Option<Omit>,
    /// Protobuf numbers, from the outermost message inwards.
    pub number: Vec<u32>,
    /// Facts that only OpenAPI contains: required, default, enum, list and patch facts,
    /// description.
    pub published: Option<Field>,
}

/// One method at one path.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`.
    pub path: String,
    /// `x-kubernetes-action`: `list`, `post`, `watchlist`, …
    pub action: String,
    /// The kind in the body of the request or answer.
    pub kind: GroupVersionKind,
}

/// Reads one document of any form. The release is taken from a component of its path (`v1.35`,
/// `v1.35.json`), or else from the document.
///
/// # Errors
/// All errors in the document.
pub fn read(path: &Path, bytes: Vec<u8>) -> Result<Document, Vec<Diagnostic>> {
    let release = release_of(path);
    if path.extension().is_some_and(|extension| extension == "binpb") {
        let types = descriptor::read(&bytes)
            .map_err(|message| vec![Diagnostic::file(path, message, "give a protobuf FileDescriptorSet")])?;
        return Ok(Document::new(Form::Descriptors, release, types));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        vec![Diagnostic::file(path, "is not UTF-8", "give JSON documents, or descriptor sets named *.binpb")]
    })?;
    let source = Source::new(path, text);
    let document = Node::parse(&source).map_err(|error| vec![error])?;
    if document.get("swagger").is_some() || document.get("openapi").is_some() {
        return openapi::read(&source, &document, release);
    }
    let is_field = |node: &Node| node.get("shape").is_some() || node.get("inline").is_some();
    let is_type = |node: &Node| node.object().is_some_and(|fields| fields.values().all(is_field));
    if document.object().is_some_and(|types| !types.is_empty() && types.values().all(is_type)) {
        let types = field_facts::read(&source, &document)?;
        return Ok(Document::new(Form::FieldFacts, release, types));
    }
    if discovery::is_discovery(&document) {
        let discovered = discovery::read(&source, &document)?;
        return Ok(Document { discovered, ..Document::new(Form::Discovery, release, IndexMap::new()) });
    }
    Err(vec![source.error(
        0..1,
        "",
        "unknown form of document",
        "give swagger 2.0, OpenAPI v3, field facts (type → field → {shape, type, …}) or a descriptor set (*.binpb)",
    )])
}

/// The release that a component of a path names: `v1.35`, `v1.35.json`.
pub fn release_of(path: &Path) -> Option<Release> {
    path.iter().rev().find_map(|part| {
        let part = part.to_str()?;
        let part = part.strip_suffix(".json").or_else(|| part.strip_suffix(".binpb")).unwrap_or(part);
        let numbers = part.strip_prefix('v')?;
        (numbers.contains('.') && numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
            .then(|| numbers.parse().ok())?
    })
}
