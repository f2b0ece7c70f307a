//! Starting other programs, and what they used.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

use serde_json::Value;

use crate::report;

/// An error is a complete message.
pub type Result<T> = std::result::Result<T, String>;

/// The repository's root, whatever folder the command was started in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// The folder for everything that is built to be measured.
pub fn scratch() -> PathBuf {
    root().join("target/bench")
}

/// The cargo that started this program.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // `cargo run` sets these for this program, not for the one started here.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR") {
            command.env_remove(name);
        }
    }
    command
}

/// The cargo that started this program, for what is measured: a workspace alone decides how its code is compiled, so
/// that everybody measures the same.
pub fn plain_cargo() -> Command {
    let mut command = cargo();
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.ends_with("RUSTFLAGS") || name.starts_with("CARGO_PROFILE_"))
        {
            command.env_remove(name);
        }
    }
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// Runs a program to its end; returns its standard output and its standard error.
pub fn run(command: &mut Command) -> Result<(String, String)> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok((out, err));
    }
    // The first errors matter most; a compiler may write thousands of lines.
    let mut lines = err.lines();
    let first: Vec<&str> = lines.by_ref().take(60).collect();
    let left = match lines.count() {
        0 => String::new(),
        count => format!("\n… and {count} more lines"),
    };
    Err(format!("{command:?}: {}\n{}{left}", output.status, first.join("\n")))
}

/// Builds a program of this workspace in release, and runs it with this one's standard input and output.
pub fn release(package: &str, args: &[OsString]) -> ExitCode {
    let mut program = cargo();
    program.args(["run", "--quiet", "--release", "--package", package, "--manifest-path"]);
    program.arg(root().join("Cargo.toml")).arg("--").args(args);
    match program.status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => report::stopped(false, format!("{program:?}: {error}")),
    }
}

/// The time of a run, in seconds.
#[derive(Clone, Copy)]
pub struct Usage {
    /// From start to end.
    pub wall: f64,
    /// On all processors, child processes included; `None` where the system does not tell.
    pub processor: Option<f64>,
}

/// Runs a program to its end and measures its time.
pub fn time(command: &mut Command) -> Result<Usage> {
    let before = processor_of_children();
    let start = Instant::now();
    run(command)?;
    let wall = start.elapsed().as_secs_f64();
    let processor = before.zip(processor_of_children()).map(|(before, after)| after - before);
    Ok(Usage { wall, processor })
}

/// The processor time in seconds of all child processes that have ended; Linux counts it in ticks of a
/// hundredth second.
pub fn processor_of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may contain anything, so the last parenthesis counts.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut numbers = rest.split_whitespace().skip(13).map(str::parse::<f64>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((user + system) / 100.0)
}

/// A crate of others, measured beside ours.
pub struct Peer {
    /// `0.29.0`.
    pub version: String,
    /// The folder of its source.
    pub source: PathBuf,
}

/// The peer of that name, at the version in the lock file of `benches/`.
pub fn peer(name: &str) -> Result<Peer> {
    let manifest = root().join("benches/Cargo.toml");
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--locked", "--all-features", "--manifest-path"]);
    let (metadata, _) = run(command.arg(&manifest))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let package = metadata["packages"]
        .as_array()
        .and_then(|packages| packages.iter().find(|package| package["name"] == name))
        .ok_or_else(|| format!("{}: expected {name} among its dependencies", manifest.display()))?;
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let source = PathBuf::from(text("manifest_path")).parent().unwrap_or(Path::new("")).to_path_buf();
    Ok(Peer { version: text("version"), source })
}

/// `rustc 1.95.0 (…)`.
pub fn compiler() -> Result<String> {
    let (out, _) =
        run(Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("--version"))?;
    Ok(out.trim().to_owned())
}

/// The compiler's own platform, such as `x86_64-unknown-linux-gnu`.
pub fn compiler_host() -> Result<String> {
    let (out, _) = run(Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"))?;
    let host = out.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("expected a line `host: …` from rustc -vV, found {out}"))
}
