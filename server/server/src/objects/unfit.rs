//! Stored objects that can be read, but do not convert to the version asked for.

use std::fmt;
use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::scheme::{KindEntry, Object, SchemeError};

use crate::kind_names;
use crate::validation::Violation;

/// A stored object that does not convert to the version asked for.
#[derive(Clone, Debug)]
pub(crate) struct Unfit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The kind, at the version asked for.
    entry: Arc<KindEntry>,
    name: String,
    namespace: String,
    /// The `apiVersion` of the stored object.
    stored_at: String,
    error: SchemeError,
}

impl Unfit {
    /// Makes the error of a conversion to `to`. It is called before the conversion, which takes the object with it.
    pub(crate) fn converting(
        object: &Object,
        to: &Arc<KindEntry>,
    ) -> impl FnOnce(SchemeError) -> Self + use<> {
        let text = |field| meta::text(&*object.value, field).to_owned();
        let (name, namespace) = (text("name"), text("namespace"));
        let (entry, from) = (Arc::clone(to), Arc::clone(&object.entry));
        move |error| Self(Arc::new(Inner { entry, name, namespace, stored_at: from.api_version(), error }))
    }

    /// The kind, at the version asked for.
    pub(crate) fn entry(&self) -> &Arc<KindEntry> {
        &self.0.entry
    }

    /// Why the object does not convert, if the kind is that of a definition and the object is not at fault. Upstream takes it
    /// for one that cannot be read.
    pub(crate) fn failure(&self) -> Option<&SchemeError> {
        let Inner { entry, error, .. } = &*self.0;
        (entry.untyped.is_some() && Violation::of_conversion(error).is_empty()).then_some(error)
    }

    /// The name of the object.
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// The fields with values that the version asked for does not know, or that a function refuses, if this is the
    /// reason.
    ///
    /// Then nothing is wrong with the object, nor with this server: some versions know fewer words than others. Another
    /// word in its place would be a lie, and none a loss.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let Inner { entry, name, namespace, stored_at, error } = &*self.0;
        let kind = &entry.kind;
        let of = if namespace.is_empty() { String::new() } else { format!(" of namespace {namespace:?}") };
        let mut violations = Violation::of_conversion(error);
        for violation in &mut violations {
            violation.message +=
                &format!("; {kind} {name:?}{of} is stored at {stored_at} and can be read there");
        }
        violations
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.violations().first() {
            Some(violation) => violation.fmt(f),
            None => {
                write!(f, "{} \"{}\": {}", kind_names::resource(&self.0.entry), self.0.name, self.0.error)
            }
        }
    }
}
