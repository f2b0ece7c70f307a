//! Counts reviews.

use std::sync::Arc;
use std::time::Duration;

use hubgen_serve::Reloads;
use hubgen_serve::memory::Memory;
use hubgen_serve::metrics::{Counter, Family, Histogram, Registry};

/// The upper limits of the buckets of durations, in seconds.
const BUCKETS: [f64; 8] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1.0, 10.0];

/// What a server has done.
pub(crate) struct Metrics {
    registry: Registry,
    reviews: Family<Counter>,
    objects: Arc<Counter>,
    durations: Arc<Histogram>,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All objects of a review were converted.
    Succeeded { objects: usize },
    /// An object of a review was not converted.
    Failed,
    /// The request was no review.
    Refused,
    /// There was no room for the review.
    Overloaded,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Succeeded { .. } => "success",
            Self::Failed => "failure",
            Self::Refused => "refused",
            Self::Overloaded => "overloaded",
        }
    }
}

impl Metrics {
    /// Metrics that are all zero, of reviews that take this memory, and of certificates that are read so often.
    pub(crate) fn new(memory: Memory, reloads: Reloads) -> Self {
        let registry = Registry::default();
        let reviews =
            registry.counters("conversion_webhook_reviews_total", "Reviews by their result.", &["result"]);
        // What has not happened is shown as zero.
        for outcome in
            [Outcome::Succeeded { objects: 0 }, Outcome::Failed, Outcome::Refused, Outcome::Overloaded]
        {
            reviews.with(&[outcome.name()]);
        }
        let objects =
            registry.counters("conversion_webhook_objects_total", "Objects that were converted.", &[]);
        registry.read_counters(
            "conversion_webhook_certificate_reloads_total",
            "Certificates read again.",
            &["result"],
            move || vec![(vec!["success"], reloads.succeeded()), (vec!["failure"], reloads.failed())],
        );
        registry.read_gauges(
            "conversion_webhook_review_bytes",
            "Bytes of large reviews that are not answered yet.",
            &[],
            move || vec![(vec![], memory.taken() as u64)],
        );
        let durations = registry.histograms(
            "conversion_webhook_review_duration_seconds",
            "Time from the body of a review to its answer.",
            &[],
            &BUCKETS,
        );
        Self { reviews, objects: objects.with(&[]), durations: durations.with(&[]), registry }
    }

    pub(crate) fn request(&self, outcome: Outcome, took: Duration) {
        self.reviews.with(&[outcome.name()]).add(1);
        if let Outcome::Succeeded { objects } = outcome {
            self.objects.add(objects as u64);
        }
        if matches!(outcome, Outcome::Succeeded { .. } | Outcome::Failed) {
            self.durations.observe(took.as_secs_f64());
        }
    }

    /// The metrics as text.
    pub(crate) fn text(&self) -> String {
        self.registry.text()
    }
}
