//! Where an object has what its scale shows.

use hubgen_definitions::Version;
use hubgen_machinery::scheme::KindEntry;
use hubgen_patch::fields::Element;
use serde_json::{Map, Value};

use super::super::Error;
use super::label_selector;
use crate::nested::{self, parts};

/// The places of the numbers and the selector of replicas: those that a definition names, or those of all other kinds.
pub(super) struct Places {
    wanted: Vec<String>,
    found: Vec<String>,
    selector: Selector,
    /// The definition's own word for the first place; `None` without a definition.
    named: Option<String>,
}

/// Where the selector is, and how it is written.
enum Selector {
    /// Labels and expressions, in the spec.
    InSpec,
    /// A text, at a place that a definition names, if it does.
    Text(Option<Vec<String>>),
}

impl Places {
    pub(super) fn of(entry: &KindEntry) -> Self {
        match Version::of(entry).and_then(Version::scale) {
            Some(scale) => Self {
                wanted: parts(&scale.spec_replicas),
                found: parts(&scale.status_replicas),
                selector: Selector::Text(
                    scale.label_selector.as_deref().filter(|path| !path.is_empty()).map(parts),
                ),
                named: Some(scale.spec_replicas.clone()),
            },
            None => Self {
                wanted: parts("spec.replicas"),
                found: parts("status.replicas"),
                selector: Selector::InSpec,
                named: None,
            },
        }
    }

    /// The definition's own word for the place of the number of replicas that are wanted.
    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// The number of replicas that are wanted, if there is one.
    pub(super) fn wanted(&self, document: &Value) -> Result<Option<i64>, Error> {
        nested::integer(document, &self.wanted).map_err(Error::Internal)
    }

    /// The number of replicas that there are.
    pub(super) fn found(&self, document: &Value) -> Result<i64, Error> {
        Ok(nested::integer(document, &self.found).map_err(Error::Internal)?.unwrap_or_default())
    }

    /// The selector as text, and as labels if it is written so.
    pub(super) fn selector(&self, document: &Value) -> Result<(String, Option<Value>), Error> {
        match &self.selector {
            Selector::InSpec => {
                let selector = &document["spec"]["selector"];
                let text = label_selector::text(selector);
                if text.is_none() && !selector.is_null() {
                    return Err(Error::Malformed(
                        "spec.selector has an operator that is not valid".to_owned(),
                    ));
                }
                // Upstream has an empty text for an object without a selector, too.
                Ok((text.unwrap_or_default(), label_selector::labels(selector)))
            }
            Selector::Text(None) => Ok((String::new(), None)),
            Selector::Text(Some(place)) => {
                let text = nested::text(document, place).map_err(Error::Internal)?;
                Ok((text.unwrap_or_default().to_owned(), None))
            }
        }
    }

    /// Sets the number of replicas that are wanted.
    pub(super) fn set(&self, document: &mut Value, replicas: i64) -> Result<(), Error> {
        let mut place = document;
        for (at, part) in self.wanted.iter().enumerate() {
            let Value::Object(members) = place else {
                let path = self.wanted[..at].join(".");
                return Err(Error::Internal(format!(
                    "value cannot be set because .{path} is not a map[string]interface{{}}"
                )));
            };
            place = members.entry(part.clone()).or_insert_with(|| Map::new().into());
        }
        *place = replicas.into();
        Ok(())
    }

    /// The field of the number of replicas that are wanted.
    pub(super) fn field(&self) -> Vec<Element> {
        self.wanted.iter().map(|part| Element::field(part)).collect()
    }
}
