//! Why an operation on objects fails.

use std::sync::Arc;

use hubgen_machinery::json::EncodeError;
use hubgen_machinery::scheme::{KindEntry, SchemeError};
use hubgen_patch::owners::Conflicts;
use hubgen_serve::queue::WorkError;

use super::unevictable::Unevictable;
use super::unfit::Unfit;
use super::unreadable::{Unlisted, Unreadable};
use crate::access::Denied;
use crate::admission::Refusal;
use crate::media::Unshown;
use crate::store::{self, KeyValue};
use crate::validation::Violation;

/// The object that an error is about.
#[derive(Clone, Debug)]
pub(crate) struct ObjectName {
    /// The kind, at the version of the request.
    pub(crate) entry: Arc<KindEntry>,
    /// Empty if it has no name yet.
    pub(crate) name: String,
}

impl ObjectName {
    /// The object of that kind and name.
    pub(crate) fn new(entry: &Arc<KindEntry>, name: &str) -> Self {
        Self { entry: Arc::clone(entry), name: name.to_owned() }
    }
}

/// Why an operation on objects fails. What a client is told of it, `status` says.
#[derive(Debug)]
pub(crate) enum Error {
    /// The request contradicts itself, or its body is no object of the kind; the text says why.
    Malformed(String),
    /// There is no such object.
    NotFound(ObjectName),
    /// An object of that name exists.
    Exists {
        object: ObjectName,
        /// Whether its deletion was requested.
        is_being_deleted: bool,
    },
    /// All names generated from `generateName` exist already; this is the last one tried.
    NoNameGenerated(ObjectName),
    /// A replacement does not tell which revision it replaces, as those of custom resources must.
    Unconditional(ObjectName),
    /// The stored object is not the one that the client means.
    Conflict { object: ObjectName, why: Conflict },
    /// The object does not meet a precondition of its deletion.
    Precondition {
        object: ObjectName,
        /// `UID` or `ResourceVersion`.
        what: &'static str,
        wanted: String,
        found: String,
        /// What may have happened to the object.
        happened: &'static str,
    },
    /// A patch does not apply to the object.
    Inapplicable(hubgen_patch::Error),
    /// Others own fields that a configuration would change.
    Owned(Conflicts),
    /// A configuration cannot be applied, which upstream takes for a failure of the server; the text says why.
    Unapplied(String),
    /// The client may not do what its request leads to.
    Denied(Denied),
    /// What a patch makes of the object is no object of the kind.
    PatchedInvalid(Violation),
    /// The object violates rules.
    Invalid { object: ObjectName, violations: Vec<Violation> },
    /// The object violates rules, and names another kind than the request is about.
    Misnamed { group: String, kind: String, name: String, violations: Vec<Violation> },
    /// The object of the client does not convert to its hub or to its storage version.
    Conversion { object: ObjectName, error: SchemeError },
    /// The stored object does not convert to the version asked for.
    Unfit(Unfit),
    /// The stored value cannot be read.
    Unreadable(Unreadable),
    /// The stored object that a request would change cannot be converted for it.
    Unconverted(Unreadable),
    /// A list contains values that cannot be listed.
    Unlisted { entry: Arc<KindEntry>, values: Unlisted },
    /// The option that removes unreadable values is set for an object that can be read.
    Readable(ObjectName),
    /// An admission step refuses the request.
    Refused(Refusal),
    /// The namespace of a new object is being deleted.
    Terminating { object: ObjectName, namespace: String },
    /// The revision of a list is not kept any more; the token continues the list at the newest revision.
    ListExpired { continue_token: Option<String> },
    /// The changes after the revision of a watch are not kept any more.
    WatchExpired {
        requested: u64,
        /// The oldest revision after which all changes are kept.
        oldest: u64,
    },
    /// The turn of a part of a watch did not come in time, or its work panicked.
    NoTurn(WorkError),
    /// The requested revision is newer than the store.
    FutureRevision {
        requested: u64,
        current: u64,
        /// Whether asking again may help: the client accepts any newer revision.
        may_come: bool,
    },
    /// A pod may not be evicted.
    Unevictable(Unevictable),
    /// The resource is a request for an action, which nothing here carries out.
    NoAction(Arc<KindEntry>),
    /// The store failed.
    Store(store::Error),
    /// Something failed that no client can mend; the text says what.
    Internal(String),
}

/// Why a stored object is not the one that the client means.
#[derive(Debug)]
pub(crate) enum Conflict {
    /// It changed since the client read it.
    Modified,
    /// It was deleted and created again.
    OtherUid { wanted: String, found: String },
    /// It does not exist, and the client means one with this uid.
    Absent { uid: String },
    /// It cannot be assigned to a node, for the reason in the text.
    Unassignable(String),
}

impl Error {
    /// The object violates rules.
    pub(crate) fn invalid(entry: &Arc<KindEntry>, name: &str, violations: Vec<Violation>) -> Self {
        Self::Invalid { object: ObjectName::new(entry, name), violations }
    }

    /// The object changed since the client read it.
    pub(crate) fn modified(entry: &Arc<KindEntry>, name: &str) -> Self {
        Self::Conflict { object: ObjectName::new(entry, name), why: Conflict::Modified }
    }

    /// The object was deleted and created again since the client read it.
    pub(crate) fn other_uid(entry: &Arc<KindEntry>, name: &str, wanted: &str, found: &str) -> Self {
        let why = Conflict::OtherUid { wanted: wanted.to_owned(), found: found.to_owned() };
        Self::Conflict { object: ObjectName::new(entry, name), why }
    }

    /// The object cannot be assigned to a node.
    pub(crate) fn unassignable(entry: &Arc<KindEntry>, name: &str, why: String) -> Self {
        Self::Conflict { object: ObjectName::new(entry, name), why: Conflict::Unassignable(why) }
    }

    /// An object that is stored with this value does not convert to the version asked for.
    pub(crate) fn unfit(unfit: Unfit, stored: &KeyValue) -> Self {
        match unfit.failure() {
            Some(why) => Self::Unreadable(Unreadable::new(stored, why)),
            None => Self::Unfit(unfit),
        }
    }

    /// There is no such object.
    pub(crate) fn not_found(entry: &Arc<KindEntry>, name: &str) -> Self {
        Self::NotFound(ObjectName::new(entry, name))
    }

    /// Makes the error of a conversion of the client's object.
    pub(crate) fn conversion(entry: &Arc<KindEntry>, name: &str) -> impl FnOnce(SchemeError) -> Self + use<> {
        let object = ObjectName::new(entry, name);
        move |error| Self::Conversion { object, error }
    }
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

impl From<Unreadable> for Error {
    fn from(unreadable: Unreadable) -> Self {
        Self::Unreadable(unreadable)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::FutureRevision { requested, current } => {
                Self::FutureRevision { requested, current, may_come: false }
            }
            error => Self::Store(error),
        }
    }
}

/// An object that was written has been at the hub, and contains no value that JSON cannot represent, but an admission
/// step can set one.
impl From<Unshown> for Error {
    fn from(error: Unshown) -> Self {
        Self::Internal(error.to_string())
    }
}

/// An object that was decoded contains no value that JSON cannot represent, but an admission step can set one.
impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        Self::Internal(error.to_string())
    }
}
