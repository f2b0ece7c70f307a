//! The certificates that sign those of clients, and whether they have signed one.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hubgen_serve::PeerCertificates;
use ring::digest::{Context, SHA256};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{
    ALL_VERIFICATION_ALGS, EndEntityCert, Error, ExtendedKeyUsageValidator, KeyPurposeIdIter, KeyUsage,
    RequiredEkuNotFoundContext, anchor_from_trusted_cert,
};
use x509_parser::oid_registry::{OID_PKCS1_SHA1WITHRSA, OID_SHA1_WITH_RSA};
use x509_parser::prelude::{FromDer, X509Certificate, X509Version};

use super::super::reread::{FileError, Reread};

/// The usage that permits every other one: `anyExtendedKeyUsage`.
const ANY_USAGE: [usize; 5] = [2, 5, 29, 37, 0];

/// The certificates in a file (PEM), which is read again when it changes.
pub(super) struct Authorities {
    file: Reread<Vec<Authority>>,
    verified: Mutex<Verified>,
}

/// The chains that were verified. Clients send the same one with each request, and signatures cost more than most requests.
#[derive(Default)]
struct Verified {
    by: Option<Arc<Vec<Authority>>>,
    /// Until when each is valid, in seconds since 1970, by its digest.
    until: HashMap<[u8; 32], i64>,
}

/// The most chains that are remembered. Then all are forgotten.
const REMEMBERED: usize = 1024;

struct Authority {
    certificate: CertificateDer<'static>,
    anchor: TrustAnchor<'static>,
    /// From when until when it is valid, in seconds since 1970.
    valid: RangeInclusive<i64>,
}

impl Authorities {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or has no certificate.
    pub(super) fn file(path: &Path) -> Result<Self, FileError> {
        Ok(Self { file: Reread::file(path, parse)?, verified: Mutex::default() })
    }

    /// Whether one of them is among others, too.
    pub(super) fn overlap(&self, others: &Self) -> bool {
        let others = others.file.current();
        let is_other = |own: &Authority| others.iter().any(|other| other.certificate == own.certificate);
        self.file.current().iter().any(is_other)
    }

    /// Whether they have signed the certificate of a client, which is valid now and meant for clients.
    ///
    /// # Errors
    /// Why it is worth nothing.
    pub(super) fn verify(&self, chain: &PeerCertificates) -> Result<(), String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let (authorities, digest) = (self.file.current(), digest(chain));
        if self.remembered(&authorities).until.get(&digest).is_some_and(|until| seconds <= *until) {
            return Ok(());
        }
        verify(&authorities, chain, now)?;
        let mut remembered = self.remembered(&authorities);
        if remembered.until.len() >= REMEMBERED {
            remembered.until.clear();
        }
        remembered.until.insert(digest, end(&authorities, chain, seconds));
        Ok(())
    }

    /// What was verified by these.
    fn remembered(&self, by: &Arc<Vec<Authority>>) -> MutexGuard<'_, Verified> {
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        if !verified.by.as_ref().is_some_and(|other| Arc::ptr_eq(other, by)) {
            *verified = Verified { by: Some(Arc::clone(by)), until: HashMap::new() };
        }
        verified
    }
}

fn parse(pem: &[u8]) -> Result<Vec<Authority>, String> {
    let mut authorities = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("expected certificates in PEM: {error}"))?;
        let anchor = anchor_from_trusted_cert(&certificate).map_err(|error| error.to_string())?.to_owned();
        let (_, parsed) = X509Certificate::from_der(&certificate).map_err(|error| error.to_string())?;
        let valid = period(&parsed);
        authorities.push(Authority { certificate, anchor, valid });
    }
    match authorities.is_empty() {
        true => Err("expected a certificate in PEM, found none".to_owned()),
        false => Ok(authorities),
    }
}

/// From when until when a certificate is valid, in seconds since 1970.
fn period(certificate: &X509Certificate<'_>) -> RangeInclusive<i64> {
    certificate.validity.not_before.timestamp()..=certificate.validity.not_after.timestamp()
}

fn verify(authorities: &[Authority], chain: &PeerCertificates, now: Duration) -> Result<(), String> {
    let own = CertificateDer::from(chain.own());
    let others: Vec<_> = chain.iter().skip(1).map(CertificateDer::from).collect();
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let valid = |authority: &&Authority| authority.valid.contains(&seconds);
    // Who signs can also be a client, as upstream has it: its own certificate needs no other one.
    if authorities.iter().filter(valid).any(|authority| authority.certificate == own) {
        return check_usage(&own);
    }
    let (_, parsed) = X509Certificate::from_der(&own).map_err(|error| error.to_string())?;
    if parsed.version() == X509Version::V1 {
        let is_signed = authorities.iter().filter(valid).any(|authority| has_signed(authority, &parsed));
        return match is_signed && period(&parsed).contains(&seconds) {
            true => Ok(()),
            false => Err("it is not valid now, or nobody of the file has signed it".to_owned()),
        };
    }
    let anchors: Vec<_> =
        authorities.iter().filter(valid).map(|authority| authority.anchor.clone()).collect();
    let time = UnixTime::since_unix_epoch(now);
    let failed = |error: Error| error.to_string();
    let own = EndEntityCert::try_from(&own).map_err(failed)?;
    own.verify_for_usage(ALL_VERIFICATION_ALGS, &anchors, &others, time, ForClients, None, None)
        .map(drop)
        .map_err(failed)
}

/// The digest of a chain.
fn digest(chain: &PeerCertificates) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    for certificate in chain.iter() {
        context.update(&certificate.len().to_be_bytes());
        context.update(certificate);
    }
    context.finish().as_ref().try_into().expect("a digest has 32 bytes")
}

/// Until when a chain is valid at least that is valid now: the first end of all that could be part of it.
fn end(authorities: &[Authority], chain: &PeerCertificates, now: i64) -> i64 {
    let shown = chain.iter().filter_map(|shown| X509Certificate::from_der(shown).ok());
    let shown = shown.map(|(_, shown)| *period(&shown).end());
    let known = authorities.iter().map(|authority| *authority.valid.end()).filter(|end| *end >= now);
    shown.chain(known).min().unwrap_or(now)
}

/// Requires the usage `clientAuth`, or any usage; so does upstream. A certificate without a list of usages has all.
struct ForClients;

impl ExtendedKeyUsageValidator for ForClients {
    fn validate(&self, usages: KeyPurposeIdIter<'_, '_>) -> Result<(), Error> {
        let mut present = Vec::new();
        for usage in usages {
            let usage = usage?.to_decoded_oid();
            if usage == KeyUsage::CLIENT_AUTH_REPR || usage == ANY_USAGE {
                return Ok(());
            }
            present.push(usage);
        }
        match present.is_empty() {
            true => Ok(()),
            false => Err(Error::RequiredEkuNotFoundContext(RequiredEkuNotFoundContext {
                required: KeyUsage::client_auth(),
                present,
            })),
        }
    }
}

/// Whether an authority has signed a certificate of version 1, which `openssl x509 -req` makes: it has no list of usages, and the
/// library for chains reads none.
fn has_signed(authority: &Authority, certificate: &X509Certificate<'_>) -> bool {
    let Ok((_, by)) = X509Certificate::from_der(&authority.certificate) else { return false };
    by.subject().as_raw() == certificate.issuer().as_raw()
        && ![OID_PKCS1_SHA1WITHRSA, OID_SHA1_WITH_RSA].contains(&certificate.signature_algorithm.algorithm)
        && certificate.verify_signature(Some(by.public_key())).is_ok()
}

/// As [`ForClients`], for a certificate that no other one has to sign.
fn check_usage(certificate: &[u8]) -> Result<(), String> {
    let (_, certificate) = X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
    match certificate.extended_key_usage().map_err(|error| error.to_string())? {
        Some(usages) if !usages.value.client_auth && !usages.value.any => {
            Err("the certificate is not meant for clients".to_owned())
        }
        _ => Ok(()),
    }
}
