//! The claims of a token.

use std::time::Duration;

use hubgen_machinery::scalar::Time;
use serde_json::{Value, json};

use super::account;

/// The time for which kubelets ask for tokens of pods, by which they are known.
const OF_KUBELETS: Duration = Duration::from_secs(60 * 60 + 7);
/// The time for which such a token is valid.
const EXTENDED: Duration = Duration::from_secs(24 * 365 * 60 * 60);

/// What a token contains of its holder.
#[derive(Clone, Debug)]
pub(crate) struct Claims<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    /// For whom the token is.
    pub(crate) audiences: &'a [String],
    /// The objects with which the token ends, or which it tells.
    pub(crate) bound: &'a [Bound],
    /// The identity of the token.
    pub(crate) id: &'a str,
    pub(crate) now: Time,
    pub(crate) lifetime: Duration,
}

/// An object of which a token tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The claim that names it, such as `pod`.
    pub(crate) claim: &'static str,
    pub(crate) name: String,
    /// Empty if there is no such object.
    pub(crate) uid: String,
}

impl Claims<'_> {
    /// The claims of a token of this issuer.
    pub(super) fn document(&self, issuer: &str, is_extended: bool) -> Value {
        let Claims { namespace, name, uid, audiences, bound, id, now, lifetime } = self;
        let now = now.0.as_second();
        let mut of = json!({"namespace": namespace});
        let mut ends = *lifetime;
        for Bound { claim, name, uid } in *bound {
            of[*claim] = json!({"name": name});
            if !uid.is_empty() {
                of[*claim]["uid"] = uid.as_str().into();
            }
        }
        of["serviceaccount"] = json!({"name": name, "uid": uid});
        let of_pod = bound.iter().any(|bound| bound.claim == "pod");
        if is_extended && of_pod && *lifetime == OF_KUBELETS {
            of["warnafter"] = now.saturating_add_unsigned(lifetime.as_secs()).into();
            ends = EXTENDED;
        }
        json!({
            "aud": audiences,
            "exp": now.saturating_add_unsigned(ends.as_secs()),
            "iat": now,
            "iss": issuer,
            "jti": id,
            "kubernetes.io": of,
            "nbf": now,
            "sub": account::user_name(namespace, name),
        })
    }
}
