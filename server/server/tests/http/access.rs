//! Who asks is found out first, and then who may.

use std::sync::{Arc, Mutex};

use axum::http::request::Parts;
use hubgen_server::access::{
    Access, Attributes, Authenticate, Authorize, Decision, Grant, Identity, Refusal, User,
};
use hubgen_server::admission::{AdmissionRequest, Chain, Validate, Verdict};
use serde_json::json;

use crate::harness::Setup;

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

/// Everybody is Ada, but for those who send no `Authorization`.
struct Ada;

impl Authenticate for Ada {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> Identity<'a> {
        Box::pin(async {
            let groups = vec!["people".to_owned()];
            let is_known = !head.uri.query().unwrap_or_default().contains("nobody");
            is_known.then(|| User { name: "ada".to_owned(), groups, ..User::default() })
        })
    }
}

/// Refuses deletions and statuses with a reason, and `/metrics` without one. Records what it is asked.
struct Careful(Arc<Mutex<Vec<String>>>);

impl Authorize for Careful {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async {
            let Attributes { user, verb, path, resource } = request;
            let of = resource.map_or(String::new(), |of| {
                format!(
                    "{} {} {} {} {} {}",
                    of.group, of.version, of.resource, of.subresource, of.namespace, of.name
                )
            });
            self.0.lock().unwrap().push(format!("{} {verb} {path} [{of}]", user.name));
            match (*verb, resource.is_some_and(|of| of.subresource == "status"), *path) {
                ("delete" | "deletecollection", ..) | (_, true, _) => {
                    Err(Refusal::because("not on a Sunday"))
                }
                (.., "/metrics") => Err(Refusal::default()),
                _ => Ok(Grant::default()),
            }
        })
    }
}

/// Records who asks admission.
struct Who(Arc<Mutex<Vec<String>>>);

impl Validate for Who {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async {
            self.0.lock().unwrap().push(format!("admission: {}", request.user.name));
            Ok(())
        })
    }
}

#[test]
fn everybody_is_anonymous_by_default() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let chain = Chain { validating: vec![Box::new(Who(seen.clone()))], ..Chain::default() };
    let server = Setup::new().admission(chain).start();
    let widget = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}}});
    server.client.post(WIDGETS, &widget).expect(201);
    assert_eq!(*seen.lock().unwrap(), ["admission: system:anonymous"]);
}

#[test]
fn nothing_is_done_for_those_who_may_not() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let access = Access { authenticate: Box::new(Ada), authorize: Box::new(Careful(seen.clone())) };
    let chain = Chain { validating: vec![Box::new(Who(seen.clone()))], ..Chain::default() };
    let server = Setup::new().access(access).admission(chain).start();
    let client = server.client;
    let widget = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}}});
    client.post(WIDGETS, &widget).expect(201);
    let stored = server.stored();

    let refused = client.delete(&format!("{WIDGETS}/w")).expect(403);
    assert_eq!(
        refused["message"],
        "widgets.example.com \"w\" is forbidden: User \"ada\" cannot delete resource \"widgets\" in API group \
         \"example.com\" in the namespace \"a\": not on a Sunday"
    );
    assert_eq!(refused["details"], json!({"name": "w", "group": "example.com", "kind": "widgets"}));
    let refused = client.delete(WIDGETS).expect(403);
    assert_eq!(
        refused["message"],
        "widgets.example.com is forbidden: User \"ada\" cannot deletecollection resource \"widgets\" in API group \
         \"example.com\" in the namespace \"a\": not on a Sunday"
    );
    // The body is not even read.
    let refused = client.put(&format!("{WIDGETS}/w/status"), &json!("no widget")).expect(403);
    assert_eq!(
        refused["message"],
        "widgets.example.com \"w\" is forbidden: User \"ada\" cannot update resource \"widgets/status\" in API group \
         \"example.com\" in the namespace \"a\": not on a Sunday"
    );
    let refused = client.get("/metrics").expect(403);
    assert_eq!(refused["message"], "forbidden: User \"ada\" cannot get path \"/metrics\"");
    let refused = client.get(&format!("{WIDGETS}?nobody")).expect(401);
    assert_eq!((&refused["reason"], &refused["message"]), (&json!("Unauthorized"), &json!("Unauthorized")));
    client.get("/api").expect(200);

    assert_eq!(server.stored(), stored);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            format!("ada create {WIDGETS} [example.com v1 widgets  a ]"),
            "admission: ada".to_owned(),
            format!("ada delete {WIDGETS}/w [example.com v1 widgets  a w]"),
            format!("ada deletecollection {WIDGETS} [example.com v1 widgets  a ]"),
            format!("ada update {WIDGETS}/w/status [example.com v1 widgets status a w]"),
            "ada get /metrics []".to_owned(),
            "ada get /api []".to_owned(),
        ]
    );
}
