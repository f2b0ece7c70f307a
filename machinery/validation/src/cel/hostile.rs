//! Expressions that try to stop whoever compiles or runs them.

use super::{Environment, Error, Program, Shape, ShapeKind};

fn compile(text: &str) -> Result<Program, Error> {
    let shape = Shape { kind: ShapeKind::Unknown, nullable: false, max_size: 0, min_bytes: 0 };
    Program::compile(text, &Environment::default(), &shape)
}

fn refused(text: &str) -> String {
    match compile(text) {
        Err(Error::Compilation(issues)) => issues.lines().next().unwrap_or_default().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expressions_have_a_length() {
    let text = format!("{}1{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
    assert_eq!(
        refused(&text),
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 2000001, limit 100000"
    );
    assert!(compile(&format!("'{}'", "é".repeat(99_998))).is_ok());
    assert!(compile(&format!("'{}'", "é".repeat(99_999))).is_err());
}

#[test]
fn expressions_have_a_depth() {
    let nested =
        |open: &str, close: &str, count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
    const NESTING: &str = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
    const CHAIN: &str = "ERROR: <input>:-1:0: max recursion depth exceeded";
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{1: ", "}"), ("size(", ")"), ("(-", ")"), ("[1].map(x, ", ")")]
    {
        assert_eq!(refused(&nested(open, close, 6000)), NESTING, "{open}");
        let few = compile(&nested(open, close, 200));
        assert!(!matches!(few, Err(Error::Compilation(issues)) if issues.contains("recursion")), "{open}");
    }
    assert_eq!(refused(&format!("{}1", "true ? 1 : ".repeat(9000))), NESTING);
    for link in [" + 1", " - 1", " == 1", ".a", "[0]", ".f()"] {
        assert_eq!(refused(&format!("a{}", link.repeat(15_000))), CHAIN, "{link}");
    }
}

#[test]
fn long_and_flat_expressions_compile() {
    assert!(compile(&format!("{}true", "!".repeat(99_000))).is_ok());
    assert!(compile(&vec!["1 == 1"; 9000].join(" && ")).is_ok());
    assert!(compile(&format!("[{}].size() > 0", vec!["1"; 45_000].join(","))).is_ok());
    assert!(
        compile(&format!(
            "{{{}}}.size() > 0",
            (0..9000).map(|n| format!("{n}:1")).collect::<Vec<_>>().join(",")
        ))
        .is_ok()
    );
    // As many errors as anybody reads.
    let issues = refused(&format!("[{}]", vec!["x"; 45_000].join(",")));
    assert!(issues.contains("undeclared reference to 'x'"), "{issues}");
}

#[test]
fn macros_do_not_multiply_without_end() {
    let text = format!("optional.of(1){}", ".optMap(x, x)".repeat(100));
    assert_eq!(refused(&text), "ERROR: <input>:-1:0: macros expand to more than 1000000 expressions");
}

#[test]
fn expressions_that_run_for_minutes_are_stopped() {
    let ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let mut text = "true".to_owned();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
        text = format!("{ten}.all({name}, {text})");
    }
    let grows = "lists.range(40).map(x, 'aaaaaaaaaaaaaaaa').join('').replace('', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')";
    let replaced = format!("{grows}.replace('a', {grows}).size() == 1");
    let formatted =
        format!("'{}'.format([{}]).size() > 0", "%.99999f".repeat(5000), vec!["1.0"; 5000].join(","));
    let compared = "[lists.range(900000)].all(x, lists.range(100).all(y, [x, x, x] == [x, x, x]))";
    let doubled = format!(
        "{}.size() > 0",
        (0..60).fold("'aaaaaaaa'".to_owned(), |text, _| format!("[{text}].map(t, t + t)[0]"))
    );
    for text in
        [&text, &replaced, &formatted, compared, &doubled, "lists.range(1000000).map(x, x).size() > 0"]
    {
        let outcome = compile(text).unwrap_or_else(|error| panic!("{error:?}")).run(&[], 1_000_000);
        assert!(outcome.is_exceeded, "{text}: {:?}", outcome.value);
        assert!(outcome.cost > 1_000_000);
    }
    let outcome = compile(&format!("true || {ten}.all(x, {text})")).unwrap().run(&[], 1_000_000);
    assert!(!outcome.is_exceeded && outcome.cost == 0);
}

#[test]
fn patterns_are_bounded() {
    assert!(compile("'a'.matches('(a{1000}){1000}')").is_err());
    let text = "['(a|b)*c', '(b|a)*c'].all(p, lists.range(1000).all(n, !'abababab'.matches(p + string(n))))";
    assert!(compile(text).unwrap().run(&[], 100_000).is_exceeded);
}
