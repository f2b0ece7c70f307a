//! Addresses of webhooks and approvals, as Go's `net/url` reads them.

use std::net::Ipv6Addr;

use crate::error::FieldError;
use crate::text::quoted;

/// The parts of an address that are checked.
#[derive(Debug, Default, PartialEq, Eq)]
struct Url {
    scheme: String,
    user: Option<String>,
    host: String,
    query: String,
}

/// Adds what is wrong with the address of a webhook.
pub(super) fn check(text: &str, path: &str, found: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
    let url = parse(address, false).map_err(|why| (address, why)).and_then(|url| match escapes(fragment) {
        Ok(()) => Ok(url),
        Err(why) => Err((text, why)),
    });
    let url = match url {
        Ok(url) => url,
        Err((what, why)) => {
            let why = format!("url must be a valid URL: parse {}: {why}{FORM}", quoted(what));
            found.push(FieldError::required(path, &why));
            return;
        }
    };
    let mut wrong = |value: &str, why: &str| found.push(FieldError::invalid_text(path, value, why));
    if url.scheme != "https" {
        wrong(&url.scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        wrong(&url.host, &format!("host must be specified{FORM}"));
    }
    if let Some(user) = &url.user {
        wrong(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        wrong(fragment, "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        wrong(&url.query, "query parameters are not permitted in the URL");
    }
}

/// Whether a text is an address with a scheme and a host.
pub(super) fn is_absolute(text: &str) -> bool {
    parse(text, true).is_ok_and(|url| !url.scheme.is_empty() && !url.host.is_empty())
}

/// Reads an address without its fragment. That of a request must not be relative.
fn parse(text: &str, is_of_request: bool) -> Result<Url, String> {
    if text.chars().any(|c| c.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && is_of_request {
        return Err("empty url".to_owned());
    }
    if text == "*" {
        return Ok(Url::default());
    }
    let (scheme, rest) = scheme(text)?;
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    query.clone_into(&mut url.query);
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Ok(url);
        }
        if is_of_request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().unwrap_or_default().contains(':') {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let may_have_host = !url.scheme.is_empty() || !is_of_request && !rest.starts_with("///");
    let path = match rest.strip_prefix("//").filter(|_| may_have_host) {
        None => rest,
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let (user, name) = match authority.rsplit_once('@') {
                None => (None, authority),
                Some((user, name)) => (Some(user), name),
            };
            url.host = host(&url.scheme, name)?;
            if let Some(user) = user {
                let is_valid = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
                if !user.chars().all(is_valid) {
                    return Err("net/url: invalid userinfo".to_owned());
                }
                escapes(user)?;
                url.user = Some(user.to_owned());
            }
            path
        }
    };
    escapes(path)?;
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    let is_other = |(at, c): (usize, char)| match c {
        'a'..='z' | 'A'..='Z' => false,
        '0'..='9' | '+' | '-' | '.' => at == 0,
        _ => true,
    };
    match text.char_indices().find(|found| is_other(*found)) {
        Some((0, ':')) => Err("missing protocol scheme".to_owned()),
        Some((at, ':')) => Ok((&text[..at], &text[at + 1..])),
        _ => Ok(("", text)),
    }
}

fn host(scheme: &str, host: &str) -> Result<String, String> {
    let port_of = |port: &str| {
        let is_valid = port.is_empty()
            || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        if is_valid { Ok(()) } else { Err(format!("invalid port {} after host", quoted(port))) }
    };
    match host.rfind('[') {
        Some(0) => {
            let close = host.rfind(']').ok_or("missing ']' in host")?;
            port_of(&host[close + 1..])?;
            let (address, _) = host[1..close].split_once("%25").unwrap_or((&host[1..close], ""));
            let parsed: Result<Ipv6Addr, _> = address.parse();
            parsed
                .map_err(|_| format!("invalid host: ParseAddr({}): unable to parse IP", quoted(address)))?;
            return Ok(host.to_owned());
        }
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    let is_of_web = matches!(scheme, "http" | "https");
    let colon = if is_of_web { host.find(':') } else { host.rfind(':') };
    port_of(colon.map_or("", |at| &host[at..]))?;
    let bytes = host.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'%' => {
                let escape = host.get(at..at + 3).unwrap_or(&host[at..]);
                let is_allowed =
                    escape == "%25" || bytes.get(at + 1).is_some_and(|digit| !(b'0'..=b'7').contains(digit));
                if !is_escape(escape) || !is_allowed {
                    return Err(format!("invalid URL escape {}", quoted(escape)));
                }
            }
            0x80.. => {}
            b if b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(b) => {}
            b => {
                return Err(format!(
                    "invalid character {} in host name",
                    quoted(&char::from(*b).to_string())
                ));
            }
        }
    }
    Ok(host.to_owned())
}

fn is_escape(text: &str) -> bool {
    text.len() == 3 && text.bytes().skip(1).all(|digit| digit.is_ascii_hexdigit())
}

/// Checks that each percent sign has two digits.
fn escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let end = text.len().min(at + 3);
        let escape = text.get(at..end).unwrap_or(&text[at..]);
        if !is_escape(escape) {
            return Err(format!("invalid URL escape {}", quoted(escape)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_webhooks() {
        let errors = |text: &str| {
            let mut found = Vec::new();
            check(text, "url", &mut found);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for text in
            ["https://a", "https://a:1/b%20c", "HTTPS://[::1]:8443/x", "https://é.example", "https://%c3%a9"]
        {
            assert_eq!(errors(text), [""; 0], "{text}");
        }
        for (text, expected) in [
            (
                "http://a",
                "url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
            ),
            (
                "https://",
                "url: Invalid value: \"\": host must be specified; desired format: https://host[/path]",
            ),
            ("https://u:p@a", "url: Invalid value: \"u:p\": user information is not permitted in the URL"),
            ("https://a#b", "url: Invalid value: \"b\": fragments are not permitted in the URL"),
            ("https://a?b=c", "url: Invalid value: \"b=c\": query parameters are not permitted in the URL"),
            (
                ":a",
                "url: Required value: url must be a valid URL: parse \":a\": missing protocol scheme; desired format: https://host[/path]",
            ),
            (
                "https://a:b",
                "url: Required value: url must be a valid URL: parse \"https://a:b\": invalid port \":b\" after host; desired format: https://host[/path]",
            ),
            (
                "https://a b",
                "url: Required value: url must be a valid URL: parse \"https://a b\": invalid character \" \" in host name; desired format: https://host[/path]",
            ),
            (
                "https://a/%zz",
                "url: Required value: url must be a valid URL: parse \"https://a/%zz\": invalid URL escape \"%zz\"; desired format: https://host[/path]",
            ),
        ] {
            assert_eq!(errors(text), [expected], "{text}");
        }
    }

    #[test]
    fn addresses_of_approvals() {
        for text in ["https://github.com/kubernetes/kubernetes/pull/1", "ftp://a"] {
            assert!(is_absolute(text), "{text}");
        }
        for text in ["", "/a", "//a/b", "https:", "mailto:a", "a b"] {
            assert!(!is_absolute(text), "{text}");
        }
    }
}
