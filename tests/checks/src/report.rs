//! The result of a check, printed as text or JSON.

use std::process::ExitCode;

use serde_json::json;

/// The result of a check.
pub struct Report {
    /// What the check counts, in the plural: `golden objects`.
    pub what: &'static str,
    /// The number that passed.
    pub passed: usize,
    /// The number that was checked.
    pub total: usize,
    /// Further counts, for the last line.
    pub details: Vec<(&'static str, usize)>,
    /// The failures; of generated objects, the first per kind and version.
    pub failures: Vec<Failure>,
    /// Remarks, printed one per line.
    pub notes: Vec<String>,
}

/// One failure.
#[derive(Debug)]
pub struct Failure {
    /// The file or the kind.
    pub file: String,
    /// The field path in the object; empty for the whole object.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Report {
    /// Whether all passed, and there was something to check.
    pub fn is_success(&self) -> bool {
        self.passed == self.total && self.total > 0
    }

    /// The last line: `183 of 183 golden objects: 183 byte for byte, …`.
    pub fn summary(&self) -> String {
        let details: Vec<String> =
            self.details.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("{} of {} {}: {}", self.passed, self.total, self.what, details.join(", "))
    }

    /// Prints the result as lines or as a JSON object. Returns success if [`is_success`](Self::is_success).
    pub fn print(&self, as_json: bool) -> ExitCode {
        if as_json {
            println!("{}", self.json());
        } else {
            for Failure { file, path, message } in &self.failures {
                let path = if path.is_empty() { String::new() } else { format!(" {path}") };
                println!("{file}:{path}: {message}");
            }
            for note in &self.notes {
                println!("{note}");
            }
            println!("{}", self.summary());
        }
        self.code()
    }

    /// Prints the result as a JSON object with one more member.
    pub fn print_with(&self, name: &str, member: serde_json::Value) -> ExitCode {
        let mut out = self.json();
        out[name] = member;
        println!("{out}");
        self.code()
    }

    fn code(&self) -> ExitCode {
        if self.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn json(&self) -> serde_json::Value {
        let mut out = json!({
            "checked": self.what,
            "passed": self.passed,
            "total": self.total,
            "ok": self.is_success(),
            "failures": self.failures.iter().map(|Failure { file, path, message }| {
                json!({"file": file, "path": path, "message": message})
            }).collect::<Vec<_>>(),
            "notes": self.notes,
        });
        for (name, count) in &self.details {
            out[name.replace(' ', "_")] = (*count).into();
        }
        out
    }
}
