//! One word for one thing: no file uses a word that the glossary of `ARCHITECTURE.md` replaces.

use std::fs;
use std::path::{Path, PathBuf};

/// Pages that quote replaced words: the glossary itself, and the history.
const QUOTING: [&str; 2] = ["ARCHITECTURE.md", "CHANGELOG.md"];

/// Verbs that a newcomer has to guess the meaning of. In prose, each stays below this share of all words.
const VAGUE: [&str; 3] = ["says", "said", "holds"];
const MOST_PER_MILLION: usize = 150;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// All Rust, Go and Markdown files of the repository, by their paths from its root.
fn files() -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root().to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") || name.ends_with(".go") || name.ends_with(".md") {
                files.push(path.strip_prefix(root()).unwrap().to_path_buf());
            }
        }
    }
    files.sort();
    files
}

/// The words of a text in lower case, with their lines. `_` separates words, so that names count as well.
fn words(text: &str) -> Vec<(usize, String)> {
    let of_line = |(at, line): (usize, &str)| -> Vec<(usize, String)> {
        let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| (at + 1, word.to_lowercase())).collect()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

/// The terms of the glossary, each with the words that it replaces.
fn glossary(page: &str) -> Vec<(String, Vec<String>)> {
    let table = page.lines().skip_while(|line| !line.starts_with("| term | meaning |")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [term, _, replaced] = cells[..] else { panic!("a row with three cells: {row}") };
        (term.to_owned(), replaced.split('`').skip(1).step_by(2).map(str::to_owned).collect())
    })
    .collect()
}

/// Every use of a replaced word: its line, the word, and the term to use.
fn replaced<'g>(text: &str, glossary: &'g [(String, Vec<String>)]) -> Vec<(usize, &'g str, &'g str)> {
    let words = words(text);
    let mut found = Vec::new();
    for (term, replaced) in glossary {
        for phrase in replaced {
            let wanted: Vec<String> = self::words(phrase).into_iter().map(|(_, word)| word).collect();
            let uses =
                words.windows(wanted.len()).filter(|window| window.iter().map(|(_, word)| word).eq(&wanted));
            found.extend(uses.map(|window| (window[0].0, &**phrase, &**term)));
        }
    }
    found.sort_unstable();
    found
}

/// The prose of a file: Markdown without code blocks; in Rust and Go, comments and string literals that
/// contain a blank.
fn prose(path: &Path, text: &str) -> String {
    let is_markdown = path.extension().is_some_and(|extension| extension == "md");
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if is_markdown {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code {
                prose += line;
            }
        } else {
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            prose += comment;
            for literal in code.split('"').skip(1).step_by(2).filter(|literal| literal.contains(' ')) {
                prose.push(' ');
                prose += literal;
            }
        }
        prose.push('\n');
    }
    prose
}

#[test]
fn no_file_uses_a_word_that_the_glossary_replaces() {
    let glossary = glossary(&fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    assert!(glossary.len() > 20, "the glossary has {} terms", glossary.len());
    let mut wrong = Vec::new();
    let this = Path::new(file!()).file_name().unwrap();
    for path in files() {
        if path.file_name() == Some(this) || QUOTING.iter().any(|quoting| path == Path::new(quoting)) {
            continue;
        }
        let text = fs::read_to_string(root().join(&path)).unwrap();
        for (line, word, term) in replaced(&text, &glossary) {
            wrong.push(format!("{}:{line}: write \"{term}\" instead of \"{word}\"", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn vague_verbs_are_rare() {
    let (mut total, mut counts) = (0, [0; VAGUE.len()]);
    for path in files() {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        for (_, word) in words(&prose(&path, &text)) {
            total += 1;
            for (count, vague) in counts.iter_mut().zip(VAGUE) {
                *count += usize::from(word == vague);
            }
        }
    }
    for (count, vague) in counts.into_iter().zip(VAGUE) {
        let share = count * 1_000_000 / total;
        assert!(
            share <= MOST_PER_MILLION,
            "\"{vague}\" is {share} of a million words, of {total} words {count}"
        );
    }
}

#[test]
fn replaced_words_are_found_across_lines_and_in_names() {
    let page = "| term | meaning | do not write |\n| --- | --- | --- |\n\
                | canonical form | One form. | `normal form`, `norm` |\n| kind | A type. | — |\n\nend";
    let glossary = glossary(page);
    assert_eq!(glossary.len(), 2);
    let text = "/// The normal\n/// form.\nfn a_normal_form() {}\nfn enormous() {}\n";
    let found = replaced(text, &glossary);
    assert_eq!(found, [(1, "normal form", "canonical form"), (3, "normal form", "canonical form")]);
}
