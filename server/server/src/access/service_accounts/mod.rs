//! Tokens of service accounts, which the server signs when a client asks for one, and recognizes.

mod file;
mod jws;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::request::Parts;
use hubgen_machinery::scalar::Time;
use serde_json::{Value, json};
use thiserror::Error;

pub use self::file::KeyFileError;
use self::jws::Key;
use super::authentication::bearer;
use super::{AUTHENTICATED, Authenticate, Holder, Identity, Review, User};
use crate::environment::Environment;

/// The tokens of service accounts. Who sends one is the user `system:serviceaccount:NAMESPACE:NAME`, as upstream has it.
///
/// Tokens are JSON Web Tokens, signed with ES256. Without [a key](Self::with_kept_key) the server makes one when it signs the
/// first token, so that its tokens are valid until it stops.
pub struct ServiceAccountTokens {
    key: OnceLock<Key>,
    issuer: String,
}

/// Why a token cannot be signed.
#[derive(Debug, Error)]
#[error("the token cannot be signed")]
pub(crate) struct Unsigned;

/// What a token contains of its holder.
#[derive(Clone, Debug)]
pub(crate) struct Claims<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    /// For whom the token is.
    pub(crate) audiences: &'a [String],
    /// The object with which the token ends, as `pod`, its name and its uid.
    pub(crate) bound: Option<(&'a str, &'a str, &'a str)>,
    /// The identity of the token.
    pub(crate) id: &'a str,
    pub(crate) now: Time,
    pub(crate) lifetime: Duration,
}

impl ServiceAccountTokens {
    /// The issuer of tokens and their audience, unless another one is given. It is the name under which pods of most
    /// clusters reach the server.
    pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

    /// Tokens of an issuer, signed with a key of the server's own.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self { key: OnceLock::new(), issuer: issuer.into() }
    }

    /// Signs with this key.
    fn with(self, key: Key) -> Self {
        Self { key: OnceLock::from(key), ..self }
    }

    /// The key, which is made when it is first needed.
    fn key(&self) -> &Key {
        self.key.get_or_init(Key::generate)
    }

    /// The audience of a token that asks for none.
    pub(crate) fn audience(&self) -> &str {
        &self.issuer
    }

    /// Signs a token.
    pub(crate) fn sign(&self, claims: &Claims<'_>) -> Result<String, Unsigned> {
        let Claims { namespace, name, uid, audiences, bound, id, now, lifetime } = claims;
        let now = now.0.as_second();
        let mut of = json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}});
        if let Some((kind, name, uid)) = bound {
            of[kind] = json!({"name": name, "uid": uid});
        }
        let claims = json!({
            "aud": audiences,
            "exp": now.saturating_add_unsigned(lifetime.as_secs()),
            "iat": now,
            "iss": self.issuer,
            "jti": id,
            "kubernetes.io": of,
            "nbf": now,
            "sub": format!("system:serviceaccount:{namespace}:{name}"),
        });
        self.key().sign(&claims).map_err(|_| Unsigned)
    }

    /// Who holds a token for one of these audiences, or for this server if there are none.
    fn holder(&self, token: &str, audiences: &[String], now: Time) -> Option<Holder> {
        let claims = self.key.get()?.open(token)?;
        let now = now.0.as_second();
        let is_current = claims["nbf"].as_i64()? <= now && now < claims["exp"].as_i64()?;
        let own = [self.issuer.clone()];
        let asked = if audiences.is_empty() { &own[..] } else { audiences };
        let meant: Vec<&str> = claims["aud"].as_array()?.iter().filter_map(Value::as_str).collect();
        let audiences: Vec<String> =
            asked.iter().filter(|asked| meant.contains(&asked.as_str())).cloned().collect();
        if !is_current || claims["iss"] != *self.issuer || audiences.is_empty() {
            return None;
        }
        let of = &claims["kubernetes.io"];
        let (namespace, account) = (of["namespace"].as_str()?, &of["serviceaccount"]);
        let id = format!("JTI={}", claims["jti"].as_str()?);
        let user = User {
            name: claims["sub"].as_str()?.to_owned(),
            uid: account["uid"].as_str()?.to_owned(),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                AUTHENTICATED.to_owned(),
            ],
            extra: [("authentication.kubernetes.io/credential-id".to_owned(), vec![id])].into(),
        };
        Some(Holder { user, audiences })
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
        let holder = bearer(head).and_then(|token| self.tokens.holder(&token, &[], self.environment.now()));
        match holder {
            Some(holder) => Box::pin(async { Some(holder.user) }),
            None => self.others.authenticate(head),
        }
    }

    fn review<'a>(&'a self, token: &'a str, audiences: &'a [String]) -> Review<'a> {
        match self.tokens.holder(token, audiences, self.environment.now()) {
            Some(holder) => Box::pin(async { Some(holder) }),
            None => self.others.review(token, audiences),
        }
    }
}
