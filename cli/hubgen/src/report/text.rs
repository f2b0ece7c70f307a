//! The report for people.

use std::fmt::Write;

use hubgen_migrate::Note;
use hubgen_terminal::{Severity, counted};

use super::Report;
use super::edits::Edit;
use super::finding::{Finding, Place, Rule};

/// How many edits of an object are shown.
const SHOWN: usize = 6;

/// The findings, each with what there is to know about it below.
pub fn findings(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        // A text takes all that is written to it.
        let _ = one(&mut out, finding);
    }
    out
}

fn one(out: &mut String, finding: &Finding) -> std::fmt::Result {
    let becomes = finding.becomes();
    let arrow = match &finding.to {
        Some(_) => format!(" → {becomes}"),
        None => String::new(),
    };
    writeln!(out, "{}: {}{arrow}", place(&finding.place), finding.object())?;
    let level = match finding.level() {
        Severity::Error => "",
        Severity::Warning => "warning: ",
    };
    let use_instead = if finding.to.is_none() && !becomes.is_empty() {
        format!("; use instead: {becomes}")
    } else {
        String::new()
    };
    writeln!(out, "  {level}{}{use_instead}", finding.when())?;
    if let Some(written) = &finding.written {
        writeln!(out, "  written by {written}")?;
    }
    match &finding.written {
        _ if !finding.is_history => {}
        Some(_) => writeln!(out, "  others have written it since, at a version that is served")?,
        None => writeln!(out, "  in a revision that only a rollback needs")?,
    }
    if finding.to_is_disabled {
        writeln!(out, "  {becomes} is served only where it is enabled")?;
    }
    if finding.rule == Rule::OldReference {
        writeln!(out, "  only named here: change it by hand")?;
    }
    for edit in finding.edits.iter().take(SHOWN) {
        writeln!(out, "  {}", sentence(edit))?;
    }
    if let Some(more) = finding.edits.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(out, "  and {more} more changes: see `hubgen convert --diff`")?;
    }
    for Note { path, message, help, .. } in &finding.problems {
        let at = if path.is_empty() { String::new() } else { format!("{path}: ") };
        writeln!(out, "  cannot be converted: {at}{message}")?;
        if !help.is_empty() {
            writeln!(out, "    help: {help}")?;
        }
    }
    Ok(())
}

/// A place as compilers write it.
pub fn place(place: &Place) -> String {
    let Place { file, line, within, path, .. } = place;
    let mut parts = Vec::new();
    if !file.is_empty() {
        parts.push(if *line > 0 { format!("{file}:{line}") } else { file.clone() });
    }
    parts.extend([within, path].into_iter().filter(|part| !part.is_empty()).cloned());
    parts.join(": ")
}

/// A change of a field, as a sentence.
pub fn sentence(edit: &Edit) -> String {
    match edit {
        Edit::Moved { from, path } => format!("moves {from} to {path}"),
        Edit::Added { path, is } => format!("adds {path}: {is}"),
        Edit::Removed { path, was } => format!("removes {path}: {was}"),
        Edit::Changed { path, was, is } => format!("changes {path} from {was} to {is}"),
    }
}

/// The last line for people.
pub fn summary(report: &Report<'_>) -> String {
    let of = |level: Severity| report.findings.iter().filter(move |finding| finding.level() == level);
    let (errors, warnings) = (of(Severity::Error).count(), of(Severity::Warning).count());
    let failing = of(Severity::Error).filter(|finding| is_by_hand(finding)).count();
    let mut parts = vec![match failing {
        0 => format!("{errors} must change before {}", report.judge.release),
        failing => format!("{errors} must change before {}, {failing} of them by hand", report.judge.release),
    }];
    parts.push(counted(warnings, "warning"));
    parts.push(format!("{} of Kubernetes", counted(report.objects, "object")));
    if report.unknown > 0 {
        parts.push(format!("{} of other kinds", report.unknown));
    }
    if report.messages.errors > 0 {
        parts.push(format!("{} could not be read", counted(report.messages.errors, "input")));
    }
    parts.join("; ")
}

/// Whether `hubgen convert` cannot do it.
fn is_by_hand(finding: &Finding) -> bool {
    finding.to.is_none() || finding.rule == Rule::UnknownVersion || !finding.problems.is_empty()
}
