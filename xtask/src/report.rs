//! How commands end that are not about documents.

use std::process::ExitCode;

use hubgen_terminal::{Diagnostic, FAILURE, Messages};
use serde_json::json;

/// Reports an error that has no place in a file; the exit code is that of a failure.
pub fn stopped(as_json: bool, message: String) -> ExitCode {
    let mut messages = Messages::new(as_json, false);
    messages.report(&Diagnostic::message(message, ""));
    if as_json {
        println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
    }
    ExitCode::from(FAILURE)
}
