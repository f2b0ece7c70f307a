//! What a check found, and how it is printed.

use std::process::ExitCode;

use serde_json::json;

/// What a check found.
pub struct Report {
    /// What was checked, in the plural: `golden objects`.
    pub what: &'static str,
    /// How many of them held.
    pub held: usize,
    /// How many there were.
    pub total: usize,
    /// What else was counted, for the last line.
    pub details: Vec<(&'static str, usize)>,
    /// What did not hold.
    pub failures: Vec<Failure>,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
}

/// One thing that did not hold.
#[derive(Debug)]
pub struct Failure {
    /// The file or the kind.
    pub file: String,
    /// Where in the object; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Report {
    /// Whether all held, and there was something to check.
    pub fn holds(&self) -> bool {
        self.held == self.total && self.total > 0
    }

    /// The last line: `183 of 183 golden objects: 183 byte for byte, …`.
    pub fn summary(&self) -> String {
        let details: Vec<String> =
            self.details.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("{} of {} {}: {}", self.held, self.total, self.what, details.join(", "))
    }

    /// Prints all of it, as lines or as an object of JSON. Success is that it holds.
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
        if self.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn json(&self) -> serde_json::Value {
        let mut out = json!({
            "checked": self.what,
            "held": self.held,
            "total": self.total,
            "ok": self.holds(),
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
