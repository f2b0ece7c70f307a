//! Admission steps change or refuse a request after decoding and defaulting, and before validation
//! and storage.

use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;

use crate::wire::Status;

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Creates the object.
    Create,
    /// Replaces the object.
    Update,
    /// Deletes the object.
    Delete,
}

/// A request as an admission step receives it.
pub struct AdmissionRequest<'a> {
    /// The operation.
    pub operation: Operation,
    /// The kind, at the version of the request.
    pub entry: &'a Arc<KindEntry>,
    /// The subresource of the request, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-scoped kinds.
    pub namespace: &'a str,
    /// The name of the object.
    pub name: &'a str,
    /// The current object, at the hub; `None` if it does not exist yet.
    pub old: Option<&'a dyn Reflect>,
    object: Option<&'a mut dyn Reflect>,
    changed: bool,
}

impl AdmissionRequest<'_> {
    /// The new object, at the hub; `None` for deletions.
    pub fn object(&self) -> Option<&dyn Reflect> {
        self.object.as_deref()
    }

    /// The new object, for changes.
    pub fn object_mut(&mut self) -> Option<&mut dyn Reflect> {
        self.changed = true;
        self.object.as_mut().map(|object| &mut **object as &mut dyn Reflect)
    }
}

/// One step of admission.
pub trait Admission: Send + Sync {
    /// Accepts the request, changes its object, or refuses it.
    ///
    /// # Errors
    /// The response to the client, if the step refuses the request.
    fn admit(&self, request: &mut AdmissionRequest<'_>) -> Result<(), Status>;
}

/// The admission steps, in the order in which they run.
#[derive(Default)]
pub struct Chain(pub Vec<Box<dyn Admission>>);

/// The request's operation and target, for [`Chain::run`].
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) operation: Operation,
    pub(crate) entry: &'a Arc<KindEntry>,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl Chain {
    /// Runs every step. Returns whether a step may have changed the object.
    pub(crate) fn run<'a>(
        &self,
        subject: Subject<'a>,
        object: Option<&'a mut dyn Reflect>,
        old: Option<&'a dyn Reflect>,
    ) -> Result<bool, Status> {
        let Subject { operation, entry, subresource, namespace, name } = subject;
        let mut request =
            AdmissionRequest { operation, entry, subresource, namespace, name, old, object, changed: false };
        for step in &self.0 {
            step.admit(&mut request)?;
        }
        Ok(request.changed)
    }
}
