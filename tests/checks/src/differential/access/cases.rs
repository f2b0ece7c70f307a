//! The cases: good and bad credentials.

use std::time::{SystemTime, UNIX_EPOCH};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, date_time_ymd};
use serde_json::{Value, json};

use super::ask::Ask;
use super::jwt::{Key, altered, claims, shared, sign, unsigned};
use super::material::{Authority, Material, authority, named};
use super::objects::Objects;

/// Credentials, and what they are.
pub struct Case {
    pub name: String,
    pub ask: Ask,
}

/// The attribute with a uid.
const UID: [u64; 8] = [1, 3, 6, 1, 4, 1, 57683, 2];
/// The longest text that a header can have on both servers.
const LONG: usize = 12 << 10;

/// All cases, in the order in which they are sent.
pub fn cases(material: &Material, objects: &Objects) -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    cases.certificates(material);
    cases.proxies(material);
    cases.tokens();
    cases.accounts(material, objects);
    cases.impersonation(material);
    cases.issuers(material);
    cases.0
}

struct Cases(Vec<Case>);

impl Cases {
    fn add(&mut self, name: &str, ask: Ask) {
        self.0.push(Case { name: name.to_owned(), ask });
    }

    fn certificates(&mut self, Material { clients, proxies, .. }: &Material) {
        let bob = || named("bob", &["admins", "developers"]);
        let of = |change: &dyn Fn(&mut CertificateParams)| {
            let mut params = bob();
            change(&mut params);
            Ask::certificate(clients, &params, &[])
        };
        let good = || Ask::certificate(clients, &bob(), &[]);
        self.add("certificate: good", good());
        self.add("certificate: without groups", Ask::certificate(clients, &named("bob", &[]), &[]));
        self.add("certificate: other letters", Ask::certificate(clients, &named("böb 😀", &["日本"]), &[]));
        self.add(
            "certificate: of a node",
            Ask::certificate(clients, &named("system:node:n", &["system:nodes"]), &[]),
        );
        self.add(
            "certificate: of an administrator",
            Ask::certificate(clients, &named("root", &["system:masters"]), &[]),
        );
        let anonymous = named("system:anonymous", &["admins"]);
        self.add("certificate: of the anonymous user", Ask::certificate(clients, &anonymous, &[]));
        let unknown = named("bob", &["system:unauthenticated"]);
        self.add(
            "certificate: in the group of the unauthenticated",
            Ask::certificate(clients, &unknown, &[]),
        );
        let known = named("bob", &["system:authenticated"]);
        self.add("certificate: in the group of the authenticated", Ask::certificate(clients, &known, &[]));
        let uid =
            |uid: &str| of(&|params| params.distinguished_name.push(DnType::CustomDnType(UID.to_vec()), uid));
        self.add("certificate: with a uid", uid("b-1"));
        self.add("certificate: with an empty uid", uid(""));
        self.add("certificate: without a name", Ask::certificate(clients, &named("", &["admins"]), &[]));
        self.add("certificate: expired", of(&|params| params.not_after = date_time_ymd(2020, 1, 1)));
        self.add("certificate: not valid yet", of(&|params| params.not_before = date_time_ymd(2999, 1, 1)));
        use ExtendedKeyUsagePurpose::{Any, ClientAuth, CodeSigning, ServerAuth};
        let usages =
            |usages: &[ExtendedKeyUsagePurpose]| of(&|params| params.extended_key_usages = usages.to_vec());
        self.add("certificate: for clients", usages(&[ClientAuth]));
        self.add("certificate: for servers", usages(&[ServerAuth]));
        self.add("certificate: for code", usages(&[CodeSigning]));
        self.add("certificate: for servers and clients", usages(&[ServerAuth, ClientAuth]));
        self.add("certificate: for anything", usages(&[Any]));
        let (other, same) = (Authority::new("other"), Authority::new("clients"));
        self.add("certificate: of another authority", Ask::certificate(&other, &bob(), &[]));
        self.add("certificate: of another authority, with that", Ask::certificate(&other, &bob(), &[&other]));
        self.add("certificate: of an authority of the same name", Ask::certificate(&same, &bob(), &[]));
        self.add("certificate: of the authority of proxies", Ask::certificate(proxies, &bob(), &[]));
        let first = clients.below(authority("first"));
        let second = first.below(authority("second"));
        self.add("chain: of two", Ask::certificate(&second, &bob(), &[&second, &first]));
        self.add(
            "chain: in another order, with a stranger",
            Ask::certificate(&second, &bob(), &[&other, &first, &second]),
        );
        self.add("chain: one is missing", Ask::certificate(&second, &bob(), &[&second]));
        self.add("chain: none", Ask::certificate(&first, &bob(), &[]));
        let mut old = authority("old");
        old.not_after = date_time_ymd(2020, 1, 1);
        let old = clients.below(old);
        self.add("chain: one is expired", Ask::certificate(&old, &bob(), &[&old]));
        let mut user = named("user", &[]);
        user.is_ca = IsCa::NoCa;
        let user = clients.below(user);
        self.add("chain: one may not sign", Ask::certificate(&user, &bob(), &[&user]));
        let mut servers = authority("servers");
        servers.extended_key_usages = vec![ServerAuth];
        let servers = clients.below(servers);
        self.add("chain: one is for servers", Ask::certificate(&servers, &bob(), &[&servers]));
        self.add("certificate: the authority itself", Ask::authority(clients));
        self.add("certificate: another authority itself", Ask::authority(&other));
        let bearer = |ask: Ask, token: &str| ask.with("Authorization", &format!("Bearer {token}"));
        let wrong = || Ask::certificate(&other, &bob(), &[]);
        self.add("certificate: good, and a good token", bearer(good(), "user-token"));
        self.add("certificate: good, and a wrong token", bearer(good(), "no-such-token"));
        self.add("certificate: wrong, and a good token", bearer(wrong(), "user-token"));
        self.add("certificate: wrong, and a wrong token", bearer(wrong(), "no-such-token"));
    }

    fn proxies(&mut self, Material { clients, proxies, .. }: &Material) {
        let proxy = |name: &str| Ask::certificate(proxies, &named(name, &["g"]), &[]);
        let user = |ask: Ask| ask.with("X-Remote-User", "carl");
        self.add("proxy: a name", user(proxy("proxy")));
        self.add("proxy: another permitted name", user(proxy("another")));
        let all = user(proxy("proxy"))
            .with("X-Remote-Uid", "c-1")
            .with("X-Remote-Group", "a")
            .with("X-Remote-Group", "");
        let all = all.with("X-Remote-Group", "b").with("X-Remote-Extra-Example.com%2fTeam", "red");
        self.add("proxy: all that it can tell", all.with("X-Remote-Extra-scopes", "x"));
        let authenticated = user(proxy("proxy")).with("X-Remote-Group", "system:authenticated");
        self.add("proxy: of the authenticated", authenticated);
        self.add("proxy: the anonymous user", proxy("proxy").with("X-Remote-User", "system:anonymous"));
        self.add("proxy: an empty name", proxy("proxy").with("X-Remote-User", ""));
        self.add("proxy: two names", user(proxy("proxy")).with("X-Remote-User", "dora"));
        self.add("proxy: no name", proxy("proxy").with("X-Remote-Group", "a"));
        self.add(
            "proxy: no name, and a good token",
            proxy("proxy").with("Authorization", "Bearer user-token"),
        );
        self.add(
            "proxy: a name, and a wrong token",
            user(proxy("proxy")).with("Authorization", "Bearer no-such-token"),
        );
        self.add("proxy: that is not permitted", user(proxy("eve")));
        self.add(
            "proxy: of the authority of clients",
            user(Ask::certificate(clients, &named("proxy", &[]), &[])),
        );
        self.add(
            "proxy: of another authority",
            user(Ask::certificate(&Authority::new("other"), &named("proxy", &[]), &[])),
        );
        self.add("proxy: no certificate", user(Ask::default()));
        self.add("proxy: no certificate, and a good token", user(Ask::token("user-token")));
    }

    fn tokens(&mut self) {
        self.add("nothing", Ask::default());
        self.add("token: good", Ask::token("user-token"));
        self.add("token: without groups", Ask::token("plain-token"));
        self.add("token: unknown", Ask::token("no-such-token"));
        self.add("token: longer", Ask::token("user-tokens"));
        self.add("token: shorter", Ask::token("user-toke"));
        let header = |value: &str| Ask::default().with("Authorization", value);
        self.add("token: empty", header("Bearer"));
        self.add("token: two spaces", header("Bearer  user-token"));
        self.add("token: more behind", header("Bearer user-token and more"));
        self.add("token: small letters", header("bearer user-token"));
        self.add("token: no scheme", header("user-token"));
        self.add("token: another scheme", header("Basic dXNlcjp0b2tlbg=="));
        self.add(
            "token: good, then wrong",
            Ask::token("user-token").with("Authorization", "Bearer no-such-token"),
        );
        self.add(
            "token: wrong, then good",
            Ask::token("no-such-token").with("Authorization", "Bearer user-token"),
        );
        self.add("token: long", Ask::token(&"a".repeat(LONG)));
        self.add("token: points only", Ask::token(".."));
        self.add("token: no base64", Ask::token("%%%.%%%.%%%"));
        self.add("token: no JSON", Ask::token("YQ.YQ.YQ"));
        self.add("review: good", Ask::review("user-token", &[]));
        self.add("review: for this server", Ask::review("user-token", &["api", "others"]));
        self.add("review: for others", Ask::review("user-token", &["others"]));
        self.add("review: unknown", Ask::review("no-such-token", &[]));
        self.add("review: empty", Ask::review("", &[]));
    }

    fn accounts(&mut self, Material { accounts, first, .. }: &Material, objects: &Objects) {
        self.add("account: good", Ask::token(&objects.plain));
        self.add("account: of a pod", Ask::token(&objects.of_pod));
        self.add("account: of a pod that is gone", Ask::token(&objects.of_gone_pod));
        self.add("account: of a secret", Ask::token(&objects.of_secret));
        self.add("account: of a secret that is gone", Ask::token(&objects.of_gone_secret));
        self.add("account: of a node", Ask::token(&objects.of_node));
        self.add("account: of a node that is gone", Ask::token(&objects.of_gone_node));
        self.add("account: for others", Ask::token(&objects.for_others));
        self.add("account: for others and this server", Ask::token(&objects.for_both));
        self.add("account: that is gone", Ask::token(&objects.of_gone_account));
        self.add("account: that is another one now", Ask::token(&objects.of_replaced_account));
        self.add("review of an account: good", Ask::review(&objects.plain, &[]));
        self.add("review of an account: for others", Ask::review(&objects.for_others, &[]));
        self.add(
            "review of an account: asked by others",
            Ask::review(&objects.for_others, &["others", "more"]),
        );
        self.add("review of an account: of a pod that is gone", Ask::review(&objects.of_gone_pod, &[]));
        let good = claims(&objects.plain);
        let id = accounts.id();
        let of = |header: Value, change: &dyn Fn(&mut Value)| {
            let mut claims = good.clone();
            change(&mut claims);
            Ask::token(&sign(accounts, &header, &claims))
        };
        let header = || json!({"alg": "ES256", "kid": id});
        let now = now();
        self.add("account: signed by hand", of(header(), &|_| {}));
        self.add("account: without the name of the key", of(json!({"alg": "ES256"}), &|_| {}));
        self.add("account: with the name of another key", of(json!({"alg": "ES256", "kid": "x"}), &|_| {}));
        self.add("account: with another algorithm", of(json!({"alg": "ES384", "kid": id}), &|_| {}));
        self.add(
            "account: with what must be understood",
            of(json!({"alg": "ES256", "kid": id, "crit": ["x"], "x": 1}), &|_| {}),
        );
        self.add("account: expired", of(header(), &|claims| claims["exp"] = (now - 120).into()));
        self.add("account: expired a moment ago", of(header(), &|claims| claims["exp"] = (now - 20).into()));
        self.add("account: not valid yet", of(header(), &|claims| claims["nbf"] = (now + 600).into()));
        self.add("account: valid in a moment", of(header(), &|claims| claims["nbf"] = (now + 20).into()));
        self.add("account: issued later", of(header(), &|claims| claims["iat"] = (now + 600).into()));
        self.add(
            "account: of another issuer",
            of(header(), &|claims| claims["iss"] = "https://other.example".into()),
        );
        self.add(
            "account: no audience",
            of(header(), &|claims| drop(claims.as_object_mut().unwrap().remove("aud"))),
        );
        self.add("account: one audience as a text", of(header(), &|claims| claims["aud"] = "api".into()));
        self.add(
            "account: no end",
            of(header(), &|claims| drop(claims.as_object_mut().unwrap().remove("exp"))),
        );
        self.add(
            "account: no identity",
            of(header(), &|claims| drop(claims.as_object_mut().unwrap().remove("jti"))),
        );
        self.add("account: another subject", of(header(), &|claims| claims["sub"] = "system:admin".into()));
        self.add(
            "account: another name",
            of(header(), &|claims| claims["kubernetes.io"]["serviceaccount"]["name"] = "x".into()),
        );
        self.add("account: no account", of(header(), &|claims| claims["kubernetes.io"] = json!({})));
        self.add("account: another key", Ask::token(&sign(first, &header(), &good)));
        self.add("account: not signed", Ask::token(&unsigned(&good)));
        let public = accounts.item(&id).to_string();
        self.add("account: signed with the public key", Ask::token(&shared(public.as_bytes(), &id, &good)));
        let forged =
            altered(&objects.plain, |claims| claims["kubernetes.io"]["serviceaccount"]["name"] = "x".into());
        self.add("account: altered", Ask::token(&forged));
        let cut = objects.plain.rsplit_once('.').map_or("", |(text, _)| text);
        self.add("account: without a signature", Ask::token(cut));
    }

    fn impersonation(&mut self, Material { clients, .. }: &Material) {
        let admin = || Ask::token("admin-token");
        let bob = || admin().with("Impersonate-User", "bob");
        self.add("acting: as a user", bob());
        self.add("acting: in groups", bob().with("Impersonate-Group", "a").with("Impersonate-Group", "b"));
        self.add("acting: with a uid", bob().with("Impersonate-Uid", "b-1"));
        let extra = bob().with("Impersonate-Extra-Example.com%2fTeam", "red");
        self.add("acting: with more", extra.with("Impersonate-Extra-scopes", "x"));
        self.add("acting: of the unauthenticated", bob().with("Impersonate-Group", "system:unauthenticated"));
        self.add("acting: as an administrator", bob().with("Impersonate-Group", "system:masters"));
        let named = |name: &str| admin().with("Impersonate-User", name);
        self.add("acting: as the anonymous user", named("system:anonymous"));
        // Upstream asks first for the permission by which a user acted last, so this one is of a user who has not acted yet.
        let other = Ask::certificate(clients, &self::named("other", &["system:masters"]), &[]);
        self.add("acting: as a node", other.with("Impersonate-User", "system:node:n"));
        self.add("acting: as no node", named("system:node:N!"));
        self.add("acting: as an account", named("system:serviceaccount:a:b"));
        self.add(
            "acting: as an account in a group",
            named("system:serviceaccount:a:b").with("Impersonate-Group", "g"),
        );
        self.add("acting: as no account", named("system:serviceaccount:a:b:c"));
        self.add("acting: as nobody", admin().with("Impersonate-Group", "a").with("Impersonate-Group", "b"));
        self.add("acting: as nobody with a uid", admin().with("Impersonate-Uid", "b-1"));
        let nobody = admin().with("Impersonate-Extra-a", "x").with("Impersonate-Extra-b", "y");
        self.add("acting: as nobody with more", nobody);
        self.add("acting: as an empty name", named(""));
        let wrong = Ask::token("no-such-token").with("Impersonate-User", "bob");
        self.add("acting: without credentials", wrong);
    }

    fn issuers(&mut self, material: &Material) {
        let Material { first, next, rsa, .. } = material;
        let now = now();
        let claims_of = |which: &str, more: Value| {
            let mut claims = json!({
                "iss": material.issuer(which), "aud": "hubgen", "exp": now + 3600, "iat": now, "sub": "dora", "jti": "j-1",
            });
            for (name, value) in more.as_object().into_iter().flatten() {
                claims[name] = value.clone();
            }
            claims
        };
        let token = |key: &Key, header: Value, which: &str, more: Value| {
            Ask::token(&sign(key, &header, &claims_of(which, more)))
        };
        let header = || json!({"alg": "ES256", "kid": "first"});
        let names = |more: Value| token(first, header(), "names", more);
        self.add("issuer: good", names(json!({})));
        self.add("issuer: groups", names(json!({"groups": ["a", "b"]})));
        self.add("issuer: one group", names(json!({"groups": "a"})));
        self.add("issuer: groups that are none", names(json!({"groups": 1})));
        self.add("issuer: groups that are not all texts", names(json!({"groups": ["a", 1]})));
        self.add("issuer: groups that are null", names(json!({"groups": null})));
        self.add("issuer: no identity", names(json!({"jti": ""})));
        self.add("issuer: for others, too", names(json!({"aud": ["x", "others"]})));
        self.add("issuer: for strangers", names(json!({"aud": "x"})));
        self.add("issuer: for nobody", names(json!({"aud": []})));
        self.add("issuer: expired", names(json!({"exp": now - 20})));
        self.add("issuer: no end", names(json!({"exp": null})));
        self.add("issuer: not valid yet", names(json!({"nbf": now + 600})));
        self.add("issuer: valid in a moment", names(json!({"nbf": now + 20})));
        self.add("issuer: no name", names(json!({"sub": 1})));
        self.add("issuer: another one", names(json!({"iss": "https://other.example"})));
        self.add("issuer: with a slash", names(json!({"iss": material.issuer("names/")})));
        for algorithm in ["RS256", "RS384", "PS256"] {
            let header = json!({"alg": algorithm, "kid": "rsa"});
            self.add(&format!("issuer: signed with {algorithm}"), token(rsa, header, "names", json!({})));
        }
        let mixed = json!({"alg": "RS256", "kid": "first"});
        self.add("issuer: another algorithm than the key", token(rsa, mixed, "names", json!({})));
        self.add(
            "issuer: without the name of the key",
            token(first, json!({"alg": "ES256"}), "names", json!({})),
        );
        let unknown = json!({"alg": "ES256", "kid": "x"});
        self.add("issuer: with the name of another key", token(first, unknown, "names", json!({})));
        self.add("issuer: another key", token(next, header(), "names", json!({})));
        self.add("issuer: not signed", Ask::token(&unsigned(&claims_of("names", json!({})))));
        let public = rsa.item("rsa").to_string();
        let shared = shared(public.as_bytes(), "rsa", &claims_of("names", json!({})));
        self.add("issuer: signed with the public key", Ask::token(&shared));
        let forged = altered(&sign(first, &header(), &claims_of("names", json!({}))), |claims| {
            claims["sub"] = "x".into()
        });
        self.add("issuer: altered", Ask::token(&forged));
        let emails = |more: Value| token(first, header(), "emails", more);
        self.add("email: verified", emails(json!({"email": "d@example.com", "email_verified": true})));
        self.add("email: not verified", emails(json!({"email": "d@example.com", "email_verified": false})));
        self.add(
            "email: verified in words",
            emails(json!({"email": "d@example.com", "email_verified": "true"})),
        );
        self.add("email: nothing said", emails(json!({"email": "d@example.com"})));
        self.add("email: none", emails(json!({})));
        let uids = |more: Value| token(first, header(), "uids", more);
        self.add("uid: good", uids(json!({"name": "dora", "id": "d-1", "tenant": "red"})));
        self.add("uid: none", uids(json!({"name": "dora", "tenant": "red"})));
        self.add("uid: a number", uids(json!({"name": "dora", "id": 1, "tenant": "red"})));
        self.add("claim: another value", uids(json!({"name": "dora", "id": "d-1", "tenant": "blue"})));
        self.add("claim: a list", uids(json!({"name": "dora", "id": "d-1", "tenant": ["red"]})));
        self.add("claim: none", uids(json!({"name": "dora", "id": "d-1"})));
        let reviewed = |claims: Value| sign(first, &header(), &claims);
        self.add(
            "review of an issuer's: good",
            Ask::review(&reviewed(claims_of("names", json!({"jti": "r"}))), &[]),
        );
        let other = reviewed(claims_of("names", json!({"aud": "x", "jti": "r"})));
        self.add("review of an issuer's: for strangers", Ask::review(&other, &[]));
        // From here on, the issuer has another key. Tokens that both servers saw before may be remembered.
        let fresh = || json!({"alg": "ES256", "kid": "next"});
        let exchanged = Ask { exchanges: true, ..token(next, fresh(), "names", json!({"jti": "n"})) };
        self.add("key: exchanged, the new one", exchanged);
        self.add("key: exchanged, the old one", names(json!({"jti": "o"})));
    }
}

/// A good token of an issuer, other than those of the cases.
pub fn good(material: &Material, which: &str) -> Ask {
    let claims = json!({
        "iss": material.issuer(which), "aud": "hubgen", "exp": now() + 3600, "sub": "w", "email": "w", "name": "w", "id": "w",
        "tenant": "red",
    });
    Ask::token(&sign(&material.first, &json!({"alg": "ES256", "kid": "first"}), &claims))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
