//! Tokens of service accounts, which the server signs when a client asks for one, and recognizes.

mod account;
mod claims;
mod discovery;
mod file;
mod held;
mod lookup;
mod recognize;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::request::Parts;
use serde_json::Value;
use thiserror::Error;

pub(crate) use self::claims::{Bound, Claims};
pub(crate) use self::discovery::KEYS_PATH;
pub use self::file::KeyFileError;
pub(crate) use self::held::HeldClaims;
pub(crate) use self::lookup::{Held, HeldResult, Known, Lookup, LookupResult};
use super::headers::bearer;
use super::jose::{PublicKey, SigningKey};
use super::{Authenticate, Identity, Review, User};
use crate::environment::Environment;

/// The tokens of service accounts. Who sends one is the user `system:serviceaccount:NAMESPACE:NAME`, as upstream has it.
///
/// Tokens are JSON Web Tokens, signed with ES256, ES384 or RS256, as the key is. Without [a key](Self::with_kept_key) the server
/// makes one when it signs the first token, so that its tokens are valid until it stops.
pub struct ServiceAccountTokens {
    key: OnceLock<SigningKey>,
    /// The keys of others, whose tokens are recognized, too.
    others: Vec<PublicKey>,
    /// The first one issues tokens; those of all are recognized.
    issuers: Vec<String>,
    audiences: Vec<String>,
    longest: Option<Duration>,
    is_extended: bool,
    keys_url: Option<String>,
}

/// Why a token cannot be signed.
#[derive(Debug, Error)]
#[error("the token cannot be signed")]
pub(crate) struct Unsigned;

impl ServiceAccountTokens {
    /// The issuer of tokens and their audience, unless another one is given. It is the name under which pods of most
    /// clusters reach the server.
    pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

    /// Tokens of an issuer, signed with a key of the server's own.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            key: OnceLock::new(),
            others: Vec::new(),
            issuers: vec![issuer.into()],
            audiences: Vec::new(),
            longest: None,
            is_extended: true,
            keys_url: None,
        }
    }

    /// Recognizes tokens of other issuers, too, such as those of former days.
    pub fn recognizing(mut self, issuers: impl IntoIterator<Item = String>) -> Self {
        self.issuers.extend(issuers);
        self
    }

    /// The audiences of this server: tokens for one of them are for it, and a token that asks for none gets them. Without any,
    /// they are the issuers.
    pub fn for_audiences(mut self, audiences: impl IntoIterator<Item = String>) -> Self {
        self.audiences.extend(audiences);
        self
    }

    /// The longest time for which a token is valid, whatever a client asks for.
    pub fn for_at_most(mut self, time: Duration) -> Self {
        self.longest = Some(time);
        self
    }

    /// Whether a token of a pod that asks for the time that kubelets ask for by default is valid for a year, as upstream has it
    /// for clients that do not read their token again. It is so by default.
    pub fn extended(mut self, is_extended: bool) -> Self {
        self.is_extended = is_extended;
        self
    }

    /// The URL at which others find the keys, if it is not this server's own.
    pub fn with_keys_at(mut self, url: impl Into<String>) -> Self {
        self.keys_url = Some(url.into());
        self
    }

    /// Signs with this key.
    fn with(self, key: SigningKey) -> Self {
        Self { key: OnceLock::from(key), ..self }
    }

    /// The key, which is made when it is first needed.
    fn key(&self) -> &SigningKey {
        self.key.get_or_init(SigningKey::generate)
    }

    /// The keys whose tokens are recognized. As upstream has it, these are those of files if there are any, which should
    /// have the one that signs.
    fn keys(&self) -> Vec<&PublicKey> {
        match self.others.is_empty() {
            true => self.key.get().map(SigningKey::public).into_iter().collect(),
            false => self.others.iter().collect(),
        }
    }

    /// The audiences of this server, which a token gets that asks for none.
    pub(crate) fn audiences(&self) -> &[String] {
        if self.audiences.is_empty() { &self.issuers } else { &self.audiences }
    }

    /// For how long a token is valid that asks for some time.
    pub(crate) fn granted(&self, asked: Duration) -> Duration {
        self.longest.map_or(asked, |longest| asked.min(longest))
    }

    /// Signs a token.
    pub(crate) fn sign(&self, claims: &Claims<'_>) -> Result<String, Unsigned> {
        let audiences = self.audiences();
        let is_own = claims.audiences.iter().all(|audience| audiences.contains(audience));
        let claims: Value = claims.document(&self.issuers[0], self.is_extended && is_own);
        self.key().sign(&claims).map_err(|_| Unsigned)
    }
}

impl Default for ServiceAccountTokens {
    fn default() -> Self {
        Self::new(Self::ISSUER)
    }
}

/// Knows the tokens of service accounts, and leaves all others to somebody else.
pub(crate) struct WithServiceAccounts {
    pub(crate) tokens: Arc<ServiceAccountTokens>,
    pub(crate) objects: Box<dyn Lookup>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) others: Box<dyn Authenticate>,
}

impl Authenticate for WithServiceAccounts {
    fn before_tokens(&self, head: &Parts) -> Option<User> {
        self.others.before_tokens(head)
    }

    fn authenticate<'a>(&'a self, head: &'a Parts) -> Identity<'a> {
        if let Some(user) = self.before_tokens(head) {
            return Box::pin(async { Some(user) });
        }
        let Some(token) = bearer(head).filter(|token| self.tokens.may_be_ours(token)) else {
            return self.others.authenticate(head);
        };
        Box::pin(async move {
            match self.tokens.holder(&token, &[], self.environment.now(), &*self.objects).await {
                Some(holder) => Some(holder.user),
                None => self.others.authenticate(head).await,
            }
        })
    }

    fn review<'a>(&'a self, token: &'a str, audiences: &'a [String]) -> Review<'a> {
        if !self.tokens.may_be_ours(token) {
            return self.others.review(token, audiences);
        }
        Box::pin(async move {
            match self.tokens.holder(token, audiences, self.environment.now(), &*self.objects).await {
                Some(holder) => Some(holder),
                None => self.others.review(token, audiences).await,
            }
        })
    }
}
