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

    /// Whatever an expression is, compiling and running it ends, and it costs no more than estimated.
    #[test]
    fn costs_are_at_most_the_estimate(text in pieces(), count in 0..5_usize) {
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
                outcome.is_exceeded || outcome.cost <= program.max_cost,
                "{text}: {} of {}", outcome.cost, program.max_cost
            );
        }
    }
}
