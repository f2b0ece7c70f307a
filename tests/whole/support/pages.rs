//! The Markdown pages of the repository.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the package is in a wing of the repository")
        .to_owned()
}

/// The text of a page.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Markdown file below `folder`, without what was built and what is hidden.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                pages.extend(below(&path));
            }
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// Whether a page is the front page of a generated crate. Its code blocks and links are those of rustdoc.
pub fn is_front_page(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "crate.md")
}
