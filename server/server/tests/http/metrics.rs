//! `/metrics`: upstream's names and labels.

use serde_json::json;

use crate::gate::Gate;
use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";

/// The values of the metrics whose lines begin so.
fn values<'a>(text: &'a str, begin: &str) -> Vec<&'a str> {
    let lines = text.lines().filter(|line| line.starts_with(begin));
    lines.filter_map(|line| line.rsplit(' ').next()).collect()
}

#[test]
fn requests_are_counted_with_upstreams_labels() {
    let server = Harness::new();
    server.client.post(NOTES, &json!({"metadata": {"name": "n"}})).expect(201);
    server.client.post(NOTES, &json!({"metadata": {"name": "n"}})).expect(409);
    server.client.get(NOTES).expect(200);
    server.client.get("/api/v1/notes").expect(200);
    server.client.get(&format!("{NOTES}/n")).expect(200);
    server.client.get(&format!("{NOTES}/other")).expect(404);
    server.client.delete(&format!("{NOTES}/n?dryRun=All")).expect(200);
    server.client.send("BREW", "/made/up", &[], b"").expect(404);
    server.client.get("/healthz");
    let answer = server.client.get("/metrics");
    assert_eq!(answer.code, 200);
    assert_eq!(answer.header("content-type"), ["text/plain; version=0.0.4; charset=utf-8"]);
    let text = &answer.body;
    let note = |verb: &str, dry_run: &str, scope: &str| {
        format!(
            "verb=\"{verb}\",dry_run=\"{dry_run}\",group=\"\",version=\"v1\",resource=\"notes\",subresource=\"\",\
             scope=\"{scope}\",component=\"apiserver\""
        )
    };
    for (labels, code) in [
        (note("POST", "", "resource"), "201"),
        (note("POST", "", "resource"), "409"),
        (note("LIST", "", "namespace"), "200"),
        (note("LIST", "", "cluster"), "200"),
        (note("GET", "", "resource"), "200"),
        (note("GET", "", "resource"), "404"),
        (note("DELETE", "All", "resource"), "200"),
    ] {
        let line = format!("apiserver_request_total{{{labels},code=\"{code}\"}}");
        assert_eq!(values(text, &line), ["1"], "{line}\n{text}");
    }
    assert_eq!(values(text, "apiserver_request_total{verb=\"other\",").len(), 1, "{text}");
    let counts = format!("apiserver_request_duration_seconds_count{{{}}}", note("POST", "", "resource"));
    assert_eq!(values(text, &counts), ["2"], "{text}");
    let health = "apiserver_request_total{verb=\"GET\",dry_run=\"\",group=\"\",version=\"\",resource=\"\",subresource=\"/healthz\"";
    assert_eq!(values(text, health), ["1"], "{text}");
    let sizes = note("LIST", "", "cluster").replace("dry_run=\"\",", "");
    assert_eq!(values(text, &format!("apiserver_response_sizes_count{{{sizes}}}")), ["1"], "{text}");
    assert!(!text.contains("apiserver_response_sizes_count{verb=\"POST\""), "{text}");
    assert!(!text.contains("made"), "clients make up no labels\n{text}");
    server.client.post("/metrics", &json!({})).expect(405);
}

#[test]
fn requests_under_way_are_shown() {
    let gate = Gate::default();
    let server = Setup::new().admission(gate.chain()).start();
    let client = server.client;
    let stuck = std::thread::spawn(move || client.post(NOTES, &json!({"metadata": {"name": "stuck"}})));
    gate.wait_for(1);
    let text = server.client.get("/metrics").body;
    let of = |kind: &str| format!("apiserver_current_inflight_requests{{request_kind=\"{kind}\"}}");
    assert_eq!(values(&text, &of("mutating")), ["1"], "{text}");
    assert_eq!(values(&text, &of("readOnly")), ["0"], "{text}");
    gate.open();
    stuck.join().unwrap().expect(201);
}

/// Every answer has the id of its request, and a client can choose it.
#[test]
fn answers_have_an_audit_id() {
    let server = Harness::new();
    let answer = server.client.send("GET", NOTES, &[("Audit-Id", "mine")], b"");
    assert_eq!(answer.header("audit-id"), ["mine"]);
    assert_eq!(server.client.get("/nothing").header("audit-id")[0].len(), 36);
}
