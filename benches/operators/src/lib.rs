//! What programs with the generated code of an operator's kinds do: the same as the operator's own program in Go, which
//! tests/operators describes.

mod requests;
mod time;

use std::io::{Read, Write, stdin, stdout};
use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_webhook::{Server, Tls, Webhook};
use tokio::net::TcpListener;

pub use self::requests::{Request, requests};
pub use self::time::processor;

/// Runs `json ROUNDS`, `typed ROUNDS` or `webhook`.
///
/// # Panics
/// When the command line is another one, or a request is not for these kinds.
pub fn run(scheme: Scheme) {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &*words.iter().map(String::as_str).collect::<Vec<_>>() {
        [way @ ("json" | "typed"), rounds] => cost(&scheme, *way == "typed", rounds),
        ["webhook"] => webhook(scheme),
        _ => panic!("expected `json ROUNDS`, `typed ROUNDS` or `webhook`"),
    }
}

/// Converts the requests on standard input. Prints the nanoseconds of processor time of that, and how many conversions
/// were refused. A conversion begins with JSON and ends with it.
fn cost(scheme: &Scheme, is_typed: bool, rounds: &str) {
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let mut input = String::new();
    stdin().read_to_string(&mut input).expect("requests");
    let kind = |version: &str, kind: &str| -> Arc<KindEntry> {
        let (group, version) = version.split_once('/').expect("a group and a version");
        Arc::clone(scheme.kind(group, version, kind).expect("a kind of the operator"))
    };
    let asked: Vec<_> = requests(&input)
        .map(|request| (request.object.get().as_bytes(), kind(&request.to, &request.kind)))
        .collect();
    let mut refused = 0_usize;
    let before = processor("self");
    for _ in 0..rounds {
        for (object, to) in &asked {
            let converted =
                if is_typed { typed(scheme, object, to) } else { scheme.convert_json(object, to).ok() };
            refused += usize::from(std::hint::black_box(converted).is_none());
        }
    }
    println!("{} {refused}", processor("self") - before);
}

/// As a server converts what it stores: decoded, and encoded again.
fn typed(scheme: &Scheme, object: &[u8], to: &Arc<KindEntry>) -> Option<Vec<u8>> {
    let (object, _) = scheme.decode(object).ok()?;
    scheme.convert(object, to).ok()?.encode().ok()
}

/// Serves the webhook until standard input ends, and prints its address.
fn webhook(scheme: Scheme) {
    let tls = Tls::self_signed(["localhost"]).expect("a certificate");
    let server = Server::new(Webhook::new(scheme)).tls(tls);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        println!("https://{}", listener.local_addr().expect("it is bound"));
        stdout().flush().expect("standard output");
        let end = tokio::task::spawn_blocking(|| drop(stdin().read_to_end(&mut Vec::new())));
        server.serve_on(listener, async { drop(end.await) }).await;
    });
}
