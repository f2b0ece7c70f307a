//! Generates objects that a schema allows.
//!
//! A value is made to fit every keyword that can be met by construction: types, enums, ranges, lengths, patterns,
//! formats, required members, sizes, and keys of lists. Then it is validated. If it is wrong, because of alternatives
//! that exclude each other, for example, another attempt makes other choices, and ever fewer optional members.

mod source;
mod text;

use serde_json::{Map, Value, json};

use self::source::Source;
use crate::findings::{Findings, Limits};
use crate::node::{Additional, ListType, Node};
use crate::range::NumberFormat;
use crate::value_type::Type;
use crate::{defaults, lists, value};

/// How often a value is tried.
const ATTEMPTS: usize = 24;
/// How often all values of an object together are tried again.
const RETRIES: usize = 3000;
/// The usual number of items more than a list must have.
const FEW: usize = 4;
/// How many items more than a list must have it can ever have.
const MANY: usize = 20;

/// Generates an object of a schema, without `apiVersion`, `kind` and `metadata`. `words` are texts that are often tried
/// for the field with that name.
pub(crate) fn object(root: &Node, bytes: &[u8], words: &[(&str, &str)]) -> Option<Value> {
    let mut generator =
        Generator { source: Source::new(bytes), words, field: String::new(), retries: RETRIES };
    generator.root(root)
}

struct Generator<'a> {
    source: Source<'a>,
    words: &'a [(&'a str, &'a str)],
    /// The name of the field whose value is generated.
    field: String,
    /// How many attempts may still fail.
    retries: usize,
}

/// The members of the root that are the same for all kinds.
const COMMON: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl Generator<'_> {
    fn root(&mut self, root: &Node) -> Option<Value> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.source.differ();
            }
            let nodes = self.chosen(&[root]);
            let Some(mut object) = self.object(&nodes, attempt, &COMMON) else { continue };
            for (name, value) in
                [("apiVersion", json!("a/v1")), ("kind", json!("A")), ("metadata", json!({"name": "a"}))]
            {
                object.insert(name.to_owned(), value);
            }
            let object = Value::Object(object);
            if is_valid(root, &object) {
                let Value::Object(mut members) = object else { return None };
                COMMON.iter().for_each(|name| drop(members.shift_remove(*name)));
                return Some(Value::Object(members));
            }
        }
        None
    }

    /// A value that several schemas allow. The first is that of the field, and the others restrict it.
    fn value(&mut self, nodes: &[&Node]) -> Option<Value> {
        let before = self.source.more();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.retries = self.retries.checked_sub(1)?;
                self.source.differ();
            }
            let chosen = self.chosen(nodes);
            let candidate = self.candidate(&chosen, attempt);
            self.source.end(before);
            if let Some(value) = candidate
                && nodes.iter().all(|node| is_valid(node, &value))
            {
                return Some(value);
            }
        }
        None
    }

    /// The schemas, with all parts of `allOf`, and one of `anyOf` and `oneOf`.
    fn chosen<'n>(&mut self, nodes: &[&'n Node]) -> Vec<&'n Node> {
        let mut all = Vec::new();
        for node in nodes {
            all.push(*node);
            let mut parts: Vec<&Node> = node.all_of.iter().collect();
            for alternatives in [&node.any_of, &node.one_of] {
                if !alternatives.is_empty() {
                    parts.push(self.source.one_of(alternatives));
                }
            }
            if !parts.is_empty() {
                all.extend(self.chosen(&parts));
            }
        }
        all
    }

    fn candidate(&mut self, nodes: &[&Node], attempt: usize) -> Option<Value> {
        let node = *nodes.first()?;
        if node.nullable && self.source.below(4) == 3 {
            return Some(Value::Null);
        }
        if let Some(listed) = nodes.iter().find(|node| !node.enumeration.is_empty()) {
            return Some(self.source.one_of(&listed.enumeration).clone());
        }
        let ty = match node.ty {
            None if node.int_or_string => {
                let of_alternative = nodes.iter().find_map(|node| node.ty);
                of_alternative.or_else(|| Some(*self.source.one_of(&[Type::Integer, Type::String])))
            }
            ty => ty,
        };
        match ty {
            Some(Type::Boolean) => Some((self.source.below(2) == 1).into()),
            Some(Type::Integer) => self.integer(nodes, node.int_or_string).map(Value::from),
            Some(Type::Number) => Some(self.number(nodes).into()),
            Some(Type::String) => self.text(nodes, attempt).map(Value::from),
            Some(Type::Array) => self.list(nodes),
            Some(Type::Object) => self.object(nodes, attempt, &[]).map(Value::Object),
            None => Some(self.anything()),
        }
    }

    /// JSON without a schema.
    fn anything(&mut self) -> Value {
        match self.source.below(6) {
            0 => json!({}),
            1 => json!({"b": null, "a": [1, "x", {}]}),
            2 => json!([]),
            3 => json!(["x", null, {"y": [0]}]),
            4 => json!(""),
            _ => json!(true),
        }
    }

    fn integer(&mut self, nodes: &[&Node], is_small: bool) -> Option<i64> {
        let is_small =
            is_small || nodes.iter().any(|node| node.constraints.number_format == Some(NumberFormat::Int32));
        let (mut min, mut max) =
            if is_small { (i32::MIN.into(), i32::MAX.into()) } else { (i64::MIN, i64::MAX) };
        for constraints in nodes.iter().map(|node| &node.constraints) {
            if let Some(bound) = constraints.minimum {
                min = min.max(
                    (bound.value.ceil() as i64)
                        .saturating_add(i64::from(bound.exclusive && bound.value.fract() == 0.0)),
                );
            }
            if let Some(bound) = constraints.maximum {
                max = max.min(
                    (bound.value.floor() as i64)
                        .saturating_sub(i64::from(bound.exclusive && bound.value.fract() == 0.0)),
                );
            }
        }
        if min > max {
            return None;
        }
        let number = match self.source.below(8) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => max,
            4 => min,
            5 => min.saturating_add(self.source.below(256) as i64),
            _ => self.source.below(256) as i64,
        };
        let number = number.clamp(min, max);
        let factor = nodes.iter().find_map(|node| node.constraints.multiple_of);
        let Some(factor) = factor.map(|factor| factor as i64).filter(|factor| *factor > 0) else {
            return Some(number);
        };
        let multiple = number - number.rem_euclid(factor);
        Some(if multiple < min { multiple.checked_add(factor)? } else { multiple })
    }

    fn number(&mut self, nodes: &[&Node]) -> f64 {
        let (mut min, mut max) = (-1e9_f64, 1e9_f64);
        for constraints in nodes.iter().map(|node| &node.constraints) {
            let step = |exclusive: bool| if exclusive { 0.25 } else { 0.0 };
            if let Some(bound) = constraints.minimum {
                min = min.max(bound.value + step(bound.exclusive));
            }
            if let Some(bound) = constraints.maximum {
                max = max.min(bound.value - step(bound.exclusive));
            }
        }
        let number = match self.source.below(6) {
            0 => 0.0,
            1 => 1.0,
            2 => -0.5,
            3 => max,
            4 => min,
            _ => self.source.below(256) as f64 / 4.0,
        };
        let number = number.max(min).min(max);
        match nodes.iter().find_map(|node| node.constraints.multiple_of).filter(|factor| *factor > 0.0) {
            Some(factor) => (number / factor).round() * factor,
            None => number,
        }
    }

    fn text(&mut self, nodes: &[&Node], attempt: usize) -> Option<String> {
        let words: Vec<&str> =
            self.words.iter().filter(|(field, _)| *field == self.field).map(|(_, word)| *word).collect();
        if !words.is_empty() && self.source.below(4) != 0 && attempt < ATTEMPTS / 2 {
            return Some((*self.source.one_of(&words)).to_owned());
        }
        let all = || nodes.iter().map(|node| &node.constraints);
        if let Some((format, _)) = all().find_map(|constraints| constraints.format.as_ref()) {
            return Some(text::formatted(*format, &mut self.source));
        }
        let patterns: Vec<_> = all().filter_map(|constraints| constraints.pattern.as_ref()).collect();
        if !patterns.is_empty() {
            let pattern = *self.source.one_of(&patterns);
            // Longer texts, if short ones are wrong.
            let reach = [3, 12, 80][attempt * 3 / ATTEMPTS];
            return text::matching(pattern.translated(), reach, &mut self.source);
        }
        let min = all().filter_map(|constraints| constraints.min_length).max();
        let max = all().filter_map(|constraints| constraints.max_length).min();
        Some(text::word(min, max, &mut self.source))
    }

    fn list(&mut self, nodes: &[&Node]) -> Option<Value> {
        let all = || nodes.iter().map(|node| &node.constraints);
        let (min, max) = limits(
            all().filter_map(|constraints| constraints.min_items).max(),
            all().filter_map(|constraints| constraints.max_items).min(),
        );
        let items: Vec<&Node> = nodes.iter().filter_map(|node| node.items.as_deref()).collect();
        let more = if self.source.below(100) == 99 { MANY } else { FEW };
        let size = (min + self.source.below(more + 1)).min(max);
        let Some((node, list)) = items.first().zip(nodes.first()).map(|(node, list)| (*node, &list.list))
        else {
            return Some(json!([]));
        };
        let before = self.source.more();
        let (mut values, mut seen) = (Vec::new(), std::collections::HashSet::new());
        // Items that are already there are left out.
        for turn in 0..size + 8 {
            if values.len() == size || turn >= size && values.len() >= min {
                break;
            }
            let Some(value) = self.value(&items) else { break };
            let mut complete = value.clone();
            defaults::set(&mut complete, node);
            let is_new = match list {
                ListType::None | ListType::Atomic => true,
                ListType::Set => seen.insert(lists::key(&complete)),
                ListType::Map(keys) => seen.insert(lists::key(&lists::keys_of(&complete, keys))),
            };
            if is_new {
                values.push(value);
            } else {
                self.source.differ();
            }
        }
        self.source.end(before);
        (values.len() >= min).then_some(Value::Array(values))
    }

    /// An object. The later the attempt, the fewer optional members it has.
    fn object(&mut self, nodes: &[&Node], attempt: usize, except: &[&str]) -> Option<Map<String, Value>> {
        let node = *nodes.first()?;
        let is_required =
            |name: &str| nodes.iter().any(|node| node.required.iter().any(|other| other == name));
        let mut members = Map::new();
        if node.embedded {
            members.insert("apiVersion".to_owned(), "v1".into());
            members.insert("kind".to_owned(), "ConfigMap".into());
            members.insert("metadata".to_owned(), json!({"name": "a"}));
        }
        // One in so many optional members is there.
        let one_in = match attempt * 4 / ATTEMPTS {
            0 => 2,
            1 => 4,
            2 => 16,
            _ => usize::MAX,
        };
        for (name, property) in &node.properties {
            if except.contains(&name.as_str()) || members.contains_key(name) {
                continue;
            }
            let is_required = is_required(name);
            if !is_required && (one_in == usize::MAX || self.source.below(one_in) != 1) {
                continue;
            }
            let parts: Vec<&Node> = std::iter::once(&**property)
                .chain(nodes[1..].iter().filter_map(|node| node.property(name)))
                .collect();
            match self.member(name, &parts) {
                Some(value) => drop(members.insert(name.clone(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        let all = || nodes.iter().map(|node| &node.constraints);
        let (min, max) = limits(
            all().filter_map(|constraints| constraints.min_properties).max(),
            all().filter_map(|constraints| constraints.max_properties).min(),
        );
        self.additional(nodes, (min, max), &mut members)?;
        let mut optional = node.properties.iter().filter(|(name, _)| !except.contains(&name.as_str()));
        while members.len() < min {
            let (name, property) = optional.find(|(name, _)| !members.contains_key(*name))?;
            if let Some(value) = self.member(name, &[property]) {
                members.insert(name.clone(), value);
            }
        }
        while members.len() > max {
            let name = members.keys().find(|name| !is_required(name))?.clone();
            members.shift_remove(&name);
        }
        Some(members)
    }

    fn member(&mut self, name: &str, nodes: &[&Node]) -> Option<Value> {
        let outer = std::mem::replace(&mut self.field, name.to_owned());
        let value = self.value(nodes);
        self.field = outer;
        value
    }

    /// Adds members that are no properties, where they are allowed.
    fn additional(
        &mut self,
        nodes: &[&Node],
        (min, max): (usize, usize),
        members: &mut Map<String, Value>,
    ) -> Option<()> {
        let node = *nodes.first()?;
        let required =
            nodes.iter().flat_map(|node| &node.required).filter(|name| !node.properties.contains_key(*name));
        let mut names: Vec<String> = required.cloned().collect();
        let is_any =
            matches!(node.additional, Some(Additional::Any)) || node.preserves && node.additional.is_none();
        if !is_any && !matches!(node.additional, Some(Additional::Values(_))) {
            return names.iter().all(|name| members.contains_key(name)).then_some(());
        }
        let missing = min.saturating_sub(members.len() + names.len());
        let size = (missing + self.source.below(FEW)).min(max.saturating_sub(members.len() + names.len()));
        for at in 0..size.max(missing) {
            let name = *self.source.one_of(&["a", "b-1", "c.d/e", "é", "F_g", "h"]);
            names.push(if names.iter().any(|other| other == name) {
                format!("{name}{at}")
            } else {
                name.to_owned()
            });
        }
        for name in names {
            let value = match &node.additional {
                Some(Additional::Values(node)) => self.value(&[node])?,
                _ => self.anything(),
            };
            members.entry(name).or_insert(value);
        }
        Some(())
    }
}

/// Sizes, of which a schema may specify none.
fn limits(min: Option<i64>, max: Option<i64>) -> (usize, usize) {
    let size = |limit: i64| usize::try_from(limit).unwrap_or(0);
    (min.map_or(0, size), max.map_or(usize::MAX, size))
}

/// Whether a schema allows a value, after defaults are set.
fn is_valid(node: &Node, value: &Value) -> bool {
    let mut value = value.clone();
    defaults::set(&mut value, node);
    let mut found = Findings::new(Limits { errors: 0, bytes: 0 });
    value::validate(node, &value, None, "", &mut found);
    if node.has_type() {
        lists::validate(node, &value, &mut found);
    }
    found.is_empty()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Schema;

    fn bytes(seed: u64) -> Vec<u8> {
        let mut state = seed.wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..next()).map(|_| next()).collect()
    }

    /// The spec of many objects; all are valid.
    fn specs(spec: Value) -> BTreeSet<String> {
        let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
        let schema = Schema::compile(&schema).unwrap();
        let all = (0..400).map(|seed| schema.generate(&bytes(seed), &[("word", "found")]).unwrap());
        all.map(|object| {
            assert_eq!(schema.validate(&object), Ok(()), "{object}");
            object["spec"].to_string()
        })
        .collect()
    }

    #[test]
    fn everything_that_json_distinguishes_is_generated() {
        let text = json!({"type": "string"});
        let found = specs(json!({"type": "object", "properties": {
            "list": {"type": "array", "items": text},
            "map": {"type": "object", "additionalProperties": text},
            "text": {"type": "string", "nullable": true},
            "word": text,
        }}));
        let found = found.into_iter().collect::<Vec<_>>().join("\n");
        for part in
            ["{}", "\"list\":[]", "\"map\":{}", "\"text\":null", "\"text\":\"\"", "\"word\":\"found\""]
        {
            assert!(found.contains(part), "{part} is not in\n{found}");
        }
    }

    #[test]
    fn all_keywords_are_met() {
        specs(json!({"type": "object", "required": ["port", "ports", "labels"], "properties": {
            "port": {"type": "integer", "minimum": 1, "maximum": 65535, "exclusiveMaximum": true, "multipleOf": 5},
            "ratio": {"type": "number", "minimum": 0.5, "maximum": 2},
            "name": {"type": "string", "minLength": 3, "maxLength": 5},
            "host": {"type": "string", "maxLength": 8, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z]+)+$"},
            "long": {"type": "string", "minLength": 20, "pattern": "^[a-z]+$"},
            "ip": {"type": "string", "format": "ipv4"},
            "size": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}],
                "pattern": "^[0-9]+(Ki|Mi)?$"},
            "kinds": {"type": "array", "x-kubernetes-list-type": "set", "minItems": 2, "maxItems": 3,
                "items": {"type": "string", "enum": ["a", "b", "c"]}},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
                "minItems": 1, "items": {"type": "object", "required": ["port"], "properties": {
                    "port": {"type": "integer", "format": "int32"},
                    "protocol": {"type": "string", "default": "TCP", "enum": ["TCP", "UDP"]}}}},
            "labels": {"type": "object", "minProperties": 1, "maxProperties": 2,
                "additionalProperties": {"type": "integer"}},
            "raw": {"x-kubernetes-preserve-unknown-fields": true},
            "object": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
        }}));
    }

    /// Alternatives that exclude each other, and what is forbidden.
    #[test]
    fn alternatives_are_met() {
        let text = json!({"type": "string"});
        let found =
            specs(json!({"type": "object", "properties": {"a": text, "b": text, "c": {"type": "integer"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"c": {"minimum": 5}}}],
                "not": {"required": ["a", "c"]},
                "allOf": [{"properties": {"b": {"maxLength": 3}}}],
            }));
        assert!(
            found.iter().any(|spec| spec.contains("\"a\""))
                && found.iter().any(|spec| spec.contains("\"c\""))
        );
    }

    #[test]
    fn what_is_impossible_ends() {
        let node = json!({"type": "integer", "minimum": 5, "maximum": 4});
        let mut schema = node.clone();
        for _ in 0..12 {
            schema =
                json!({"type": "object", "required": ["a", "b"], "properties": {"a": schema, "b": node}});
        }
        assert_eq!(Schema::compile(&schema).unwrap().generate(&bytes(1), &[]), None);
    }

    #[test]
    fn no_bytes_give_a_small_object() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "string"}}}, "c": {"type": "string"}
        }});
        assert_eq!(Schema::compile(&schema).unwrap().generate(&[], &[]), Some(json!({"a": {}})));
        // The first word is not enough.
        let words = json!({"type": "string", "enum": ["a", "b", "c"]});
        let set = json!({"type": "array", "items": words, "x-kubernetes-list-type": "set", "minItems": 3});
        let text =
            json!({"type": "string", "pattern": "^[a-z]*$", "minLength": 5, "not": {"enum": ["aaaaa"]}});
        let schema = json!({"type": "object", "required": ["a", "b"], "properties": {"a": set, "b": text}});
        let schema = Schema::compile(&schema).unwrap();
        let object = schema.generate(&[], &[]).unwrap();
        assert_eq!(schema.validate(&object), Ok(()), "{object}");
    }
}
