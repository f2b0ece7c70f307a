//! The code blocks of the documentation.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fmt;
use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::pages::{below, is_front_page, read, root};

/// A code block of a Markdown file.
#[derive(Clone, Debug)]
pub struct Block {
    /// The file, from the root of the repository.
    pub file: String,
    /// The line of the block's fence, from 1.
    pub line: usize,
    /// The language that the fence names; empty where it names none, or where there is no fence.
    pub language: String,
    /// The text in the block.
    pub text: String,
    /// The bytes of the file that the text is in.
    pub bytes: Range<usize>,
}

/// The page that makes a crate of types in Rust, step by step: each block is a file, which its first line names.
pub const GUIDE: &str = "docs/three-versions.md";

/// The page that makes a crate of definitions, with commands. Blocks in Rust are files, as in the guide.
pub const TUTORIAL: &str = "docs/own-apis.md";

impl Block {
    /// The file that the block is in the crate of its page: `src/lib.rs`.
    pub fn crate_file(&self) -> Option<&str> {
        let (first, _) = self.text.split_once('\n')?;
        let is_setting = self.language == "toml" && first.ends_with("# in hubgen.toml");
        let name = if is_setting { Some("hubgen.toml") } else { first.strip_prefix("// ") };
        name.filter(|_| [GUIDE, TUTORIAL].contains(&&*self.file))
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The code blocks of every page, but for front pages of generated crates: those are doctests.
pub fn all() -> Vec<Block> {
    let root = root();
    let pages = below(&root).into_iter().filter(|path| !is_front_page(path));
    pages.flat_map(|path| of_file(&root, &path)).collect()
}

fn of_file(root: &Path, path: &Path) -> Vec<Block> {
    let text = read(path);
    let file = path.strip_prefix(root).expect("the file is in the repository").display().to_string();
    let mut blocks: Vec<Block> = Vec::new();
    let mut in_block = false;
    for (event, range) in Parser::new(&text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_block = true;
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let line = text[..range.start].matches('\n').count() + 1;
                let start = range.start;
                blocks.push(Block {
                    file: file.clone(),
                    line,
                    language,
                    text: String::new(),
                    bytes: start..start,
                });
            }
            Event::Text(part) if in_block => {
                let block = blocks.last_mut().expect("a block was begun");
                if block.text.is_empty() {
                    block.bytes.start = range.start;
                }
                block.bytes.end = range.end;
                block.text.push_str(&part);
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            _ => {}
        }
    }
    blocks
}
