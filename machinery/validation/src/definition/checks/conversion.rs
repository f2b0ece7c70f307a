//! Checks how the API server converts between versions.

use serde_json::Value;

use super::form::Form;
use super::options::{Options, REVIEWS};
use super::props::Props;
use super::url;
use super::words::one_of;
use crate::error::FieldError;
use crate::names::{dns_1035_label_mistakes, subdomain_mistakes};

/// Where the API server reports errors in the webhook, as if `v1` had no member `webhook` around it.
const CLIENT: &str = "spec.conversion.webhookClientConfig";
const VERSIONS: &str = "spec.conversion.conversionReviewVersions";

pub(super) fn check(form: &Form<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    let Some(conversion) = form.spec.get("conversion").map(Props) else { return };
    let strategy = conversion.text("strategy");
    if strategy != "None" && form.keeps_unknown_fields() {
        let why = "must be None if spec.preserveUnknownFields is true";
        found.push(FieldError::invalid_text("spec.conversion.strategy", strategy, why));
    }
    one_of(strategy, "spec.conversion.strategy", &["None", "Webhook"], found);
    let webhook = Props(conversion.get("webhook").unwrap_or(&Value::Null));
    let client = webhook.get("clientConfig").map(Props);
    let versions: Vec<&str> = webhook.words("conversionReviewVersions").collect();
    if strategy == "Webhook" {
        match client {
            None => found.push(FieldError::required(CLIENT, "required when strategy is set to Webhook")),
            Some(client) => webhook_client(client, options, found),
        }
        reviews(&versions, options, found);
        return;
    }
    let why = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        found.push(FieldError::forbidden(CLIENT, why));
    }
    if !versions.is_empty() {
        found.push(FieldError::forbidden(VERSIONS, why));
    }
}

fn webhook_client(client: Props<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    match (client.word("url"), client.get("service").map(Props)) {
        (Some(url), None) => url::check(url, &format!("{CLIENT}.url"), found),
        (None, Some(to)) => service(to, found),
        _ => found.push(FieldError::required(CLIENT, "exactly one of url or service is required")),
    }
    let bundle = client.text("caBundle");
    if !bundle.is_empty()
        && let Some(why) = options.ca_mistake.and_then(|mistake| mistake(bundle))
    {
        found.push(FieldError::invalid_text(format!("{CLIENT}.caBundle"), bundle, &why));
    }
}

fn service(service: Props<'_>, found: &mut Vec<FieldError>) {
    let at = |key: &str| format!("{CLIENT}.service.{key}");
    // The API server confuses the two, and clients know it so.
    for (reported, key) in [("name", "namespace"), ("namespace", "name")] {
        if service.text(key).is_empty() {
            found.push(FieldError::required(at(reported), ""));
        }
    }
    let port = service.get("port").and_then(Value::as_i64).unwrap_or(443);
    if !(1..=65535).contains(&port) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        found.push(FieldError::invalid(at("port"), &port.into(), why));
    }
    let Some(path) = service.word("path").filter(|path| !matches!(*path, "" | "/")) else { return };
    let mut wrong = |why: &str| found.push(FieldError::invalid_text(at("path"), path, why));
    if path == "//" {
        return wrong("segment[0] may not be empty");
    }
    if !path.starts_with('/') {
        wrong("must start with a '/'");
    }
    // The first byte is no part of the first segment, whatever it is; what it leaves of a character is wrong.
    let steps = path.get(1..).unwrap_or(path);
    for (at, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        if step.is_empty() {
            wrong(&format!("segment[{at}] may not be empty"));
            continue;
        }
        for mistake in subdomain_mistakes(step) {
            wrong(&format!("segment[{at}]: {mistake}"));
        }
    }
}

fn reviews(versions: &[&str], options: &Options<'_>, found: &mut Vec<FieldError>) {
    if versions.is_empty() {
        found.push(FieldError::required(VERSIONS, ""));
        return;
    }
    for (at, version) in versions.iter().enumerate() {
        let mut wrong =
            |why: &str| found.push(FieldError::invalid_text(format!("{VERSIONS}[{at}]"), version, why));
        if versions[..at].contains(version) {
            wrong("duplicate version");
            continue;
        }
        for mistake in dns_1035_label_mistakes(version) {
            wrong(&mistake);
        }
    }
    if options.reviews && !versions.iter().any(|version| REVIEWS.contains(version)) {
        let why = format!("must include at least one of {}", REVIEWS.join(", "));
        found.push(FieldError::invalid(VERSIONS, &versions.into(), &why));
    }
}
