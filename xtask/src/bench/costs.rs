//! What an operation costs: programs built for measuring, and what is counted
//! of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Result, least};
use crate::programs::{cargo, root, run, scratch};

/// What one operation costs.
#[derive(Clone, Copy)]
pub struct Cost {
    /// `None` without valgrind.
    pub instructions: Option<f64>,
    /// Calls of the allocator for memory, or more of it.
    pub allocations: f64,
    /// The least of several runs.
    pub nanoseconds: f64,
}

impl Cost {
    /// What is left when another operation that this one holds is not counted.
    pub fn without(self, other: Self) -> Self {
        Self {
            instructions: self.instructions.zip(other.instructions).map(|(all, part)| all - part),
            allocations: self.allocations - other.allocations,
            nanoseconds: self.nanoseconds - other.nanoseconds,
        }
    }

    /// What this takes for each that the other takes: of instructions, or of
    /// time where they were not counted.
    pub fn over(self, other: Self) -> f64 {
        let instructions = self.instructions.zip(other.instructions);
        instructions
            .map_or(self.nanoseconds / other.nanoseconds, |(instructions, others)| instructions / others)
    }

    /// For programs.
    pub fn json(self) -> Value {
        let Self { instructions, allocations, nanoseconds } = self;
        json!({"instructions": instructions, "allocations": allocations, "nanoseconds": nanoseconds})
    }
}

/// Builds a program of `benches/` with one feature, for release, and gives its
/// path.
pub fn build(package: &str, feature: &str, program: &str) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--package", package]);
    command.args(["--features", feature, "--bin", program, "--manifest-path"]);
    run(command.arg(root().join("benches/Cargo.toml")).env("CARGO_TARGET_DIR", scratch()))?;
    Ok(scratch().join("release").join(program))
}

/// The version of valgrind, where it is installed.
pub fn valgrind() -> Option<String> {
    run(Command::new("valgrind").arg("--version")).ok().map(|(version, _)| version.trim().to_owned())
}

/// Counts from outside what an operation takes, whose program is told last how
/// often to do it. `instructions`: whether valgrind is there to count them;
/// `runs`: how often the operation is repeated for that.
pub fn cost(program: &Path, arguments: &[OsString], instructions: bool, runs: u32) -> Result<Cost> {
    let times = |command: &mut Command, count: u32| run(command.args(arguments).arg(count.to_string()));
    // Twice as many less as many: reading the file and starting cancel out.
    let instructions = if instructions {
        let collected = |count| {
            let mut command = Command::new("valgrind");
            let (_, err) = times(command.args(CALLGRIND).arg(program), count)?;
            callgrind(&err)
        };
        Some((collected(2 * runs)? - collected(runs)?) / f64::from(runs))
    } else {
        None
    };
    let mut nanoseconds = Vec::new();
    let mut allocations = 0.0;
    for _ in 0..5 {
        let count = 25 * runs;
        let (out, _) = times(&mut Command::new(program), count)?;
        let mut numbers = out.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
        let (Some(time), Some(allocated)) = (numbers.next(), numbers.next()) else {
            return Err(format!("{}: expected two numbers, found {out:?}", program.display()));
        };
        nanoseconds.push(time / f64::from(count));
        allocations = allocated / f64::from(count);
    }
    Ok(Cost { instructions, allocations, nanoseconds: least(&nanoseconds) })
}

const CALLGRIND: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// The instructions of a run under callgrind, which tells them at the end.
fn callgrind(err: &str) -> Result<f64> {
    err.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .ok_or_else(|| format!("callgrind: expected a line `Collected : …`, found\n{err}"))
}

/// Lines that say what was measured with.
pub fn versions_text(versions: &Value) -> String {
    let mut text = String::new();
    for (name, version) in versions.as_object().into_iter().flatten() {
        match version.as_str() {
            // The compiler says its own name.
            Some(version) if version.starts_with(name.as_str()) || name == "compiler" => text += version,
            Some(version) => text += &format!("{name} {version}"),
            None => text += &format!("{name} is not installed: ratios of time instead of instructions"),
        }
        text += "\n";
    }
    text
}
