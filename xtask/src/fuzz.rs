//! `cargo xtask fuzz`: builds the targets of `tests/fuzz/`, runs each for a while, and prints what they found.
//!
//! libFuzzer needs no other toolchain than the pinned one: the compiler's own pass counts what is reached. There is no
//! unsafe code to look for with a sanitizer; panics end a run, and so do the memory and the time that an input takes.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::programs::{self, Result};
use crate::report::stopped;

/// Search for inputs that break the codecs.
///
/// Builds the targets in tests/fuzz/ with libFuzzer and runs each for a while. An input that breaks one is
/// stored below target/fuzz/crashes, and printed with the command that runs it again.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
Examples:
  Run every target for a minute:
    cargo xtask fuzz
  Run one target for ten minutes, and keep its best inputs:
    cargo xtask fuzz json --seconds 600 --minimise
  Run random rules over random schemas for ten minutes:
    cargo xtask fuzz tables --seconds 600

Exit codes:
  0  no input broke a target
  1  an input broke a target, or a target could not be built
  2  wrong arguments"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Names of files in tests/fuzz/fuzz_targets, without .rs; without any, all targets run
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// How many seconds each target runs, after the inputs in its corpus
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Then write the few inputs that cover most code into tests/fuzz/corpus
    #[arg(long)]
    minimise: bool,
}

/// What is not a target of libFuzzer.
#[derive(clap::Subcommand)]
enum What {
    /// Check the laws of conversions with random rules over random schemas
    ///
    /// Builds the program `hubgen-tables` in release, and starts it with the remaining arguments; `--help` after `--`
    /// lists them.
    Tables {
        /// The options of the program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
        args: Vec<OsString>,
    },
}

/// Flags that make a program report covered code and compared values to libFuzzer.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// Limits for one input: seconds, and MB of all memory.
const LIMITS: &[&str] = &["-timeout=20", "-rss_limit_mb=2048"];

/// How many inputs are kept for each target, and how many bytes of each.
const KEPT: usize = 64;
const LONGEST: usize = 512;

/// Fuzzes and prints.
pub fn run(args: &Args) -> ExitCode {
    if let Some(What::Tables { args }) = &args.what {
        return programs::release("hubgen-tables", args);
    }
    match fuzz(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => stopped(false, error),
    }
}

/// Whether nothing was found.
fn fuzz(args: &Args) -> Result<bool> {
    let known = targets()?;
    let wanted = if args.targets.is_empty() { &known } else { &args.targets };
    if let Some(strange) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(format!("{strange}: there is no such target; the targets are {}", known.join(", ")));
    }
    let programs = build(wanted)?;
    println!("{:<16}{:>14}{:>10}{:>12}{:>10}", "target", "executions", "seconds", "processor", "crashes");
    let mut is_clean = true;
    for name in wanted {
        let target = Target { name, program: programs.join(name) };
        let run = target.run(args.seconds)?;
        let Run { executions, seconds, processor, .. } = &run;
        let processor = processor.map_or("-".to_owned(), |seconds| format!("{seconds:.0}"));
        let crashes = usize::from(run.crash.is_some());
        println!("{name:<16}{executions:>14}{seconds:>10.0}{processor:>12}{crashes:>10}");
        match run.crash {
            Some(crash) => {
                is_clean = false;
                eprintln!("{crash}");
            }
            None if args.minimise => println!("{name}: {} inputs kept", target.minimise()?),
            None => {}
        }
    }
    Ok(is_clean)
}

/// Every target, by name.
fn targets() -> Result<Vec<String>> {
    let folder = programs::root().join("tests/fuzz/fuzz_targets");
    let mut names: Vec<String> = files(&folder)?
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// The folder for everything that fuzzing writes.
fn scratch() -> PathBuf {
    programs::root().join("target/fuzz")
}

/// Builds targets; gives the folder in which they are.
fn build(targets: &[String]) -> Result<PathBuf> {
    let host = programs::compiler_host()?;
    let mut command = programs::cargo();
    command.args(["build", "--release", "--locked", "--target", &host]);
    command.args(["--manifest-path", "tests/fuzz/Cargo.toml", "--target-dir"]).arg(scratch());
    command.args(targets.iter().flat_map(|target| ["--bin", target]));
    // With --target, the flags apply to the programs, and not to build scripts and macros.
    command.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")).current_dir(programs::root());
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the targets could not be built ({status}); install a C++ compiler (g++ or clang++), which libFuzzer needs"
        ));
    }
    Ok(scratch().join(host).join("release"))
}

struct Target<'a> {
    name: &'a str,
    program: PathBuf,
}

/// The result of a run.
struct Run {
    executions: u64,
    seconds: f64,
    processor: Option<f64>,
    /// The input that broke the target, and how to run it again.
    crash: Option<String>,
}

impl Target<'_> {
    /// Every input that was found on this machine.
    fn corpus(&self) -> PathBuf {
        scratch().join("corpus").join(self.name)
    }

    /// The few inputs that are in the repository.
    fn kept(&self) -> PathBuf {
        programs::root().join("tests/fuzz/corpus").join(self.name)
    }

    /// Starts libFuzzer; returns its standard error, and whether it succeeded.
    fn start(&self, arguments: &[String], folders: &[&Path]) -> Result<(String, bool)> {
        let log = scratch().join(format!("{}.log", self.name));
        let problem = |error: std::io::Error| format!("{}: {error}", log.display());
        let file = File::create(&log).map_err(problem)?;
        let mut command = Command::new(&self.program);
        command.args(arguments).args(LIMITS).args(folders).env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
        let bytes = fs::read(&log).map_err(problem)?;
        Ok((String::from_utf8_lossy(&bytes).into_owned(), status.success()))
    }

    fn run(&self, seconds: u64) -> Result<Run> {
        let crashes = scratch().join("crashes").join(self.name);
        let corpus = self.corpus();
        for folder in [&crashes, &corpus] {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let arguments = [
            format!("-max_total_time={seconds}"),
            format!("-artifact_prefix={}/", crashes.display()),
            "-print_final_stats=1".to_owned(),
        ];
        let before = programs::processor_of_children();
        let start = Instant::now();
        let (log, is_clean) = self.start(&arguments, &[&corpus, &self.kept()])?;
        let seconds = start.elapsed().as_secs_f64();
        let processor = before.zip(programs::processor_of_children()).map(|(before, after)| after - before);
        let executions = statistic(&log, "number_of_executed_units");
        let crash = (!is_clean).then(|| self.crash(&log));
        let executions = match (executions, &crash) {
            (Some(executions), _) => executions,
            (None, Some(_)) => 0,
            (None, None) => return Err(format!("{}: expected libFuzzer's statistics", self.name)),
        };
        Ok(Run { executions, seconds, processor, crash })
    }

    /// Describes a failed run by its standard error.
    fn crash(&self, log: &str) -> String {
        let tells = |line: &&str| line.contains("panicked at") || line.contains("ERROR: libFuzzer");
        let why: Vec<&str> = log.lines().skip_while(|line| !tells(line)).take(8).collect();
        let input =
            log.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
        let again = match input {
            Some(path) => format!("again: {} {path}", self.program.display()),
            None => format!("its output: {}", scratch().join(format!("{}.log", self.name)).display()),
        };
        format!("{}:\n{}\n{again}", self.name, why.join("\n"))
    }

    /// Replaces the kept corpus with the inputs that reach most places; gives their number.
    fn minimise(&self) -> Result<usize> {
        let (corpus, kept) = (self.corpus(), self.kept());
        let (smaller, control) = (scratch().join("smaller").join(self.name), scratch().join("control"));
        let problem = |error: std::io::Error| format!("{}: {error}", smaller.display());
        let _ = fs::remove_dir_all(&smaller);
        let _ = fs::remove_file(&control);
        fs::create_dir_all(&smaller).map_err(problem)?;
        let arguments = [
            "-set_cover_merge=1".to_owned(),
            // Places alone: how often each is reached is worth finding out, not keeping.
            "-use_counters=0".to_owned(),
            format!("-max_len={LONGEST}"),
            format!("-merge_control_file={}", control.display()),
        ];
        let (log, is_clean) = self.start(&arguments, &[&smaller, &kept, &corpus])?;
        if !is_clean {
            return Err(self.crash(&log));
        }
        let control =
            fs::read_to_string(&control).map_err(|error| format!("{}: {error}", control.display()))?;
        let mut inputs = Vec::new();
        for path in best(&control, KEPT) {
            let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            inputs.push(bytes[..bytes.len().min(LONGEST)].to_vec());
        }
        if inputs.is_empty() {
            return Err(format!("{}: no input was found that is worth keeping", self.name));
        }
        // Inputs with a name once broke something, and stay.
        for path in files(&kept)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.bytes().all(|byte| byte.is_ascii_digit()) {
                fs::remove_file(&path).map_err(problem)?;
            }
        }
        for (index, input) in inputs.iter().enumerate() {
            fs::write(kept.join(format!("{index:02}")), input).map_err(problem)?;
        }
        Ok(inputs.len())
    }
}

/// Of the files that libFuzzer names at the start of a control file, those that reach most, the best one first:
/// each adds most to those before it.
fn best(control: &str, count: usize) -> Vec<&str> {
    let mut lines = control.lines();
    let files = lines.next().and_then(|count| count.parse().ok()).unwrap_or(0);
    let names: Vec<&str> = lines.skip(1).take(files).collect();
    let mut reached: Vec<HashSet<u32>> = vec![HashSet::new(); files];
    for line in control.lines().filter_map(|line| line.strip_prefix("FT ")) {
        let mut numbers = line.split_whitespace().map_while(|number| number.parse::<u32>().ok());
        if let Some(file) = numbers.next().and_then(|file| reached.get_mut(file as usize)) {
            file.extend(numbers);
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < count {
        // Of equal ones the first, so that the same files give the same choice.
        let most = (0..names.len()).rev().max_by_key(|&file| reached[file].len());
        let Some(file) = most.filter(|&file| !reached[file].is_empty()) else { break };
        chosen.push(names[file]);
        let new = std::mem::take(&mut reached[file]);
        reached.iter_mut().for_each(|others| others.retain(|place| !new.contains(place)));
    }
    chosen
}

/// A line such as `stat::number_of_executed_units: 4096`.
fn statistic(log: &str, name: &str) -> Option<u64> {
    let line = log.lines().rev().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name))?;
    line.trim_start_matches(':').trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_found_among_other_lines() {
        let log = "#8 NEW cov: 3\nstat::number_of_executed_units: 4096\nstat::peak_rss_mb: 30\n";
        assert_eq!(statistic(log, "number_of_executed_units"), Some(4096));
        assert_eq!(statistic(log, "peak_rss_mb"), Some(30));
        assert_eq!(statistic(log, "slowest_unit_time_sec"), None);
    }

    #[test]
    fn the_best_inputs_add_most() {
        let control = "3\n1\na\nb\nc\nSTARTED 0 4\nFT 0 1 2\nCOV 0 1\nFT 1 2 3 4\nFT 2 3 4\n";
        assert_eq!(best(control, 1), ["b"]);
        assert_eq!(best(control, 3), ["b", "a"]);
        assert_eq!(best("", 3), [""; 0]);
    }

    #[test]
    fn a_crash_is_told_with_its_input() {
        let target = Target { name: "json", program: "target/json".into() };
        let log = "INFO: Seed: 1\nthread '<unnamed>' panicked at src/json.rs:1:1:\nno\n==1== ERROR: libFuzzer: deadly signal\n\
                    artifact_prefix='c/'; Test unit written to c/crash-1\n";
        let shown = target.crash(log);
        assert!(shown.starts_with("json:\nthread '<unnamed>' panicked at src/json.rs:1:1:\nno\n"), "{shown}");
        assert!(shown.ends_with("again: target/json c/crash-1"), "{shown}");
    }

    #[test]
    fn every_target_is_a_program() {
        let manifest = fs::read_to_string(programs::root().join("tests/fuzz/Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert!(targets.len() >= 7, "{targets:?}");
        for target in targets {
            assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
            assert!(
                !files(&programs::root().join("tests/fuzz/corpus").join(&target)).unwrap().is_empty(),
                "{target}"
            );
        }
    }
}
