//! Who holds a token.

use std::collections::BTreeMap;

use hubgen_machinery::scalar::Time;
use serde_json::Value;
use tracing::debug;

use super::super::authentication::CREDENTIAL;
use super::super::jose::Token;
use super::{Lookup, ServiceAccountTokens, account, held};
use crate::access::{Holder, User};

/// By how many seconds clocks may differ, and for how long a deleted object counts, as upstream has it.
const LEEWAY: i64 = 60;

/// The objects to which a token can be bound: their claims, resources, whether they have namespaces, and what extra fields begin
/// with that name them.
const BOUND: [(&str, &str, bool, Option<&str>); 3] = [
    ("secret", "secrets", true, None),
    ("pod", "pods", true, Some("pod")),
    ("node", "nodes", false, Some("node")),
];

impl ServiceAccountTokens {
    /// Whether a token names one of the issuers.
    pub(super) fn may_be_ours(&self, token: &str) -> bool {
        let token = Token::parse(token);
        token.is_some_and(|token| self.are_ours(token.unverified()))
    }

    /// Whether claims are of one of the issuers.
    fn are_ours(&self, claims: &Value) -> bool {
        let issuer = claims["iss"].as_str().unwrap_or_default();
        held::are_held(claims) || self.issuers.iter().any(|known| known == issuer)
    }

    /// Who holds a token for one of these audiences, or for this server if there are none.
    pub(super) async fn holder(
        &self,
        token: &str,
        audiences: &[String],
        now: Time,
        objects: &dyn Lookup,
    ) -> Option<Holder> {
        match self.recognize(token, audiences, now, objects).await {
            Ok(holder) => Some(holder),
            Err(why) => {
                debug!("a token of a service account is refused: {why}");
                None
            }
        }
    }

    /// As [`holder`](Self::holder), or why nobody does.
    async fn recognize(
        &self,
        text: &str,
        audiences: &[String],
        now: Time,
        objects: &dyn Lookup,
    ) -> Result<Holder, String> {
        let token = Token::parse(text).ok_or("it is no token")?;
        let keys = self.keys();
        let id = token.key_id();
        let claims = token
            .verified(keys.into_iter().filter(|key| id.is_empty() || key.id == id))
            .ok_or("no key of this server has signed it")?;
        if !self.are_ours(claims) {
            return Err("another issuer has issued it".to_owned());
        }
        let audiences = self.meant(claims, audiences)?;
        let now = now.0.as_second();
        let time = |claim: &str| claims[claim].as_f64().map(|seconds| seconds as i64);
        if time("exp").is_some_and(|end| now - LEEWAY > end) {
            return Err("it has expired".to_owned());
        }
        if ["nbf", "iat"].into_iter().filter_map(time).any(|begin| now + LEEWAY < begin) {
            return Err("it is not valid yet".to_owned());
        }
        let user = match held::are_held(claims) {
            true => held::user(text, claims, objects).await?,
            false => user(claims, now, objects).await?,
        };
        Ok(Holder { user, audiences })
    }

    /// For whom among those asked for a token is meant.
    fn meant(&self, claims: &Value, asked: &[String]) -> Result<Vec<String>, String> {
        let of_server = self.audiences();
        let asked = if asked.is_empty() { of_server } else { asked };
        let meant: Vec<&str> = match &claims["aud"] {
            Value::String(audience) => vec![audience],
            Value::Array(audiences) => audiences.iter().filter_map(Value::as_str).collect(),
            // As upstream has it, such a token is meant for the server.
            _ => of_server.iter().map(String::as_str).collect(),
        };
        let meant: Vec<String> =
            asked.iter().filter(|asked| meant.contains(&asked.as_str())).cloned().collect();
        match meant.is_empty() {
            true => Err("it is meant for others".to_owned()),
            false => Ok(meant),
        }
    }
}

/// The user of whom claims tell, if all is still there that they depend on.
async fn user(claims: &Value, now: i64, objects: &dyn Lookup) -> Result<User, String> {
    let of = &claims["kubernetes.io"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (namespace, holder) = (text(&of["namespace"]), &of["serviceaccount"]);
    check("serviceaccounts", &namespace, holder, now, objects).await?;
    let mut extra = BTreeMap::new();
    let mut add = |field: &str, value: &Value| {
        let value = text(value);
        if !value.is_empty() {
            extra.insert(format!("authentication.kubernetes.io/{field}"), vec![value]);
        }
    };
    let id = text(&claims["jti"]);
    for (claim, plural, is_namespaced, field) in BOUND {
        let Some(bound) = of.get(claim).filter(|bound| !bound.is_null()) else { continue };
        // The node of a token of a pod is only told.
        if claim != "node" || of.get("pod").is_none_or(Value::is_null) {
            let namespace = if is_namespaced { &*namespace } else { "" };
            check(plural, namespace, bound, now, objects).await?;
        }
        if let Some(field) = field {
            add(&format!("{field}-name"), &bound["name"]);
            add(&format!("{field}-uid"), &bound["uid"]);
        }
    }
    if !id.is_empty() {
        extra.insert(CREDENTIAL.to_owned(), vec![format!("JTI={id}")]);
    }
    Ok(User { extra, ..account::user(&namespace, &text(&holder["name"]), &text(&holder["uid"])) })
}

/// Checks that an object is there, is the same one, and was not deleted long ago.
async fn check(
    plural: &str,
    namespace: &str,
    reference: &Value,
    now: i64,
    objects: &dyn Lookup,
) -> Result<(), String> {
    let [name, uid] = ["name", "uid"].map(|field| reference[field].as_str().unwrap_or_default());
    match objects.find(plural, namespace, name).await {
        None => Err(format!("{plural} {name:?} is not there")),
        Some(known) if known.uid != uid => Err(format!("{plural} {name:?} has another uid")),
        Some(known) if known.deleted.is_some_and(|time| time.0.as_second() < now - LEEWAY) => {
            Err(format!("{plural} {name:?} is deleted"))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Bound, Claims, HeldResult, Known, LookupResult};
    use super::*;

    /// Objects of which all have the same uid, and were deleted at the same time.
    struct Objects(Option<i64>);

    impl Lookup for Objects {
        fn find<'a>(&'a self, _: &'a str, _: &'a str, name: &'a str) -> LookupResult<'a> {
            let deleted = self.0.map(|seconds| Time(jiff::Timestamp::from_second(seconds).unwrap()));
            let known = Known { uid: format!("uid of {name}"), deleted };
            Box::pin(async { (known.uid != "uid of gone").then_some(known) })
        }

        fn held<'a>(&'a self, _: &'a str, _: &'a str) -> HeldResult<'a> {
            Box::pin(async { None })
        }
    }

    const NOW: i64 = 1_000_000;

    fn at(seconds: i64) -> Time {
        Time(jiff::Timestamp::from_second(seconds).unwrap())
    }

    fn token(tokens: &ServiceAccountTokens, bound: &[Bound], lifetime: u64) -> String {
        let audiences = tokens.audiences().to_vec();
        let lifetime = Duration::from_secs(lifetime);
        let (name, uid, id, now) = ("a", "uid of a", "id", at(NOW));
        let claims = Claims { namespace: "n", name, uid, audiences: &audiences, bound, id, now, lifetime };
        tokens.sign(&claims).unwrap()
    }

    fn holder(tokens: &ServiceAccountTokens, token: &str, now: i64, objects: &Objects) -> Option<Holder> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(tokens.holder(token, &[], at(now), objects))
    }

    #[test]
    fn clocks_may_differ_by_a_minute() {
        let tokens = ServiceAccountTokens::default();
        let token = token(&tokens, &[], 600);
        for (now, is_valid) in [(-61, false), (-60, true), (0, true), (660, true), (661, false)] {
            assert_eq!(holder(&tokens, &token, NOW + now, &Objects(None)).is_some(), is_valid, "{now}");
        }
    }

    #[test]
    fn a_deleted_object_counts_for_a_minute() {
        let tokens = ServiceAccountTokens::default();
        let token = token(&tokens, &[], 600);
        for (deleted, is_valid) in [(-61, false), (-60, true), (10, true)] {
            let objects = Objects(Some(NOW + deleted));
            assert_eq!(holder(&tokens, &token, NOW, &objects).is_some(), is_valid, "{deleted}");
        }
    }

    #[test]
    fn the_user_tells_the_pod_and_its_node() {
        let tokens = ServiceAccountTokens::default();
        let bound =
            |claim, name: &str, uid: &str| Bound { claim, name: name.to_owned(), uid: uid.to_owned() };
        let pod = bound("pod", "p", "uid of p");
        let node = bound("node", "gone", "");
        let text = token(&tokens, &[pod.clone(), node], 600);
        let user = holder(&tokens, &text, NOW, &Objects(None)).unwrap().user;
        let extra: Vec<_> =
            user.extra.iter().map(|(name, values)| (name.rsplit('/').next().unwrap(), &*values[0])).collect();
        assert_eq!(
            extra,
            [("credential-id", "JTI=id"), ("node-name", "gone"), ("pod-name", "p"), ("pod-uid", "uid of p")]
        );
        for wrong in
            [bound("pod", "gone", "uid of gone"), bound("secret", "s", "other"), bound("node", "n", "other")]
        {
            let text = token(&tokens, &[wrong], 600);
            assert_eq!(holder(&tokens, &text, NOW, &Objects(None)), None);
        }
    }

    #[test]
    fn a_token_of_a_kubelet_is_extended() {
        let tokens = ServiceAccountTokens::default();
        let pod = [Bound { claim: "pod", name: "p".to_owned(), uid: "uid of p".to_owned() }];
        let a_week_later = NOW + 7 * 24 * 60 * 60;
        let is_valid = |tokens: &ServiceAccountTokens, bound: &[Bound], lifetime| {
            holder(tokens, &token(tokens, bound, lifetime), a_week_later, &Objects(None)).is_some()
        };
        assert!(is_valid(&tokens, &pod, 3607));
        assert!(!is_valid(&tokens, &pod, 3600));
        assert!(!is_valid(&tokens, &[], 3607));
        assert!(!is_valid(&ServiceAccountTokens::default().extended(false), &pod, 3607));
    }

    #[test]
    fn former_issuers_and_keys_are_recognized() {
        let former = ServiceAccountTokens::new("https://former.example");
        let text = token(&former, &[], 600);
        let id = |tokens: &ServiceAccountTokens| holder(tokens, &text, NOW, &Objects(None)).is_some();
        let mut now = ServiceAccountTokens::new("https://now.example")
            .recognizing(["https://former.example".to_owned()]);
        assert!(!id(&now), "its key is not known");
        now.others.push(former.key().public().clone());
        assert!(id(&now));
        let strict = ServiceAccountTokens { issuers: vec!["https://now.example".to_owned()], ..now };
        assert!(!id(&strict));
    }
}
