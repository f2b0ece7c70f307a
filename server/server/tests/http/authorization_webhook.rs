//! A webhook decides who may.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hubgen_server::access::{Access, Modes, Tokens, Webhook, WebhookOptions, WebhookVersion};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

/// What the webhook does with a request.
#[derive(Clone)]
enum Does {
    Answer(Value),
    /// Something else than a review.
    Text(&'static str),
    Fail(u16),
    /// It accepts connections, and never answers.
    Hang,
}

/// A webhook on a port of its own, and the reviews that it has got.
fn webhook(does: Does) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/authorize", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let got = Arc::clone(&seen);
    std::thread::spawn(move || {
        let mut hung = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if let Does::Hang = does {
                hung.push(stream);
                continue;
            }
            got.lock().unwrap().push(review(&mut stream));
            let (code, body) = match &does {
                Does::Answer(status) => (200, answer(status).to_string()),
                Does::Text(text) => (200, (*text).to_owned()),
                Does::Fail(code) => (*code, String::new()),
                Does::Hang => unreachable!("it does not answer"),
            };
            let head =
                format!("HTTP/1.1 {code} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        }
    });
    (url, seen)
}

fn answer(status: &Value) -> Value {
    json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "status": status})
}

/// Reads a request.
fn review(stream: &mut TcpStream) -> Value {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        read.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("POST /authorize HTTP/1.1"), "{head}");
            assert!(head.to_lowercase().contains("authorization: bearer secret"), "{head}");
            if let Ok(review) = serde_json::from_str(body) {
                return review;
            }
        }
    }
}

fn server(url: &str, options: WebhookOptions) -> Harness {
    let folder = tempfile::tempdir().unwrap();
    let (config, tokens) = (folder.path().join("config"), folder.path().join("tokens.csv"));
    let text = json!({
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "w", "user": "u"}}],
        "clusters": [{"name": "w", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
    });
    fs::write(&config, text.to_string()).unwrap();
    fs::write(&tokens, "root,root,1,\"system:masters\"\nada,ada,2,\"people\"\n").unwrap();
    let webhook = Webhook::from_kubeconfig(config, options).unwrap();
    let access = Access {
        authenticate: Box::new(Tokens::file(tokens).unwrap()),
        authorize: Box::new(Modes::default().with("webhook", webhook)),
    };
    Setup::new().access(access).start()
}

fn get(server: &Harness, token: &str) -> Answer {
    server.client.send("GET", WIDGETS, &[("Authorization", &format!("Bearer {token}"))], b"")
}

fn options() -> WebhookOptions {
    WebhookOptions {
        version: WebhookVersion::V1,
        timeout: Duration::from_millis(200),
        ..WebhookOptions::default()
    }
}

#[test]
fn a_webhook_is_asked_once_while_its_answer_counts() {
    let (url, seen) = webhook(Does::Answer(json!({"allowed": true, "reason": "why not"})));
    let server = server(&url, options());
    for _ in 0..3 {
        get(&server, "ada").expect(200);
        get(&server, "root").expect(200);
    }
    let seen = seen.lock().unwrap();
    let [review] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(review["apiVersion"], "authorization.k8s.io/v1");
    let spec = json!({
        "resourceAttributes": {"namespace": "a", "verb": "list", "group": "example.com", "version": "v1", "resource": "widgets"},
        "user": "ada", "groups": ["people", "system:authenticated"], "uid": "2",
    });
    assert_eq!(review["spec"], spec);
}

#[test]
fn an_answer_that_does_not_count_is_asked_for_again() {
    let (url, seen) = webhook(Does::Answer(json!({"allowed": true})));
    let server = server(&url, WebhookOptions { authorized_ttl: Duration::ZERO, ..options() });
    get(&server, "ada").expect(200);
    get(&server, "ada").expect(200);
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn what_a_webhook_does_not_allow_is_refused() {
    for (status, code, why) in [
        (json!({"allowed": false, "reason": "no"}), 403, r#"in the namespace "a": webhook: no"#),
        (json!({"allowed": false, "denied": true, "reason": "never"}), 403, r#"in the namespace "a": never"#),
        (json!({}), 403, r#"in the namespace "a""#),
        (
            json!({"allowed": true, "denied": true}),
            500,
            "webhook subject access review returned both allow and deny response",
        ),
        (json!({"allowed": "true"}), 500, "expected true or false in allowed, found \"true\""),
    ] {
        let (url, _) = webhook(Does::Answer(status.clone()));
        let server = server(&url, options());
        let message = get(&server, "ada").expect(code)["message"].as_str().unwrap().to_owned();
        assert!(message.ends_with(why), "{status}: {message}");
        get(&server, "root").expect(200);
    }
}

#[test]
fn a_webhook_that_fails_lets_nobody_in() {
    for (does, why) in [
        (Does::Text("<html>"), "the answer of the webhook is no review"),
        (
            Does::Text(r#"{"kind": "Status", "apiVersion": "v1", "status": {"allowed": true}}"#),
            "is no review",
        ),
        (Does::Fail(403), "status 403"),
        (Does::Hang, "timeout"),
    ] {
        let (url, _) = webhook(does);
        let server = server(&url, options());
        let message = get(&server, "ada").expect(500)["message"].as_str().unwrap().to_owned();
        assert!(message.contains(why), "{why}: {message}");
        // It does not hold up others.
        get(&server, "root").expect(200);
    }
    let server = server("http://127.0.0.1:9/authorize", options());
    get(&server, "ada").expect(500);
}

#[test]
fn a_failure_can_be_a_denial() {
    let (url, _) = webhook(Does::Fail(403));
    let server = server(&url, WebhookOptions { failure_denies: true, ..options() });
    get(&server, "ada").expect(500);
}

#[test]
fn a_failure_that_passes_is_tried_again() {
    let (url, seen) = webhook(Does::Fail(429));
    let server = server(&url, options());
    get(&server, "ada").expect(500);
    assert_eq!(seen.lock().unwrap().len(), 5);
}
