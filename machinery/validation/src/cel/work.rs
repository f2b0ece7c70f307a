//! Counts what expressions do, beyond what costs count.

use crate::cel::value::Wrong;

/// The words of cel-go for an expression that costs too much.
pub(crate) const LIMIT_EXCEEDED: &str = "operation cancelled: actual cost limit exceeded";

/// How much work a unit of cost may mean at most. Costs do not count everything: comparing two lists costs by their
/// lengths, whatever is in them.
const WORK_PER_COST: u64 = 100;

/// The longest text that expressions can make, in bytes, and the most items of a list.
pub(crate) const MAX_MADE: usize = 32 << 20;

/// Counts work that costs do not.
#[derive(Debug)]
pub(crate) struct Work {
    left: u64,
}

impl Work {
    /// As much as an expression with a limit may do.
    pub(crate) fn for_cost(limit: u64) -> Self {
        Self { left: limit.saturating_add(1000).saturating_mul(WORK_PER_COST) }
    }

    pub(crate) fn unbounded() -> Self {
        Self { left: u64::MAX }
    }

    pub(crate) fn add(&mut self, amount: usize) -> Result<(), Wrong> {
        match self.left.checked_sub(amount as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(LIMIT_EXCEEDED.to_owned())
            }
        }
    }

    /// Refuses to make what is too large.
    pub(crate) fn make(&mut self, size: usize) -> Result<(), Wrong> {
        self.add(if size > MAX_MADE { usize::MAX } else { size / 16 })
    }
}
