//! Image pull policies, derived from image references.

use super::access::{set_text, text};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::Reflect;

/// For a container: `imagePullPolicy` from `image`.
pub fn container_pull_policy(container: &mut dyn Reflect, _: &Context) {
    fill(container, "image", "imagePullPolicy");
}

/// For an image volume: `pullPolicy` from `reference`.
pub fn volume_pull_policy(source: &mut dyn Reflect, _: &Context) {
    fill(source, "reference", "pullPolicy");
}

fn fill(object: &mut dyn Reflect, image: &str, policy: &str) {
    if text(object, policy).is_empty() {
        let is_latest = tag(text(object, image)) == Some("latest");
        set_text(object, policy, if is_latest { "Always" } else { "IfNotPresent" });
    }
}

/// The tag of an image reference: `latest` if it has neither tag nor digest; `None` if it has only
/// a digest, or is invalid.
///
/// The grammar is that of the OCI distribution project: `[domain/]path[:tag][@digest]`.
fn tag(reference: &str) -> Option<&str> {
    let (named, digest) = match reference.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (reference, None),
    };
    // A colon before the last slash belongs to the domain's port.
    let (name, tag) = match named.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (named, None),
    };
    let is_valid = is_name(name) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest);
    if !is_valid || (is_id(reference)) {
        return None;
    }
    match (tag, digest) {
        (None, None) => Some("latest"),
        (tag, _) => tag,
    }
}

/// The id of an image is not a valid name.
fn is_id(reference: &str) -> bool {
    reference.len() == 64 && reference.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn is_name(name: &str) -> bool {
    // If the first part is not a domain, it belongs to the path.
    let (domain, path) = match name.split_once('/') {
        Some((first, rest))
            if first.contains(['.', ':']) || first == "localhost" || first.to_lowercase() != first =>
        {
            (Some(first), rest)
        }
        _ => (None, name),
    };
    // A name without a domain means docker.io, and a name with a single part means the folder
    // `library` there.
    let prefix = match domain {
        Some(domain) => domain.len() + 1,
        None if path.contains('/') => "docker.io/".len(),
        None => "docker.io/library/".len(),
    };
    domain.is_none_or(is_domain) && path.split('/').all(is_component) && prefix + path.len() <= 255
}

/// Lower case words, separated by single dots, one or two underscores, or dashes.
fn is_component(component: &str) -> bool {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    let mut separator = 0..0;
    let is_separator = |text: &[u8]| match text {
        [] | [b'.'] | [b'_'] | [b'_', b'_'] => true,
        text => text.iter().all(|byte| *byte == b'-'),
    };
    for (at, byte) in bytes.iter().enumerate() {
        if is_alphanumeric(*byte) {
            if !is_separator(&bytes[separator.clone()]) {
                return false;
            }
            separator = at + 1..at + 1;
        } else {
            separator.end = at + 1;
        }
    }
    bytes.first().is_some_and(|byte| is_alphanumeric(*byte)) && separator.is_empty()
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (domain, None),
    };
    let is_label = |label: &str| {
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_v6 = |host: &str| {
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).is_some_and(|address| {
            !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':')
        })
    };
    (is_v6(host) || host.split('.').all(is_label))
        && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(is_lower_hex)
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_found_by_the_grammar() {
        let hex = "0123456789abcdef".repeat(4);
        let digest = format!("sha256:{hex}");
        for (reference, wanted) in [
            ("nginx", Some("latest")),
            ("nginx:1.7.9", Some("1.7.9")),
            ("nginx:latest", Some("latest")),
            ("library/nginx", Some("latest")),
            ("registry:5000/nginx", Some("latest")),
            ("registry:5000/nginx:v1", Some("v1")),
            ("[::1]:5000/a/b__c.d--e:v1", Some("v1")),
            ("Registry.example.com/nginx", Some("latest")),
            (&format!("nginx@{digest}"), None),
            (&format!("nginx:latest@{digest}"), Some("latest")),
            // Invalid references.
            ("", None),
            ("Nginx", None),
            ("nginx:", None),
            ("nginx::latest", None),
            ("a//b", None),
            ("a..b", None),
            ("a_-b", None),
            ("-a", None),
            ("a-", None),
            ("nginx:latest@sha256:12", None),
            (&hex, None),
            (&"a".repeat(300), None),
        ] {
            assert_eq!(tag(reference), wanted, "{reference}");
        }
    }
}
