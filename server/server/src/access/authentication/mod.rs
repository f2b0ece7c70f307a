//! Who asks, by all means that a kube-apiserver has.

mod certificates;
mod front_proxy;
mod oidc;
mod reread;

use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::request::Parts;
use tracing::debug;

pub(in crate::access) use self::certificates::CREDENTIAL;
pub use self::certificates::ClientCertificates;
pub use self::front_proxy::{FrontProxy, FrontProxyHeaders};
pub use self::oidc::{AuthenticationConfiguration, ClaimMappings, ConfigurationError, Jwt, JwtIssuer};
pub use self::reread::FileError;
use super::headers::bearer;
use super::{AUTHENTICATED, Authenticate, Holder, Identity, Review, Tokens, UNAUTHENTICATED, User};

/// Finds out who asks as a kube-apiserver does: by what a trusted proxy tells, by the certificate of the connection, and by a
/// token, in this order. The first that knows the user counts. Who shows only credentials that are wrong is nobody, and who shows
/// none is [anonymous](User::anonymous).
#[derive(Default)]
pub struct Authenticators {
    /// Users of whom a proxy tells.
    pub front_proxy: Option<FrontProxy>,
    /// Users by their certificates.
    pub certificates: Option<ClientCertificates>,
    /// Users by tokens of a file, which count before those of issuers.
    pub tokens: Option<Tokens>,
    /// Users by tokens of other issuers.
    pub jwt: Vec<Jwt>,
    /// The audiences of this server, for reviews of tokens: those of a file are meant for all of them.
    pub audiences: Vec<String>,
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
    /// The request has such credentials, which are wrong. The text is the reason, and has none of them.
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
    /// Whether anybody can have credentials, or must have them. Otherwise everybody is anonymous, whoever asks.
    pub fn ask_for_credentials(&self) -> bool {
        self.anonymous != Anonymous::Everywhere
            || self.front_proxy.is_some()
            || self.certificates.is_some()
            || self.tokens.is_some()
            || !self.jwt.is_empty()
    }

    /// What the connection and its proxy tell.
    fn of_connection(&self, head: &Parts) -> Found {
        let proxy = self.front_proxy.as_ref().map_or(Found::Nobody, |proxy| proxy.find(head));
        proxy.or_else(|| self.certificates.as_ref().map_or(Found::Nobody, |known| known.find(head)))
    }

    /// Who has a token.
    async fn of_token(&self, token: &str) -> Found {
        if let Some(user) = self.tokens.as_ref().and_then(|tokens| tokens.user(token)) {
            return Found::User(user.clone());
        }
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX);
        for jwt in &self.jwt {
            match jwt.find(token, now).await {
                Found::Nobody => {}
                found => return found,
            }
        }
        Found::Wrong("nobody has the token".to_owned())
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
            let found = match self.of_connection(head) {
                Found::User(user) => Found::User(user),
                other => match bearer(head) {
                    Some(token) => self.of_token(&token).await.or_else(|| other),
                    None => other,
                },
            };
            match found {
                Found::User(user) => Some(authenticated(user)),
                Found::Nobody => self.anonymous.find(head.uri.path()),
                Found::Wrong(why) => {
                    debug!("a request is not let in: {why}");
                    None
                }
            }
        })
    }

    fn review<'a>(&'a self, token: &'a str, audiences: &'a [String]) -> Review<'a> {
        Box::pin(async {
            let audiences = self.meant(audiences)?;
            match self.of_token(token).await {
                Found::User(user) => Some(Holder { user: authenticated(user), audiences }),
                Found::Nobody | Found::Wrong(_) => None,
            }
        })
    }
}

impl Authenticators {
    /// For whom among those asked for a token is meant that does not say for whom it is, as upstream has it; `None` if for
    /// nobody.
    fn meant(&self, asked: &[String]) -> Option<Vec<String>> {
        if asked.is_empty() || self.audiences.is_empty() {
            return Some(self.audiences.clone());
        }
        let meant: Vec<_> = asked.iter().filter(|asked| self.audiences.contains(asked)).cloned().collect();
        (!meant.is_empty()).then_some(meant)
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
