//! How long generation takes.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{Report, Result, least, median};
use crate::programs::{cargo, compiler, root, run, scratch, time};

/// Seconds within which the whole archive has to be generated.
const BAR: f64 = 3.0;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How often each is run
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// Measures new processes: a cold one writes into an empty folder, a warm one finds all files
/// written already. Both read schemas, format code and compare files.
pub fn measure(args: &Args) -> Result<Report> {
    run(cargo()
        .current_dir(root())
        .args(["build", "--release", "--package", "xtask"])
        .env("CARGO_TARGET_DIR", scratch()))?;
    let folder = scratch().join("generated");
    let generate = || {
        let mut command = Command::new(scratch().join("release/xtask"));
        command.current_dir(root()).args(["generate", "--json", "--out"]).arg(&folder);
        command
    };
    let mut cold = Vec::new();
    let mut warm = Vec::new();
    for _ in 0..args.runs {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        cold.push(time(&mut generate())?.wall);
        warm.push(time(&mut generate())?.wall);
    }
    let (summary, _) = run(&mut generate())?;
    let summary: Value =
        serde_json::from_str(&summary).map_err(|error| format!("xtask generate --json: {error}"))?;
    let compiler = compiler()?;
    let mut text = format!(
        "{compiler}, release build, {} runs each, seconds\n\n{:<8}{:>8}{:>8}\n",
        args.runs, "", "least", "median"
    );
    for (name, runs) in [("cold", &cold), ("warm", &warm)] {
        let _ = writeln!(text, "{name:<8}{:>8.2}{:>8.2}", least(runs), median(runs));
    }
    let verdict = if median(&cold) < BAR { "held" } else { "missed" };
    let _ = writeln!(
        text,
        "\n{} files, {} types; under {BAR} s cold: {verdict}",
        summary["files"], summary["types"]
    );
    let row = |runs: &[f64]| json!({"least": least(runs), "median": median(runs), "runs": runs});
    let json = json!({
        "compiler": compiler,
        "cold": row(&cold),
        "warm": row(&warm),
        "bar": BAR,
        "held": median(&cold) < BAR,
        "summary": summary,
    });
    Ok(Report { text, json })
}
