//! IP addresses and networks, as Kubernetes reads them: no zones, and no IPv4 in IPv6.

use std::fmt;
use std::net::IpAddr;

use crate::text::quoted;

/// A network: an address, and how many of its bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr {
    pub(crate) ip: IpAddr,
    pub(crate) bits: u8,
}

pub(crate) fn parse_ip(text: &str) -> Result<IpAddr, String> {
    let shown = quoted(text);
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V6(_)) if zone.is_some_and(|zone| !zone.is_empty()) => {
            Err(format!("IP address {shown} with zone value is not allowed"))
        }
        Ok(IpAddr::V6(ip)) if zone.is_none() && ip.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {shown} is not allowed"))
        }
        Ok(ip) if zone.is_none() => Ok(ip),
        _ => Err(format!(
            "IP Address {shown} parse error during conversion from string: ParseAddr({shown}): unable to parse IP"
        )),
    }
}

/// The octets of an address.
fn octets(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    }
}

pub(crate) fn size(ip: IpAddr) -> u64 {
    if ip.is_ipv4() { 4 } else { 16 }
}

impl Cidr {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        const WHERE: &str = "network address parse error during conversion from string";
        let shown = quoted(text);
        let wrong = |why: &str| format!("{WHERE}: {WHERE}: netip.ParsePrefix({shown}): {why}");
        let (address, bits) = text.rsplit_once('/').ok_or_else(|| wrong("no '/'"))?;
        let ip: IpAddr = address
            .parse()
            .map_err(|_| wrong(&format!("ParseAddr({}): unable to parse IP", quoted(address))))?;
        let is_number = !bits.is_empty()
            && bits.bytes().all(|b| b.is_ascii_digit())
            && (bits.len() == 1 || !bits.starts_with('0'));
        let number = bits.parse::<u8>().ok().filter(|_| is_number);
        let bits = number.ok_or_else(|| wrong(&format!("bad bits after slash: {}", quoted(bits))))?;
        if u64::from(bits) > size(ip) * 8 {
            return Err(wrong("prefix length out of range"));
        }
        if matches!(ip, IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some()) {
            return Err(format!("{WHERE}: IPv4-mapped IPv6 address {shown} is not allowed"));
        }
        Ok(Self { ip, bits })
    }

    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }

    pub(crate) fn contains(self, ip: IpAddr) -> bool {
        self.ip.is_ipv4() == ip.is_ipv4() && self.masked().ip == (Self { ip, bits: self.bits }).masked().ip
    }

    pub(crate) fn contains_cidr(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.ip)
    }

    /// The network, with zeros for the bits that do not count.
    pub(crate) fn masked(self) -> Self {
        let mut octets = octets(self.ip);
        for (at, octet) in octets.iter_mut().enumerate() {
            let kept = (usize::from(self.bits)).saturating_sub(at * 8).min(8);
            *octet &= !(u8::MAX.checked_shr(u32::try_from(kept).unwrap_or(8)).unwrap_or(0));
        }
        let ip = match <[u8; 4]>::try_from(&octets[..]) {
            Ok(octets) => octets.into(),
            Err(_) => <[u8; 16]>::try_from(&octets[..]).map_or(self.ip, Into::into),
        };
        Self { ip, bits: self.bits }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.ip, self.bits)
    }
}

/// What an address is for.
pub(crate) fn is(function: &str, ip: IpAddr) -> bool {
    match function {
        "isUnspecified" => ip.is_unspecified(),
        "isLoopback" => ip.is_loopback(),
        "isLinkLocalMulticast" => match ip {
            IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
            IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
        },
        "isLinkLocalUnicast" => match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
        },
        // As Go: not only global addresses, but all that are for none of the other purposes.
        _ => {
            let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
            let has_other = ip.is_unspecified() || ip.is_loopback() || ip.is_multicast();
            !(is_broadcast || has_other || is("isLinkLocalUnicast", ip))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_addresses() {
        let of = |text| Cidr::parse(text).unwrap();
        assert_eq!(of("192.168.5.7/20").masked().to_string(), "192.168.0.0/20");
        assert!(of("192.168.0.0/24").contains(parse_ip("192.168.0.9").unwrap()));
        assert!(!of("192.168.0.0/24").contains(parse_ip("192.168.1.9").unwrap()));
        assert!(of("2001:db8::/32").contains_cidr(of("2001:db8:1::/48")));
        assert!(!of("2001:db8::/32").contains_cidr(of("192.168.0.0/24")));
        for wrong in ["192.168.0.0", "192.168.0.0/33", "192.168.0.0/08", "::ffff:1.2.3.4/24", "a/1"] {
            assert!(Cidr::parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["1.2.3", "::ffff:1.2.3.4", "fe80::1%eth0", "01.2.3.4"] {
            assert!(parse_ip(wrong).is_err(), "{wrong}");
        }
    }
}
