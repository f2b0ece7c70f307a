//! Checks objects as a server would before it stored them, without a server and a store.

use std::sync::Arc;

use hubgen_definitions::{Schemas as Compiled, Strategy};
use hubgen_machinery::json;
use hubgen_machinery::meta;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme, SchemeError};

use crate::catalog::{Defined, Kinds};
use crate::environment::{Environment, System};
use crate::media::{Body, Media};
use crate::objects::{Error, check};
use crate::status::Failure;
use crate::validation::{Violation, definitions};

/// Checks objects as a server of some kinds would before it stored them: what it decodes, and all of its validation. What
/// depends on other objects, such as whether the namespace exists, is not checked.
///
/// ```
/// use std::sync::Arc;
///
/// use hubgen_machinery::scheme::Scheme;
/// use hubgen_server::{Checker, Kinds};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut scheme = Scheme::new();
/// hubgen_coordination::register(&mut scheme);
/// let checker = Checker::new(Kinds::new(Arc::new(scheme)));
/// let lease = br#"{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "A"}, "spek": {}}"#;
/// let found = checker.check(lease, None)?;
/// assert_eq!(found.unknown, ["spek"]);
/// assert_eq!(found.violations[0].field, "metadata.name");
/// # Ok(())
/// # }
/// ```
pub struct Checker {
    kinds: Kinds,
    /// Shared by versions that have the same.
    compiled: Compiled,
}

/// What is found in an object.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The paths of fields that its kind does not have, as far as they are listed.
    pub unknown: Vec<String>,
    /// How many more such fields there are.
    pub more_unknown: usize,
    /// What is wrong with it: the causes of the error that a client would receive.
    pub violations: Vec<Violation>,
    /// What a client would be warned of.
    pub warnings: Vec<String>,
}

/// Why an object is not checked.
#[derive(Debug, thiserror::Error)]
pub enum Unchecked {
    /// It does not specify its kind.
    #[error("expected `apiVersion` and `kind`, found {0}")]
    Unnamed(&'static str),
    /// No such kind is known.
    #[error("no kind \"{kind}\" is known for version \"{api_version}\"")]
    UnknownKind {
        /// The object's `apiVersion`.
        api_version: String,
        /// The object's `kind`.
        kind: String,
    },
    /// The definition of the kind does not serve this version.
    #[error("{0} is not served by its definition")]
    Unserved(Arc<KindEntry>),
    /// It is no object of its kind: a value has another type, for example.
    #[error("{message}")]
    Malformed {
        /// The path of the value; empty if it is about the whole object.
        path: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Checker {
    /// Checks objects of these kinds.
    pub fn new(kinds: impl Into<Kinds>) -> Self {
        Self { kinds: kinds.into(), compiled: Compiled::default() }
    }

    /// The kinds.
    pub fn scheme(&self) -> &Scheme {
        &self.kinds.scheme
    }

    /// Checks objects of the kind of a CustomResourceDefinition, too, which is in JSON.
    ///
    /// # Errors
    /// If it is none, a server would refuse it, or its kind is known already.
    pub fn define(&mut self, definition: &[u8]) -> Result<(), String> {
        let entry = self.entry(definition).map_err(|error| error.to_string())?;
        if !definitions::are(&entry) {
            return Err(format!("{entry} is no CustomResourceDefinition"));
        }
        let Kinds { scheme, schemas, .. } = &self.kinds;
        let checked = check(scheme, schemas, System.now(), (&entry, body(definition)), None);
        let checked = checked.map_err(|error| Failure::from(error).message().to_owned())?;
        if let Some(violation) = checked.violations.into_vec().first() {
            return Err(violation.to_string());
        }
        let json = definitions::document(&*checked.hub.value);
        let name = meta::text(&*checked.hub.value, "name");
        let defined = Defined::read(name, &json, &mut self.compiled, &Strategy::Same);
        let defined = defined.map_err(|error| error.to_string())?;
        defined.add_to(Arc::make_mut(&mut self.kinds.scheme)).map_err(|error| error.to_string())
    }

    /// Checks an object in JSON that is created, or replaces an `old` one. A value may keep what is wrong with it, if a
    /// server would let it.
    ///
    /// # Errors
    /// If one of them is no object of a known kind.
    pub fn check(&self, object: &[u8], old: Option<&[u8]>) -> Result<Found, Unchecked> {
        let entry = self.entry(object)?;
        let old = old.map(|old| Ok::<_, Unchecked>((self.entry(old)?, old))).transpose()?;
        let Kinds { scheme, schemas, release, .. } = &self.kinds;
        let (entry_of_old, new) = (old.as_ref(), (&entry, body(object)));
        let old = entry_of_old.map(|(entry, old)| (entry, body(old)));
        let mut warnings: Vec<String> = entry.deprecation_warning(*release).into_iter().collect();
        match check(scheme, schemas, System.now(), new, old) {
            Ok(checked) => {
                warnings.extend(checked.warnings);
                Ok(Found {
                    unknown: checked.unknown,
                    more_unknown: checked.more_unknown,
                    violations: checked.violations.into_vec(),
                    warnings,
                })
            }
            Err(Error::Invalid { violations, .. }) => Ok(Found { violations, warnings, ..Found::default() }),
            Err(error) => {
                let message = Failure::from(error).message().to_owned();
                Err(Unchecked::Malformed { path: String::new(), message })
            }
        }
    }

    /// The kind of an object, which can be decoded.
    fn entry(&self, object: &[u8]) -> Result<Arc<KindEntry>, Unchecked> {
        let malformed = |error: json::Error| Unchecked::Malformed {
            path: error.path().to_owned(),
            message: error.message().to_owned(),
        };
        let named = json::type_meta(object).map_err(malformed)?;
        if named.api_version.is_empty() || named.kind.is_empty() {
            return Err(Unchecked::Unnamed(if named.kind.is_empty() {
                "no kind"
            } else {
                "no `apiVersion`"
            }));
        }
        let entry = self.kinds.scheme.named(&named.api_version, &named.kind);
        // What has no resource is a part of requests and answers.
        let Some(entry) = entry.filter(|entry| entry.resource.is_some()) else {
            return Err(Unchecked::UnknownKind {
                api_version: named.api_version.to_string(),
                kind: named.kind.to_string(),
            });
        };
        if entry.untyped.as_ref().is_some_and(|untyped| !untyped.is_served()) {
            return Err(Unchecked::Unserved(Arc::clone(entry)));
        }
        match Object::decode(entry, object) {
            Ok(_) => Ok(Arc::clone(entry)),
            // With a schema, it is invalid instead.
            Err(_) if self.kinds.schemas.for_kind(entry).is_some() && entry.untyped.is_none() => {
                Ok(Arc::clone(entry))
            }
            Err(SchemeError::Json(error)) => Err(malformed(error)),
            Err(error) => Err(Unchecked::Malformed { path: String::new(), message: error.to_string() }),
        }
    }
}

fn body(bytes: &[u8]) -> Body {
    Body { media: Media::Json, bytes: bytes.to_vec(), repeated: Vec::new() }
}
