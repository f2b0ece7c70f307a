//! Every relative link in every Markdown file of the repository leads to a file, and to a heading if it
//! names one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::pages;

/// What one page refers to, and what others can refer to in it.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.add(&heading.take().unwrap_or_default()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the anchor that GitHub makes of a heading. The second heading of the same text gets `-1`.
    fn add(&mut self, heading: &str) {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let mut unique = anchor.clone();
        let mut count = 0;
        while !self.anchors.insert(unique.clone()) {
            count += 1;
            unique = format!("{anchor}-{count}");
        }
    }
}

/// The path without `.` and `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            component => out.push(component),
        }
    }
    out
}

/// What is wrong with the links of the pages below `root`, and how many links were looked at. rustdoc
/// checks those of front pages.
fn broken(root: &Path) -> (Vec<String>, usize) {
    let pages: BTreeMap<PathBuf, Page> = pages::below(root)
        .into_iter()
        .filter(|path| !pages::is_front_page(path))
        .map(|path| (path.clone(), Page::parse(&pages::read(&path))))
        .collect();
    let mut broken = Vec::new();
    let mut count = 0;
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            count += 1;
            let (file, anchor) = match link.split_once('#') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (link.as_str(), None),
            };
            let folder = path.parent().unwrap_or(root);
            let target = if file.is_empty() { path.clone() } else { normalize(&folder.join(file)) };
            let why = if !target.exists() {
                "no such file"
            } else if anchor
                .is_some_and(|anchor| !pages.get(&target).is_some_and(|page| page.anchors.contains(anchor)))
            {
                "no such heading"
            } else {
                continue;
            };
            let name = path.strip_prefix(root).unwrap_or(path).display();
            broken.push(format!("{name}: {link}: {why}"));
        }
    }
    (broken, count)
}

#[test]
fn every_relative_link_resolves() {
    let (broken, count) = broken(&pages::root());
    assert!(count > 0, "no links were found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_broken_link_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "# One `two`\n\n[a](#one-two) [b](other.md#there) [c](gone.md) [d](#gone) [e](https://example.com/x)\n\n\
                ```text\n[f](in-code.md)\n```\n";
    fs::write(folder.path().join("page.md"), text).expect("it can be written");
    fs::write(folder.path().join("other.md"), "## There\n").expect("it can be written");
    let (broken, count) = broken(folder.path());
    assert_eq!(broken, ["page.md: gone.md: no such file", "page.md: #gone: no such heading"]);
    assert_eq!(count, 4);
}
