//! docs/attributes.md documents every attribute and key of `#[derive(ApiType)]`, and names the tests of each: one in which
//! it works, and one that refuses it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_derive_core::{ApiType, PLACES};
use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::pages;

/// A key, with the attribute and the key that it is inside of: `kind`, `column`, `type`. An attribute itself is alone.
type Key = Vec<String>;

/// Where one of a few words is the value. A test with another word is one of all of them.
const WORDS: [&[&str]; 4] = [&["field", "number"], &["field", "omit"], &["field", "list"], &["unknown"]];

fn known() -> BTreeSet<Key> {
    let keys = PLACES.iter().flat_map(|place| place.keys.iter().map(|key| [place.path, &[*key]].concat()));
    keys.map(|key| key.into_iter().map(str::to_owned).collect()).collect()
}

/// `#[kind(column(type))]`
fn written(key: &[String]) -> String {
    let open = key.iter().map(String::as_str).collect::<Vec<_>>().join("(");
    format!("#[{open}{}]", ")".repeat(key.len() - 1))
}

/// A key where it is written: from its first character until after its last.
struct Use {
    key: Key,
    from: LineColumn,
    to: LineColumn,
}

/// The keys in all attributes of source code, from the outermost inwards.
fn uses(code: &str) -> Vec<Use> {
    let mut uses = Vec::new();
    attributes(code.parse().expect("it is Rust"), &known(), &mut uses);
    uses
}

fn attributes(tokens: TokenStream, known: &BTreeSet<Key>, uses: &mut Vec<Use>) {
    let mut before: Option<TokenTree> = None;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let hash = before.as_ref().filter(|token| token.to_string() == "#").map(TokenTree::span);
            let mut inside = group.stream().into_iter();
            match (hash, inside.next()) {
                (Some(hash), Some(TokenTree::Ident(name))) if known.contains(&vec![name.to_string()]) => {
                    let key = vec![name.to_string()];
                    uses.push(Use { key: key.clone(), from: hash.start(), to: group.span().end() });
                    if let Some(TokenTree::Group(group)) = inside.next() {
                        keys(&group, &key, known, uses);
                    }
                }
                _ => attributes(group.stream(), known, uses),
            }
        }
        before = Some(token);
    }
}

/// The keys inside of another one: the first word after each comma.
fn keys(group: &Group, owner: &Key, known: &BTreeSet<Key>, uses: &mut Vec<Use>) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    for key in tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')) {
        let [TokenTree::Ident(name), rest @ ..] = key else { continue };
        let mut path = owner.clone();
        path.push(name.to_string());
        if !known.contains(&path) {
            continue;
        }
        // Until the comma or parenthesis after it, to which an error about a missing value points.
        let to = key.last().expect("there is a name").span().end();
        let to = LineColumn { column: to.column + 1, ..to };
        uses.push(Use { key: path.clone(), from: name.span().start(), to });
        // `items(…)` and `values(…)` have the keys of fields inside.
        let inner = if matches!(&*name.to_string(), "items" | "values") { owner.clone() } else { path };
        match rest {
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Parenthesis => {
                keys(group, &inner, known, uses);
            }
            [TokenTree::Punct(equals), word @ TokenTree::Ident(name), ..] if equals.as_char() == '=' => {
                let word_of = [&inner[..], &[name.to_string()]].concat();
                if known.contains(&word_of) {
                    uses.push(Use { key: word_of, from: word.span().start(), to });
                }
            }
            _ => {}
        }
    }
}

/// The cells of a row, each with its links and with what is between backquotes.
#[derive(Default)]
struct Cell {
    code: Vec<String>,
    links: Vec<String>,
    has_text: bool,
}

struct Table {
    /// What the heading above contains between backquotes.
    heading: Option<String>,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

fn tables(page: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut heading = None;
    let (mut is_heading, mut is_head) = (false, false);
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => (is_heading, heading) = (true, None),
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Code(code) if is_heading => heading = Some(code.into_string()),
            Event::Start(Tag::Table(_)) => {
                tables.push(Table { heading: heading.clone(), columns: Vec::new(), rows: Vec::new() });
            }
            _ => {
                let Some(table) = tables.last_mut() else { continue };
                match event {
                    Event::Start(Tag::TableHead) => is_head = true,
                    Event::End(TagEnd::TableHead) => is_head = false,
                    Event::Text(text) if is_head => table.columns.push(text.into_string()),
                    Event::Start(Tag::TableRow) => table.rows.push(Vec::new()),
                    Event::Start(Tag::TableCell) if !is_head => {
                        table.rows.last_mut().expect("a row has begun").push(Cell::default());
                    }
                    _ => {
                        let Some(cell) = table.rows.last_mut().and_then(|row| row.last_mut()) else {
                            continue;
                        };
                        match event {
                            Event::Code(code) => cell.code.push(code.into_string()),
                            Event::Start(Tag::Link { dest_url, .. }) => {
                                cell.links.push(dest_url.into_string())
                            }
                            Event::Text(_) => cell.has_text = true,
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    tables
}

/// The words in `#[kind(column(…))]`.
fn words(code: &str) -> Key {
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn page() -> (PathBuf, String) {
    let path = pages::root().join("docs/attributes.md");
    let text = pages::read(&path);
    (path, text)
}

/// The rows of the tables with these columns, by their keys. The heading above a table names what its keys are inside of.
fn rows(page: &str, columns: [&str; 4]) -> BTreeMap<Key, Vec<Cell>> {
    let mut found = BTreeMap::new();
    for table in tables(page).into_iter().filter(|table| table.columns == columns) {
        let place = table.heading.as_deref().map(words).unwrap_or_default();
        for row in table.rows {
            let mut key = place.clone();
            key.extend(row[0].code.first().map(|code| words(code)).unwrap_or_default());
            assert!(found.insert(key.clone(), row).is_none(), "{} is there twice", written(&key));
        }
    }
    let listed: BTreeSet<Key> = found.keys().cloned().collect();
    let names = |keys: BTreeSet<&Key>| keys.into_iter().map(|key| written(key)).collect::<Vec<_>>();
    let known = known();
    let missing = names(known.difference(&listed).collect());
    assert!(missing.is_empty(), "docs/attributes.md has no row in the tables {columns:?} for {missing:#?}");
    let unknown = names(listed.difference(&known).collect());
    assert!(unknown.is_empty(), "the derive does not have these keys of docs/attributes.md: {unknown:#?}");
    found
}

/// The derive of the macro declares the attributes that the parser knows.
#[test]
fn the_macro_declares_every_attribute() {
    let source = pages::read(&pages::root().join("derive/macro/src/lib.rs"));
    let (_, declared) = source.split_once("attributes(").expect("the macro has attributes");
    let (declared, _) = declared.split_once(')').expect("the list ends");
    let declared: BTreeSet<Key> = declared.split(',').map(words).collect();
    assert_eq!(declared, known().into_iter().filter(|key| key.len() == 1).collect());
}

#[test]
fn every_key_is_documented_with_an_example() {
    let (_, page) = page();
    for (key, row) in rows(&page, ["key", "example", "meaning", "becomes"]) {
        let name = written(&key);
        let example = row[1].code.first().unwrap_or_else(|| panic!("{name} has no example"));
        assert!(uses(example).iter().any(|it| it.key == key), "the example of {name} lacks it: {example}");
        for cell in &row[2..] {
            assert!(cell.has_text || !cell.code.is_empty(), "{name} has an empty cell");
        }
        if let Err(error) = parses(example) {
            panic!("the example of {name} is refused: {error}\n{example}");
        }
    }
}

/// Parses an example: a field, a variant, or attributes of a type.
fn parses(example: &str) -> Result<(), String> {
    let has = |key: &str| uses(example).iter().any(|it| it.key == ["kind", key]);
    let mut names = String::new();
    if example.contains("#[kind") || example.contains("#[from") {
        for (key, value) in [("group", "example.com"), ("version", "v1"), ("kind", "Widget")] {
            if !has(key) {
                names.push_str(&format!("#[kind({key} = \"{value}\")]\n"));
            }
        }
    }
    if example.contains("#[leaf") {
        let has = |key: &str| uses(example).iter().any(|it| it.key == ["leaf", key]);
        for (key, written) in
            [("text", "text"), ("expects", "expects = \"a URL\""), ("examples", "examples(\"https://a\")")]
        {
            if !has(key) {
                names.push_str(&format!("#[leaf({written})]\n"));
            }
        }
    }
    let items = [
        format!("struct Widget {{ {example} }}"),
        format!("enum Word {{ First, {example} }}"),
        format!("{names}{example} struct Widget {{}}"),
        format!("{names}{example} struct Widget(Leaf<Url>);"),
    ];
    let is_leaf = example.contains("#[leaf");
    let items = items.iter().filter(|item| item.ends_with(");") == is_leaf);
    let parsed = items.filter_map(|item| syn::parse_str::<syn::DeriveInput>(item).ok()).next();
    let item = parsed.ok_or("no field, no variant, and no attribute of a type")?;
    ApiType::parse(&item).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn every_key_has_a_test_in_which_it_works() {
    let (path, page) = page();
    let mut wrong = Vec::new();
    for (key, row) in rows(&page, ["key", "works", "refused", "message"]) {
        let name = written(&key);
        let cell = &row[1];
        if cell.links.is_empty() {
            wrong.push(format!("{name} has no test in which it works"));
        }
        for link in &cell.links {
            let file = path.with_file_name(link);
            let code = pages::read(&file);
            if !uses(&code).iter().any(|it| it.key == key) {
                wrong.push(format!("{link} does not use {name}"));
            }
            if !is_source_of_a_test(&file) && !cell.code.iter().any(|test| has_test(&code, test)) {
                wrong.push(format!("{name} names no test of {link}: {:?}", cell.code));
            }
        }
        for test in &cell.code {
            let mut files = cell.links.iter().map(|link| pages::read(&path.with_file_name(link)));
            if !files.any(|code| has_test(&code, test)) {
                wrong.push(format!("there is no test `{test}`, which {name} names"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether a file is the input of a test: below `src` of an API that `cargo test --test modules` generates and compares
/// with what is expected, or of one that a test beside it compiles.
fn is_source_of_a_test(file: &Path) -> bool {
    let mut folders = file.ancestors().skip(1);
    let Some(api) = folders.find(|folder| folder.ends_with("src")).and_then(Path::parent) else {
        return false;
    };
    api.join("expected").is_dir() || api.with_extension("rs").is_file()
}

fn has_test(code: &str, name: &str) -> bool {
    let Some((before, _)) = code.split_once(&format!("fn {name}(")) else { return false };
    before.lines().rev().take_while(|line| !line.trim().is_empty()).any(|line| line.trim() == "#[test]")
}

#[test]
fn every_key_has_a_test_that_refuses_it() {
    let (path, page) = page();
    let mut wrong = Vec::new();
    for (key, row) in rows(&page, ["key", "works", "refused", "message"]) {
        let name = written(&key);
        let ([link], [message]) = (&row[2].links[..], &row[3].code[..]) else {
            wrong.push(format!("{name} needs one source that is refused, and one message"));
            continue;
        };
        let file = path.with_file_name(link);
        let uses = uses(&pages::read(&file));
        // A word is refused where another word is.
        let is_word = WORDS.iter().any(|place| *place == &key[..key.len() - 1]);
        let refused = if is_word { &key[..key.len() - 1] } else { &key[..] };
        let is_refused = errors(&file).iter().any(|(at, text)| {
            let mut around = uses.iter().filter(|it| it.from <= *at && *at < it.to);
            // The innermost key, or the attribute.
            let is_at = if refused.len() == 1 {
                around.any(|it| it.key == refused)
            } else {
                around.next_back().is_some_and(|it| it.key == refused)
            };
            is_at && text.contains(message)
        });
        if !is_refused {
            wrong.push(format!("{link} does not refuse {name} with `{message}`"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The errors that are expected for a file: recorded messages of the compiler, or of the reader.
fn errors(file: &Path) -> Vec<(LineColumn, String)> {
    let position = |text: &str| {
        let (line, column) = text.split_once(':').expect("a line and a column");
        let column: usize = column.parse().expect("a column");
        LineColumn { line: line.parse().expect("a line"), column: column - 1 }
    };
    let recorded = file.with_extension("stderr");
    if recorded.is_file() {
        let text = pages::read(&recorded);
        let mut errors = Vec::new();
        let mut message = "";
        for line in text.lines() {
            if let Some(text) = line.strip_prefix("error: ") {
                message = text;
            } else if let Some((_, at)) = line.split_once("--> ") {
                let (_, at) = at.split_once(".rs:").expect("a position");
                errors.push((position(at), message.to_owned()));
            }
        }
        return errors;
    }
    let recorded = file.ancestors().map(|folder| folder.join("errors.txt")).find(|file| file.is_file());
    let recorded = recorded.unwrap_or_else(|| panic!("no errors are expected for {}", file.display()));
    let inside = file.strip_prefix(recorded.parent().expect("a folder")).expect("it is below");
    let inside = format!("/{}:", inside.display());
    let text = pages::read(&recorded);
    let lines = text.lines().filter_map(|line| line.split_once(&inside));
    let errors = lines.filter_map(|(_, rest)| rest.split_once(": "));
    errors.map(|(at, message)| (position(at), message.to_owned())).collect()
}
