//! Who asks, by all means that a kube-apiserver has.

mod bearer;
mod certificates;
mod front_proxy;
mod reread;

use axum::http::request::Parts;
use tracing::debug;

pub(crate) use self::bearer::bearer;
pub use self::certificates::ClientCertificates;
pub(in crate::access) use self::front_proxy::text;
pub use self::front_proxy::{FrontProxy, FrontProxyHeaders};
pub use self::reread::FileError;
use super::{AUTHENTICATED, Authenticate, Identity, Tokens, UNAUTHENTICATED, User};

/// Finds out who asks as a kube-apiserver does: by what a trusted proxy tells, by the certificate of the connection, and by a
/// token, in this order. The first that knows the user counts. Who shows only credentials that are wrong is nobody, and who shows
/// none is [anonymous](User::anonymous).
#[derive(Default)]
pub struct Authenticators {
    /// Users of whom a proxy tells.
    pub front_proxy: Option<FrontProxy>,
    /// Users by their certificates.
    pub certificates: Option<ClientCertificates>,
    /// Users by tokens of a file.
    pub tokens: Option<Tokens>,
    /// Who may ask without credentials.
    pub anonymous: Anonymous,
}

/// Who may ask without credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// Everybody.
    #[default]
    Everywhere,
    /// Everybody, but only at these paths.
    Paths(Vec<String>),
    /// Nobody.
    Nowhere,
}

/// What one means knows of a request.
pub(crate) enum Found {
    /// Who sends it.
    User(User),
    /// The request has no credentials of this sort.
    Nobody,
    /// The request has such credentials, which are wrong. The text says why, and has none of them.
    Wrong(String),
}

impl Found {
    /// What another means knows, unless this one knows the user.
    fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::User(_) => self,
            Self::Nobody => other(),
            Self::Wrong(why) => match other() {
                Self::User(user) => Self::User(user),
                Self::Nobody | Self::Wrong(_) => Self::Wrong(why),
            },
        }
    }
}

impl Anonymous {
    fn find(&self, path: &str) -> Option<User> {
        let is_known = match self {
            Self::Everywhere => true,
            Self::Paths(paths) => paths.iter().any(|known| known == path),
            Self::Nowhere => false,
        };
        is_known.then(User::anonymous)
    }
}

impl Authenticators {
    /// Whether anybody can have credentials.
    pub fn know_somebody(&self) -> bool {
        self.front_proxy.is_some() || self.certificates.is_some() || self.tokens.is_some()
    }

    /// What the connection and its proxy tell.
    fn of_connection(&self, head: &Parts) -> Found {
        let proxy = self.front_proxy.as_ref().map_or(Found::Nobody, |proxy| proxy.find(head));
        proxy.or_else(|| self.certificates.as_ref().map_or(Found::Nobody, |known| known.find(head)))
    }

    /// Who has a token.
    fn of_token(&self, token: &str) -> Found {
        match self.tokens.as_ref().and_then(|tokens| tokens.user(token)) {
            Some(user) => Found::User(user.clone()),
            None => Found::Wrong("nobody has the token".to_owned()),
        }
    }
}

impl Authenticate for Authenticators {
    fn before_tokens(&self, head: &Parts) -> Option<User> {
        match self.of_connection(head) {
            Found::User(user) => Some(authenticated(user)),
            Found::Nobody | Found::Wrong(_) => None,
        }
    }

    fn authenticate<'a>(&'a self, head: &'a Parts) -> Identity<'a> {
        Box::pin(async {
            let token = || bearer(head).map_or(Found::Nobody, |token| self.of_token(&token));
            match self.of_connection(head).or_else(token) {
                Found::User(user) => Some(authenticated(user)),
                Found::Nobody => self.anonymous.find(head.uri.path()),
                Found::Wrong(why) => {
                    debug!("a request is not let in: {why}");
                    None
                }
            }
        })
    }
}

/// Adds the group of those who have credentials, as upstream does.
fn authenticated(mut user: User) -> User {
    let is_known = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
    if user.name != User::ANONYMOUS && !user.groups.iter().any(is_known) {
        user.groups.push(AUTHENTICATED.to_owned());
    }
    user
}
