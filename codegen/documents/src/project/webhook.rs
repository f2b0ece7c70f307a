//! The table `[webhook]`.

use hubgen_model::rules::At;

use crate::crd::{Address, Webhook, path_fault, service_names};
use crate::table::{Reader, Value};

const KEYS: [&str; 6] = ["service", "port", "path", "url", "ca-from", "incomplete"];

/// Reads which webhook converts: `service = "certs/webhook"`.
pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Webhook> {
    let table = reader.table(value)?;
    for key in table.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
        let message = format!("unknown key `{}`", key.get_ref());
        reader.error(key.span(), message, format!("expected one of {}", KEYS.join(", ")));
    }
    let mut text = |key: &str| {
        let value = table.get(key)?;
        reader.below(key, |reader| reader.string(value))
    };
    let [service, url, path, ca_from] = ["service", "url", "path", "ca-from"].map(&mut text);
    let port = table.get("port").and_then(|value| {
        reader.below("port", |reader| {
            let port = reader.integer(value)?;
            let valid = u16::try_from(port).ok().filter(|port| *port > 0);
            if valid.is_none() {
                reader.error(value.span(), format!("{port} is not a port"), "write a number from 1 to 65535");
            }
            valid
        })
    });
    let incomplete = table
        .get("incomplete")
        .and_then(|value| reader.below("incomplete", |reader| reader.bool(value)))
        .unwrap_or_default();
    if let Some((path, fault)) = path.as_ref().and_then(|path| Some((path, path_fault(&path.value)?))) {
        let message = format!("`{}` is not the path of a webhook: {fault}", path.value);
        reader
            .below("path", |reader| reader.error(path.span.clone(), message, "write one such as `/convert`"));
    }
    if let Some(certificate) = ca_from.as_ref().filter(|name| service_names(&name.value).is_none()) {
        let message = format!("`{}` is not the name of a Certificate", certificate.value);
        let help = "write its namespace and its name: `certs/webhook`";
        reader.below("ca-from", |reader| reader.error(certificate.span.clone(), message, help));
    }
    let mut address = address(reader, value, service, url)?;
    match &mut address {
        Address::Service { port: of_service, path: of_requests, .. } => {
            *of_service = port;
            if let Some(path) = path {
                *of_requests = path.value;
            }
        }
        Address::Url(_) if port.is_some() || path.is_some() => {
            let help = "write both in the URL: `https://HOST:PORT/PATH`";
            reader.error(value.span(), "`url` excludes `port` and `path`", help);
        }
        Address::Url(_) => {}
    }
    Some(Webhook { address, ca_from: ca_from.map(|name| name.value), incomplete })
}

/// The address that `service` or `url` names.
fn address(
    reader: &mut Reader<'_>,
    table: &Value<'_>,
    service: Option<At<String>>,
    url: Option<At<String>>,
) -> Option<Address> {
    let (at, key) = match (service, url) {
        (Some(service), None) => (service, "service"),
        (None, Some(url)) => (url, "url"),
        (Some(_), Some(url)) => {
            let help = "remove `url` for a Service of the cluster, or `service` for another server";
            reader.error(url.span, "`service` and `url` exclude each other", help);
            return None;
        }
        (None, None) => {
            let help = "add `service = \"NAMESPACE/NAME\"`, or `url = \"https://…\"`";
            reader.error(table.span(), "the address of the webhook is missing", help);
            return None;
        }
    };
    match (key, Address::parse(&at.value)) {
        ("service", Ok(address @ Address::Service { .. })) | ("url", Ok(address @ Address::Url(_))) => {
            Some(address)
        }
        ("service", _) => {
            let message = format!("`{}` is not the name of a Service", at.value);
            let help = "write its namespace and its name: `certs/webhook`";
            reader.below(key, |reader| reader.error(at.span, message, help));
            None
        }
        (_, found) => {
            let message =
                found.err().map_or_else(|| format!("`{}` is not a URL", at.value), |error| error.to_string());
            reader.below(key, |reader| reader.error(at.span, message, "write `https://HOST:PORT/PATH`"));
            None
        }
    }
}
