//! A distribution of numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts numbers by the buckets that they are in.
#[derive(Debug)]
pub struct Histogram {
    limits: Arc<[f64]>,
    /// How many numbers are in each bucket alone; the last has no limit.
    buckets: Box<[AtomicU64]>,
    /// The sum of the numbers, as the bits of an `f64`.
    sum: AtomicU64,
}

impl Histogram {
    pub(super) fn new(limits: Arc<[f64]>) -> Self {
        let buckets = (0..=limits.len()).map(|_| AtomicU64::new(0)).collect();
        Self { limits, buckets, sum: AtomicU64::new(0_f64.to_bits()) }
    }

    /// Counts a number.
    pub fn observe(&self, number: f64) {
        let bucket = self.limits.iter().position(|limit| number <= *limit).unwrap_or(self.limits.len());
        self.buckets[bucket].fetch_add(1, Relaxed);
        let add = |sum| Some((f64::from_bits(sum) + number).to_bits());
        // It is always `Some`.
        let _ = self.sum.fetch_update(Relaxed, Relaxed, add);
    }

    /// The upper limits of the buckets, with how many numbers are not above them; `None` is the bucket without a limit.
    pub(super) fn cumulative(&self) -> impl Iterator<Item = (Option<f64>, u64)> {
        let limits = self.limits.iter().copied().map(Some).chain([None]);
        limits.zip(self.buckets.iter()).scan(0, |sum, (limit, bucket)| {
            *sum += bucket.load(Relaxed);
            Some((limit, *sum))
        })
    }

    pub(super) fn sum(&self) -> f64 {
        f64::from_bits(self.sum.load(Relaxed))
    }
}

/// The upper limits of `count` buckets, each `factor` times the one before it.
pub fn exponential_buckets(first: f64, factor: f64, count: usize) -> Vec<f64> {
    std::iter::successors(Some(first), |limit| Some(limit * factor)).take(count).collect()
}
