//! `hubgen convert`: manifests from one version to another.
//!
//! Objects are converted through the hub of their kind. In the text, only what the conversion changes is
//! edited: order, layout and comments stay where possible.

mod args;
mod diff;
mod heard;
mod kustomize;
mod releases;
mod report;
mod velero;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use hubgen_manifest::{Format, Stream, Text, replace};
use hubgen_migrate::{Converter, Known, Manifest};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress};

pub use self::args::Args;
use self::heard::Heard;
pub use self::kustomize::Patches;
use self::releases::Releases;
use self::report::Report;
use crate::input::{Input, Origin, origins};

/// Converts, and reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let target = match args.wanted.target(&known.scheme) {
        Ok(target) => target,
        Err(message) => return crate::usage("convert", &message),
    };
    let converter = Converter {
        known: &known,
        target: &target,
        drops_unknown: args.drop_unknown,
        help_for_unknown: if args.wanted.helm_release {
            "the cluster dropped it, too: do the same with --drop-unknown"
        } else {
            "correct its name, or drop such fields with --drop-unknown"
        },
    };
    if let Some(backup) = &args.velero_backup {
        return velero::run(args, backup, &converter, messages);
    }
    let (origins, errors) = origins(&args.paths);
    if args.writes() && origins.iter().any(|origin| matches!(origin, Origin::Stdin)) {
        return crate::usage(
            "convert",
            "--in-place and --pre-commit need files: standard input cannot be written back",
        );
    }
    // A bar would mix with a stream on the same terminal.
    let is_free = args.writes() || args.lists_changes() || !io::stdout().is_terminal();
    messages.progress = Progress::new(is_free && !args.json && !is_quiet);
    let bar = messages.progress.bar(origins.len(), "files");
    let mut report = Report::new(messages);
    errors.iter().for_each(|error| report.add(error));
    let mut stream = Stream::new(io::stdout().lock(), args.output.map(Format::from));
    let mut patches = Patches::default();
    let written = origins.iter().try_for_each(|origin| {
        let done = one(args, origin, &converter, &mut stream, &mut patches, &mut report);
        bar.step();
        done
    });
    drop(bar);
    if let Err(error) = written.and_then(|()| stream.finish()) {
        // The reader has enough, as `head` does.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        report.add(&unwritable(&error));
    }
    drop(stream);
    finish(args, report)
}

/// The end of the report, and the exit code.
fn finish(args: &Args, mut report: Report) -> ExitCode {
    let has_output = args.writes() || args.lists_changes() || args.output_file.is_some();
    let fails = report.errors() > 0 || ((args.check || args.pre_commit) && report.changes > 0);
    if args.json {
        let written =
            if has_output { report.write_json(io::stdout()) } else { report.write_json(io::stderr()) };
        if written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
            return ExitCode::from(FAILURE);
        }
    } else if !args.streams() {
        report.summary(args.check || args.diff);
    }
    if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
}

/// Standard output that cannot be written.
pub(crate) fn unwritable(error: &io::Error) -> Diagnostic {
    Diagnostic::message(format!("cannot write to standard output: {error}"), "")
}

/// What becomes of a template.
const PASSED: &str = "the file stays as it is: it seems to be a template; convert what it renders to";

/// Converts one input. An error is one of standard output, and ends the command.
fn one<W: Write>(
    args: &Args,
    origin: &Origin,
    converter: &Converter<'_>,
    stream: &mut Stream<W>,
    patches: &mut Patches,
    report: &mut Report,
) -> io::Result<()> {
    let input = match Input::read(origin) {
        Ok(input) => input,
        Err(error) => {
            report.add(&error);
            return Ok(());
        }
    };
    if args.pre_commit && !input.text().contains("apiVersion") {
        return Ok(());
    }
    report.files += 1;
    let (errors, changes) = (report.errors(), report.changes);
    let streams = args.streams();
    let mut whole = Text::default();
    let mut end = 0;
    if streams {
        stream.start_file();
    }
    let is_list = |document: &serde_json::Value| converter.is_list(document);
    let manifest = Manifest { text: input.text(), converter };
    let is_patch = patches.has(origin);
    let (shows_changes, drops_gone) = (args.lists_changes(), args.drop_gone);
    let releases = Releases { input: &input, converter, drops_gone, shows_changes };
    for piece in input.pieces(&is_list) {
        let piece = match piece {
            Ok(piece) => piece,
            Err(mistake) if args.pre_commit && input.text().contains("{{") => {
                let passed = Diagnostic { help: PASSED.to_owned(), ..input.mistake(&mistake).warning() };
                report.add(&passed);
                report.forget_changes(changes);
                return Ok(());
            }
            Err(mistake) => {
                report.add(&input.mistake(&mistake));
                break;
            }
        };
        let before = &input.text()[end..piece.bytes.start];
        let text = &input.text()[piece.bytes.clone()];
        end = piece.bytes.end;
        let errors = report.errors();
        let format = if streams { stream.format(piece.format) } else { piece.format };
        let mut heard = Heard { input: &input, shows_changes, report };
        let new = match is_patch {
            _ if args.wanted.helm_release => releases.document(&piece, format, heard.report),
            true => manifest.patch(&piece, format, &mut heard),
            false => manifest.document(&piece, format, &mut heard),
        };
        let is_left_out = report.errors() > errors;
        if args.makes_files() {
            whole.push_str(before);
            match new {
                Some(new) => whole.append(new),
                None => whole.push_str(text),
            }
        } else if streams && !is_left_out {
            let before = (format == piece.format).then_some(before);
            match (new, before) {
                (Some(new), before) => stream.write(format, before, new.parts())?,
                (None, Some(_)) => stream.write(format, before, [text])?,
                // It has no value to write in another format.
                (None, None) => {}
            }
        }
    }
    let rest = &input.text()[end..];
    if streams && report.errors() == errors {
        stream.rest(rest)?;
    }
    if report.changes == changes {
        return Ok(());
    }
    if args.makes_files() && report.errors() == errors {
        whole.push_str(rest);
        match origin {
            _ if args.diff => diff::write(stream.out(), &input, &whole)?,
            Origin::File(path) => {
                if let Err(error) = replace(path, &whole) {
                    let help = "the file is as it was; check its permissions, and free space";
                    report.add(&Diagnostic::file(path, format!("cannot be written: {error}"), help));
                }
            }
            Origin::Stdin => {}
        }
    }
    if args.makes_files() && report.errors() > errors {
        report.keep_file(&input.name, changes);
    } else {
        report.changed_files += 1;
    }
    Ok(())
}
