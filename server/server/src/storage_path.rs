//! The path of an object between client and store, one function per direction.
//!
//! Write: bytes at the client's version → object → defaults → hub → admission → validation →
//! storage version → bytes. Read: stored bytes → object at its stored version → the requested
//! version. Steps that would change nothing are skipped.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use hubgen_machinery::defaults::Context;
use hubgen_machinery::json::{Decoded, Raw};
use hubgen_machinery::meta;
use hubgen_machinery::protobuf::{Envelope, Unknown};
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};

use crate::admission::{Chain, Subject};
use crate::hub::Hub;
use crate::media::{Body, Coverage, Media};
use crate::objectmeta;
use crate::storage_versions::StorageVersions;
use crate::store::KeyValue;
use crate::unfit::Unfit;
use crate::unreadable::Unreadable;
use crate::validation::{self, Schemas, Scope, Violations};
use crate::wire::Status;

/// The settings of the storage path.
pub(crate) struct StoragePath {
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) versions: StorageVersions,
    /// The media type of stored objects.
    pub(crate) media: Media,
    pub(crate) coverage: Coverage,
    pub(crate) admission: Chain,
    /// The schemas of kinds that are validated by one.
    pub(crate) schemas: Schemas,
}

/// The part of an object that a request addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object, without its status if there is a `status` subresource.
    Main,
    /// The `status` subresource.
    Status,
}

/// The decoded object of a request.
///
/// The object exists only once. A body of 3 MB can become an object of more than 200 MB, so it is
/// copied only where necessary.
pub(crate) struct Received {
    /// The object at the hub, with its defaults.
    pub(crate) hub: Hub,
    /// The results of the checks at the client's version, for validation.
    pub(crate) checked: Checked,
    /// The paths of unknown and of duplicate fields.
    pub(crate) notes: Decoded,
    /// Messages about duplicate keys of YAML mappings.
    pub(crate) repeated: Vec<String>,
}

/// The results of checking the structure of an object at the client's version.
pub(crate) struct Checked {
    /// The violations of the schema.
    violations: Violations,
    /// The body in JSON, which distinguishes absent fields from zero values.
    body: Vec<u8>,
}

impl StoragePath {
    /// From the client to the hub: decodes at the client's version, sets defaults, converts.
    ///
    /// # Errors
    /// If the body is not an object of that kind and version.
    pub(crate) fn receive(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        body: Body,
        context: &Context,
    ) -> Result<Received, Status> {
        let (mut object, notes) = match decode(&self.scheme, entry, &body) {
            Ok(decoded) => decoded,
            Err(status) => return Err(self.wrong_types(entry, part, &body).unwrap_or(status)),
        };
        let repeated = body.repeated;
        let body = match body.media {
            Media::Json => body.bytes,
            // Protobuf does not distinguish absent from zero; the encoded JSON contains all values.
            Media::Protobuf => object.encode().map_err(Status::internal)?,
        };
        if part == Part::Main
            && has_status(entry)
            && !keeps_status_on_creation(entry)
            && let Some(status) = object.value.field_mut("status")
        {
            // The client's status is ignored, but the status may have defaults.
            status.clear();
        }
        object.set_defaults(context);
        if let Some(violation) = validation::growth(entry, &*object.value) {
            let name = meta::text(&*object.value, "name");
            return Err(Status::invalid(entry, name, &[violation]));
        }
        let violations = match self.schemas.of(entry) {
            Some(schema) => schema.violations(&body, None, scope(entry, part)),
            None => structure(&object, part, &body, None),
        };
        let name = meta::text(&*object.value, "name").to_owned();
        let hub = Hub::of(object).map_err(|error| Status::conversion(entry, &name, &error))?;
        Ok(Received { hub, checked: Checked { violations, body }, notes, repeated })
    }

    /// The error of a body that is not an object of its kind because of what its schema does not allow.
    fn wrong_types(&self, entry: &Arc<KindEntry>, part: Part, body: &Body) -> Option<Status> {
        let schema = self.schemas.of(entry).filter(|_| body.media == Media::Json)?;
        let document = Raw::new(&body.bytes).and_then(|body| body.to_value()).ok()?;
        let is_named = |field: &str, expected: &str| match document.get(field) {
            None => true,
            Some(name) => name.as_str().is_some_and(|name| name.is_empty() || name == expected),
        };
        if !is_named("kind", &entry.kind) || !is_named("apiVersion", &entry.api_version()) {
            return None;
        }
        let violations = schema.violations(&body.bytes, None, scope(entry, part));
        let name = document["metadata"]["name"].as_str().unwrap_or_default();
        (!violations.is_empty()).then(|| Status::invalid(entry, name, &violations.into_vec()))
    }

    /// From the hub to the store: admission that may change the object, validation, admission that sees the result.
    /// `old` is the current object.
    ///
    /// # Errors
    /// The error of an admission step, or all violations of the object.
    pub(crate) async fn admit(
        &self,
        checked: &Checked,
        hub: &mut Hub,
        subject: Subject<'_>,
        part: Part,
        old: Option<&dyn Reflect>,
    ) -> Result<(), Status> {
        let changed = self.admission.mutate(subject, Some(&mut *hub.value), old).await?;
        self.validate(checked, hub, subject, part, old, changed)?;
        self.admission.validate(subject, Some(&mut *hub.value), old).await
    }

    /// Validates by the schema of the client's version: a newer version may require a field that an older version
    /// defaults. `changed`: whether admission may have changed the object since it was decoded.
    ///
    /// # Errors
    /// All violations of the object.
    fn validate(
        &self,
        checked: &Checked,
        hub: &Hub,
        subject: Subject<'_>,
        part: Part,
        old: Option<&dyn Reflect>,
        changed: bool,
    ) -> Result<(), Status> {
        let entry = subject.entry;
        let mut violations = Violations::default();
        let name = meta::text(&*hub.value, "name");
        if old.is_none() && !name.is_empty() {
            let prefix = meta::text(&*hub.value, "generateName");
            if !prefix.is_empty() {
                violations.extend(validation::name::check_name(entry, "metadata.generateName", prefix, true));
            }
            violations.extend(validation::name::check_name(entry, "metadata.name", name, false));
            if !subject.namespace.is_empty() {
                violations.extend(validation::name::check_namespace(subject.namespace));
            }
        }
        // A review has no name, and its metadata has no meaning.
        if !name.is_empty() {
            validation::metadata(&*hub.value, old, &mut violations);
        }
        if let Some(schema) = self.schemas.of(entry) {
            let encoded = |hub: Hub| {
                let object = hub.at(entry, &self.scheme);
                let object = object.map_err(|error| Status::conversion(entry, subject.name, &error))?;
                object.encode().map_err(Status::internal)
            };
            let new = changed.then(|| encoded(hub.clone())).transpose()?;
            let mut found = match &new {
                Some(new) => schema.violations(new, None, scope(entry, part)),
                None => checked.violations.clone(),
            };
            if let Some(old) = old.filter(|_| !found.is_empty()) {
                let old = encoded(Hub { from: Arc::clone(&hub.from), value: old.boxed_copy() })?;
                let new = new.as_deref().unwrap_or(&checked.body);
                found = schema.violations(new, Some(&old), scope(entry, part));
            }
            violations.append(found);
            return violations.result(entry, subject.name);
        }
        // An update may omit required fields that the old object lacks.
        let missing_before = match old {
            Some(old) if changed || !checked.violations.is_empty() => self.missing_fields(entry, part, old),
            _ => BTreeSet::new(),
        };
        if changed || !missing_before.is_empty() {
            let object = hub.clone().at(entry, &self.scheme);
            let object = object.map_err(|error| Status::conversion(entry, subject.name, &error))?;
            let excused = |field: &str| missing_before.contains(&without_indices(field));
            let excused = (!missing_before.is_empty()).then_some(&excused as &dyn Fn(&str) -> bool);
            violations.append(structure(&object, part, &checked.body, excused));
        } else {
            violations.append(checked.violations.clone());
        }
        violations.result(entry, subject.name)
    }

    /// The required fields that an object lacks. A client may write back what it has read, and an
    /// object that was written at an older version can lack fields that a newer version requires.
    fn missing_fields(&self, entry: &Arc<KindEntry>, part: Part, old: &dyn Reflect) -> BTreeSet<String> {
        let hub = Hub { from: Arc::clone(entry), value: old.boxed_copy() };
        let Ok(object) = hub.at(entry, &self.scheme) else { return BTreeSet::new() };
        let missing_before = RefCell::new(BTreeSet::new());
        let note = |field: &str| {
            missing_before.borrow_mut().insert(without_indices(field));
            true
        };
        let Ok(body) = object.encode() else { return BTreeSet::new() };
        structure(&object, part, &body, Some(&note));
        missing_before.into_inner()
    }

    /// Converts an object to its storage version.
    ///
    /// # Errors
    /// If the stash for what the storage version cannot represent does not fit into annotations.
    pub(crate) fn to_stored(&self, hub: Hub, name: &str) -> Result<Object, Status> {
        let entry = Arc::clone(&hub.from);
        let mut object = hub
            .at(self.versions.of(&entry, &self.scheme), &self.scheme)
            .map_err(|error| Status::conversion(&entry, name, &error))?;
        objectmeta::clear(&mut *object.value, "resourceVersion");
        objectmeta::clear(&mut *object.value, "selfLink");
        Ok(object)
    }

    /// Encodes an object for the store.
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent.
    pub(crate) fn encode(&self, object: &Object) -> Result<Vec<u8>, Status> {
        self.coverage.stored(&object.entry, self.media).encode(object).map_err(Status::internal)
    }

    /// Encodes an object that replaces a stored one. Unknown fields that a newer server has written
    /// into the stored value are preserved, if the version and the encoding stay the same.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub(crate) fn encode_over(&self, object: &Object, stored: &KeyValue) -> Result<Vec<u8>, Status> {
        match (self.coverage.stored(&object.entry, self.media), unknown_in(stored, object)) {
            (Media::Protobuf, Some(unknown)) => Ok(object.encode_protobuf_with(&unknown)),
            _ => self.encode(object),
        }
    }

    /// Decodes a stored value. The value itself specifies its version and encoding.
    ///
    /// # Errors
    /// If the bytes are not an object of a kind that this server knows.
    pub(crate) fn decode_stored(&self, stored: &KeyValue) -> Result<Object, Unreadable> {
        let object = if Envelope::is_one(&stored.value) {
            self.scheme.decode_protobuf(&stored.value)
        } else {
            self.scheme.decode(&stored.value).map(|(object, _)| object)
        };
        object.map_err(|error| Unreadable::new(stored, error))
    }

    /// From the store to the client: converts to the requested version, and sets `resourceVersion`
    /// to the revision at which the object was read.
    ///
    /// # Errors
    /// If the object does not convert from its stored version to the requested one.
    pub(crate) fn answer(&self, stored: Object, to: &Arc<KindEntry>, revision: u64) -> Result<Object, Unfit> {
        self.at_version(stored, to).map(|object| at_revision(object, revision))
    }

    /// Converts an object from its stored version to the requested one.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub(crate) fn at_version(&self, stored: Object, to: &Arc<KindEntry>) -> Result<Object, Unfit> {
        let unfit = Unfit::of(&stored, to);
        self.scheme.convert(stored, to).map_err(unfit)
    }
}

/// Sets `resourceVersion` to the revision at which an object was read.
pub(crate) fn at_revision(mut object: Object, revision: u64) -> Object {
    objectmeta::set_text(&mut *object.value, "resourceVersion", &revision.to_string());
    object
}

/// The unknown fields of a stored object, if it has the same kind and version as `other`.
fn unknown_in(stored: &KeyValue, other: &Object) -> Option<Unknown> {
    let envelope = Envelope::decode(&stored.value).ok()?;
    let named = TypeMeta { api_version: envelope.api_version, kind: envelope.kind };
    if other.entry.type_meta() != Some(named) {
        return None;
    }
    let unknown = Unknown::of(other.value.descriptor(), envelope.raw).ok()?;
    (!unknown.is_empty()).then_some(unknown)
}

fn structure(object: &Object, part: Part, body: &[u8], excused: Option<&dyn Fn(&str) -> bool>) -> Violations {
    let has_status = has_status(&object.entry);
    // Metadata is checked apart: its rules are the same for all kinds.
    let wanted = |field: &str| match part {
        Part::Main => field != "metadata" && !(has_status && field == "status"),
        Part::Status => field == "status",
    };
    validation::structure(&*object.value, body, &wanted, excused)
}

/// The part of an object that a request changes.
fn scope(entry: &KindEntry, part: Part) -> Scope {
    match part {
        Part::Status => Scope::Status,
        Part::Main if has_status(entry) => Scope::WithoutStatus,
        Part::Main => Scope::Whole,
    }
}

/// The field path with every list index replaced by `[]`: inserting elements changes indices.
pub(crate) fn without_indices(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for (position, piece) in path.split('[').enumerate() {
        match piece.split_once(']') {
            Some((index, rest)) if position > 0 && index.bytes().all(|b| b.is_ascii_digit()) => {
                out.push_str("[]");
                out.push_str(rest);
            }
            _ if position > 0 => {
                out.push('[');
                out.push_str(piece);
            }
            _ => out.push_str(piece),
        }
    }
    out
}

/// Whether a creation keeps the client's status although there is a `status` subresource: a node
/// reports its status when it registers.
fn keeps_status_on_creation(entry: &KindEntry) -> bool {
    let (group, _, kind) = entry.storage();
    (group, kind) == ("", "Node")
}

/// Whether a kind has a `status` subresource, so that no other request changes its status.
pub(crate) fn has_status(entry: &KindEntry) -> bool {
    entry
        .resource
        .as_ref()
        .is_some_and(|resource| resource.subresources.iter().any(|part| part.name == "status"))
}

/// Decodes a body as an object of the kind of the request path. If the body does not name a kind,
/// that kind is assumed.
fn decode(scheme: &Scheme, entry: &Arc<KindEntry>, body: &Body) -> Result<(Object, Decoded), Status> {
    let mut object = Object::new(entry);
    let decoded = body.decode_into(scheme, &mut *object.value);
    let named = match &decoded {
        Ok(notes) => Ok(notes.clone()),
        Err(_) => body.type_meta(),
    };
    let named = named.map_err(|error| {
        let what = match body.media {
            Media::Json => "json parse error: ",
            Media::Protobuf => "",
        };
        Status::unrecognized(entry, format_args!("couldn't get version/kind; {what}{error}"))
    })?;
    let expected = entry.api_version();
    let kind = if named.kind.is_empty() { &*entry.kind } else { &named.kind };
    let api_version = if named.api_version.is_empty() { &expected } else { &named.api_version };
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let wrong_type = |why: &dyn std::fmt::Display| {
        Status::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {why}",
            entry.kind
        ))
    };
    if scheme.named(api_version, kind).is_none() {
        return Err(wrong_type(&format_args!(
            "no kind \"{kind}\" is registered for version \"{api_version}\""
        )));
    }
    if kind != entry.kind {
        return Err(wrong_type(&format_args!(
            "expected kind \"{}\", found kind \"{kind}\" of {api_version}",
            entry.kind
        )));
    }
    if *api_version != expected {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    match decoded {
        Ok(notes) => Ok((object, notes)),
        Err(error) => Err(wrong_type(&error)),
    }
}
