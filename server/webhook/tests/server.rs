//! A server, and what clients may do to it.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use hubgen_example_cert_manager::api;
use hubgen_webhook::{Limits, Server, Tls, Webhook};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use self::support::start;

const REVIEW: &str = r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1","desiredAPIVersion":"cert-manager.io/v1","objects":[{"apiVersion":"cert-manager.io/v1alpha2","kind":"Certificate","spec":{"keySize":4096}}]}}"#;

fn webhook() -> Server {
    Server::new(Webhook::new(api::scheme()))
}

fn agent(bundles: &[&[u8]]) -> Agent {
    let roots: Vec<_> = bundles.iter().map(|pem| Certificate::from_pem(pem).unwrap()).collect();
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(roots))).build();
    let config = Agent::config_builder().tls_config(tls).http_status_as_error(false).build();
    config.new_agent()
}

/// Sends a review, and returns the status and the body of the answer.
fn post(agent: &Agent, url: &str, body: &[u8]) -> (u16, String) {
    let mut response = agent.post(url).send(body).unwrap();
    (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
}

fn get(agent: &Agent, url: &str) -> (u16, String) {
    let mut response = agent.get(url).call().unwrap();
    (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
}

#[test]
fn reviews_are_answered_over_tls() {
    let tls = Tls::self_signed(["localhost"]).unwrap();
    let agent = agent(&[tls.ca_bundle()]);
    let running = start(webhook().tls(tls), None);
    let url = format!("https://localhost:{}", running.address.port());
    let (status, body) = post(&agent, &format!("{url}/convert"), REVIEW.as_bytes());
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""spec":{"privateKey":{"size":4096}}"#), "{body}");
    assert_eq!(get(&agent, &format!("{url}/healthz")), (200, "ok".to_owned()));
    let refused = agent.get(format!("{url}/convert")).call().unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["allow"].to_str().unwrap()), (405, "POST"));
    let refused = agent.delete(format!("{url}/metrics")).call().unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["allow"].to_str().unwrap()), (405, "GET, POST"));
    assert_eq!(post(&agent, &url, b"{}").0, 400);
    let failing = REVIEW.replace("4096}", "4096},\"metadata\":5").replace("v1alpha2", "v1alpha9");
    assert_eq!(post(&agent, &url, failing.as_bytes()).0, 200);
    let (_, metrics) = get(&agent, &format!("{url}/metrics"));
    for line in [
        "conversion_webhook_reviews_total{result=\"success\"} 1",
        "conversion_webhook_reviews_total{result=\"failure\"} 1",
        "conversion_webhook_reviews_total{result=\"refused\"} 1",
        "conversion_webhook_objects_total 1",
        "conversion_webhook_review_duration_seconds_count 2",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line}\n{metrics}");
    }
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let running = start(webhook().limits(Limits { body: 1000, ..Limits::default() }), None);
    let (status, body) = post(&agent(&[]), &format!("http://{}", running.address), &[b' '; 2000]);
    assert_eq!((status, &*body), (413, "expected a body of at most 1000 bytes\n"));
}

/// Writes a new certificate and its key.
fn write(folder: &Path) -> Vec<u8> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    // In two steps, as a certificate that is copied.
    fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    made.cert.pem().into_bytes()
}

#[test]
fn a_certificate_is_replaced_without_a_failed_request() {
    let folder = tempfile::tempdir().unwrap();
    let old = write(folder.path());
    let tls = Tls::files(folder.path().join("tls.crt"), folder.path().join("tls.key")).unwrap();
    let running = start(webhook().tls(tls), None);
    let url = format!("https://localhost:{}", running.address.port());
    // It does not know the old certificate, so its first success is with the new one.
    let new = write(folder.path());
    let (done, count) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let load = || {
            while !done.load(Relaxed) {
                // A new connection for each review.
                assert_eq!(post(&agent(&[&old, &new]), &url, REVIEW.as_bytes()).0, 200);
                count.fetch_add(1, Relaxed);
            }
        };
        let loads = [scope.spawn(load), scope.spawn(load)];
        let start = Instant::now();
        let knows_new = agent(&[&new]);
        while knows_new.post(&url).send(REVIEW).is_err() && start.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(50));
        }
        done.store(true, Relaxed);
        loads.into_iter().for_each(|load| load.join().unwrap());
        assert!(knows_new.post(&url).send(REVIEW).is_ok(), "the new certificate is not served");
    });
    assert!(count.load(Relaxed) > 0);
}
