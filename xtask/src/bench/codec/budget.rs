//! The committed counts of our side, and the comparison with new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::Result;
use super::super::objects::read;
use crate::programs::root;

/// How far a count of instructions may be from the committed one, as a part of it.
const TOLERANCE: f64 = 0.02;

/// How far it may always be. To start the program takes some hundred instructions more or less from time to time,
/// which are counted with an operation that runs once.
const NOISE: f64 = 1_000.0;

/// The rows that have either of two counts. The compiler holds what the function that encodes members needs in
/// registers or on the stack, depending on code elsewhere in the crate: two unrelated changes of `tree/` gave one and
/// then the other.
const EITHER: [(&str, [u64; 2]); 1] = [("CRD of 300 KB, json encode", [4_181_861, 4_397_607])];

/// What one operation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// `None` where they cannot be counted.
    pub instructions: Option<u64>,
    pub allocations: u64,
}

/// Counts by the name of their row: an object and an operation.
pub type Counts = BTreeMap<String, Count>;

/// Names and versions, such as `c_library`: `glibc 2.36`.
pub type Facts = BTreeMap<String, String>;

/// The committed counts, and what they depend on.
#[derive(Debug, PartialEq)]
pub struct Budget {
    /// All counts depend on these facts.
    pub built_with: Facts,
    /// Instructions depend on these facts too: on the code of the C library, and on which variant of that code
    /// it chooses for the processor that valgrind shows it.
    pub counted_with: Facts,
    pub counts: Counts,
}

/// Where the committed counts are.
pub fn file() -> PathBuf {
    root().join("benches/codec/counts.json")
}

impl Budget {
    /// Reads committed counts.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read(path)?).map_err(|expected| format!("{}: expected {expected}", path.display()))
    }

    fn parse(value: &Value) -> std::result::Result<Self, String> {
        let facts = |name: &str| {
            let members = value[name].as_object().ok_or_else(|| format!("an object `{name}`"))?;
            let fact = |(key, value): (&String, &Value)| {
                Ok((key.clone(), value.as_str().ok_or_else(|| format!("a text `{key}`"))?.to_owned()))
            };
            members.iter().map(fact).collect::<std::result::Result<Facts, String>>()
        };
        let counts = value["counts"].as_object().ok_or("an object `counts`")?;
        let count = |(row, count): (&String, &Value)| {
            let number =
                |name: &str| count[name].as_u64().ok_or_else(|| format!("a number `{name}` for {row:?}"));
            let (instructions, allocations) = (number("instructions")?, number("allocations")?);
            Ok((row.clone(), Count { instructions: Some(instructions), allocations }))
        };
        Ok(Self {
            built_with: facts("built_with")?,
            counted_with: facts("counted_with")?,
            counts: counts.iter().map(count).collect::<std::result::Result<Counts, String>>()?,
        })
    }

    /// The text of the file: a line for each fact and each row, in the order of their names.
    pub fn text(&self) -> String {
        let mut text = String::from("{\n");
        for (name, facts) in [("built_with", &self.built_with), ("counted_with", &self.counted_with)] {
            let lines = facts.iter().map(|(key, value)| (key, Value::from(value.as_str())));
            let _ = writeln!(text, "  \"{name}\": {},", members(lines));
        }
        let rows = self.counts.iter().map(|(row, count)| {
            let members = [("instructions", count.instructions), ("allocations", Some(count.allocations))];
            let members =
                members.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?.into())));
            (row, Value::from(members.collect::<Map<_, _>>()))
        });
        let _ = writeln!(text, "  \"counts\": {}\n}}", members(rows));
        text
    }
}

/// An object with a line for each member.
fn members<'a>(members: impl Iterator<Item = (&'a String, Value)>) -> String {
    let lines: Vec<String> =
        members.map(|(key, value)| format!("\n    {}: {value}", Value::from(key.as_str()))).collect();
    format!("{{{}\n  }}", lines.join(","))
}

/// The facts that differ: what the committed counts belong to, and what there is here.
pub fn other_facts(committed: &Facts, here: &Facts) -> Option<String> {
    let differing = |facts: &Facts, others: &Facts| {
        let differing = facts.iter().filter(|(key, value)| others.get(*key) != Some(value));
        differing.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (theirs, ours) = (differing(committed, here), differing(here, committed));
    (committed != here).then(|| format!("the committed counts belong to {theirs}; here is {ours}"))
}

/// What is wrong with new counts: a line for each row that is not as it was committed. Instructions are compared
/// where both sides have them.
pub fn changes(committed: &Counts, counted: &Counts) -> Vec<String> {
    let rows: BTreeSet<&String> = committed.keys().chain(counted.keys()).collect();
    let change = |row: &String| match (committed.get(row), counted.get(row)) {
        (Some(before), Some(now)) => {
            let instructions = before.instructions.zip(now.instructions);
            let differ =
                |(before, now): &(u64, u64)| !is_near(*now, *before) && !is_other(row, *before, *now);
            let instructions = instructions.filter(differ).map(|(before, now)| {
                let percent = (now as f64 / before as f64 - 1.0) * 100.0;
                format!("{now} instructions instead of {before} ({percent:+.1} %)")
            });
            let allocations = (before.allocations != now.allocations)
                .then(|| format!("{} allocations instead of {}", now.allocations, before.allocations));
            let changes: Vec<String> = [instructions, allocations].into_iter().flatten().collect();
            (!changes.is_empty()).then(|| format!("{row}: {}", changes.join(", ")))
        }
        (Some(_), None) => Some(format!("{row}: committed, but not measured any more")),
        _ => Some(format!("{row}: measured, but not committed")),
    };
    rows.into_iter().filter_map(change).collect()
}

fn is_near(now: u64, before: u64) -> bool {
    now.abs_diff(before) as f64 <= (TOLERANCE * before as f64).max(NOISE)
}

/// Whether both counts are among those of a row of [`EITHER`].
fn is_other(row: &str, before: u64, now: u64) -> bool {
    let known = |count| {
        EITHER.iter().any(|(name, counts)| *name == row && counts.iter().any(|known| is_near(count, *known)))
    };
    known(before) && known(now)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn counts<const N: usize>(rows: [(&str, u64, u64); N]) -> Counts {
        let count = |(row, instructions, allocations): (&str, u64, u64)| {
            (row.to_owned(), Count { instructions: Some(instructions), allocations })
        };
        rows.map(count).into()
    }

    #[test]
    fn small_changes_of_instructions_are_accepted() {
        let committed = counts([("Pod, copy", 100_000, 7), ("Node, copy", 100_000, 7)]);
        assert_eq!(changes(&committed, &committed), [""; 0]);
        let counted = counts([("Pod, copy", 101_000, 7), ("Node, copy", 99_000, 7)]);
        assert_eq!(changes(&committed, &counted), [""; 0]);
    }

    #[test]
    fn large_changes_of_instructions_are_refused() {
        let committed = counts([("Pod, copy", 100_000, 7), ("Node, copy", 100_000, 7)]);
        let counted = counts([("Pod, copy", 103_000, 7), ("Node, copy", 97_000, 7)]);
        assert_eq!(
            changes(&committed, &counted),
            [
                "Node, copy: 97000 instructions instead of 100000 (-3.0 %)",
                "Pod, copy: 103000 instructions instead of 100000 (+3.0 %)",
            ]
        );
    }

    #[test]
    fn what_starting_a_program_adds_is_accepted_and_no_more() {
        let committed = counts([("ConfigMap, copy", 6_776, 1)]);
        assert_eq!(changes(&committed, &counts([("ConfigMap, copy", 6_314, 1)])), [""; 0]);
        let expected = ["ConfigMap, copy: 7777 instructions instead of 6776 (+14.8 %)"];
        assert_eq!(changes(&committed, &counts([("ConfigMap, copy", 7_777, 1)])), expected);
    }

    #[test]
    fn a_row_with_two_counts_has_no_third() {
        let (row, [less, more]) = EITHER[0];
        let between = (less + more) / 2;
        for committed in [less, more] {
            let committed = counts([(row, committed, 10), ("Pod, encode", committed, 10)]);
            for counted in [less, more] {
                assert_eq!(
                    changes(&committed, &counts([(row, counted, 10), ("Pod, encode", counted, 10)])).len(),
                    { usize::from(committed["Pod, encode"].instructions != Some(counted)) }
                );
            }
            for counted in [less / 2, between, more * 2] {
                let counted = counts([(row, counted, 10), ("Pod, encode", less, 10)]);
                assert!(changes(&committed, &counted).iter().any(|change| change.starts_with(row)));
            }
        }
    }

    #[test]
    fn any_change_of_allocations_is_refused_even_without_instructions() {
        let committed = counts([("Pod, copy", 100_000, 700)]);
        let expected = ["Pod, copy: 701 allocations instead of 700"];
        assert_eq!(changes(&committed, &counts([("Pod, copy", 100_000, 701)])), expected);
        let uncounted = Count { instructions: None, allocations: 701 };
        assert_eq!(changes(&committed, &[("Pod, copy".to_owned(), uncounted)].into()), expected);
    }

    #[test]
    fn rows_of_one_side_only_are_refused() {
        let committed = counts([("Pod, copy", 100_000, 7), ("Pod, decode", 1, 1)]);
        let counted = counts([("Pod, copy", 100_000, 7), ("Pod, encode", 1, 1)]);
        assert_eq!(
            changes(&committed, &counted),
            ["Pod, decode: committed, but not measured any more", "Pod, encode: measured, but not committed",]
        );
    }

    #[test]
    fn facts_that_differ_are_named() {
        let facts = |library: &str| -> Facts {
            [("c_library", library), ("valgrind", "valgrind-3.19.0")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into()
        };
        assert_eq!(other_facts(&facts("glibc 2.36"), &facts("glibc 2.36")), None);
        assert_eq!(
            other_facts(&facts("glibc 2.36"), &facts("glibc 2.41")).as_deref(),
            Some("the committed counts belong to glibc 2.36; here is glibc 2.41")
        );
    }

    /// If counts of another compiler were committed, CI would compare nothing.
    #[test]
    fn the_committed_counts_are_those_of_the_pinned_compiler() {
        let budget = Budget::read(&file()).unwrap();
        let toolchain = fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
        let channel = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap();
        let compiler = format!("rustc {} ", channel.trim_matches('"'));
        assert!(budget.built_with["compiler"].starts_with(&compiler), "{budget:?}, {channel}");
    }

    #[test]
    fn the_committed_file_is_as_it_would_be_written() {
        let text = fs::read_to_string(file()).unwrap();
        assert_eq!(Budget::read(&file()).unwrap().text(), text);
    }
}
