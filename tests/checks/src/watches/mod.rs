//! `cargo xtask check watches`: many writers and many watches at once, of a server that is compacted, and that ends and
//! starts again meanwhile. Every watch must have told each change of what it selects once and in order, or that what comes
//! next is not kept any more.
//!
//! What happened is read from the store, by a reader of its own: the feeds and the watches of the server have no part in
//! that.

mod client;
mod log;
mod running;
mod selection;
mod verdict;
mod watcher;
mod writer;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hubgen_kubernetes::machinery::scheme::Scheme;
use tokio::runtime::Runtime;

use self::log::Log;
use self::running::{Flags, Running};
use self::selection::Selection;
use self::verdict::Verdict;
use self::watcher::Watcher;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// How long objects are written
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The number of clients that write
    #[arg(long, default_value_t = 64)]
    writers: usize,
    /// The number of watches
    #[arg(long, default_value_t = 1000)]
    watchers: usize,
    /// How many revisions a compaction keeps
    #[arg(long, default_value_t = 400)]
    keep: u64,
    /// The seed of all choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How long the watches may take to tell the last changes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs writers and watches, and compares what was told with what happened.
///
/// # Errors
/// If the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    Ok(runtime.block_on(all(args))?.print(args.json))
}

async fn all(args: &Args) -> Result<Report, String> {
    let folder = std::env::temp_dir().join(format!("hubgen-watches-{}", std::process::id()));
    let scheme = Arc::new(hubgen_kubernetes::scheme());
    let flags = Arc::new(Flags::default());
    let mut server = start(&folder, &scheme, 0).await?;
    let log = Arc::new(Log::default());
    let mut reads = log::read(&server, Arc::clone(&scheme), Arc::clone(&log)).await?;
    let writers: Vec<_> = (0..args.writers)
        .map(|number| {
            tokio::spawn(writer::run(server.address, args.seed + number as u64, Arc::clone(&flags)))
        })
        .collect();
    let watchers: Vec<_> = (0..args.watchers)
        .map(|number| {
            let seed = args.seed + 1_000_000 + number as u64;
            Watcher::start(server.address, Selection::new(seed), seed, Arc::clone(&flags))
        })
        .collect();

    let begin = Instant::now();
    let (mut restarts, mut compactions) = (0, 0);
    while begin.elapsed() < Duration::from_secs(args.seconds) {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if restarts == 0 && begin.elapsed() > Duration::from_secs(args.seconds) / 2 {
            let port = server.address.port();
            server.stop().await?;
            reads.await.map_err(|error| error.to_string())??;
            server = start(&folder, &scheme, port).await?;
            reads = log::read(&server, Arc::clone(&scheme), Arc::clone(&log)).await?;
            restarts += 1;
        }
        if let Some(oldest) = log.revision().checked_sub(args.keep) {
            server.store.compact(oldest).await.map_err(|error| error.to_string())?;
            compactions += 1;
        }
    }
    flags.ends.store(true, Ordering::Relaxed);
    let mut written = 0;
    for writer in writers {
        written += writer.await.map_err(|error| error.to_string())?;
    }
    let last = server.revision().await?;
    let settled = Instant::now();
    let verdicts = loop {
        let log = log.until(last);
        let verdicts: Vec<Verdict> = match &log {
            Some(log) => watchers.iter().map(|watcher| verdict::judge(watcher, log)).collect(),
            None => Vec::new(),
        };
        let is_settled = log.is_some() && verdicts.iter().all(|verdict| verdict.error.is_none());
        if is_settled || settled.elapsed() > PATIENCE {
            break verdicts;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    server.stop().await?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(report(
        verdicts,
        &watchers,
        &[
            ("writes", written),
            ("revisions", usize::try_from(last).unwrap_or_default()),
            ("compactions", compactions),
            ("restarts", restarts),
        ],
    ))
}

async fn start(folder: &std::path::Path, scheme: &Arc<Scheme>, port: u16) -> Result<Running, String> {
    let (folder, scheme) = (folder.to_owned(), Arc::clone(scheme));
    tokio::task::spawn_blocking(move || Running::start(&folder, scheme, port))
        .await
        .map_err(|error| error.to_string())?
}

fn report(verdicts: Vec<Verdict>, watchers: &[Watcher], counts: &[(&'static str, usize)]) -> Report {
    let total = watchers.len();
    let sum = |of: &dyn Fn(&Verdict) -> usize| verdicts.iter().map(of).sum::<usize>();
    let mut details = counts.to_vec();
    details.extend([
        ("events told", sum(&|verdict| verdict.told)),
        ("objects shown at the start", sum(&|verdict| verdict.shown)),
        ("watches opened", sum(&|verdict| verdict.opened)),
        ("told that what comes next is not kept", sum(&|verdict| verdict.expired)),
    ]);
    let failures: Vec<Failure> = verdicts
        .into_iter()
        .zip(watchers)
        .filter_map(|(verdict, watcher)| {
            let message = verdict.error?;
            Some(Failure { file: watcher.selection.path(), path: String::new(), message })
        })
        .collect();
    Report { what: "watches", passed: total - failures.len(), total, details, failures, notes: Vec::new() }
}
