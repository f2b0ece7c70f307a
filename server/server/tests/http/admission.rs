//! Admission steps run in order, at the hub, before validation.

use std::sync::{Arc, Mutex};

use hubgen_machinery::meta;
use hubgen_server::admission::{Admission, AdmissionRequest, Chain, Operation};
use hubgen_server::wire::Status;
use serde_json::json;

use crate::harness::Harness;
use crate::scheme::Widget;

const NEW: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";

/// Records the requests that it receives.
struct Journal(Arc<Mutex<Vec<String>>>);

impl Admission for Journal {
    fn admit(&self, request: &mut AdmissionRequest<'_>) -> Result<(), Status> {
        let width = |object: Option<&dyn hubgen_machinery::reflect::Reflect>| {
            object.map(|object| object.downcast_ref::<Widget>().expect("the object is at the hub").spec.width)
        };
        let line = format!(
            "{:?} {} {}/{} {:?} -> {:?}",
            request.operation,
            request.entry.version,
            request.namespace,
            request.name,
            width(request.old),
            width(request.object())
        );
        self.0.lock().unwrap().push(line);
        Ok(())
    }
}

/// Sets a default width of widgets, and refuses wide ones.
struct Width;

impl Admission for Width {
    fn admit(&self, request: &mut AdmissionRequest<'_>) -> Result<(), Status> {
        if request.operation == Operation::Delete {
            return Ok(());
        }
        let widget = request.object_mut().and_then(|object| object.downcast_mut::<Widget>()).unwrap();
        if *widget.spec.width.get_or_insert(7) > 100 {
            let name = meta::text(widget, "name");
            return Err(Status::failure(
                403,
                "Forbidden",
                format!("widgets.example.com {name:?} is forbidden: too wide"),
            ));
        }
        Ok(())
    }
}

#[test]
fn steps_receive_change_and_refuse_objects_at_the_hub() {
    let journal = Arc::new(Mutex::new(Vec::new()));
    let steps: Vec<Box<dyn Admission>> =
        vec![Box::new(Journal(journal.clone())), Box::new(Width), Box::new(Journal(journal.clone()))];
    let server = Harness::with_admission(Chain(steps));
    let client = server.client;
    // A field that admission adds is not missing.
    let created =
        client.post(NEW, &json!({"metadata": {"name": "w"}, "spec": {"frame": {"name": "f"}}})).expect(201);
    assert_eq!(created["spec"]["width"], 7);
    client.put(&format!("{OLD}/w"), &json!({"metadata": {"name": "w"}, "spec": {"size": 8}})).expect(200);
    let before = server.stored();
    let wide = json!({"metadata": {"name": "w"}, "spec": {"size": 800}});
    let status = client.put(&format!("{OLD}/w"), &wide).expect(403);
    assert_eq!(status["message"], "widgets.example.com \"w\" is forbidden: too wide");
    // A field that admission does not add is missing.
    client.post(NEW, &json!({"metadata": {"name": "v"}, "spec": {"width": 1}})).expect(422);
    assert_eq!(server.stored(), before);
    client.delete(&format!("{NEW}/w")).expect(200);
    assert_eq!(
        *journal.lock().unwrap(),
        [
            "Create v1 a/w None -> Some(None)",
            "Create v1 a/w None -> Some(Some(7))",
            "Update v1beta1 a/w Some(Some(7)) -> Some(Some(8))",
            "Update v1beta1 a/w Some(Some(7)) -> Some(Some(8))",
            "Update v1beta1 a/w Some(Some(8)) -> Some(Some(800))",
            "Create v1 a/v None -> Some(Some(1))",
            "Create v1 a/v None -> Some(Some(1))",
            "Delete v1 a/w Some(Some(8)) -> None",
            "Delete v1 a/w Some(Some(8)) -> None",
        ]
    );
}

/// Panics on every request.
struct Broken;

impl Admission for Broken {
    fn admit(&self, _: &mut AdmissionRequest<'_>) -> Result<(), Status> {
        panic!("on purpose")
    }
}

#[test]
fn a_panic_is_answered_with_an_internal_error() {
    let server = Harness::with_admission(Chain(vec![Box::new(Broken)]));
    let status =
        server.client.post("/api/v1/namespaces/a/notes", &json!({"metadata": {"name": "n"}})).expect(500);
    assert_eq!(status["reason"], "InternalError");
    assert!(server.stored().1.is_empty());
    server.client.get("/api/v1/notes").expect(200);
}
