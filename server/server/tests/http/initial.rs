//! Objects that exist before the first request.

use std::sync::Arc;

use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::{Value, json};

use crate::harness::Setup;
use crate::scheme::scheme;

const WIDGET: &str = "/apis/example.com/v1/namespaces/a/widgets/first";

fn widget(width: u32) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "first", "namespace": "a"},
        "spec": {"width": width, "frame": {"name": "f"}},
    })
}

#[test]
fn they_are_created_once() {
    let server = Setup::new().initial(vec![widget(1)]).start();
    let made = server.client.get(WIDGET).expect(200);
    assert_eq!((&made["spec"]["width"], &made["metadata"]["uid"]), (&json!(1), &json!("uid-1")), "{made}");
    // Who starts the server again finds what has become of it.
    let mut changed = made.clone();
    changed["spec"]["width"] = json!(2);
    let changed = server.client.put(WIDGET, &changed).expect(200);
    let server = Setup::new().initial(vec![widget(1)]).restart(server);
    assert_eq!(server.client.get(WIDGET).expect(200), changed);
}

#[test]
fn what_cannot_be_created_stops_the_server() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let refused = |object: Value| {
        let bound = runtime.block_on(async {
            let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
            let settings = Settings::new(Arc::new(scheme()), store);
            Server::bind(0, Settings { initial: vec![object], ..settings }).await
        });
        bound.err().expect("it is refused").to_string()
    };
    assert_eq!(
        refused(json!({"apiVersion": "v9", "kind": "Nothing"})),
        "Internal error occurred: there is no kind Nothing of v9"
    );
    let mut invalid = widget(1);
    invalid["metadata"]["name"] = json!("A B");
    let why = refused(invalid);
    assert!(why.starts_with("Widget.example.com \"A B\" is invalid: metadata.name: "), "{why}");
}
