//! Many large reviews at a time: together they take bounded memory, and all are answered in the end.

mod support;

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hubgen_example_cert_manager::api;
use hubgen_webhook::{Limits, Server, Webhook};
use ureq::{Agent, SendBody};

use self::support::start;

/// How many clients there are, and the bytes of the review of each.
const CLIENTS: usize = 24;
const SIZE: usize = 2 << 20;

/// The bytes that reviews may take together: four of them.
const TOGETHER: usize = 4 * SIZE;

/// A review of many objects, `size` bytes in all.
fn review(size: usize) -> String {
    let object = r#"{"apiVersion":"cert-manager.io/v1alpha2","kind":"Certificate","spec":{"keySize":4096}}"#;
    let head = r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1","desiredAPIVersion":"cert-manager.io/v1","objects":["#;
    let count = (size - head.len() - 3) / (object.len() + 1);
    let mut review = format!("{head}{}]}}}}", vec![object; count].join(","));
    review.push_str(&" ".repeat(size - review.len()));
    review
}

/// Sends all of a review but its last byte.
fn almost(address: SocketAddr, review: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", SIZE)
        .unwrap();
    stream.write_all(&review.as_bytes()[..SIZE - 1]).unwrap();
    stream
}

/// Sends the last byte and reads the answer, without keeping it. Returns its head.
fn finish(mut stream: TcpStream) -> String {
    stream.write_all(b" ").unwrap();
    let mut answer = BufReader::new(stream);
    let head = answer.by_ref().lines().map(|line| line.unwrap().to_ascii_lowercase());
    let head = head.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    io::copy(&mut answer, &mut io::sink()).unwrap();
    head
}

/// The value of a metric.
fn metric(agent: &Agent, address: SocketAddr, name: &str) -> usize {
    let mut response = agent.get(format!("http://{address}/metrics")).call().unwrap();
    let text = response.body_mut().read_to_string().unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
}

/// The most memory that this process has had at any time so far, in bytes.
fn most_memory() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? << 10)
}

#[test]
fn many_large_reviews_take_bounded_memory_and_are_all_answered() {
    const BYTES: &str = "conversion_webhook_review_bytes";
    let limits = Limits { together: TOGETHER, turn: Duration::from_millis(200), ..Limits::default() };
    let running = start(Server::new(Webhook::new(api::scheme())).limits(limits), None);
    let address = running.address;
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let large = review(SIZE);
    let before = most_memory();

    // All clients stop before the last byte of their reviews, so that none of them can be answered.
    let sent = Barrier::new(CLIENTS + 1);
    let heads: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let stream = almost(address, &large);
                    sent.wait();
                    finish(stream)
                })
            })
            .collect();
        let start = Instant::now();
        while metric(&agent, address, BYTES) < TOGETHER {
            assert!(start.elapsed() < Duration::from_secs(60), "the reviews take less than they may");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(metric(&agent, address, BYTES), TOGETHER);
        // A small review, such as that of a watch, does not wait for them.
        let small = agent.post(format!("http://{address}")).send(review(1000)).unwrap();
        assert_eq!(small.status(), 200);
        thread::sleep(2 * limits.turn);
        sent.wait();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let answered = heads.iter().filter(|head| head.starts_with("http/1.1 200 ")).count();
    let refused = heads.iter().filter(|head| head.starts_with("http/1.1 429 ")).collect::<Vec<_>>();
    assert_eq!(answered + refused.len(), CLIENTS, "{heads:?}");
    assert!(answered >= TOGETHER / SIZE, "{answered}");
    assert!(!refused.is_empty());
    for head in &refused {
        assert!(head.lines().any(|line| line == "retry-after: 1"), "{head}");
    }
    let overloaded = metric(&agent, address, "conversion_webhook_reviews_total{result=\"overloaded\"}");
    assert_eq!(overloaded, refused.len());

    // Clients that try again, as API servers do, get their answers.
    thread::scope(|scope| {
        for _ in 0..CLIENTS / 2 {
            scope.spawn(|| {
                let start = Instant::now();
                let mut status = 429;
                while status == 429 {
                    assert!(start.elapsed() < Duration::from_secs(120), "this client waits too long");
                    let mut response = agent.post(format!("http://{address}")).send(&large).unwrap();
                    status = response.status().as_u16();
                    io::copy(&mut response.body_mut().as_reader(), &mut io::sink()).unwrap();
                }
                assert_eq!(status, 200);
            });
        }
    });
    assert_eq!(metric(&agent, address, BYTES), 0);
    let (Some(before), Some(after)) = (before, most_memory()) else {
        return println!("left out: this system does not tell how much memory a process has had");
    };
    let taken = after - before;
    println!("{taken} bytes of memory for reviews of {TOGETHER} bytes at a time");
    // Before there was a limit, reviews took fourteen times their size, however many there were.
    assert!(taken < 10 * TOGETHER, "{taken} bytes of memory");
}

/// Such a review takes room for the largest one, and returns what it does not need.
#[test]
fn a_review_that_does_not_announce_its_size_is_answered() {
    let limits = Limits { together: TOGETHER, turn: Duration::from_millis(200), ..Limits::default() };
    let running = start(Server::new(Webhook::new(api::scheme())).limits(limits), None);
    let agent = Agent::new_with_defaults();
    for _ in 0..2 {
        let large = review(1 << 20);
        let mut bytes = large.as_bytes();
        let body = SendBody::from_reader(&mut bytes);
        let mut response = agent.post(format!("http://{}", running.address)).send(body).unwrap();
        assert_eq!(response.status(), 200);
        io::copy(&mut response.body_mut().as_reader(), &mut io::sink()).unwrap();
    }
    assert_eq!(metric(&agent, running.address, "conversion_webhook_review_bytes"), 0);
}
