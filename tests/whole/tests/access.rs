//! For whom the server takes the senders of good and bad credentials, and that it writes none of them.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use hubgen_checks::differential::access;

/// The answers of a kube-apiserver to the same credentials are recorded. The program writes no secret while it is asked.
#[test]
fn senders_are_taken_for_those_for_whom_a_kube_apiserver_takes_them() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/access/server-1.37.jsonl");
    let program = Path::new(env!("CARGO_BIN_EXE_hubgen-under-test"));
    let folder = tempfile::tempdir().expect("a folder");
    let found = access::recorded(&recorded, program, folder.path()).expect("a comparison");
    assert!(found.report.is_success(), "{}: {:?}", found.report.summary(), found.report.failures);
    assert!(found.report.total >= 60, "{}", found.report.summary());
    assert!(found.log.contains("serving on https://"), "{}", found.log);
    assert_none(&found.secrets, &found.log);
}

/// A recorded answer that becomes another one is noticed.
#[test]
fn another_verdict_is_noticed() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/access/server-1.37.jsonl");
    let text = std::fs::read_to_string(recorded).expect("recorded answers");
    let theirs = access::parse(&text).expect("answers");
    assert!(access::compare(&theirs, &theirs).is_success());
    for (name, verdict) in &theirs {
        let mut ours = theirs.clone();
        let mut other = verdict.clone();
        other["code"] = 500.into();
        ours.insert(name.clone(), other);
        assert!(!access::compare(&theirs, &ours).is_success(), "{name}");
        ours.remove(name);
        assert!(!access::compare(&theirs, &ours).is_success(), "{name}");
    }
}

/// The server itself, in this process, with everything that it traces.
#[test]
fn nothing_traces_a_secret() {
    let traced = Traced::default();
    let writer = traced.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let folder = tempfile::tempdir().expect("a folder");
    let found = access::traced(folder.path()).expect("answers");
    let log = traced.text();
    // The requests are there, and why they were refused.
    for expected in [
        "answered",
        "a token of a service account is refused",
        "nobody has the token",
        "the certificate of the client",
    ] {
        assert!(log.contains(expected), "{expected}");
    }
    assert_none(&found, &log);
}

#[track_caller]
fn assert_none(secrets: &[String], log: &str) {
    assert!(secrets.len() > 20, "{}", secrets.len());
    for secret in secrets {
        assert!(!log.contains(secret.as_str()), "a secret is written: {secret}");
        // The signature makes a token of what else may be known.
        if let [_, _, signature] = secret.split('.').collect::<Vec<_>>()[..]
            && !signature.is_empty()
        {
            assert!(!log.contains(signature), "a signature is written: {secret}");
        }
    }
}

/// What was traced.
#[derive(Clone, Default)]
struct Traced(Arc<Mutex<Vec<u8>>>);

impl Traced {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no thread panics")).into_owned()
    }
}

impl Write for Traced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
