//! Plain HTTP is for programs on this machine. Requests that a browser sends for a foreign page are
//! refused before anything else happens.

use serde_json::Value;

use crate::harness::Harness;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const NOTE: &str = r#"{"metadata": {"name": "n"}}"#;

/// A POST that would create a note, with exactly these lines in its head.
fn post(lines: &str) -> String {
    format!(
        "POST {NOTES} HTTP/1.1\r\n{lines}Connection: close\r\nContent-Length: {}\r\n\r\n{NOTE}",
        NOTE.len()
    )
}

#[track_caller]
fn refused(request: &str, code: u16, message: &str) {
    let server = Harness::new();
    let before = server.stored();
    let status = server.client.raw(request.as_bytes()).expect(code);
    assert_eq!(server.stored(), before, "{request}");
    assert_eq!(status["kind"], "Status");
    let reason = if code == 403 { "Forbidden" } else { "BadRequest" };
    assert_eq!(status["reason"], reason);
    let found = status["message"].as_str().unwrap();
    assert!(found.contains(message), "{request}: {found}");
}

#[track_caller]
fn accepted(lines: &str) -> Value {
    Harness::new().client.raw(post(lines).as_bytes()).expect(201)
}

#[test]
fn foreign_hosts_are_refused() {
    for host in [
        "evil.example",
        "evil.example:8001",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "128.0.0.1",
        "0.0.0.0:8001",
        "10.0.0.1",
        "127.1",
        "[::]:8001",
        "[::2]",
        "::1",
        "user@localhost",
        "localhost:port",
        "localhost:99999",
        "localhost:",
        "localhost/",
        "",
    ] {
        let message = "accepts only localhost, 127.0.0.0/8 and [::1]";
        refused(&post(&format!("Host: {host}\r\n")), 403, message);
        let get = format!("GET {NOTES} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        refused(&get, 403, message);
    }
}

#[test]
fn loopback_hosts_are_accepted() {
    for host in
        ["localhost", "LocalHost:8001", "localhost.", "127.0.0.1", "127.9.8.7:80", "[::1]", "[::1]:8001"]
    {
        accepted(&format!("Host: {host}\r\n"));
    }
}

#[test]
fn a_request_names_one_host() {
    refused(&post(""), 400, "has no Host header");
    refused(&post("").replace("HTTP/1.1", "HTTP/1.0"), 400, "has no Host header");
    refused(&post("Host: localhost\r\nHost: localhost\r\n"), 400, "more than one Host header");
    refused(&post("Host: localhost\r\nHost: evil.example\r\n"), 400, "more than one Host header");
}

/// The request target can contain a host, which overrides the header.
#[test]
fn a_host_in_the_request_target_counts() {
    let target = |host: &str| post("Host: localhost\r\n").replace(NOTES, &format!("http://{host}{NOTES}"));
    refused(&target("evil.example"), 403, "evil.example");
    let server = Harness::new();
    server.client.raw(target("127.0.0.1:8001").as_bytes()).expect(201);
}

#[test]
fn foreign_pages_are_refused() {
    for origin in [
        "https://evil.example",
        "http://evil.example:8001",
        "http://localhost.evil.example",
        "null",
        "",
        "file://",
        "chrome-extension://abc",
        "http://localhost@evil.example",
        "localhost",
        "ftp://localhost",
    ] {
        let lines = format!("Host: localhost\r\nOrigin: {origin}\r\n");
        refused(&post(&lines), 403, "Origin");
    }
    let lines = "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://evil.example\r\n";
    refused(&post(lines), 403, "Origin");
}

/// Requests that a page sends without an Origin, for an image or for a form in an old browser.
#[test]
fn requests_across_sites_are_refused() {
    refused(&post("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), 403, "Sec-Fetch-Site");
    let get = format!(
        "GET {NOTES} HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n"
    );
    refused(&get, 403, "Sec-Fetch-Site");
}

/// No response to a browser's preflight grants a permission.
#[test]
fn a_preflight_grants_nothing() {
    let server = Harness::new();
    for origin in ["https://evil.example", "http://localhost:3000"] {
        let request = format!(
            "OPTIONS {NOTES} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\
             Access-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n"
        );
        let answer = server.client.raw(request.as_bytes());
        assert!(answer.code >= 400, "{answer:?}");
        assert!(!answer.head.to_ascii_lowercase().contains("access-control-"), "{answer:?}");
    }
}

/// The headers that kubectl, client-go, kube-rs and curl send. A body without Content-Type is JSON,
/// as in upstream.
#[test]
fn clients_are_accepted() {
    accepted("Host: 127.0.0.1:8001\r\n");
    accepted("Host: 127.0.0.1:8001\r\nContent-Type: application/json\r\n");
    for page in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8001"] {
        accepted(&format!("Host: localhost\r\nOrigin: {page}\r\nSec-Fetch-Site: same-site\r\n"));
    }
    accepted("Host: localhost\r\nSec-Fetch-Site: none\r\n");
}
