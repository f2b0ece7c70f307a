//! The formats of texts that the API server checks. Those of numbers are in `range`.

mod codes;
mod email;
mod hostname;
mod net;
mod time;
mod uri;

use crate::duration;
use crate::names;

/// A format that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    BsonObjectId,
    Byte,
    Cidr,
    CreditCard,
    Date,
    DateTime,
    Duration,
    Email,
    HexColor,
    Hostname,
    Ipv4,
    Ipv6,
    Isbn,
    Isbn10,
    Isbn13,
    LongName,
    Mac,
    Password,
    RgbColor,
    ShortName,
    Ssn,
    Uri,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
}

impl Format {
    /// The format with this name, if it is checked. Dashes in names do not count.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").as_str() {
            "bsonobjectid" => Self::BsonObjectId,
            "byte" => Self::Byte,
            "cidr" => Self::Cidr,
            "creditcard" => Self::CreditCard,
            "date" => Self::Date,
            "datetime" => Self::DateTime,
            "duration" => Self::Duration,
            "email" => Self::Email,
            "hexcolor" => Self::HexColor,
            "hostname" => Self::Hostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "isbn" => Self::Isbn,
            "isbn10" => Self::Isbn10,
            "isbn13" => Self::Isbn13,
            "k8slongname" => Self::LongName,
            "k8sshortname" => Self::ShortName,
            "mac" => Self::Mac,
            "password" => Self::Password,
            "rgbcolor" => Self::RgbColor,
            "ssn" => Self::Ssn,
            "uri" => Self::Uri,
            "uuid" => Self::Uuid,
            "uuid3" => Self::Uuid3,
            "uuid4" => Self::Uuid4,
            "uuid5" => Self::Uuid5,
            _ => return None,
        })
    }

    /// Whether a text has this format.
    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            Self::BsonObjectId => text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit()),
            Self::Byte => codes::is_base64(text),
            Self::Cidr => net::is_cidr(text),
            Self::CreditCard => codes::is_credit_card(text),
            Self::Date => time::is_date(text),
            Self::DateTime => time::is_date_time(text),
            Self::Duration => duration::of_format(text).is_some(),
            Self::Email => email::is_email(text),
            Self::HexColor => codes::is_hex_color(text),
            Self::Hostname => hostname::is_hostname(text),
            Self::Ipv4 => net::is_ipv4(text),
            Self::Ipv6 => net::is_ipv6(text),
            Self::Isbn => codes::is_isbn10(text) || codes::is_isbn13(text),
            Self::Isbn10 => codes::is_isbn10(text),
            Self::Isbn13 => codes::is_isbn13(text),
            Self::LongName => names::subdomain_mistakes(text).is_empty(),
            Self::Mac => net::is_mac(text),
            Self::Password => true,
            Self::RgbColor => codes::is_rgb_color(text),
            Self::ShortName => names::dns_label_mistakes(text).is_empty(),
            Self::Ssn => codes::is_ssn(text),
            Self::Uri => uri::is_request_uri(text),
            Self::Uuid => codes::is_uuid(text, None),
            Self::Uuid3 => codes::is_uuid(text, Some('3')),
            Self::Uuid4 => codes::is_uuid(text, Some('4')),
            Self::Uuid5 => codes::is_uuid(text, Some('5')),
        }
    }
}
