//! Compares JSON with serde_json, with recorded results of Go's encoder, and with Kubernetes'
//! published test objects.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_machinery::json::lexer::{ErrorKind, Lexer, MAX_DEPTH};
use hubgen_machinery::json::{self, Raw, writer};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Any JSON value. Floats are not whole, because whole ones would be read back as integers, and are
/// short enough for serde_json to read them exactly.
pub fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000i64..1000).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|n| Value::from((f64::from(n) + 0.5) / 64.0)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Any text, also with characters that are special in JSON or YAML.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,12}",
        ".{0,20}",
        r#"[ -~\n\t\x00-\x1f\u{2028}\u{2029}\u{e000}\u{10ffff}<>&"\\]{0,20}"#,
        "[-+.:0-9_eExXobyntTfFuUlLiINaAsS~#'\"!&*?|>%@`{}\\[\\], \n]{0,8}",
    ]
}

/// The definition of Go's escapes.
fn escaped_by_character(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => json += "\\\"",
            '\\' => json += "\\\\",
            '\u{8}' => json += "\\b",
            '\u{c}' => json += "\\f",
            '\n' => json += "\\n",
            '\r' => json += "\\r",
            '\t' => json += "\\t",
            '\0'..='\x1F' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                json += &format!("\\u{:04x}", u32::from(character));
            }
            plain => json.push(plain),
        }
    }
    json + "\""
}

#[test]
fn escapes_are_written_and_read_at_all_offsets_and_lengths() {
    let special = ('\0'..='\x7F').chain("é\u{2027}\u{2028}\u{2029}\u{202a}\u{10ffff}".chars());
    for special in special {
        // Two blocks and their neighbours.
        for (before, after) in (0..36).flat_map(|before| [0, 1, 7, 15, 16, 17].map(|after| (before, after))) {
            let text = format!("{:a<before$}{special}{:z<after$}", "", "");
            let mut json = b"before".to_vec();
            writer::string(&mut json, &text);
            let json = json.strip_prefix(b"before").unwrap();
            assert_eq!(std::str::from_utf8(json).unwrap(), escaped_by_character(&text));
            let lexer = Lexer::new(json).unwrap();
            let mut unescaped = Vec::new();
            assert_eq!(lexer.clone().string().unwrap(), text);
            assert_eq!(lexer.clone().string_in(&mut unescaped).unwrap(), text);
            assert_eq!(lexer.clone().raw_string().unwrap().as_bytes(), json);
            // The same without the quote at the end.
            let cut = &json[..json.len() - 1];
            let mut lexer = Lexer::new(cut).unwrap();
            assert!(lexer.string().is_err(), "{text:?}");
        }
    }
}

/// The published objects with this file extension. Without a copy of them, prints a note and returns
/// none.
pub fn golden_files(extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    if !root.is_dir() {
        // Written to stderr directly, because the test harness captures `println!`.
        let _ = writeln!(std::io::stderr(), "skipped: no published objects at ../shared/golden");
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no .{extension} file among the published objects");
    found
}

fn accepts(json: &[u8]) -> bool {
    Lexer::new(json).is_ok_and(|mut lexer| lexer.skip().is_ok() && lexer.finish().is_ok())
}

fn message(json: &[u8]) -> String {
    Raw::new(json).expect_err("invalid JSON").to_string()
}

proptest! {
    #[test]
    fn values_are_read_as_serde_json_reads_them(value in any_value(), spaced in any::<bool>()) {
        let text = if spaced {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let raw: Raw = text.parse().unwrap();
        prop_assert_eq!(raw.to_value().unwrap(), value);
    }

    #[test]
    fn values_survive_a_round_trip(value in any_value()) {
        let raw = Raw::from(&value);
        prop_assert_eq!(serde_json::from_str::<Value>(raw.as_str()).unwrap(), value.clone());
        prop_assert_eq!(&Raw::new(raw.as_str().as_bytes()).unwrap(), &raw);
        let through_serde: Raw = serde_json::from_str(&serde_json::to_string(&raw).unwrap()).unwrap();
        prop_assert_eq!(through_serde, raw);
    }

    #[test]
    fn the_same_documents_are_accepted(value in any_value(), cut in any::<prop::sample::Index>(), change in any::<Option<u8>>()) {
        let mut text = value.to_string().into_bytes();
        let at = cut.index(text.len());
        match change {
            Some(byte) => text[at] = byte,
            None => { text.remove(at); }
        }
        // serde_json refuses lone surrogates, and numbers that a float cannot represent.
        let expected = match serde_json::from_slice::<Value>(&text) {
            Ok(_) => true,
            Err(error) => {
                let known = error.to_string();
                prop_assume!(!known.contains("out of range") && !known.contains("surrogate") && !known.contains("unexpected end of hex escape"));
                false
            }
        };
        prop_assert_eq!(accepts(&text), expected, "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(Raw::new(&text).is_ok(), expected, "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn the_shortcut_for_compact_json_agrees_with_the_full_reader(
        parts in prop::collection::vec(prop::sample::select(vec![
            r#"{"#, r#"}"#, r#"{}"#, r#"[]"#, r#"["#, r#"]"#, r#","#, r#":"#, r#""f:spec":"#, r#""k:{\"name\":\"a\"}":"#,
            r#""a""#, r#""with a longer text""#, r#""\\""#, r#""\""#, r#""<""#, r#""é""#, r#"true"#, r#"null"#, r#"12"#,
        ]), 0..14),
    ) {
        let text = parts.concat();
        let expected = serde_json::from_str::<Value>(&text);
        let raw = Raw::new(text.as_bytes());
        prop_assert_eq!(raw.is_ok(), expected.is_ok(), "{}", text);
        if let Ok(raw) = raw {
            // With a space before it, the value does not take the shortcut.
            prop_assert_eq!(&raw, &Raw::new(format!("[ {text}]").as_bytes()).map(|list| {
                let inner = list.as_str();
                Raw::new(&inner.as_bytes()[1..inner.len() - 1]).unwrap()
            }).unwrap());
            prop_assert_eq!(raw.to_value().unwrap(), expected.unwrap());
        }
    }

    #[test]
    fn the_same_bytes_are_accepted(bytes in prop::collection::vec(prop::sample::select(br#"{}[]",:\u0123456789abcdefntrls+-.E "#.to_vec()), 0..40)) {
        let expected = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(accepts(&bytes), expected, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn all_ways_to_read_a_string_agree(text in any_text()) {
        let mut json = Vec::new();
        writer::string(&mut json, &text);
        prop_assert_eq!(serde_json::from_slice::<String>(&json).unwrap(), text.clone());
        prop_assert_eq!(Lexer::new(&json).unwrap().string().unwrap(), text.as_str());
        let mut unescaped = b"before".to_vec();
        prop_assert_eq!(Lexer::new(&json).unwrap().string_in(&mut unescaped).unwrap(), &text);
        prop_assert_eq!(Lexer::new(&json).unwrap().raw_string().unwrap().as_bytes(), &json[..]);
    }

    #[test]
    fn long_texts_are_escaped_as_one_character_at_a_time(text in "[a-z \"\n<>&é“\u{2028}]{0,200}") {
        let mut json = Vec::new();
        writer::string(&mut json, &text);
        prop_assert_eq!(String::from_utf8(json).unwrap(), escaped_by_character(&text));
    }

    #[test]
    fn integers_survive_a_round_trip(value in any::<i64>()) {
        let mut json = Vec::new();
        writer::integer(&mut json, value);
        prop_assert_eq!(Lexer::new(&json).unwrap().i64().unwrap(), value);
        prop_assert_eq!(Lexer::new(&json).unwrap().i32().ok(), i32::try_from(value).ok());
    }

    #[test]
    fn floats_survive_a_round_trip(value in prop::num::f64::ANY) {
        let mut json = Vec::new();
        match writer::float(&mut json, value) {
            Ok(()) => prop_assert_eq!(Lexer::new(&json).unwrap().f64().unwrap().to_bits(), value.to_bits()),
            Err(_) => prop_assert!(!value.is_finite() && json.is_empty()),
        }
    }

    #[test]
    fn pretty_agrees_with_serde_json(value in any_value()) {
        let compact = serde_json::to_vec(&value).unwrap();
        let expected = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(String::from_utf8(writer::pretty(&compact)).unwrap(), expected.clone());
        prop_assert_eq!(String::from_utf8(writer::pretty(expected.as_bytes())).unwrap(), expected);
    }
}

#[test]
fn published_objects_survive_a_round_trip_byte_for_byte() {
    for path in golden_files("json") {
        let text = std::fs::read(&path).expect("a readable file");
        let raw = Raw::new(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // These two releases wrote embedded objects without indentation.
        let laid_out = !path.iter().any(|part| part == "v1.16" || part == "v1.22");
        assert!(!laid_out || writer::pretty(raw.as_str().as_bytes()) == text, "{} differs", path.display());
        let expected: Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(raw.to_value().unwrap(), expected, "{}", path.display());
    }
}

#[test]
fn the_same_characters_are_escaped_as_in_go() {
    let mut out = Vec::new();
    writer::string(
        &mut out,
        "\u{0}\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"/\\<>&\u{7f}\u{2027}\u{2028}\u{2029}é\u{10ffff}",
    );
    let expected = r#""\u0000\u0001\b\t\n\u000b\f\r\u001f \"/\\\u003c\u003e\u0026"#.to_owned()
        + "\u{7f}\u{2027}\\u2028\\u2029é\u{10ffff}\"";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn floats_are_written_as_go_writes_them() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (-1.5, "-1.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e-6, "0.00000125"),
        (1.25e-7, "1.25e-7"),
        (f64::MAX, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (123456789.125, "123456789.125"),
    ] {
        let mut out = Vec::new();
        writer::float(&mut out, value).expect("finite");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn base64_is_padded() {
    let mut out = Vec::new();
    writer::base64(&mut out, b"\xff\xfe?>");
    assert_eq!(out, br#""//4/Pg==""#);
}

#[test]
fn lone_surrogates_become_replacement_characters() {
    for (json, expected) in [
        (r#""\ud83d\ude00""#, "😀"),
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude00x""#, "\u{fffd}x"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
    ] {
        assert_eq!(Lexer::new(json.as_bytes()).unwrap().string().unwrap(), expected);
    }
}

#[test]
fn integers_take_integer_syntax_only() {
    for json in ["1.0", "1e3", "2147483648", "-2147483649", "\"1\"", "null", "9223372036854775808"] {
        let error = Lexer::new(json.as_bytes()).unwrap().i32().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{json}: {error}");
    }
    for json in ["-9223372036854775808", "9223372036854775807", "-0", "0"] {
        let expected = json.parse::<i64>().unwrap();
        assert_eq!(Lexer::new(json.as_bytes()).unwrap().i64().unwrap(), expected);
    }
    assert_eq!(
        Lexer::new(b" 1.0").unwrap().i64().unwrap_err().to_string(),
        "line 1, column 2: expected a 64-bit integer, found 1.0"
    );
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert!(accepts(&nested(MAX_DEPTH as usize)));
    let error = Raw::new(&nested(10_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooDeep);
    assert_eq!(error.offset(), MAX_DEPTH as usize);
    let objects = r#"{"a":"#.repeat(10_000);
    assert_eq!(Raw::new(objects.as_bytes()).unwrap_err().kind(), ErrorKind::TooDeep);
}

#[test]
fn take_key_consumes_only_the_expected_name() {
    let mut lexer = Lexer::over(r#"{"a":1,"ab": 2,"b" :3}"#);
    assert!(lexer.enter_object().unwrap());
    assert!(!lexer.take_key("ab") && !lexer.take_key("b") && lexer.take_key("a"));
    assert_eq!(lexer.i32().unwrap(), 1);
    assert!(lexer.next_member().unwrap());
    assert!(!lexer.take_key("a") && lexer.take_key("ab"));
    assert_eq!(lexer.i64().unwrap(), 2);
    assert!(lexer.next_member().unwrap());
    assert!(!lexer.take_key("b"));
    assert_eq!(lexer.key().unwrap(), "b");
    assert_eq!(lexer.f64().unwrap(), 3.0);
    assert!(!lexer.next_member().unwrap());
    assert!(!lexer.take_key("a"));
    lexer.finish().unwrap();
}

#[test]
fn errors_contain_the_position_and_what_was_expected() {
    for (json, expected) in [
        ("", "line 1, column 1: expected a value, found the end of the document"),
        ("{\n \"é\": 1,}", "line 2, column 9: expected a member name in double quotes, found `}`"),
        ("[1,]", "line 1, column 4: expected a value, found `]`"),
        ("[1 2]", "line 1, column 4: expected `,` or `]`, found `2`"),
        ("{\"a\" 1}", "line 1, column 6: expected `:` after a member name, found `1`"),
        ("nul", "line 1, column 1: expected `null`, found `n`"),
        ("01", "line 1, column 2: expected the end of the document, found `1`"),
        ("1.", "line 1, column 3: expected a digit, found the end of the document"),
        ("1e999", "line 1, column 1: expected a number that a 64-bit float can represent, found 1e999"),
        ("\"a", "line 1, column 3: expected `\"` at the end of a string, found the end of the document"),
        ("\"\n\"", "line 1, column 2: expected control characters in strings to be escaped: write \\u000a"),
        (
            "\"\\x\"",
            "line 1, column 2: expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash",
        ),
        ("\"\\u12g4\"", "line 1, column 2: expected four hexadecimal digits after \\u"),
    ] {
        assert_eq!(message(json.as_bytes()), expected);
    }
    assert_eq!(message(b"\"\xff\""), "line 1, column 2: expected UTF-8, found an invalid byte");
    let error = Lexer::over("[]").string().unwrap_err();
    let error = error.in_element(0).in_field("args").in_element(2).in_element(1).in_field("spec");
    assert_eq!(error.path(), "spec[1][2].args[0]");
    assert_eq!(error.to_string(), "line 1, column 1, spec[1][2].args[0]: expected a string, found an array");
}

#[test]
fn raw_keeps_order_digits_and_duplicates_and_is_null_by_default() {
    let raw: Raw = r#" { "b" : 1.50e1 , "a" : [ ] , "b" : "<\u003c\/\ud800" } "#.parse().unwrap();
    assert_eq!(raw.as_str(), r#"{"b":1.50e1,"a":[],"b":"\u003c\u003c\/\ud800"}"#);
    assert_eq!(raw.to_value().unwrap(), json!({"b": "<</\u{fffd}", "a": []}));
    assert_eq!(Raw::default().as_str(), "null");
    assert_eq!(Raw::new(b" null ").unwrap(), Raw::default());
    assert!(Raw::from(Value::Null).is_null());
}

#[test]
fn syntax_errors_contain_a_field_path() {
    let message = |text: &[u8]| json::type_meta(text).expect_err("an invalid document").to_string();
    assert_eq!(
        message(br#"{"spec":{"parts":[1,{"a":}]}}"#),
        "line 1, column 26, spec.parts[1].a: expected a value, found `}`"
    );
    assert_eq!(
        message(b"{\"metadata\":{\"name\":\"a\xff\"}}"),
        "line 1, column 23, metadata.name: expected UTF-8, found an invalid byte"
    );
    assert_eq!(
        message(b"{\"a\":[[], {\"b\": \"c"),
        "line 1, column 19, a[1].b: expected `\"` at the end of a string, found the end of the document"
    );
    assert_eq!(message(br#"{"a":1}}"#), "line 1, column 8: expected the end of the document, found `}`");
    assert_eq!(message(br#"{"kind":1}"#), "line 1, column 9, kind: expected a string, found a number");
    let deep = message("{\"a\":".repeat(1000).as_bytes());
    assert!(deep.contains("a.a.a.a: expected at most 512 nested"), "{deep}");
}
