//! URIs, as Go's `url.ParseRequestURI` reads them: absolute ones, and absolute paths.

use std::net::Ipv6Addr;

pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = scheme(text) else { return false };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !path.starts_with('/') {
        // What follows a scheme without a slash is opaque.
        return !scheme.is_empty();
    }
    match path.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        None => is_escaped(path, |_| true),
        Some(after) => {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            is_authority(authority) && is_escaped(path, |_| true)
        }
    }
}

/// The scheme, which may be empty, and the rest. `None` if the text begins with a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return None,
            b':' => return Some((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

/// Whether every `%` has two hexadecimal digits, which `allowed` accepts.
fn is_escaped(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.get(..2).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).is_some_and(&allowed)
    })
}

fn is_authority(text: &str) -> bool {
    let is_user = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    match text.rsplit_once('@') {
        None => is_host(text),
        Some((user, host)) => is_host(host) && user.bytes().all(is_user) && is_escaped(user, |_| true),
    }
}

/// Whether a host may contain this byte as it is.
fn is_of_host(b: u8) -> bool {
    b >= 0x80 || b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&b)
}

/// Whether a part of a host is right, in which only bytes beyond ASCII may be escaped, and the percent sign.
fn is_host_part(text: &str) -> bool {
    text.bytes().all(is_of_host) && is_escaped(text, |b| b >= 0x80 || b == b'%')
}

fn is_host(text: &str) -> bool {
    let is_port = |port: &str| match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    match text.rfind('[') {
        Some(0) => {
            let Some((address, port)) = text[1..].rsplit_once(']') else { return false };
            let (address, zone) = match address.split_once("%25") {
                Some((address, zone)) => (address, Some(zone)),
                None => (address, None),
            };
            let is_zone = |zone: &str| {
                let in_zone = |b: u8| b == b' ' || b == b'%' || is_of_host(b);
                !zone.is_empty() && zone.bytes().all(is_of_host) && is_escaped(zone, in_zone)
            };
            is_port(port) && address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(is_zone)
        }
        Some(_) => false,
        None => {
            // Without brackets, the only colon is that before the port.
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            is_port(port) && is_host_part(host)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_request_uri;

    #[test]
    fn uris() {
        for good in [
            "http://example.com",
            "http://example.com:8080/a%20b?%zz#c",
            "http://user:p%40ss@example.com/",
            "mailto:someone@example.com",
            "/absolute/path",
            "//no/scheme",
            "*",
            "http://[::1]:80/",
            "http://[fe80::1%25eth0]/",
            "http://例え.jp",
            "http://%e4%be%8b.jp",
            "urn:a b",
            "http://",
        ] {
            assert!(is_request_uri(good), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "./relative",
            ":no",
            "1http://example.com",
            "http://a b.com",
            "http://example.com:port/",
            "http://example.com/%zz",
            "http://[::1/",
            "http://[1.2.3.4]/",
            "http://a[::1]/",
            "http://[fe80::1%25]/",
            "http://%41.com",
            "http://example.com:80:80/",
            "http://::1/",
            "http://us er@example.com/",
            "http://example.com/\n",
        ] {
            assert!(!is_request_uri(bad), "{bad}");
        }
    }
}
