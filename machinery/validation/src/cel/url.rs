//! URLs, as Go reads them.

use crate::format::Format;

/// A URL, cut into the parts that expressions can ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Url {
    text: String,
    pub(crate) scheme: String,
    /// With the port.
    pub(crate) host: String,
    path: String,
    query: String,
}

impl Url {
    pub(crate) fn is_url(text: &str) -> bool {
        Format::named("uri").is_some_and(|format| format.accepts(text))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if !Self::is_url(text) {
            let shown = crate::text::quoted(text);
            return Err(format!(
                "URL parse error during conversion from string: parse {shown}: invalid URI for request"
            ));
        }
        let rest = text.split_once('#').map_or(text, |(rest, _)| rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        let (scheme, rest) = match rest.as_bytes().get(end) {
            Some(b':') if !rest.starts_with('/') => (rest[..end].to_ascii_lowercase(), &rest[end + 1..]),
            _ => (String::new(), rest),
        };
        let (mut host, mut path) = (String::new(), rest);
        if let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            let (authority, after) = after.split_at(after.find('/').unwrap_or(after.len()));
            let of_host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            host = unescaped(of_host, false).unwrap_or_else(|| of_host.to_owned());
            path = after;
        } else if !rest.starts_with('/') {
            // What follows a scheme without a slash is no path.
            path = "";
        }
        Ok(Self { text: text.to_owned(), scheme, host, path: path.to_owned(), query: query.to_owned() })
    }

    /// The host without the port and without brackets.
    pub(crate) fn hostname(&self) -> &str {
        let host = match self.port() {
            "" => self.host.strip_suffix(':').unwrap_or(&self.host),
            port => &self.host[..self.host.len() - port.len() - 1],
        };
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    pub(crate) fn port(&self) -> &str {
        match self.host.rsplit_once(':') {
            Some((before, port))
                if port.bytes().all(|b| b.is_ascii_digit())
                    && (!before.contains(':') || before.ends_with(']')) =>
            {
                port
            }
            _ => "",
        }
    }

    /// The path, with escapes for what cannot be in one.
    pub(crate) fn escaped_path(&self) -> String {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@[]%/".contains(&b);
        if self.path.bytes().all(allowed) {
            return self.path.clone();
        }
        let plain = unescaped(&self.path, false).unwrap_or_else(|| self.path.clone());
        let mut out = String::new();
        for b in plain.bytes() {
            if b.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&b) {
                out.push(char::from(b));
            } else {
                out.push_str(&format!("%{b:02X}"));
            }
        }
        out
    }

    /// The values of the query by their keys, in the order in which these come first.
    pub(crate) fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut out: Vec<(String, Vec<String>)> = Vec::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(key), Some(value)) = (unescaped(key, true), unescaped(value, true)) else { continue };
            match out.iter_mut().find(|(found, _)| *found == key) {
                Some((_, values)) => values.push(value),
                None => out.push((key, vec![value])),
            }
        }
        out
    }
}

fn unescaped(text: &str, is_query: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            b'+' if is_query => out.push(b' '),
            b => out.push(b),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found() {
        let url = Url::parse("https://user:a@[::1]:80/p a/b?k=1&k=%20&l#x").unwrap();
        assert_eq!(
            (&*url.scheme, &*url.host, url.hostname(), url.port()),
            ("https", "[::1]:80", "::1", "80")
        );
        assert_eq!(url.escaped_path(), "/p%20a/b");
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        assert_eq!(url.query(), [("k".to_owned(), values(&["1", " "])), ("l".to_owned(), values(&[""]))]);
        let path = Url::parse("/a/b").unwrap();
        assert_eq!((&*path.scheme, &*path.host, path.hostname(), path.port()), ("", "", "", ""));
        assert!(Url::parse("../a").is_err());
    }
}
