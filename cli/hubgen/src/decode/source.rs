//! Where values come from: an input that is read as a whole, or a snapshot of etcd.

use std::path::{Path, PathBuf};

use hubgen_stored::{Finding, Snapshot, Stored, Values};
use hubgen_terminal::{Diagnostic, Messages};
use serde_json::{Value, json};

use super::Args;
use crate::input::Origin;

/// The values to decode.
pub struct Source {
    /// The file, for messages about values without a key.
    pub path: PathBuf,
    /// The values. An error ends them.
    pub values: Box<dyn Iterator<Item = Result<Stored, Finding>>>,
    /// How many they are.
    pub count: usize,
    /// Which state of a snapshot they are, for the report in JSON.
    pub state: Option<Value>,
}

impl Source {
    /// The values that the arguments name. What is wrong with a snapshot that can be read goes to the
    /// messages.
    pub fn of(args: &Args, messages: &mut Messages) -> Result<Self, Diagnostic> {
        match &args.snapshot {
            Some(path) => Self::of_snapshot(path, args, messages),
            None => Self::of_input(args.file.as_deref()),
        }
    }

    fn of_input(file: Option<&Path>) -> Result<Self, Diagnostic> {
        let origin = Origin::of(file);
        let bytes = origin.read()?;
        let path = origin.path().to_path_buf();
        if bytes.is_empty() {
            return Err(Diagnostic::file(path, "expected bytes, found none", ""));
        }
        let values = Values::parse(&bytes).map_err(|finding| super::diagnostic(finding, &path))?;
        let count = values.iter().count();
        Ok(Self { path, values: Box::new(values.into_iter().map(Ok)), count, state: None })
    }

    fn of_snapshot(path: &Path, args: &Args, messages: &mut Messages) -> Result<Self, Diagnostic> {
        let wrong = |finding: Finding| super::diagnostic(finding, path);
        let mut snapshot = Snapshot::open(path).map_err(wrong)?;
        for finding in snapshot.findings() {
            messages.report(&wrong(finding.clone()));
        }
        let prefix = args.filter.prefix.as_deref().unwrap_or_default();
        let found = snapshot.state(args.revision, prefix.as_bytes()).map_err(wrong)?;
        let state = json!({"revision": found.revision, "oldest": found.oldest, "newest": found.newest});
        let count = found.len();
        Ok(Self {
            path: path.to_path_buf(),
            values: Box::new(snapshot.values(found)),
            count,
            state: Some(state),
        })
    }
}
