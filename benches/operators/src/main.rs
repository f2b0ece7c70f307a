//! Measures conversions of an operator's objects: by generated code, and by the operator's own functions in Go.
//!
//! `bench-operators REQUESTS ROUNDS OURS THEIRS [webhook]` prints JSON.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use bench_operators::{Request, processor, requests};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::TlsConfig;

/// How often each side is measured, by turns.
const TURNS: usize = 3;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, rounds, ours, theirs, rest @ ..] = &*words else {
        panic!("expected REQUESTS ROUNDS OURS THEIRS [webhook]")
    };
    let text = fs::read_to_string(file).expect("requests");
    let conversions = text.lines().count() * rounds.parse::<usize>().expect("a number of rounds");
    let mut least = [u64::MAX; 3];
    let mut refused = [0_u64; 3];
    for _ in 0..TURNS {
        let sides = [(ours, "json"), (ours, "typed"), (theirs, "cost")];
        for (at, (program, way)) in sides.into_iter().enumerate() {
            let [time, count] = cost(program, way, rounds, file);
            least[at] = least[at].min(time);
            refused[at] = count;
        }
    }
    let mut out = json!({
        "conversions": conversions,
        "nanoseconds": {"json": least[0], "typed": least[1], "theirs": least[2]},
        "refused": {"json": refused[0], "typed": refused[1], "theirs": refused[2]},
    });
    if rest.first().is_some_and(|word| word == "webhook") {
        out["webhook"] = webhooks(&text, ours, theirs);
    }
    println!("{out}");
}

/// The nanoseconds of all conversions, and how many were refused.
fn cost(program: &str, way: &str, rounds: &str, file: &str) -> [u64; 2] {
    let input = fs::File::open(file).expect("requests");
    // Emissary's functions log what they ignore.
    let mut command = Command::new(program);
    command.args([way, rounds]).stdin(input).stderr(Stdio::null());
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{program} {way}: expected two numbers, found {text:?}"))
}

/// One request at a time over one connection, to both webhooks by turns: only those that both answer with success.
fn webhooks(text: &str, ours: &str, theirs: &str) -> Value {
    let mut sides = [Webhook::start(ours), Webhook::start(theirs)];
    let all: Vec<Vec<u8>> = requests(text).map(|request| review(&request)).collect();
    // What one of them refuses is not measured, and both are warm then.
    let reviews: Vec<&[u8]> = all
        .iter()
        .map(Vec::as_slice)
        .filter(|review| sides.iter().all(|side| side.converts(review)))
        .collect();
    let mut least = [[u64::MAX; 2]; 2];
    for _ in 0..TURNS {
        for (side, least) in sides.iter().zip(&mut least) {
            let (before, start) = (side.processor(), Instant::now());
            for review in &reviews {
                assert!(side.converts(review), "it did before");
            }
            let clock = start.elapsed().as_nanos().try_into().expect("less than centuries");
            *least = [least[0].min(side.processor() - before), least[1].min(clock)];
        }
    }
    sides.iter_mut().for_each(Webhook::stop);
    let [ours, theirs] = least.map(|[processor, clock]| json!({"processor": processor, "clock": clock}));
    json!({"reviews": reviews.len(), "left_out": all.len() - reviews.len(), "ours": ours, "theirs": theirs})
}

fn review(request: &Request<'_>) -> Vec<u8> {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": "7d1f8c0e", "desiredAPIVersion": request.to, "objects": [request.object]},
    })
    .to_string()
    .into_bytes()
}

/// A webhook that runs.
struct Webhook {
    program: Child,
    url: String,
    agent: Agent,
}

impl Webhook {
    fn start(program: &str) -> Self {
        let mut command = Command::new(program);
        let mut program = command
            .arg("webhook")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut url = String::new();
        let out = program.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut url).expect("its address");
        // Both have certificates of their own making.
        let tls = TlsConfig::builder().disable_verification(true).build();
        let agent = Agent::config_builder().tls_config(tls).http_status_as_error(false).build().new_agent();
        Self { program, url: format!("{}/convert", url.trim()), agent }
    }

    /// Sends a review, and tells whether its objects were converted.
    fn converts(&self, review: &[u8]) -> bool {
        let sent = self.agent.post(&self.url).header("content-type", "application/json").send(review);
        let body = sent.expect("an answer").body_mut().read_to_vec().expect("a body");
        let text = b"\"status\":\"Success\"";
        body.windows(text.len()).any(|part| part == text)
    }

    fn processor(&self) -> u64 {
        processor(&self.program.id().to_string())
    }

    /// Both end with their standard input.
    fn stop(&mut self) {
        if let Some(mut input) = self.program.stdin.take() {
            drop(input.flush());
        }
        drop(self.program.wait());
    }
}
