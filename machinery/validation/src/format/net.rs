//! Addresses of networks.

use std::net::{Ipv4Addr, Ipv6Addr};

/// An IPv4 address, or an IPv6 address with an IPv4 address at its end. Leading zeros are allowed.
pub(super) fn is_ipv4(text: &str) -> bool {
    match text.find(['.', ':']) {
        Some(at) if text[at..].starts_with('.') => is_loose_ipv4(text),
        Some(_) => text.contains('.') && is_loose_ipv6(text),
        None => false,
    }
}

/// An IPv6 address without a zone.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Any address.
pub(super) fn is_ip(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok() || is_ipv6(text)
}

/// An address with the length of a prefix. Leading zeros are allowed.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let is_number = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
    let length = length.trim_start_matches('0');
    let length: u32 = if length.is_empty() { 0 } else { length.parse().unwrap_or(u32::MAX) };
    is_number && ((is_loose_ipv4(address) && length <= 32) || (is_loose_ipv6(address) && length <= 128))
}

/// A hardware address of 6, 8 or 20 bytes: `00:00:5e:00:53:01`, `00-00-5e-00-53-01` or `0000.5e00.5301`.
pub(super) fn is_mac(text: &str) -> bool {
    let has_parts = |separator: char, digits: usize, counts: [usize; 3]| {
        let is_part = |part: &str| part.len() == digits && part.bytes().all(|b| b.is_ascii_hexdigit());
        counts.contains(&text.split(separator).count()) && text.split(separator).all(is_part)
    };
    has_parts(':', 2, [6, 8, 20]) || has_parts('-', 2, [6, 8, 20]) || has_parts('.', 4, [3, 4, 10])
}

fn is_loose_ipv4(text: &str) -> bool {
    let is_part = |part: &str| {
        let digits = part.trim_start_matches('0');
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (digits.is_empty() || digits.parse::<u8>().is_ok())
    };
    text.split('.').count() == 4 && text.split('.').all(is_part)
}

fn is_loose_ipv6(text: &str) -> bool {
    let text = match text.rsplit_once(':') {
        Some((groups, end)) if end.contains('.') && is_loose_ipv4(end) => format!("{groups}:0:0"),
        _ => text.to_owned(),
    };
    let short = |group: &str| match group.trim_start_matches('0') {
        "" if !group.is_empty() => "0".to_owned(),
        group => group.to_owned(),
    };
    let groups: Vec<String> = text.split(':').map(short).collect();
    is_ipv6(&groups.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (check, good, bad) in [
            (
                is_ipv4 as fn(&str) -> bool,
                &["1.2.3.4", "010.001.0.0", "::ffff:1.2.3.4", "::ffff:01.2.3.4"][..],
                &["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "::1", "1.2.3.x", "+1.2.3.4"][..],
            ),
            (
                is_ipv6,
                &["::", "::1", "2001:db8::1", "::ffff:1.2.3.4"],
                &["", "1.2.3.4", "fe80::1%eth0", "::1::", "g::"],
            ),
            (
                is_cidr,
                &["10.0.0.0/8", "010.0.0.0/08", "::/0", "2001:db8::/128"],
                &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8", "10.0.0/8"],
            ),
            (
                is_mac,
                &["00:00:5e:00:53:01", "02-00-5E-10-00-00-00-01", "0000.5e00.5301"],
                &["", "00:00:5e:00:53", "00:00-5e:00:53:01", "0:0:5e:0:53:1", "0000:5e00:5301"],
            ),
        ] {
            for good in good {
                assert!(check(good), "{good}");
            }
            for bad in bad {
                assert!(!check(bad), "{bad}");
            }
        }
    }
}
