//! Validates objects by structural schemas, as the API server validates custom resources.

use std::collections::HashMap;
use std::sync::Arc;
use std::{error, fmt};

use hubgen_definitions::Version;
use hubgen_machinery::crd::Crd;
use hubgen_machinery::json::Raw;
use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::{Circumstances, FieldErrors, KindSchema, Limits, Schema};
use serde_json::Value;

use super::{Violation, Violations};

/// The schemas of kinds that come from CustomResourceDefinitions.
///
/// The types of a Scheme contain which fields are required, enums, and list types. A schema also restricts texts,
/// numbers, and sizes. A kind with a schema is validated by it, at the version of the client, and a value of a wrong
/// type is an error at its field (422) instead of a body that cannot be read (400).
///
/// ```
/// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
/// use hubgen_server::validation::Schemas;
/// use hubgen_validation::Schema;
/// use serde_json::json;
///
/// let schema = Schema::compile(&json!({"type": "object", "properties": {"spec": {"type": "object"}}}))?;
/// let mut schemas = Schemas::default();
/// schemas.add("example.com", "v1", "Widget", schema);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    /// By group, version and kind. All snapshots of a server's kinds share it.
    by_kind: Arc<HashMap<(String, String, String), Schema>>,
}

impl Schemas {
    /// The schemas of CustomResourceDefinitions, with all their versions: `Schemas::of_crds(&api::crds())` for an API
    /// that `hubgen generate` wrote.
    ///
    /// # Errors
    /// The errors of the first definition that the API server would refuse because of a schema.
    pub fn of_crds<'a>(crds: impl IntoIterator<Item = &'a Crd>) -> Result<Self, InvalidCrd> {
        let mut by_kind = HashMap::new();
        for crd in crds {
            let invalid = |errors| InvalidCrd { name: crd.name().to_owned(), errors };
            let kinds = Schema::compile_crd(&crd.value()).map_err(invalid)?;
            for KindSchema { group, version, kind, schema, .. } in kinds {
                by_kind.insert((group, version, kind), schema);
            }
        }
        Ok(Self { by_kind: Arc::new(by_kind) })
    }

    /// Adds the schema of a kind at a version. It replaces an earlier one.
    pub fn add(&mut self, group: &str, version: &str, kind: &str, schema: Schema) {
        let kind = (group.to_owned(), version.to_owned(), kind.to_owned());
        Arc::make_mut(&mut self.by_kind).insert(kind, schema);
    }

    /// The schema of a kind: of a definition that is stored, or of one that the program knows.
    pub(crate) fn for_kind<'a>(&'a self, entry: &'a KindEntry) -> Option<Validator<'a>> {
        if let Some(version) = Version::of(entry) {
            return Some(Validator(version.schema()));
        }
        if self.by_kind.is_empty() {
            return None;
        }
        let kind = (entry.group.to_string(), entry.version.to_string(), entry.kind.to_string());
        self.by_kind.get(&kind).map(Validator)
    }
}

/// A CustomResourceDefinition whose schemas the API server would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCrd {
    /// Its name: `certificates.cert-manager.io`.
    pub name: String,
    /// The errors, with their paths in the definition.
    pub errors: FieldErrors,
}

impl fmt::Display for InvalidCrd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomResourceDefinition {}: {}", self.name, self.errors)
    }
}

impl error::Error for InvalidCrd {}

/// The part of an object that is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it.
    Whole,
    /// All but the status, which the request does not change.
    WithoutStatus,
    /// Only the status.
    Status,
}

/// The schema of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Validator<'a>(&'a Schema);

/// The limits of messages, which repeat what a client has sent.
const LIMITS: Limits = Limits { errors: Violations::MOST, bytes: 1024 };

impl Validator<'_> {
    /// The violations of an object in JSON, with its defaults; none if it is no JSON. Where an update changes nothing
    /// of the `old` object, which is in JSON, too, it has no violations: a client may write back what it has read.
    pub(crate) fn violations(self, body: &[u8], old: Option<&[u8]>, scope: Scope) -> Violations {
        let Some(object) = self.object(body, scope) else { return Violations::default() };
        let old = old.and_then(|old| self.object(old, scope));
        let circumstances = Circumstances { is_status: scope == Scope::Status, ..Circumstances::default() };
        self.violations_of(&object, old.as_ref(), circumstances).0
    }

    /// The violations of an object as it is, or of its status alone. Where an update changes nothing of the `old` object, it
    /// has none, but warnings where a rule is violated.
    pub(crate) fn violations_of(
        self,
        object: &Value,
        old: Option<&Value>,
        circumstances: Circumstances,
    ) -> (Violations, Vec<String>) {
        let mut found = Violations::default();
        let (result, warnings) = self.0.validate_in(object, old, circumstances, LIMITS);
        if let Err(errors) = result {
            found.count(errors.more());
            found.extend(errors.into_iter().map(Violation::from));
        }
        (found, warnings)
    }

    /// The object that is validated: with its defaults, and only with what is in `scope`.
    fn object(self, body: &[u8], scope: Scope) -> Option<Value> {
        let mut object = Raw::new(body).and_then(|body| body.to_value()).ok()?;
        self.0.prune(&mut object);
        self.0.drop_nulls(&mut object);
        self.0.set_defaults(&mut object);
        if scope == Scope::WithoutStatus
            && let Value::Object(members) = &mut object
        {
            members.remove("status");
        }
        Some(object)
    }
}
