//! What a test environment costs, and what its users are told, perhaps beside one of the real programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::root;

/// How often each side starts. The quickest start counts.
const TURNS: usize = 3;

/// What a user is told who lists objects without and with a role, in an environment that starts twice.
const TOLD: [&str; 4] = [FORBIDDEN, "listed", FORBIDDEN, "listed"];
const FORBIDDEN: &str = "configmaps is forbidden: User \"ada\" cannot list resource \"configmaps\" in API group \"\" in the namespace \
                         \"default\"";

/// The costs of one side.
struct Costs {
    start: f64,
    stop: f64,
    megabytes: f64,
    /// Those of each program.
    programs: String,
}

/// Starts a test environment, on both sides in turns. Returns lines that tell what it costs.
///
/// # Errors
/// If the program that measures cannot be built, or an environment does not start or tells its users something else.
pub fn measured(ours: &Path, theirs: Option<&Path>, scratch: &Path) -> Result<Vec<String>, String> {
    let program = build(scratch)?;
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        here.push(measure(&program, ours)?);
        there.extend(theirs.map(|theirs| measure(&program, theirs)).transpose()?);
    }
    let line = |name: &str, costs: &Costs| {
        let Costs { start, stop, megabytes, programs } = costs;
        format!(
            "{name}: started in {start:.2} s, stopped in {stop:.2} s, {megabytes:.0} MB in memory ({programs})"
        )
    };
    let here = quickest(here).ok_or("nothing was measured")?;
    let mut lines = vec![line("the test environment of hubgen", &here)];
    if let Some(there) = quickest(there) {
        lines.push(line("that of the real programs", &there));
        lines.push(format!(
            "ratios: {:.1} times as fast to start, {:.1} times less memory",
            there.start / here.start,
            there.megabytes / here.megabytes
        ));
    }
    Ok(lines)
}

fn build(scratch: &Path) -> Result<PathBuf, String> {
    let program = scratch.join("environment");
    let output = Command::new("go")
        .current_dir(root().join("tests/differential/environment"))
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .output()
        .map_err(|error| format!("go: {error}"))?;
    if output.status.success() {
        return Ok(program);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn measure(program: &Path, assets: &Path) -> Result<Costs, String> {
    let output = Command::new(program).env("KUBEBUILDER_ASSETS", assets).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", assets.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let told: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    if told["told"] != json!(TOLD) {
        return Err(format!(
            "{}: expected that users are told {TOLD:?}, found {}",
            assets.display(),
            told["told"]
        ));
    }
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let programs: Vec<(&str, f64)> = told["memory"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, megabytes)| (&**name, number(megabytes)))
        .collect();
    if programs.len() != 2 {
        return Err(format!("expected two programs, found {told}"));
    }
    let shown: Vec<String> =
        programs.iter().map(|(name, megabytes)| format!("{name} {megabytes:.0}")).collect();
    Ok(Costs {
        start: number(&told["start"]),
        stop: number(&told["stop"]),
        megabytes: programs.iter().map(|(_, megabytes)| megabytes).sum(),
        programs: shown.join(", "),
    })
}

fn quickest(costs: Vec<Costs>) -> Option<Costs> {
    costs.into_iter().min_by(|one, other| one.start.total_cmp(&other.start))
}
