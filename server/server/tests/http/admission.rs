//! Admission steps run in order, at the hub: those that may change objects before validation, the others after it.

use std::sync::{Arc, Mutex};
use std::thread;

use hubgen_machinery::meta;
use hubgen_server::Limits;
use hubgen_server::admission::{AdmissionRequest, Chain, Mutate, Operation, Refusal, Validate, Verdict};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::harness::Setup;
use crate::scheme::Widget;

const NEW: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";

/// Records the requests that it receives.
#[derive(Clone)]
struct Journal(Arc<Mutex<Vec<String>>>, &'static str);

impl Journal {
    fn record(&self, request: &AdmissionRequest<'_>) {
        let width = |object: Option<&dyn hubgen_machinery::reflect::Reflect>| {
            object.map(|object| object.downcast_ref::<Widget>().expect("the object is at the hub").spec.width)
        };
        let line = format!(
            "{}: {:?} {} {}/{} {:?} -> {:?}",
            self.1,
            request.operation,
            request.entry.version,
            request.namespace,
            request.name,
            width(request.old),
            width(request.object())
        );
        self.0.lock().unwrap().push(line);
    }
}

impl Mutate for Journal {
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async {
            self.record(request);
            Ok(())
        })
    }
}

impl Validate for Journal {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async {
            self.record(request);
            Ok(())
        })
    }
}

/// Sets a default width of widgets, and refuses wide ones.
struct Width;

impl Width {
    fn decide(request: &mut AdmissionRequest<'_>) -> Result<(), Refusal> {
        if request.operation == Operation::Delete {
            return Ok(());
        }
        let widget = request.object_mut().and_then(|object| object.downcast_mut::<Widget>()).unwrap();
        if *widget.spec.width.get_or_insert(7) > 100 {
            let name = meta::text(widget, "name");
            return Err(Refusal::forbidden(format!("widgets.example.com {name:?} is forbidden: too wide")));
        }
        Ok(())
    }
}

impl Mutate for Width {
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async { Self::decide(request) })
    }
}

#[test]
fn steps_receive_change_and_refuse_objects_at_the_hub() {
    let journal = Arc::new(Mutex::new(Vec::new()));
    let [first, last, after] = ["first", "last", "after"].map(|name| Journal(journal.clone(), name));
    let server = Setup::new()
        .admission(Chain {
            mutating: vec![Box::new(first), Box::new(Width), Box::new(last)],
            validating: vec![Box::new(after)],
            ..Chain::default()
        })
        .start();
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
            "first: Create v1 a/w None -> Some(None)",
            "last: Create v1 a/w None -> Some(Some(7))",
            "after: Create v1 a/w None -> Some(Some(7))",
            "first: Update v1beta1 a/w Some(Some(7)) -> Some(Some(8))",
            "last: Update v1beta1 a/w Some(Some(7)) -> Some(Some(8))",
            "after: Update v1beta1 a/w Some(Some(7)) -> Some(Some(8))",
            "first: Update v1beta1 a/w Some(Some(8)) -> Some(Some(800))",
            // An invalid object does not reach the second phase.
            "first: Create v1 a/v None -> Some(Some(1))",
            "last: Create v1 a/v None -> Some(Some(1))",
            "first: Delete v1 a/w Some(Some(8)) -> None",
            "last: Delete v1 a/w Some(Some(8)) -> None",
            "after: Delete v1 a/w Some(Some(8)) -> None",
        ]
    );
}

/// Panics on every request.
struct Broken;

impl Validate for Broken {
    fn admit<'a>(&'a self, _: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async { panic!("on purpose") })
    }
}

#[test]
fn a_panic_is_answered_with_an_internal_error() {
    let server =
        Setup::new().admission(Chain { validating: vec![Box::new(Broken)], ..Chain::default() }).start();
    let status =
        server.client.post("/api/v1/namespaces/a/notes", &json!({"metadata": {"name": "n"}})).expect(500);
    assert_eq!(status["reason"], "InternalError");
    assert!(server.stored().1.is_empty());
    server.client.get("/api/v1/notes").expect(200);
}

/// Waits for objects named `slow…`, without blocking a thread, as a step does that asks somebody else.
#[derive(Clone)]
struct Asks {
    inside: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl Asks {
    async fn answer(&self, name: &str) -> Result<(), Refusal> {
        if name.starts_with("slow") {
            self.inside.add_permits(1);
            self.answers.acquire().await.expect("it stays open").forget();
        }
        Ok(())
    }
}

impl Mutate for Asks {
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(self.answer(request.name))
    }
}

impl Validate for Asks {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(self.answer(request.name))
    }
}

/// However few turns there are: who waits for an answer has none.
#[test]
fn a_step_that_waits_does_not_hold_up_others() {
    const SLOW: usize = 40;
    let asks = Asks { inside: Arc::new(Semaphore::new(0)), answers: Arc::new(Semaphore::new(0)) };
    let chain = Chain {
        mutating: vec![Box::new(asks.clone())],
        validating: vec![Box::new(asks.clone())],
        ..Chain::default()
    };
    let limits = Limits { light: 1, heavy: 1, ..Limits::default() };
    let server = Setup::new().limits(limits).admission(chain).start();
    let client = server.client;
    const NOTES: &str = "/api/v1/namespaces/a/notes";
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    thread::scope(|scope| {
        let slow: Vec<_> = (0..SLOW)
            .map(|number| {
                let note = json!({"metadata": {"name": format!("slow-{number}")}});
                scope.spawn(move || client.post(NOTES, &note).expect(201))
            })
            .collect();
        // In either phase.
        for _ in 0..2 {
            runtime.block_on(asks.inside.acquire_many(SLOW as u32)).expect("it stays open").forget();
            assert_eq!(client.get(NOTES).expect(200)["items"].as_array().map(Vec::len), Some(0));
            client.post(NOTES, &json!({"metadata": {"name": "quick"}})).expect(201);
            client.delete(&format!("{NOTES}/quick")).expect(200);
            asks.answers.add_permits(SLOW);
        }
        for answer in slow {
            answer.join().unwrap();
        }
    });
    assert_eq!(client.get(NOTES).expect(200)["items"].as_array().map(Vec::len), Some(SLOW));
}
