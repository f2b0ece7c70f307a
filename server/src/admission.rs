//! Admission: what may change or refuse a request after it is understood and before it is checked
//! and stored.

use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;

use crate::wire::Status;

/// What a request does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes it.
    Create,
    /// Replaces it.
    Update,
    /// Takes it away.
    Delete,
}

/// A request, as admission sees it.
pub struct AdmissionRequest<'a> {
    /// What it does.
    pub operation: Operation,
    /// The kind, at the version that the client speaks.
    pub entry: &'a Arc<KindEntry>,
    /// The part of the object that it is about, such as `status`; empty for all of it.
    pub subresource: &'a str,
    /// The namespace; empty for kinds that live in the cluster.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The object as it is now, at the hub; `None` while it does not exist.
    pub old: Option<&'a dyn Reflect>,
    object: Option<&'a mut dyn Reflect>,
    changed: bool,
}

impl AdmissionRequest<'_> {
    /// The object as it would become, at the hub; `None` for deletions.
    pub fn object(&self) -> Option<&dyn Reflect> {
        self.object.as_deref()
    }

    /// The object as it would become, for changing it.
    pub fn object_mut(&mut self) -> Option<&mut dyn Reflect> {
        self.changed = true;
        self.object.as_mut().map(|object| &mut **object as &mut dyn Reflect)
    }
}

/// One step of admission.
pub trait Admission: Send + Sync {
    /// Changes the object of a request, refuses it, or lets it pass.
    ///
    /// # Errors
    /// The answer to the client, when the request is refused.
    fn admit(&self, request: &mut AdmissionRequest<'_>) -> Result<(), Status>;
}

/// The steps, in the order in which they run.
#[derive(Default)]
pub struct Chain(pub Vec<Box<dyn Admission>>);

/// What a request is about, for [`Chain::run`].
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) operation: Operation,
    pub(crate) entry: &'a Arc<KindEntry>,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl Chain {
    /// Runs every step; says whether one of them may have changed the object.
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
