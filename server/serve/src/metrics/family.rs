//! Metrics that differ in the values of some labels.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// The maximum number of metrics in a family. What labels can say should be bounded by itself; this bounds the memory
/// if it is not.
const MOST: usize = 10_000;

/// The value of all labels of the metric that counts what is beyond [`MOST`].
const OTHERS: &str = "others";

/// Metrics of one name that differ in the values of some labels. Clones are the same family.
pub struct Family<M> {
    labels: &'static [&'static str],
    metrics: Arc<RwLock<HashMap<Vec<String>, Arc<M>>>>,
    new: Arc<dyn Fn() -> M + Send + Sync>,
}

impl<M> Clone for Family<M> {
    fn clone(&self) -> Self {
        Self { labels: self.labels, metrics: Arc::clone(&self.metrics), new: Arc::clone(&self.new) }
    }
}

impl<M> Family<M> {
    pub(super) fn new(labels: &'static [&'static str], new: impl Fn() -> M + Send + Sync + 'static) -> Self {
        Self { labels, metrics: Arc::default(), new: Arc::new(new) }
    }

    /// The metric with these values of the labels, in the order of the labels. It begins at zero.
    ///
    /// # Panics
    /// If there are more or fewer values than labels.
    pub fn with(&self, values: &[&str]) -> Arc<M> {
        assert_eq!(values.len(), self.labels.len(), "the labels are {:?}", self.labels);
        // Keys are compared as they are, so that a metric that exists costs no allocation but this.
        let key: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        if let Some(metric) = self.metrics.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(metric);
        }
        let mut metrics = self.metrics.write().unwrap_or_else(PoisonError::into_inner);
        let is_full = metrics.len() >= MOST && !metrics.contains_key(&key);
        let key = if is_full { vec![OTHERS.to_owned(); key.len()] } else { key };
        Arc::clone(metrics.entry(key).or_insert_with(|| Arc::new((self.new)())))
    }

    /// Calls a function for each metric, sorted by the values of its labels.
    pub(super) fn each(&self, mut visit: impl FnMut(&[(&str, &str)], &M)) {
        let metrics = self.metrics.read().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<_> = metrics.iter().collect();
        sorted.sort_by_key(|(values, _)| *values);
        for (values, metric) in sorted {
            let labels: Vec<_> = self.labels.iter().copied().zip(values.iter().map(String::as_str)).collect();
            visit(&labels, metric);
        }
    }
}

/// A number that only goes up.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the number.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_bounded() {
        let family = Family::new(&["n"], Counter::default);
        for n in 0..MOST + 5 {
            family.with(&[&n.to_string()]).add(1);
        }
        family.with(&["0"]).add(1);
        assert_eq!(family.with(&[OTHERS]).get(), 5);
        assert_eq!(family.with(&["0"]).get(), 2);
        let mut count = 0;
        family.each(|_, _| count += 1);
        assert_eq!(count, MOST + 1);
    }
}
