//! From the hub to the store: admission that may change the object, validation, admission that sees the result.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;

use super::Objects;
use super::error::Error;
use super::hub::Hub;
use super::part::{Part, scope, structure};
use super::receive::Checked;
use crate::admission::Subject;
use crate::validation::{self, Violations};

impl Objects {
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
    ) -> Result<(), Error> {
        let changed = self.backing.admission.mutate(subject, Some(&mut *hub.value), old).await?;
        self.validate(checked, hub, subject, part, old, changed)?;
        Ok(self.backing.admission.validate(subject, Some(&mut *hub.value), old).await?)
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
    ) -> Result<(), Error> {
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
        if let Some(schema) = self.catalog.schemas.for_kind(entry) {
            let encoded = |hub: Hub| {
                let object = hub.at(entry, &self.catalog.scheme);
                let object = object.map_err(Error::conversion(entry, subject.name))?;
                Ok::<_, Error>(object.encode()?)
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
            return refused(violations, subject);
        }
        // An update may omit required fields that the old object lacks.
        let missing_before = match old {
            Some(old) if changed || !checked.violations.is_empty() => self.missing_fields(entry, part, old),
            _ => BTreeSet::new(),
        };
        if changed || !missing_before.is_empty() {
            let object = hub.clone().at(entry, &self.catalog.scheme);
            let object = object.map_err(Error::conversion(entry, subject.name))?;
            let excused = |field: &str| missing_before.contains(&without_indices(field));
            let excused = (!missing_before.is_empty()).then_some(&excused as &dyn Fn(&str) -> bool);
            violations.append(structure(&object, part, &checked.body, excused));
        } else {
            violations.append(checked.violations.clone());
        }
        refused(violations, subject)
    }

    /// The required fields that an object lacks. A client may write back what it has read, and an
    /// object that was written at an older version can lack fields that a newer version requires.
    fn missing_fields(&self, entry: &Arc<KindEntry>, part: Part, old: &dyn Reflect) -> BTreeSet<String> {
        let hub = Hub { from: Arc::clone(entry), value: old.boxed_copy() };
        let Ok(object) = hub.at(entry, &self.catalog.scheme) else { return BTreeSet::new() };
        let missing_before = RefCell::new(BTreeSet::new());
        let note = |field: &str| {
            missing_before.borrow_mut().insert(without_indices(field));
            true
        };
        let Ok(body) = object.encode() else { return BTreeSet::new() };
        structure(&object, part, &body, Some(&note));
        missing_before.into_inner()
    }
}

/// The error if there are violations.
fn refused(violations: Violations, subject: Subject<'_>) -> Result<(), Error> {
    let violations = violations.into_vec();
    if violations.is_empty() { Ok(()) } else { Err(Error::invalid(subject.entry, subject.name, violations)) }
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
