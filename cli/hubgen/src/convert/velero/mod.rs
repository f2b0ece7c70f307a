//! Backups of Velero: their objects are converted entry by entry.

mod objects;

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_migrate::Converter;
use hubgen_terminal::{Diagnostic, Messages};
use hubgen_velero::{Refusal, rewrite};

use self::objects::Objects;
use super::report::Report;
use super::{Args, finish, unwritable};
use crate::input::Origin;

/// What is done with a converted backup.
enum Goal {
    /// Nothing: what would change is listed.
    Check,
    /// It goes to standard output.
    Stream,
    /// It becomes a file; the one that it was read from, if that is to be kept where there are errors.
    File { path: PathBuf, is_in_place: bool },
}

/// Converts a backup, and reports.
pub fn run(args: &Args, backup: &Path, converter: &Converter<'_>, messages: Messages) -> ExitCode {
    let origin = Origin::of(Some(backup));
    let goal = match (&args.output_file, args.in_place, args.check, &origin) {
        (_, true, _, Origin::Stdin) => {
            let message = "--in-place needs a file: standard input cannot be written back";
            return crate::usage("convert", message);
        }
        (Some(path), ..) => Goal::File { path: path.clone(), is_in_place: false },
        (None, true, _, Origin::File(path)) => Goal::File { path: path.clone(), is_in_place: true },
        (None, false, true, _) => Goal::Check,
        (None, false, false, _) if io::stdout().is_terminal() => {
            let message =
                "a backup is not for a terminal: redirect standard output, or name a file with --output-file";
            return crate::usage("convert", message);
        }
        (None, false, false, _) => Goal::Stream,
    };
    let mut report = Report::new(messages);
    if let Err(error) = convert(args, &origin, &goal, converter, &mut report) {
        report.add(&error);
    }
    finish(args, report)
}

/// Converts a backup. An error is one of the backup as a whole, of which nothing is written.
fn convert(
    args: &Args,
    origin: &Origin,
    goal: &Goal,
    converter: &Converter<'_>,
    report: &mut Report,
) -> Result<(), Diagnostic> {
    let (input, mode): (Box<dyn Read>, _) = match origin {
        Origin::Stdin => (Box::new(io::stdin().lock()), None),
        Origin::File(path) => {
            let file = File::open(path).map_err(|error| origin.unreadable(&error))?;
            let mode = file.metadata().ok().map(|metadata| metadata.permissions());
            (Box::new(file), mode)
        }
    };
    report.files += 1;
    let space = goal.space();
    let mut objects = Objects { converter, report, shows_changes: args.check };
    let new = match rewrite(input, &space, &mut objects) {
        Ok(new) => new,
        Err(refusal) => {
            report.forget_changes(0);
            return Err(refused(origin, refusal));
        }
    };
    let changes = report.changes;
    match goal {
        Goal::File { is_in_place: true, .. } if report.errors() > 0 => {
            if changes > 0 {
                report.keep_file(&origin.path().display().to_string(), 0);
            }
            return Ok(());
        }
        Goal::File { is_in_place: true, .. } if changes == 0 => {}
        Goal::File { path, .. } => {
            // A link stays a link.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            let written = mode.map_or(Ok(()), |mode| new.as_file().set_permissions(mode));
            let written = written.and_then(|()| new.as_file().sync_all());
            let written = written.and_then(|()| new.persist(&path).map_err(|error| error.error).map(drop));
            written.map_err(|error| {
                let help = "what was there is as it was; check the permissions of the folder, and free space";
                Diagnostic::file(&path, format!("cannot be written: {error}"), help)
            })?;
        }
        Goal::Stream => {
            let copied = new.reopen().and_then(|mut file| io::copy(&mut file, &mut io::stdout().lock()));
            match copied {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(unwritable(&error)),
                _ => {}
            }
        }
        Goal::Check => {}
    }
    report.changed_files += usize::from(changes > 0);
    Ok(())
}

impl Goal {
    /// The folder for temporary files: that of the file they become, so that it can be replaced at once.
    fn space(&self) -> PathBuf {
        let Self::File { path, .. } = self else { return std::env::temp_dir() };
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        }
    }
}

fn refused(origin: &Origin, refusal: Refusal) -> Diagnostic {
    let file = origin.path();
    let error = Diagnostic::file(file, format!("{}; nothing was written", refusal.message), refusal.help);
    error.at(refusal.entry)
}
