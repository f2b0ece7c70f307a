//! Failures of a webhook in the words of upstream's client, by which people find what is wrong with a webhook.

use std::io;

use hubgen_machinery::scalar::Time;
use jiff::Timestamp;
use rustls::CertificateError;
use serde_json::Value;

use super::answer::Answer;

/// Which of two limits ends the wait first is chance; this is what is told of one of them.
const TIMEOUT: &str = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

/// What the status code of an answer means.
pub(super) fn refused(answer: &Answer) -> String {
    if let Some(told) = status(&answer.body) {
        return told;
    }
    let is_text = answer.content_type.is_empty() || answer.content_type.starts_with("text/");
    let text = String::from_utf8_lossy(&answer.body);
    let told = if is_text { text.trim() } else { "unknown" };
    match answer.code {
        400 => "the server rejected our request for an unknown reason".to_owned(),
        401 => "the server has asked for the client to provide credentials".to_owned(),
        403 | 406 | 415 => told.to_owned(),
        404 => "the server could not find the requested resource".to_owned(),
        405 => "the server does not allow this method on the requested resource".to_owned(),
        409 => "the server reported a conflict".to_owned(),
        422 => "the server rejected our request due to an error in our request".to_owned(),
        429 => "the server has received too many requests and has asked us to try again later".to_owned(),
        503 => "the server is currently unable to handle the request".to_owned(),
        504 => "the server was unable to return a response in the time allotted, but may still be processing the request"
            .to_owned(),
        500.. => format!("an error on the server ({told:?}) has prevented the request from succeeding"),
        code => {
            format!("the server responded with the status code {code} but did not return more information")
        }
    }
}

/// What the body of an answer tells, if it is the `Status` of a failure.
fn status(body: &[u8]) -> Option<String> {
    let status: Value = serde_json::from_slice(body).ok()?;
    let is_failure =
        status["kind"] == "Status" && status["apiVersion"] == "v1" && status["status"] == "Failure";
    is_failure.then(|| status["message"].as_str().unwrap_or_default().to_owned())
}

/// What is wrong with a text that is no JSON.
pub(super) fn syntax(error: &serde_json::Error, body: &[u8]) -> String {
    if error.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    // The error tells where the wrong character is, by its line and column.
    let text = String::from_utf8_lossy(body);
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    match line.as_bytes().get(error.column().saturating_sub(1)) {
        Some(wrong) if error.to_string().starts_with("trailing characters") => {
            format!("invalid character '{}' after top-level value", char::from(*wrong))
        }
        _ => error.to_string(),
    }
}

/// Why there is no answer of a server at an address.
pub(super) fn unanswered(error: &ureq::Error, host: &str, address: &str) -> String {
    match error {
        ureq::Error::Timeout(_) => TIMEOUT.to_owned(),
        ureq::Error::HostNotFound => format!("dial tcp: lookup {host}: no such host"),
        ureq::Error::Rustls(error) => untrusted(error, host),
        ureq::Error::Io(error) => of_connection(error, host, address),
        ureq::Error::ConnectionFailed => format!("dial tcp {address}: connect: connection refused"),
        error => error.to_string(),
    }
}

/// Why the body of an answer cannot be read.
pub(super) fn unread(error: &ureq::Error) -> String {
    let why = match error {
        ureq::Error::Timeout(_) => "context deadline exceeded".to_owned(),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => "unexpected EOF".to_owned(),
        ureq::Error::Protocol(_) => "unexpected EOF".to_owned(),
        ureq::Error::BodyExceedsLimit(most) => {
            return format!("the response has more than {most} bytes");
        }
        error => error.to_string(),
    };
    format!("unexpected error when reading response body. Please retry. Original error: {why}")
}

fn of_connection(error: &io::Error, host: &str, address: &str) -> String {
    if let Some(error) = error.get_ref().and_then(|error| error.downcast_ref()) {
        return untrusted(error, host);
    }
    // The system's words for a name that it does not know, for which there is no sort of error.
    if error.to_string().starts_with("failed to lookup address information") {
        return format!("dial tcp: lookup {host}: no such host");
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        io::ErrorKind::UnexpectedEof => "EOF".to_owned(),
        io::ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
        io::ErrorKind::TimedOut => TIMEOUT.to_owned(),
        _ => error.to_string(),
    }
}

/// What is wrong with the certificate of a server, or with its TLS.
fn untrusted(error: &rustls::Error, host: &str) -> String {
    let why = match error {
        rustls::Error::InvalidCertificate(why) => why,
        // It answers with something that is no TLS.
        rustls::Error::InvalidMessage(_) => {
            return "http: server gave HTTP response to HTTPS client".to_owned();
        }
        error => return error.to_string(),
    };
    let expired = |now: String, what: &str, limit: String| {
        format!("certificate has expired or is not yet valid: current time {now} is {what} {limit}")
    };
    let why = match why {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "certificate signed by unknown authority".to_owned()
        }
        CertificateError::ExpiredContext { time, not_after } => {
            expired(at(time.as_secs()), "after", at(not_after.as_secs()))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            expired(at(time.as_secs()), "before", at(not_before.as_secs()))
        }
        CertificateError::NotValidForNameContext { presented, .. } => other_name(presented, host),
        why => why.to_string(),
    };
    format!("tls: failed to verify certificate: x509: {why}")
}

/// Whose certificate one of other names is.
fn other_name(presented: &[String], host: &str) -> String {
    // As `DnsName("a")` and `IpAddress(127.0.0.1)`.
    let of = |sort: &str| -> Vec<&str> {
        presented
            .iter()
            .filter_map(|name| name.strip_prefix(sort)?.strip_prefix('(')?.strip_suffix(')'))
            .map(|name| name.trim_matches('"'))
            .collect()
    };
    let is_address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>().is_ok();
    let names = if is_address { of("IpAddress") } else { of("DnsName") };
    match (names.is_empty(), is_address) {
        (true, true) => {
            format!("cannot validate certificate for {host} because it doesn't contain any IP SANs")
        }
        (true, false) => {
            format!("certificate is not valid for any names, but wanted to match {host}")
        }
        (false, _) => format!("certificate is valid for {}, not {host}", names.join(", ")),
    }
}

/// A time as Go writes it.
fn at(seconds: u64) -> String {
    let time = Timestamp::from_second(i64::try_from(seconds).unwrap_or(i64::MAX));
    time.map(|time| Time(time).to_string()).unwrap_or_default()
}
