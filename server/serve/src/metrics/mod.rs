//! Counts what a server does, in the text format of Prometheus.
//!
//! ```
//! use hubgen_serve::metrics::Registry;
//!
//! let registry = Registry::default();
//! let requests = registry.counters("requests_total", "Requests by their code.", &["code"]);
//! requests.with(&["200"]).add(1);
//! assert_eq!(
//!     registry.text(),
//!     "# HELP requests_total Requests by their code.\n# TYPE requests_total counter\nrequests_total{code=\"200\"} 1\n"
//! );
//! ```

mod family;
mod histogram;
mod text;

use std::sync::{Arc, Mutex, PoisonError};

pub use self::family::{Counter, Family};
pub use self::histogram::{Histogram, exponential_buckets};
use self::text::{Collect, Kind, Measured, Read};

/// The media type of [`Registry::text`].
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Numbers that something else has: the values of the labels, and the number, for each.
pub type Readings = Vec<(Vec<&'static str>, u64)>;

/// All metrics of a server. Clones are the same registry.
#[derive(Clone, Default)]
pub struct Registry(Arc<Mutex<Vec<Box<dyn Collect>>>>);

impl Registry {
    /// Registers counters that differ in the values of some labels. Names of counters end in `_total`.
    pub fn counters(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
    ) -> Family<Counter> {
        let family = Family::new(labels, Counter::default);
        self.add(Measured { name, help, kind: Kind::Counter, family: family.clone() });
        family
    }

    /// Registers histograms that differ in the values of some labels. `buckets` are the upper limits of all buckets but
    /// the last, which has none, in ascending order.
    pub fn histograms(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        buckets: &[f64],
    ) -> Family<Histogram> {
        let buckets: Arc<[f64]> = buckets.into();
        let family = Family::new(labels, move || Histogram::new(Arc::clone(&buckets)));
        self.add(Measured { name, help, kind: Kind::Histogram, family: family.clone() });
        family
    }

    /// Registers counters that something else counts. `read` is called whenever the text is.
    pub fn read_counters(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        read: impl Fn() -> Readings + Send + Sync + 'static,
    ) {
        self.add(Read { name, help, kind: Kind::Counter, labels, read: Box::new(read) });
    }

    /// Registers gauges: numbers that go up and down. `read` is called whenever the text is.
    pub fn read_gauges(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        read: impl Fn() -> Readings + Send + Sync + 'static,
    ) {
        self.add(Read { name, help, kind: Kind::Gauge, labels, read: Box::new(read) });
    }

    fn add(&self, metric: impl Collect + 'static) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(metric));
    }

    /// All metrics as text, in the order in which they were registered.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for metric in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            metric.collect(&mut out);
        }
        out
    }
}
