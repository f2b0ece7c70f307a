//! From the client to the hub: decodes a body at the client's version, sets defaults, converts.

use std::sync::Arc;

use hubgen_machinery::defaults::Context;
use hubgen_machinery::json::{Decoded, Raw};
use hubgen_machinery::meta;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme, SchemeError};

use super::Objects;
use super::duplicates::duplicates;
use super::error::Error;
use super::hub::Hub;
use super::misnamed::Misnamed;
use super::part::{scope, structure};
use crate::catalog::Catalog;
use crate::media::{Body, Media};
use crate::part::{Part, has_status};
use crate::validation::{self, Schemas, Violations, cut};

/// The most bytes that are shown of a body that names no kind.
const MAX_SHOWN: usize = 16 << 10;

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

impl Received {
    /// The name of the object; empty if it has none.
    pub(crate) fn name(&self) -> &str {
        meta::text(&*self.hub.value, "name")
    }
}

/// The results of checking the structure of an object at the client's version.
pub(crate) struct Checked {
    /// What the object claims to be, if that is something else than the request is about.
    pub(super) misnamed: Option<Misnamed>,
    /// The violations of the schema.
    pub(super) violations: Violations,
    /// The body in JSON, which distinguishes absent fields from zero values.
    pub(super) body: Vec<u8>,
}

impl Objects {
    /// From the client to the hub: decodes at the client's version, sets defaults, converts.
    ///
    /// # Errors
    /// If the body is not an object of that kind and version.
    pub(crate) fn receive(&self, entry: &Arc<KindEntry>, part: Part, body: Body) -> Result<Received, Error> {
        self.receiving().receive(entry, part, body)
    }

    /// [Receives](Self::receive) what a patch makes of an object. Of a kind that no type describes, it may say that it is something
    /// else, which validation finds.
    ///
    /// # Errors
    /// If it is not an object of that kind and version otherwise.
    pub(super) fn receive_patched(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        body: Body,
    ) -> Result<Received, Error> {
        self.receiving().receive_patched(entry, part, body)
    }

    /// [Receives](Self::receive) what a configuration that is applied makes of an object.
    ///
    /// # Errors
    /// If it is not an object of that kind and version.
    pub(super) fn receive_applied(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        body: Body,
    ) -> Result<Received, Error> {
        Receiving { is_applied: true, ..self.receiving() }.receive(entry, part, body)
    }

    fn receiving(&self) -> Receiving<'_> {
        let Catalog { scheme, schemas, .. } = &*self.catalog;
        Receiving { scheme, schemas, now: self.backing.environment.now(), is_applied: false }
    }
}

/// What it takes to receive objects.
pub(super) struct Receiving<'a> {
    pub(super) scheme: &'a Scheme,
    pub(super) schemas: &'a Schemas,
    pub(super) now: Time,
    /// Whether a configuration that is applied makes the objects.
    pub(super) is_applied: bool,
}

impl Receiving<'_> {
    /// From the client to the hub.
    ///
    /// # Errors
    /// If the body is not an object of that kind and version.
    pub(super) fn receive(&self, entry: &Arc<KindEntry>, part: Part, body: Body) -> Result<Received, Error> {
        let received = self.receive_patched(entry, part, body)?;
        received.checked.misnamed.as_ref().map_or(Ok(()), |found| found.check_version(entry))?;
        Ok(received)
    }

    /// The same with what a patch makes.
    fn receive_patched(&self, entry: &Arc<KindEntry>, part: Part, body: Body) -> Result<Received, Error> {
        let (mut object, notes) = match self.decode(entry, &body) {
            Ok(decoded) => decoded,
            Err(error) => return Err(self.wrong_types(entry, part, &body).unwrap_or(error)),
        };
        let misnamed = entry.untyped.as_ref().and_then(|_| Misnamed::of(entry, &notes));
        let repeated = body.repeated;
        let body = match body.media {
            Media::Json => body.bytes,
            // Protobuf does not distinguish absent from zero; the encoded JSON contains all values.
            Media::Protobuf => object.encode()?,
        };
        // Where no type describes the object, who owns its fields is found out before its status is ignored.
        if entry.untyped.is_none()
            && !part.has_status()
            && has_status(entry)
            && !entry.behaviour.keeps_status_on_creation
            && let Some(status) = object.value.field_mut("status")
        {
            // The client's status is ignored, but the status may have defaults.
            status.clear();
        }
        object.set_defaults(&Context { now: self.now });
        if let Some(violation) = validation::growth(entry, &*object.value) {
            let name = meta::text(&*object.value, "name");
            return Err(Error::invalid(entry, name, vec![violation]));
        }
        let violations = match self.schemas.for_kind(entry) {
            // What would be stored is validated.
            Some(_) if entry.untyped.is_some() => Violations::default(),
            Some(schema) => schema.violations(&body, None, scope(entry, part)),
            None => structure(&object, part, &body, None),
        };
        let name = meta::text(&*object.value, "name").to_owned();
        let hub = Hub::from_object(object).map_err(Error::conversion(entry, &name))?;
        Ok(Received { hub, checked: Checked { misnamed, violations, body }, notes, repeated })
    }

    /// Decodes a body as an object of the kind of the request path.
    fn decode(&self, entry: &Arc<KindEntry>, body: &Body) -> Result<(Object, Decoded), Error> {
        let mut object = Object::new(entry);
        let done = match &entry.untyped {
            Some(untyped) if body.media == Media::Json => {
                let read = if self.is_applied {
                    untyped.read_applied(&body.bytes)
                } else {
                    untyped.read(&body.bytes)
                };
                read.map_err(SchemeError::from).and_then(|(value, notes)| {
                    object.value = value;
                    with_duplicates(notes, &body.bytes)
                })
            }
            _ => body.decode_into(self.scheme, &mut *object.value),
        };
        decoded(self.scheme, entry, body, object, done)
    }

    /// The error of a body that is not an object of its kind because of what its schema does not allow.
    fn wrong_types(&self, entry: &Arc<KindEntry>, part: Part, body: &Body) -> Option<Error> {
        // What no type describes fits into no wrong one: only the metadata can be wrong.
        let is_typed = entry.untyped.is_none() && body.media == Media::Json;
        let schema = self.schemas.for_kind(entry).filter(|_| is_typed)?;
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
        (!violations.is_empty()).then(|| Error::invalid(entry, name, violations.into_vec()))
    }
}

/// The message about a body that is not an API object of any kind.
pub(crate) fn unrecognized(entry: &KindEntry, why: impl std::fmt::Display) -> String {
    format!("the object provided is unrecognized (must be of type {}): {why}", entry.kind)
}

/// Checks that a body was an object of the kind of the request path. If the body does not name a kind, that kind is assumed.
fn decoded(
    scheme: &Scheme,
    entry: &Arc<KindEntry>,
    body: &Body,
    object: Object,
    decoded: Result<Decoded, SchemeError>,
) -> Result<(Object, Decoded), Error> {
    let named = match &decoded {
        Ok(notes) => Ok(notes.clone()),
        Err(_) => body.type_meta(),
    };
    let named = named.map_err(|error| {
        let what = match body.media {
            Media::Json => "json parse error: ",
            Media::Protobuf => "",
        };
        Error::Malformed(unrecognized(entry, format_args!("couldn't get version/kind; {what}{error}")))
    })?;
    let expected = entry.api_version();
    let kind = if named.kind.is_empty() { &*entry.kind } else { &named.kind };
    let api_version = if named.api_version.is_empty() { &expected } else { &named.api_version };
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let wrong_type = |why: &dyn std::fmt::Display| {
        Error::Malformed(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {why}",
            entry.kind
        ))
    };
    if entry.untyped.is_some() {
        check_has_kind(entry, &named, body)?;
        return decoded.map(|notes| (object, notes)).map_err(|error| wrong_type(&error));
    }
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
        return Err(Error::Malformed(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    match decoded {
        Ok(notes) => Ok((object, notes)),
        Err(error) => Err(wrong_type(&error)),
    }
}

/// Checks that an object that no type describes names a kind.
fn check_has_kind(entry: &KindEntry, named: &Decoded, body: &Body) -> Result<(), Error> {
    if !named.kind.is_empty() {
        return Ok(());
    }
    let body = cut(str::from_utf8(&body.bytes).unwrap_or_default(), MAX_SHOWN);
    Err(Error::Malformed(unrecognized(entry, format_args!("Object 'Kind' is missing in '{body}'"))))
}

/// Notes about an object that no type describes, with what it has twice: who reads such an object does not tell that.
fn with_duplicates(mut notes: Decoded, bytes: &[u8]) -> Result<Decoded, SchemeError> {
    let text = str::from_utf8(bytes).unwrap_or_default();
    (notes.duplicate, notes.more_duplicate) = duplicates(text)?.into_parts();
    Ok(notes)
}
