//! The objects in a backup.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_manifest::{Body, Format, Piece};
use hubgen_migrate::{Change, Converter, Hear, Manifest, Note};
use hubgen_terminal::{Diagnostic, Source};
use hubgen_velero::{Convert, LARGEST_OBJECT, Outcome, Place};
use serde_json::Value;

use crate::convert::heard::Heard;
use crate::convert::report::Report;
use crate::input::Input;

/// Converts the objects of a backup, and reports with their entries as the files.
pub struct Objects<'a> {
    /// Converts each of them.
    pub converter: &'a Converter<'a>,
    /// Where it is told.
    pub report: &'a mut Report,
    /// Whether each change is printed.
    pub shows_changes: bool,
}

impl Convert for Objects<'_> {
    fn object(&mut self, entry: &str, place: &Place, text: &[u8]) -> Outcome {
        let text = match str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let message =
                    format!("expected UTF-8, found a byte that is not at offset {}", error.valid_up_to());
                return self.fail(&Diagnostic::file(entry, message, STAYS));
            }
        };
        let input = Input { source: Source::new(entry, text), name: entry.to_owned(), is_json: true };
        let mut pieces = input.pieces(&|_| false);
        let piece = match pieces.next() {
            Some(Ok(piece)) => piece,
            Some(Err(mistake)) => return self.fail(&input.mistake(&mistake)),
            None => return self.fail(&Diagnostic::file(entry, "expected an object, found nothing", STAYS)),
        };
        if pieces.next().is_some() {
            let at = piece.bytes.end;
            let message = "expected one object, found more after it";
            return self.fail(&input.source.error(at..at + 1, "", message, STAYS));
        }
        if let Body::Value(value) = &piece.body
            && !value.is_object()
        {
            return self.fail(&input.source.error(piece.bytes.clone(), "", "expected an object", STAYS));
        }
        if let Body::Value(value) = &piece.body
            && let Err((path, message)) = agree(self.converter, place, value)
        {
            let help = "a restore would look for another object here; the entry stays as it is: correct its path or its object";
            return self.fail(&Diagnostic::file(entry, message, help).at(path));
        }
        self.piece(&input, &piece)
    }

    fn too_large(&mut self, entry: &str, bytes: u64) {
        let message = format!("expected an object of at most {LARGEST_OBJECT} bytes, found {bytes}");
        self.fail(&Diagnostic::file(
            entry,
            message,
            "no cluster accepts such an object; the entry stays as it is",
        ));
    }

    fn left_out(&mut self, entry: &str, kept: &str) {
        let message = format!("left out: at the new version it is {kept}, which is kept");
        self.report.add(&Diagnostic::file(Path::new(entry), message, "").warning());
    }
}

/// What becomes of an entry with an error.
const STAYS: &str = "the entry stays as it is; a restore cannot read it, either";

impl Objects<'_> {
    fn fail(&mut self, error: &Diagnostic) -> Outcome {
        self.report.add(error);
        Outcome::Fail
    }

    /// What becomes of the object in a text.
    fn piece(&mut self, input: &Input, piece: &Piece) -> Outcome {
        let errors = self.report.errors();
        let heard = Heard { input, shows_changes: self.shows_changes, report: self.report };
        let mut hearing = Hearing { heard, to: None };
        let manifest = Manifest { text: input.text(), converter: self.converter };
        let new = manifest.document(piece, Format::Json, &mut hearing);
        let to = hearing.to;
        match (new, to) {
            _ if self.report.errors() > errors => Outcome::Fail,
            (Some(new), Some(to)) => {
                let [before, after] = [&input.text()[..piece.bytes.start], &input.text()[piece.bytes.end..]];
                let text: String = [before].into_iter().chain(new.parts()).chain([after]).collect();
                Outcome::New {
                    resource: resource(&to),
                    version: to.version.to_string(),
                    text: text.into_bytes(),
                }
            }
            _ => Outcome::Keep,
        }
    }
}

/// Passes on what is found, and keeps to which kind the object was converted.
struct Hearing<'a> {
    heard: Heard<'a>,
    to: Option<Arc<KindEntry>>,
}

impl Hear for Hearing<'_> {
    fn note(&mut self, bytes: Range<usize>, note: &Note) {
        self.heard.note(bytes, note);
    }

    fn change(&mut self, at: usize, path: &str, change: &Change) {
        self.to = Some(Arc::clone(&change.to));
        self.heard.change(at, path, change);
    }

    fn take_back(&mut self, changes: usize) {
        self.heard.take_back(changes);
    }
}

/// The resource of a kind as backups name it: `deployments.apps`, or `pods` of the core group.
fn resource(entry: &KindEntry) -> String {
    let plural = entry.resource.as_ref().map_or(&entry.kind, |resource| &resource.plural);
    let dot = if entry.group.is_empty() { "" } else { "." };
    format!("{plural}{dot}{}", entry.group)
}

/// Whether an object is the one that its path names; else the field that differs, and how. The version may be another one:
/// Velero writes definitions at v1beta1 below `v1-preferredversion`.
fn agree(converter: &Converter<'_>, place: &Place, object: &Value) -> Result<(), (&'static str, String)> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version.is_empty() || kind.is_empty() {
        // Told where it is converted.
        return Ok(());
    }
    let expected = &place.folder.resource;
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let known = converter.known.scheme.named(api_version, kind);
    let found = known.map(|entry| resource(entry));
    if group != place.group() || found.is_some_and(|found| found != *expected) {
        return Err((
            "kind",
            format!("expected an object of {expected}, as its path names it, found {api_version} {kind}"),
        ));
    }
    let metadata = |name: &str| object.get("metadata").and_then(|metadata| metadata.get(name)?.as_str());
    let [name, namespace] = ["name", "namespace"].map(|name| metadata(name).unwrap_or_default());
    if name != place.name {
        return Err((
            "metadata.name",
            format!("expected {:?}, as its path names it, found {name:?}", place.name),
        ));
    }
    let expected = place.namespace.as_deref().unwrap_or_default();
    if namespace != expected {
        let expected = if expected.is_empty() { "none".to_owned() } else { format!("{expected:?}") };
        let message = format!("expected {expected}, as its path names it, found {namespace:?}");
        return Err(("metadata.namespace", message));
    }
    Ok(())
}
