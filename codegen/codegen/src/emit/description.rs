//! Prose as doc comments.

use proc_macro2::TokenStream;
use quote::quote;

/// Comments are wrapped at this width.
const WIDTH: usize = 85;

/// Wraps a sentence into lines of a comment.
pub fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= WIDTH || begins_a_block(word) {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Whether Markdown would take a line that begins with this word for something else than text.
fn begins_a_block(word: &str) -> bool {
    let is_item = word.trim_end_matches(['.', ')']).parse::<u32>().is_ok() && word.ends_with(['.', ')']);
    is_item
        || word.starts_with("```")
        || word.starts_with(['#', '>', '|', '='])
        || matches!(word, "-" | "*" | "+")
}

/// The description of a schema as lines of a comment; none if it is empty.
///
/// Go's comments become schemas whose paragraphs are separated by a line break and a space.
pub fn description(text: Option<&String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in text.map(|text| text.trim()).unwrap_or_default().split('\n') {
        let is_fence = line.trim_start().starts_with("```");
        let begins_paragraph = line.starts_with(' ') && !line.starts_with("  ");
        if begins_paragraph && !is_code && lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
        let line = if begins_paragraph && !is_code { line.trim() } else { line.trim_end() };
        // Tables, code and nested lists keep their form.
        let is_plain = !is_code && !is_fence && !line.starts_with([' ', '\t', '|']);
        if is_plain {
            lines.extend(wrapped(line))
        } else {
            lines.push(line.to_owned())
        }
        is_code ^= is_fence;
    }
    if lines.iter().all(String::is_empty) { Vec::new() } else { lines }
}

/// Doc comments, a line each.
pub fn doc(lines: &[String]) -> TokenStream {
    let lines = lines.iter().flat_map(|text| text.trim_end().split('\n')).map(|line| {
        // Comments cannot contain a carriage return.
        let line = line.trim_end().replace('\r', " ");
        let line = if line.is_empty() { line } else { format!(" {line}") };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Vec<String> {
        description(Some(&text.to_owned()))
    }

    #[test]
    fn paragraphs_of_go_are_separated() {
        assert_eq!(described("One. \n Two.\nThree."), ["One.", "", "Two.", "Three."]);
        assert!(described(" \n ").is_empty() && description(None).is_empty());
    }

    #[test]
    fn long_lines_are_wrapped_but_code_is_not() {
        let long = "word ".repeat(40);
        let lines = described(&format!("{long}\n```\n{long}\n```\n    {long}"));
        assert!(lines[..3].iter().all(|line| line.len() <= WIDTH), "{lines:?}");
        assert_eq!(lines[3..], ["```", long.trim_end(), "```", format!("    {}", long.trim_end()).as_str()]);
    }

    #[test]
    fn no_line_begins_with_what_markdown_takes_for_a_list() {
        let lines = described(&format!("{} - 1. # end", "x".repeat(WIDTH)));
        assert_eq!(lines, [format!("{} - 1. #", "x".repeat(WIDTH)), "end".to_owned()]);
    }
}
