//! Tests sets of fields with the cases of upstream: inputs, operations and results of the tests of `fieldpath` in
//! structured-merge-diff.

use hubgen_patch::fields::{Element, ElementError, FieldsError, Set};
use serde_json::{Value, json};

fn element(text: &str) -> Element {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A path: its elements, between spaces. A name is a field.
fn path(text: &str) -> Vec<Element> {
    let part = |part: &str| if part.contains(':') { element(part) } else { Element::field(part) };
    text.split(' ').filter(|part| !part.is_empty()).map(part).collect()
}

fn set(paths: &[&str]) -> Set {
    let mut set = Set::default();
    paths.iter().for_each(|text| set.insert(&path(text)));
    set
}

#[test]
fn elements_are_read_and_written() {
    for text in [
        "i:0",
        "i:1234",
        "f:",
        "f:spec",
        "f:more-complicated-string",
        "f: string-with-spaces   ",
        "f:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        r#"k:{"name":"my-container"}"#,
        r#"k:{"name":"   name with spaces   "}"#,
        r#"k:{"port":"8080","protocol":"TCP"}"#,
        r#"k:{"optionalField":null}"#,
        r#"k:{"jsonField":{"A":1,"B":null,"C":"D","E":{"F":"G"}}}"#,
        r#"k:{"listField":["1","2","3"]}"#,
        "v:null",
        r#"v:"some-string""#,
        "v:1234",
        r#"v:{"some":"json"}"#,
        r#"v:{"some":" some  with spaces  "}"#,
        r#"k:{"name":"app-🚀"}"#,
        r#"k:{"name":"app-💻"}"#,
        r#"k:{"name":"app with-unicøde"}"#,
        r#"k:{"name":"你好世界"}"#,
        r#"k:{"name":"Привет, мир"}"#,
        r#"k:{"name":"नमस्ते दुनिया"}"#,
        r#"k:{"name":"👋"}"#,
        "f:spec-🚀",
        r#"f:spec-\n"#,
    ] {
        assert_eq!(element(text).to_text(), text);
    }
    assert_eq!(element("f:spec-\\n"), Element::field("spec-\\n"));
    let key = Element::key([("protocol".into(), json!("TCP")), ("port".into(), json!("8080"))]);
    assert_eq!(element(r#"k:{"port":"8080","protocol":"TCP"}"#), key);
    assert_eq!(element("v:1234"), Element::Value(json!(1234)));
    assert_eq!(element("i:1234"), Element::Index(1234));
}

#[test]
fn elements_with_spaces_and_escapes_are_read() {
    for (text, expected) in [
        (r#"v: {"some":"json"}"#, r#"v:{"some":"json"}"#),
        (r#"k: {"name":"my-container"}"#, r#"k:{"name":"my-container"}"#),
        (r#"v:{"some":"json"} "#, r#"v:{"some":"json"}"#),
        (r#"k:{"name":"my-container"} "#, r#"k:{"name":"my-container"}"#),
        (r#"k:{"name\u002dcontainer":"my-container"}"#, r#"k:{"name-container":"my-container"}"#),
        (r#"k:{"name\nwith\nnewlines":"my-container"}"#, r#"k:{"name\nwith\nnewlines":"my-container"}"#),
        (r#"k:{"name\"quoted\"":"my-container"}"#, r#"k:{"name\"quoted\"":"my-container"}"#),
        (r#"k:{"name-\ud83d\ude80":"my-container"}"#, r#"k:{"name-🚀":"my-container"}"#),
        (r#"k:{"\u4f60\u597d":"\u4e16\u754c"}"#, r#"k:{"你好":"世界"}"#),
        (r#"v:"value\u002dcontainer""#, r#"v:"value-container""#),
        (r#"v:"value\nwith\nnewlines""#, r#"v:"value\nwith\nnewlines""#),
        (r#"v:"value\"quoted\"""#, r#"v:"value\"quoted\"""#),
        (r#"v:"value-\ud83d\ude80""#, r#"v:"value-🚀""#),
        (r#"v:"\u4f60\u597d""#, r#"v:"你好""#),
        (r#"k:{"name-🚀":"my-container"}"#, r#"k:{"name-🚀":"my-container"}"#),
        (r#"v:"value-🚀""#, r#"v:"value-🚀""#),
    ] {
        assert_eq!(element(text).to_text(), expected, "{text}");
    }
}

#[test]
fn wrong_elements_are_refused() {
    for text in [
        "",
        "no-colon",
        "i:index is not a number",
        "i:1.23",
        "i:",
        "v:invalid json",
        "v:",
        "k:invalid json",
        r#"k:{"name":invalid}"#,
        r#"v:{"some":" \x41"}"#,
        "v",
        "k",
        "f",
        "i",
        r#"v:{"a":"b""#,
        r#"k:{"a":"b""#,
        "i: 0",
        "i:0 ",
        r#"v:{"some":"json"} {"other":"json"}"#,
        r#"k:{"name":"my-container"} {"other":"my-container"}"#,
        r#"v:{"some":"json"} {"other":"json""#,
        r#"k:{"name":"my-container"} {"other":"my-container""#,
        r#"v:{"some":"json"} garbage"#,
        r#"k:{"name":"my-container"} garbage"#,
    ] {
        assert!(text.parse::<Element>().is_err(), "{text}");
    }
    assert_eq!("r:Hello".parse::<Element>(), Err(ElementError::Unknown));
    assert_eq!("no-colon".parse::<Element>(), Err(ElementError::NoPrefix));
    assert_eq!("i:1.23".parse::<Element>(), Err(ElementError::Index));
    assert!(matches!("k:[]".parse::<Element>(), Err(ElementError::Json(_))));
}

#[test]
fn elements_are_ordered() {
    for (less, more) in [
        ("f:anteater", "f:zebra"),
        ("f:capybara", r#"k:{"dog":3}"#),
        ("f:elephant", "v:4"),
        ("f:falcon", "i:5"),
        (r#"k:{"horse":1}"#, r#"k:{"horse":2}"#),
        (r#"k:{"ibex":1}"#, r#"k:{"jay":1}"#),
        (r#"k:{"kite":1}"#, r#"k:{"kite":1,"kite-2":1}"#),
        (r#"k:{"kite":1}"#, "v:1"),
        (r#"k:{"kite":1}"#, "i:5"),
        ("v:1", "v:2"),
        ("v:1", "i:1"),
        ("i:1", "i:2"),
    ] {
        assert!(element(less) < element(more), "{less} {more}");
        assert!(element(more) > element(less), "{less} {more}");
    }
    for text in ["f:bee", r#"k:{"goat":1}"#, "v:1", "i:1"] {
        assert_eq!(element(text), element(text));
    }
    assert_eq!(element("v:1"), element("v:1.0"));
}

#[test]
fn sets_are_written_as_they_were_read() {
    for text in [
        r#"{"f:aaa":{},"f:aab":{},"f:aac":{},"f:aad":{},"f:aae":{},"f:aaf":{},"k:{\"name\":\"first\"}":{},"k:{\"name\":\"second\"}":{},"k:{\"port\":443,\"protocol\":\"tcp\"}":{},"k:{\"port\":443,\"protocol\":\"udp\"}":{},"v:1":{},"v:2":{},"v:3":{},"v:\"aa\"":{},"v:\"ab\"":{},"v:true":{},"i:1":{},"i:2":{},"i:3":{},"i:4":{}}"#,
        r#"{"f:aaa":{"k:{\"name\":\"second\"}":{"v:3":{"f:aab":{}}},"v:3":{},"v:true":{}},"f:aab":{"f:aaa":{},"f:aaf":{"k:{\"port\":443,\"protocol\":\"udp\"}":{"k:{\"port\":443,\"protocol\":\"tcp\"}":{}}},"k:{\"name\":\"first\"}":{}},"f:aac":{"f:aaa":{"v:1":{}},"f:aac":{},"v:3":{"k:{\"name\":\"second\"}":{}}},"f:aad":{"f:aac":{"v:1":{}},"f:aaf":{"k:{\"name\":\"first\"}":{"k:{\"name\":\"first\"}":{}}},"i:1":{"i:1":{},"i:3":{"v:true":{}}}},"f:aae":{"f:aae":{},"k:{\"port\":443,\"protocol\":\"tcp\"}":{"k:{\"port\":443,\"protocol\":\"udp\"}":{}},"i:4":{"f:aaf":{}}},"f:aaf":{"i:1":{"f:aac":{}},"i:2":{},"i:3":{}},"k:{\"name\":\"first\"}":{"f:aad":{"f:aaf":{}}},"k:{\"port\":443,\"protocol\":\"tcp\"}":{"f:aaa":{"f:aad":{}}},"k:{\"port\":443,\"protocol\":\"udp\"}":{"f:aac":{},"k:{\"name\":\"first\"}":{"i:3":{}},"k:{\"port\":443,\"protocol\":\"udp\"}":{"i:4":{}}},"v:1":{"f:aac":{"i:4":{}},"f:aaf":{},"k:{\"port\":443,\"protocol\":\"tcp\"}":{}},"v:2":{"f:aad":{"f:aaf":{}},"i:1":{}},"v:3":{"f:aaa":{},"k:{\"name\":\"first\"}":{},"i:2":{}},"v:\"aa\"":{"f:aab":{"f:aaf":{}},"f:aae":{},"k:{\"name\":\"first\"}":{"f:aad":{}},"i:2":{}},"v:\"ab\"":{"f:aaf":{"i:4":{}},"k:{\"port\":443,\"protocol\":\"tcp\"}":{},"k:{\"port\":443,\"protocol\":\"udp\"}":{},"v:1":{"k:{\"port\":443,\"protocol\":\"udp\"}":{}},"i:1":{"f:aae":{"i:4":{}}}},"v:true":{"k:{\"name\":\"second\"}":{"f:aaa":{}},"i:2":{"k:{\"port\":443,\"protocol\":\"tcp\"}":{}}},"i:1":{"i:3":{"f:aaf":{}}},"i:2":{"f:aae":{},"k:{\"port\":443,\"protocol\":\"tcp\"}":{"v:1":{}}},"i:3":{"f:aab":{"v:true":{"v:\"aa\"":{}}},"f:aaf":{},"i:1":{}},"i:4":{"v:\"aa\"":{"f:aab":{"k:{\"name\":\"second\"}":{}}}}}"#,
        r#"{"f:spec":{".":{},"f:apps":{".":{},"k:{\"name\":\" app-💻\"}":{".":{},"f:container":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\"name\":\"port 🔑\"}":{".":{},"f:containerPort":{},"f:name":{}}}},"f:name":{}},"k:{\"name\":\" app-🚀\"}":{".":{},"f:container":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\"name\":\"port-✅ \"}":{".":{},"f:containerPort":{},"f:name":{}}}},"f:name":{}}}}}"#,
    ] {
        assert_eq!(text.parse::<Set>().unwrap().to_string(), text);
        let mut shuffled: Value = serde_json::from_str(text).unwrap();
        turned(&mut shuffled);
        let shuffled = format!("{shuffled:#}");
        assert_ne!(
            shuffled.split_whitespace().collect::<String>(),
            text.split_whitespace().collect::<String>()
        );
        assert_eq!(shuffled.parse::<Set>().unwrap().to_string(), text);
    }
}

/// Turns the order of all members around.
fn turned(value: &mut Value) {
    let Value::Object(members) = value else { return };
    *members = std::mem::take(members).into_iter().rev().collect();
    members.values_mut().for_each(turned);
}

#[test]
fn what_is_no_set_is_refused() {
    for text in [
        "[]",
        "42",
        r#""hi""#,
        "",
        "   ",
        "{1:{}}",
        r#"{"f:a":{},}"#,
        r#"{"f:a" }:{}}"#,
        r#"{"f:a":}"#,
        r#"{"f:a":1}"#,
        r#"{"f:a":[]}"#,
        r#"{"f:a":[}"#,
        r#"{"f:a":{]}"#,
        r#"{"f:a":{},,"f:b":{}}"#,
        r#"{"f:a":{} "f:b":{}}"#,
        r#"{"f:a"::{}}"#,
        "{:1}",
        r#"{"f:a"}"#,
        r#"{"f:a":{,}}"#,
        "}",
        r#"{"":{}}"#,
        r#"{"x":{}}"#,
        r#"{":":{}}"#,
        "{",
        r#"{"f:a":{}"#,
        r#"{"f:a":{},"#,
        r#"{""#,
        r#"{"f"#,
        r#"{"f:"#,
        r#"{"f:a"#,
        r#"{"f:a""#,
        r#"{"f:a":"#,
        r#"{"f:a":{"#,
        r#"{"f:a":{"f:b""#,
        r#"{"f:a":{"f:b":"#,
        r#"{"f:a":{"f:b":{}"#,
        r#"{"f:a":{"f:b":{},"#,
        r#"{"f:a\"#,
        r#"{"f:\u00"#,
        r#"{"f:a":{}, "f"#,
        r#"{"f:a":{}, "f:b"#,
        r#"{"f:a":{}}}"#,
        r#"{"f:a":{}}{}"#,
        r#"{"f:a":{}}"string""#,
        r#"{"f:a":{}}42"#,
        r#"{"f:a":{}}  }"#,
        r#"{"f:a":{}}  {}"#,
        r#"{"f:a":{}}  "x""#,
        "{\"f:a\":{}}\n42",
    ] {
        assert!(text.parse::<Set>().is_err(), "{text}");
    }
    let wrong = r#"{"f:a":{"x":{}}}"#.parse::<Set>();
    assert_eq!(wrong, Err(FieldsError::Element { text: "x".to_owned(), why: ElementError::NoPrefix }));
    assert!(matches!("[]".parse::<Set>(), Err(FieldsError::Json(_))));
}

#[test]
fn spaces_are_no_part_of_a_set() {
    for text in [
        r#"{"f:a":{}} "#,
        "{\"f:a\":{}}\t",
        "{\"f:a\":{}}\n",
        "{\"f:a\":{}}\r",
        r#"{"f:a":{}}     "#,
        "{\"f:a\":{}} \t\n\r ",
        r#" {"f:a":{}}"#,
        "\t{\"f:a\":{}}",
        "\n{\"f:a\":{}}",
        "\r{\"f:a\":{}}",
        r#"     {"f:a":{}}"#,
        " \t\n\r {\"f:a\":{}}",
        " \t\n\r {\"f:a\":{}} \t\n\r ",
        "  {}  ",
        r#"{ "f:a" : {} }"#,
        "{\n\t\"f:a\":{}}",
        r#"{"f:a":     {}}"#,
        "null",
        " null ",
    ] {
        let expected = if text.contains(':') { r#"{"f:a":{}}"# } else { "{}" };
        assert_eq!(text.parse::<Set>().unwrap().to_string(), expected, "{text}");
    }
}

#[test]
fn unknown_elements_are_left_out() {
    let set: Set = r#"{"f:aaa":{},"r:aab":{"f:b":{}}}"#.parse().unwrap();
    assert_eq!(set.to_string(), r#"{"f:aaa":{}}"#);
}

#[test]
fn a_member_that_is_there_twice_counts_once() {
    let set: Set = r#"{"f:a":{"f:b":{}},"f:a":{},"f:a":{"f:c":{}}}"#.parse().unwrap();
    assert_eq!(set.to_string(), r#"{"f:a":{".":{},"f:c":{}}}"#);
}

#[test]
fn paths_are_inserted_and_found() {
    let canonical = r#"canonicalOrder k:{"a":"a","b":"a","c":"a","d":"a","e":"a","f":"a"}"#;
    let of = set(&[
        "foo i:0 bar baz",
        "foo i:0 bar",
        "foo i:0",
        "foo i:1 bar baz",
        "foo i:1 bar",
        r#"qux k:{"name":"first"}"#,
        r#"qux k:{"name":"first"} bar"#,
        r#"qux k:{"name":"second"} bar"#,
        canonical,
    ]);
    for (text, expected) in [
        (r#"qux k:{"name":"second"}"#, false),
        (r#"qux k:{"name":"second"} bar"#, true),
        (r#"qux k:{"name":"first"}"#, true),
        (r#"xuq k:{"name":"first"}"#, false),
        ("foo i:0", true),
        ("foo i:0 bar", true),
        ("foo i:0 bar baz", true),
        ("foo i:1", false),
        ("foo i:1 bar", true),
        ("foo i:1 bar baz", true),
        (r#"canonicalOrder k:{"f":"a","e":"a","d":"a","c":"a","b":"a","a":"a"}"#, true),
        ("", false),
    ] {
        assert_eq!(of.has(&path(text)), expected, "{text}");
    }
    assert!(!set(&[""]).has(&[]));
    assert_eq!(of.len(), 9);
    assert!(!of.is_empty());
    let mut again = Set::default();
    for (count, path) in of.paths().enumerate() {
        assert_eq!((again.len(), again.is_empty()), (count, count == 0));
        again.insert(&path.into_iter().cloned().collect::<Vec<_>>());
    }
    assert_eq!(again, of);
}

#[test]
fn sets_are_equal_if_their_paths_are() {
    for (one, two, expected) in [
        (set(&["foo"]), set(&["bar"]), false),
        (set(&["foo"]), set(&["foo"]), true),
        (set(&[]), set(&["i:0 foo"]), false),
        (set(&["i:1 foo"]), set(&["i:0 foo"]), false),
        (set(&["i:1 foo"]), set(&["i:1 foo bar"]), false),
        (set(&["i:0", "i:1"]), set(&["i:1", "i:0"]), true),
        (set(&["foo i:0", "foo i:1"]), set(&["foo i:1", "foo i:0"]), true),
        (
            set(&["foo i:0", "foo", "bar baz", r#"qux k:{"name":"first"}"#]),
            set(&["foo i:1", "bar baz", "bar", r#"qux k:{"name":"second"}"#]),
            false,
        ),
    ] {
        assert_eq!(one == two, expected, "{one} {two}");
    }
}

#[test]
fn a_union_has_the_paths_of_both() {
    let one = set(&["foo i:0", "foo", "bar baz", r#"qux k:{"name":"first"}"#, "parent child grandchild"]);
    let two = set(&["foo i:1", "bar baz", "bar", r#"qux k:{"name":"second"}"#, "parent child"]);
    let all = set(&[
        "foo i:0",
        "foo i:1",
        "foo",
        "bar baz",
        "bar",
        r#"qux k:{"name":"first"}"#,
        r#"qux k:{"name":"second"}"#,
        "parent child",
        "parent child grandchild",
    ]);
    assert_eq!(one.union(&two), all);
    assert_eq!(two.union(&one), all);
}

#[test]
fn intersections_and_differences() {
    let first = r#"k:{"name":"first"}"#;
    let of = |paths: &[&str]| {
        let named: Vec<String> = paths.iter().map(|path| path.replace("FIRST", first)).collect();
        set(&named.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let one = of(&["a0", "a1", "foo i:0", "foo i:1", "b0 FIRST", "b1 FIRST", "bar c0", "cp FIRST child"]);
    let two = of(&["a1", "a2", "foo i:1", "foo i:2", "b1 FIRST", "b2 FIRST", "bar c2", "cp FIRST"]);
    let both = of(&["a1", "foo i:1", "b1 FIRST"]);
    assert_eq!(one.intersection(&two), both);
    assert_eq!(one.difference(&two), of(&["a0", "foo i:0", "b0 FIRST", "bar c0", "cp FIRST child"]));
    assert_eq!(two.difference(&one), of(&["a2", "foo i:2", "b2 FIRST", "bar c2", "cp FIRST"]));
    let not_both = two.difference(&one).union(&one.difference(&two));
    assert_eq!(one.union(&two).difference(&not_both), both);
}

#[test]
fn differences_of_parents_and_children() {
    for (one, two, difference, recursive) in [
        (&["a"][..], &["a"][..], &[][..], &[][..]),
        (&["a b c"], &["a b c"], &[], &[]),
        (&["a b c", "b b c"], &["a b c"], &["b b c"], &["b b c"]),
        (&["a"], &["a aa"], &["a"], &["a"]),
        (&["a b c"], &["a"], &["a b c"], &[]),
        (&["a aa aab", "a ab aba"], &["a aa"], &["a aa aab", "a ab aba"], &["a ab aba"]),
        (&["a aa aab", "a ab aba"], &["a"], &["a aa aab", "a ab aba"], &[]),
    ] {
        let (one, two) = (set(one), set(two));
        assert_eq!(one.difference(&two), set(difference), "{one} {two}");
        assert_eq!(one.recursive_difference(&two), set(recursive), "{one} {two}");
    }
}

#[test]
fn leaves_have_nothing_behind_them() {
    for (of, leaves) in [
        (&[][..], &[][..]),
        (&["path1", "path2", "path3"], &["path1", "path2", "path3"]),
        (&["root", "root l1", "root l1 l2", "root l1 l2 l3"], &["root l1 l2 l3"]),
        (
            &["root v:1", "root v:1 name", "root v:1 value b", "root v:1 value c"],
            &["root v:1 name", "root v:1 value b", "root v:1 value c"],
        ),
        (
            &["root v:1", "root v:1 name", "root v:1 value b", "root v:1 value b d", "root v:1 value c"],
            &["root v:1 name", "root v:1 value b d", "root v:1 value c"],
        ),
        (
            &["root", "root v:1", "root v:1 value b", "root v:1 value b c", "root x", "root x y", "root x z"],
            &["root v:1 value b c", "root x y", "root x z"],
        ),
    ] {
        assert_eq!(set(of).leaves(), set(leaves), "{of:?}");
    }
}
