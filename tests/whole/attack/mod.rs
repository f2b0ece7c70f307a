//! Attacks on a server, one [`Case`] per kind. After each attack the server must answer a plain GET, and must have
//! released its memory.
//!
//! `cargo xtask attack` runs all cases, `tests/whole/tests/attack.rs` a sample. All attacks are bounded in count and time,
//! and stay on the loopback interface.

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
    /// The name in the report.
    pub name: String,
    /// The allowed status codes; [`wire::CLOSED`] allows a connection that is closed without a response.
    pub allowed: &'static [u16],
    /// Performs the attack, and counts the responses.
    pub attack: Box<Attack>,
}

/// Performs an attack, and counts the responses.
pub type Attack = dyn Fn(&Target) -> Result<Tally, String>;

impl Case {
    /// Creates a case.
    pub fn new(
        name: impl Into<String>,
        allowed: &'static [u16],
        attack: impl Fn(&Target) -> Result<Tally, String> + 'static,
    ) -> Self {
        Self { name: name.into(), allowed, attack: Box::new(attack) }
    }
}

/// The result of a case.
pub struct Outcome {
    /// The number of responses per code.
    pub tally: Tally,
    /// The duration of the attack.
    pub attack: Duration,
    /// The duration of the slowest plain GET during the attack.
    pub slowest_get: Duration,
    /// The duration of the plain GET after the attack.
    pub get: Duration,
    /// The time until the memory was released.
    pub memory_back: Duration,
    /// The maximum memory during the attack, in KiB.
    pub most_memory: u64,
    /// The memory after its release, in KiB.
    pub memory: u64,
}

/// The timeout for a response, and for the release of memory.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Performs a case and checks the server afterwards.
///
/// # Errors
/// The failed check.
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
        return Err(format!("got {tally}, but {} is not an allowed code", wire::shown(code)));
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
            return Err(format!("got {tally}; memory stays at {memory} KiB, the idle server has {idle} KiB"));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Ok(Outcome { tally, attack, slowest_get, get, memory_back: start.elapsed(), most_memory, memory })
}

/// Sends plain GETs until the attack is done. Returns the duration of the slowest one, and the maximum memory of the
/// server.
fn observe(target: &Target, done: &AtomicBool) -> Result<(Duration, u64), String> {
    let (mut slowest, mut most) = (Duration::ZERO, 0);
    while !done.load(Ordering::Relaxed) {
        slowest = slowest.max(target.plain_get().map_err(|error| format!("during the attack: {error}"))?);
        most = most.max(target.memory()?);
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok((slowest, most))
}
