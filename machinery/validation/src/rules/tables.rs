//! Compares with the tables of Kubernetes' own tests: `tests/cel/tables.jsonl`, which `tests/differential/cel/record`
//! records. Each line is a schema, an object, rules that were compiled, or an object that they were evaluated for.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value as Json;

use super::{Evaluation, Stored, Tree, compile_rule, shape};
use crate::compile;
use crate::findings::{Findings, Limits};
use crate::node::Node;
use crate::rule::{Rule, normalized};

struct Tables {
    schemas: HashMap<u64, Json>,
    objects: HashMap<u64, Json>,
    lines: Vec<Json>,
}

fn tables() -> Tables {
    let text = include_str!("../../tests/cel/tables.jsonl");
    let mut tables = Tables { schemas: HashMap::new(), objects: HashMap::new(), lines: Vec::new() };
    for line in text.lines() {
        let mut line: Json = serde_json::from_str(line).unwrap();
        let json = line.get_mut("json").map(Json::take);
        match (line["schema"].as_u64(), line["object"].as_u64(), json) {
            (Some(number), _, Some(json)) => _ = tables.schemas.insert(number, json),
            (_, Some(number), Some(json)) => _ = tables.objects.insert(number, json),
            _ => tables.lines.push(line),
        }
    }
    tables
}

/// Upstream names the type of `self` by the clock.
fn without_clock(text: &str) -> String {
    let mut parts = text.split("selfType");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        out.push_str("selfType");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

fn rule(json: &Json, schema: &Json) -> Rule {
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    let field_path = text("fieldPath");
    Rule {
        rule: text("rule"),
        message: text("message"),
        message_expression: text("messageExpression"),
        reason: json["reason"].as_str().map(str::to_owned),
        field: normalized(&field_path, schema.as_object().unwrap()).filter(|_| !field_path.is_empty()),
        field_path,
        optional_old_self: json["optionalOldSelf"].as_bool(),
    }
}

fn node(schema: &Json, rules: &Json) -> Node {
    let mut node = compile::compile(schema, compile::ROOT).root;
    node.rules = rules.as_array().into_iter().flatten().map(|json| rule(json, schema)).collect();
    node.has_rules |= !node.rules.is_empty();
    node
}

/// A line that differs, and what both sides hold.
type Difference = (String, String, String);

/// Lines that may differ, with the reason.
fn expected_difference(difference: &Difference) -> Option<&'static str> {
    let (what, theirs, ours) = difference;
    let found = |text: &str| text.rsplit_once(" left ").map(|(found, _)| found.to_owned());
    if what == r#"["self.val.exists(k, v, v == 2)"]"# && found(theirs) == found(ours) {
        return Some("Go goes through a map in any order, so that upstream finds the value sooner or later");
    }
    if what.contains("fakeFunction") {
        return Some("upstream's test declares a function of its own");
    }
    if what.contains("in allOf: ") {
        return Some(
            "upstream refuses definitions with rules in `allOf`, and evaluates those of built-in types",
        );
    }
    if theirs.contains("context deadline exceeded") || theirs.contains("operation interrupted") {
        return Some("upstream's test cancels the request");
    }
    None
}

fn report(total: usize, differences: Vec<Difference>) {
    let (listed, others): (Vec<_>, Vec<_>) =
        differences.into_iter().partition(|difference| expected_difference(difference).is_some());
    for (what, theirs, ours) in &others {
        println!("{what}\n  upstream: {theirs}\n  ours:     {ours}");
    }
    println!("{} of {total} equal, {} listed", total - listed.len() - others.len(), listed.len());
    assert!(others.is_empty(), "{} differ", others.len());
}

#[test]
fn rules_compile_as_upstream_compiles_them() {
    let tables = tables();
    let (mut total, mut differences) = (0, Vec::new());
    for line in tables.lines.iter().filter(|line| line.get("compile").is_some()) {
        let schema = &tables.schemas[&line["compile"].as_u64().unwrap()];
        let node = node(schema, &line["rules"]);
        let shape = shape::of(&node, line["root"].as_bool().unwrap());
        let stored = Stored { all: !line["new"].as_bool().unwrap(), ..Stored::default() };
        for (rule, result) in node.rules.iter().zip(line["results"].as_array().unwrap()) {
            total += 1;
            let compiled = compile_rule(rule, &shape, &stored);
            let program = compiled.program.as_ref().and_then(|program| program.as_ref().ok());
            let message = compiled.message.as_ref().and_then(|message| message.as_ref().ok());
            let cardinality = crate::cel::MAX_REQUEST_BYTES / (shape.min_bytes + 1);
            let ours = format!(
                "error {:?} message {:?} cost {} {} cardinality {} old {}",
                compiled.program.as_ref().and_then(|program| program.as_ref().err()),
                compiled.message.as_ref().and_then(|message| message.as_ref().err()),
                program.map_or(0, |program| program.max_cost),
                message.map_or(0, |message| message.max_cost),
                if program.is_some() { cardinality } else { 0 },
                program.is_some_and(|program| program.uses_old),
            );
            let text = |name: &str| result[name].as_str().map(without_clock);
            let theirs = format!(
                "error {:?} message {:?} cost {} {} cardinality {} old {}",
                text("error"),
                text("messageError"),
                result["cost"],
                result["messageCost"],
                result["cardinality"],
                result["usesOldSelf"].as_bool().unwrap() && program.is_some(),
            );
            if ours != theirs {
                differences.push((format!("{} / {}", rule.rule, rule.message_expression), theirs, ours));
            }
        }
    }
    assert!(total > 1000);
    report(total, differences);
}

#[test]
fn rules_find_what_upstream_finds() {
    let tables = tables();
    let (mut total, mut differences) = (0, Vec::new());
    for line in tables.lines.iter().filter(|line| line.get("validate").is_some()) {
        let number = |name: &str| line[name].as_u64();
        let schema = &tables.schemas[&number("validate").unwrap()];
        let node = node(schema, &line["rules"]);
        let object = &tables.objects[&number("object").unwrap()];
        let old = number("old").map(|old| &tables.objects[&old]);
        total += 1;
        let stored = Stored { all: true, ..Stored::default() };
        let tree = Tree::of(&node, line["root"].as_bool().unwrap(), &stored);
        let mut found = Findings::new(Limits::NONE);
        let budget = line["budget"].as_i64().unwrap();
        let mut left = budget;
        if let Some(tree) = &tree {
            let evaluation = Evaluation {
                tree,
                node: &node,
                path: line["path"].as_str().unwrap().trim_start_matches("<nil>"),
                is_update: line["ratcheting"].as_bool().unwrap(),
                budget,
                limit: number("callLimit").unwrap(),
            };
            left = evaluation.run(object, old, &mut found).budget;
        }
        let errors = found.into_result().err().into_iter().flatten();
        let ours: BTreeSet<String> = errors
            .map(|error| format!("{} {} {}", error.reason.as_str(), error.field, error.message))
            .collect();
        let theirs: BTreeSet<String> = line["causes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cause| {
                let text = |name: &str| without_clock(cause[name].as_str().unwrap());
                format!("{} {} {}", text("type"), text("field"), text("message"))
            })
            .collect();
        let (ours, theirs) =
            (format!("{ours:?} left {left}"), format!("{theirs:?} left {}", line["remaining"]));
        if ours != theirs {
            let rules: Vec<&str> = node.rules.iter().map(|rule| &*rule.rule).collect();
            let in_all_of = schema.to_string().contains(r#""allOf":[{"#) && rules.is_empty();
            let mark = if in_all_of { "in allOf: " } else { "" };
            differences.push((format!("{mark}{rules:?}"), theirs, ours));
        }
    }
    assert!(total > 1000);
    report(total, differences);
}
