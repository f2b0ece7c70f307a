//! What it costs to list objects at another version than the stored one.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::{Report, Result};
use crate::programs::{compiler, run};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How many objects the lists have
    #[arg(long, value_name = "N", default_value_t = 1000)]
    objects: usize,
    /// A running kube-apiserver to measure beside hubgen's server; it must not serve Certificates of cert-manager
    #[arg(long, value_name = "URL", requires = "token")]
    against: Option<String>,
    /// The token of somebody who may do everything there
    #[arg(long, value_name = "TOKEN", requires = "against")]
    token: Option<String>,
}

/// Builds the program and lets it measure.
pub fn measure(args: &Args) -> Result<Report> {
    let program = build("bench-conversions", "default", "bench-conversions")?;
    let mut command = Command::new(program);
    command.arg(args.objects.to_string()).args(&args.against).args(&args.token);
    let (out, _) = run(&mut command)?;
    let figures: Value =
        serde_json::from_str(&out).map_err(|error| format!("the benchmark printed no JSON: {error}"))?;
    let versions = json!({"compiler": compiler()?});
    let mut text = versions_text(&versions);
    let _ = writeln!(
        text,
        "a list of {} Certificates, milliseconds; `ratio` is to the strategy None of the same server\n\n{:<18}{:<12}{:>10}{:>12}{:>8}",
        args.objects, "", "", "at v1", "at v1alpha2", "ratio"
    );
    for (server, ways) in figures.as_object().into_iter().flatten() {
        let other = |way: &Value| way["other"].as_f64().unwrap_or(f64::NAN);
        let same = other(&ways["None"]);
        for (way, figure) in ways.as_object().into_iter().flatten() {
            let stored = figure["stored"].as_f64().unwrap_or(f64::NAN);
            let _ = writeln!(
                text,
                "{server:<18}{way:<12}{stored:>10.1}{:>12.1}{:>8.2}",
                other(figure),
                other(figure) / same
            );
        }
    }
    Ok(Report { text, json: json!({"versions": versions, "objects": args.objects, "figures": figures}) })
}
