//! `hubgen completions`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap_complete::Shell;
use hubgen_terminal::{FAILURE, Messages};

use crate::convert::unwritable;

/// Print a script that completes commands and options in a shell.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Bash, for all later sessions:
    hubgen completions bash > ~/.local/share/bash-completion/completions/hubgen
  Zsh, into a folder of $fpath:
    hubgen completions zsh > ~/.zfunc/_hubgen
  Fish:
    hubgen completions fish > ~/.config/fish/completions/hubgen.fish

Exit codes:
  0  success
  1  standard output cannot be written
  2  wrong arguments")]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "hubgen", &mut script);
    match io::stdout().lock().write_all(&script) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Messages::print(false).report(&unwritable(&error));
            ExitCode::from(FAILURE)
        }
        _ => ExitCode::SUCCESS,
    }
}
