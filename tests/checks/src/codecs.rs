//! `cargo xtask check codecs`: round trips of generated objects through JSON and protobuf. Each
//! must return the same object and the same bytes.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::protobuf::{self, Envelope};
use hubgen_kubernetes::machinery::reflect::{SlotMut, TypeMeta, equal};
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_laws::objects::{Source, fill, shrink};
use serde_json::Value;

use super::compare::first_difference;
use super::generating::{self, Found};
use super::{Failure, Report, objects, title, wire};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    generated: generating::Args,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Generates objects of every kind at every version, takes each through both formats, and prints
/// the result.
///
/// # Errors
/// If the kind does not exist.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let scheme = hubgen_kubernetes::scheme();
    let entries: Vec<_> = scheme.kinds().filter(|entry| args.generated.wants(&title(entry))).collect();
    if entries.is_empty() {
        let kind = args.generated.kind.as_deref().unwrap_or("none");
        return Err(format!("--kind: expected a kind such as `apps/Deployment`, found {kind}"));
    }
    let found =
        super::on_all_processors(entries.len(), |index| check(&scheme, entries[index], &args.generated));
    let kinds: BTreeSet<String> = entries.iter().map(|entry| title(entry)).collect();
    let without: Vec<_> = entries.iter().filter(|entry| !has_protobuf(entry)).collect();
    let notes: Vec<String> = without
        .iter()
        .map(|entry| format!("{entry}: has no protobuf, so only its JSON is checked"))
        .collect();
    let passed = found.iter().map(|found| found.passed).sum();
    let total = entries.len() * args.generated.count();
    let failures: Vec<Failure> = found.into_iter().filter_map(|found| found.failure).collect();
    let report = Report {
        what: "generated objects",
        passed,
        total,
        details: vec![
            ("kinds", kinds.len()),
            ("versions", entries.len()),
            ("without protobuf", without.len()),
            ("failed", total - passed),
        ],
        failures,
        notes,
    };
    Ok(report.print(args.json))
}

fn has_protobuf(entry: &KindEntry) -> bool {
    protobuf::covers(&entry.descriptor())
}

/// How to write and read an object in one format. The check takes both functions as parameters, so
/// that its own tests can pass codecs that lose something.
#[derive(Clone, Copy)]
struct Codec {
    write: fn(&Object) -> Vec<u8>,
    read: Read,
}

/// Reads bytes; the kind is for formats that do not contain it.
type Read = fn(&Scheme, &Arc<KindEntry>, &[u8]) -> Result<Object, String>;

/// The codecs to check.
#[derive(Clone, Copy)]
struct Codecs {
    json: Codec,
    protobuf: Codec,
}

const CODECS: Codecs = Codecs {
    json: Codec { write: to_json, read: from_json },
    protobuf: Codec { write: Object::encode_protobuf, read: from_protobuf },
};

fn check(scheme: &Scheme, entry: &Arc<KindEntry>, args: &generating::Args) -> Found {
    let passes = |bytes: &[u8]| {
        super::caught(|| round_trips(scheme, CODECS, &generate(entry, bytes))).and_then(|found| found)
    };
    Found::of(
        args,
        generating::bytes,
        |bytes| passes(bytes).is_ok(),
        |seed, bytes| {
            let small = shrink(bytes, |bytes| passes(bytes).is_err());
            let message = passes(&small).err().unwrap_or_default();
            Failure {
                file: entry.to_string(),
                path: String::new(),
                message: format!(
                    "{message}\n  again: cargo xtask check codecs --kind {} --seed {seed} --iterations 1",
                    title(entry),
                ),
            }
        },
    )
}

fn generate(entry: &Arc<KindEntry>, bytes: &[u8]) -> Object {
    let mut object = Object::new(entry);
    let words = entry.family.as_ref().map_or_else(Vec::new, |family| family.words());
    fill(&mut *object.value, &mut Source::new(bytes, &words));
    object
}

/// Takes a generated object through JSON, through protobuf if its kind has it, and from one to the
/// other. Compares the objects that are read with the generated one, field by field. This finds
/// even a field that a codec loses both when writing and when reading.
fn round_trips(scheme: &Scheme, codecs: Codecs, generated: &Object) -> Result<(), String> {
    let Codecs { json, protobuf } = codecs;
    let entry = &generated.entry;
    let text = (json.write)(generated);
    let read = (json.read)(scheme, entry, &text)?;
    let sayable = sayable(generated);
    same_object(&sayable, &read).map_err(|error| format!("object → JSON → object: {error}"))?;
    same_json(&(json.write)(&sayable), &(json.write)(&read))
        .map_err(|error| format!("JSON → object → JSON: {error}"))?;
    if !has_protobuf(entry) {
        return Ok(());
    }

    let numbered = numbered(generated);
    let (text, message) = ((json.write)(&numbered), (protobuf.write)(&numbered));
    let read = (protobuf.read)(scheme, entry, &message)?;
    same_object(&numbered, &read).map_err(|error| format!("object → protobuf → object: {error}"))?;
    same_json(&text, &(json.write)(&read)).map_err(|error| format!("object → protobuf → JSON: {error}"))?;
    same_protobuf(entry, &message, &(protobuf.write)(&read))
        .map_err(|error| format!("protobuf → object → protobuf: {error}"))?;
    let again = (json.read)(scheme, entry, &text)?;
    same_protobuf(entry, &(protobuf.write)(&self::sayable(&numbered)), &(protobuf.write)(&again))
        .map_err(|error| format!("protobuf → JSON → protobuf: {error}"))
}

/// The object that JSON returns: without pointers to `null`.
fn sayable(object: &Object) -> Object {
    let mut object = object.clone();
    generating::without_pointers_to_null(&mut *object.value);
    fill_kind(&mut object);
    object
}

/// The object that protobuf returns: without fields that have no number.
fn numbered(object: &Object) -> Object {
    let mut object = object.clone();
    generating::only_numbered(&mut *object.value);
    fill_kind(&mut object);
    object
}

/// Fills `kind` and `apiVersion` where they are empty. Four kinds have fields for them, to keep
/// what their sender wrote. All formats write a kind; where these fields were empty, they contain
/// it after reading.
fn fill_kind(object: &mut Object) {
    let Some(TypeMeta { api_version, kind }) = object.entry.type_meta() else { return };
    for (name, name_part) in [("kind", kind), ("apiVersion", api_version)] {
        if let Some(SlotMut::String(field)) = object.value.field_mut(name)
            && field.as_str().is_empty()
        {
            field.set(name_part);
        }
    }
}

/// Generated objects contain nothing that JSON cannot represent.
fn to_json(object: &Object) -> Vec<u8> {
    object.encode().expect("a generated object can be written as JSON")
}

fn from_json(_: &Scheme, entry: &Arc<KindEntry>, bytes: &[u8]) -> Result<Object, String> {
    let text = || String::from_utf8_lossy(bytes);
    let (object, decoded) = Object::decode(entry, bytes)
        .map_err(|error| format!("cannot read back our own JSON: {error}: {}", text()))?;
    match &*decoded.unknown {
        [] => Ok(object),
        [path, ..] => Err(format!("our own JSON contains an unknown field: {path}: {}", text())),
    }
}

fn from_protobuf(scheme: &Scheme, _: &Arc<KindEntry>, bytes: &[u8]) -> Result<Object, String> {
    scheme
        .decode_protobuf(bytes)
        .map_err(|error| format!("cannot read back our own protobuf: {error}: {bytes:02x?}"))
}

fn same_object(expected: &Object, found: &Object) -> Result<(), String> {
    if equal(&*expected.value, &*found.value) {
        return Ok(());
    }
    Err(objects::first_difference(&*expected.value, &*found.value))
}

fn same_json(expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let [before, after] = [expected, found].map(|bytes| {
        serde_json::from_slice::<Value>(bytes)
            .map_err(|error| format!("our output is not valid JSON: {error}"))
    });
    let difference = first_difference(&before?, &after?).map_or_else(
        || "the same members, but in another order or format".to_owned(),
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
    let descriptor = entry.descriptor().compiled().expect("the kinds that are checked are compiled");
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

    /// A difference is reported with its path.
    #[test]
    fn differences_are_reported() {
        let scheme = hubgen_kubernetes::scheme();
        let [one, other] = [r#"{"a": "AAAA"}"#, r#"{"a": "AAAB"}"#].map(|data| secret(&scheme, data));
        let error = same_json(&one.encode().unwrap(), &other.encode().unwrap()).unwrap_err();
        assert!(error.starts_with("data.a: expected \"AAAA\", found \"AAAB\"\n"), "{error}");
        let error = same_protobuf(&one.entry, &one.encode_protobuf(), &other.encode_protobuf()).unwrap_err();
        assert_eq!(error, "data: expected [00, 00, 00], found [00, 00, 01]");
        assert_eq!(same_json(&one.encode().unwrap(), &one.encode().unwrap()), Ok(()));
        let error = same_json(b"{\"a\":1,\"b\":2}", b"{\"b\":2,\"a\":1}").unwrap_err();
        assert!(error.starts_with("the same members, but in another order"), "{error}");
    }

    /// An envelope with the name of another kind is detected.
    #[test]
    fn an_object_that_reads_as_another_kind_fails() {
        let known = hubgen_kubernetes::scheme();
        let entry = known.named("v1", "Secret").unwrap();
        let error = round_trips(&Scheme::new(), CODECS, &generate(entry, &[])).unwrap_err();
        assert!(error.starts_with("cannot read back our own protobuf: no kind \"Secret\""), "{error}");
    }

    fn without_type(object: &Object) -> Object {
        let mut object = object.clone();
        object.value.field_mut("type").unwrap().clear();
        object
    }

    /// A field that a codec always loses is found by comparing with the generated object.
    #[test]
    fn a_field_that_one_codec_loses_is_found() {
        let scheme = hubgen_kubernetes::scheme();
        let generated = secret(&scheme, r#"{"a": "AAAA"}, "type": "Opaque""#);
        assert_eq!(round_trips(&scheme, CODECS, &generated), Ok(()));
        let mut codecs = CODECS;
        codecs.json.write = |object| without_type(object).encode().unwrap();
        let error = round_trips(&scheme, codecs, &generated).unwrap_err();
        assert_eq!(error, "object → JSON → object: type: expected \"Opaque\", found \"\"");
        let mut codecs = CODECS;
        codecs.json.read =
            |scheme, entry, bytes| from_json(scheme, entry, bytes).map(|object| without_type(&object));
        let error = round_trips(&scheme, codecs, &generated).unwrap_err();
        assert_eq!(error, "object → JSON → object: type: expected \"Opaque\", found \"\"");
        let mut codecs = CODECS;
        codecs.protobuf.write = |object| without_type(object).encode_protobuf();
        let error = round_trips(&scheme, codecs, &generated).unwrap_err();
        assert_eq!(error, "object → protobuf → object: type: expected \"Opaque\", found \"\"");
    }
}
