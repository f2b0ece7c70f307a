//! `hubgen man`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;
use hubgen_terminal::{Diagnostic, FAILURE, Messages};

use crate::convert::unwritable;

/// Write the manual pages.
///
/// Prints the page of `hubgen`, or writes this page and one for each command into a folder.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Read the page of hubgen:
    hubgen man | man -l -
  Write all pages where `man` finds them:
    hubgen man --out ~/.local/share/man/man1

Exit codes:
  0  success
  1  a page cannot be written
  2  wrong arguments")]
pub struct Args {
    /// The folder for the pages; created if it is missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a page, or writes all of them.
pub fn run(args: &Args) -> ExitCode {
    let done = match &args.out {
        Some(folder) => write_all(folder),
        None => print(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            Messages::print(false).report(&error);
            ExitCode::from(FAILURE)
        }
    }
}

/// The commands that have pages.
fn pages() -> clap::Command {
    crate::Args::command().disable_help_subcommand(true)
}

fn print() -> Result<(), Diagnostic> {
    let mut page = Vec::new();
    let written = Man::new(pages()).render(&mut page).and_then(|()| io::stdout().lock().write_all(&page));
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

fn write_all(folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(pages(), folder)).map_err(|error| {
        let message = format!("the pages cannot be written: {error}");
        Diagnostic::file(folder, message, "choose another folder with --out")
    })
}
