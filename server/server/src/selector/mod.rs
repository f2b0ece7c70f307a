//! Label and field selectors, as in the query of a list.

mod fields;
mod labels;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;

use self::fields::Term;
use self::labels::Requirement;

/// Selects the objects that meet every requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<Term>,
}

/// Whether a text is a selector of labels.
pub(crate) fn parses_labels(text: &str) -> bool {
    labels::parse(text).is_ok()
}

/// The only name that a selector of fields allows, whatever the kind is; `None` if it allows others.
pub(crate) fn only_name(fields: &str) -> Option<String> {
    fields::only_name(fields)
}

impl Selector {
    /// Parses `labelSelector` and `fieldSelector`.
    ///
    /// # Errors
    /// If the text cannot be parsed, or selects by an unsupported field. Messages are upstream's.
    pub(crate) fn parse(labels: &str, fields: &str, entry: &KindEntry) -> Result<Self, String> {
        Ok(Self { labels: labels::parse(labels)?, fields: fields::parse(fields, entry)? })
    }

    /// The same for one object only.
    ///
    /// # Errors
    /// If the selector has fields, but does not require this name. The message is upstream's.
    pub(crate) fn of(mut self, name: &str) -> Result<Self, String> {
        if self.fields.is_empty() {
            self.fields.push(Term::name(name));
        } else if self.fields.iter().find_map(Term::only_name) != Some(name) {
            return Err("fieldSelector metadata.name doesn't match requested name".to_owned());
        }
        Ok(self)
    }

    /// Whether the selector selects an object with these labels, whatever its fields are.
    pub(crate) fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.labels.iter().all(|requirement| requirement.matches(&label))
    }

    /// Whether the selector selects every object.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether the selector may select a stored object, by what is the same at all versions.
    pub(crate) fn may_match(&self, object: &dyn Reflect) -> bool {
        let labels = meta::strings(object, "labels");
        let label = |key: &str| labels.and_then(|labels| labels.text(key));
        self.labels.iter().all(|requirement| requirement.matches(&label))
            && self.fields.iter().filter(|term| term.is_of_metadata()).all(|term| term.matches(object))
    }

    /// Whether the selector selects an object that [may match](Self::may_match), at the version of the request.
    pub(crate) fn matches(&self, object: &dyn Reflect) -> bool {
        self.fields.iter().filter(|term| !term.is_of_metadata()).all(|term| term.matches(object))
    }
}
