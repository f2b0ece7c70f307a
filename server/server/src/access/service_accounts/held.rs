//! Tokens that Secrets hold. They never expire: such a token is valid as long as its Secret holds it.
//!
//! Claims, issuer and checks are those of upstream's legacy tokens.

use serde_json::{Value, json};

use super::{Lookup, ServiceAccountTokens, Unsigned, account};
use crate::access::User;

/// The issuer of all of them.
pub(super) const ISSUER: &str = "kubernetes/serviceaccount";

const NAMESPACE: &str = "kubernetes.io/serviceaccount/namespace";
const SECRET: &str = "kubernetes.io/serviceaccount/secret.name";
const NAME: &str = "kubernetes.io/serviceaccount/service-account.name";
const UID: &str = "kubernetes.io/serviceaccount/service-account.uid";

/// What a token in a Secret tells.
#[derive(Clone, Debug)]
pub(crate) struct HeldClaims<'a> {
    pub(crate) namespace: &'a str,
    /// The account, and its uid.
    pub(crate) account: [&'a str; 2],
    pub(crate) secret: &'a str,
}

impl ServiceAccountTokens {
    /// Signs a token for a Secret.
    pub(crate) fn sign_held(&self, claims: &HeldClaims<'_>) -> Result<String, Unsigned> {
        let HeldClaims { namespace, account: [name, uid], secret } = claims;
        let claims = json!({
            "iss": ISSUER,
            NAMESPACE: namespace,
            SECRET: secret,
            NAME: name,
            UID: uid,
            "sub": account::user_name(namespace, name),
        });
        self.key().sign(&claims).map_err(|_| Unsigned)
    }
}

/// Whether verified claims are those of a token in a Secret.
pub(super) fn are_held(claims: &Value) -> bool {
    claims["iss"] == ISSUER && claims.get(NAMESPACE).is_some()
}

/// The user of whom a token tells, if its Secret holds it and its account is there.
pub(super) async fn user(token: &str, claims: &Value, objects: &dyn Lookup) -> Result<User, String> {
    let text = |claim: &str| claims[claim].as_str().filter(|text| !text.is_empty());
    let [Some(namespace), Some(secret), Some(name), Some(uid)] = [NAMESPACE, SECRET, NAME, UID].map(text)
    else {
        return Err("a claim is missing".to_owned());
    };
    if claims["sub"] != account::user_name(namespace, name) {
        return Err("it is about another account than its subject".to_owned());
    }
    match objects.held(namespace, secret).await {
        Some(held) if held.is_being_deleted || held.token != token.as_bytes() => {
            return Err(format!("the secret {secret:?} holds it no longer"));
        }
        Some(held) if held.is_invalid => return Err(format!("it is marked as not valid in {secret:?}")),
        Some(_) => {}
        None => return Err(format!("the secret {secret:?} is not there")),
    }
    match objects.find("serviceaccounts", namespace, name).await {
        Some(account) if account.uid == uid && account.deleted.is_none() => {}
        _ => return Err(format!("the account {name:?} is not there, or is another one")),
    }
    Ok(account::user(namespace, name, uid))
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::scalar::Time;

    use super::super::{Held, HeldResult, Known, LookupResult};
    use super::*;

    /// A Secret and an account.
    struct Objects {
        held: Option<Held>,
        account: Option<Known>,
    }

    impl Lookup for Objects {
        fn find<'a>(&'a self, _: &'a str, _: &'a str, _: &'a str) -> LookupResult<'a> {
            Box::pin(async { self.account.clone() })
        }

        fn held<'a>(&'a self, _: &'a str, _: &'a str) -> HeldResult<'a> {
            Box::pin(async { self.held.clone() })
        }
    }

    #[test]
    fn a_token_is_valid_while_its_secret_holds_it() {
        let tokens = ServiceAccountTokens::default();
        let claims = HeldClaims { namespace: "n", account: ["a", "1"], secret: "s" };
        let token = tokens.sign_held(&claims).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let now: Time = "2030-01-01T00:00:00Z".parse().unwrap();
        let name = |held: Option<Held>, account: Option<Known>| {
            let objects = Objects { held, account };
            runtime.block_on(tokens.holder(&token, &[], now, &objects)).map(|holder| holder.user.name)
        };
        let held = Held { token: token.clone().into_bytes(), is_being_deleted: false, is_invalid: false };
        let account = Known { uid: "1".to_owned(), deleted: None };
        let both = |held: &Held, account: &Known| name(Some(held.clone()), Some(account.clone()));
        assert_eq!(both(&held, &account).as_deref(), Some("system:serviceaccount:n:a"));
        assert_eq!(name(None, Some(account.clone())), None);
        assert_eq!(name(Some(held.clone()), None), None);
        for other in [
            Held { token: b"another".to_vec(), ..held.clone() },
            Held { is_being_deleted: true, ..held.clone() },
            Held { is_invalid: true, ..held.clone() },
        ] {
            assert_eq!(both(&other, &account), None, "{other:?}");
        }
        for other in [Known { uid: "2".to_owned(), deleted: None }, Known { deleted: Some(now), ..account }] {
            assert_eq!(both(&held, &other), None, "{other:?}");
        }
    }
}
