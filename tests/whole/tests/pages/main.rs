//! The pages of this repository describe what is there: links, code blocks, the drawing of the architecture, attributes
//! of the derive, the words of the glossary.

#[path = "../../support/markdown.rs"]
mod markdown;
#[path = "../../support/pages.rs"]
mod pages;
#[path = "../../support/terminal.rs"]
mod terminal;

mod architecture;
mod attributes;
mod documentation;
mod links;
mod modules;
mod vocabulary;
