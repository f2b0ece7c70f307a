//! Tokens of service accounts in Secrets.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hubgen_test_server::{Controllers, TestServer};
use serde_json::{Value, json};

use crate::api::Api;

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";

fn secret(name: &str, account: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"name": name, "annotations": {"kubernetes.io/service-account.name": account}},
    })
}

/// What a member of a Secret is.
fn data(secret: &Value, member: &str) -> String {
    let value = secret["data"][member].as_str().unwrap_or_else(|| panic!("no {member}: {secret}"));
    String::from_utf8(BASE64_STANDARD.decode(value).unwrap()).unwrap()
}

/// A server with the account `robot`, which names the Secrets `robot` and `other`, and its uid.
async fn server() -> (TestServer, Api, String) {
    let certificates = |settings: &mut hubgen_server::Settings| {
        settings.loops.root_certificates = Some("certificates".to_owned());
    };
    let server = TestServer::builder().settings(certificates).start().await.unwrap();
    let api = Api::of(&server);
    let named = json!([{"name": "robot"}, {"name": "other"}]);
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}, "secrets": named,
    });
    let (code, account) = api.post(ACCOUNTS, &account);
    assert_eq!(code, 201, "{account}");
    let uid = account["metadata"]["uid"].as_str().unwrap().to_owned();
    (server, api, uid)
}

/// What is told of who holds a token.
fn review(api: &Api, token: &str, audiences: &Value) -> Value {
    let review = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
        "spec": {"token": token, "audiences": audiences},
    });
    api.post(REVIEWS, &review).1["status"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_gets_a_token_of_its_account() {
    let (server, api, uid) = server().await;
    assert_eq!(api.post(SECRETS, &secret("robot", "robot")).0, 201);
    server.settled().await;
    let (_, secret) = api.get(&format!("{SECRETS}/robot"));
    assert_eq!(secret["metadata"]["annotations"]["kubernetes.io/service-account.uid"], uid);
    assert_eq!([data(&secret, "namespace"), data(&secret, "ca.crt")], ["default", "certificates"]);
    let token = data(&secret, "token");

    let user = json!({
        "username": "system:serviceaccount:default:robot", "uid": uid,
        "groups": ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    let status = review(&api, &token, &json!([]));
    assert_eq!((&status["authenticated"], &status["user"]), (&json!(true), &user));
    let status = review(&api, &token, &json!(["https://elsewhere.example"]));
    assert_ne!(status["authenticated"], true, "it is meant for the server");
    let request = ureq::post(format!("{}/apis/authentication.k8s.io/v1/selfsubjectreviews", server.url()))
        .header("Authorization", format!("Bearer {token}"))
        .content_type("application/json");
    let answer =
        request.send(r#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#).unwrap();
    let answer: Value = serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap();
    assert_eq!(answer["status"]["userInfo"], user);

    // What somebody else has written over is right again, and a token that is gone is replaced.
    let mut spoilt = secret.clone();
    spoilt["data"] = json!({"more": "YQ==", "ca.crt": "YQ=="});
    assert_eq!(api.put(&format!("{SECRETS}/robot"), &spoilt).0, 200);
    server.settled().await;
    let (_, again) = api.get(&format!("{SECRETS}/robot"));
    assert_eq!((data(&again, "more"), data(&again, "ca.crt")), ("a".to_owned(), "certificates".to_owned()));
    assert_ne!(data(&again, "token"), token);
    assert_ne!(review(&api, &token, &json!([]))["authenticated"], true);
    assert_eq!(review(&api, &data(&again, "token"), &json!([]))["authenticated"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_goes_with_its_secret() {
    let (server, api, _) = server().await;
    for name in ["robot", "other"] {
        assert_eq!(api.post(SECRETS, &secret(name, "robot")).0, 201);
    }
    server.settled().await;
    let token = data(&api.get(&format!("{SECRETS}/robot")).1, "token");
    assert_eq!(review(&api, &token, &json!([]))["authenticated"], true);
    assert_eq!(api.delete(&format!("{SECRETS}/robot")).0, 200);
    assert_ne!(review(&api, &token, &json!([]))["authenticated"], true);
    server.settled().await;
    let (_, account) = api.get(&format!("{ACCOUNTS}/robot"));
    assert_eq!(account["secrets"], json!([{"name": "other"}]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_go_with_their_account() {
    let (server, api, _) = server().await;
    let others = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {
            "name": "opaque", "annotations": {"kubernetes.io/service-account.name": "robot"},
        },
    });
    let mut of_former = secret("former", "robot");
    of_former["metadata"]["annotations"]["kubernetes.io/service-account.uid"] = "another".into();
    let all = [secret("robot", "robot"), secret("nobody", "nobody"), of_former, others];
    for secret in all {
        assert_eq!(api.post(SECRETS, &secret).0, 201);
    }
    let names = || -> Vec<String> {
        let (_, list) = api.get(SECRETS);
        let all = list["items"].as_array().unwrap();
        all.iter().map(|secret| secret["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    server.settled().await;
    assert_eq!(names(), ["opaque", "robot"]);
    let (_, opaque) = api.get(&format!("{SECRETS}/opaque"));
    assert!(opaque.get("data").is_none(), "{opaque}");
    assert_eq!(api.delete(&format!("{ACCOUNTS}/robot")).0, 200);
    server.settled().await;
    assert_eq!(names(), ["opaque"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_writes_tokens_if_the_loop_is_off() {
    let off = |settings: &mut hubgen_server::Settings| {
        settings.loops.controllers = Controllers::parse("*,-serviceaccount-token-controller").unwrap();
    };
    let server = TestServer::builder().settings(off).start().await.unwrap();
    let api = Api::of(&server);
    assert_eq!(api.post(SECRETS, &secret("nobody", "nobody")).0, 201);
    server.settled().await;
    assert!(api.get(&format!("{SECRETS}/nobody")).1.get("data").is_none());
}
