//! Runs kubectl, and tells apart what it answers.

use std::fmt;
use std::io;
use std::process::{Command, Stdio};

use serde::de::DeserializeOwned;

use crate::cluster::Cluster;
use crate::failure::{Cause, Failure};

/// How long kubectl waits for one answer. A server gives up after a minute.
const PATIENCE: &str = "--request-timeout=5m";

/// What kubectl prints to ask for a login, where the kubeconfig has none.
const ASKS: &str = "Please enter Username: ";

/// What kubectl prints where it finds no cluster in its configuration, or no file, as the systems name the question for one.
const NOT_CONFIGURED: [&str; 8] = [
    "localhost:8080",
    "error loading config file",
    "invalid configuration",
    "no configuration has been provided",
    "error: stat ",
    "error: open ",
    "error: GetFileAttributesEx ",
    "error: CreateFile ",
];

/// How many characters of an answer that is not understood are shown.
const SHOWN: usize = 60;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The server answered with an error.
    Server(Status),
    /// The answer is not what it should be.
    NotUnderstood(String),
    /// Nothing more can be asked.
    Fatal(Failure),
}

/// An error of the server, as kubectl prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// `Forbidden`; empty where the server gives none.
    pub reason: String,
    /// The server's own words.
    pub message: String,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, message } = self;
        if reason.is_empty() { f.write_str(message) } else { write!(f, "{message} ({reason})") }
    }
}

impl Cluster {
    /// The body of the answer to a GET request.
    pub(crate) fn get(&self, path: &str) -> Result<Vec<u8>, Mishap> {
        let mut command = Command::new(&self.kubectl);
        command.args(self.options()).args(["get", PATIENCE, "--raw", path]);
        // Preferences of the user can give `get` options that exclude `--raw`.
        command.env("KUBECTL_KUBERC", "false").env("KUBERC", "off");
        let output = command.stdin(Stdio::null()).output().map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let mut told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.stdout.starts_with(ASKS.as_bytes()) {
            // The error is only that nobody answers.
            told.insert_str(0, ASKS);
        }
        let told = told.trim();
        if let Some(status) = status(told) {
            return Err(Mishap::Server(status));
        }
        let nothing = format!("it ended with {}, and printed no error", output.status);
        let told = if told.is_empty() { &nothing } else { told };
        Err(Mishap::Fatal(Failure::new(self, cause(told), path, told)))
    }

    fn not_started(&self, error: &io::Error) -> Mishap {
        let program = self.kubectl.display();
        let is_name = self.kubectl.components().count() == 1;
        let message = match error.kind() {
            io::ErrorKind::NotFound if is_name => {
                format!("expected the program {program} in a folder of the PATH, found none")
            }
            io::ErrorKind::NotFound => format!("{program}: expected a program, found no file"),
            _ => format!("{program}: the program cannot be started: {error}"),
        };
        let help =
            "install kubectl (https://kubernetes.io/docs/tasks/tools/), or give the path of the program";
        Mishap::Fatal(Failure { cause: Cause::NotInstalled, message, help: help.to_owned() })
    }
}

impl Mishap {
    /// What it means that there is no answer at a path without which nothing can be read.
    pub fn without(self, path: &str, cluster: &Cluster) -> Failure {
        let cause = match &self {
            Self::Fatal(failure) => return failure.clone(),
            Self::NotUnderstood(_) => Cause::NotUnderstood,
            Self::Server(status) if status.message.contains(r#"User "system:anonymous""#) => {
                Cause::NotLoggedIn
            }
            Self::Server(_) => Cause::Refused,
        };
        Failure::new(cluster, cause, path, &self.to_string())
    }
}

impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(status) => status.fmt(f),
            Self::NotUnderstood(message) => f.write_str(message),
            Self::Fatal(failure) => failure.fmt(f),
        }
    }
}

/// Reads an answer.
pub fn parsed<T: DeserializeOwned>(answer: &[u8], expected: &str) -> Result<T, Mishap> {
    serde_json::from_slice(answer).map_err(|error| {
        let mut found: String = String::from_utf8_lossy(answer).chars().take(SHOWN + 1).collect();
        if found.chars().count() > SHOWN {
            found.pop();
            found.push('…');
        }
        Mishap::NotUnderstood(format!("expected {expected} in JSON, found `{}`: {error}", found.trim()))
    })
}

/// The server's error in what kubectl printed, which can begin with warnings. `None` if it is not one of the server.
fn status(told: &str) -> Option<Status> {
    const START: &str = "Error from server";
    let at = if told.starts_with(START) { 0 } else { told.find(&format!("\n{START}"))? + 1 };
    let rest = &told[at + START.len()..];
    let (reason, message) = match rest.strip_prefix(" (") {
        Some(rest) => rest.split_once("): ")?,
        None => ("", rest.strip_prefix(": ")?),
    };
    Some(Status { reason: reason.to_owned(), message: message.to_owned() })
}

/// Why kubectl has no answer, by what it printed.
fn cause(told: &str) -> Cause {
    let has = |words: &[&str]| words.iter().any(|word| told.contains(word));
    if has(&["You must be logged in to the server", "getting credentials", ASKS]) {
        Cause::NotLoggedIn
    } else if has(&NOT_CONFIGURED) || (told.contains("error: ") && told.ends_with(" does not exist")) {
        Cause::NotConfigured
    } else if has(&["Unable to connect to the server", "The connection to the server"]) {
        Cause::Unreachable
    } else {
        Cause::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As kubectl 1.27 to 1.33 print them.
    #[test]
    fn causes_are_told_apart() {
        for (told, expected) in [
            (
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
                Cause::NotConfigured,
            ),
            ("error: stat /nope: no such file or directory", Cause::NotConfigured),
            (r#"error: context "nope" does not exist"#, Cause::NotConfigured),
            (
                r#"error: error loading config file "c": yaml: line 1: did not find expected node content"#,
                Cause::NotConfigured,
            ),
            (
                "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
                Cause::Unreachable,
            ),
            (
                "Unable to connect to the server: dial tcp: lookup no-such-host.invalid on 10.0.0.1:53: no such host",
                Cause::Unreachable,
            ),
            (
                "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
                Cause::Unreachable,
            ),
            (
                "Unable to connect to the server: getting credentials: exec: executable no-such-login not found\n\nIt looks like",
                Cause::NotLoggedIn,
            ),
            ("error: You must be logged in to the server (Unauthorized)", Cause::NotLoggedIn),
            ("Please enter Username: error: EOF", Cause::NotLoggedIn),
            ("error: unexpected EOF", Cause::Other),
        ] {
            assert_eq!(status(told), None, "{told}");
            assert_eq!(cause(told), expected, "{told}");
        }
    }

    #[test]
    fn errors_of_the_server_are_found() {
        let status = |told: &str| status(told).map(|status| (status.reason, status.message));
        let expected = |reason: &str, message: &str| Some((reason.to_owned(), message.to_owned()));
        let forbidden = r#"pods is forbidden: User "ada" cannot list resource "pods" in API group """#;
        assert_eq!(
            status(&format!("Error from server (Forbidden): {forbidden}")),
            expected("Forbidden", forbidden)
        );
        assert_eq!(
            status(&format!("Warning: v1 X is deprecated\nError from server (Forbidden): {forbidden}")),
            expected("Forbidden", forbidden)
        );
        assert_eq!(status("Error from server: two\nlines"), expected("", "two\nlines"));
        assert_eq!(status("see: Error from server (Forbidden): no"), None);
    }
}
