//! Selectors of labels and fields, as they stand in a query.

mod fields;
mod labels;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

use self::fields::Term;
use self::labels::Requirement;

/// Which objects a list shows: those that meet every requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<Term>,
}

impl Selector {
    /// Reads `labelSelector` and `fieldSelector`.
    ///
    /// # Errors
    /// What cannot be read, and fields that nothing can be selected by, in upstream's words.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, String> {
        Ok(Self { labels: labels::parse(labels)?, fields: fields::parse(fields)? })
    }

    /// Whether it selects everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether it selects an object.
    pub(crate) fn matches(&self, object: &dyn Reflect) -> bool {
        let labels = meta::strings(object, "labels");
        let label = |key: &str| labels.and_then(|labels| labels.get(key)).map(String::as_str);
        self.labels.iter().all(|requirement| requirement.matches(&label))
            && self.fields.iter().all(|term| term.matches(object))
    }
}
