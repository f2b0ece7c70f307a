//! The text format of Prometheus.

use std::fmt::Write;

use super::Readings;
use super::family::{Counter, Family};
use super::histogram::Histogram;

/// A metric that can be written.
pub(super) trait Collect: Send + Sync {
    fn collect(&self, out: &mut String);
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Metrics that are measured here.
pub(super) struct Measured<M> {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    pub(super) family: Family<M>,
}

/// Numbers that something else has.
pub(super) struct Read {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    pub(super) labels: &'static [&'static str],
    pub(super) read: Box<dyn Fn() -> Readings + Send + Sync>,
}

impl Collect for Measured<Counter> {
    fn collect(&self, out: &mut String) {
        head(out, self.name, self.help, self.kind);
        self.family.each(|labels, counter| line(out, self.name, labels, counter.get()));
    }
}

impl Collect for Measured<Histogram> {
    fn collect(&self, out: &mut String) {
        head(out, self.name, self.help, self.kind);
        self.family.each(|labels, histogram| {
            let (bucket, mut count) = (format!("{}_bucket", self.name), 0);
            for (limit, cumulative) in histogram.cumulative() {
                let limit = limit.map_or_else(|| "+Inf".to_owned(), |limit| limit.to_string());
                line(out, &bucket, &[labels, &[("le", &limit)]].concat(), cumulative);
                count = cumulative;
            }
            line(out, &format!("{}_sum", self.name), labels, histogram.sum());
            line(out, &format!("{}_count", self.name), labels, count);
        });
    }
}

impl Collect for Read {
    fn collect(&self, out: &mut String) {
        head(out, self.name, self.help, self.kind);
        for (values, number) in (self.read)() {
            let labels: Vec<_> = self.labels.iter().copied().zip(values).collect();
            line(out, self.name, &labels, number);
        }
    }
}

fn head(out: &mut String, name: &str, help: &str, kind: Kind) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    // Writing to a text does not fail, here and below.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
}

fn line(out: &mut String, name: &str, labels: &[(&str, &str)], number: impl std::fmt::Display) {
    out.push_str(name);
    for (index, (label, value)) in labels.iter().enumerate() {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let before = if index == 0 { '{' } else { ',' };
        let _ = write!(out, "{before}{label}=\"{value}\"");
    }
    let end = if labels.is_empty() { "" } else { "}" };
    let _ = writeln!(out, "{end} {number}");
}

#[cfg(test)]
mod tests {
    use super::super::Registry;

    #[test]
    fn the_text_is_that_of_prometheus() {
        let registry = Registry::default();
        let counters = registry.counters("a_total", "A \\ b\nc.", &["x", "y"]);
        counters.with(&["2", "\"q\"\\\n"]).add(2);
        counters.with(&["1", ""]).add(1);
        let seconds = registry.histograms("b_seconds", "B.", &["x"], &[0.5, 1.0]);
        for number in [0.25, 0.5, 0.75, 8.0] {
            seconds.with(&["1"]).observe(number);
        }
        registry.read_gauges("c", "C.", &[], || vec![(vec![], 7)]);
        registry.read_counters("d_total", "D.", &["x"], || vec![(vec!["1"], 3)]);
        let expected = r#"# HELP a_total A \\ b\nc.
# TYPE a_total counter
a_total{x="1",y=""} 1
a_total{x="2",y="\"q\"\\\n"} 2
# HELP b_seconds B.
# TYPE b_seconds histogram
b_seconds_bucket{x="1",le="0.5"} 2
b_seconds_bucket{x="1",le="1"} 3
b_seconds_bucket{x="1",le="+Inf"} 4
b_seconds_sum{x="1"} 9.5
b_seconds_count{x="1"} 4
# HELP c C.
# TYPE c gauge
c 7
# HELP d_total D.
# TYPE d_total counter
d_total{x="1"} 3
"#;
        assert_eq!(registry.text(), expected);
    }
}
