//! Who asks, and who may.
//!
//! Each request passes three gates before anything is done for it: over plain HTTP, it comes from a program on this
//! machine (`loopback`), somebody asks ([`Authenticate`]), and that user may ([`Authorize`]). By default everybody is
//! [anonymous](User::anonymous) and may do everything, because the server listens on the loopback interface only.
//!
//! ```
//! use hubgen_server::access::{Access, Attributes, Authorize, Decision, Grant, Refusal};
//!
//! /// Lets everybody read, and nobody write.
//! struct ReadOnly;
//!
//! impl Authorize for ReadOnly {
//!     fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
//!         Box::pin(async {
//!             match request.verb {
//!                 "get" | "list" | "watch" => Ok(Grant::default()),
//!                 _ => Err(Refusal::because("everything is read-only here")),
//!             }
//!         })
//!     }
//! }
//!
//! let access = Access { authorize: Box::new(ReadOnly), ..Access::default() };
//! # drop(access);
//! ```

mod authentication;
mod decision;
mod headers;
mod impersonation;
mod jose;
pub(crate) mod loopback;
mod modes;
mod rules;
mod service_accounts;
mod tokens;
mod webhook;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{Request, header};

pub use self::authentication::{
    Anonymous, AuthenticationConfiguration, Authenticators, ClaimMappings, ClientCertificates,
    ConfigurationError, FileError, FrontProxy, FrontProxyHeaders, Jwt, JwtIssuer,
};
pub(crate) use self::decision::aggregate;
pub use self::decision::{Grant, Refusal};
pub use self::modes::{DenyAll, Modes};
pub(crate) use self::modes::{PRIVILEGED, is_privileged};
pub use self::rules::{ListedRules, PathRule, ResourceRule, Rules};
pub(crate) use self::service_accounts::{
    Bound, Claims, Held, HeldClaims, HeldResult, KEYS_PATH, Known, Lookup, LookupResult, WithServiceAccounts,
};
pub use self::service_accounts::{KeyFileError, ServiceAccountTokens};
pub use self::tokens::{Authenticated, TokenError, Tokens};
pub use self::webhook::{KubeconfigError, Version as WebhookVersion, Webhook, WebhookOptions};

/// The group of everybody who has credentials, which is upstream's.
const AUTHENTICATED: &str = "system:authenticated";
/// The group of everybody who has none.
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// The user who sends a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name, such as `system:anonymous`.
    pub name: String,
    /// An identity that no other user ever had; empty if there is none.
    pub uid: String,
    /// The groups of which the user is a member.
    pub groups: Vec<String>,
    /// What else is known of the user, by names such as `example.com/team`.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The name of everybody who has no credentials.
    const ANONYMOUS: &str = "system:anonymous";

    /// The user of a request that does not say who sends it. Name and group are upstream's.
    pub fn anonymous() -> Self {
        Self { name: Self::ANONYMOUS.to_owned(), groups: vec![UNAUTHENTICATED.to_owned()], ..Self::default() }
    }
}

/// What a user asks for.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// Who asks.
    pub user: &'a User,
    /// The verb, such as `list`. For a path that is not of a resource, it is the method in small letters.
    pub verb: &'a str,
    /// The path of the request.
    pub path: &'a str,
    /// The resource; `None` for paths such as `/metrics` and those of discovery.
    pub resource: Option<ResourceAttributes<'a>>,
}

/// The resource that a user asks for.
#[derive(Clone, Copy, Debug)]
pub struct ResourceAttributes<'a> {
    /// The group; empty for the core group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The plural name.
    pub resource: &'a str,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-scoped kinds and for all namespaces.
    pub namespace: &'a str,
    /// The name of the object; empty for a collection.
    pub name: &'a str,
}

/// Who sends a request, perhaps after a while; `None` if its credentials are not valid.
pub type Identity<'a> = Pin<Box<dyn Future<Output = Option<User>> + Send + 'a>>;

/// Finds out who sends a request.
pub trait Authenticate: Send + Sync {
    /// The user, from the head of the request.
    fn authenticate<'a>(&'a self, head: &'a Parts) -> Identity<'a>;

    /// Who sends a request, as far as the connection tells, whatever token the request has. [`authenticate`](Self::authenticate)
    /// must tell the same. By default, no connection tells.
    fn before_tokens(&self, _head: &Parts) -> Option<User> {
        None
    }

    /// Who holds a token that is meant for one of these audiences, or for this server if there are none.
    ///
    /// By default it is who sends a request with that token (`Authorization: Bearer TOKEN`), who is not anonymous, and the
    /// token is meant for this server alone.
    fn review<'a>(&'a self, token: &'a str, audiences: &'a [String]) -> Review<'a> {
        Box::pin(async move {
            let request =
                Request::builder().header(header::AUTHORIZATION, format!("Bearer {token}")).body(());
            let (head, ()) = request.ok().filter(|_| audiences.is_empty())?.into_parts();
            let user = self.authenticate(&head).await?;
            let is_known = user.groups.iter().all(|group| group != UNAUTHENTICATED);
            is_known.then_some(Holder { user, audiences: Vec::new() })
        })
    }
}

/// Who holds a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Who that is.
    pub user: User,
    /// For whom among those asked for the token is meant; empty if it is meant for this server.
    pub audiences: Vec<String>,
}

/// Who holds a token, perhaps after a while; `None` if the token is not valid.
pub type Review<'a> = Pin<Box<dyn Future<Output = Option<Holder>> + Send + 'a>>;

/// Whether a user may do what a request asks for, perhaps after a while.
pub type Decision<'a> = Pin<Box<dyn Future<Output = Result<Grant, Refusal>> + Send + 'a>>;

/// Decides who may do what.
pub trait Authorize: Send + Sync {
    /// Allows the request or refuses it.
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a>;

    /// Lists what a user may do in a namespace. By default, nothing is listed.
    fn rules<'a>(&'a self, _user: &'a User, _namespace: &'a str) -> ListedRules<'a> {
        let missing = "this server decides request by request, and cannot list what a user may do".to_owned();
        Box::pin(async { Rules { missing, ..Rules::default() } })
    }
}

/// Everybody is anonymous, and may do everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Authenticate for AllowAll {
    fn authenticate<'a>(&'a self, _: &'a Parts) -> Identity<'a> {
        Box::pin(async { Some(User::anonymous()) })
    }
}

impl Authorize for AllowAll {
    fn authorize<'a>(&'a self, _: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async { Ok(Grant::default()) })
    }

    fn rules<'a>(&'a self, _: &'a User, _: &'a str) -> ListedRules<'a> {
        Box::pin(async { Rules::everything() })
    }
}

impl<T: Authorize + ?Sized> Authorize for Arc<T> {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        (**self).authorize(request)
    }

    fn rules<'a>(&'a self, user: &'a User, namespace: &'a str) -> ListedRules<'a> {
        (**self).rules(user, namespace)
    }
}

/// Who decides who asks and who may.
pub struct Access {
    /// Finds out who sends a request.
    pub authenticate: Box<dyn Authenticate>,
    /// Decides what that user may do.
    pub authorize: Box<dyn Authorize>,
}

impl Default for Access {
    fn default() -> Self {
        Self { authenticate: Box::new(AllowAll), authorize: Box::new(AllowAll) }
    }
}

/// Why a request does not get in.
#[derive(Debug)]
pub(crate) enum Denied {
    /// The request has no `Host` header, or more than one; the text says which.
    Host(&'static str),
    /// It comes from elsewhere than a program on this machine.
    Foreign(String),
    /// Its credentials are not valid.
    Unauthenticated,
    /// As whom it acts means nothing.
    Malformed(String),
    /// The user may not do this.
    Forbidden(Box<Forbidden>),
    /// Nobody knows whether the user may do this, for the reason in the text.
    Undecided(String),
}

/// What a user may not do.
#[derive(Debug)]
pub(crate) struct Forbidden {
    pub(crate) user: String,
    pub(crate) what: Asked,
    /// The reason; empty if there is none.
    pub(crate) why: String,
}

/// What a refused user asked for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A path that is not of a resource.
    Path { verb: String, path: String },
    /// A resource; the texts are those of [`ResourceAttributes`].
    Resource {
        verb: String,
        group: String,
        resource: String,
        subresource: String,
        namespace: String,
        name: String,
    },
}

impl Access {
    /// Finds out who sends a request.
    ///
    /// # Errors
    /// [`Denied::Unauthenticated`].
    pub(crate) async fn user(&self, head: &Parts) -> Result<Arc<User>, Denied> {
        self.authenticate.authenticate(head).await.map(Arc::new).ok_or(Denied::Unauthenticated)
    }

    /// Decides whether a user may do what a request asks for.
    ///
    /// # Errors
    /// [`Denied::Forbidden`] and [`Denied::Undecided`].
    pub(crate) async fn check(&self, request: &Attributes<'_>) -> Result<(), Denied> {
        let Err(refusal) = self.authorize.authorize(request).await else { return Ok(()) };
        if !refusal.error.is_empty() {
            return Err(Denied::Undecided(format!("{:?}: {}", request.path, refusal.error)));
        }
        Err(request.refused(&refusal.reason))
    }
}

impl Attributes<'_> {
    /// The refusal of a request, for this reason.
    fn refused(&self, why: &str) -> Denied {
        let (user, what, why) = (self.user.name.clone(), Asked::for_request(self), why.to_owned());
        Denied::Forbidden(Box::new(Forbidden { user, what, why }))
    }
}

impl Asked {
    fn for_request(request: &Attributes<'_>) -> Self {
        let verb = request.verb.to_owned();
        let Some(of) = request.resource else { return Self::Path { verb, path: request.path.to_owned() } };
        let [group, resource, subresource, namespace, name] =
            [of.group, of.resource, of.subresource, of.namespace, of.name].map(str::to_owned);
        Self::Resource { verb, group, resource, subresource, namespace, name }
    }
}
