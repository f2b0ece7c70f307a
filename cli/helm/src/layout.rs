//! Where the members of a release are in its JSON, so that all others stay as they are.

use std::ops::Range;

use hubgen_json::lexer::{Error, Kind};
use hubgen_json::{Lexer, lexer};

use crate::mistake::{DAMAGED, Mistake};

/// The places of what a program may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The text of `manifest`.
    pub manifest: Option<Range<usize>>,
    /// All of `hooks`.
    pub hooks: Range<usize>,
    /// Its elements.
    pub elements: Vec<Hook>,
    pub description: Description,
}

/// An element of `hooks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    pub bytes: Range<usize>,
    /// The text of its `manifest`.
    pub manifest: Option<Range<usize>>,
}

/// Where `info.description` is, or where it would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Description {
    /// There is no `info`.
    #[default]
    Nowhere,
    /// Its text, or null.
    At(Range<usize>),
    /// After the members of `info`.
    Missing { at: usize, is_first: bool },
}

/// Finds the members of a release. Of equal names the last counts, as in Go.
pub fn layout(json: &str) -> Result<Layout, Mistake> {
    let mut reader = Reader { lexer: Lexer::over(json), layout: Layout::default(), has_name: false };
    match reader.release() {
        Ok(()) => {}
        Err(Fault::Json(error)) => {
            let message = format!("expected JSON: {} at byte {}", error.message(), error.offset());
            return Err(Mistake::new(message, DAMAGED));
        }
        Err(Fault::Shape(member, message)) => return Err(Mistake::new(message, NO_RELEASE).at(&member)),
    }
    let is_there = [("name", reader.has_name), ("info", reader.layout.description != Description::Nowhere)];
    match is_there.iter().find(|(_, is_there)| !is_there) {
        Some((member, _)) => Err(Mistake::new(
            format!("expected a release of Helm, found JSON without `{member}`"),
            NO_RELEASE,
        )),
        None => Ok(reader.layout),
    }
}

const NO_RELEASE: &str = "this is no release that Helm wrote: check which object it is";

/// What is wrong with the JSON.
enum Fault {
    Json(Error),
    /// A member has another type.
    Shape(String, String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    layout: Layout,
    has_name: bool,
}

impl Reader<'_> {
    fn release(&mut self) -> Result<(), Fault> {
        let mut more = self.lexer.enter_object()?;
        while more {
            let key = self.lexer.key()?;
            match &*key {
                "name" => self.has_name = self.text("name")?.is_some_and(|bytes| bytes.len() > 2),
                "manifest" => self.layout.manifest = self.text("manifest")?,
                "hooks" => self.hooks()?,
                "info" => self.info()?,
                _ => self.lexer.skip()?,
            }
            more = self.lexer.next_member()?;
        }
        Ok(self.lexer.finish()?)
    }

    /// The bytes of a string; `None` for null.
    fn text(&mut self, member: &str) -> Result<Option<Range<usize>>, Fault> {
        let kind = self.lexer.peek()?;
        let bytes = value(&mut self.lexer)?;
        match kind {
            Kind::String => Ok(Some(bytes)),
            Kind::Null => Ok(None),
            other => Err(shape(member, "a string", other)),
        }
    }

    fn hooks(&mut self) -> Result<(), Fault> {
        self.layout.elements.clear();
        let kind = self.lexer.peek()?;
        let start = self.lexer.offset();
        match kind {
            Kind::Null => self.lexer.skip()?,
            Kind::Array => {
                let mut more = self.lexer.enter_array()?;
                while more {
                    let hook = self.hook(&format!("hooks[{}]", self.layout.elements.len()))?;
                    self.layout.elements.push(hook);
                    more = self.lexer.next_element()?;
                }
            }
            other => return Err(shape("hooks", "an array", other)),
        }
        self.layout.hooks = start..self.lexer.offset();
        Ok(())
    }

    fn hook(&mut self, path: &str) -> Result<Hook, Fault> {
        let kind = self.lexer.peek()?;
        let start = self.lexer.offset();
        let mut manifest = None;
        match kind {
            Kind::Null => self.lexer.skip()?,
            Kind::Object => {
                let mut more = self.lexer.enter_object()?;
                while more {
                    match &*self.lexer.key()? {
                        "manifest" => manifest = self.text(&format!("{path}.manifest"))?,
                        _ => self.lexer.skip()?,
                    }
                    more = self.lexer.next_member()?;
                }
            }
            other => return Err(shape(path, "an object", other)),
        }
        Ok(Hook { bytes: start..self.lexer.offset(), manifest })
    }

    fn info(&mut self) -> Result<(), Fault> {
        let kind = self.lexer.peek()?;
        if kind != Kind::Object {
            return Err(shape("info", "an object", kind));
        }
        let mut found = None;
        let mut more = self.lexer.enter_object()?;
        let is_first = !more;
        while more {
            if &*self.lexer.key()? == "description" {
                let kind = self.lexer.peek()?;
                let bytes = value(&mut self.lexer)?;
                if !matches!(kind, Kind::String | Kind::Null) {
                    return Err(shape("info.description", "a string", kind));
                }
                found = Some(bytes);
            } else {
                self.lexer.skip()?;
            }
            more = self.lexer.next_member()?;
        }
        // Before the closing brace.
        let at = self.lexer.offset() - 1;
        self.layout.description = found.map_or(Description::Missing { at, is_first }, Description::At);
        Ok(())
    }
}

/// Skips a value that is next, and returns its bytes.
fn value(lexer: &mut Lexer<'_>) -> lexer::Result<Range<usize>> {
    lexer.peek()?;
    let start = lexer.offset();
    lexer.skip()?;
    Ok(start..lexer.offset())
}

fn shape(member: &str, expected: &str, found: Kind) -> Fault {
    Fault::Shape(member.to_owned(), format!("expected {expected}, found {}", found.name()))
}
