//! Releases of Helm: the manifests in them are converted where they stand.

mod done;
mod within;

use std::ops::Range;

use hubgen_helm::{Carrier, Edit, Mistake};
use hubgen_manifest::{Body, Format, Fresh, List, Piece, Text, Tree, Written, fresh};
use hubgen_migrate::Converter;
use serde_json::Value;

use self::done::Done;
use self::within::Within;
use super::report::Report;
use crate::input::Input;

/// Converts the releases in an input.
pub struct Releases<'a> {
    /// The input.
    pub input: &'a Input,
    /// Converts the objects in manifests.
    pub converter: &'a Converter<'a>,
    /// Whether objects are left out of which no version is served.
    pub drops_gone: bool,
    /// Whether each change is printed.
    pub shows_changes: bool,
}

/// An object in the input: a document, or an item of a list.
struct Part<'a> {
    written: Written<'a>,
    /// The byte of the input at which it begins.
    start: usize,
    /// How many blanks its text begins with that are not there.
    padding: usize,
    /// Its path in the document.
    path: &'a str,
}

impl Releases<'_> {
    /// The new text of a document, in a format. `None` where it stays as it is, or has an error.
    pub fn document(&self, piece: &Piece, format: Format, report: &mut Report) -> Option<Text> {
        let text = &self.input.text()[piece.bytes.clone()];
        match &piece.body {
            Body::Value(value) => {
                let written = Written { text, tree: None, format: piece.format, margin: "", value };
                let part = Part { written, start: piece.bytes.start, padding: 0, path: "" };
                let (errors, changes) = (report.errors(), report.changes);
                let new = self.any(value, "", &part, report);
                if report.errors() > errors {
                    report.forget_changes(changes);
                    return None;
                }
                if format == piece.format {
                    return Some(written.again(&new?, &|_| None).into());
                }
                (!value.is_null()).then(|| fresh(new.as_ref().unwrap_or(value), format).into())
            }
            Body::List(list) => self.list(text, piece, list, format, report),
        }
    }

    /// The objects of a list, one by one.
    fn list(
        &self,
        text: &str,
        piece: &Piece,
        list: &List,
        format: Format,
        report: &mut Report,
    ) -> Option<Text> {
        let (errors, changes) = (report.errors(), report.changes);
        let mut anew = (format != piece.format).then(|| Fresh::new(&list.envelope, format));
        let mut out = Text::default();
        let (mut end, mut index) = (0, 0);
        let bar = report.messages.progress.bar(list.count(), "items");
        list.each(text, &mut |item| {
            let path = format!("items[{index}]");
            index += 1;
            let start = piece.bytes.start + item.bytes.start;
            let value = match item.value(piece.format) {
                Ok(value) => value,
                Err(mistake) => {
                    let at = start + mistake.at.saturating_sub(item.padding);
                    report.add(&self.input.source.error(at..at + 1, &path, mistake.message, mistake.help));
                    return;
                }
            };
            let written = Written {
                text: &item.text,
                tree: None,
                format: piece.format,
                margin: item.margin(text),
                value: &value,
            };
            let part = Part { written, start, padding: item.padding, path: &path };
            let new = self.item(&value, &list.envelope, "", &part, report);
            if let Some(anew) = &mut anew {
                anew.item(new.as_ref().unwrap_or(&value));
            } else if let Some(new) = new {
                out.push_str(&text[end..item.bytes.start]);
                out.push_str(&item.unpadded(&written.again(&new, &|_| None)));
                end = item.bytes.end;
            }
            bar.step();
        });
        drop(bar);
        if report.errors() > errors {
            report.forget_changes(changes);
            return None;
        }
        if let Some(anew) = anew {
            return Some(anew.finish());
        }
        out.push_str(&text[end..]);
        (end > 0).then_some(out)
    }

    /// Converts the release that an object carries, or those in a list that is one value; `None` where nothing changes.
    fn any(&self, value: &Value, path: &str, part: &Part<'_>, report: &mut Report) -> Option<Value> {
        if let Some(items) = value["items"].as_array()
            && self.converter.is_list(value)
        {
            let new: Vec<Option<Value>> = items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    self.item(item, value, &join(path, &format!("items[{index}]")), part, report)
                })
                .collect();
            let changes = new.iter().any(Option::is_some);
            let mut list = value.clone();
            list["items"] =
                items.iter().zip(new).map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect();
            return changes.then_some(list);
        }
        let Some(carrier) = Carrier::of(value) else {
            if !value.is_null() {
                let message =
                    "expected a Secret or a ConfigMap with a release of Helm; this object stays as it is";
                let error = self.input.source.error(part.place(path), join(part.path, path), message, "");
                report.add(&error.warning());
            }
            return None;
        };
        self.opened(&carrier, value, report).unwrap_or_else(|mistake| {
            let Mistake { path: member, message, help } = mistake;
            let path = join(path, &member);
            let message = format!("{carrier}: {message}");
            report.add(&self.input.source.error(part.place(&path), join(part.path, &path), message, help));
            None
        })
    }

    /// Converts an item of a list, which may leave out what it is if the list tells.
    fn item(
        &self,
        item: &Value,
        list: &Value,
        path: &str,
        part: &Part<'_>,
        report: &mut Report,
    ) -> Option<Value> {
        let kind = list["kind"].as_str().and_then(|kind| kind.strip_suffix("List")).unwrap_or_default();
        if kind.is_empty() || !item.is_object() || item.get("kind").is_some() {
            return self.any(item, path, part, report);
        }
        let mut named = item.clone();
        named["apiVersion"] = list["apiVersion"].clone();
        named["kind"] = kind.into();
        let mut new = self.any(&named, path, part, report)?;
        new.as_object_mut()?.retain(|name, _| item.get(name).is_some());
        Some(new)
    }

    /// The object with the manifests of its release converted; `None` where nothing changes, or one has an error.
    fn opened(
        &self,
        carrier: &Carrier,
        object: &Value,
        report: &mut Report,
    ) -> Result<Option<Value>, Mistake> {
        let release = carrier.open(object)?;
        let (errors, changes) = (report.errors(), report.changes);
        let mut done = Done::default();
        let edit = |manifest| Within { of: self, carrier, done: &mut done, report }.edit(&manifest);
        let edits: Vec<Edit> = release.manifests().map(edit).collect();
        let is_same = edits.iter().all(|edit| *edit == Edit::Keep);
        if report.errors() > errors || is_same {
            return Ok(None);
        }
        let new = carrier.with(object, &release.with(&edits, &done.note()));
        if new.is_err() {
            report.forget_changes(changes);
        }
        new.map(Some)
    }
}

impl Part<'_> {
    /// The bytes of the input at a path of the part.
    fn place(&self, path: &str) -> Range<usize> {
        let tree = Tree::parse(self.written.text, self.written.format);
        let bytes = tree.map_or(0..0, |tree| tree.place(path));
        let at = |byte: usize| self.start + byte.saturating_sub(self.padding);
        at(bytes.start)..at(bytes.end)
    }
}

fn join(path: &str, rest: &str) -> String {
    let dot = if path.is_empty() || rest.is_empty() { "" } else { "." };
    format!("{path}{dot}{rest}")
}
