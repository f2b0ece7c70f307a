//! Who owns which fields of an object, as a write that is no apply leaves it: `metadata.managedFields`.
//!
//! This comes before admission, as upstream has it: what admission changes, nobody owns. Whatever goes wrong here is no
//! reason to refuse a write. The owners stay as they were then.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use hubgen_machinery::json::{self, Lexer, Raw};
use hubgen_machinery::reflect::{self, Reflect};
use hubgen_machinery::scheme::{BehaviourRow, Conversion, KindEntry, Object};
use hubgen_patch::fields::{Element, Set};
use hubgen_patch::owners::{Changes, Managers, Versioned, Versions, Write as Written, without_unowned};
use hubgen_patch::typed::{TypedError, validate_but_duplicates};
use serde_json::Value;
use tracing::debug;

use super::Objects;
use super::hub::Hub;
use super::target::{Target, Write};
use crate::catalog::Catalog;
use crate::managed_fields;
use crate::objectmeta;
use crate::part::{Part, has_status};

impl Objects {
    /// Notes in the new object who owns what. `old` is the current object, `body` what the client sent, in JSON, and `sent` the
    /// object that it sent, if the new one differs from that in what the request must not change.
    pub(super) fn note_owners(
        &self,
        target: Target<'_>,
        write: &Write,
        body: &[u8],
        old: Option<&Hub>,
        (sent, new): (Option<&Hub>, &mut Hub),
    ) {
        // What the server itself does to a pod has no owner, as upstream.
        let is_own = matches!(target.part, Part::Eviction | Part::Binding);
        if is_own || !managed_fields::are_known(&*new.value) {
            return;
        }
        let found = Noting { objects: self, target, write, old, new: sent.unwrap_or(new) }
            .owners(body)
            .unwrap_or_else(|why| {
                debug!(
                    "the owners of {} {} stay as they are: {why}",
                    target.collection.entry.kind, target.name
                );
                Owners::Unchanged
            });
        match (found, old) {
            (Owners::Are(managers), _) => managed_fields::write(&mut *new.value, managers),
            (Owners::Unchanged, Some(old)) => managed_fields::copy(&*old.value, &mut *new.value),
            (Owners::Unchanged, None) => managed_fields::clear(&mut *new.value),
        }
    }
}

/// The owners after a write.
enum Owners {
    /// They are those of the current object.
    Unchanged,
    /// They are these.
    Are(Managers),
}

/// A write whose owners are noted.
struct Noting<'a> {
    objects: &'a Objects,
    target: Target<'a>,
    write: &'a Write,
    old: Option<&'a Hub>,
    new: &'a Hub,
}

impl Noting<'_> {
    fn owners(&self, body: &[u8]) -> Result<Owners, NoOwners> {
        let Target { collection, part, .. } = self.target;
        let api_version = collection.entry.api_version();
        let now = self.objects.backing.environment.now();
        let written = Written {
            manager: &self.write.manager,
            api_version: &api_version,
            subresource: part.subresource(),
            now,
        };
        let mut changes = Changes::of(written, self);
        let given = if part == Part::Main { self.given(body) } else { None };
        let is_same = given.as_ref().is_none_or(|given| self.has_same_but_times(given));
        // Most writes of what somebody owns already change nothing, and read no owner.
        if is_same && self.has_only_known_versions() && changes.are_none()? {
            return Ok(Owners::Unchanged);
        }
        let current = || self.old.and_then(|old| managed_fields::read(&*old.value).ok());
        let mut managers = given.or_else(current).unwrap_or_default();
        // An object whose owners are not known gets some only by an apply.
        if self.old.is_none() || !managers.is_empty() {
            managers.update(&mut changes)?;
        }
        Ok(Owners::Are(managers))
    }

    /// The owners that the client sets: those of its object, or none if it empties them. `None` if it has no say in it.
    fn given(&self, body: &[u8]) -> Option<Managers> {
        let object = &*self.new.value;
        if managed_fields::are_none(object) {
            return is_emptied(body).then(Managers::default);
        }
        if managed_fields::is_one_without_content(object) {
            return Some(Managers::default());
        }
        if self.old.is_some_and(|old| managed_fields::are_equal(&*old.value, object)) {
            return None;
        }
        managed_fields::read(object).ok()
    }

    /// Whether these are the current owners in the current order, at whatever times they wrote: a client that changes nothing
    /// but times changes nothing.
    fn has_same_but_times(&self, given: &Managers) -> bool {
        let old = self.old.and_then(|old| managed_fields::read(&*old.value).ok());
        old.is_some_and(|old| !old.is_empty() && given.are_those_of(&old))
    }

    fn has_only_known_versions(&self) -> bool {
        let versions = self.old.into_iter().flat_map(|old| managed_fields::versions(&*old.value));
        versions.into_iter().all(|version| self.entry(version).is_some())
    }

    /// The kind at a version; `None` if there is no such version.
    fn entry(&self, api_version: &str) -> Option<&Arc<KindEntry>> {
        version_of(&self.objects.catalog, &self.target.collection.entry, api_version)
    }

    /// An object in JSON, as clients see it at a version, without what nobody owns anyway.
    fn shown(&self, hub: &Hub, entry: &Arc<KindEntry>) -> Result<Value, NoOwners> {
        // Most kinds have one version, and need neither a copy nor a conversion.
        let is_shown = Arc::ptr_eq(&hub.from, entry) && !matches!(entry.conversion, Conversion::Hub(_));
        let object = if is_shown {
            in_json(&*hub.value)?
        } else {
            let at = hub.clone().at(entry, &self.objects.catalog.scheme);
            in_json(&*at.map_err(|error| NoOwners(error.to_string()))?.value)?
        };
        Ok(without_unowned(object))
    }
}

impl Versions for &Noting<'_> {
    type Error = NoOwners;

    fn at(&mut self, api_version: &str) -> Result<Option<Rc<Versioned>>, NoOwners> {
        let Some(entry) = self.entry(api_version) else { return Ok(None) };
        let new = self.shown(self.new, entry)?;
        let old = match self.old {
            Some(old) => self.shown(old, entry)?,
            None => in_json(&*entry.object())?,
        };
        let of = entry.shape();
        if entry.untyped.is_some() {
            // What is not as the schema says has no owners that could be told.
            for object in [&old, &new] {
                validate_but_duplicates(&of, object)
                    .map_err(|mut errors| NoOwners::from(errors.remove(0)))?;
            }
        }
        Ok(Some(Rc::new(Versioned { of, old, new, reset: reset(entry, self.target.part) })))
    }
}

/// A kind at a version; `None` if there is no such version.
///
/// As upstream has it, an Event has other owners in each of its groups. A group that upstream has dropped has nothing to
/// be compared with, and its owners stay.
pub(super) fn version_of<'c>(
    catalog: &'c Catalog,
    own: &Arc<KindEntry>,
    api_version: &str,
) -> Option<&'c Arc<KindEntry>> {
    let entry = catalog.scheme.named(api_version, &own.kind)?;
    let is_dropped = entry.until.is_some() || own.until.is_some();
    ((entry.group == own.group || is_dropped) && entry.is_family_of(own)).then_some(entry)
}

/// Gives the new object the owners of the old one if they differ in nothing but times, and neither does anything else: a write
/// that changes nothing but times changes nothing.
pub(super) fn keep_times(old: &Hub, new: &mut Hub) {
    let owners = |hub: &Hub| managed_fields::read(&*hub.value).ok().filter(|owners| !owners.is_empty());
    let are_same = owners(old).zip(owners(new)).is_some_and(|(old, new)| new.are_those_of(&old));
    if !are_same || managed_fields::are_equal(&*old.value, &*new.value) {
        return;
    }
    let bare = |hub: &Hub| {
        let mut object = hub.value.boxed_copy();
        managed_fields::clear(&mut *object);
        objectmeta::clear(&mut *object, "resourceVersion");
        object
    };
    if reflect::equal(&*bare(old), &*bare(new)) {
        managed_fields::copy(&*old.value, &mut *new.value);
    }
}

/// Why the owners cannot be noted.
pub(super) struct NoOwners(String);

impl NoOwners {
    pub(super) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for NoOwners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<TypedError> for NoOwners {
    fn from(error: TypedError) -> Self {
        Self(error.to_string())
    }
}

/// An object of a kind in JSON, with the name of its kind.
pub(super) fn document_of(object: &Object) -> Result<Value, NoOwners> {
    let wrong = |error: &dyn fmt::Display| NoOwners(error.to_string());
    let json = object.encode().map_err(|error| wrong(&error))?;
    Raw::new(&json).and_then(|json| json.to_value()).map_err(|error| wrong(&error))
}

fn in_json(object: &dyn Reflect) -> Result<Value, NoOwners> {
    let json = json::encode(object).map_err(|error| NoOwners(error.to_string()))?;
    let text = str::from_utf8(&json).expect("JSON is UTF-8");
    json::read_value(&mut Lexer::over(text)).map_err(|error| NoOwners(error.to_string()))
}

/// The fields that a write of a part leaves as they are, whatever the client sends.
pub(super) fn reset(entry: &KindEntry, part: Part) -> Set {
    let field = |name: &str| vec![Element::field(name)];
    let of_metadata = |name: &str| vec![Element::field("metadata"), Element::field(name)];
    let taken = &entry.behaviour.status_metadata;
    let kept = BehaviourRow::METADATA.iter().filter(|name| !taken.contains(name));
    let fields = match part {
        Part::Main | Part::Finalize if has_status(entry) => vec![field("status")],
        Part::Approval => vec![field("spec")],
        Part::Status if taken.iter().next().is_none() => vec![field("spec"), field("metadata")],
        Part::Status => kept.map(|name| of_metadata(name)).chain([field("spec")]).collect(),
        _ => Vec::new(),
    };
    fields.iter().map(Vec::as_slice).collect()
}

/// Whether a body contains owners, and there are none. A type does not distinguish this from a body without.
fn is_emptied(body: &[u8]) -> bool {
    const NAME: &[u8] = b"managedFields";
    body.windows(NAME.len()).any(|text| text == NAME)
        && serde_json::from_slice(body)
            .is_ok_and(|body: Value| body["metadata"]["managedFields"] == Value::Array(Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::is_emptied;

    #[test]
    fn a_body_empties_owners_if_it_has_none() {
        assert!(is_emptied(br#"{"kind": "Pod", "metadata": {"name": "a", "managedFields": []}}"#));
        for body in [
            r#"{"metadata": {"name": "managedFields"}}"#,
            r#"{"metadata": {"managedFields": null}}"#,
            r#"{"metadata": {"managedFields": [{}]}}"#,
            r#"{"managedFields": [], "metadata": {}}"#,
            r#"{"spec": {"managedFields": []}}"#,
            "managedFields",
        ] {
            assert!(!is_emptied(body.as_bytes()), "{body}");
        }
    }
}
