//! Compares YAML with recorded results of Go's library and with Kubernetes' published test objects.

use hubgen_machinery::json::Raw;
use hubgen_machinery::yaml;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::json::{any_text, any_value, golden_files};

fn read(text: &str) -> Value {
    let json = yaml::to_json(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    serde_json::from_slice(&json).expect("JSON")
}

fn message(text: &str) -> String {
    match yaml::to_json(text) {
        Ok(json) => panic!("{text:?} became {}", String::from_utf8_lossy(&json)),
        Err(error) => error.to_string(),
    }
}

/// Unquoted scalars, and the values that Go's library reads.
#[test]
fn scalars_are_those_of_yaml_1_1() {
    for (text, expected) in [
        ("", json!(null)),
        ("~", json!(null)),
        ("NULL", json!(null)),
        ("nUll", json!("nUll")),
        ("y", json!(true)),
        ("Yes", json!(true)),
        ("on", json!(true)),
        ("TRUE", json!(true)),
        ("n", json!(false)),
        ("NO", json!(false)),
        ("off", json!(false)),
        ("tRUE", json!("tRUE")),
        ("0", json!(0)),
        ("-0", json!(0)),
        ("+5", json!(5)),
        ("0644", json!(420)),
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("-0x1f", json!(-31)),
        ("0b11", json!(3)),
        ("0b-1", json!(-1)),
        ("0b2", json!("0b2")),
        ("0x", json!("0x")),
        ("1_000", json!(1000)),
        ("_1", json!("_1")),
        ("08", json!(8.0)),
        ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
        ("1e3", json!(1000.0)),
        (".5", json!(0.5)),
        (".1_0e1_0", json!(1e9)),
        (".1__0", json!(".1__0")),
        (".1_", json!(".1_")),
        ("._1", json!("._1")),
        ("5.", json!(5.0)),
        ("+.5", json!(0.5)),
        ("1.2.3", json!("1.2.3")),
        ("1e400", json!("1e400")),
        ("infinity", json!("infinity")),
        ("1:20", json!("1:20")),
        ("2006-01-02", json!("2006-01-02")),
        ("2006-01-02T15:04:05Z", json!("2006-01-02T15:04:05Z")),
        ("\"5\"", json!("5")),
        ("'yes'", json!("yes")),
        ("!!str 5", json!("5")),
        ("!!int \"5\"", json!(5)),
        ("!!float 1", json!(1.0)),
        ("!!binary aGVsbG8=", json!("hello")),
        ("!foo 5", json!("5")),
    ] {
        let found = read(&format!("a: {text}\n"));
        // A whole float is read back as an integer.
        match expected.as_f64() {
            Some(number) => assert_eq!(found["a"].as_f64(), Some(number), "{text}"),
            None => assert_eq!(found["a"], expected, "{text}"),
        }
    }
}

#[test]
fn keys_become_strings() {
    assert_eq!(
        read("1: a\n1.5: b\n1e10: c\nyes: d\n0x10: e\n.inf: f\n2006-01-02: g\n"),
        json!({"1": "a", "1.5": "b", "1e+10": "c", "true": "d", "16": "e", ".inf": "f", "2006-01-02": "g"})
    );
}

#[test]
fn the_last_of_equal_keys_wins() {
    assert_eq!(yaml::to_json("a: {x: 1}\nb: 2\na: {z: 3}\n").unwrap(), br#"{"a":{"z":3},"b":2}"#);
}

#[test]
fn anchors_aliases_and_merges() {
    assert_eq!(
        read("a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, b: 3}\nf: {b: 3, <<: *x}\n"),
        json!({"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 2}, "e": {"b": 3, "c": 2}, "f": {"b": 1, "c": 2}})
    );
    assert_eq!(
        read("a: &x {b: 1}\nb: &y {b: 2, c: 3}\nd: {<<: [*x, *y]}\ne: {\"<<\": 1}\n"),
        json!({"a": {"b": 1}, "b": {"b": 2, "c": 3}, "d": {"b": 1, "c": 3}, "e": {"<<": 1}})
    );
    assert_eq!(read("&k key: 1\nother: *k\n*k : 2\n"), json!({"key": 2, "other": "key"}));
}

#[test]
fn aliases_are_limited() {
    let mut text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 10].join(", "));
    }
    assert!(message(&text).contains("expected aliases to add at most"));
    // One long text that is repeated many times.
    let text = format!("- &a {}\n{}", "x".repeat(1 << 20), "- *a\n".repeat(100));
    assert!(message(&text).contains("expected aliases to add at most"));
    // Anchors that are nested in each other.
    let mut text = "- &a0 x\n".to_owned();
    for level in 1..20 {
        let (open, close) = ("[".repeat(50), "]".repeat(50));
        text += &format!("- &a{level} {open} *a{} {close}\n", level - 1);
    }
    assert!(message(&text).contains("expected at most 512 nested"));
}

#[test]
fn what_json_cannot_represent_is_refused_with_line_and_column() {
    for (text, expected) in [
        ("a: .inf", "line 1, column 4: expected a finite number, found .inf, which JSON cannot represent"),
        (
            "x:\n  - .nan",
            "line 2, column 5: expected a finite number, found .nan, which JSON cannot represent",
        ),
        ("~: a", "line 1, column 1: expected a string, a number or a boolean as a key, found null"),
        ("[a]: b", "line 1, column 1: expected a scalar as a key, found a list or a map"),
        (
            "a: &x [*x]",
            "line 1, column 8: expected an alias of a complete value, found an alias inside the value that it refers to",
        ),
        ("a: {<<: 1}", "line 1, column 9: expected a map, or a list of maps, to merge with <<"),
        ("a: !!int x", "line 1, column 4: expected !!int, found `x`"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: expected one document, found another one"),
    ] {
        assert_eq!(message(text), expected);
    }
    for text in ["a: [1, 2", "a: b: c", "a: *x", "a: \"b\" c", "a:\n\tb: 1", "a: @x", "{\"a\":1}}"] {
        assert!(message(text).contains("expected YAML: "), "{text:?}");
    }
    let error = yaml::to_json("é: 1\n  b: 2\n").unwrap_err();
    assert_eq!(error.line(), 2);
    assert!(message(&"[".repeat(10_000)).starts_with("line 1, column "));
    let deep: String = (0..600).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(message(&deep).contains("expected at most 512 nested"));
}

#[test]
fn documents_contain_their_lines_and_bytes() {
    let text = "\u{feff}# é\na: 1\n---\n# nothing\n---\n- é\n- b\n...\n--- |\n  text\n";
    let all: Vec<_> = yaml::documents(text).map(Result::unwrap).collect();
    let jsons: Vec<&[u8]> = all.iter().map(|document| &document.json[..]).collect();
    assert_eq!(jsons, [&br#"{"a":1}"#[..], b"null", "[\"é\",\"b\"]".as_bytes(), br#""text\n""#]);
    let lines: Vec<_> = all.iter().map(|document| document.lines.clone()).collect();
    assert_eq!(lines[0], 2..=2);
    assert_eq!(lines[2], 5..=7);
    assert_eq!(lines[3], 9..=10);
    for document in &all {
        let part = &text[document.bytes.clone()];
        assert_eq!(yaml::to_json(part).unwrap(), document.json, "{part:?}");
    }
    assert_eq!(yaml::documents("").count(), 0);
    assert_eq!(yaml::to_json("").unwrap(), b"null");
    assert_eq!(yaml::to_json("a: 1\n---\n").unwrap(), br#"{"a":1}"#);

    let mut broken = yaml::documents("a: 1\n---\n]\n---\nb: 2\n");
    assert!(broken.next().unwrap().is_ok());
    assert!(broken.next().unwrap().is_err());
    assert!(broken.next().is_none());
}

#[test]
fn strings_that_would_be_another_type_are_quoted() {
    let value = json!({
        "plain": "a b", "number": "5", "octal": "0644", "yes": "yes", "null": "null", "empty": "",
        "time": "2006-01-02T15:04:05Z", "date": "2006-1-2", "sixty": "1:20", "float": "1e3",
        "colon": "a: b", "hash": "a #b", "dash": "- a", "star": "*", "at": "@x", "blank": " a",
        "tab": "a\tb", "emoji": "😀", "lines": "a\nb\n", "kept": "a\n\n", "cut": "a\nb",
        "indented": " a\nb", "trailing": "a \nb", "quote": "it's", "both": "'\"",
        "version": "1.2.3", "address": "10.0.0.1", "list": [[1, []], {"a": {}}], "10": 1, "9": 0.5,
    });
    let expected = r#""9": 0.5
"10": 1
address: 10.0.0.1
at: '@x'
blank: ' a'
both: '''"'
colon: 'a: b'
cut: |-
  a
  b
dash: '- a'
date: "2006-1-2"
emoji: "\U0001F600"
empty: ""
float: "1e3"
hash: 'a #b'
indented: |2-
   a
  b
kept: |+
  a

lines: |
  a
  b
list:
- - 1
  - []
- a: {}
"null": "null"
number: "5"
octal: "0644"
plain: a b
quote: it's
sixty: "1:20"
star: '*'
tab: "a\tb"
time: "2006-01-02T15:04:05Z"
trailing: "a \nb"
version: 1.2.3
"yes": "yes"
"#;
    assert_eq!(yaml::from_value(&value), expected);
    assert_eq!(read(&yaml::from_value(&json!({"<<": "<<"}))), json!({"<<": "<<"}));
    assert_eq!(read(expected), value);
}

#[test]
fn long_strings_are_folded() {
    let words = "word ".repeat(30);
    for text in [words.trim_end(), &words, &format!("a: {}", words.trim_end()), &format!("\t{words}")] {
        let value = json!({"a": text, text: [text]});
        let written = yaml::from_value(&value);
        assert!(written.lines().count() > 4 && written.lines().all(|line| line.len() < 100));
        assert_eq!(read(&written), value);
    }
}

#[test]
fn published_yaml_equals_its_published_json() {
    for path in golden_files("yaml") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let twin = std::fs::read(path.with_extension("json")).expect("the same object as JSON");
        let json = yaml::to_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = Raw::new(&json).expect("JSON").to_value().unwrap();
        let expected = Raw::new(&twin).expect("JSON").to_value().unwrap();
        assert_eq!(found, expected, "{}", path.display());
        assert!(yaml::from_json(&twin).expect("JSON") == text, "the layout of {} differs", path.display());
    }
}

proptest! {
    #[test]
    fn values_survive_a_round_trip(value in any_value()) {
        let written = yaml::from_value(&value);
        prop_assert_eq!(read(&written), value, "{}", written);
    }

    #[test]
    fn texts_survive_a_round_trip_in_any_position(text in any_text(), other in any_text()) {
        let value = json!({&text: {&other: [&text, [&other], {&other: &text}]}, "end": 1});
        let written = yaml::from_value(&value);
        prop_assert_eq!(read(&written), value, "{}", written);
    }

    #[test]
    fn json_is_yaml(value in any_value()) {
        let mut json = Vec::new();
        hubgen_machinery::json::writer::value(&mut json, &value);
        prop_assert_eq!(read(std::str::from_utf8(&json).unwrap()), value);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-a1 \n:,#&*!|>{}\\[\\]\"'%@`?.~<]{0,40}|\\PC{0,40}") {
        let _ = yaml::to_json(&text);
    }
}

#[test]
fn duplicate_keys_are_reported() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\n<<: {d: 1, e: 2}\nd: 3\na: 4\na: 5\nf: {<<: {g: 1}, g: 2, g: 3}\n";
    let document = yaml::document(text).unwrap();
    assert_eq!(document.json, br#"{"a":5,"b":{"c":2},"d":3,"e":2,"f":{"g":3}}"#);
    let found: Vec<_> = document.duplicates.iter().map(|found| (found.line, found.key.as_str())).collect();
    assert_eq!(found, [(4, "c"), (7, "a"), (8, "a"), (9, "g")]);
    let many = "a: 1\n".repeat(1000);
    assert_eq!(yaml::document(&many).unwrap().duplicates.len(), yaml::MAX_DUPLICATES);
    assert_eq!(yaml::document("").unwrap().duplicates, []);
}
