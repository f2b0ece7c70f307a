//! Counts reviews, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper limits of the buckets of durations, in seconds.
const BUCKETS: [f64; 8] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1.0, 10.0];

/// What a server has done.
#[derive(Default)]
pub(crate) struct Metrics {
    /// Reviews of which all objects were converted.
    succeeded: AtomicU64,
    /// Reviews with an object that was not converted.
    failed: AtomicU64,
    /// Requests that were no reviews.
    refused: AtomicU64,
    /// Reviews for which there was no room.
    overloaded: AtomicU64,
    /// Converted objects.
    objects: AtomicU64,
    /// The number of durations in each bucket alone.
    buckets: [AtomicU64; BUCKETS.len()],
    nanoseconds: AtomicU64,
    /// Certificates that were read from changed files.
    reloads: AtomicU64,
    /// Changed files that contained no certificate.
    failed_reloads: AtomicU64,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Succeeded { objects: usize },
    Failed,
    Refused,
    Overloaded,
}

impl Metrics {
    pub(crate) fn request(&self, outcome: Outcome, took: Duration) {
        match outcome {
            Outcome::Succeeded { objects } => {
                self.succeeded.fetch_add(1, Relaxed);
                self.objects.fetch_add(objects as u64, Relaxed);
            }
            Outcome::Failed => drop(self.failed.fetch_add(1, Relaxed)),
            Outcome::Refused | Outcome::Overloaded => {
                let counter = if outcome == Outcome::Refused { &self.refused } else { &self.overloaded };
                counter.fetch_add(1, Relaxed);
                return;
            }
        }
        let bucket = BUCKETS.iter().position(|limit| took.as_secs_f64() <= *limit);
        if let Some(bucket) = bucket {
            self.buckets[bucket].fetch_add(1, Relaxed);
        }
        self.nanoseconds.fetch_add(took.as_nanos() as u64, Relaxed);
    }

    pub(crate) fn reload(&self, is_success: bool) {
        let counter = if is_success { &self.reloads } else { &self.failed_reloads };
        counter.fetch_add(1, Relaxed);
    }

    /// The metrics as text; large reviews take `taken` bytes now.
    pub(crate) fn text(&self, taken: usize) -> String {
        let mut out = String::new();
        let [succeeded, failed, refused, overloaded, objects, reloads, failed_reloads] = [
            &self.succeeded,
            &self.failed,
            &self.refused,
            &self.overloaded,
            &self.objects,
            &self.reloads,
            &self.failed_reloads,
        ]
        .map(|counter| counter.load(Relaxed));
        let mut counter = |name: &str, help: &str, values: &[(&str, u64)]| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
            for (labels, value) in values {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        };
        let results = [
            ("{result=\"success\"}", succeeded),
            ("{result=\"failure\"}", failed),
            ("{result=\"refused\"}", refused),
            ("{result=\"overloaded\"}", overloaded),
        ];
        counter("conversion_webhook_reviews_total", "Reviews by their result.", &results);
        counter("conversion_webhook_objects_total", "Objects that were converted.", &[("", objects)]);
        let reloads = [("{result=\"success\"}", reloads), ("{result=\"failure\"}", failed_reloads)];
        counter("conversion_webhook_certificate_reloads_total", "Certificates read again.", &reloads);
        const TAKEN: &str = "conversion_webhook_review_bytes";
        let _ = writeln!(
            out,
            "# HELP {TAKEN} Bytes of large reviews that are not answered yet.\n# TYPE {TAKEN} gauge\n{TAKEN} {taken}"
        );
        self.durations(succeeded + failed, &mut out);
        out
    }

    fn durations(&self, count: u64, out: &mut String) {
        const NAME: &str = "conversion_webhook_review_duration_seconds";
        let _ = writeln!(
            out,
            "# HELP {NAME} Time from the body of a review to its answer.\n# TYPE {NAME} histogram"
        );
        let mut sum = 0;
        for (limit, bucket) in BUCKETS.iter().zip(&self.buckets) {
            sum += bucket.load(Relaxed);
            let _ = writeln!(out, "{NAME}_bucket{{le=\"{limit}\"}} {sum}");
        }
        let seconds = Duration::from_nanos(self.nanoseconds.load(Relaxed)).as_secs_f64();
        let _ =
            writeln!(out, "{NAME}_bucket{{le=\"+Inf\"}} {count}\n{NAME}_sum {seconds}\n{NAME}_count {count}");
    }
}
