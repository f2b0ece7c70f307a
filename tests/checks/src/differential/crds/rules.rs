//! Definitions with rules in CEL: wrong ones, expensive ones, and those of Kubernetes' own tests.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::cases::{self, document};
use super::side::Side;

/// Rules by hand, each with its schema.
const BY_HAND: &str = include_str!("rules.yaml");
/// Schemas and rules of Kubernetes' own tests, as `tests/differential/cel/record` records them.
const TABLES: &str = include_str!("../../../../../machinery/validation/tests/cel/tables.jsonl");
/// Expressions of Kubernetes' own tests of its libraries.
const EXPRESSIONS: &str = include_str!("../../../../../machinery/validation/tests/cel/expressions.jsonl");
/// The keyword of rules in schemas.
const RULES: &str = "x-kubernetes-validations";
/// How upstream names the type of `self`.
const TYPE_OF_SELF: &str = "selfType";
/// The longest name of a case.
const MAX_NAME: usize = 300;

/// All cases, without answers.
///
/// # Errors
/// If a file is no YAML or JSON, or a rule has no place in its schema.
pub fn all() -> Result<Vec<Value>, String> {
    let mut cases = Cases::default();
    by_hand(&mut cases)?;
    large(&mut cases);
    of_tables(&mut cases)?;
    of_libraries(&mut cases)?;
    Ok(cases.lines)
}

/// Cases so far, whose names differ.
#[derive(Default)]
struct Cases {
    lines: Vec<Value>,
    names: HashMap<String, usize>,
}

impl Cases {
    fn add(&mut self, by: &str, name: &str, spec: &Value) {
        let mut name: String = name.chars().take(MAX_NAME).collect();
        let count = self.names.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name.push_str(&format!(" ({count})"));
        }
        self.lines.push(json!({"part": "rules", "name": name, "by": by, "definition": definition(spec)}));
    }
}

/// A definition with a schema for `spec`.
fn definition(spec: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ruleds.crds.example.com"},
        "spec": {
            "group": "crds.example.com",
            "scope": "Cluster",
            "names": {"kind": "Ruled", "plural": "ruleds"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]
        }
    })
}

/// A rule as definitions write it: a text is the expression.
fn rule(short: &Value) -> Value {
    if short.is_string() { json!({"rule": short}) } else { short.clone() }
}

fn by_hand(cases: &mut Cases) -> Result<(), String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for (number, group) in list(&document(BY_HAND)?).into_iter().enumerate() {
        let mut places = list(&group["at"]);
        if places.is_empty() {
            places.push("".into());
        }
        let alone = list(&group["rules"]).into_iter().map(|rule| vec![rule]);
        let sets: Vec<Vec<Value>> = alone.chain(list(&group["together"]).iter().map(list)).collect();
        for place in places.iter().filter_map(Value::as_str) {
            for rules in &sets {
                let mut schema = group["schema"].clone();
                let at = schema.pointer_mut(place).ok_or_else(|| format!("no place {place}"))?;
                at[RULES] = rules.iter().map(rule).collect();
                let shown = if let [rule] = &rules[..] { rule.to_string() } else { json!(rules).to_string() };
                cases.add("hand", &format!("{number}{place} {shown}"), &schema);
            }
        }
    }
    Ok(())
}

/// Rules that are large, deep or many.
fn large(cases: &mut Cases) {
    let text = |text: String| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}, RULES: [{"rule": text}]});
    let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    for depth in [10, 12, 13, 20, 40, 45, 50, 60, 83, 100, 200, 250, 251, 300, 1000, 100_000, 1_000_000] {
        cases.add("size", &format!("{depth} parentheses"), &text(nested(depth)));
    }
    for count in [10, 30, 60, 100, 250, 1000, 10_000] {
        let joined = |word: &str, sign: &str| vec![word; count].join(sign);
        cases.add("size", &format!("{count} terms of &&"), &text(joined("self.b", " && ")));
        cases.add("size", &format!("{count} terms of +"), &text(format!("{} > 0", joined("1", " + "))));
        cases.add("size", &format!("{count} terms of =="), &text(joined("true", " == ")));
        cases.add("size", &format!("{count} exclamation marks"), &text(format!("{}true", "!".repeat(count))));
        cases.add("size", &format!("{count} items"), &text(format!("[{}].size() > 1", joined("1", ","))));
        cases.add(
            "size",
            &format!("{count} lists"),
            &text(format!("{}1{} == [1]", "[".repeat(count), "]".repeat(count))),
        );
        cases.add("size", &format!("{count} selections"), &text(format!("self{} == 1", ".a".repeat(count))));
        cases.add(
            "size",
            &format!("{count} conditions"),
            &text(format!("{}true", "true ? true : ".repeat(count))),
        );
        cases.add("size", &format!("{count} texts"), &text(format!("self.a == '{}'", "a".repeat(count))));
        cases.add("size", &format!("{count} brackets that are open"), &text("[".repeat(count)));
        cases.add("size", &format!("{count} unknown names"), &text(joined("a", " && ")));
        let pattern = format!("self.a.matches('{}')", "a{1,9}".repeat(count));
        cases.add("size", &format!("{count} repetitions in a pattern"), &text(pattern));
        let calls = format!("self.a{} == 'a'", ".lowerAscii()".repeat(count));
        cases.add("size", &format!("{count} calls"), &text(calls));
    }
    for depth in [2, 5, 8, 12, 20] {
        let mut inner = "true".to_owned();
        for level in 0..depth {
            inner = format!("[1, 2, 3].all(x{level}, {inner})");
        }
        cases.add("size", &format!("{depth} macros in each other"), &text(inner));
    }
    for count in [10, 100, 1000] {
        let rules: Vec<Value> = (0..count).map(|at| json!({"rule": format!("self.a != '{at}'")})).collect();
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, RULES: rules});
        cases.add("size", &format!("{count} rules"), &schema);
        let property = json!({"type": "string", RULES: [{"rule": "self.matches('^a+$')"}]});
        let properties: Value = (0..count).map(|at| (format!("p{at}"), property.clone())).collect();
        cases.add(
            "size",
            &format!("{count} properties with a rule"),
            &json!({"type": "object", "properties": properties}),
        );
    }
    let mut schema = json!({"type": "string", RULES: [{"rule": "self == 'a'"}]});
    for level in 1..=12 {
        schema = json!({"type": "array", "items": schema, RULES: [{"rule": "self.size() > 0"}]});
        cases.add("size", &format!("{level} lists of lists"), &schema);
    }
}

fn lines(text: &str) -> impl Iterator<Item = Result<Value, String>> {
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
}

fn of_tables(cases: &mut Cases) -> Result<(), String> {
    let mut schemas = HashMap::new();
    for line in lines(TABLES) {
        let line = line?;
        if let (Some(number), Some(schema)) = (line["schema"].as_u64(), line.get("json")) {
            schemas.insert(number, schema.clone());
        }
        let Some(number) = line["compile"].as_u64() else { continue };
        let mut schema = schemas.get(&number).cloned().ok_or_else(|| format!("no schema {number}"))?;
        schema[RULES] = line["rules"].clone();
        cases.add("table", &format!("schema {number} {}", line["rules"]), &schema);
    }
    Ok(())
}

fn of_libraries(cases: &mut Cases) -> Result<(), String> {
    let mut seen = HashMap::new();
    for line in lines(EXPRESSIONS) {
        let line = line?;
        let text = line["expression"].as_str().unwrap_or_default();
        if seen.insert(text.to_owned(), ()).is_none() {
            cases.add("library", text, &json!({"type": "object", RULES: [{"rule": text}]}));
        }
    }
    Ok(())
}

/// Tries to create a definition. Upstream names the type of `self` by the clock, which is left out.
///
/// # Errors
/// None: what cannot be sent is an answer.
pub fn create(side: &Side, line: &Value) -> Result<Value, String> {
    let answer = cases::create(side, line)?.to_string();
    let mut parts = answer.split(TYPE_OF_SELF);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(TYPE_OF_SELF);
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Why a difference of answers about rules is intended, if it is.
pub fn listed(theirs: &Value, ours: &Value) -> Option<&'static str> {
    let causes = |answer: &Value| answer["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let makes_message = |cause: &Value| {
        let text = text(cause, "message");
        text.contains("undeclared reference to 'google.protobuf.") && text.matches("ERROR: ").count() == 1
    };
    let (their_causes, our_causes) = (causes(theirs), causes(ours));
    if theirs["code"] == 201 && ours["code"] == 422 && our_causes.iter().all(makes_message) {
        return Some("rules make no messages of protobuf");
    }
    let goes_on = |(theirs, ours): (&Value, &Value)| {
        let (their_text, our_text) = (text(theirs, "message"), text(ours, "message"));
        let rest = their_text.strip_prefix(&our_text);
        ["reason", "field"].iter().all(|key| theirs[key] == ours[key])
            && rest.is_some_and(|rest| {
                rest.is_empty()
                    || our_text.contains(": Syntax error: ") && rest.starts_with("\nERROR: <input>:")
            })
    };
    let mut message = text(theirs, "message");
    for (theirs, ours) in their_causes.iter().zip(&our_causes) {
        message = message.replace(&text(theirs, "message"), &text(ours, "message"));
    }
    let is_same = ["code", "reason", "warnings"].iter().all(|key| theirs[key] == ours[key])
        && message == text(ours, "message");
    let are_causes = !our_causes.is_empty() && their_causes.len() == our_causes.len();
    (is_same && are_causes && their_causes.iter().zip(&our_causes).all(goes_on))
        .then_some("upstream finds more errors after one in the syntax")
}
