//! The webhook of hubgen: its answers to reviews, and over TLS how long they take.

use std::sync::{Arc, mpsc};
use std::time::Instant;

use hubgen_example_cert_manager::api;
use hubgen_webhook::{Server, Tls, Webhook};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, count] = &*words
        && word == "latency"
    {
        return latency(count.parse().expect("a number of reviews"));
    }
    let webhook = Webhook::new(api::scheme());
    bench_webhook::run(&words, |review| webhook.review(review).expect("it is a review"));
}

/// Sends reviews of one object one after another over one connection, and prints the nanoseconds of the median and of
/// the 99th percentile.
fn latency(count: usize) {
    let tls = Tls::self_signed(["localhost"]).expect("a certificate");
    let root = Certificate::from_pem(tls.ca_bundle()).expect("PEM");
    let server = Server::new(Webhook::new(api::scheme())).tls(tls);
    let (tell, told) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            tell.send(listener.local_addr().expect("it is bound").port()).expect("the main thread waits");
            server.serve_on(listener, async { drop(stopped.await) }).await;
        });
    });
    let url = format!("https://localhost:{}/convert", told.recv().expect("the server started"));
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(vec![root]))).build();
    let agent = ureq::Agent::config_builder().tls_config(tls).build().new_agent();
    let review = bench_webhook::review(1);
    let mut took: Vec<u128> = (0..count + 100)
        .map(|_| {
            let start = Instant::now();
            let mut response = agent.post(&url).send(&review[..]).expect("an answer");
            let body = response.body_mut().read_to_vec().expect("a body");
            assert!(body.ends_with(b"{\"status\":\"Success\"}}}"), "the review failed");
            start.elapsed().as_nanos()
        })
        .skip(100)
        .collect();
    took.sort_unstable();
    println!("{} {}", took[count / 2], took[count * 99 / 100]);
    drop(agent);
    drop(stop);
    thread.join().expect("the server ends");
}
