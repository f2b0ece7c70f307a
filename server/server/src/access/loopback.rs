//! Restricts plain HTTP to programs on this machine.
//!
//! The server listens on the loopback interface only, but a web page can make a browser on the same
//! machine send requests there: a page whose own host name resolves to 127.0.0.1 (DNS rebinding),
//! or any page with a form or a script. The first has a foreign `Host`, the second a foreign
//! `Origin` or a `Sec-Fetch-Site` that no page can forge. Other clients send the host that they
//! connect to, and neither of the other headers.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::HeaderValue;
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::Denied;

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// Lets requests of programs on this machine in.
///
/// # Errors
/// [`Denied::Host`] and [`Denied::Foreign`].
pub(crate) fn check(Parts { uri, headers, .. }: &Parts) -> Result<(), Denied> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next(), uri.authority()) {
        (_, Some(_), _) => return Err(Denied::Host("the request has more than one Host header")),
        // The request target overrides the header, so both are checked.
        (Some(host), None, authority) => {
            check_host(text(host))?;
            authority.map_or(Ok(()), |authority| check_host(authority.as_str()))?;
        }
        (None, None, Some(authority)) => check_host(authority.as_str())?,
        (None, None, None) => return Err(Denied::Host("the request has no Host header")),
    }
    for origin in headers.get_all(ORIGIN).iter().map(text) {
        if !is_local_origin(origin) {
            return Err(Denied::Foreign(format!(
                "the Origin {origin:?} is a foreign web page: this server accepts only http:// and https:// origins on a \
                 loopback address"
            )));
        }
    }
    if headers.get_all(SEC_FETCH_SITE).iter().any(|site| site.as_bytes().eq_ignore_ascii_case(b"cross-site"))
    {
        return Err(Denied::Foreign(
            "a web page of another site sent this request (Sec-Fetch-Site: cross-site): this server accepts only \
             requests of programs and of pages on a loopback address"
                .to_owned(),
        ));
    }
    Ok(())
}

fn check_host(host: &str) -> Result<(), Denied> {
    if is_local(host) {
        return Ok(());
    }
    Err(Denied::Foreign(format!(
        "the host {host:?} is not a loopback address: over plain HTTP this server accepts only localhost, 127.0.0.0/8 and \
         [::1]"
    )))
}

/// A value that is not text is replaced by `?`, which is not a host.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}

fn is_local_origin(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some_and(is_local)
}

/// Whether a host, with or without a port, is a loopback address.
fn is_local(host: &str) -> bool {
    // `Authority` accepts a user name before the host.
    if host.contains('@') {
        return false;
    }
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let has_good_port = match host[name.len()..].strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok(),
        None => host.len() == name.len(),
    };
    let v6 = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    has_good_port
        && match v6 {
            Some(address) => address.parse() == Ok(Ipv6Addr::LOCALHOST),
            None => {
                let name = name.strip_suffix('.').unwrap_or(name);
                name.eq_ignore_ascii_case("localhost")
                    || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for host in ["localhost", "LOCALHOST:1", "localhost.", "127.0.0.1", "127.255.0.9:65535", "[::1]:8001"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in
            ["", ".", "[::1", "::1", "[::1]x", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.01", "a@localhost"]
        {
            assert!(!is_local(host), "{host}");
        }
    }
}
