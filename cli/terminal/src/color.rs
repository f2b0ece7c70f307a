//! Whether messages are coloured.

use std::ffi::OsString;
use std::io;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;

/// The option `--color` of every command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Color {
    /// When to use colours. `auto` uses them on terminals, and respects the environment variables
    /// NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    #[arg(help_heading = "Global options")]
    pub color: clap::ColorChoice,
}

impl Color {
    /// Finds the option in the arguments of the process, and applies it. This comes before the arguments
    /// are parsed, so that the parser's own messages follow it too.
    pub fn apply() {
        let choice = chosen(std::env::args_os().skip(1)).unwrap_or(clap::ColorChoice::Auto);
        match choice {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        }
        .write_global();
    }

    /// Whether standard error gets colours.
    pub fn on_stderr() -> bool {
        AutoStream::choice(&io::stderr()) != ColorChoice::Never
    }
}

/// The last `--color WHEN` or `--color=WHEN`; what the parser refuses is not one.
fn chosen(arguments: impl Iterator<Item = OsString>) -> Option<clap::ColorChoice> {
    let mut found = None;
    let mut arguments = arguments.take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let when = match argument.to_str() {
            Some("--color") => arguments.next().and_then(|when| when.into_string().ok()),
            Some(text) => text.strip_prefix("--color=").map(str::to_owned),
            None => None,
        };
        found = when.and_then(|when| clap::ColorChoice::from_str(&when, false).ok()).or(found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_before_the_arguments_are_parsed() {
        use clap::ColorChoice::{Always, Never};
        for (arguments, expected) in [
            (&["serve"][..], None),
            (&["--color", "never", "serve"], Some(Never)),
            (&["serve", "--color=always"], Some(Always)),
            (&["--color=always", "--color=never"], Some(Never)),
            (&["--color=sometimes"], None),
            (&["convert", "--", "--color=never"], None),
        ] {
            let found = chosen(arguments.iter().map(OsString::from));
            assert_eq!(found, expected, "{arguments:?}");
        }
    }
}
