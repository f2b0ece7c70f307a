//! Counts what webhooks are asked under upstream's names, and with its labels.

use std::time::Duration;

use hubgen_serve::metrics::{Counter, Family, Histogram, Registry, exponential_buckets};

use super::review::Failed;

/// Upstream's buckets of the durations of all webhooks, in seconds.
const DURATIONS: [f64; 15] =
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0];

#[derive(Clone)]
pub(super) struct Metrics {
    reviews: Family<Counter>,
    durations: Family<Histogram>,
    of_definitions: Family<Histogram>,
}

impl Metrics {
    pub(super) fn new(registry: &Registry) -> Self {
        Self {
            reviews: registry.counters(
                "apiserver_conversion_webhook_request_total",
                "Reviews of conversion webhooks by result and sort of failure.",
                &["result", "failure_type"],
            ),
            durations: registry.histograms(
                "apiserver_conversion_webhook_duration_seconds",
                "Seconds until a conversion webhook has answered.",
                &["result", "failure_type"],
                &DURATIONS,
            ),
            of_definitions: registry.histograms(
                "apiserver_crd_conversion_webhook_duration_seconds",
                "Seconds until a conversion webhook has answered, by definition and versions.",
                &["crd_name", "from_version", "to_version", "succeeded"],
                &exponential_buckets(0.001, 2.0, 15),
            ),
        }
    }

    /// Counts a review.
    pub(super) fn count(
        &self,
        definition: &str,
        [from, to]: [&str; 2],
        failed: Option<&Failed>,
        took: Duration,
    ) {
        let sort = match failed {
            None => "",
            Some(Failed::Call(_)) => "conversion_webhook_call_failure",
            Some(Failed::Malformed(_)) => "conversion_webhook_malformed_response_failure",
            Some(Failed::Partial { .. }) => "conversion_webhook_partial_response_failure",
            Some(Failed::Invalid(_) | Failed::NoObject(_)) => {
                "conversion_webhook_invalid_converted_object_failure"
            }
        };
        let result = if failed.is_none() { "success" } else { "failure" };
        let seconds = took.as_secs_f64();
        self.reviews.with(&[result, sort]).add(1);
        self.durations.with(&[result, sort]).observe(seconds);
        let succeeded = if failed.is_none() { "true" } else { "false" };
        self.of_definitions.with(&[definition, from, to, succeeded]).observe(seconds);
    }
}
