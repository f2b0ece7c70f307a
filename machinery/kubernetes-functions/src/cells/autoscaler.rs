//! Cells of HorizontalPodAutoscalers.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// How many metrics are shown.
const MOST: usize = 2;

/// What each metric is now, and what it should be.
pub fn metrics(autoscaler: Value<'_>, _: Time) -> Cell {
    let metrics = autoscaler.get("spec.metrics");
    if metrics.is_empty() {
        return Cell::text("<none>");
    }
    let current = autoscaler.get("status.currentMetrics");
    let shown: Vec<String> =
        metrics.items().take(MOST).enumerate().map(|(index, of)| metric(of, current.item(index))).collect();
    let shown = shown.join(", ");
    Cell::Text(match metrics.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{shown} + {more} more..."),
        _ => shown,
    })
}

/// A metric: `cpu: 50%/80%`, or `7/10 (avg)`.
fn metric(wanted: Value<'_>, now: Value<'_>) -> String {
    let Some(member) = member(wanted.get("type").text()) else { return "<unknown type>".to_owned() };
    let (wanted, now) = (wanted.get(member), now.get(member));
    let (target, current) = (wanted.get("target"), now.get("current"));
    let average = target.get("averageValue");
    let is_of_resource = matches!(member, "resource" | "containerResource");
    let text = match member {
        "pods" => format!("{}/{}", amount(now, "averageValue"), quantity(average)),
        _ if is_of_resource && average.is_present() => {
            format!("{}/{}", amount(now, "averageValue"), quantity(average))
        }
        _ if is_of_resource => {
            let percent = |value: Value<'_>, or: &str| match value.is_present() {
                true => format!("{}%", value.integer()),
                false => or.to_owned(),
            };
            let now = percent(current.get("averageUtilization"), "<unknown>");
            format!("{now}/{}", percent(target.get("averageUtilization"), "<auto>"))
        }
        _ if average.is_present() => {
            let now = current.get("averageValue");
            let now = if now.is_present() { now.shown() } else { "<unknown>".to_owned() };
            format!("{now}/{} (avg)", quantity(average))
        }
        _ => format!("{}/{}", amount(now, "value"), quantity(target.get("value"))),
    };
    if is_of_resource { format!("{}: {text}", wanted.get("name").text()) } else { text }
}

/// What the source of a metric is called in it.
fn member(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return None,
    })
}

/// What a metric is now, if it is known at all.
fn amount(now: Value<'_>, name: &str) -> String {
    match now.is_present() {
        true => quantity(now.get("current").get(name)),
        false => "<unknown>".to_owned(),
    }
}

/// A quantity. Upstream prints one that is not there.
fn quantity(value: Value<'_>) -> String {
    if value.is_present() { value.shown() } else { "<nil>".to_owned() }
}
