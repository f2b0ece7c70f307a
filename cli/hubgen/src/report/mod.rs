//! `hubgen report`: which objects a release of Kubernetes does not serve, wherever they lie.
//!
//! [`judge`] knows what is wrong with a version; others find the objects: in [`texts`], in [`charts`], and in a [`cluster`].
//! [`text`], [`json`] and [`sarif`] print what was found.

mod args;
mod charts;
mod cluster;
mod definitions;
mod edits;
mod finding;
mod json;
mod judge;
mod sarif;
mod text;
mod texts;

use std::process::ExitCode;

use hubgen_migrate::{Known, releases};
use hubgen_model::Release;
use hubgen_terminal::{FAILURE, Messages, print, println};

pub use self::args::Args;
use self::args::Output;
use self::finding::Finding;
use self::judge::Judge;
use crate::convert::Patches;
use crate::input::{Input, origins_without};

/// What is found, while it is looked for.
struct Report<'a> {
    judge: &'a Judge<'a>,
    messages: Messages,
    findings: Vec<Finding>,
    /// Objects of known kinds.
    objects: usize,
    /// Objects of other kinds.
    unknown: usize,
}

/// Reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.output == Output::Json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let newest = releases(&known.scheme).map_or(Release::new(1, 0), |[_, newest]| newest);
    let judge = match Judge::new(&known, args.target.unwrap_or(newest)) {
        Ok(judge) => judge,
        Err(error) => return crate::usage("report", &format!("--target {error}")),
    };
    let mut report = Report { judge: &judge, messages, findings: Vec::new(), objects: 0, unknown: 0 };
    if !args.paths.is_empty() || !args.cluster.is_read {
        report.paths(args);
    }
    if args.cluster.is_read {
        report.cluster(&args.cluster);
    }
    report.print(args)
}

impl Report<'_> {
    /// Reports on files, folders and charts.
    fn paths(&mut self, args: &Args) {
        let mut charts = Vec::new();
        let (origins, errors) = origins_without(&args.paths, &mut |path| {
            let is_chart = charts::is_chart(path);
            if is_chart {
                charts.push(path.to_path_buf());
            }
            is_chart
        });
        errors.iter().for_each(|error| self.messages.report(error));
        let mut patches = Patches::default();
        for origin in &origins {
            match Input::read(origin) {
                Ok(input) => self.file(&input, patches.has(origin)),
                Err(error) => self.messages.report(&error),
            }
        }
        charts.iter().for_each(|chart| self.chart(chart, args));
    }

    /// Prints what was found; the exit code tells whether it fails.
    fn print(mut self, args: &Args) -> ExitCode {
        let fails =
            self.messages.errors > 0 || self.findings.iter().any(|finding| args.fail_on.has(finding.level()));
        match args.output {
            Output::Text => {
                print!("{}", text::findings(&self.findings));
                self.messages.note(&text::summary(&self));
            }
            Output::Json => println!("{}", json::report(&mut self, !fails)),
            Output::Sarif => println!("{}", sarif::log(&self.findings, self.messages.errors == 0)),
        }
        if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
    }
}
