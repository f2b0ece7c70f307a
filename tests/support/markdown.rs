//! The code blocks of the documentation.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::pages::{read, root};

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

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The code blocks of every Markdown file in the repository, file by file.
pub fn all() -> Vec<Block> {
    let root = root();
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    files.iter().flat_map(|file| of_file(&root, file)).collect()
}

/// The Markdown files of a folder and those below it; not what Cargo writes, hidden folders, and
/// the expected output of the code generator's tests.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "expected" {
                find(&path, files);
            }
        } else if name.ends_with(".md") {
            files.push(path);
        }
    }
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
