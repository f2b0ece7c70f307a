//! The conversion webhook of kinds with several versions, as their definitions name it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hubgen_model::{Api, Definition, Shared, Type};
use serde_json::{Map, Value, json};

/// The webhook that converts a repository's kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Where it is.
    pub address: Address,
    /// The Certificate of cert-manager from which its injector writes `caBundle`: `namespace/name`.
    pub ca_from: Option<String>,
    /// Whether definitions name it although a version that is served does not convert: reads at that version fail then.
    pub incomplete: bool,
}

/// Versions that do not convert, or to which a webhook would have to convert, by the group and the plural of their
/// kinds.
pub type Unconverted = BTreeMap<(String, String), BTreeSet<String>>;

/// Where a webhook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Service of the cluster.
    Service {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// Its port; 443 if there is none.
        port: Option<u16>,
        /// The path of requests: `/convert`.
        path: String,
    },
    /// Any server.
    Url(String),
}

/// The path of requests, unless somebody writes another one.
pub const PATH: &str = "/convert";

/// The annotation by which cert-manager writes `caBundle`.
const CA_FROM: &str = "cert-manager.io/inject-ca-from";

/// Why a text is no address of a webhook, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAddress(String);

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidAddress {}

impl Address {
    /// Reads `NAMESPACE/NAME`, with the usual port and path, or a URL.
    ///
    /// ```
    /// use hubgen_documents::crd::Address;
    ///
    /// assert!(matches!(Address::parse("certs/webhook"), Ok(Address::Service { .. })));
    /// assert!(matches!(Address::parse("https://example.com/convert"), Ok(Address::Url(_))));
    /// assert!(Address::parse("webhook").is_err());
    /// ```
    ///
    /// # Errors
    /// If it is neither, or a URL that an API server refuses.
    pub fn parse(text: &str) -> Result<Self, InvalidAddress> {
        if text.contains("://") {
            return url(text);
        }
        let (namespace, name) = names(text).ok_or_else(|| {
            InvalidAddress(format!("`{text}` is neither `NAMESPACE/NAME` of a Service nor a URL with https"))
        })?;
        Ok(Self::Service { namespace, name, port: None, path: PATH.to_owned() })
    }
}

/// Checks a URL as API servers do.
fn url(text: &str) -> Result<Address, InvalidAddress> {
    let wrong = match text.strip_prefix("https://") {
        None => Some("its scheme is not https"),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some("it names no host"),
        Some(rest) if rest.split('/').next().is_some_and(|host| host.contains('@')) => {
            Some("it names a user")
        }
        Some(rest) if rest.contains(['?', '#']) => Some("it has a query or a fragment"),
        Some(_) => None,
    };
    match wrong {
        Some(wrong) => Err(InvalidAddress(format!("API servers refuse the URL `{text}`: {wrong}"))),
        None => Ok(Address::Url(text.to_owned())),
    }
}

/// The parts of `NAMESPACE/NAME`.
pub(crate) fn names(text: &str) -> Option<(String, String)> {
    let (namespace, name) = text.split_once('/')?;
    (is_subdomain(namespace) && is_subdomain(name)).then(|| (namespace.to_owned(), name.to_owned()))
}

/// What API servers would refuse in the path of requests to a Service (`ValidateWebhookService` in apiserver).
pub(crate) fn path_fault(path: &str) -> Option<String> {
    let Some(rest) = path.strip_prefix('/') else { return Some("it does not begin with `/`".to_owned()) };
    if rest.is_empty() {
        return None;
    }
    let wrong = rest.strip_suffix('/').unwrap_or(rest).split('/').find(|part| !is_subdomain(part))?;
    Some(format!(
        "between its slashes API servers accept lower-case letters, digits, `-` and `.`, found `{wrong}`"
    ))
}

/// Whether it is a subdomain of RFC 1123.
fn is_subdomain(text: &str) -> bool {
    let is_in_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(is_in_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

impl Webhook {
    /// Names the webhook in the definitions of all kinds with several versions. Definitions of kinds with one version
    /// stay as they are: their objects never convert. So do those of kinds of which a version is served and does not
    /// convert, unless the webhook is [`incomplete`](Self::incomplete).
    pub fn set(&self, api: &mut Api, unconverted: &Unconverted) {
        let mut versions: BTreeMap<(String, String), usize> = BTreeMap::new();
        for ty in api.own_types() {
            if let Some(resource) = defined(ty) {
                *versions.entry(resource).or_default() += 1;
            }
        }
        for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
            let Some(resource) = defined(ty) else { continue };
            let is_one = versions.get(&resource).is_none_or(|n| *n < 2);
            if is_one || (unconverted.contains_key(&resource) && !self.incomplete) {
                continue;
            }
            let definition = ty.kind.as_mut().and_then(|kind| kind.definition.as_deref_mut());
            if let Some(Definition { shared, .. }) = definition.filter(|definition| definition.storage) {
                self.set_shared(shared.get_or_insert_default());
            }
        }
    }

    fn set_shared(&self, shared: &mut Shared) {
        shared.conversion = Some(json!({
            "strategy": "Webhook",
            "webhook": {"clientConfig": self.client_config(), "conversionReviewVersions": ["v1"]},
        }));
        if let Some(certificate) = &self.ca_from {
            shared.annotations.insert(CA_FROM.to_owned(), certificate.clone());
        }
    }

    fn client_config(&self) -> Value {
        match &self.address {
            Address::Url(url) => json!({"url": url}),
            Address::Service { namespace, name, port, path } => {
                let mut service = Map::new();
                service.insert("name".to_owned(), name.clone().into());
                service.insert("namespace".to_owned(), namespace.clone().into());
                service.insert("path".to_owned(), path.clone().into());
                service.extend(port.map(|port| ("port".to_owned(), port.into())));
                json!({"service": service})
            }
        }
    }
}

/// Of versions that do not convert, those that the API server serves by a definition.
pub fn served(api: &Api, is_unconverted: impl Fn(&Type) -> bool) -> Unconverted {
    let mut out = Unconverted::new();
    for ty in api.own_types() {
        let is_served = ty
            .kind
            .as_ref()
            .and_then(|kind| kind.definition.as_ref())
            .is_some_and(|definition| definition.served);
        if let Some(resource) = defined(ty).filter(|_| is_served && is_unconverted(ty)) {
            out.entry(resource).or_default().insert(ty.id.group_version.version.clone());
        }
    }
    out
}

/// The versions of definitions by which an API server changes nothing but `apiVersion`, although objects convert
/// between versions that it serves or stores. `converts` tells whether something of a version differs from the hub.
pub fn without_webhook(api: &Api, converts: impl Fn(&Type) -> bool) -> Unconverted {
    let (mut out, mut differing, mut named) = (Unconverted::new(), BTreeSet::new(), BTreeSet::new());
    for ty in api.own_types() {
        let Some(definition) = ty.kind.as_ref().and_then(|kind| kind.definition.as_deref()) else { continue };
        let Some(resource) = defined(ty) else { continue };
        let conversion = definition.shared.as_ref().and_then(|shared| shared.conversion.as_ref());
        if conversion.is_some_and(|conversion| conversion["strategy"] == "Webhook") {
            named.insert(resource.clone());
        }
        if !definition.served && !definition.storage {
            continue;
        }
        if converts(ty) {
            differing.insert(resource.clone());
        }
        out.entry(resource).or_default().insert(ty.id.group_version.version.clone());
    }
    out.retain(|resource, versions| {
        versions.len() > 1 && differing.contains(resource) && !named.contains(resource)
    });
    out
}

/// Group and resource of a kind that has a definition.
fn defined(ty: &Type) -> Option<(String, String)> {
    let kind = ty.kind.as_ref()?;
    kind.definition.as_ref()?;
    Some((ty.id.group_version.group.clone(), kind.resource.as_ref()?.plural.clone()))
}
