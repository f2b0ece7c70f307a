//! Roles and bindings: attempts to get more than somebody may, and policies that are costly to decide by.
//!
//! The server is [guarded]: its attacker may write roles and bindings, and read one kind.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use super::super::Case;
use super::super::cases::{at_once, each};
use super::super::target::{CONFIGMAPS, Target};
use super::super::wire::{self, Tally, request};

const GROUP: &str = "/apis/rbac.authorization.k8s.io/v1";
/// What somebody sends who may do everything.
const ADMIN: &str = "Authorization: Bearer admin\r\n";
const WEAK: &str = "Authorization: Bearer weak\r\n";
const EVERYTHING: &str = r#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#;

/// The tokens of the server.
const TOKENS: &str = "admin,admin,1,\"system:masters\"\nweak,weak,2\n";

/// Starts a server that decides by roles and bindings. Everybody may read the plain object, and nothing else.
///
/// # Errors
/// If the server does not start.
pub fn guarded(program: &Path, directory: &Path, gives_memory_back: bool) -> Result<Target, String> {
    let tokens = directory.join("tokens.csv");
    fs::write(&tokens, TOKENS).map_err(|error| format!("{}: {error}", tokens.display()))?;
    let tokens = format!("--token-auth-file={}", tokens.display());
    let options = [tokens.as_str(), "--authorization-mode=RBAC"];
    let mut target = Target::start_with(program, directory, gives_memory_back, &options, ADMIN)?;
    prepare(target.address())?;
    target.settle()?;
    Ok(target)
}

/// Lets everybody read the plain object, and the attacker write roles and bindings.
fn prepare(address: SocketAddr) -> Result<(), String> {
    let rules = r#"[{"verbs":["create","update","patch","get"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["*"]},
        {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]"#;
    let plain =
        r#"[{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["plain"]}]"#;
    for (path, body) in [
        ("clusterroles", format!(r#"{{"metadata":{{"name":"attacker"}},"rules":{rules}}}"#)),
        ("clusterroles", format!(r#"{{"metadata":{{"name":"plain"}},"rules":{plain}}}"#)),
        ("clusterroles", format!(r#"{{"metadata":{{"name":"strong"}},"rules":[{EVERYTHING}]}}"#)),
        ("clusterrolebindings", binding("attacker", "attacker", "User", "weak")),
        ("clusterrolebindings", binding("plain", "plain", "Group", "system:unauthenticated")),
    ] {
        let code = wire::send(address, &post(ADMIN, path, &body))?;
        if code != 201 {
            return Err(format!("cannot prepare {path}: got {}", wire::shown(code)));
        }
    }
    Ok(())
}

fn binding(name: &str, role: &str, kind: &str, who: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}"}},"roleRef":{{"kind":"ClusterRole","name":"{role}"}},"subjects":[{{"kind":"{kind}","name":"{who}"}}]}}"#
    )
}

fn post(who: &str, path: &str, body: &str) -> Vec<u8> {
    send(who, "POST", path, "application/json", body)
}

fn send(who: &str, method: &str, path: &str, media: &str, body: &str) -> Vec<u8> {
    let headers = format!("{who}Content-Type: {media}\r\n");
    request(method, &format!("{GROUP}/{path}"), &headers, body.as_bytes())
}

/// All cases.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("a binding to a role that is gone", &[403, 404], |target| {
            let body = binding("gone", "gone", "User", "weak");
            let paths = ["clusterrolebindings", "namespaces/default/rolebindings"];
            each(target.address(), paths.map(|path| post(WEAK, path, &body)))
        }),
        Case::new("escalation by a role of one's own", &[201, 403], |target| {
            let role = |rules: &str| format!(r#"{{"metadata":{{"name":"own"}},"rules":[{rules}]}}"#);
            let patch = format!(r#"{{"rules":[{EVERYTHING}]}}"#);
            let json_patch = format!(r#"[{{"op":"add","path":"/rules/-","value":{EVERYTHING}}}]"#);
            let held = r#"{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}"#;
            let urls = r#"{"verbs":["get"],"nonResourceURLs":["*"]}"#;
            let tally = each(
                target.address(),
                [
                    post(WEAK, "clusterroles", &role(held)),
                    post(WEAK, "clusterroles", &role(EVERYTHING).replace("own", "other")),
                    post(WEAK, "clusterroles", &role(urls).replace("own", "other")),
                    post(WEAK, "clusterroles?dryRun=All", &role(EVERYTHING).replace("own", "other")),
                    post(WEAK, "namespaces/default/roles", &role(EVERYTHING)),
                    send(WEAK, "PUT", "clusterroles/own", "application/json", &role(EVERYTHING)),
                    send(WEAK, "PATCH", "clusterroles/own", "application/merge-patch+json", &patch),
                    send(WEAK, "PATCH", "clusterroles/own", "application/strategic-merge-patch+json", &patch),
                    send(WEAK, "PATCH", "clusterroles/own", "application/json-patch+json", &json_patch),
                ],
            )?;
            refused_but(1, tally)
        }),
        Case::new("escalation through aggregation", &[201, 403], |target| {
            let gathers =
                r#"{"metadata":{"name":"gathers"},"aggregationRule":{"clusterRoleSelectors":[{}]}}"#;
            let patch = r#"{"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}"#;
            let labelled = format!(
                r#"{{"metadata":{{"name":"fed","labels":{{"rbac.authorization.k8s.io/aggregate-to-view":"true"}}}},"rules":[{EVERYTHING}]}}"#
            );
            let tally = each(
                target.address(),
                [
                    post(WEAK, "clusterroles", gathers),
                    post(WEAK, "clusterroles", &labelled),
                    send(WEAK, "PATCH", "clusterroles/attacker", "application/merge-patch+json", patch),
                    send(WEAK, "PATCH", "clusterroles/view", "application/merge-patch+json", patch),
                ],
            )?;
            refused_but(0, tally)
        }),
        Case::new("escalation through bindings", &[403, 422], |target| {
            let more = r#"{"subjects":[{"kind":"User","name":"weak"}]}"#;
            let other = r#"{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"strong"}}"#;
            let (cluster, local) = ("clusterrolebindings", "namespaces/default/rolebindings");
            let mut requests: Vec<Vec<u8>> = ["strong", "cluster-admin", "system:node"]
                .iter()
                .flat_map(|role| {
                    [cluster, local].map(|path| post(WEAK, path, &binding("mine", role, "User", "weak")))
                })
                .collect();
            let merge = "application/merge-patch+json";
            requests.push(send(WEAK, "PATCH", "clusterrolebindings/cluster-admin", merge, more));
            requests.push(send(WEAK, "PATCH", "clusterrolebindings/attacker", merge, other));
            each(target.address(), requests)
        }),
        Case::new("paths and queries that hide what they are about", &[400, 403, 404, 405], |target| {
            let paths = [
                "//api//v1//secrets",
                "/api/v1/./secrets",
                "/api/v1/pods/../secrets",
                "/api/v1/pods%2f..%2fsecrets",
                "/api/v1/namespaces/default/%73ecrets",
                "/api/v1/namespaces/default/secrets/",
                "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dplain",
                "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dplain,metadata.name%3Dx",
                "/api/v1/watch/namespaces/default/secrets",
                "/api/v1/proxy/namespaces/default/pods/a",
                "/apis/rbac.authorization.k8s.io/v1/namespaces/default/status/roles",
                "/api/v1/namespaces/default/pods/a/exec",
                "/%61pi/v1/secrets",
                "/api/v1/secrets%00",
            ];
            each(target.address(), paths.map(|path| request("GET", path, WEAK, b"")))
        }),
        Case::new("a role of 10,000 rules, and one of a billion permissions", &[403, 413], |target| {
            let rules: Vec<String> = (0..10_000)
                .map(|n| format!(r#"{{"verbs":["get"],"apiGroups":[""],"resources":["r{n}"]}}"#))
                .collect();
            let words: Vec<String> = (0..1000).map(|n| format!("\"w{n}\"")).collect();
            let words = words.join(",");
            let huge = format!(
                r#"{{"verbs":[{words}],"apiGroups":[{words}],"resources":[{words}],"resourceNames":[{words}]}}"#
            );
            let role = |rules: &str| format!(r#"{{"metadata":{{"name":"big"}},"rules":[{rules}]}}"#);
            let bodies = [role(&rules.join(",")), role(&huge), role(&vec![huge; 30].join(","))];
            at_once(4, |_| each(target.address(), bodies.iter().map(|body| post(WEAK, "clusterroles", body))))
        }),
        Case::new("2,000 bindings of one user, and 400 requests", &[201, 403, 409], |target| {
            let mut tally = at_once(8, |client| {
                let bodies = (0..250).map(|n| binding(&format!("b{client}-{n}"), "gone", "User", "crowd"));
                each(target.address(), bodies.map(|body| post(ADMIN, "clusterrolebindings", &body)))
            })?;
            let review = r#"{"spec":{"user":"crowd","groups":["g"],"resourceAttributes":{"verb":"list","resource":"pods"}}}"#;
            let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
            let headers = format!("{ADMIN}Content-Type: application/json\r\n");
            tally.extend(&at_once(4, |_| {
                each(target.address(), (0..50).map(|_| request("POST", path, &headers, review.as_bytes())))
            })?);
            tally.extend(&at_once(4, |_| {
                each(target.address(), (0..50).map(|_| request("GET", CONFIGMAPS, WEAK, b"")))
            })?);
            Ok(tally)
        }),
        Case::new("roles that gather each other", &[201, 409], |target| {
            let gathers = |n: usize| {
                format!(
                    r#"{{"metadata":{{"name":"cycle{n}","labels":{{"cycle":"{n}"}}}},"aggregationRule":{{"clusterRoleSelectors":[{{"matchLabels":{{"cycle":"{}"}}}},{{"matchLabels":{{"leaf":"1"}}}}]}}}}"#,
                    (n + 1) % 50
                )
            };
            let leaf =
                format!(r#"{{"metadata":{{"name":"leaf","labels":{{"leaf":"1"}}}},"rules":[{EVERYTHING}]}}"#);
            let bodies = (0..50).map(gathers).chain([leaf]);
            each(target.address(), bodies.map(|body| post(ADMIN, "clusterroles", &body)))
        }),
    ]
}

/// The responses, if no more than so many requests were let through.
fn refused_but(most: usize, tally: Tally) -> Result<Tally, String> {
    match tally.count(201) + tally.count(200) {
        let_through if let_through <= most => Ok(tally),
        _ => Err(format!("got {tally}, but at most {most} of them should be let through")),
    }
}
