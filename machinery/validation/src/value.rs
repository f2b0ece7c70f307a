//! Validates a value by a schema: types, sizes, texts, numbers, enums and alternatives.
//!
//! Where alternatives of `anyOf` or `oneOf` all fail, the API server reports the errors of the one with the most passed
//! checks. Each function therefore returns how many checks passed, counted as upstream counts.

use std::fmt::Write as _;
use std::mem;

use serde_json::{Map, Value};

use crate::equal::same;
use crate::error::{FieldError, NO_FIELD};
use crate::findings::{Findings, Limits};
use crate::node::{Additional, Bound, Node};
use crate::number::{Number, float_text, is_whole, truncate};
use crate::old::{Items, is_unchanged};
use crate::range::Range;
use crate::text;
use crate::value_type::Type;

/// Adds the errors of a value to `findings`. `prefix` comes before the fields of errors, but not before the paths in
/// messages. A value has no errors if it equals its value in `old`, which it replaces.
pub(crate) fn validate(
    node: &Node,
    value: &Value,
    old: Option<&Value>,
    prefix: &str,
    findings: &mut Findings,
) {
    let mut own = Findings::new(findings.limits);
    Validator { prefix, path: String::new(), old }.value(node, value, &mut own);
    own.remove_repeated();
    findings.append(own);
}

struct Validator<'a> {
    prefix: &'a str,
    /// The path of the current value. Fields of the root begin without a dot.
    path: String,
    /// The value that the current one replaces.
    old: Option<&'a Value>,
}

impl<'a> Validator<'a> {
    /// Validates a value, and returns the number of passed checks.
    fn value(&mut self, node: &Node, value: &Value, found: &mut Findings) -> usize {
        if self.old.is_some_and(|old| is_unchanged(node, value, old)) {
            return 1;
        }
        if value.is_null() {
            let passed = self.null(node, found);
            self.enumeration(node, value, found);
            return passed;
        }
        let mut passed = 1;
        if node.has_type() || node.format_name().is_some() {
            passed += 1 + self.ty(node, value, found);
        }
        passed += 1 + self.alternatives(node, value, found);
        match value {
            Value::String(text) => {
                passed += 1;
                self.text(node, text, found);
                if let Some((format, name)) = &node.constraints.format {
                    passed += 1;
                    if !format.accepts(text) {
                        let message =
                            format!("{} in body must be of type {name}: {}", self.path, text::quoted(text));
                        found.add(FieldError::type_invalid(self.field(), text, &message));
                    }
                }
            }
            Value::Number(number) => passed += 1 + self.number(node, Number::of(number), found),
            Value::Array(items) => passed += 1 + self.list(node, items, found),
            Value::Object(_) | Value::Bool(_) | Value::Null => {}
        }
        passed += 1;
        self.enumeration(node, value, found);
        if let Value::Object(members) = value {
            passed += 1 + self.object(node, members, found);
        }
        passed
    }

    /// Validates a value below the current one, which replaces `old`.
    fn below(&mut self, node: &Node, value: &Value, old: Option<&'a Value>, found: &mut Findings) -> usize {
        let outer = mem::replace(&mut self.old, old);
        let passed = self.value(node, value, found);
        self.old = outer;
        passed
    }

    /// The field of errors at the current path.
    fn field(&self) -> String {
        self.field_of(&self.path)
    }

    fn field_of(&self, path: &str) -> String {
        let path = if path == "." { "" } else { path.strip_prefix('.').unwrap_or(path) };
        match (self.prefix, path) {
            ("", "") => NO_FIELD.to_owned(),
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        }
    }

    fn invalid(&self, value: &Value, what: &str) -> FieldError {
        FieldError::invalid(self.field(), value, &format!("{} in body {what}", self.path))
    }

    fn null(&self, node: &Node, found: &mut Findings) -> usize {
        if !node.has_type() || node.nullable {
            return 1;
        }
        found.add(self.wrong_type(node.type_text(), "null"));
        0
    }

    fn wrong_type(&self, expected: &str, actual: &str) -> FieldError {
        let message = format!("{} in body must be of type {expected}: {}", self.path, text::quoted(actual));
        FieldError::type_invalid(self.field(), actual, &message)
    }

    fn ty(&self, node: &Node, value: &Value, found: &mut Findings) -> usize {
        // With the format that upstream infers for numbers.
        let (ty, name, format) = match value {
            Value::Bool(_) => (Type::Boolean, "boolean", ""),
            Value::String(_) => (Type::String, "string", ""),
            Value::Array(_) => (Type::Array, "array", ""),
            Value::Object(_) => (Type::Object, "object", ""),
            Value::Null => return 0,
            Value::Number(number) => match Number::of(number) {
                Number::Int(_) => (Type::Integer, "integer", "int64"),
                Number::Float(_) => (Type::Number, "number", "float64"),
            },
        };
        let fits = node.allows(ty)
            || match value {
                Value::Number(number) => match Number::of(number) {
                    Number::Int(_) => node.allows(Type::Number),
                    Number::Float(float) => node.allows(Type::Integer) && is_whole(float),
                },
                _ => false,
            };
        if let Some(expected) = node.format_name() {
            // A schema with a format accepts texts and lists of any type, unless it is one of numbers.
            let is_text = matches!(ty, Type::String | Type::Array);
            if !is_text && !fits {
                found.add(self.wrong_type(expected, format));
                return 0;
            }
            if is_text && !node.allows(Type::Number) && !node.allows(Type::Integer) {
                return 1;
            }
        }
        if fits {
            return 1;
        }
        found.add(self.wrong_type(node.type_text(), name));
        0
    }

    /// The first of length and pattern that a text violates.
    fn text(&self, node: &Node, text: &str, found: &mut Findings) {
        let constraints = &node.constraints;
        if let Some(max) = constraints.max_length
            && length(text) > max
        {
            found.add(FieldError::too_long(self.field(), max));
        } else if let Some(min) = constraints.min_length
            && length(text) < min
        {
            found.add(self.invalid(&text.into(), &format!("should be at least {min} chars long")));
        } else if let Some(pattern) = &constraints.pattern
            && !pattern.is_match(text)
        {
            found.add(self.invalid(&text.into(), &format!("should match '{}'", pattern.as_str())));
        }
    }

    fn number(&self, node: &Node, number: Number, found: &mut Findings) -> usize {
        let constraints = &node.constraints;
        let range = node.range();
        self.in_range(range, number, "Checked", found);
        if let Some(factor) = constraints.multiple_of {
            let is_in_range = self.in_range(range, Number::Float(factor), "MultipleOf", found);
            self.multiple_of(comparable(number, is_in_range), factor, found);
        }
        for (bound, is_minimum) in [(constraints.minimum, true), (constraints.maximum, false)] {
            let Some(Bound { value: limit, exclusive }) = bound else { continue };
            let what = if is_minimum { "Minimum boundary" } else { "Maximum boundary" };
            let is_in_range = self.in_range(range, Number::Float(limit), what, found);
            let number = comparable(number, is_in_range);
            let order = match number {
                // The API server compares integers with the truncated limit.
                Number::Int(int) => Some(int.cmp(&truncate(limit))),
                Number::Float(float) => float.partial_cmp(&limit),
            };
            let is_beyond = match order {
                Some(order) if is_minimum => order.is_lt() || (exclusive && order.is_eq()),
                Some(order) => order.is_gt() || (exclusive && order.is_eq()),
                None => false,
            };
            if is_beyond {
                let relation = match (is_minimum, exclusive) {
                    (true, false) => "greater than or equal to",
                    (true, true) => "greater than",
                    (false, false) => "less than or equal to",
                    (false, true) => "less than",
                };
                let limit = limit_text(number, limit);
                found.add(self.invalid(&number.value(), &format!("should be {relation} {limit}")));
            }
        }
        1
    }

    /// Whether a number, or a limit of the schema, is in the range of the schema's type and format.
    fn in_range(&self, range: Range, number: Number, what: &str, found: &mut Findings) -> bool {
        let is_in_range = range.contains(number);
        if !is_in_range {
            found.add(self.at_no_field(&format!(
                "{what} value must be of type {} in {}",
                range.text(),
                self.path
            )));
        }
        is_in_range
    }

    fn multiple_of(&self, number: Number, factor: f64, found: &mut Findings) {
        let (is_multiple, factor, text) = match number {
            Number::Int(int) => {
                let factor = truncate(factor);
                (factor > 0 && int % factor == 0, factor as f64, factor.to_string())
            }
            Number::Float(float) => {
                let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
                (is_whole(quotient), factor, float_text(factor))
            }
        };
        if factor <= 0.0 {
            let message = format!("factor MultipleOf declared for {} must be positive: {text}", self.path);
            let factor = match number {
                Number::Int(_) => Value::from(factor as i64),
                Number::Float(_) => Value::from(factor),
            };
            found.add(FieldError::invalid(self.field(), &factor, &message));
        } else if !is_multiple {
            found.add(self.invalid(&number.value(), &format!("should be a multiple of {text}")));
        }
    }

    fn list(&mut self, node: &Node, items: &[Value], found: &mut Findings) -> usize {
        let mut passed = 1;
        let length = self.path.len();
        let before = Items::of(node, self.old);
        for (at, item) in items.iter().enumerate() {
            let Some(node) = &node.items else { break };
            // Writing to a String cannot fail.
            let _ = write!(self.path, "[{at}]");
            passed += self.below(node, item, before.get(item), found);
            self.path.truncate(length);
        }
        let size = items.len();
        if let Some(min) = node.constraints.min_items
            && is_less(size, min)
        {
            found.add(self.invalid(&size.into(), &format!("should have at least {min} items")));
        }
        if let Some(max) = node.constraints.max_items
            && is_more(size, max)
        {
            found.add(FieldError::too_many(self.field(), size, max));
        }
        passed
    }

    fn object(&mut self, node: &Node, members: &Map<String, Value>, found: &mut Findings) -> usize {
        let mut passed = 0;
        let size = members.len();
        if let Some(min) = node.constraints.min_properties
            && is_less(size, min)
        {
            found.add(self.invalid(&size.into(), &format!("should have at least {min} properties")));
        }
        if let Some(max) = node.constraints.max_properties
            && is_more(size, max)
        {
            found.add(FieldError::too_many(self.field(), size, max));
        }
        let length = self.path.len();
        let old = self.old;
        let before = |name: &String| old.and_then(|old| old.get(name));
        for (name, value) in members {
            if node.properties.contains_key(name) {
                continue;
            }
            match &node.additional {
                Some(Additional::Forbidden) => {
                    let message = format!("{}.{name} in body is a forbidden property", self.path);
                    found.add(FieldError::invalid_text(self.field(), name, &message));
                }
                Some(Additional::Values(node)) => {
                    self.path.push('.');
                    self.path.push_str(name);
                    passed += self.below(node, value, before(name), found);
                    self.path.truncate(length);
                }
                Some(Additional::Any) | None => {}
            }
        }
        for (name, node) in &node.properties {
            let Some(value) = members.get(name) else { continue };
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            passed += self.below(node, value, before(name), found);
            self.path.truncate(length);
        }
        for name in node.required.iter().filter(|name| !members.contains_key(*name)) {
            found.add(FieldError::required(self.field_of(&format!("{}.{name}", self.path)), ""));
        }
        passed
    }

    fn enumeration(&self, node: &Node, value: &Value, found: &mut Findings) {
        let allowed = &node.enumeration;
        if allowed.is_empty() || allowed.iter().any(|allowed| equals(value, allowed)) {
            return;
        }
        let texts: Vec<String> = allowed
            .iter()
            .map(|allowed| match allowed {
                Value::String(text) => text.clone(),
                other => text::json(other),
            })
            .collect();
        found.add(FieldError::not_supported(self.field(), value, texts.iter().map(String::as_str)));
    }

    fn alternatives(&mut self, node: &Node, value: &Value, found: &mut Findings) -> usize {
        let mut passed = 1;
        if !node.any_of.is_empty() {
            let (best, valid) = self.best(&node.any_of, value, found.limits, true);
            if valid == 0 {
                found.add(self.unfit("must validate at least one schema (anyOf)"));
            }
            passed += best.passed;
            found.append(best.findings);
        }
        if !node.one_of.is_empty() {
            let (best, valid) = self.best(&node.one_of, value, found.limits, false);
            if valid != 1 {
                let found_text = match valid {
                    0 => "Found none valid".to_owned(),
                    count => format!("Found {count} valid alternatives"),
                };
                found
                    .add(self.unfit(&format!("must validate one and only one schema (oneOf). {found_text}")));
            }
            if valid < 2 {
                passed += best.passed;
                found.append(best.findings);
            }
        }
        if !node.all_of.is_empty() {
            let mut valid = 0;
            for part in &node.all_of {
                let before = found.count();
                passed += self.value(part, value, found);
                valid += usize::from(found.count() == before);
            }
            if valid != node.all_of.len() {
                let detail = if valid == 0 { ". None validated" } else { "" };
                found.add(self.unfit(&format!("must validate all the schemas (allOf){detail}")));
            }
        }
        if let Some(not) = &node.not {
            let mut own = Findings::new(found.limits);
            self.value(not, value, &mut own);
            if own.is_empty() {
                found.add(self.unfit("must not validate the schema (not)"));
            }
        }
        passed
    }

    fn unfit(&self, what: &str) -> FieldError {
        self.at_no_field(&format!("{} {what}", text::quoted(&self.path)))
    }

    /// An error that the API server reports without a field.
    fn at_no_field(&self, message: &str) -> FieldError {
        let field = if self.prefix.is_empty() { NO_FIELD } else { self.prefix };
        FieldError::invalid_text(field, "", message)
    }

    /// The first valid alternative, or else the first one with the most passed checks; and how many are valid.
    /// `is_enough` means that one valid alternative is enough.
    fn best(
        &mut self,
        alternatives: &[Node],
        value: &Value,
        limits: Limits,
        is_enough: bool,
    ) -> (Outcome, usize) {
        let mut best: Option<Outcome> = None;
        let mut valid = 0;
        for alternative in alternatives {
            let mut findings = Findings::new(limits);
            let passed = self.value(alternative, value, &mut findings);
            let is_valid = findings.is_empty();
            let is_better = match &best {
                None => true,
                Some(_) if valid > 0 => false,
                Some(_) if is_valid => true,
                Some(best) => passed > best.passed,
            };
            if is_better {
                best = Some(Outcome { findings, passed });
            }
            valid += usize::from(is_valid);
            if is_valid && is_enough {
                break;
            }
        }
        (best.unwrap_or_else(|| Outcome { findings: Findings::new(limits), passed: 0 }), valid)
    }
}

/// What an alternative found.
struct Outcome {
    findings: Findings,
    passed: usize,
}

/// The number of characters.
fn length(text: &str) -> i64 {
    text.chars().count().try_into().unwrap_or(i64::MAX)
}

fn is_less(size: usize, min: i64) -> bool {
    i64::try_from(size).is_ok_and(|size| size < min)
}

fn is_more(size: usize, max: i64) -> bool {
    i64::try_from(size).map_or(true, |size| size > max)
}

/// The number as the API server compares it with a limit: as a float, if the limit is none of the number's type.
fn comparable(number: Number, is_in_range: bool) -> Number {
    if is_in_range { number } else { Number::Float(number.as_float()) }
}

fn limit_text(number: Number, limit: f64) -> String {
    match number {
        Number::Int(_) => truncate(limit).to_string(),
        Number::Float(_) => float_text(limit),
    }
}

/// Whether a value equals one of an enum. Go converts the value to the type of the allowed one, if it can: a fraction
/// loses what comes after the point, and an integer becomes the character of that code.
fn equals(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(allowed)) => match (Number::of(value), Number::of(allowed)) {
            (Number::Int(value), Number::Int(allowed)) => value == allowed,
            (Number::Int(value), Number::Float(allowed)) => value as f64 == allowed,
            (Number::Float(value), Number::Int(allowed)) => truncate(value) == allowed,
            (Number::Float(value), Number::Float(allowed)) => value == allowed,
        },
        (Value::Number(value), Value::String(allowed)) => match Number::of(value) {
            Number::Int(code) => {
                let character = u32::try_from(code).ok().and_then(char::from_u32);
                allowed.chars().eq([character.unwrap_or(char::REPLACEMENT_CHARACTER)])
            }
            Number::Float(_) => false,
        },
        _ => same(value, allowed),
    }
}
