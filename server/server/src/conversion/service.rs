//! Where the services of a cluster are that webhooks are behind.

use std::str::FromStr;

use thiserror::Error;
use ureq::http::Uri;

/// Where the webhooks behind a service are reached: `NAMESPACE/NAME[:PORT]=URL`.
///
/// A definition may name its webhook by a service of the cluster. The server connects to the host and port of the URL instead,
/// and expects the certificate of the service, `NAME.NAMESPACE.svc`, as in a cluster.
///
/// ```
/// use hubgen_server::ServiceUrl;
///
/// assert!("shop/webhook:9443=https://127.0.0.1:9443".parse::<ServiceUrl>().is_ok());
/// assert!("shop/webhook=http://127.0.0.1".parse::<ServiceUrl>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceUrl {
    namespace: String,
    name: String,
    /// `None`: whatever port a definition names.
    port: Option<u16>,
    host: String,
    at: u16,
}

/// A text is no [`ServiceUrl`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected NAMESPACE/NAME[:PORT]=https://HOST[:PORT], found {text:?}: {why}")]
pub struct InvalidServiceUrl {
    text: String,
    why: &'static str,
}

impl FromStr for ServiceUrl {
    type Err = InvalidServiceUrl;

    fn from_str(text: &str) -> Result<Self, InvalidServiceUrl> {
        read(text).map_err(|why| InvalidServiceUrl { text: text.to_owned(), why })
    }
}

fn read(text: &str) -> Result<ServiceUrl, &'static str> {
    let (service, url) = text.split_once('=').ok_or("there is no `=`")?;
    let (namespace, name) = service.split_once('/').ok_or("there is no `/`")?;
    let (name, port) = match name.split_once(':') {
        Some((name, port)) => (name, Some(port.parse().map_err(|_| "the port is no number")?)),
        None => (name, None),
    };
    if namespace.is_empty() || name.is_empty() {
        return Err("a name is empty");
    }
    let url: Uri = url.parse().map_err(|_| "what follows `=` is no URL")?;
    if url.scheme_str() != Some("https") {
        return Err("the URL does not begin with https://");
    }
    if url.query().is_some() || !matches!(url.path(), "" | "/") {
        return Err("the URL has a path, which definitions name");
    }
    let authority = url.authority().filter(|authority| !authority.as_str().contains('@'));
    let authority = authority.ok_or("the URL has a user")?;
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    let at = authority.port_u16().unwrap_or(443);
    Ok(ServiceUrl { namespace, name, port, host: authority.host().to_owned(), at })
}

/// The host and port at which a service is reached, if one of them tells. What names the port goes before what does not.
pub(super) fn found<'s>(
    services: &'s [ServiceUrl],
    namespace: &str,
    name: &str,
    port: u16,
) -> Option<(&'s str, u16)> {
    let mut of_service =
        services.iter().filter(|service| service.namespace == namespace && service.name == name);
    let exact = of_service.clone().find(|service| service.port == Some(port));
    let found = exact.or_else(|| of_service.find(|service| service.port.is_none()))?;
    Some((&found.host, found.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_found() {
        let services: Vec<ServiceUrl> =
            ["a/b=https://one", "a/b:9443=https://[::1]:2", "c/b=https://three:3/"]
                .map(|text| text.parse().unwrap())
                .into();
        assert_eq!(found(&services, "a", "b", 443), Some(("one", 443)));
        assert_eq!(found(&services, "a", "b", 9443), Some(("[::1]", 2)));
        assert_eq!(found(&services, "c", "b", 1), Some(("three", 3)));
        assert_eq!(found(&services, "a", "c", 443), None);
    }

    #[test]
    fn wrong_texts_are_refused() {
        for (text, why) in [
            ("a/b", "there is no `=`"),
            ("b=https://a", "there is no `/`"),
            ("/b=https://a", "a name is empty"),
            ("a/b:x=https://a", "the port is no number"),
            ("a/b=http://a", "does not begin with https://"),
            ("a/b=https://a/path", "has a path"),
            ("a/b=https://me@a", "has a user"),
            ("a/b=", "is no URL"),
        ] {
            let error = text.parse::<ServiceUrl>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
