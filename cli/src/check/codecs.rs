//! `hubgen check codecs`: drawn objects through JSON and protobuf, there and
//! back, and the same bytes each time.

use std::collections::BTreeSet;
use std::process::ExitCode;

use hubgen_kubernetes::machinery::convert::laws::{Source, fill, shrink};
use hubgen_kubernetes::machinery::protobuf::{self, Envelope};
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use serde_json::Value;

use super::compare::first_difference;
use super::drawing::{self, Found};
use super::{Failure, Outcome, title, wire};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    drawn: drawing::Args,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Draws objects of every kind at every version that has protobuf, and takes
/// each through both formats.
pub fn run(args: &Args) -> ExitCode {
    let scheme = hubgen_kubernetes::scheme();
    let is_wanted = |entry: &&KindEntry| args.drawn.wants(&title(entry));
    let (entries, without): (Vec<_>, Vec<_>) =
        scheme.kinds().filter(is_wanted).partition(|entry| protobuf::covers((entry.new)().descriptor()));
    if entries.is_empty() && without.is_empty() {
        let kind = args.drawn.kind.as_deref().unwrap_or("none");
        eprintln!("--kind: expected a kind, as `apps/Deployment`, found {kind}");
        return ExitCode::FAILURE;
    }
    let found = super::on_all_processors(entries.len(), |index| check(&scheme, entries[index], &args.drawn));
    let kinds: BTreeSet<String> = entries.iter().map(|entry| title(entry)).collect();
    let notes: Vec<String> = without.iter().map(|entry| format!("{entry}: has no protobuf")).collect();
    let held = found.iter().map(|found| found.held).sum();
    let total = entries.len() * args.drawn.count();
    let failures: Vec<Failure> = found.into_iter().filter_map(|found| found.failure).collect();
    Outcome {
        what: "drawn objects",
        held,
        total,
        details: vec![
            ("kinds", kinds.len()),
            ("versions", entries.len()),
            ("without protobuf", without.len()),
            ("failed", total - held),
        ],
    }
    .finish(&failures, &notes, args.json)
}

fn check(scheme: &Scheme, entry: &'static KindEntry, args: &drawing::Args) -> Found {
    let holds = |bytes: &[u8]| super::caught(|| there_and_back(scheme, entry, bytes));
    Found::of(
        args,
        drawing::bytes,
        |bytes| holds(bytes).is_ok(),
        |seed, bytes| {
            let small = shrink(bytes, |bytes| holds(bytes).is_err());
            let message = holds(&small).err().unwrap_or_default();
            Failure {
                file: entry.to_string(),
                path: String::new(),
                message: format!(
                    "{message}\n  again: hubgen check codecs --kind {} --seed {seed} --iterations 1",
                    title(entry),
                ),
            }
        },
    )
}

/// JSON → protobuf → JSON, and protobuf → JSON → protobuf.
///
/// What protobuf has no number for is taken away before. The drawn object is
/// read from its JSON first: an object in memory can hold what JSON says in one
/// way only, such as a pointer to `null`.
fn there_and_back(scheme: &Scheme, entry: &'static KindEntry, bytes: &[u8]) -> Result<(), String> {
    let mut drawn = Object::new(entry);
    let words = entry.family.map_or(&[][..], |family| family.words);
    fill(&mut *drawn.value, &mut Source::new(bytes, words));
    drawing::only_numbered(&mut *drawn.value);
    let object = from_json(entry, &drawn.encode())?;

    let json = object.encode();
    let message = object.encode_protobuf();
    let read = from_protobuf(scheme, &message)?;
    same_json(&json, &read.encode()).map_err(|error| format!("JSON → protobuf → JSON: {error}"))?;
    same_protobuf(entry, &message, &read.encode_protobuf())
        .map_err(|error| format!("protobuf → protobuf: {error}"))?;
    let again = from_json(entry, &read.encode())?;
    same_protobuf(entry, &message, &again.encode_protobuf())
        .map_err(|error| format!("protobuf → JSON → protobuf: {error}"))
}

fn from_json(entry: &'static KindEntry, bytes: &[u8]) -> Result<Object, String> {
    let text = || String::from_utf8_lossy(bytes);
    let (object, decoded) = Object::decode(entry, bytes)
        .map_err(|error| format!("our own JSON does not read: {error}: {}", text()))?;
    match &*decoded.unknown {
        [] => Ok(object),
        [path, ..] => Err(format!("our own JSON has a field that is not known: {path}: {}", text())),
    }
}

fn from_protobuf(scheme: &Scheme, bytes: &[u8]) -> Result<Object, String> {
    scheme
        .decode_protobuf(bytes)
        .map_err(|error| format!("our own protobuf does not read: {error}: {bytes:02x?}"))
}

fn same_json(expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let [before, after] = [expected, found].map(|bytes| {
        serde_json::from_slice::<Value>(bytes).map_err(|error| format!("we wrote no JSON: {error}"))
    });
    let difference = first_difference(&before?, &after?).map_or_else(
        || "the same members in another order or another form".to_owned(),
        |difference| format!("{}: {}", difference.path, difference.message),
    );
    let [expected, found] = [expected, found].map(String::from_utf8_lossy);
    Err(format!("{difference}\n  expected: {expected}\n     found: {found}"))
}

fn same_protobuf(entry: &KindEntry, expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let message =
        |bytes| Envelope::decode(bytes).map(|envelope| envelope.raw).map_err(|error| error.to_string());
    let descriptor = (entry.new)().descriptor();
    Err(wire::first_difference(message(expected)?, message(found)?, descriptor)
        .unwrap_or_else(|| "the envelope differs".to_owned()))
}

#[cfg(test)]
mod tests {
    use hubgen_kubernetes::machinery::scheme::Scheme;

    use super::*;

    fn secret(scheme: &Scheme, data: &str) -> Object {
        let text = format!(r#"{{"apiVersion": "v1", "kind": "Secret", "data": {data}}}"#);
        scheme.decode(text.as_bytes()).unwrap().0
    }

    /// What comes back otherwise is told by its place.
    #[test]
    fn differences_are_told() {
        let scheme = hubgen_kubernetes::scheme();
        let [one, other] = [r#"{"a": "AAAA"}"#, r#"{"a": "AAAB"}"#].map(|data| secret(&scheme, data));
        let error = same_json(&one.encode(), &other.encode()).unwrap_err();
        assert!(error.starts_with("data.a: expected \"AAAA\", found \"AAAB\"\n"), "{error}");
        let error = same_protobuf(one.entry, &one.encode_protobuf(), &other.encode_protobuf()).unwrap_err();
        assert_eq!(error, "data: expected [00, 00, 00], found [00, 00, 01]");
        assert_eq!(same_json(&one.encode(), &one.encode()), Ok(()));
        let error = same_json(b"{\"a\":1,\"b\":2}", b"{\"b\":2,\"a\":1}").unwrap_err();
        assert!(error.starts_with("the same members in another order"), "{error}");
    }

    /// A kind whose envelope names another comes back as that, and is caught.
    #[test]
    fn an_object_that_comes_back_otherwise_fails() {
        let scheme = Scheme::new();
        let entry = hubgen_kubernetes::scheme().named("v1", "Secret").unwrap();
        let error = there_and_back(&scheme, entry, &[]).unwrap_err();
        assert!(error.starts_with("our own protobuf does not read: no kind \"Secret\""), "{error}");
    }
}
