//! From the hub to the store: admission that may change the object, validation, admission that sees the result.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use hubgen_definitions::{Conversions, Version};
use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_validation::Circumstances;
use serde_json::Value;

use super::Objects;
use super::error::Error;
use super::hub::Hub;
use super::misnamed::Misnamed;
use super::part::{scope, structure};
use super::receive::Checked;
use super::target::Warnings;
use crate::admission::Subject;
use crate::catalog::Catalog;
use crate::managed_fields;
use crate::part::Part;
use crate::validation::{self, Schemas, Validator, Violation, Violations, Written};

impl Objects {
    /// From the hub to the store: admission that may change the object, validation, admission that sees the result.
    /// `old` is the current object. What the client is warned of is added to `warnings`, after an error, too.
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
        warnings: &Warnings,
    ) -> Result<(), Error> {
        let steps = &self.backing.admission;
        let owners = steps.may_change(subject.entry).then(|| managed_fields::in_json(&*hub.value));
        let changed = steps.mutate(subject, Some(&mut *hub.value), old).await?;
        if let Some(owners) = owners.filter(|_| changed && managed_fields::read(&*hub.value).is_err()) {
            // A step that knows nothing of owners must not break them.
            managed_fields::set_json(&mut *hub.value, &owners);
        }
        let Subject { entry, namespace, name, .. } = subject;
        let Catalog { scheme, schemas, .. } = &*self.catalog;
        let conversions = self.backing.conversions.as_deref();
        let validation = Validation {
            scheme,
            schemas,
            conversions,
            checked,
            hub: &*hub,
            entry,
            namespace,
            name,
            part,
            old,
            changed,
        };
        let (violations, told) = validation.run()?;
        warnings.add(told);
        refused(violations.into_vec(), checked, subject)?;
        Ok(self.backing.admission.validate(subject, Some(&mut *hub.value), old).await?)
    }
}

/// The validation of an object before it is stored.
pub(super) struct Validation<'a> {
    pub(super) scheme: &'a Scheme,
    pub(super) schemas: &'a Schemas,
    /// Who converts objects of definitions, and tells whether it can.
    pub(super) conversions: Option<&'a dyn Conversions>,
    pub(super) checked: &'a Checked,
    pub(super) hub: &'a Hub,
    /// The kind, at the version of the request.
    pub(super) entry: &'a Arc<KindEntry>,
    /// Empty for cluster-scoped kinds.
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    pub(super) part: Part,
    /// The current object.
    pub(super) old: Option<&'a dyn Reflect>,
    /// Whether admission may have changed the object since it was decoded.
    pub(super) changed: bool,
}

impl Validation<'_> {
    /// Validates by the version of the client: a newer version may require a field that an older version defaults. Returns
    /// all violations of the object, and what its writer is warned of.
    ///
    /// # Errors
    /// If the object does not convert.
    pub(super) fn run(&self) -> Result<(Violations, Vec<String>), Error> {
        let mut warnings = Vec::new();
        let name = meta::text(&*self.hub.value, "name");
        let mut violations = self.metadata(name);
        violations.append(match self.schemas.for_kind(self.entry) {
            Some(schema) if self.entry.untyped.is_some() => {
                let (found, told) = self.by_definition(schema, violations.block_rules())?;
                warnings = told;
                found
            }
            Some(schema) => self.by_schema(schema)?,
            None => match validation::by_own_rules(&self.written()) {
                Some(violations) => violations,
                None => {
                    let mut found = self.by_type()?;
                    found.append(validation::words_of_pods(&self.written()));
                    found
                }
            },
        });
        if let Some(conversions) = self.conversions.filter(|_| violations.is_empty()) {
            violations.extend(validation::definitions::unconvertible(conversions, &self.written()));
        }
        let scale = Version::of(self.entry).and_then(Version::scale);
        if let Some(scale) = scale.filter(|_| self.misnamed().is_none()) {
            violations.append(validation::scale(scale, &*self.hub.value, self.part == Part::Status));
        }
        Ok((violations, warnings))
    }

    /// What is wrong with the metadata. A review has no name, and its metadata has no meaning. That of a new object that names
    /// another kind is not looked at, as upstream.
    fn metadata(&self, name: &str) -> Violations {
        let mut violations = Violations::default();
        if name.is_empty() || (self.old.is_none() && self.misnamed().is_some()) {
            return violations;
        }
        if self.old.is_none() {
            self.names(name, &mut violations);
        }
        validation::metadata(self.scheme, &*self.hub.value, self.old, &mut violations);
        violations
    }

    /// What the object would be stored as, if it names another kind. A request for the status takes only that from it.
    fn misnamed(&self) -> Option<&Misnamed> {
        self.checked.misnamed.as_ref().filter(|_| self.part != Part::Status)
    }

    fn written(&self) -> Written<'_> {
        let Self { hub, entry, part, old, .. } = *self;
        Written { entry, part, object: &*hub.value, old }
    }

    /// The names of a new object.
    fn names(&self, name: &str, violations: &mut Violations) {
        let Self { entry, namespace, .. } = *self;
        let prefix = meta::text(&*self.hub.value, "generateName");
        if !prefix.is_empty() {
            violations.extend(validation::name::check_name(entry, "metadata.generateName", prefix, true));
        }
        violations.extend(validation::name::check_name(entry, "metadata.name", name, false));
        violations.extend(validation::own_name_rule(entry, &*self.hub.value));
        if !namespace.is_empty() {
            violations.extend(validation::name::check_namespace(namespace));
        }
    }

    /// What violates the schema of the definition that defines the kind, and did not before. As upstream, this is about what
    /// would be stored, with what the request does not change; and what is wrong with the metadata can block rules.
    fn by_definition(
        &self,
        schema: Validator<'_>,
        is_blocked: bool,
    ) -> Result<(Violations, Vec<String>), Error> {
        let document = |value: &dyn Reflect| -> Result<Value, Error> {
            let mut json = Vec::new();
            json::encode_into(value, self.entry.type_meta(), &mut json)?;
            let document = Raw::new(&json).and_then(|json| json.to_value());
            document.map_err(|error| Error::Internal(error.to_string()))
        };
        let old = self.old.map(document).transpose()?;
        let misnamed = self.misnamed();
        let circumstances = Circumstances {
            is_status: self.part == Part::Status,
            is_of_other_kind: misnamed.is_some(),
            blocks_rules: is_blocked,
        };
        let mut found = misnamed.map_or_else(Violations::default, |misnamed| misnamed.violations(self.entry));
        let (violations, warnings) =
            schema.violations_of(&document(&*self.hub.value)?, old.as_ref(), circumstances);
        found.append(violations);
        Ok((found, warnings))
    }

    /// What violates the schema of a definition, and did not before.
    fn by_schema(&self, schema: Validator<'_>) -> Result<Violations, Error> {
        let scope = scope(self.entry, self.part);
        let new = self.changed.then(|| self.at_version(self.hub.clone())?.encode().map_err(Error::from));
        let new = new.transpose()?;
        let found = match &new {
            Some(new) => schema.violations(new, None, scope),
            None => self.checked.violations.clone(),
        };
        let Some(old) = self.old.filter(|_| !found.is_empty()) else { return Ok(found) };
        let old =
            self.at_version(Hub { from: Arc::clone(&self.hub.from), value: old.boxed_copy() })?.encode()?;
        Ok(schema.violations(new.as_deref().unwrap_or(&self.checked.body), Some(&old), scope))
    }

    /// What the type of the version requires. An update may omit required fields that the old object lacks.
    fn by_type(&self) -> Result<Violations, Error> {
        let Self { checked, part, .. } = *self;
        let missing_before = match self.old {
            Some(old) if self.changed || !checked.violations.is_empty() => self.missing_fields(old),
            _ => BTreeSet::new(),
        };
        if !self.changed && missing_before.is_empty() {
            return Ok(checked.violations.clone());
        }
        let object = self.at_version(self.hub.clone())?;
        let excused = |field: &str| missing_before.contains(&without_indices(field));
        let excused = (!missing_before.is_empty()).then_some(&excused as &dyn Fn(&str) -> bool);
        Ok(structure(&object, part, &checked.body, excused))
    }

    /// A hub at the version of the client.
    fn at_version(&self, hub: Hub) -> Result<Object, Error> {
        let Self { entry, name, scheme, .. } = *self;
        hub.at(entry, scheme).map_err(Error::conversion(entry, name))
    }

    /// The required fields that an object lacks. A client may write back what it has read, and an
    /// object that was written at an older version can lack fields that a newer version requires.
    fn missing_fields(&self, old: &dyn Reflect) -> BTreeSet<String> {
        let hub = Hub { from: Arc::clone(self.entry), value: old.boxed_copy() };
        let Ok(object) = hub.at(self.entry, self.scheme) else { return BTreeSet::new() };
        let missing_before = RefCell::new(BTreeSet::new());
        let note = |field: &str| {
            missing_before.borrow_mut().insert(without_indices(field));
            true
        };
        let Ok(body) = object.encode() else { return BTreeSet::new() };
        structure(&object, self.part, &body, Some(&note));
        missing_before.into_inner()
    }
}

/// The error if there are violations.
fn refused(violations: Vec<Violation>, checked: &Checked, subject: Subject<'_>) -> Result<(), Error> {
    let Subject { entry, name, .. } = subject;
    match &checked.misnamed {
        _ if violations.is_empty() => Ok(()),
        Some(misnamed) => Err(misnamed.invalid(name, violations)),
        None => Err(Error::invalid(entry, name, violations)),
    }
}

/// The field path with every list index replaced by `[]`: inserting elements changes indices.
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
