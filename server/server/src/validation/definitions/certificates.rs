//! The certificates by which a webhook is known.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// Why none of some certificates can be used; they are PEM in base64.
pub(crate) fn mistake(bundle: &str) -> Option<String> {
    let bytes = STANDARD.decode(bundle).ok()?;
    if bytes.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    let blocks = blocks(&text);
    if blocks.iter().filter(|block| is_certificate(block)).any(|block| read(block).is_ok()) {
        return None;
    }
    // The first certificate that is wrong is told of, and nothing after what is no PEM.
    let wrong = blocks.iter().filter(|block| is_certificate(block)).find_map(|block| read(block).err());
    let why = match wrong {
        Some(why) => format!("failed to parse certificate: {why}"),
        None if text.trim().is_empty() || !rest(&text).is_empty() => {
            "unable to parse bytes as PEM block".to_owned()
        }
        None => "no valid certificate authority data seen".to_owned(),
    };
    Some(format!("unable to load root certificates: {why}"))
}

fn blocks(text: &str) -> Vec<Pem> {
    pem::parse_many(text).unwrap_or_default()
}

/// What is after the last block.
fn rest(text: &str) -> &str {
    match text.rfind(END) {
        Some(at) => text[at..].split_once('\n').map_or("", |(_, rest)| rest),
        None => text.trim_start_matches(BEGIN),
    }
}

fn is_certificate(block: &Pem) -> bool {
    block.tag() == "CERTIFICATE" && block.headers().iter().next().is_none()
}

fn read(block: &Pem) -> Result<(), String> {
    X509Certificate::from_der(block.contents())
        .map(|_| ())
        .map_err(|_| "x509: malformed certificate".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_read() {
        let good = rcgen::generate_simple_self_signed(["a".to_owned()]).unwrap().cert.pem();
        let wrong = |text: &str| mistake(&STANDARD.encode(text));
        assert_eq!(wrong(""), None);
        assert_eq!(wrong(&good), None);
        assert_eq!(wrong(&format!("text\n{good}")), None);
        let prefix = "unable to load root certificates: ";
        assert_eq!(wrong("Cg=="), Some(format!("{prefix}unable to parse bytes as PEM block")));
        let other = pem::encode(&Pem::new("CERTIFICATE", "abc"));
        assert_eq!(
            wrong(&other),
            Some(format!("{prefix}failed to parse certificate: x509: malformed certificate"))
        );
        let key = pem::encode(&Pem::new("PRIVATE KEY", "abc"));
        assert_eq!(wrong(&key), Some(format!("{prefix}no valid certificate authority data seen")));
    }
}
