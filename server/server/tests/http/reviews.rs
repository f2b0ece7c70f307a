//! Reviews are answered by whoever decides about all other requests.

use std::fs;

use hubgen_machinery::scheme::Scheme;
use hubgen_server::access::{Access, Attributes, Authenticated, Authorize, Decision, Grant, Refusal, Tokens};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION: &str = "/apis/authentication.k8s.io/v1";

fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    hubgen_authorization::register(&mut scheme);
    hubgen_authentication::register(&mut scheme);
    scheme
}

/// A server on which Ada has a token and may do everything.
fn server() -> Harness {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.csv");
    fs::write(&file, "secret,ada,1,\"developers\"\n").unwrap();
    let tokens = Tokens::file(file).unwrap();
    let access = Access { authenticate: Box::new(tokens), authorize: Box::new(Authenticated) };
    Setup::new().scheme(scheme()).access(access).start()
}

fn post(server: &Harness, path: &str, review: &Value) -> Answer {
    let headers = [("Authorization", "Bearer secret"), ("Content-Type", "application/json")];
    server.client.send("POST", path, &headers, review.to_string().as_bytes())
}

#[test]
fn who_may_do_what() {
    let server = server();
    let ask = |kind: &str, spec: Value| {
        post(&server, &format!("{AUTHORIZATION}/{kind}"), &json!({"spec": spec})).expect(201)["status"]
            .clone()
    };
    let pods = json!({"verb": "get", "resource": "pods", "namespace": "a"});
    assert_eq!(
        ask("selfsubjectaccessreviews", json!({"resourceAttributes": pods})),
        json!({"allowed": true})
    );
    let path = json!({"verb": "get", "path": "/metrics"});
    assert_eq!(
        ask("selfsubjectaccessreviews", json!({"nonResourceAttributes": path})),
        json!({"allowed": true})
    );
    let of = |groups: &[&str], path: &str| {
        let path = json!({"verb": "get", "path": path});
        ask("subjectaccessreviews", json!({"user": "bob", "groups": groups, "nonResourceAttributes": path}))
    };
    assert_eq!(of(&["system:authenticated"], "/metrics"), json!({"allowed": true}));
    assert_eq!(of(&["others"], "/metrics"), json!({"allowed": false}));
    assert_eq!(of(&["others"], "/healthz"), json!({"allowed": true}));
    let local = json!({"user": "bob", "resourceAttributes": pods});
    assert_eq!(ask("namespaces/a/localsubjectaccessreviews", local.clone())["allowed"], false);
    assert!(server.stored().1.is_empty());
}

#[test]
fn an_older_version_has_the_same_answer() {
    let review = json!({"spec": {"user": "bob", "group": ["system:authenticated"], "resourceAttributes": {"verb": "get"}}});
    let answer =
        post(&server(), "/apis/authorization.k8s.io/v1beta1/subjectaccessreviews", &review).expect(201);
    assert_eq!(answer["status"], json!({"allowed": true}));
    assert_eq!(answer["spec"]["group"], json!(["system:authenticated"]));
}

#[test]
fn reviews_that_contradict_themselves_are_refused() {
    let server = server();
    let attributes = json!({"verb": "get", "resource": "pods"});
    let path = json!({"verb": "get", "path": "/x"});
    let one = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    let selector =
        |selector: Value| json!({"spec": {"resourceAttributes": {"verb": "get", "labelSelector": selector}}});
    let of = "spec.resourceAttributes.labelSelector";
    for (kind, review, causes) in [
        ("selfsubjectaccessreviews", json!({"spec": {}}), vec![("spec".to_owned(), one.to_owned())]),
        (
            "selfsubjectaccessreviews",
            json!({"spec": {"resourceAttributes": attributes, "nonResourceAttributes": path}}),
            vec![("spec".to_owned(), one.to_owned())],
        ),
        (
            "selfsubjectaccessreviews",
            json!({"metadata": {"name": "a"}, "spec": {"resourceAttributes": attributes}}),
            vec![("metadata".to_owned(), "must be empty".to_owned())],
        ),
        (
            "subjectaccessreviews",
            json!({"spec": {"resourceAttributes": attributes}}),
            vec![("spec.user".to_owned(), "at least one of user or group must be specified".to_owned())],
        ),
        (
            "selfsubjectaccessreviews",
            selector(json!({})),
            vec![(
                format!("{of}.requirements"),
                format!("when {of} is specified, requirements or rawSelector is required"),
            )],
        ),
        (
            "selfsubjectaccessreviews",
            selector(json!({"rawSelector": "a=b", "requirements": [{"key": "a", "operator": "In"}]})),
            vec![
                (
                    format!("{of}.rawSelector"),
                    "may not specified at the same time as requirements".to_owned(),
                ),
                (
                    format!("{of}.requirements[0].values"),
                    "must be specified when `operator` is 'In' or 'NotIn'".to_owned(),
                ),
            ],
        ),
        (
            "namespaces/a/localsubjectaccessreviews",
            json!({"metadata": {"namespace": "a"}, "spec": {"user": "bob", "resourceAttributes": attributes}}),
            vec![(
                "spec.resourceAttributes.namespace".to_owned(),
                "must match metadata.namespace".to_owned(),
            )],
        ),
        (
            "namespaces/a/localsubjectaccessreviews",
            json!({"spec": {"user": "bob", "nonResourceAttributes": path}}),
            vec![("spec.nonResourceAttributes".to_owned(), "disallowed on this kind of request".to_owned())],
        ),
    ] {
        let status = post(&server, &format!("{AUTHORIZATION}/{kind}"), &review).expect(422);
        let found = status["details"]["causes"].as_array().unwrap().iter().map(|cause| {
            let (field, message) = (cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap());
            (field.to_owned(), message.rsplit_once(": ").unwrap().1.to_owned())
        });
        assert_eq!(found.collect::<Vec<_>>(), causes, "{review}");
    }
    let answer = post(
        &server,
        &format!("{AUTHORIZATION}/selfsubjectaccessreviews"),
        &selector(json!({"rawSelector": "a=b,,"})),
    );
    assert_eq!(answer.expect(201)["status"]["evaluationError"], format!("{of} ignored due to parse error"));
}

#[test]
fn what_the_user_may_do_is_listed() {
    let server = server();
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let answer = post(&server, &path, &json!({"spec": {"namespace": "a"}})).expect(201);
    let all = json!(["*"]);
    assert_eq!(
        answer["status"],
        json!({
            "resourceRules": [{"verbs": all, "apiGroups": all, "resources": all}],
            "nonResourceRules": [{"verbs": all, "nonResourceURLs": all}],
            "incomplete": false,
        })
    );
    // kubectl sends an empty status.
    let status = json!({"resourceRules": null, "nonResourceRules": null, "incomplete": false});
    post(&server, &path, &json!({"spec": {"namespace": "a"}, "status": status})).expect(201);
    assert_eq!(post(&server, &path, &json!({"spec": {}})).expect(400)["message"], "no namespace on request");
}

/// Lets nobody write, and cannot list what that means.
struct ReadOnly;

impl Authorize for ReadOnly {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        let is_review = request.resource.is_some_and(|of| of.group == "authorization.k8s.io");
        let may = is_review || request.verb == "get";
        Box::pin(async move { if may { Ok(Grant::default()) } else { Err(Refusal::because("read-only")) } })
    }
}

#[test]
fn a_decision_tells_its_reason_and_a_list_that_it_is_not_whole() {
    let access = Access { authorize: Box::new(ReadOnly), ..Access::default() };
    let server = Setup::new().scheme(scheme()).access(access).start();
    let review = json!({"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods"}}});
    let answer = post(&server, &format!("{AUTHORIZATION}/selfsubjectaccessreviews"), &review).expect(201);
    assert_eq!(answer["status"], json!({"allowed": false, "reason": "read-only"}));
    let review = json!({"spec": {"namespace": "a"}});
    let answer = post(&server, &format!("{AUTHORIZATION}/selfsubjectrulesreviews"), &review).expect(201);
    assert_eq!(answer["status"]["incomplete"], true);
    assert_eq!(
        answer["status"]["evaluationError"],
        "this server decides request by request, and cannot list what a user may do"
    );
}

#[test]
fn who_asks_and_who_holds_a_token() {
    let server = server();
    let ada = json!({"username": "ada", "uid": "1", "groups": ["developers", "system:authenticated"]});
    let review = json!({"metadata": {"name": "ignored"}});
    let answer = post(&server, &format!("{AUTHENTICATION}/selfsubjectreviews"), &review).expect(201);
    assert_eq!(answer["metadata"], json!({"creationTimestamp": "2026-01-02T03:04:05Z"}));
    assert_eq!(answer["status"]["userInfo"], ada);
    let holder =
        |spec: Value| post(&server, &format!("{AUTHENTICATION}/tokenreviews"), &json!({"spec": spec}));
    assert_eq!(
        holder(json!({"token": "secret"})).expect(201)["status"],
        json!({"authenticated": true, "user": ada})
    );
    let nobody = json!({"user": {}, "error": "invalid bearer token"});
    for spec in
        [json!({"token": "other"}), json!({"token": "a\nb"}), json!({"token": "secret", "audiences": ["x"]})]
    {
        assert_eq!(holder(spec.clone()).expect(201)["status"], nobody, "{spec}");
    }
    let message = holder(json!({"token": ""})).expect(400)["message"].clone();
    assert_eq!(message, "token is required for TokenReview in authentication");
}

#[test]
fn no_token_makes_anybody_known_to_a_server_without_tokens() {
    let server = Setup::new().scheme(scheme()).start();
    let review = json!({"spec": {"token": "secret"}});
    let answer = post(&server, &format!("{AUTHENTICATION}/tokenreviews"), &review).expect(201);
    assert_eq!(answer["status"], json!({"user": {}, "error": "invalid bearer token"}));
}
