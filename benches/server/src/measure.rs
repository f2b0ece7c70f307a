//! What is measured of each server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use tokio::sync::{Barrier, mpsc};

use crate::client::JSON;
use crate::client::{Connection, Shared};
use crate::credentials::User;
use crate::server::Server;
use crate::{Error, Figures, pods};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const MERGE: &str = "application/merge-patch+json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// The watches on one connection: fewer than what both servers allow.
const STREAMS: usize = 90;
/// How long an event may take to reach all watches.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is measured, and how.
pub struct Load {
    /// How long each sort of request is sent.
    pub seconds: f64,
    /// How many pods the lists have.
    pub pods: usize,
    /// How many watches there are when an object is written.
    pub watchers: Vec<usize>,
}

/// Memory of a server that does nothing, and the rates of requests.
pub async fn requests<S: Server>(server: &S, load: &Load, figures: &mut Figures) -> Result<(), Error> {
    tokio::time::sleep(Duration::from_secs(3)).await;
    figures.add("idle memory, MB", server.memory()?);
    for clients in [1, 16, 64] {
        for sort in [Sort::Create, Sort::Update, Sort::Patch, Sort::Get] {
            let rate = rate(server, clients, sort, load.seconds).await?;
            figures.add(&format!("{} per second, {clients} clients", sort.name()), rate);
        }
    }
    Ok(())
}

/// How long a write takes to reach many watches, and their memory.
pub async fn watches<S: Server>(server: &S, watchers: usize, figures: &mut Figures) -> Result<(), Error> {
    let time = fan_out(server, watchers, figures).await?;
    figures.add(&format!("one write to {watchers} watches, ms"), time.as_secs_f64() * 1000.0);
    Ok(())
}

/// Memory with many pods, and lists of them.
pub async fn lists<S: Server>(server: &S, load: &Load, figures: &mut Figures) -> Result<(), Error> {
    populate(server, load.pods).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    figures.add(&format!("memory with {} pods, MB", load.pods), server.memory()?);
    let mut connection = Connection::http1(server.address(), User::Measured).await?;
    for (name, media) in [("JSON", JSON), ("protobuf", PROTOBUF)] {
        for _ in 0..5 {
            let begin = Instant::now();
            let (code, body) = connection.send("GET", PODS, media, Vec::new()).await?;
            let time = begin.elapsed();
            if code != 200 || body.len() < load.pods * 500 {
                return Err(format!("a list answers {code} with {} bytes", body.len()).into());
            }
            figures.add(&format!("list of {} pods in {name}, ms", load.pods), time.as_secs_f64() * 1000.0);
        }
    }
    figures.add("memory after the lists, MB", server.memory()?);
    Ok(())
}

/// A sort of request.
#[derive(Clone, Copy)]
enum Sort {
    Create,
    Update,
    Patch,
    Get,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "creates",
            Self::Update => "updates",
            Self::Patch => "patches",
            Self::Get => "gets",
        }
    }
}

fn map(name: &str, value: usize) -> Vec<u8> {
    let text = "v".repeat(200);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"k":"{text}","n":"{value}"}}}}"#)
        .into_bytes()
}

/// How many requests are answered per second, each client sending one after the other.
async fn rate<S: Server>(server: &S, clients: usize, sort: Sort, seconds: f64) -> Result<f64, Error> {
    static NAMES: AtomicUsize = AtomicUsize::new(0);
    let (ends, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let start = Arc::new(Barrier::new(clients + 1));
    let mut tasks = Vec::new();
    for _ in 0..clients {
        let mut connection = Connection::http1(server.address(), User::Measured).await?;
        let (ends, done, start) = (Arc::clone(&ends), Arc::clone(&done), Arc::clone(&start));
        tasks.push(tokio::spawn(async move {
            let own = format!("own-{}", NAMES.fetch_add(1, Ordering::Relaxed));
            let path = format!("{MAPS}/{own}");
            let (code, _) = connection.send("POST", MAPS, JSON, map(&own, 0)).await?;
            if code != 201 {
                return Err::<(), Error>(format!("a create answers {code}").into());
            }
            start.wait().await;
            let mut value = 0;
            while !ends.load(Ordering::Relaxed) {
                value += 1;
                let (code, _) = match sort {
                    Sort::Create => {
                        let name = format!("new-{}", NAMES.fetch_add(1, Ordering::Relaxed));
                        connection.send("POST", MAPS, JSON, map(&name, value)).await?
                    }
                    Sort::Update => connection.send("PUT", &path, JSON, map(&own, value)).await?,
                    Sort::Patch => {
                        let patch = format!(r#"{{"data":{{"n":"{value}"}}}}"#).into_bytes();
                        connection.send("PATCH", &path, MERGE, patch).await?
                    }
                    Sort::Get => connection.send("GET", &path, JSON, Vec::new()).await?,
                };
                if code >= 300 {
                    return Err(format!("{} answer {code}", sort.name()).into());
                }
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }));
    }
    start.wait().await;
    let begin = Instant::now();
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    let (count, time) = (done.load(Ordering::Relaxed), begin.elapsed());
    ends.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await??;
    }
    Ok(count as f64 / time.as_secs_f64())
}

/// The time from a write until the last of many watches has told it; the median of three writes.
async fn fan_out<S: Server>(server: &S, watchers: usize, figures: &mut Figures) -> Result<Duration, Error> {
    let mut connection = Connection::http1(server.address(), User::Measured).await?;
    let (_, list) = connection.send("GET", &format!("{MAPS}?limit=1"), JSON, Vec::new()).await?;
    let list: serde_json::Value = serde_json::from_slice(&list)?;
    let revision = list["metadata"]["resourceVersion"].as_str().ok_or("no revision")?.to_owned();
    let told = Arc::new(AtomicUsize::new(0));
    let (last, mut came) = mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    let mut shared = None;
    for number in 0..watchers {
        if number % STREAMS == 0 {
            shared = Some(Shared::http2(server.address(), User::Measured).await?);
        }
        let mut connection = shared.clone().ok_or("no connection")?;
        let path = format!("{MAPS}?watch=1&resourceVersion={revision}&timeoutSeconds=3600");
        let response = connection.open(&path).await?;
        if response.status() != 200 {
            return Err(format!("a watch answers {}", response.status()).into());
        }
        let (told, last) = (Arc::clone(&told), last.clone());
        tasks.push(tokio::spawn(async move {
            let mut body = response.into_body();
            while let Some(Ok(frame)) = body.frame().await {
                let lines =
                    frame.data_ref().map_or(0, |data| data.iter().filter(|byte| **byte == b'\n').count());
                let before = told.fetch_add(lines, Ordering::Relaxed);
                if (before..before + lines).contains(&(watchers - 1)) {
                    let _ = last.send(Instant::now());
                }
            }
        }));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    figures.add(&format!("memory with {watchers} watches, MB"), server.memory()?);
    let mut times = Vec::new();
    for number in 0..3 {
        told.store(0, Ordering::Relaxed);
        let begin = Instant::now();
        let name = format!("fan-{watchers}-{number}");
        let (code, _) = connection.send("POST", MAPS, JSON, map(&name, number)).await?;
        if code != 201 {
            return Err(format!("a create answers {code}").into());
        }
        let end = tokio::time::timeout(PATIENCE, came.recv()).await.map_err(|_| {
            let told = told.load(Ordering::Relaxed);
            format!("{told} of {watchers} watches told the write")
        })?;
        times.push(end.ok_or("no watch")?.duration_since(begin));
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    times.sort();
    Ok(times[1])
}

/// Creates pods, 16 at a time.
async fn populate<S: Server>(server: &S, count: usize) -> Result<(), Error> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let mut connection = Connection::http1(server.address(), User::Measured).await?;
        let next = Arc::clone(&next);
        tasks.push(tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok::<(), Error>(());
                }
                let (code, body) = connection.send("POST", PODS, JSON, pods::pod(number)).await?;
                if code != 201 {
                    return Err(format!("a pod answers {code}: {}", String::from_utf8_lossy(&body)).into());
                }
            }
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}
