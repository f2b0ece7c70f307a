//! Requests that one user sends as another one.

use hubgen_machinery::scheme::Scheme;
use hubgen_server::access::{
    Access, Attributes, Authenticate, Authorize, Decision, Grant, Identity, Refusal, User,
};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const WHOAMI: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/// Everybody is Ada, whose pod runs on the node `own` if she is a service account.
struct As(&'static str);

impl Authenticate for As {
    fn authenticate<'a>(&'a self, _: &'a axum::http::request::Parts) -> Identity<'a> {
        let node = ("authentication.kubernetes.io/node-name".to_owned(), vec!["own".to_owned()]);
        let user = User { name: self.0.to_owned(), extra: [node].into(), ..User::default() };
        Box::pin(async { Some(user) })
    }
}

/// Who sends requests may do what is listed, as `VERB GROUP/RESOURCE/SUBRESOURCE NAMESPACE/NAME`; others may do everything.
struct May(&'static [&'static str]);

impl Authorize for May {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        let of = request.resource.expect("a resource");
        let (verb, group, resource, below) = (request.verb, of.group, of.resource, of.subresource);
        let asked = format!("{verb} {group}/{resource}/{below} {}/{}", of.namespace, of.name);
        let is_sender = ["ada", "system:serviceaccount:a:agent"].contains(&&*request.user.name);
        let may = !is_sender || self.0.contains(&&*asked);
        Box::pin(async move { if may { Ok(Grant::default()) } else { Err(Refusal::because("no")) } })
    }
}

fn server(user: &'static str, may: &'static [&'static str]) -> Harness {
    let mut scheme = Scheme::new();
    hubgen_authentication::register(&mut scheme);
    let access = Access { authenticate: Box::new(As(user)), authorize: Box::new(May(may)) };
    Setup::new().scheme(scheme).access(access).start()
}

fn ask(server: &Harness, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<_> = headers.iter().copied().chain([("Content-Type", "application/json")]).collect();
    server.client.send("POST", WHOAMI, &headers, b"{}")
}

fn user(server: &Harness, headers: &[(&str, &str)]) -> Value {
    ask(server, headers).expect(201)["status"]["userInfo"].clone()
}

fn message(server: &Harness, headers: &[(&str, &str)], code: u16) -> String {
    ask(server, headers).expect(code)["message"].as_str().unwrap().to_owned()
}

#[test]
fn each_part_of_a_user_needs_a_permission() {
    let server = server(
        "ada",
        &[
            "impersonate /users/ /bob",
            "impersonate /users/ /system:anonymous",
            "impersonate /users/ /system:node:n",
            "impersonate /groups/ /developers",
            "impersonate /groups/ /system:unauthenticated",
            "impersonate /serviceaccounts/ a/other",
            "impersonate authentication.k8s.io/uids/ /1",
            "impersonate authentication.k8s.io/userextras/example.com/team /red",
        ],
    );
    let bob = ("Impersonate-User", "bob");
    assert_eq!(user(&server, &[bob]), json!({"username": "bob", "groups": ["system:authenticated"]}));
    assert_eq!(
        user(
            &server,
            &[
                bob,
                ("Impersonate-Group", "developers"),
                ("Impersonate-Uid", "1"),
                ("Impersonate-Extra-Example.com%2fTeam", "red"),
            ]
        ),
        json!({
            "username": "bob", "uid": "1", "groups": ["developers", "system:authenticated"],
            "extra": {"example.com/team": ["red"]},
        })
    );
    assert_eq!(
        user(&server, &[bob, ("Impersonate-Group", "system:unauthenticated")])["groups"],
        json!(["system:unauthenticated"])
    );
    assert_eq!(
        user(&server, &[("Impersonate-User", "system:anonymous")])["groups"],
        json!(["system:unauthenticated"])
    );
    assert_eq!(
        user(&server, &[("Impersonate-User", "system:serviceaccount:a:other")])["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"])
    );
    assert_eq!(
        user(&server, &[("Impersonate-User", "system:node:n")])["groups"],
        json!(["system:authenticated"])
    );
    for headers in [
        &[("Impersonate-User", "carl")][..],
        &[bob, ("Impersonate-Group", "developers"), ("Impersonate-Group", "admins")],
        &[bob, ("Impersonate-Uid", "2")],
        &[bob, ("Impersonate-Extra-Example.com%2fTeam", "blue")],
        &[bob, ("Impersonate-Extra-scopes", "red")],
        &[("Impersonate-User", "system:serviceaccount:b:agent")],
    ] {
        let found = message(&server, headers, 403);
        let first =
            "selfsubjectreviews.authentication.k8s.io is forbidden: User \"ada\" cannot impersonate-on:";
        assert!(found.starts_with(first), "{found}");
    }
    assert_eq!(
        message(&server, &[("Impersonate-Group", "developers")], 400),
        "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"developers\"}, Extra:map[string][]string(nil)} \
         without impersonating a user name"
    );
    assert_eq!(ask(&server, &[]).code, 403);
}

#[test]
fn a_permission_can_be_constrained() {
    let users = server(
        "ada",
        &[
            "impersonate-on:user-info:create authentication.k8s.io/selfsubjectreviews/ /",
            "impersonate:user-info authentication.k8s.io/users/ /bob",
            "impersonate:user-info authentication.k8s.io/groups/ /system:masters",
            "impersonate:user-info authentication.k8s.io/groups/ /*",
        ],
    );
    let bob = ("Impersonate-User", "bob");
    assert_eq!(user(&users, &[bob])["username"], "bob");
    let group = |name| ("Impersonate-Group", name);
    assert_eq!(
        message(&users, &[bob, group("a")], 403),
        "groups.authentication.k8s.io \"a\" is forbidden: User \"ada\" cannot impersonate:user-info resource \"groups\" in API group \
         \"authentication.k8s.io\" at the cluster scope: no"
    );
    let many = [bob, group("a"), group("b"), group("c"), group("d")];
    assert_eq!(user(&users, &many)["groups"], json!(["a", "b", "c", "d", "system:authenticated"]));
    let masters = message(&users, &[bob, group("system:masters")], 403);
    assert!(masters.ends_with(": impersonating the system:masters group is not allowed"), "{masters}");
    assert_eq!(ask(&users, &[("Impersonate-User", "system:node:n")]).code, 403);

    let nodes = server(
        "system:serviceaccount:a:agent",
        &[
            "impersonate-on:associated-node:create authentication.k8s.io/selfsubjectreviews/ /",
            "impersonate:associated-node authentication.k8s.io/nodes/ /*",
        ],
    );
    assert_eq!(
        user(&nodes, &[("Impersonate-User", "system:node:own")]),
        json!({"username": "system:node:own", "groups": ["system:nodes", "system:authenticated"]})
    );
    assert_eq!(ask(&nodes, &[("Impersonate-User", "system:node:other")]).code, 403);
}
