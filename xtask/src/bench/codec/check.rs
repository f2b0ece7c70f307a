//! Counts our side of every row, and compares it with the committed counts, or
//! commits it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use serde_json::json;

use super::super::costs::{count, valgrind};
use super::super::objects::to_protobuf;
use super::super::{Report, Result};
use super::budget::{Budget, Count, Counts, Facts, changes, file, other_facts};
use super::{COPY_INTO, MEASURES, OURS, program, samples};
use crate::programs::{compiler, compiler_host, run};

/// The command that accepts new counts.
const ACCEPT: &str = "cargo xtask bench codec --accept";

/// An operation on an object, which is counted.
struct Row {
    name: String,
    /// `json/Pod`
    kind: String,
    file: PathBuf,
    operation: &'static str,
    runs: u32,
}

/// Fails where a count is not as it was committed. What cannot be compared here is named and left out.
pub fn check() -> Result<Report> {
    let committed = Budget::read(&file())?;
    if let Some(other) = other_facts(&committed.built_with, &built_with()?) {
        let text = format!("nothing was compared: {other}\n");
        return Ok(Report { text, json: json!({"ok": true, "compared": 0, "left_out": other}) });
    }
    let here = counted_with();
    let other = match &here {
        Some(here) => other_facts(&committed.counted_with, here),
        None => Some("valgrind is not installed".to_owned()),
    };
    let counts = counted(other.is_none())?;
    let changes = changes(&committed.counts, &counts);
    if !changes.is_empty() {
        return Err(format!(
            "{} of {} counts differ from benches/codec/counts.json:\n{}\nIf this is meant, run `{ACCEPT}`, and give the reason in the commit",
            changes.len(),
            counts.len(),
            changes.join("\n")
        ));
    }
    let text = match &other {
        None => format!("{} of {} rows are as committed\n", counts.len(), counts.len()),
        Some(other) => format!(
            "allocations of {} of {} rows are as committed; instructions were not compared: {other}\n",
            counts.len(),
            counts.len()
        ),
    };
    Ok(Report { text, json: json!({"ok": true, "compared": counts.len(), "left_out": other}) })
}

/// Counts anew, and writes the file.
pub fn accept() -> Result<Report> {
    let counted_with = counted_with().ok_or("expected valgrind, which counts instructions")?;
    let budget = Budget { built_with: built_with()?, counted_with, counts: counted(true)? };
    let path = file();
    let before = Budget::read(&path).map(|budget| budget.counts).unwrap_or_default();
    fs::write(&path, budget.text()).map_err(|error| format!("{}: {error}", path.display()))?;
    let changes = changes(&before, &budget.counts);
    let mut text = changes.join("\n");
    let _ = writeln!(text, "\n{} counts written, {} of them changed", budget.counts.len(), changes.len());
    let json = json!({"ok": true, "written": budget.counts.len(), "changes": changes});
    Ok(Report { text: text.trim_start().to_owned(), json })
}

fn facts<const N: usize>(facts: [(&str, String); N]) -> Facts {
    facts.map(|(key, value)| (key.to_owned(), value)).into()
}

fn built_with() -> Result<Facts> {
    Ok(facts([("compiler", compiler()?), ("platform", compiler_host()?)]))
}

/// `None` without valgrind.
fn counted_with() -> Option<Facts> {
    let library = run(Command::new("getconf").arg("GNU_LIBC_VERSION"));
    let library =
        library.map_or_else(|_| "another C library than GNU's".to_owned(), |(out, _)| out.trim().to_owned());
    // valgrind shows every processor with AVX2 as the same one.
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let vectors =
        if flags.split_whitespace().any(|flag| flag == "avx2") { "with AVX2" } else { "without AVX2" };
    Some(facts([
        ("c_library", library),
        ("processor", format!("{} {vectors}", std::env::consts::ARCH)),
        ("valgrind", valgrind()?),
    ]))
}

/// Counts our side of every row, on all processors at once: other work does not change counts.
fn counted(instructions: bool) -> Result<Counts> {
    let program = program(OURS)?;
    let rows = rows(&program)?;
    let rest = Mutex::new(rows.iter());
    let next = || rest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let worker = || -> Result<Counts> {
        let mut counts = Counts::new();
        while let Some(row) = next() {
            let arguments = [row.kind.clone().into(), row.file.clone().into(), row.operation.into()];
            let (instructions, allocations) = count(&program, &arguments, instructions, row.runs)?;
            let instructions = instructions.map(|count| count.round() as u64);
            counts.insert(row.name.clone(), Count { instructions, allocations: allocations.round() as u64 });
        }
        Ok(counts)
    };
    thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(worker)).collect();
        let counts =
            workers.into_iter().map(|worker| worker.join().map_err(|_| "counting panicked".to_owned())?);
        counts.collect::<Result<Vec<Counts>>>().map(|counts| counts.into_iter().flatten().collect())
    })
}

fn rows(program: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for sample in samples(None)? {
        let protobuf = to_protobuf(program, sample.kind, &sample.json)?;
        let operations = MEASURES.iter().map(|measure| (measure.format, measure.operation));
        for (format, operation) in operations.chain([("json", COPY_INTO)]) {
            rows.push(Row {
                name: format!("{}, {format} {operation}", sample.name),
                kind: format!("{format}/{}", sample.kind),
                file: if format == "json" { sample.json.clone() } else { protobuf.clone() },
                operation,
                // Fewer than to measure: counts repeat.
                runs: sample.runs.div_ceil(20),
            });
        }
    }
    Ok(rows)
}
