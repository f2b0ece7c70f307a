//! The few structures in DER that keys are written in (RFC 5280, RFC 5208, RFC 8017).

/// The identifiers of algorithms and curves.
pub(super) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
pub(super) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
pub(super) const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
pub(super) const P384: &[u8] = &[0x2b, 0x81, 4, 0, 0x22];

/// A value with its tag and length.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length = &length[length.iter().position(|&byte| byte != 0).unwrap_or(length.len() - 1)..];
    let mut out = vec![tag];
    if content.len() < 0x80 {
        out.push(length[0]);
    } else {
        out.push(0x80 | length.len() as u8);
        out.extend_from_slice(length);
    }
    out.extend_from_slice(content);
    out
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &parts.concat())
}

/// A number that is not negative, from its bytes.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len())..];
    match bytes.first() {
        Some(first) if *first < 0x80 => tagged(2, bytes),
        // A first bit would make it negative.
        _ => tagged(2, &[&[0], bytes].concat()),
    }
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    tagged(3, &[&[0], bytes].concat())
}

/// A public key of RSA (PKCS#1).
pub(super) fn rsa(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    sequence(&[integer(modulus), integer(exponent)])
}

/// The document of a public key of RSA (`SubjectPublicKeyInfo`).
pub(super) fn rsa_document(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let algorithm = sequence(&[tagged(6, RSA), tagged(5, &[])]);
    sequence(&[algorithm, bits(&rsa(modulus, exponent))])
}

/// The document of a public key on a curve (`SubjectPublicKeyInfo`).
pub(super) fn ec_document(curve: &[u8], point: &[u8]) -> Vec<u8> {
    sequence(&[sequence(&[tagged(6, EC), tagged(6, curve)]), bits(point)])
}

/// A private key on a curve in PKCS#8, from its older form (SEC 1).
pub(super) fn pkcs8(curve: &[u8], sec1: &[u8]) -> Vec<u8> {
    sequence(&[tagged(2, &[0]), sequence(&[tagged(6, EC), tagged(6, curve)]), tagged(4, sec1)])
}
