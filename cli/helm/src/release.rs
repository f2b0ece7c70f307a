//! A release and its manifests.

use std::borrow::Cow;
use std::ops::Range;

use hubgen_json::{Lexer, writer};

use crate::layout::{Description, Hook, Layout, layout};
use crate::mistake::Mistake;
use crate::packed::{MOST_OPENED, packed, unpacked};

/// One revision of a release: its JSON, as Helm wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    json: String,
    layout: Layout,
    is_compressed: bool,
}

/// A manifest in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest<'a> {
    /// Its path in the release: `manifest`, or `hooks[0].manifest`.
    pub path: String,
    /// Whether it is that of a hook.
    pub is_hook: bool,
    /// The JSON string.
    json: &'a str,
}

impl<'a> Manifest<'a> {
    /// Its text.
    pub fn text(&self) -> Cow<'a, str> {
        Lexer::over(self.json).string().expect("it was read as a string before")
    }
}

/// What becomes of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It stays as it is.
    Keep,
    /// It has another text.
    Text(String),
    /// The hook is left out. For the manifest of the release itself, this is an empty text.
    Remove,
}

impl Release {
    /// Opens a release that is encoded as Helm encodes it, with or without gzip.
    ///
    /// # Errors
    /// When it is encoded otherwise, is more than [`MOST_OPENED`] bytes of JSON, or is no release.
    pub fn open(text: &str) -> Result<Self, Mistake> {
        Self::open_at_most(text, MOST_OPENED)
    }

    fn open_at_most(text: &str, most: usize) -> Result<Self, Mistake> {
        let (json, is_compressed) = unpacked(text, most)?;
        let layout = layout(&json)?;
        Ok(Self { json, layout, is_compressed })
    }

    /// The release encoded as Helm encodes it; without gzip if it came without.
    pub fn close(&self) -> String {
        packed(&self.json, self.is_compressed)
    }

    /// Its JSON.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The manifests: that of the release, and those of its hooks, as far as there are any.
    pub fn manifests(&self) -> impl Iterator<Item = Manifest<'_>> {
        let Layout { manifest, elements, .. } = &self.layout;
        let own = manifest.iter().map(|bytes| ("manifest".to_owned(), false, bytes));
        let hooks = elements.iter().enumerate().filter_map(|(index, hook)| {
            Some((format!("hooks[{index}].manifest"), true, hook.manifest.as_ref()?))
        });
        let manifest = |(path, is_hook, bytes): (String, bool, &Range<usize>)| Manifest {
            path,
            is_hook,
            json: &self.json[bytes.clone()],
        };
        own.chain(hooks).map(manifest)
    }

    /// The release with an edit for each of its [manifests](Self::manifests), and with a note in its description.
    ///
    /// # Panics
    /// When there are not as many edits as manifests.
    #[must_use]
    pub fn with(&self, edits: &[Edit], note: &str) -> Self {
        assert_eq!(edits.len(), self.manifests().count(), "each manifest has an edit");
        let mut edits = edits.iter();
        let mut changes = vec![self.noted(note)];
        if let Some(bytes) = &self.layout.manifest {
            match edits.next() {
                Some(Edit::Text(text)) => changes.push((bytes.clone(), string(text))),
                Some(Edit::Remove) => changes.push((bytes.clone(), string(""))),
                Some(Edit::Keep) | None => {}
            }
        }
        let hooks: Vec<Option<String>> =
            self.layout.elements.iter().map(|hook| self.hook(hook, &mut edits)).collect();
        if hooks.iter().any(Option::is_none) {
            let hooks = hooks.into_iter().flatten().collect::<Vec<_>>().join(",");
            changes.push((self.layout.hooks.clone(), format!("[{hooks}]")));
        } else {
            let places = self.layout.elements.iter().map(|hook| hook.bytes.clone());
            changes.extend(places.zip(hooks.into_iter().flatten()));
        }
        changes.sort_by_key(|(bytes, _)| bytes.start);
        let mut json = String::with_capacity(self.json.len());
        let mut end = 0;
        for (bytes, new) in changes {
            json.push_str(&self.json[end..bytes.start]);
            json.push_str(&new);
            end = bytes.end;
        }
        json.push_str(&self.json[end..]);
        let layout = layout(&json).expect("members of a release were replaced by others of their types");
        Self { json, layout, is_compressed: self.is_compressed }
    }

    /// A hook with the next edit, if it has a manifest; `None` if it is left out.
    fn hook<'e>(&self, hook: &Hook, edits: &mut impl Iterator<Item = &'e Edit>) -> Option<String> {
        let json = &self.json[hook.bytes.clone()];
        let Some(bytes) = &hook.manifest else { return Some(json.to_owned()) };
        match edits.next() {
            Some(Edit::Text(text)) => {
                let [before, after] = [hook.bytes.start..bytes.start, bytes.end..hook.bytes.end];
                Some(format!("{}{}{}", &self.json[before], string(text), &self.json[after]))
            }
            Some(Edit::Remove) => None,
            Some(Edit::Keep) | None => Some(json.to_owned()),
        }
    }

    /// The description with a note after it.
    fn noted(&self, note: &str) -> (Range<usize>, String) {
        match &self.layout.description {
            Description::At(bytes) => {
                let old = Lexer::over(&self.json[bytes.clone()]).string().unwrap_or_default();
                let between = if old.is_empty() { "" } else { "; " };
                (bytes.clone(), string(&format!("{old}{between}{note}")))
            }
            Description::Missing { at, is_first } => {
                let comma = if *is_first { "" } else { "," };
                (*at..*at, format!("{comma}\"description\":{}", string(note)))
            }
            Description::Nowhere => unreachable!("a release has `info`"),
        }
    }
}

/// A text as a JSON string.
fn string(text: &str) -> String {
    let mut out = Vec::new();
    writer::string(&mut out, text);
    String::from_utf8(out).expect("JSON of a text is text")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(json: &str) -> Release {
        Release::open(&packed(json, true)).unwrap_or_else(|mistake| panic!("{mistake}"))
    }

    fn text(text: &str) -> Edit {
        Edit::Text(text.to_owned())
    }

    const WHOLE: &str = r#"{ "name":"a", "later":[{"manifest":"not this one"}], "manifest":"x\n\u003c",
        "hooks":[{"name":"one","manifest":"h0","weight":1}, null, {"name":"none"}, {"manifest":"h1","events":["test"]}],
        "info":{"status":"deployed","description":"Install complete"}, "version":1.0 }"#;

    #[test]
    fn only_the_edited_members_change() {
        let release = release(WHOLE);
        let found: Vec<_> =
            release.manifests().map(|manifest| (manifest.path.clone(), manifest.text())).collect();
        let expected = [("manifest", "x\n<"), ("hooks[0].manifest", "h0"), ("hooks[3].manifest", "h1")];
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), Cow::Borrowed(text))));
        let new = release.with(&[text("y & z"), Edit::Keep, text("h2")], "converted");
        let expected = WHOLE
            .replace(r"x\n\u003c", r"y \u0026 z")
            .replace("h1", "h2")
            .replace("Install complete", "Install complete; converted");
        assert_eq!(new.json(), expected);
    }

    #[test]
    fn hooks_are_left_out() {
        let new = release(WHOLE).with(&[Edit::Remove, Edit::Remove, Edit::Keep], "n");
        assert!(new.json().contains(r#""manifest":"","#), "{}", new.json());
        let hooks = r#""hooks":[null,{"name":"none"},{"manifest":"h1","events":["test"]}],"#;
        assert!(new.json().contains(hooks), "{}", new.json());
        let all = release(WHOLE).with(&[Edit::Keep, Edit::Remove, Edit::Remove], "n");
        assert_eq!(all.manifests().count(), 1);
    }

    #[test]
    fn a_description_is_made_where_there_is_none() {
        for (info, expected) in [
            ("{}", r#"{"description":"n"}"#),
            (r#"{"status":"failed"}"#, r#"{"status":"failed","description":"n"}"#),
            (r#"{"description":null}"#, r#"{"description":"n"}"#),
            (r#"{"description":""}"#, r#"{"description":"n"}"#),
        ] {
            let json = |info: &str| format!(r#"{{"name":"a","info":{info}}}"#);
            assert_eq!(release(&json(info)).with(&[], "n").json(), json(expected));
        }
    }

    #[test]
    fn releases_without_gzip_stay_without() {
        let json = r#"{"name":"a","info":{}}"#;
        let packed = packed(json, false);
        assert_eq!(Release::open(&packed).map(|release| release.close()), Ok(packed));
    }

    /// The refusal of a text.
    fn refused(text: &str) -> String {
        Release::open_at_most(text, 1000).expect_err("no release").to_string()
    }

    #[test]
    fn what_is_no_release_is_named() {
        let json = |json: &str| refused(&packed(json, true));
        assert!(refused("?").starts_with("data.release: expected Helm's base64, found other text ("));
        assert!(
            refused(&crate::packed::based([0x1f, 0x8b, 0x08, 0]))
                .starts_with("data.release: expected data in gzip: ")
        );
        let whole = packed(WHOLE, true);
        let cut = crate::packed::based(&crate::packed::unbased(&whole, "").unwrap()[..100]);
        assert!(refused(&cut).starts_with("data.release: expected data in gzip: "), "{}", refused(&cut));
        assert_eq!(
            json(&" ".repeat(1001)),
            "data.release: expected at most 1000 bytes after decompression, found more"
        );
        for other in ["\n\u{4}name", "[]", "7", ""] {
            let expected =
                "data.release: expected a release in JSON, as of Helm 3 and 4, found another encoding";
            assert_eq!(json(other), expected);
        }
        for (text, expected) in [
            (r#"{"name":"a","info":{}"#, "data.release: expected JSON: "),
            (r#"{"name":"a","info":{}} x"#, "data.release: expected JSON: "),
            (r#"{"kind":"Secret"}"#, "data.release: expected a release of Helm, found JSON without `name`"),
            (
                r#"{"name":"","info":{}}"#,
                "data.release: expected a release of Helm, found JSON without `name`",
            ),
            (r#"{"name":"a"}"#, "data.release: expected a release of Helm, found JSON without `info`"),
            (r#"{"name":7}"#, "data.release.name: expected a string, found a number"),
            (r#"{"info":[]}"#, "data.release.info: expected an object, found an array"),
            (
                r#"{"info":{"description":7}}"#,
                "data.release.info.description: expected a string, found a number",
            ),
            (r#"{"manifest":{}}"#, "data.release.manifest: expected a string, found an object"),
            (r#"{"hooks":{}}"#, "data.release.hooks: expected an array, found an object"),
            (r#"{"hooks":[null,7]}"#, "data.release.hooks[1]: expected an object, found a number"),
            (
                r#"{"hooks":[{"manifest":7}]}"#,
                "data.release.hooks[0].manifest: expected a string, found a number",
            ),
        ] {
            assert!(json(text).starts_with(expected), "{text}: {}", json(text));
        }
    }
}
