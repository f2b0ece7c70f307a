//! Clusters are read through a program that stands in for kubectl.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use hubgen_cluster::{Cause, Cluster, Discovery, Failure, LeftOut, Resource, Why};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a server answers.
struct Server(TempDir);

impl Server {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// What `kubectl.sh` looks for: a file for each path.
    fn with(self, path: &str, suffix: &str, text: &str) -> Self {
        let name = path.replace(['/', '?', '&', '='], "_") + suffix;
        fs::write(self.0.path().join(name), text).expect("written");
        self
    }

    fn answers(self, path: &str, answer: &Value) -> Self {
        self.with(path, "", &answer.to_string())
    }

    fn refuses(self, path: &str, reason: &str, message: &str) -> Self {
        self.with(path, ".error", &format!("Error from server ({reason}): {message}"))
    }

    /// Two pages of pods in pages of two.
    fn with_pods(self) -> Self {
        self.answers("/api/v1/pods?limit=2", &page("PodList", Some("n+1"), &["a", "b"]))
            .answers("/api/v1/pods?limit=2&continue=n%2B1", &page("PodList", None, &["c"]))
    }

    fn cluster(&self) -> Cluster {
        Cluster {
            kubectl: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl.sh"),
            kubeconfig: Some(self.0.path().to_owned()),
            context: Some("test".to_owned()),
            page: 2,
            ..Cluster::default()
        }
    }

    /// All paths that were asked for, in order.
    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.0.path().join("asked")).expect("something was asked");
        asked.lines().map(str::to_owned).collect()
    }
}

fn page(kind: &str, token: Option<&str>, names: &[&str]) -> Value {
    let items: Vec<Value> =
        names.iter().map(|name| json!({"metadata": {"name": name, "namespace": "n"}})).collect();
    let metadata = token.map_or(json!({}), |token| json!({"continue": token}));
    json!({"kind": kind, "apiVersion": "v1", "metadata": metadata, "items": items})
}

fn resource(group: &str, plural: &str, kind: &str) -> Resource {
    let [group, plural, kind, version] = [group, plural, kind, "v1"].map(str::to_owned);
    Resource { group, served: vec![version.clone()], version, plural, kind, namespaced: true }
}

fn pods() -> Resource {
    resource("", "pods", "Pod")
}

/// The names of the pods that are given, and what is left out.
fn read(server: &Server) -> (Vec<String>, Option<LeftOut>) {
    let mut names = Vec::new();
    let give =
        &mut |object: Value| names.push(object["metadata"]["name"].as_str().expect("a name").to_owned());
    let left_out = server.cluster().objects(&pods(), give).unwrap_or_else(|failure| panic!("{failure}"));
    (names, left_out)
}

const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result.";

#[test]
fn objects_come_page_by_page_with_version_and_kind() {
    let server = Server::new().with_pods();
    let mut objects = Vec::new();
    let left_out = server.cluster().objects(&pods(), &mut |object| objects.push(object.to_string()));
    assert_eq!(left_out, Ok(None));
    let object = |name| {
        format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","namespace":"n"}}}}"#)
    };
    assert_eq!(objects, ["a", "b", "c"].map(object));
    assert_eq!(server.asked(), ["/api/v1/pods?limit=2", "/api/v1/pods?limit=2&continue=n%2B1"]);
}

#[test]
fn what_objects_tell_of_themselves_stays() {
    let items = json!([{"kind": "Other", "apiVersion": "v2", "metadata": {"name": "a"}}]);
    let server = Server::new().answers("/api/v1/pods?limit=2", &json!({"items": items}));
    let mut objects = Vec::new();
    assert_eq!(server.cluster().objects(&pods(), &mut |object| objects.push(object)), Ok(None));
    assert_eq!(Value::Array(objects), items);
    // An empty list of a server in Go.
    let server = Server::new().answers("/api/v1/pods?limit=2", &json!({"metadata": {}, "items": null}));
    assert_eq!(read(&server), (Vec::new(), None));
}

/// In the middle of a list, the server forgets its state, and meanwhile `b` is gone and `bb` is new.
#[test]
fn an_expired_list_is_read_again_without_what_was_given() {
    let expired = format!("Error from server (Expired): {EXPIRED}");
    let server = Server::new()
        .with("/api/v1/pods?limit=2", ".once", &page("PodList", Some("old"), &["a", "b"]).to_string())
        .with("/api/v1/pods?limit=2&continue=old", ".error", &expired)
        .answers("/api/v1/pods?limit=2", &page("PodList", Some("new"), &["a", "bb"]))
        .answers("/api/v1/pods?limit=2&continue=new", &page("PodList", None, &["c"]));
    assert_eq!(read(&server), (["a", "b", "bb", "c"].map(str::to_owned).to_vec(), None));
    // Where it expires again, all comes in one answer.
    let server = Server::new()
        .answers("/api/v1/pods?limit=2", &page("PodList", Some("old"), &["a", "b"]))
        .with("/api/v1/pods?limit=2&continue=old", ".error", &expired)
        .answers("/api/v1/pods", &page("PodList", None, &["a", "b", "c"]));
    assert_eq!(read(&server), (["a", "b", "c"].map(str::to_owned).to_vec(), None));
    let [first, next] = ["/api/v1/pods?limit=2", "/api/v1/pods?limit=2&continue=old"];
    assert_eq!(server.asked(), [first, next, first, next, "/api/v1/pods"]);
}

#[test]
fn what_a_server_refuses_is_left_out_with_the_reason() {
    let forbidden =
        r#"pods is forbidden: User "ada" cannot list resource "pods" in API group "" at the cluster scope"#;
    let server = Server::new().refuses("/api/v1/pods?limit=2", "Forbidden", forbidden);
    let (names, Some(left_out)) = read(&server) else { panic!("it is left out") };
    assert_eq!((names.len(), left_out.given, left_out.why), (0, 0, Why::Forbidden));
    assert_eq!(left_out.to_string(), format!("pods: {forbidden}"));
    let help = r#"a ClusterRole must allow it: apiGroups: [""], resources: ["pods"], verbs: ["list"]"#;
    assert_eq!(left_out.help(), help);
    for (reason, why) in
        [("NotFound", Why::NotListed), ("MethodNotAllowed", Why::NotListed), ("InternalError", Why::Failed)]
    {
        let server = Server::new().with_pods();
        let next = "/api/v1/pods?limit=2&continue=n%2B1";
        fs::remove_file(server.0.path().join(next.replace(['/', '?', '&', '='], "_"))).expect("removed");
        let server = server.refuses(next, reason, "no");
        let (names, Some(left_out)) = read(&server) else { panic!("it is left out") };
        assert_eq!((names.len(), left_out.given, left_out.why), (2, 2, why));
        assert_eq!(left_out.to_string(), "pods: no (after 2 objects)");
        if why == Why::Failed {
            assert_eq!(left_out.help(), "read again when `kubectl get pods --all-namespaces` lists them");
        }
    }
}

#[test]
fn damaged_answers_are_told() {
    for (answer, expected) in [
        (
            "<html>Log in</html>",
            "expected a list of objects in JSON, found `<html>Log in</html>`: expected value at line 1 column 1",
        ),
        (
            r#"{"kind":"Status"}"#,
            r#"expected a list of objects in JSON, found `{"kind":"Status"}`: missing field `items`"#,
        ),
        (r#"{"items":[{}, 7]}"#, "invalid type: integer `7`, expected a map"),
        (r#"{"items":[{"#, "EOF while parsing"),
        ("", "expected a list of objects in JSON, found ``: EOF"),
    ] {
        let server = Server::new().with("/api/v1/pods?limit=2", "", answer);
        let (_, Some(left_out)) = read(&server) else { panic!("it is left out") };
        assert_eq!(left_out.why, Why::Failed);
        assert!(left_out.message.contains(expected), "{left_out}");
    }
    // A server that does not get on.
    let server = Server::new()
        .answers("/api/v1/pods?limit=2", &page("PodList", Some("t"), &["a"]))
        .answers("/api/v1/pods?limit=2&continue=t", &page("PodList", Some("t"), &["b"]));
    let (_, Some(left_out)) = read(&server) else { panic!("it is left out") };
    assert!(left_out.message.contains("found the token of the same one"), "{left_out}");
}

#[test]
fn many_resources_come_in_their_order() {
    let mut server = Server::new();
    let mut resources = Vec::new();
    for at in 0..12 {
        let plural = format!("kind{at}s");
        let path = format!("/apis/g/v1/{plural}?limit=2");
        server = match at {
            3 => server.refuses(&path, "Forbidden", "no"),
            8 => server.refuses(
                &path,
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            _ => server.answers(&path, &page("List", None, &["a", "b"])),
        };
        resources.push(resource("g", &plural, "Kind"));
    }
    let mut given = Vec::new();
    let left_out = server.cluster().all(&resources, &mut |resource, object| {
        given.push(format!("{resource} {}", object["metadata"]["name"].as_str().expect("a name")));
    });
    let left_out: Vec<String> = left_out.expect("read").iter().map(LeftOut::to_string).collect();
    let expected = ["kind3s.g: no", "kind8s.g: the server is currently unable to handle the request"];
    assert_eq!(left_out, expected);
    let expected = (0..12).filter(|at| ![3, 8].contains(at));
    let expected: Vec<_> =
        expected.flat_map(|at| ["a", "b"].map(|name| format!("kind{at}s.g {name}"))).collect();
    assert_eq!(given, expected);
    // What nobody can go on without ends all.
    let path = "/apis/g/v1/kind3s?limit=2";
    let server =
        server.with(path, ".once.error", "error: You must be logged in to the server (Unauthorized)");
    let failure = server.cluster().all(&resources, &mut |_, _| {}).expect_err("nobody is logged in");
    assert_eq!(failure.cause, Cause::NotLoggedIn);
}

fn list(names: &[(&str, &str, bool, &str)]) -> Value {
    let resource = |&(name, kind, namespaced, hash): &(&str, &str, bool, &str)| {
        let verbs = if kind == "Review" { json!(["create"]) } else { json!(["get", "list"]) };
        json!({"name": name, "kind": kind, "namespaced": namespaced, "verbs": verbs, "storageVersionHash": hash})
    };
    json!({"kind": "APIResourceList", "resources": names.iter().map(resource).collect::<Vec<_>>()})
}

fn discovered() -> Server {
    let group = |name: &str, versions: &[&str], preferred: &str| {
        let version =
            |version: &str| json!({"version": version, "groupVersion": format!("{name}/{version}")});
        let versions: Vec<Value> = versions.iter().map(|&name| version(name)).collect();
        json!({"name": name, "versions": versions, "preferredVersion": version(preferred)})
    };
    let groups = [
        group("apps", &["v1", "v1beta1"], "v1"),
        group("broken.io", &["v1"], "v1"),
        group("own.io", &["v2alpha1", "v1", "v1beta1"], "v1"),
        group("events.k8s.io", &["v1"], "v1"),
    ];
    let core = [
        ("namespaces", "Namespace", false, ""),
        ("events", "Event", true, "same"),
        ("pods", "Pod", true, ""),
        ("pods/status", "Pod", true, ""),
        ("bindings", "Review", true, ""),
    ];
    Server::new()
        .answers("/api", &json!({"kind": "APIVersions", "versions": ["v1"]}))
        .answers("/apis", &json!({"kind": "APIGroupList", "groups": groups}))
        .answers("/api/v1", &list(&core))
        .answers("/apis/apps/v1", &list(&[("deployments", "Deployment", true, "x")]))
        .answers(
            "/apis/apps/v1beta1",
            &list(&[("deployments", "Deployment", true, "x"), ("olds", "Old", true, "")]),
        )
        .refuses(
            "/apis/broken.io/v1",
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        )
        .answers("/apis/own.io/v2alpha1", &list(&[("things", "Thing2", true, ""), ("pods", "Pod", true, "")]))
        .answers("/apis/own.io/v1", &list(&[("things", "Thing", true, "")]))
        .with("/apis/own.io/v1beta1", "", "{")
        .answers("/apis/events.k8s.io/v1", &list(&[("events", "Event", true, "same")]))
}

#[test]
fn each_resource_is_discovered_once_at_the_preferred_version() {
    let server = discovered();
    let Discovery { resources, unavailable } = server.cluster().discover().expect("it answers");
    let shown = |resource: &Resource| format!("{resource} {} {}", resource.api_version(), resource.kind);
    assert_eq!(
        resources.iter().map(shown).collect::<Vec<_>>(),
        [
            "namespaces v1 Namespace",
            "events v1 Event",
            "pods v1 Pod",
            "deployments.apps apps/v1 Deployment",
            "olds.apps apps/v1beta1 Old",
            "things.own.io own.io/v1 Thing",
            "pods.own.io own.io/v2alpha1 Pod",
        ]
    );
    let things = resources.iter().find(|resource| resource.plural == "things").expect("found");
    assert_eq!(things.served, ["v2alpha1", "v1"]);
    assert_eq!(
        unavailable.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "broken.io/v1: the server is currently unable to handle the request (ServiceUnavailable)",
            "own.io/v1beta1: expected a list of resources in JSON, found `{`: EOF while parsing an object at line 2 column 0",
        ]
    );
    // All that is asked is asked once.
    let mut asked = server.asked();
    asked.sort();
    let count = asked.len();
    asked.dedup();
    assert_eq!((count, asked.len()), (10, 10));
}

#[test]
fn one_namespace_is_read_alone() {
    let server = discovered()
        .answers("/api/v1/namespaces/n", &json!({"kind": "Namespace"}))
        .refuses("/api/v1/namespaces/secret", "Forbidden", "no")
        .answers("/api/v1/namespaces/n/pods?limit=2", &page("PodList", None, &["a"]))
        .refuses("/api/v1/namespaces/secret/pods?limit=2", "Forbidden", "no");
    let within = |namespace: &str| Cluster { namespace: Some(namespace.to_owned()), ..server.cluster() };
    let discovery = within("n").discover().expect("it answers");
    assert!(discovery.resources.iter().all(|resource| resource.namespaced));
    let mut count = 0;
    assert_eq!(within("n").objects(&pods(), &mut |_| count += 1), Ok(None));
    assert_eq!(count, 1);
    // Who may not look at the namespace may look into it.
    assert!(within("secret").discover().is_ok());
    let left_out =
        within("secret").objects(&pods(), &mut |_| {}).expect("it answers").expect("it is left out");
    let help =
        r#"a Role in namespace secret must allow it: apiGroups: [""], resources: ["pods"], verbs: ["list"]"#;
    assert_eq!(left_out.help(), help);
    let failure = within("x/../y").discover().expect_err("there is no such namespace");
    assert_eq!(failure.cause, Cause::NoNamespace);
    assert!(server.asked().contains(&"/api/v1/namespaces/x%2F%2E%2E%2Fy".to_owned()));
}

#[test]
fn a_release_is_told() {
    let server = Server::new()
        .answers("/version", &json!({"major": "1", "minor": "27+", "gitVersion": "v1.27.3-gke.1"}));
    let release = server.cluster().release().expect("it answers");
    assert_eq!((release.major, release.minor, &*release.version), (1, 27, "v1.27.3-gke.1"));
    let failure =
        Server::new().answers("/version", &json!({})).cluster().release().expect_err("there is none");
    assert_eq!(failure.cause, Cause::NotUnderstood);
}

#[track_caller]
fn failed(failure: &Failure, cause: Cause, message: &[&str], help: &str) {
    assert_eq!(failure.cause, cause, "{failure}");
    for part in message {
        assert!(failure.message.contains(part), "{failure}");
    }
    assert!(failure.help.contains(help), "{}", failure.help);
}

#[test]
fn failures_name_program_and_context_and_what_to_do() {
    let failure = |cluster: &Cluster| cluster.release().expect_err("no answer");
    let missing = Cluster { kubectl: "no-kubectl".into(), ..Cluster::default() };
    let message = ["expected the program no-kubectl in a folder of the PATH, found none"];
    failed(&failure(&missing), Cause::NotInstalled, &message, "install kubectl");
    let missing = Cluster { kubectl: "/no/kubectl".into(), ..Cluster::default() };
    failed(
        &failure(&missing),
        Cause::NotInstalled,
        &["/no/kubectl: expected a program, found no file"],
        "install kubectl",
    );
    let folder = Server::new();
    let no_program = Cluster { kubectl: folder.0.path().to_owned(), ..Cluster::default() };
    failed(&failure(&no_program), Cause::NotInstalled, &["cannot be started: "], "install kubectl");
    let other = Cluster { context: Some("an other".to_owned()), ..folder.cluster() };
    let message = [
        "cannot read /version of the cluster of context an other in ",
        r#"error: context "an other" does not exist"#,
    ];
    failed(&failure(&other), Cause::NotConfigured, &message, "config get-contexts");
    assert!(!failure(&other).help.contains("an other"), "{}", failure(&other).help);
    for (told, cause, help) in [
        ("Unable to connect to the server: dial tcp", Cause::Unreachable, "check the address"),
        ("The connection to the server localhost:8080 was refused", Cause::NotConfigured, "choose a context"),
        ("error: You must be logged in to the server (Unauthorized)", Cause::NotLoggedIn, "log in until `"),
        ("error: unexpected EOF", Cause::Other, "--context test get --raw /version` asks the same"),
        ("", Cause::Other, "asks the same"),
    ] {
        let server = Server::new().with("/version", ".error", told);
        failed(&failure(&server.cluster()), cause, &["kubectl.sh cannot read /version of", told], help);
    }
}

#[test]
fn failures_of_discovery_are_told_apart() {
    for (path, reason, message, cause) in [
        (
            "/api",
            "Forbidden",
            r#"forbidden: User "system:anonymous" cannot get path "/api""#,
            Cause::NotLoggedIn,
        ),
        ("/apis", "Forbidden", r#"forbidden: User "ada" cannot get path "/apis""#, Cause::Refused),
    ] {
        let server = Server::new().answers("/api", &json!({"versions": ["v1"]}));
        let _ = fs::remove_file(server.0.path().join(path.replace('/', "_")));
        let server = server.refuses(path, reason, message);
        failed(&server.cluster().discover().expect_err("no answer"), cause, &[message], path);
    }
    // A server without the core group.
    let server = Server::new().answers("/apis", &json!({"groups": []}));
    assert_eq!(server.cluster().discover(), Ok(Discovery::default()));
    // Nobody is asked any more.
    let login = "error: You must be logged in to the server (Unauthorized)";
    let server = discovered().with("/apis/apps/v1", ".once.error", login);
    assert_eq!(server.cluster().discover().expect_err("nobody is logged in").cause, Cause::NotLoggedIn);
}
