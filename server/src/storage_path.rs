//! The way of an object through the server, one function per direction.
//!
//! In: bytes at the client's version → object → defaults → hub → admission → validation → storage
//! version → bytes. Out: stored bytes → object at the version they say → the version asked for. A
//! step that would change nothing is not taken.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use hubgen_machinery::defaults::Context;
use hubgen_machinery::json::Decoded;
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
use crate::unreadable::Unreadable;
use crate::validation::{self, Violations};
use crate::wire::Status;

/// What the way needs to know.
pub(crate) struct StoragePath {
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) versions: StorageVersions,
    /// What objects are stored in.
    pub(crate) media: Media,
    pub(crate) coverage: Coverage,
    pub(crate) admission: Chain,
}

/// Which part of an object a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but the status, where that has a path of its own.
    Main,
    /// The status.
    Status,
}

/// What a client sent, understood.
///
/// The object is there once. One body of 3 MB can take more than 200 MB as an object, so a copy of it is made only
/// where it is needed.
pub(crate) struct Received {
    /// The object at the hub, with its defaults.
    pub(crate) hub: Hub,
    /// What its validation needs later on.
    pub(crate) checked: Checked,
    /// Paths of fields that nobody knows, and of fields that came twice.
    pub(crate) notes: Decoded,
    /// What was said twice in YAML.
    pub(crate) repeated: Vec<String>,
}

/// What was found when the structure of an object was checked at the client's version.
pub(crate) struct Checked {
    /// The rules that it breaks.
    violations: Violations,
    /// The body in JSON, in which what is missing can be told from what is zero.
    body: Vec<u8>,
}

impl StoragePath {
    /// Client to hub: decode at the client's version, default, convert.
    ///
    /// # Errors
    /// When the body is no object of that kind and version.
    pub(crate) fn receive(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        body: Body,
        context: &Context,
    ) -> Result<Received, Status> {
        let (mut object, notes) = decode(&self.scheme, entry, &body)?;
        let repeated = body.repeated;
        let body = match body.media {
            Media::Json => body.bytes,
            // Protobuf itself does not tell: values are always written.
            Media::Protobuf => object.encode(),
        };
        if part == Part::Main
            && has_status(entry)
            && !comes_with_status(entry)
            && let Some(status) = object.value.field_mut("status")
        {
            // What the client claims counts for nothing; a status may have defaults, though.
            status.clear();
        }
        object.set_defaults(context);
        if let Some(violation) = validation::growth(entry, &*object.value) {
            let name = meta::text(&*object.value, "name");
            return Err(Status::invalid(entry, name, &[violation]));
        }
        let violations = structure(&object, part, &body, None);
        let name = meta::text(&*object.value, "name").to_owned();
        let hub = Hub::of(object).map_err(|error| Status::conversion(entry, &name, &error))?;
        Ok(Received { hub, checked: Checked { violations, body }, notes, repeated })
    }

    /// Hub to store: admission, validation, storage version. `old` is what is there now.
    ///
    /// What a field must hold is said by the version that the client speaks: what an older version
    /// leaves to defaults a newer one may require. Nothing is refused before admission had its
    /// chance to mend it.
    ///
    /// # Errors
    /// What admission answers, or all the rules that the object breaks.
    pub(crate) fn admit(
        &self,
        checked: &Checked,
        hub: &mut Hub,
        subject: Subject<'_>,
        part: Part,
        old: Option<&dyn Reflect>,
    ) -> Result<(), Status> {
        let entry = subject.entry;
        let changed = self.admission.run(subject, Some(&mut *hub.value), old)?;
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
        // What is only asked has no name, and its metadata means nothing.
        if !name.is_empty() {
            validation::metadata(&*hub.value, old, &mut violations);
        }
        // An update may lack what the object lacked before.
        let lacked = match old {
            Some(old) if changed || !checked.violations.is_empty() => self.lacks(entry, part, old),
            _ => BTreeSet::new(),
        };
        if changed || !lacked.is_empty() {
            let object = hub.clone().at(entry, &self.scheme);
            let object = object.map_err(|error| Status::conversion(entry, subject.name, &error))?;
            let excused = |field: &str| lacked.contains(&without_indices(field));
            let excused = (!lacked.is_empty()).then_some(&excused as &dyn Fn(&str) -> bool);
            violations.append(structure(&object, part, &checked.body, excused));
        } else {
            violations.append(checked.violations.clone());
        }
        let violations = violations.into_vec();
        if violations.is_empty() { Ok(()) } else { Err(Status::invalid(entry, subject.name, &violations)) }
    }

    /// The fields that an object lacks as it is. A client may write back what it has read: an object
    /// that an older version made can lack what a newer one requires.
    fn lacks(&self, entry: &Arc<KindEntry>, part: Part, old: &dyn Reflect) -> BTreeSet<String> {
        let hub = Hub { from: Arc::clone(entry), value: old.boxed_copy() };
        let Ok(object) = hub.at(entry, &self.scheme) else { return BTreeSet::new() };
        let lacked = RefCell::new(BTreeSet::new());
        let note = |field: &str| {
            lacked.borrow_mut().insert(without_indices(field));
            true
        };
        structure(&object, part, &object.encode(), Some(&note));
        lacked.into_inner()
    }

    /// The object as it is stored.
    ///
    /// # Errors
    /// When what the storage version cannot say does not fit into annotations.
    pub(crate) fn to_stored(&self, hub: Hub, name: &str) -> Result<Object, Status> {
        let entry = Arc::clone(&hub.from);
        let mut object = hub
            .at(self.versions.of(&entry, &self.scheme), &self.scheme)
            .map_err(|error| Status::conversion(&entry, name, &error))?;
        objectmeta::clear(&mut *object.value, "resourceVersion");
        objectmeta::clear(&mut *object.value, "selfLink");
        Ok(object)
    }

    /// The bytes of a stored object.
    pub(crate) fn encode(&self, object: &Object) -> Vec<u8> {
        self.coverage.stored(&object.entry, self.media).encode(object)
    }

    /// The bytes of an object in place of a stored one. What a newer server has written into that,
    /// and this one does not know, is kept, if the version and the encoding stay the same.
    pub(crate) fn encode_over(&self, object: &Object, stored: &KeyValue) -> Vec<u8> {
        match (self.coverage.stored(&object.entry, self.media), unknown_in(stored, object)) {
            (Media::Protobuf, Some(unknown)) => object.encode_protobuf_with(&unknown),
            _ => self.encode(object),
        }
    }

    /// The object in stored bytes, at the version and in the encoding that they say.
    ///
    /// # Errors
    /// When the bytes are of no kind that this server knows.
    pub(crate) fn decode_stored(&self, stored: &KeyValue) -> Result<Object, Unreadable> {
        let object = if Envelope::is_one(&stored.value) {
            self.scheme.decode_protobuf(&stored.value)
        } else {
            self.scheme.decode(&stored.value).map(|(object, _)| object)
        };
        object.map_err(|error| Unreadable::new(stored, error))
    }

    /// Store to client: the version asked for, with the revision that the object was read at.
    ///
    /// # Errors
    /// When the object was stored at a version from which there is no way to the one asked for.
    pub(crate) fn answer(
        &self,
        stored: Object,
        to: &Arc<KindEntry>,
        revision: u64,
    ) -> Result<Object, Status> {
        let name = meta::text(&*stored.value, "name").to_owned();
        let mut object =
            self.scheme.convert(stored, to).map_err(|error| Status::unreadable(to, &name, &error))?;
        objectmeta::set_text(&mut *object.value, "resourceVersion", &revision.to_string());
        Ok(object)
    }
}

/// The unknown fields of a stored object that is of the same version as another one.
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
    // Metadata has rules of its own, which are the same for all kinds.
    let wanted = |field: &str| match part {
        Part::Main => field != "metadata" && !(has_status && field == "status"),
        Part::Status => field == "status",
    };
    validation::structure(&*object.value, body, &wanted, excused)
}

/// A path with all elements of a list as one: what is inserted before them moves them.
fn without_indices(path: &str) -> String {
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

/// Whether an object is created with the status that the client sends, although the status has a
/// path of its own: a node tells who it is when it registers.
fn comes_with_status(entry: &KindEntry) -> bool {
    let (group, _, kind) = entry.storage();
    (group, kind) == ("", "Node")
}

/// Whether the status of a kind has a path of its own, so that nothing else changes it.
pub(crate) fn has_status(entry: &KindEntry) -> bool {
    entry
        .resource
        .as_ref()
        .is_some_and(|resource| resource.subresources.iter().any(|part| part.name == "status"))
}

/// Reads a body as an object of the kind that its path names. A body that does not name its kind is
/// taken to be of that one.
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
    let unfit = |why: &dyn std::fmt::Display| {
        Status::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {why}",
            entry.kind
        ))
    };
    if scheme.named(api_version, kind).is_none() {
        return Err(unfit(&format_args!("no kind \"{kind}\" is registered for version \"{api_version}\"")));
    }
    if kind != entry.kind {
        return Err(unfit(&format_args!(
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
        Err(error) => Err(unfit(&error)),
    }
}
