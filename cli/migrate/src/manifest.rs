//! Converts the objects of a manifest where they stand.

use std::ops::Range;

use hubgen_diagnostic::Severity;
use hubgen_manifest::{
    Body, Convert, Format, Fresh, Item, List, Piece, Text, Tree, Written, fresh, lost, word,
};
use serde_json::Value;

use crate::converter::{Change, Converter, Found, Items, Note};
use crate::path::{element, join};

/// Hears what is found in a manifest while its objects are converted.
pub trait Hear {
    /// An error or a warning at bytes of the text. An object with an error is not converted.
    fn note(&mut self, bytes: Range<usize>, note: &Note);

    /// An object that is converted, from a byte of the text on, at a path in its document.
    fn change(&mut self, at: usize, path: &str, change: &Change);

    /// The last so many changes are not made after all: an object of their list has an error.
    fn take_back(&mut self, changes: usize);

    /// A list of so many items comes; the result is called after each of them.
    fn list(&mut self, _items: usize) -> Box<dyn FnMut()> {
        Box::new(|| {})
    }
}

/// A text, and what converts the objects in it.
#[derive(Clone, Copy)]
pub struct Manifest<'a> {
    /// The text.
    pub text: &'a str,
    /// Converts its objects.
    pub converter: &'a Converter<'a>,
}

impl Manifest<'_> {
    /// The new text of a document, in a format. `None` where it stays as it is, or where it has no text, since it is
    /// empty or has an error.
    pub fn document(&self, piece: &Piece, format: Format, hear: &mut dyn Hear) -> Option<Text> {
        self.work(false, hear).document(piece, format)
    }

    /// The same with a patch, which has some fields of an object: it changes only if its fields are the same at the other
    /// version.
    pub fn patch(&self, piece: &Piece, format: Format, hear: &mut dyn Hear) -> Option<Text> {
        self.work(true, hear).document(piece, format)
    }

    fn work<'a>(&'a self, is_patch: bool, hear: &'a mut dyn Hear) -> Work<'a> {
        Work { text: self.text, converter: self.converter, is_patch, hear, errors: 0, changes: 0 }
    }
}

/// The conversion of a document.
struct Work<'a> {
    text: &'a str,
    converter: &'a Converter<'a>,
    /// Whether documents are patches.
    is_patch: bool,
    hear: &'a mut dyn Hear,
    /// The errors and the changes so far.
    errors: usize,
    changes: usize,
}

/// A value in a text: a document, or an item of a list.
struct Part<'a> {
    written: Written<'a>,
    /// The byte of the text at which it begins.
    start: usize,
    /// How many blanks its text begins with that are not there.
    padding: usize,
    /// Its path in the document.
    path: &'a str,
}

impl Part<'_> {
    /// The bytes of the whole text at bytes of this part's text.
    fn place(&self, bytes: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.start + byte.saturating_sub(self.padding);
        at(bytes.start)..at(bytes.end)
    }
}

/// What a part becomes: its value and its text.
type Rewritten<'a> = (&'a Value, &'a str);

impl Work<'_> {
    fn document(&mut self, piece: &Piece, format: Format) -> Option<Text> {
        let text = &self.text[piece.bytes.clone()];
        match &piece.body {
            Body::Value(value) => {
                let (converter, is_patch) = (self.converter, self.is_patch);
                let convert = |value: &Value| match is_patch {
                    true => converter.patch(value),
                    false => converter.document(value),
                };
                let found = convert(value);
                let written = Written { text, tree: None, format: piece.format, margin: "", value };
                let part = Part { written, start: piece.bytes.start, padding: 0, path: "" };
                let new = self.part(&part, found, &|value| convert(value).value);
                if format == piece.format {
                    return Some(new?.1.into());
                }
                (!value.is_null())
                    .then(|| fresh(new.as_ref().map_or(value, |(value, _)| value), format).into())
            }
            Body::List(list) if format == piece.format => self.list(text, piece, list),
            Body::List(list) => self.fresh_list(text, piece, list, format),
        }
    }

    /// Tells what was found in a part, and returns its new value and text: `None` where it stays as
    /// it is. `convert` converts another value of the part.
    fn part(&mut self, part: &Part<'_>, found: Found, convert: &Convert<'_>) -> Option<(Value, String)> {
        if found.value.is_none() && found.notes.is_empty() {
            return None;
        }
        let Part { written, path: base, .. } = part;
        let tree = Tree::parse(written.text, written.format);
        let place = |path: &str| part.place(tree.as_ref().map_or(0..0, |tree| tree.place(path)));
        let fails = found.fails();
        for note in found.notes {
            let bytes = place(&note.path);
            self.note(bytes, Note { path: join(base, &note.path), ..note });
        }
        if fails {
            return None;
        }
        let value = found.value?;
        for path in tree.iter().flat_map(|tree| tree.duplicates()) {
            self.warn(place(&path), join(base, &path), "duplicate key; the last value counts");
        }
        for change in &found.changes {
            self.changes += 1;
            self.hear.change(place(&change.path).start, &join(base, &change.path), change);
        }
        let new = Written { tree: tree.as_ref(), ..*written }.again(&value, convert);
        for comment in lost(written.text, &new) {
            let message = "this comment is lost: its field is gone, or had to be written anew";
            self.warn(part.place(comment), String::new(), message);
        }
        Some((value, new))
    }

    fn note(&mut self, bytes: Range<usize>, note: Note) {
        self.errors += usize::from(note.severity == Severity::Error);
        self.hear.note(bytes, &note);
    }

    fn warn(&mut self, bytes: Range<usize>, path: String, message: &str) {
        let (message, help) = (message.to_owned(), String::new());
        self.note(bytes, Note { severity: Severity::Warning, path, message, help });
    }

    /// Converts each item of a list where it stands.
    fn list(&mut self, text: &str, piece: &Piece, list: &List) -> Option<Text> {
        let (errors, changes) = (self.errors, self.changes);
        let of = self.items_of(piece, list);
        if matches!(of, Items::Stay) {
            return None;
        }
        let mut out = Text::default();
        let mut end = 0;
        // The new version and kind of the list itself.
        let (frame, place) = list.frame();
        let tree = Tree::parse(frame, piece.format);
        let mut words: Vec<(usize, usize, String)> = Vec::new();
        for (name, new) in of.names() {
            let Some(bytes) = tree.as_ref().and_then(|tree| tree.member(name)) else { continue };
            let new = word(&frame[bytes.clone()], &new, piece.format);
            words.push((place(bytes.start), place(bytes.end), new));
        }
        words.sort();
        let mut words = words.into_iter().peekable();
        let mut copy = |out: &mut Text, to: usize, end: &mut usize| {
            while let Some((start, stop, new)) = words.next_if(|(start, ..)| *start < to) {
                out.push_str(&text[*end..start]);
                out.push_str(&new);
                *end = stop;
            }
            out.push_str(&text[*end..to]);
            *end = to;
        };
        self.each(text, piece, list, &of, &mut |item, _, new| {
            if let Some((_, new)) = new {
                copy(&mut out, item.bytes.start, &mut end);
                out.push_str(&item.unpadded(new));
                end = item.bytes.end;
            }
        });
        copy(&mut out, text.len(), &mut end);
        if self.errors > errors {
            self.take_back(changes);
            return None;
        }
        let is_same = out.parts().try_fold(text, |rest, part| rest.strip_prefix(part)) == Some("");
        (!is_same).then_some(out)
    }

    /// Converts each item of a list, and lays all of it out anew.
    fn fresh_list(&mut self, text: &str, piece: &Piece, list: &List, format: Format) -> Option<Text> {
        let (errors, changes) = (self.errors, self.changes);
        let of = self.items_of(piece, list);
        if self.errors > errors {
            return None;
        }
        let mut envelope = list.envelope.clone();
        for (name, word) in of.names() {
            envelope[name] = word.into();
        }
        let mut fresh = Fresh::new(&envelope, format);
        self.each(text, piece, list, &of, &mut |_, old, new| {
            fresh.item(new.map_or(old, |(value, _)| value));
        });
        if self.errors > errors {
            self.take_back(changes);
            return None;
        }
        Some(fresh.finish())
    }

    /// How the items of a list are converted.
    fn items_of(&mut self, piece: &Piece, list: &List) -> Items {
        let text = |name| list.envelope.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut found = Found::default();
        let of = self.converter.list_of(text("apiVersion"), text("kind"), "", &mut found);
        for note in found.notes {
            self.note(piece.bytes.clone(), note);
        }
        of.unwrap_or(Items::Stay)
    }

    /// Visits each item of a list with its value, and what it becomes: its value and its text, with
    /// the item's padding.
    fn each(
        &mut self,
        text: &str,
        piece: &Piece,
        list: &List,
        of: &Items,
        visit: &mut dyn FnMut(&Item<'_>, &Value, Option<Rewritten<'_>>),
    ) {
        let mut step = self.hear.list(list.count());
        let mut index = 0;
        list.each(text, &mut |item| {
            let path = element("", index);
            index += 1;
            let (start, padding) = (piece.bytes.start + item.bytes.start, item.padding);
            let value = match item.value(piece.format) {
                Ok(value) => value,
                Err(mistake) => {
                    let at = start + mistake.at.saturating_sub(padding);
                    let (severity, message) = (Severity::Error, mistake.message);
                    let help = mistake.help.to_owned();
                    return self.note(at..at + 1, Note { severity, path, message, help });
                }
            };
            let mut found = Found::default();
            found.value = self.converter.item(&value, of, "", &mut found);
            let (format, margin) = (piece.format, item.margin(text));
            let written = Written { text: &item.text, tree: None, format, margin, value: &value };
            let part = Part { written, start, padding, path: &path };
            let converter = self.converter;
            let convert = |value: &_| converter.item(value, of, "", &mut Found::default());
            let new = self.part(&part, found, &convert);
            visit(&item, &value, new.as_ref().map(|(value, text)| (value, text.as_str())));
            step();
        });
    }

    /// The changes after the first so many are not made.
    fn take_back(&mut self, changes: usize) {
        self.hear.take_back(self.changes - changes);
        self.changes = changes;
    }
}

#[cfg(test)]
mod tests {
    use allocation_counter::measure;
    use hubgen_manifest::{Pieces, value};

    use super::*;
    use crate::{Known, Target};

    const ITEM: &str = r#"{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"a","labels":{"app":"a"}},"spec":{"replicas":3,"rollbackTo":{"revision":3},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":80}]}]}}}}"#;

    /// Counts what it hears.
    #[derive(Default)]
    struct Counts {
        errors: usize,
        changes: usize,
        items: usize,
    }

    impl Hear for Counts {
        fn note(&mut self, _: Range<usize>, note: &Note) {
            self.errors += usize::from(note.severity == Severity::Error);
        }

        fn change(&mut self, _: usize, _: &str, _: &Change) {
            self.changes += 1;
        }

        fn take_back(&mut self, changes: usize) {
            self.changes -= changes;
        }

        fn list(&mut self, items: usize) -> Box<dyn FnMut()> {
            self.items += items;
            Box::new(|| {})
        }
    }

    /// The text of a list of so many items: one of anything, or one of a kind.
    fn list(items: usize, format: Format, of: &str) -> String {
        let list = |items: Value| match of {
            "List" => serde_json::json!({"apiVersion": "v1", "items": items, "kind": of}),
            _ => {
                serde_json::json!({"apiVersion": "apps/v1beta1", "items": items, "kind": of, "metadata": {"continue": "x"}})
            }
        };
        let item: Value = serde_json::from_str(ITEM).unwrap();
        fresh(&list(vec![item; items].into()), format)
    }

    /// What becomes of a text in a format, what is heard, and the most bytes that were in use at once beside both
    /// texts.
    fn converted(text: &str, from: Format, to: Format) -> (String, Counts, u64) {
        let known = Known::kubernetes();
        let converter =
            Converter { known: &known, target: &Target::Newest, drops_unknown: false, help_for_unknown: "" };
        let (mut counts, mut out) = (Counts::default(), Text::default());
        let info = measure(|| {
            let is_list = |document: &Value| converter.is_list(document);
            for piece in Pieces::new(text, from == Format::Json, &is_list) {
                let piece = piece.unwrap_or_else(|mistake| panic!("{}", mistake.message));
                let new = Manifest { text, converter: &converter }.document(&piece, to, &mut counts);
                out = new.unwrap_or_default();
            }
        });
        (out.parts().collect(), counts, info.bytes_max - out.capacity() as u64)
    }

    #[test]
    fn a_longer_list_takes_no_more_memory() {
        for from in [Format::Json, Format::Yaml] {
            for of in ["List", "DeploymentList"] {
                let [few, many] = [50, 1000].map(|items| converted(&list(items, from, of), from, from));
                assert_eq!(many.0.matches("deprecated.deployment.rollback.to").count(), 1000);
                assert!(!many.0.contains("v1beta1"));
                assert!(many.2 <= few.2 + 64, "{from:?} {of}: {} bytes, then {}", few.2, many.2);
                assert_eq!((many.1.errors, many.1.changes, many.1.items), (0, 1000, 1000));
            }
        }
    }

    /// Item by item, the text is what it is all at once.
    #[test]
    fn lists_in_another_format_are_laid_out_as_a_whole() {
        for (from, to) in [(Format::Json, Format::Yaml), (Format::Yaml, Format::Json)] {
            for (of, items) in [("List", 3), ("DeploymentList", 1), ("DeploymentList", 0)] {
                let (text, counts, _) = converted(&list(items, from, of), from, to);
                assert_eq!((counts.errors, counts.changes), (0, items));
                let new = match to {
                    Format::Json => value(text.as_bytes()).unwrap(),
                    Format::Yaml => {
                        let json = hubgen_kubernetes::machinery::yaml::to_json(&text).unwrap();
                        value(&json).unwrap()
                    }
                };
                assert_eq!(new["items"].as_array().unwrap().len(), items);
                assert_eq!(text, fresh(&new, to));
            }
        }
    }

    /// A list is written as a whole, or not at all.
    #[test]
    fn an_error_takes_the_changes_of_its_list_back() {
        let text = list(3, Format::Json, "List");
        let text = text.replacen("\"replicas\": 3", "\"replicas\": true", 1);
        let (new, counts, _) = converted(&text, Format::Json, Format::Json);
        assert_eq!((new.as_str(), counts.errors, counts.changes), ("", 1, 0));
    }
}
