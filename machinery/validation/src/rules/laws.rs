//! What is true of all rules.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::shape;
use crate::cel::{Environment, Program, Value};
use crate::compile;

/// Pieces of expressions, of which many together are expressions.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "self",
        ".a",
        ".l",
        ".m",
        ".t",
        ".o",
        "[0]",
        "['k']",
        "1",
        "-1",
        "2u",
        "1.5",
        "'x'",
        "\"\\n\"",
        "b'x'",
        "true",
        "null",
        " == ",
        " != ",
        " < ",
        " + ",
        " - ",
        " * ",
        " / ",
        " % ",
        " in ",
        " && ",
        " || ",
        "!",
        " ? ",
        " : ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ".all(x, ",
        ".exists(x, ",
        ".map(x, ",
        ".filter(x, ",
        "x",
        "has(",
        "size(",
        ".size()",
        ".?b",
        "[?0]",
        ".orValue(",
        ".matches(",
        ".replace('x', 'yy')",
        ".join('-')",
        ".sort()",
        ".flatten()",
        "duration('1h')",
        "quantity('1Ki')",
        "string(",
        "int(",
        "dyn(",
        "type(",
        ".optMap(y, ",
        "oldSelf",
        "\u{1f600}",
        "`a-b`",
        "//",
        "\n",
    ]);
    prop::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

fn schema() -> Json {
    let text = json!({"type": "string", "maxLength": 20});
    json!({"type": "object", "properties": {
        "a": {"type": "integer"},
        "l": {"type": "array", "maxItems": 5, "items": text},
        "m": {"type": "object", "maxProperties": 5, "additionalProperties": text},
        "t": {"type": "string", "maxLength": 20},
        "o": {"type": "array", "maxItems": 4, "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    }})
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever an expression is, compiling and running it ends, and it costs about what was estimated. Twice is allowed,
    /// because upstream's estimate misses an item taken from a literal (`literal_items_cost_one_more_than_estimated`).
    #[test]
    fn costs_are_bounded_by_the_estimate(text in pieces(), count in 0..5_usize) {
        let node = compile::compile(&schema(), compile::ROOT).root;
        let shape = shape::of(&node, false);
        let object = json!({
            "a": count, "l": vec!["x-y"; count], "m": {"k": "v"}, "t": "xxxx", "o": vec![json!({"a": 1}); count.min(4)],
        });
        let environment = Environment::of_rules(&shape, false, true);
        if let Ok(program) = Program::compile(&text, &environment, &shape) {
            let value = || Value::of(&object, &shape);
            let outcome = program.run(&[("self", value()), ("oldSelf", value())], 1_000_000);
            prop_assert!(
                outcome.is_exceeded || outcome.cost <= program.max_cost.saturating_mul(2),
                "{text}: {} of {}", outcome.cost, program.max_cost
            );
        }
    }
}

/// As cel-go 0.29.2 estimates, and counts when it optimises as Kubernetes has it do.
#[test]
fn literal_items_cost_one_more_than_estimated() {
    let shape = shape::of(&compile::compile(&schema(), compile::ROOT).root, false);
    let environment = Environment::of_rules(&shape, false, true);
    for (text, estimate, cost) in
        [("null[0]", 1, 2), ("[1][0]", 11, 2), ("dyn(null)[0]", 2, 2), ("null[?0]", 1, 1)]
    {
        let program = Program::compile(text, &environment, &shape).expect("an expression");
        let outcome = program.run(&[], 1_000_000);
        assert_eq!((program.max_cost, outcome.cost), (estimate, cost), "{text}");
    }
}
