//! How the commands talk to people and to programs.
//!
//! [`Messages`] prints diagnostics while a command runs, or collects them for `--json`. [`Progress`]
//! draws bars, on terminals only. [`Color`] is the option `--color` of every command. [`print!`], [`println!`],
//! [`eprint!`] and [`eprintln!`] print as those of the standard library do, but end quietly on a closed pipe.

mod alike;
mod color;
mod json;
mod messages;
mod picture;
mod print;
mod progress;

pub use hubgen_diagnostic::{Diagnostic, Severity, Source};

pub use self::color::Color;
pub use self::json::to_json;
pub use self::messages::{Messages, counted};
pub use self::picture::{Look, line, picture};
pub use self::print::{to_stderr, to_stdout};
pub use self::progress::{Bar, Progress};

/// The exit code of a command whose input is wrong, or that found what it looked for.
pub const FAILURE: u8 = 1;

/// The exit code of a command that was called the wrong way.
pub const USAGE: u8 = 2;
