//! The webhook of one definition.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hubgen_definitions::Converter;
use hubgen_machinery::convert::ConvertError;
use serde_json::Value;

use super::client::{Client, Place};
use super::metrics::Metrics;
use super::review::{Failed, Version, checked};
use super::room::Room;
use super::{Webhooks, service};
use crate::environment::Environment;

/// The port of a service if a definition names none.
const PORT: u16 = 443;

/// Makes other versions of the objects of a definition by asking its webhook, and waits for its answer.
pub(super) struct Webhook {
    /// The name of the definition.
    name: String,
    client: Client,
    /// The version of reviews; `None` if the definition names none that exists.
    version: Option<Version>,
    /// For requests at each version of the kind.
    rooms: BTreeMap<String, Room>,
    metrics: Metrics,
    environment: Arc<dyn Environment>,
}

impl Webhook {
    /// The webhook that `spec.conversion.webhook` of a definition describes.
    pub(super) fn of(webhooks: &Webhooks, definition: &Value, webhook: &Value) -> Self {
        let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
        let versions = versions.filter_map(|version| version["name"].as_str());
        let place = place(&webhooks.services, &webhook["clientConfig"]);
        Self {
            name: definition["metadata"]["name"].as_str().unwrap_or_default().to_owned(),
            client: Client::new(place, webhooks.limit),
            version: Version::first(&webhook["conversionReviewVersions"]),
            rooms: webhooks.rooms.of(versions),
            metrics: webhooks.metrics.clone(),
            environment: Arc::clone(&webhooks.environment),
        }
    }

    /// The room for requests at a version.
    pub(super) fn room(&self, version: &str) -> Option<&Room> {
        self.rooms.get(version)
    }

    /// Asks for some objects at another version.
    fn asked(&self, objects: &[&Value], to: &str) -> Result<Vec<Result<Value, Failed>>, Failed> {
        let version = self
            .version
            .ok_or_else(|| Failed::NoObject("no supported conversion review versions".to_owned()))?;
        let uid = self.environment.uid();
        let answer = self.client.post(&version.request(&uid, to, objects)).map_err(Failed::Call)?;
        let converted = version.objects(&answer, &uid, objects.len())?;
        Ok(converted.into_iter().zip(objects).map(|(converted, sent)| checked(converted, sent, to)).collect())
    }
}

impl Converter for Webhook {
    fn convert(&self, object: Value, to: &str) -> Result<Value, ConvertError> {
        self.convert_many(vec![object], to).pop().expect("each object has a result")
    }

    fn convert_many(&self, mut objects: Vec<Value>, to: &str) -> Vec<Result<Value, ConvertError>> {
        // An object that has nothing is the same at every version.
        for object in objects.iter_mut().filter(|object| is_empty(object)) {
            object["apiVersion"] = to.into();
        }
        let sent: Vec<&Value> = objects.iter().filter(|object| object["apiVersion"] != to).collect();
        if sent.is_empty() {
            return objects.into_iter().map(Ok).collect();
        }
        let (start, from) = (Instant::now(), version_of(sent[0]).to_owned());
        let answered = self.asked(&sent, to);
        let failed = match &answered {
            Ok(converted) => converted.iter().find_map(|converted| converted.as_ref().err()),
            Err(failed) => Some(failed),
        };
        self.metrics.count(&self.name, [&from, to.rsplit('/').next().unwrap_or(to)], failed, start.elapsed());
        let told = |failed: &Failed, object: &Value| ConvertError::Unfit {
            path: String::new(),
            message: failed.about(object),
        };
        let mut converted = match answered {
            Ok(converted) => converted.into_iter(),
            Err(failed) => vec![Err(failed); sent.len()].into_iter(),
        };
        let result = |object: Value| {
            if object["apiVersion"] == to {
                return Ok(object);
            }
            let converted = converted.next().expect("each object that is sent has a result");
            converted.map_err(|failed| told(&failed, &object))
        };
        objects.into_iter().map(result).collect()
    }
}

/// Whether an object has nothing but its kind.
fn is_empty(object: &Value) -> bool {
    object.as_object().is_some_and(|members| {
        members.len() == 2 && members.contains_key("kind") && members.contains_key("apiVersion")
    })
}

fn version_of(object: &Value) -> &str {
    object["apiVersion"].as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default()
}

/// Where the webhook of a definition is, by its `clientConfig`.
fn place(services: &[super::ServiceUrl], config: &Value) -> Place {
    let authorities = config["caBundle"].as_str().and_then(|bundle| STANDARD.decode(bundle).ok());
    let authorities = authorities.unwrap_or_default();
    if let Some(url) = config["url"].as_str() {
        return Place { url: url.to_owned(), at: None, authorities };
    }
    let service = &config["service"];
    let text = |key: &str| service[key].as_str().unwrap_or_default();
    let (namespace, name, path) = (text("namespace"), text("name"), text("path"));
    let port = service["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or(PORT);
    let at = service::found(services, namespace, name, port).map(|(host, port)| (host.to_owned(), port));
    let path = if path.is_empty() { "/" } else { path };
    Place { url: format!("https://{name}.{namespace}.svc:{port}{path}"), at, authorities }
}
