use hubgen_machinery::Str;
use hubgen_machinery::scalar::Time;
use thiserror::Error;

use super::identity::{Identity, Operation};
use crate::fields::{FieldsError, Set};

/// A manager, and the fields that it owns: an entry of `managedFields`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manager {
    /// Who it is.
    pub identity: Identity,
    /// The version of the kind that its fields are of.
    pub api_version: Str,
    /// When it last changed what it owns.
    pub time: Option<Time>,
    /// The fields.
    pub fields: Set,
}

/// Why an entry of `managedFields` is none. Upstream takes no entry then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The operation is another word.
    #[error("operation must be `Apply` or `Update`")]
    Operation,
    /// There is no version.
    #[error("apiVersion must not be empty")]
    NoVersion,
    /// The fields have another format than `FieldsV1`, or none.
    #[error("expected the fieldsType \"FieldsV1\", found {0:?}")]
    FieldsType(String),
    /// The fields cannot be read.
    #[error("error decoding set: {0}")]
    Fields(#[from] FieldsError),
}

impl Manager {
    /// The manager of an entry.
    ///
    /// # Errors
    /// If the entry is none.
    pub fn of_entry(
        manager: &str,
        operation: &str,
        api_version: &str,
        subresource: &str,
        fields_type: &str,
        fields: Option<&str>,
    ) -> Result<Self, EntryError> {
        let operation = Operation::named(operation).ok_or(EntryError::Operation)?;
        if api_version.is_empty() {
            return Err(EntryError::NoVersion);
        }
        if fields_type != "FieldsV1" {
            return Err(EntryError::FieldsType(fields_type.to_owned()));
        }
        let identity_version = if operation == Operation::Apply { "" } else { api_version };
        Ok(Self {
            identity: Identity {
                manager: manager.into(),
                operation,
                api_version: identity_version.into(),
                subresource: subresource.into(),
            },
            api_version: api_version.into(),
            time: None,
            fields: fields.map_or(Ok(Set::EMPTY), str::parse)?,
        })
    }

    /// The second in which it last changed what it owns; 0 if that is not known.
    pub(super) fn second(&self) -> i64 {
        self.time.as_ref().map_or(0, |time| time.0.as_second())
    }
}

/// The managers of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Managers(pub(super) Vec<Manager>);

impl Managers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a manager, in the place of one with the same identity.
    pub fn add(&mut self, manager: Manager) {
        match self.of(&manager.identity) {
            Some(found) => *found = manager,
            None => self.0.push(manager),
        }
    }

    /// Whether these are the managers of `current` with the same fields and in the same order, whenever they wrote.
    pub fn are_those_of(&self, current: &Self) -> bool {
        let same = |(one, other): (Manager, &Manager)| {
            (&one.identity, &one.api_version, &one.fields)
                == (&other.identity, &other.api_version, &other.fields)
        };
        self.0.len() == current.0.len() && self.clone().into_sorted().into_iter().zip(&current.0).all(same)
    }

    /// The managers in the order in which `managedFields` has them: those that apply first, then by time and by name.
    pub fn into_sorted(mut self) -> Vec<Manager> {
        self.0.sort_by(|one, two| {
            (one.identity.operation, one.second(), &one.identity.manager, &one.api_version)
                .cmp(&(two.identity.operation, two.second(), &two.identity.manager, &two.api_version))
                .then_with(|| one.identity.subresource.cmp(&two.identity.subresource))
        });
        self.0
    }

    pub(super) fn of(&mut self, identity: &Identity) -> Option<&mut Manager> {
        self.0.iter_mut().find(|manager| manager.identity == *identity)
    }
}
