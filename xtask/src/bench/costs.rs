//! What an operation costs: programs built for measuring, and what is counted
//! of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Result, least};
use crate::programs::{plain_cargo, root, run, scratch};

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
    /// What is left when another operation that is part of this one is not counted.
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
    let mut command = plain_cargo();
    command.args(["build", "--release", "--locked", "--package", package]);
    command.args(["--features", feature, "--bin", program, "--manifest-path"]);
    command.arg(root().join("benches/Cargo.toml")).env("CARGO_TARGET_DIR", scratch());
    run(&mut command)?;
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
    let (instructions, allocations) = count(program, arguments, instructions, runs)?;
    let mut nanoseconds = Vec::new();
    for _ in 0..5 {
        let count = 25 * runs;
        let printed = printed(&run(timed(program).args(arguments).arg(count.to_string()))?.0)?;
        nanoseconds.push(printed.nanoseconds / f64::from(count));
    }
    Ok(Cost { instructions, allocations, nanoseconds: least(&nanoseconds) })
}

/// The instructions, if they are wanted, and the allocations of an operation.
///
/// They do not depend on other work of the machine, on the environment or on
/// paths: between runs, instructions differ by less than 0.01 %.
pub fn count(
    program: &Path,
    arguments: &[OsString],
    instructions: bool,
    runs: u32,
) -> Result<(Option<f64>, f64)> {
    let counted = |count: u32| {
        let mut command = match instructions {
            true => Command::new("valgrind"),
            false => Command::new(program),
        };
        if instructions {
            command.args(CALLGRIND).arg(program).env("GLIBC_TUNABLES", TUNABLES);
        }
        let (out, err) = run(command.args(arguments).arg(count.to_string()))?;
        let collected = if instructions { Some(callgrind(&err)?) } else { None };
        Ok::<_, String>((collected, printed(&out)?.allocations))
    };
    // Starting, reading the file and what the first operations do to the allocator cancel out.
    let before = runs.max(WARM);
    let (more, less) = (counted(before + runs)?, counted(before)?);
    let each = |more: f64, less: f64| (more - less) / f64::from(runs);
    Ok((more.0.zip(less.0).map(|(more, less)| each(more, less)), each(more.1, less.1)))
}

/// How many operations are not counted at least. Copying the ConfigMap took 194 thousand instructions the second time,
/// and 187 thousand each time after that.
const WARM: u32 = 2;

const CALLGRIND: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// Without `rep movsb`, with which the GNU C library copies more than a few
/// thousand bytes: valgrind counts it as one instruction for each byte, so that
/// copying would outweigh all else where texts are large.
const TUNABLES: &str = "glibc.cpu.hwcaps=-ERMS";

/// A program whose time is measured, with an allocator that keeps what is freed.
///
/// The GNU C library returns memory to the system when the last 128 KiB of the heap are free, and gets it back page by
/// page. In a loop that drops one object and makes the next, this takes several times as long as the operation, and
/// whether it happens depends on which small piece of memory lies last: with it, decoding the ConfigMap from protobuf
/// took 2.1 times the time of the peer, and without it 0.67.
fn timed(program: &Path) -> Command {
    let mut command = Command::new(program);
    // The second setting has to be there as well: with the first alone, each large text is mapped anew.
    let keep = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432";
    command.env("GLIBC_TUNABLES", keep);
    command
}

/// The instructions of a run under callgrind, which tells them at the end.
fn callgrind(err: &str) -> Result<f64> {
    err.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .ok_or_else(|| format!("callgrind: expected a line `Collected : …`, found\n{err}"))
}

/// What a program tells of all its operations together.
struct Printed {
    nanoseconds: f64,
    allocations: f64,
}

fn printed(out: &str) -> Result<Printed> {
    let numbers: Vec<f64> = out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [nanoseconds, allocations] => Ok(Printed { nanoseconds, allocations }),
        _ => Err(format!("expected nanoseconds and allocations, found {out:?}")),
    }
}

/// Lines that tell what was measured with.
pub fn versions_text(versions: &Value) -> String {
    let mut text = String::new();
    for (name, version) in versions.as_object().into_iter().flatten() {
        match version.as_str() {
            // The compiler and valgrind tell their own names.
            Some(version) if version.starts_with(name.as_str()) || name == "compiler" => text += version,
            Some(version) => text += &format!("{name} {version}"),
            None => text += &format!("{name} is not installed: ratios of time instead of instructions"),
        }
        text += "\n";
    }
    text
}
