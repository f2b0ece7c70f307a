//! Paths to values in an object, in the language that definitions use for their columns: Kubernetes' JSONPath.
//!
//! ```text
//! .spec.replicas                                     a field, or a key of a map
//! .metadata.labels.app\.kubernetes\.io/name          a backslash before a dot of a key
//! .status.addresses[0].ip  .items[-1]  .items[0:2]   items of a list
//! .spec.containers[*].name                           all of them
//! .status.conditions[?(@.type=="Ready")].status      those that meet a condition
//! ..name                                             at any depth
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;

use super::value::Value;
use crate::reflect::Slot;

/// A path that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} is no path: {why}")]
pub struct InvalidPath {
    path: String,
    why: &'static str,
}

/// How deep `..` descends: objects that clients send are not deeper.
const MOST_DEPTH: usize = 100;

/// Checks that a path can be read.
///
/// # Errors
/// What is wrong.
///
/// ```
/// use hubgen_machinery::columns::check_path;
///
/// assert!(check_path(r#".status.conditions[?(@.type=="Ready")].status"#).is_ok());
/// assert!(check_path(".items[first]").is_err());
/// ```
pub fn check(path: &str) -> Result<(), InvalidPath> {
    check_steps(path).map_err(|why| InvalidPath { path: path.to_owned(), why })
}

fn check_steps(path: &str) -> Result<(), &'static str> {
    let mut rest = path;
    while let Some((step, after)) = next(rest)? {
        match step {
            Step::Union(parts) => {
                for part in parts {
                    check_steps(&format!("[{}]", part.trim()))?;
                }
            }
            Step::Filter { left, right } => {
                check_steps(left)?;
                if let Some((_, right)) = right {
                    constant(right)?;
                }
            }
            _ => {}
        }
        rest = after;
    }
    Ok(())
}

/// Calls `visit` with each value at a path. A path that cannot be read finds nothing.
pub fn each(value: Value<'_>, path: &str, visit: &mut dyn FnMut(Value<'_>)) {
    // What an object embeds as JSON is read where a path enters it.
    if let Value::Slot(Slot::Raw(raw)) = value {
        if let Ok(json) = raw.to_value() {
            each(Value::Json(&json), path, visit);
        }
        return;
    }
    if let Value::Slot(Slot::Union(union)) = value {
        return each(Value::Slot(union.active()), path, visit);
    }
    let (step, rest) = match next(path) {
        Ok(Some(next)) => next,
        Ok(None) => return visit(value),
        Err(_) => return,
    };
    match step {
        Step::Field(name) => {
            let member = value.member(&name);
            if !matches!(member, Value::Slot(Slot::Absent)) {
                each(member, rest, visit);
            }
        }
        Step::Children => children(value).into_iter().for_each(|child| each(child, rest, visit)),
        Step::Range { from, to, step } => {
            for index in range(value.items().len(), from, to, step) {
                each(value.item(index), rest, visit);
            }
        }
        Step::Filter { left, right } => {
            for item in value.items() {
                if meets(item, left, right) {
                    each(item, rest, visit);
                }
            }
        }
        Step::Union(parts) => {
            for part in parts {
                each(value, &format!("[{}]{rest}", part.trim()), visit);
            }
        }
        Step::Descend => descend(value, rest, MOST_DEPTH, visit),
    }
}

/// Finds what a path finds in a value, and in all values in it.
fn descend(value: Value<'_>, path: &str, depth: usize, visit: &mut dyn FnMut(Value<'_>)) {
    let inside = children(value);
    if inside.is_empty() || depth == 0 {
        return;
    }
    each(value, path, visit);
    inside.into_iter().for_each(|child| descend(child, path, depth - 1, visit));
}

/// The items of a list, the values of a map, or the fields of an object.
fn children(value: Value<'_>) -> Vec<Value<'_>> {
    match value {
        Value::Slot(Slot::Struct(object)) => {
            let fields = object.fields().slots().map(Value::Slot);
            fields.filter(|value| value.is_present()).collect()
        }
        _ if value.is_list() => value.items().collect(),
        _ => value.entries().into_iter().map(|(_, value)| value).collect(),
    }
}

/// A step of a path.
enum Step<'p> {
    Field(Cow<'p, str>),
    Children,
    Range {
        from: Option<i64>,
        to: Option<i64>,
        step: Option<i64>,
    },
    /// Without a right side, the left one must find something.
    Filter {
        left: &'p str,
        right: Option<(&'p str, &'p str)>,
    },
    Union(Vec<&'p str>),
    Descend,
}

/// The next step, and what follows; `None` at the end.
fn next(path: &str) -> Result<Option<(Step<'_>, &str)>, &'static str> {
    let path = path.trim_start_matches([' ', '@', '$']);
    let Some(first) = path.chars().next() else { return Ok(None) };
    let (step, rest) = if let Some(rest) = path.strip_prefix("..") {
        match rest.chars().next() {
            Some('.' | '[') | None => (Step::Descend, rest),
            // The name of a field follows without another dot.
            Some(_) => return Ok(Some((Step::Descend, &path[1..]))),
        }
    } else if let Some(rest) = path.strip_prefix('.') {
        let (name, rest) = rest.split_at(end_of_field(rest));
        match name {
            "*" => (Step::Children, rest),
            // A dot alone is the object itself.
            "" if rest.is_empty() => return Ok(None),
            _ if name.contains('\\') => (Step::Field(Cow::Owned(name.replace('\\', ""))), rest),
            _ => (Step::Field(Cow::Borrowed(name)), rest),
        }
    } else if let Some(rest) = path.strip_prefix("[?(") {
        filter(rest)?
    } else if let Some(rest) = path.strip_prefix('[') {
        let (inside, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
        (bracket(inside)?, rest)
    } else if first.is_alphanumeric() {
        return Err("a field has a dot before it");
    } else {
        return Err("a step begins with a dot or a bracket");
    };
    Ok(Some((step, rest)))
}

/// Where the name of a field ends.
fn end_of_field(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().find(|(_, c)| {
        let ends =
            !escaped && matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}');
        escaped = !escaped && *c == '\\';
        ends
    });
    end.map_or(text.len(), |(end, _)| end)
}

/// What is between brackets.
fn bracket(inside: &str) -> Result<Step<'_>, &'static str> {
    if inside == "*" {
        return Ok(Step::Range { from: None, to: None, step: None });
    }
    if inside.contains(',') {
        return Ok(Step::Union(inside.split(',').collect()));
    }
    if let Some(name) = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Ok(Step::Field(Cow::Owned(name.replace('\\', ""))));
    }
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        text => {
            text.parse::<i64>().map(Some).map_err(|_| "an index is a number, `*`, or a key in single quotes")
        }
    };
    let parts: Vec<&str> = inside.split(':').collect();
    match *parts {
        [index] => match number(index)?.ok_or("there is no index")? {
            // The item before the end has none after it.
            -1 => Ok(Step::Range { from: Some(-1), to: None, step: None }),
            index => Ok(Step::Range { from: Some(index), to: Some(index + 1), step: None }),
        },
        [from, to] => Ok(Step::Range { from: number(from)?, to: number(to)?, step: None }),
        [from, to, step] => Ok(Step::Range { from: number(from)?, to: number(to)?, step: number(step)? }),
        _ => Err("a range has a begin, an end and a step at most"),
    }
}

/// The positions of a range in a list. As upstream, one that is not all inside selects nothing.
fn range(len: usize, from: Option<i64>, to: Option<i64>, step: Option<i64>) -> impl Iterator<Item = usize> {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let inside = |at: i64| if at < 0 { at + len } else { at };
    let (from, to) = (inside(from.unwrap_or(0)), inside(to.unwrap_or(len)));
    let step = step.unwrap_or(1);
    let fits = 0 <= from && from <= to && to <= len && step > 0;
    let positions = if fits { from..to } else { 0..0 };
    positions
        .step_by(usize::try_from(step.max(1)).unwrap_or(usize::MAX))
        .filter_map(|at| usize::try_from(at).ok())
}

/// A condition, after `[?(`.
fn filter(text: &str) -> Result<(Step<'_>, &str), &'static str> {
    let mut quote = None;
    let mut before = ' ';
    let end = text.char_indices().find(|(_, c)| {
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(*c),
            Some(open) if *c == open && before != '\\' => quote = None,
            _ => {}
        }
        before = *c;
        *c == ')' && quote.is_none()
    });
    let (end, _) = end.ok_or("a condition is not closed")?;
    let rest = text[end..].strip_prefix(")]").ok_or("a condition ends with `)]`")?;
    let condition = &text[..end];
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let step = match condition.find(is_operator) {
        None => Step::Filter { left: condition.trim(), right: None },
        Some(at) => {
            let (left, right) = condition.split_at(at);
            let (operator, right) = right.split_at(right.find(|c| !is_operator(c)).unwrap_or(right.len()));
            if !["==", "!=", "<", "<=", ">", ">="].contains(&operator) {
                return Err("a condition compares with ==, !=, <, <=, > or >=");
            }
            Step::Filter { left: left.trim(), right: Some((operator, right.trim())) }
        }
    };
    Ok((step, rest))
}

/// What a value is compared with.
#[derive(PartialEq, PartialOrd)]
enum Constant {
    Text(String),
    Number(f64),
    Bool(bool),
}

fn constant(text: &str) -> Result<Constant, &'static str> {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return Ok(Constant::Text(
                inside.replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\"),
            ));
        }
    }
    match text {
        "true" => Ok(Constant::Bool(true)),
        "false" => Ok(Constant::Bool(false)),
        _ => text
            .parse()
            .map(Constant::Number)
            .map_err(|_| "a condition compares with a text, a number or a boolean"),
    }
}

/// Whether an item meets a condition.
fn meets(item: Value<'_>, left: &str, right: Option<(&str, &str)>) -> bool {
    let mut found = Vec::new();
    each(item, left, &mut |value| found.push(comparable(value)));
    let Some((operator, right)) = right else { return !found.is_empty() };
    let ([Some(left)], Ok(right)) = (&*found, constant(right)) else { return false };
    // Values of different types are not compared.
    if std::mem::discriminant(left) != std::mem::discriminant(&right) {
        return false;
    }
    let order = left.partial_cmp(&right);
    match operator {
        "==" => order == Some(Ordering::Equal),
        "!=" => order != Some(Ordering::Equal),
        "<" => order == Some(Ordering::Less),
        "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        ">" => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn comparable(value: Value<'_>) -> Option<Constant> {
    match value {
        Value::Slot(Slot::Bool(value)) | Value::Json(&serde_json::Value::Bool(value)) => {
            Some(Constant::Bool(value))
        }
        Value::Slot(Slot::Int32(_) | Slot::Int64(_)) => Some(Constant::Number(value.integer() as f64)),
        Value::Slot(Slot::Double(value)) => Some(Constant::Number(value)),
        Value::Json(serde_json::Value::Number(number)) => number.as_f64().map(Constant::Number),
        Value::Slot(Slot::String(_) | Slot::Scalar(_)) | Value::Json(serde_json::Value::String(_)) => {
            Some(Constant::Text(value.shown()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(path: &str) -> Vec<String> {
        let object = json!({
            "spec": {"size": 3, "ready": true, "ratio": 0.5, "names": ["a", "b", "c"]},
            "labels": {"app.io/name": "web", "tier": "front"},
            "conditions": [
                {"type": "Ready", "status": "True", "count": 1},
                {"type": "Old (1)", "status": "False", "count": 2},
            ],
        });
        let mut all = Vec::new();
        each(Value::Json(&object), path, &mut |value| all.push(value.shown()));
        all
    }

    #[test]
    fn steps_find_values() {
        for (path, expected) in [
            (".spec.size", vec!["3"]),
            ("$.spec.size", vec!["3"]),
            (".spec.none.deeper", vec![]),
            (r".labels.app\.io/name", vec!["web"]),
            (".labels['tier']", vec!["front"]),
            (".spec.names[0]", vec!["a"]),
            (".spec.names[-1]", vec!["c"]),
            (".spec.names[-2]", vec!["b"]),
            (".spec.names[7]", vec![]),
            (".spec.names[1:]", vec!["b", "c"]),
            (".spec.names[:2]", vec!["a", "b"]),
            (".spec.names[::2]", vec!["a", "c"]),
            (".spec.names[*]", vec!["a", "b", "c"]),
            (".spec.names[0,2]", vec!["a", "c"]),
            (".labels.*", vec!["web", "front"]),
            (r#".conditions[?(@.type=="Ready")].status"#, vec!["True"]),
            (r#".conditions[?(@.type=="Old (1)")].status"#, vec!["False"]),
            (".conditions[?(@.type=='Ready')].status", vec!["True"]),
            (r#".conditions[?(@.type != "Ready")].status"#, vec!["False"]),
            (".conditions[?(@.count>=2)].status", vec!["False"]),
            (".conditions[?(@.count<2)].status", vec!["True"]),
            (".conditions[?(@.count)].type", vec!["Ready", "Old (1)"]),
            (".conditions[?(@.none)].type", vec![]),
            // A number is no text.
            (r#".conditions[?(@.count=="1")].type"#, vec![]),
            ("..status", vec!["True", "False"]),
        ] {
            assert_eq!(found(path), expected, "{path}");
            check(path).unwrap();
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in [
            "spec.size",
            ".a[",
            ".a[x]",
            ".a[]",
            ".a[1:2:3:4]",
            ".a[?(@.b",
            ".a[?(@.b=~1)]",
            ".a[?(@.b==c)]",
            ".a}",
        ] {
            check(path).unwrap_err();
            assert_eq!(found(path), Vec::<String>::new(), "{path}");
        }
    }
}
