//! Published documents, read into facts that the archive puts together:
//! swagger 2.0 and OpenAPI v3, protobuf descriptor sets, and field facts.

mod descriptor;
mod field_facts;
pub mod name;
mod openapi;

use std::path::Path;

use hubgen_model::{Field, GroupVersionKind, Omit, Presence, Release, TypeExpr, TypeId};
use indexmap::IndexMap;

use crate::schema::json::Node;
use crate::{Diagnostic, Source};

/// What one document says.
#[derive(Debug)]
pub struct Document {
    /// Which kind of document it is.
    pub form: Form,
    /// The release that it describes, where it or its path says so.
    pub release: Option<Release>,
    /// The types.
    pub types: IndexMap<TypeId, TypeFacts>,
    /// What a server does at which path (OpenAPI only).
    pub operations: Vec<Operation>,
}

impl Document {
    /// Forgets descriptions.
    pub fn drop_prose(&mut self) {
        for facts in self.types.values_mut() {
            facts.description = None;
            for field in facts.fields.values_mut().filter_map(|field| field.published.as_mut()) {
                field.description = None;
            }
        }
    }
}

/// The kinds of documents, ordered by how much they know about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Swagger 2.0 or OpenAPI v3.
    OpenApi,
    /// A protobuf `FileDescriptorSet`.
    Descriptors,
    /// Fields in order, with shape, omission and number.
    FieldFacts,
}

/// What one document says about a type.
#[derive(Clone, Debug, Default)]
pub struct TypeFacts {
    /// The fields, in the document's order.
    pub fields: IndexMap<String, FieldFacts>,
    /// Under which names clients may send it.
    pub kinds: Vec<GroupVersionKind>,
    /// Its objects carry `kind` and `apiVersion`.
    pub typed: bool,
    /// The types whose fields stand among its own: protobuf number, type.
    pub inlined: Vec<(u32, TypeId)>,
    /// Prose.
    pub description: Option<String>,
}

/// What one document says about a field; `None` where it says nothing.
#[derive(Clone, Debug, Default)]
pub struct FieldFacts {
    /// What it holds.
    pub ty: Option<TypeExpr>,
    /// What it seems to hold, for want of a document that says so.
    pub guess: Option<TypeExpr>,
    /// Pointer or value.
    pub presence: Option<Presence>,
    /// When it is left out.
    pub omit: Option<Omit>,
    /// Protobuf numbers from the outermost message inwards.
    pub number: Vec<u32>,
    /// What only OpenAPI says: required, default, enum, list and patch facts,
    /// prose.
    pub published: Option<Field>,
}

/// One method at one path.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`.
    pub path: String,
    /// `x-kubernetes-action`: `list`, `post`, `watchlist`, …
    pub action: String,
    /// The kind that travels there.
    pub kind: GroupVersionKind,
}

/// Reads one document, whatever it is. The release is taken from a component
/// of its path (`v1.35`, `v1.35.json`), else from the document.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, bytes: Vec<u8>) -> Result<Document, Vec<Diagnostic>> {
    let release = release_of(path);
    if path.extension().is_some_and(|extension| extension == "binpb") {
        let types = descriptor::read(&bytes).map_err(|message| {
            vec![Diagnostic::file(path, message, "a .binpb file must be a protobuf FileDescriptorSet")]
        })?;
        return Ok(Document { form: Form::Descriptors, release, types, operations: Vec::new() });
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
        return Ok(Document { form: Form::FieldFacts, release, types, operations: Vec::new() });
    }
    Err(vec![source.error(
        0..1,
        "",
        "this is no document that import knows",
        "give swagger 2.0, OpenAPI v3, field facts (type → field → {shape, type, …}) or a descriptor set (*.binpb)",
    )])
}

fn release_of(path: &Path) -> Option<Release> {
    path.iter().rev().find_map(|part| {
        let part = part.to_str()?;
        let part = part.strip_suffix(".json").or_else(|| part.strip_suffix(".binpb")).unwrap_or(part);
        let numbers = part.strip_prefix('v')?;
        (numbers.contains('.') && numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
            .then(|| numbers.parse().ok())?
    })
}
