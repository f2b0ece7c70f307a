//! Plays recorded sequences of writes to a server of ours, and judges its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::answers::Verdict;
use super::ours::Ours;
use super::sequence::Send;
use crate::{Failure, Report};

/// The recorded answers to a sequence, as many as ours.
///
/// # Errors
/// If there are more or fewer of them.
pub fn recorded<'l>(line: &'l Value, ours: &[Value]) -> Result<&'l [Value], Verdict> {
    let theirs = line["answers"].as_array().map_or(&[][..], Vec::as_slice);
    if theirs.is_empty() || theirs.len() != ours.len() {
        let (theirs, ours) = (theirs.len(), ours.len());
        return Err(Verdict::Different(format!("they answer {theirs} times, and we {ours} times")));
    }
    Ok(theirs)
}

/// How sequences are compared.
pub struct Sequences {
    /// What the report calls them.
    pub what: &'static str,
    /// Sends a step, and returns what is compared of the answer.
    pub play: fn(&Value, &Send<'_>) -> Result<Value, String>,
    /// Judges our answers to a recorded line.
    pub judge: fn(&Value, &[Value]) -> Verdict,
}

impl Sequences {
    /// Compares the recorded answers of a file with ours.
    ///
    /// # Errors
    /// If the file cannot be read, or our server does not answer.
    pub fn compare(&self, answers: &Path) -> Result<Report, String> {
        let text = super::read(answers).map_err(|error| error.to_string())?;
        let ours = Ours::start()?;
        let mut failures = Vec::new();
        let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut total, mut equal, mut writes) = (0, 0, 0);
        let (mut applies, mut conflicts) = (0, 0);
        let (mut kinds, mut several) = (BTreeSet::new(), 0);
        for (number, line) in text.split('\n').filter(|line| !line.is_empty()).enumerate() {
            let at = |error: String| format!("line {}: {error}", number + 1);
            let line: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
            let steps =
                line["steps"].as_array().ok_or_else(|| at("expected a list in `steps`".to_owned()))?;
            let play = |step| (self.play)(step, &|request| ours.send(request));
            let answers = steps.iter().map(play).collect::<Result<Vec<_>, _>>().map_err(at)?;
            ours.remove(&line["object"]).map_err(at)?;
            kinds.insert(line["kind"].to_string());
            let versions: BTreeSet<String> = steps.iter().map(|step| step["version"].to_string()).collect();
            several += usize::from(versions.len() > 1);
            total += 1;
            writes += steps.len();
            applies += steps.iter().filter(|step| step["verb"] == "apply").count();
            conflicts += answers.iter().filter(|answer| answer["code"] == 409).count();
            match (self.judge)(&line, &answers) {
                Verdict::Equal => equal += 1,
                Verdict::Listed(why) => *whys.entry(why).or_default() += 1,
                Verdict::Different(message) => failures.push(Failure {
                    file: format!("line {}: {}", number + 1, line["object"]),
                    path: String::new(),
                    message,
                }),
            }
        }
        let notes = whys.iter().map(|(why, count)| format!("{why}: {count} sequences differ so")).collect();
        let different = failures.len();
        let mut details = vec![("writes", writes)];
        if applies > 0 {
            details.extend([("applies", applies), ("conflicts", conflicts)]);
        }
        details.extend([
            ("kinds", kinds.len()),
            ("at several versions", several),
            ("equal", equal),
            ("listed differences", total - different - equal),
            ("different", different),
        ]);
        Ok(Report { what: self.what, passed: total - different, total, details, failures, notes })
    }
}
