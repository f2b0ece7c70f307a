//! Prints to standard output and standard error. Where nobody reads any more, as after `| head`, it prints nothing: the
//! macros of the standard library panic then.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process;

use crate::FAILURE;

/// Prints to standard output.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => { $crate::to_stdout(format_args!($($text)*)) };
}

/// Prints a line to standard output.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => { $crate::to_stdout(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints to standard error.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::to_stderr(format_args!($($text)*)) };
}

/// Prints a line to standard error.
#[macro_export]
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::to_stderr(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes to standard output; the macros call it. Ends the program if standard output cannot be written, such as to a
/// disk that is full.
pub fn to_stdout(text: Arguments<'_>) {
    if let Err(error) = unless_closed(io::stdout().lock().write_fmt(text)) {
        eprintln!("error: standard output cannot be written: {error}");
        process::exit(FAILURE.into());
    }
}

/// Writes to standard error; the macros call it. Where that fails, nobody is left to report it to.
pub fn to_stderr(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Accepts that the reader of a pipe has gone, because it has enough.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
