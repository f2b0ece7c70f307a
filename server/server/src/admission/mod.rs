//! Admission steps change or refuse a request after decoding and defaulting, and before it is stored.
//!
//! There are two phases, as upstream has them. Steps of the first may change the object ([`Mutate`]). Then the object
//! is validated. Steps of the second see what would be stored, and accept or refuse it ([`Validate`]). Both may wait,
//! for the answer of a webhook for example: other requests go on meanwhile. They may also block their thread, which is none
//! of those that serve connections.
//!
//! ```
//! use hubgen_server::admission::{AdmissionRequest, Chain, Operation, Refusal, Validate, Verdict};
//!
//! /// Refuses every deletion.
//! struct NoDeletions;
//!
//! impl Validate for NoDeletions {
//!     fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
//!         Box::pin(async move {
//!             match request.operation {
//!                 Operation::Delete => Err(Refusal::forbidden("nothing may be deleted")),
//!                 Operation::Create | Operation::Update => Ok(()),
//!             }
//!         })
//!     }
//! }
//!
//! let chain = Chain { validating: vec![Box::new(NoDeletions)], ..Chain::default() };
//! # drop(chain);
//! ```

mod taint_nodes;

use std::pin::Pin;
use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;
use hubgen_serve::queue::Turn;

pub use self::taint_nodes::TaintNodes;
use crate::access::User;

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
    /// Who asks.
    pub user: &'a User,
    /// Whether nothing is stored, whatever the answer is. A step must have no effects of its own then.
    pub dry_run: bool,
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

/// Why a step refuses a request: what the client is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP code, such as 403.
    pub code: u16,
    /// The reason for programs, such as `Forbidden`.
    pub reason: String,
    /// The message for people.
    pub message: String,
    /// What the refusal is about; `None` if the client is told nothing of it.
    pub about: Option<Box<About>>,
}

/// The object that a refusal is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The group; empty for the core group.
    pub group: String,
    /// The plural name of the resource.
    pub resource: String,
    /// The name of the object; empty if it has none yet.
    pub name: String,
}

impl Refusal {
    /// The usual refusal: code 403 and reason `Forbidden`.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self { code: 403, reason: "Forbidden".to_owned(), message: message.into(), about: None }
    }
}

/// What a step decides about a request, perhaps after a while.
pub type Verdict<'a> = Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send + 'a>>;

/// A step of the phase that may change objects.
pub trait Mutate: Send + Sync {
    /// Whether the step is about objects of a kind, which it is by default. It is not asked about others.
    fn concerns(&self, _: &KindEntry) -> bool {
        true
    }

    /// Accepts the request, changes its object, or refuses it.
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a>;
}

/// A step of the phase that sees objects as they would be stored.
pub trait Validate: Send + Sync {
    /// Accepts the request or refuses it.
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a>;
}

/// The admission steps of both phases, in the order in which they run.
#[derive(Default)]
pub struct Chain {
    /// The steps that may change objects. They run before validation.
    pub mutating: Vec<Box<dyn Mutate>>,
    /// The steps that see what would be stored. They run after validation.
    pub validating: Vec<Box<dyn Validate>>,
    /// Whether objects are refused whose namespace does not exist or is being deleted, and the deletion of `default`,
    /// `kube-system` and `kube-public`, before any step is asked: upstream's `NamespaceLifecycle`. By default they are not.
    pub namespace_lifecycle: bool,
}

/// The request's operation and target, for [`Chain`].
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) operation: Operation,
    pub(crate) entry: &'a Arc<KindEntry>,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) user: &'a User,
    pub(crate) dry_run: bool,
    /// The turn of the request, which is left while a step waits.
    pub(crate) turn: &'a Turn,
}

impl<'a> Subject<'a> {
    fn request<'o>(
        self,
        object: Option<&'o mut dyn Reflect>,
        old: Option<&'o dyn Reflect>,
    ) -> AdmissionRequest<'o>
    where
        'a: 'o,
    {
        let Subject { operation, entry, subresource, namespace, name, user, dry_run, .. } = self;
        AdmissionRequest {
            operation,
            entry,
            subresource,
            namespace,
            name,
            user,
            dry_run,
            old,
            object,
            changed: false,
        }
    }
}

impl Chain {
    /// Whether a step may change objects of a kind.
    pub(crate) fn may_change(&self, entry: &KindEntry) -> bool {
        self.mutating.iter().any(|step| step.concerns(entry))
    }

    /// Runs every step that may change the object. Returns whether one may have.
    pub(crate) async fn mutate(
        &self,
        subject: Subject<'_>,
        object: Option<&mut dyn Reflect>,
        old: Option<&dyn Reflect>,
    ) -> Result<bool, Refusal> {
        let mut request = subject.request(object, old);
        for step in self.mutating.iter().filter(|step| step.concerns(subject.entry)) {
            subject.turn.apart().await;
            subject.turn.aside(step.admit(&mut request)).await?;
        }
        Ok(request.changed)
    }

    /// Runs every step that sees what would be stored.
    pub(crate) async fn validate(
        &self,
        subject: Subject<'_>,
        object: Option<&mut dyn Reflect>,
        old: Option<&dyn Reflect>,
    ) -> Result<(), Refusal> {
        let request = subject.request(object, old);
        for step in &self.validating {
            subject.turn.apart().await;
            subject.turn.aside(step.admit(&request)).await?;
        }
        Ok(())
    }
}
