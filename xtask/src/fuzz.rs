//! `cargo xtask fuzz`: builds the targets of `fuzz/`, runs each for a while, and says what came of it.
//!
//! libFuzzer needs no other toolchain than the pinned one: the compiler's own pass counts what is reached. There is no
//! unsafe code to look for with a sanitizer; panics end a run, and so do the memory and the time that an input takes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::bench::programs;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Targets, as the files in `fuzz/fuzz_targets` are called; all of them without any.
    targets: Vec<String>,
    /// How long each target runs, after what is in its corpus.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Afterwards, make of all that was found the smallest corpus that reaches as much, in `fuzz/corpus`.
    #[arg(long)]
    minimise: bool,
}

type Result<T> = std::result::Result<T, String>;

/// What makes a program count the places that it reaches and the values that it compares, for libFuzzer.
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

/// Fuzzes and prints.
pub fn run(args: &Args) -> ExitCode {
    match fuzz(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing was found.
fn fuzz(args: &Args) -> Result<bool> {
    let known = targets()?;
    let wanted = if args.targets.is_empty() { &known } else { &args.targets };
    if let Some(strange) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(format!("expected one of the targets {}, found {strange}", known.join(", ")));
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
    let folder = programs::root().join("fuzz/fuzz_targets");
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

/// Where everything goes that fuzzing makes.
fn scratch() -> PathBuf {
    programs::root().join("target/fuzz")
}

/// Builds targets; gives the folder in which they are.
fn build(targets: &[String]) -> Result<PathBuf> {
    let host = programs::compiler_host()?;
    let mut command = programs::cargo();
    command.args(["build", "--release", "--locked", "--target", &host]);
    command.args(["--manifest-path", "fuzz/Cargo.toml", "--target-dir"]).arg(scratch());
    command.args(targets.iter().flat_map(|target| ["--bin", target]));
    // Flags that only what is run gets, not what builds it, because a target is named.
    command.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")).current_dir(programs::root());
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the targets were not built ({status}); libFuzzer needs a C++ compiler: g++ or clang++"
        ));
    }
    Ok(scratch().join(host).join("release"))
}

struct Target<'a> {
    name: &'a str,
    program: PathBuf,
}

/// What came of a run.
struct Run {
    executions: u64,
    seconds: f64,
    processor: Option<f64>,
    /// What was found, and how to see it again.
    crash: Option<String>,
}

impl Target<'_> {
    /// All that was ever found here.
    fn corpus(&self) -> PathBuf {
        scratch().join("corpus").join(self.name)
    }

    /// The few inputs that are kept.
    fn kept(&self) -> PathBuf {
        programs::root().join("fuzz/corpus").join(self.name)
    }

    /// Starts libFuzzer, which says everything on standard error; gives that, and whether it ended well.
    fn start(&self, arguments: &[String], folders: &[&Path]) -> Result<(String, bool)> {
        let log = scratch().join(format!("{}.log", self.name));
        let problem = |error: std::io::Error| format!("{}: {error}", log.display());
        let file = File::create(&log).map_err(problem)?;
        let mut command = Command::new(&self.program);
        command.args(arguments).args(LIMITS).args(folders).env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
        let said = fs::read(&log).map_err(problem)?;
        Ok((String::from_utf8_lossy(&said).into_owned(), status.success()))
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
        let (said, is_clean) = self.start(&arguments, &[&corpus, &self.kept()])?;
        let seconds = start.elapsed().as_secs_f64();
        let processor = before.zip(programs::processor_of_children()).map(|(before, after)| after - before);
        let executions = statistic(&said, "number_of_executed_units");
        let crash = (!is_clean).then(|| self.crash(&said));
        let executions = match (executions, &crash) {
            (Some(executions), _) => executions,
            (None, Some(_)) => 0,
            (None, None) => return Err(format!("{}: expected libFuzzer's statistics", self.name)),
        };
        Ok(Run { executions, seconds, processor, crash })
    }

    /// What a run that failed has said of it.
    fn crash(&self, said: &str) -> String {
        let tells = |line: &&str| line.contains("panicked at") || line.contains("ERROR: libFuzzer");
        let why: Vec<&str> = said.lines().skip_while(|line| !tells(line)).take(8).collect();
        let input =
            said.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
        let again = match input {
            Some(path) => format!("again: {} {path}", self.program.display()),
            None => format!("all that it said: {}", scratch().join(format!("{}.log", self.name)).display()),
        };
        format!("{}:\n{}\n{again}", self.name, why.join("\n"))
    }

    /// Replaces the kept corpus with as few inputs as reach all places that any input reaches; gives their number.
    fn minimise(&self) -> Result<usize> {
        let (corpus, kept) = (self.corpus(), self.kept());
        let smaller = scratch().join("smaller").join(self.name);
        let problem = |error: std::io::Error| format!("{}: {error}", smaller.display());
        let _ = fs::remove_dir_all(&smaller);
        fs::create_dir_all(&smaller).map_err(problem)?;
        // Places alone: how often each is reached is worth finding out, not keeping.
        let arguments = ["-set_cover_merge=1", "-use_counters=0", "-max_len=512"].map(str::to_owned);
        let (said, is_clean) = self.start(&arguments, &[&smaller, &kept, &corpus])?;
        if !is_clean {
            return Err(self.crash(&said));
        }
        let found = files(&smaller)?;
        if found.is_empty() {
            return Err(format!("{}: expected inputs to keep, found none", self.name));
        }
        fs::remove_dir_all(&kept).and_then(|()| fs::create_dir_all(&kept)).map_err(problem)?;
        for path in &found {
            fs::copy(path, kept.join(path.file_name().unwrap_or_default())).map_err(problem)?;
        }
        Ok(found.len())
    }
}

/// A line such as `stat::number_of_executed_units: 4096`.
fn statistic(said: &str, name: &str) -> Option<u64> {
    let line = said.lines().rev().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name))?;
    line.trim_start_matches(':').trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_found_among_other_lines() {
        let said = "#8 NEW cov: 3\nstat::number_of_executed_units: 4096\nstat::peak_rss_mb: 30\n";
        assert_eq!(statistic(said, "number_of_executed_units"), Some(4096));
        assert_eq!(statistic(said, "peak_rss_mb"), Some(30));
        assert_eq!(statistic(said, "slowest_unit_time_sec"), None);
    }

    #[test]
    fn a_crash_is_told_with_its_input() {
        let target = Target { name: "json", program: "target/json".into() };
        let said = "INFO: Seed: 1\nthread '<unnamed>' panicked at src/json.rs:1:1:\nno\n==1== ERROR: libFuzzer: deadly signal\n\
                    artifact_prefix='c/'; Test unit written to c/crash-1\n";
        let told = target.crash(said);
        assert!(told.starts_with("json:\nthread '<unnamed>' panicked at src/json.rs:1:1:\nno\n"), "{told}");
        assert!(told.ends_with("again: target/json c/crash-1"), "{told}");
    }

    #[test]
    fn every_target_is_a_program() {
        let manifest = fs::read_to_string(programs::root().join("fuzz/Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert!(targets.len() >= 7, "{targets:?}");
        for target in targets {
            assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
            assert!(
                !files(&programs::root().join("fuzz/corpus").join(&target)).unwrap().is_empty(),
                "{target}"
            );
        }
    }
}
