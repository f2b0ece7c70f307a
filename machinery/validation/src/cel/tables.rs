//! Compares with the expressions of Kubernetes' own tests of its libraries: `tests/cel/expressions.jsonl`, which
//! `tests/differential/cel/record` records.

use serde_json::Value as Json;

use super::issues::Source;
use super::work::Work;
use super::{Environment, Shape, ShapeKind, checker, cost, equal, parser, plan, run};

/// A line that differs: the expression, and what upstream and we say.
struct Difference {
    text: String,
    theirs: String,
    ours: String,
}

/// Why an expression may differ.
fn reason(difference: &Difference) -> Option<&'static str> {
    let Difference { text, theirs, ours } = difference;
    let is_error = |text: &str| text.starts_with("error ");
    if is_error(theirs) && is_error(ours) {
        return Some("Go's reason for a text that cannot be read");
    }
    if text.contains("9999999999999999999999999999999999999")
        && (theirs.as_str(), ours.as_str()) == ("true", "Bool(false)")
    {
        return Some("quantities above 10^29 are all equal here");
    }
    if text.starts_with("jsonpatch.") && theirs == "compiles" {
        return Some("a library that rules of definitions do not have");
    }
    if theirs == "compiles" && ours.contains(": expected type '") {
        return Some(
            "the environment of the test allows lists of several types; that of definitions does not",
        );
    }
    let range =
        |text: &str| text.split_once(" to ").map(|(min, max)| (min.to_owned(), max.parse::<u64>().ok()));
    match (range(theirs), range(ours)) {
        (Some((min, Some(max))), Some((ours, Some(unbounded))))
            if min == ours && max < 100 && unbounded > 1 << 60 =>
        {
            return Some("upstream's test sets how long texts are");
        }
        _ => {}
    }
    None
}

#[test]
fn libraries_do_what_upstream_does() {
    let (mut total, mut differences, mut without) = (0, Vec::new(), 0);
    let shape = Shape { kind: ShapeKind::Unknown, nullable: false, max_size: 0, min_bytes: 0 };
    let environment = Environment::default();
    for line in include_str!("../../tests/cel/expressions.jsonl").lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let text = line["expression"].as_str().unwrap();
        let compiled =
            parser::parse(text).and_then(|parsed| checker::check(parsed, Source::new(text), &environment));
        total += 1;
        let mut compare = |theirs: String, ours: String| {
            if theirs != ours {
                differences.push(Difference { text: text.to_owned(), theirs, ours });
            }
        };
        let checked = match (compiled, line["issues"].as_str()) {
            (Err(issues), Some(theirs)) => {
                compare(theirs.to_owned(), issues.to_string());
                continue;
            }
            (Err(issues), None) => {
                compare("compiles".to_owned(), issues.to_string());
                continue;
            }
            (Ok(_), Some(theirs)) => {
                compare(theirs.to_owned(), "compiles".to_owned());
                continue;
            }
            (Ok(checked), None) => checked,
        };
        if let Some(max) = line["max"].as_str() {
            let cost = cost::estimate(&checked, &shape);
            compare(
                format!("{} to {max}", line["min"].as_str().unwrap()),
                format!("{} to {}", cost.min, cost.max),
            );
            continue;
        }
        let step = match plan::plan(&checked, false) {
            Ok(step) => step,
            Err(wrong) => {
                compare("runs".to_owned(), wrong);
                continue;
            }
        };
        let outcome = run(&step, &[], u64::MAX >> 8);
        if let Some(cost) = line["cost"].as_u64() {
            compare(format!("cost {cost}"), format!("cost {}", outcome.cost));
        }
        match (&outcome.value, line["error"].as_str(), line["value"].as_str(), line["type"].as_str()) {
            (Err(ours), Some(theirs), ..) => compare(format!("error {theirs}"), format!("error {ours}")),
            (Ok(value), _, Some(literal), _) => {
                let parsed = parser::parse(literal).unwrap();
                let checked = checker::check(parsed, Source::new(literal), &environment).unwrap();
                let step = plan::plan(&checked, true).unwrap();
                let theirs = run(&step, &[], u64::MAX >> 8).value.unwrap();
                if equal::equal(value, &theirs, &mut Work::unbounded()) != Ok(true) {
                    compare(literal.to_owned(), format!("{value:?}"));
                }
            }
            (Ok(value), _, _, Some(ty)) => {
                without += 1;
                compare(ty.to_owned(), value.ty().name().to_owned());
            }
            (value, theirs, ..) => compare(format!("{theirs:?}"), format!("{value:?}")),
        }
    }
    let listed = differences.iter().filter(|difference| reason(difference).is_some()).count();
    for difference in differences.iter().filter(|difference| reason(difference).is_none()) {
        let Difference { text, theirs, ours } = difference;
        println!("{text}\n  upstream: {theirs}\n  ours:     {ours}");
    }
    println!(
        "{} of {total} equal, {listed} listed, {without} compared by type only",
        total - differences.len()
    );
    assert!(total > 700);
    assert_eq!(differences.len(), listed);
}
