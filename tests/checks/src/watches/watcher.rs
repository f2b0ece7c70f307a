//! A client that watches, is killed now and then, and goes on from where it was.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::client::{self, Event, Events};
use super::running::Flags;
use super::selection::{Selection, Told};
use crate::dice::Dice;

/// A watch that goes on, however often its connection ends.
pub struct Watcher {
    pub selection: Arc<Selection>,
    chains: Arc<Mutex<Vec<Chain>>>,
}

/// What a client saw from one beginning until it had to begin anew.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    pub begins: Begins,
    /// The objects that existed at the beginning, with their revisions.
    pub shown: Vec<(String, u64)>,
    pub told: Vec<Told>,
    /// How many watches it took.
    pub opened: usize,
    /// It ended because what came next was not kept any more.
    pub is_expired: bool,
    /// What should not have happened.
    pub error: Option<String>,
}

/// How a client began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begins {
    /// It does not know yet at which revision.
    #[default]
    Unknown,
    /// With the objects of this revision.
    At(u64),
}

impl Watcher {
    /// Starts to watch.
    pub fn start(address: SocketAddr, selection: Selection, seed: u64, flags: Arc<Flags>) -> Self {
        let watcher =
            Self { selection: Arc::new(selection), chains: Arc::new(Mutex::new(vec![Chain::default()])) };
        let task = Task {
            address,
            selection: Arc::clone(&watcher.selection),
            chains: Arc::clone(&watcher.chains),
            dice: Dice::new(seed),
            flags,
        };
        tokio::spawn(task.run());
        watcher
    }

    /// What it has seen so far.
    pub fn chains(&self) -> Vec<Chain> {
        self.chains.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Task {
    address: SocketAddr,
    selection: Arc<Selection>,
    chains: Arc<Mutex<Vec<Chain>>>,
    dice: Dice,
    flags: Arc<Flags>,
}

impl Task {
    fn chain<T>(&self, change: impl FnOnce(&mut Chain) -> T) -> T {
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        change(chains.last_mut().expect("there is one from the beginning"))
    }

    async fn run(mut self) {
        // Up to where the client has seen everything; `None` before it has begun.
        let mut seen = None;
        loop {
            match self.watch(&mut seen).await {
                Ok(()) => {}
                Err(Stop::Expired) => {
                    self.chain(|chain| chain.is_expired = true);
                    self.chains.lock().unwrap_or_else(PoisonError::into_inner).push(Chain::default());
                    seen = None;
                }
                Err(Stop::Wrong(error)) => {
                    self.chain(|chain| chain.error = Some(error));
                    return;
                }
            }
            // Mostly at once; sometimes so late that what comes next may not be kept any more.
            let pause = if self.dice.below(4) == 0 { 4000 } else { 50 };
            let pause = if self.flags.ends.load(Ordering::Relaxed) { 50 } else { pause };
            tokio::time::sleep(Duration::from_millis(self.dice.below(pause) as u64)).await;
        }
    }

    /// Watches once, until the connection ends or is ended here.
    async fn watch(&mut self, seen: &mut Option<u64>) -> Result<(), Stop> {
        let path = self.selection.path();
        let mut existing = None;
        let query = match seen {
            Some(revision) => format!("resourceVersion={revision}"),
            None => match self.dice.below(3) {
                0 => {
                    let Some(revision) = self.list(&path).await? else { return Ok(()) };
                    *seen = Some(revision);
                    format!("resourceVersion={revision}")
                }
                1 => {
                    existing = Some(Vec::new());
                    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan".to_owned()
                }
                _ => String::new(),
            },
        };
        let tells_no_end = query.is_empty();
        // What is shown at the start has no end without a bookmark, so it is read as a list.
        if tells_no_end {
            let Some(revision) = self.list(&path).await? else { return Ok(()) };
            *seen = Some(revision);
        }
        let query =
            if tells_no_end { format!("resourceVersion={}", seen.unwrap_or_default()) } else { query };
        let timeout = [2, 5, 20, 300][self.dice.below(4)];
        let path = format!("{path}watch=1&allowWatchBookmarks=true&timeoutSeconds={timeout}&{query}");
        let accept = "Accept: application/vnd.kubernetes.protobuf;stream=watch\r\n";
        let headers = if self.selection.is_protobuf { accept } else { "" };
        // The server may be about to start.
        let Ok(mut answer) = client::send(self.address, "GET", &path, headers, "").await else {
            return Ok(());
        };
        if answer.code == 429 || answer.code == 503 {
            return Ok(());
        }
        if answer.code != 200 {
            return Err(Stop::Wrong(format!("{path}: the code {}", answer.code)));
        }
        self.chain(|chain| chain.opened += 1);
        let mut events = Events::new(self.selection.is_protobuf);
        let lives = [300, 1500, 6000, 60_000][self.dice.below(4)];
        let end = Instant::now() + Duration::from_millis(lives);
        loop {
            let is_killed = !self.flags.ends.load(Ordering::Relaxed) && Instant::now() > end;
            if is_killed {
                return Ok(());
            }
            if tokio::time::timeout(Duration::from_millis(500), answer.ready()).await.is_err() {
                continue;
            }
            // Otherwise it is the end of the watch, of the connection, or of the server.
            let Ok(Some(chunk)) = answer.chunk().await else { return Ok(()) };
            for event in events.push(&chunk).map_err(Stop::Wrong)? {
                self.take(event, seen, &mut existing)?;
            }
        }
    }

    /// Takes an event into the chain.
    fn take(
        &self,
        event: Event,
        seen: &mut Option<u64>,
        existing: &mut Option<Vec<(String, u64)>>,
    ) -> Result<(), Stop> {
        let Event { event_type, namespace, name, revision, code } = event;
        let key = format!("{}{namespace}/{name}", self.selection.kind.prefix);
        let event_type = match (&*event_type, &mut *existing) {
            ("ERROR", _) if code == 410 => return Err(Stop::Expired),
            ("ERROR", _) => return Err(Stop::Wrong(format!("an error with the code {code}"))),
            ("BOOKMARK", Some(_)) => {
                let shown = existing.take().unwrap_or_default();
                self.chain(|chain| {
                    chain.begins = Begins::At(revision);
                    chain.shown = shown;
                });
                *seen = Some(revision);
                return Ok(());
            }
            ("BOOKMARK", None) => {
                *seen = Some(revision);
                return Ok(());
            }
            ("ADDED", Some(shown)) => {
                shown.push((key, revision));
                return Ok(());
            }
            ("ADDED", None) => "ADDED",
            ("MODIFIED", None) => "MODIFIED",
            ("DELETED", None) => "DELETED",
            (other, _) => {
                return Err(Stop::Wrong(format!("{other} before the objects that exist are shown")));
            }
        };
        self.chain(|chain| chain.told.push(Told { event_type, key, revision }));
        *seen = Some(revision);
        Ok(())
    }

    /// Lists the objects, and begins with them; `None` if the server is not there.
    async fn list(&self, path: &str) -> Result<Option<u64>, Stop> {
        let Ok(answer) = client::send(self.address, "GET", path, "", "").await else { return Ok(None) };
        if answer.code != 200 {
            return Ok(None);
        }
        let Ok(body) = answer.body().await else { return Ok(None) };
        let list: Value = serde_json::from_slice(&body).map_err(|error| Stop::Wrong(error.to_string()))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| text(value).parse::<u64>().unwrap_or_default();
        let items = list["items"].as_array().into_iter().flatten().map(|item| &item["metadata"]);
        let prefix = self.selection.kind.prefix;
        let shown = items.map(|item| {
            let key = format!("{prefix}{}/{}", text(&item["namespace"]), text(&item["name"]));
            (key, number(&item["resourceVersion"]))
        });
        let (shown, revision) = (shown.collect(), number(&list["metadata"]["resourceVersion"]));
        self.chain(|chain| {
            chain.begins = Begins::At(revision);
            chain.shown = shown;
        });
        Ok(Some(revision))
    }
}

/// Why a watch does not go on from where it was.
enum Stop {
    /// What comes next is not kept any more.
    Expired,
    Wrong(String),
}
