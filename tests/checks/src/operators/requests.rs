//! Writes the objects that would be compared, as the operator's program reads them: a benchmark converts the same ones.

use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;

use super::objects::Objects;
use super::program::{Program, Request};
use super::{Check, pairs};

/// Prints a line for each object of each version, for each other version.
///
/// # Errors
/// If the Go program ends, or its types refuse nearly all objects.
pub(super) fn write(check: &Check<'_>) -> Result<(), String> {
    let mut program = Program::start(&check.args.answers)?;
    for family in check.families() {
        for (from, to) in pairs(&family) {
            pair(check, from, to, &mut program)?;
        }
    }
    Ok(())
}

fn pair(
    check: &Check<'_>,
    from: &Arc<KindEntry>,
    to: &Arc<KindEntry>,
    program: &mut Program,
) -> Result<(), String> {
    let mut objects = Objects::new(&check.definitions, from, &check.listed, check.args.seed);
    let mut written = 0;
    while written < check.args.count {
        let found = check.readable(from, &mut objects, check.args.count - written, program)?;
        written += found.len();
        for case in found {
            println!("{}", Request::new(&from.kind, from, to, &case.object).to_json());
        }
    }
    Ok(())
}
