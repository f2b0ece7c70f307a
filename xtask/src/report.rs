//! How commands end: with their result, or with what went wrong.

use std::process::ExitCode;

use hubgen_terminal::{Diagnostic, FAILURE, Messages};
use serde_json::json;

/// Reports errors, and that nothing was written; the exit code is that of a failure.
pub fn failed(messages: &mut Messages, errors: &[Diagnostic]) -> ExitCode {
    errors.iter().for_each(|error| messages.report(error));
    if messages.are_json() {
        println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
    } else {
        let plural = if errors.len() == 1 { "" } else { "s" };
        eprintln!("{} error{plural}; nothing was written", errors.len());
    }
    ExitCode::from(FAILURE)
}

/// Reports an error that has no place in a file; the exit code is that of a failure.
pub fn stopped(as_json: bool, message: String) -> ExitCode {
    let mut messages = Messages::new(as_json, false);
    messages.report(&Diagnostic::message(message, ""));
    if as_json {
        println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
    }
    ExitCode::from(FAILURE)
}
