//! Defaults of certificate signing requests.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::access::{get, is_absent, set_text, texts};
use super::der::{OBJECT_ID, OCTETS, Reader, SEQUENCE, SET};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, Slot};

const LEGACY: &str = "kubernetes.io/legacy-unknown";
const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";
const KUBELET_SERVING: &str = "kubernetes.io/kubelet-serving";

/// For a request's spec: derives the signer from the content of the request. Requests of nodes have
/// special signers; everything else gets the legacy signer.
pub fn signer_name(spec: &mut dyn Reflect, _: &Context) {
    if !is_absent(spec, "signerName") {
        return;
    }
    let Slot::Bytes(request) = get(spec, "request") else { return };
    let mut usages: Vec<&str> = texts(spec, "usages").collect();
    usages.sort_unstable();
    usages.dedup();
    let signer = Subject::parse(request).map_or(LEGACY, |subject| subject.signer(&usages));
    set_text(spec, "signerName", signer);
}

/// The subject of a certificate request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Subject {
    organisations: Vec<Vec<u8>>,
    common_name: Vec<u8>,
    /// The numbers of alternative names.
    emails: usize,
    hosts: usize,
    addresses: usize,
    uris: usize,
}

impl Subject {
    fn signer(&self, usages: &[&str]) -> &'static str {
        let is_node =
            self.organisations == [b"system:nodes"] && self.common_name.starts_with(b"system:node:");
        if !is_node || self.emails + self.uris > 0 {
            return LEGACY;
        }
        let names = self.hosts + self.addresses;
        match usages {
            ["client auth", "digital signature"]
            | ["client auth", "digital signature", "key encipherment"]
                if names == 0 =>
            {
                KUBELET_CLIENT
            }
            ["digital signature", "server auth"]
            | ["digital signature", "key encipherment", "server auth"]
                if names > 0 =>
            {
                KUBELET_SERVING
            }
            _ => LEGACY,
        }
    }

    /// Reads the first PEM block, which must be a request (PKCS #10).
    fn parse(pem: &[u8]) -> Option<Self> {
        let der = pem_block(pem, "CERTIFICATE REQUEST")?;
        let mut outer = Reader(&der);
        let mut request = Reader(outer.expect(SEQUENCE)?);
        if !outer.is_at_end() {
            return None;
        }
        let mut info = Reader(request.expect(SEQUENCE)?);
        let (_version, name, _key) = (info.expect(0x02)?, info.expect(SEQUENCE)?, info.expect(SEQUENCE)?);
        let mut subject = Self::default();
        for set in Reader::all(name, SET)? {
            for attribute in Reader::all(set, SEQUENCE)? {
                let mut attribute = Reader(attribute);
                let (id, value) = (attribute.expect(OBJECT_ID)?, attribute.next()?);
                match id {
                    [0x55, 4, 10] => subject.organisations.push(value.content.to_vec()),
                    [0x55, 4, 3] => subject.common_name = value.content.to_vec(),
                    _ => {}
                }
            }
        }
        if !info.is_at_end() {
            subject.attributes(info.expect(0xa0)?)?;
        }
        Some(subject)
    }

    /// The requested extensions are one attribute; the alternative names are one extension.
    fn attributes(&mut self, attributes: &[u8]) -> Option<()> {
        const EXTENSIONS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 14];
        for attribute in Reader::all(attributes, SEQUENCE)? {
            let mut attribute = Reader(attribute);
            if attribute.expect(OBJECT_ID)? != EXTENSIONS {
                continue;
            }
            for extensions in Reader::all(attribute.expect(SET)?, SEQUENCE)? {
                for extension in Reader::all(extensions, SEQUENCE)? {
                    let mut extension = Reader(extension);
                    if extension.expect(OBJECT_ID)? == [0x55, 0x1d, 17] {
                        let mut value = extension.next()?;
                        // An optional boolean before the value marks the extension as critical.
                        if value.tag != OCTETS {
                            value = extension.next()?;
                        }
                        self.names(Reader(value.content).expect(SEQUENCE)?)?;
                    }
                }
            }
        }
        Some(())
    }

    fn names(&mut self, names: &[u8]) -> Option<()> {
        let mut names = Reader(names);
        while !names.is_at_end() {
            match names.next()?.tag & 0x1f {
                1 => self.emails += 1,
                2 => self.hosts += 1,
                6 => self.uris += 1,
                7 => self.addresses += 1,
                _ => {}
            }
        }
        Some(())
    }
}

/// The content of the first PEM block, if it has the given label.
fn pem_block(text: &[u8], label: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let rest = rest.strip_prefix(label)?.strip_prefix("-----")?;
    let (body, rest) = rest.split_once("-----END ")?;
    rest.strip_prefix(label)?.strip_prefix("-----")?;
    // Headers, if there are any, end with an empty line.
    let body = body
        .split_once("\n\n")
        .map_or(body, |(headers, body)| if headers.contains(':') { body } else { headers });
    let base64: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(base64).ok()
}

#[cfg(test)]
mod tests {
    use super::{KUBELET_CLIENT, KUBELET_SERVING, LEGACY, Subject};

    fn subject(organisation: &str, name: &str) -> Subject {
        let organisations = vec![organisation.as_bytes().to_vec()];
        Subject { organisations, common_name: name.as_bytes().to_vec(), ..Subject::default() }
    }

    #[test]
    fn nodes_have_special_signers() {
        let client = &["client auth", "digital signature", "key encipherment"][..];
        let server = &["digital signature", "key encipherment", "server auth"][..];
        let node = || subject("system:nodes", "system:node:a");
        for (subject, usages, wanted) in [
            (node(), client, KUBELET_CLIENT),
            (node(), &["client auth", "digital signature"][..], KUBELET_CLIENT),
            (node(), server, LEGACY),
            (Subject { hosts: 1, ..node() }, server, KUBELET_SERVING),
            (Subject { addresses: 1, ..node() }, &["digital signature", "server auth"][..], KUBELET_SERVING),
            (Subject { hosts: 1, ..node() }, client, LEGACY),
            (Subject { hosts: 1, uris: 1, ..node() }, server, LEGACY),
            (Subject { emails: 1, ..node() }, client, LEGACY),
            (subject("system:nodes", "a"), client, LEGACY),
            (subject("people", "system:node:a"), client, LEGACY),
            (node(), &["client auth"][..], LEGACY),
        ] {
            assert_eq!(subject.signer(usages), wanted, "{subject:?} {usages:?}");
        }
    }

    #[test]
    fn an_invalid_request_has_no_subject() {
        for text in ["", "a", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"] {
            assert_eq!(Subject::parse(text.as_bytes()), None, "{text}");
        }
    }
}
