//! What conversions cost, beside those of the operator's own functions: processor time for the same objects, by turns.
//!
//! Both begin with JSON and end with it. What the Go program spends on a request for the same version, which is to read
//! the request, and to read and write the object, is measured as well: the rest is its conversion.

use std::fmt;
use std::fs;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::Value;

use super::objects::Objects;
use super::program::{Program, Request};
use super::{Check, pairs};

/// Measures each version of each kind to each other version, and prints a line for each.
///
/// # Errors
/// If the system does not tell processor times, or the Go program ends.
pub(super) fn measure(check: &Check<'_>) -> Result<(), String> {
    let mut all = Cost::default();
    for family in check.families() {
        for (from, to) in pairs(&family) {
            let cost = pair(check, from, to)?;
            println!("{} {} → {}: {cost}", from.kind, from.api_version(), to.api_version());
            all.add(&cost);
        }
    }
    println!("all: {all}");
    Ok(())
}

fn pair(check: &Check<'_>, from: &Arc<KindEntry>, to: &Arc<KindEntry>) -> Result<Cost, String> {
    let mut program = Program::start(&check.args.answers)?;
    let mut objects = Objects::new(&check.definitions, from, &check.listed, check.args.seed);
    let mut found: Vec<Value> = Vec::new();
    while found.len() < check.args.count {
        let more = check.args.count - found.len();
        let readable = check.readable(from, &mut objects, more, &mut program)?;
        found.extend(readable.into_iter().map(|case| case.object));
    }
    let written: Vec<String> = found.iter().map(Value::to_string).collect();
    let mut cost = Cost { conversions: found.len() * check.args.cost, ..Cost::default() };
    for _ in 0..check.args.cost {
        cost.ours += spent("self", || {
            // What is refused costs something, too, on both sides.
            written.iter().for_each(|json| drop(check.known.scheme.convert_json(json.as_bytes(), to)));
            Ok(())
        })?;
        let process = program.process().to_string();
        for (target, sum) in [(to, &mut cost.converted), (from, &mut cost.copied)] {
            let asked = found.iter().map(|object| Request::new(&from.kind, from, target, object)).collect();
            *sum += spent(&process, || program.ask(asked).map(drop))?;
        }
    }
    Ok(cost)
}

/// Processor times, in hundredths of a second.
#[derive(Default)]
struct Cost {
    conversions: usize,
    ours: u64,
    converted: u64,
    copied: u64,
}

impl Cost {
    fn add(&mut self, other: &Self) {
        self.conversions += other.conversions;
        self.ours += other.ours;
        self.converted += other.converted;
        self.copied += other.copied;
    }
}

impl fmt::Display for Cost {
    #[expect(clippy::cast_precision_loss, reason = "times of less than a year")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { conversions, ours, converted, copied } = self;
        let [ours, converted, copied] =
            [ours, converted, copied].map(|hundredths| *hundredths as f64 / 100.0);
        write!(
            f,
            "{conversions} conversions, {:.2} of the operator's time ({ours:.2} s and {converted:.2} s, of which it needs \
             {copied:.2} s without converting)",
            ours / converted,
        )
    }
}

/// The processor time that a process spends on something.
fn spent(process: &str, run: impl FnOnce() -> Result<(), String>) -> Result<u64, String> {
    let before = processor(process)?;
    run()?;
    Ok(processor(process)? - before)
}

/// The processor time of a process so far, in hundredths of a second: Linux counts so.
fn processor(process: &str) -> Result<u64, String> {
    let file = format!("/proc/{process}/stat");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    // The second field, a name in parentheses, may have spaces. Times of user and system are the 14th and 15th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let times: Result<Vec<u64>, _> = fields.map(str::parse).collect();
    match times.as_deref() {
        Ok([user, system]) => Ok(user + system),
        _ => Err(format!("{file}: expected times, found {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_what_ran_meanwhile() {
        let mut sum = 0_u64;
        let mut found = 0;
        while found == 0 {
            found = spent("self", || {
                (0..10_000_000_u64).for_each(|number| sum = sum.wrapping_add(std::hint::black_box(number)));
                Ok(())
            })
            .unwrap();
        }
        let cost = Cost { conversions: 2, ours: 50, converted: 200, copied: 100 };
        assert_eq!(
            cost.to_string(),
            "2 conversions, 0.25 of the operator's time (0.50 s and 2.00 s, of which it needs 1.00 s without converting)"
        );
    }
}
