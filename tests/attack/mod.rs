//! Requests that were made to stop a server, one kind of them per [`Case`], and what has to hold after
//! each: the server answers a plain GET, and its memory is back.
//!
//! `cargo xtask attack` runs all of it; `tests/tests/attack.rs` a sample. Everything is bounded, in count and
//! in time, and stays on the loopback interface.

pub mod cases;
pub mod fields;
pub mod target;
pub mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::target::Target;
use self::wire::Tally;

/// One kind of attack.
pub struct Case {
    /// What it is called in the report.
    pub name: String,
    /// The codes that may come; [`wire::CLOSED`] for a connection that is closed without an answer.
    pub allowed: &'static [u16],
    /// Carries it out, and counts what came.
    pub attack: Box<Attack>,
}

/// Carries out an attack, and counts what came.
pub type Attack = dyn Fn(&Target) -> Result<Tally, String>;

impl Case {
    /// A case.
    pub fn new(
        name: impl Into<String>,
        allowed: &'static [u16],
        attack: impl Fn(&Target) -> Result<Tally, String> + 'static,
    ) -> Self {
        Self { name: name.into(), allowed, attack: Box::new(attack) }
    }
}

/// What came of a case.
pub struct Outcome {
    /// The answers, counted.
    pub tally: Tally,
    /// How long the attack took.
    pub attack: Duration,
    /// The slowest of the plain GETs that were sent all the while.
    pub slowest_get: Duration,
    /// How long the plain GET afterwards took.
    pub get: Duration,
    /// How long it took until the memory was back.
    pub memory_back: Duration,
    /// The most memory that was seen, in KiB.
    pub most_memory: u64,
    /// The memory when it was back, in KiB.
    pub memory: u64,
}

/// How long to wait for an answer, or for memory to come back, before that has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Carries out a case and sees whether the server is as it was.
///
/// # Errors
/// What does not hold.
pub fn run(case: &Case, target: &Target) -> Result<Outcome, String> {
    let done = AtomicBool::new(false);
    let start = Instant::now();
    let (tally, slowest_get, most_memory) = std::thread::scope(|scope| {
        let observer = scope.spawn(|| observe(target, &done));
        let tally = (case.attack)(target);
        done.store(true, Ordering::Relaxed);
        let observed = observer.join().map_err(|_| "the observer panicked".to_owned())?;
        let (slowest_get, most_memory) = observed?;
        Ok::<_, String>((tally?, slowest_get, most_memory))
    })?;
    let attack = start.elapsed();
    if let Some(code) = tally.codes().find(|code| !case.allowed.contains(code)) {
        return Err(format!("answers were {tally}, of which {} is not expected", wire::shown(code)));
    }
    let get = target.plain_get()?;
    let start = Instant::now();
    let memory = loop {
        let memory = target.memory()?;
        if !target.gives_memory_back() || memory < 2 * target.idle_memory() {
            break memory;
        }
        if start.elapsed() > PATIENCE {
            let idle = target.idle_memory();
            return Err(format!(
                "answers were {tally}; memory stays at {memory} KiB, idle it was {idle} KiB"
            ));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Ok(Outcome { tally, attack, slowest_get, get, memory_back: start.elapsed(), most_memory, memory })
}

/// Sends plain GETs until the attack is done; answers the longest time that one took, and the most
/// memory that the server had.
fn observe(target: &Target, done: &AtomicBool) -> Result<(Duration, u64), String> {
    let (mut slowest, mut most) = (Duration::ZERO, 0);
    while !done.load(Ordering::Relaxed) {
        slowest = slowest.max(target.plain_get().map_err(|error| format!("during the attack: {error}"))?);
        most = most.max(target.memory()?);
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok((slowest, most))
}
