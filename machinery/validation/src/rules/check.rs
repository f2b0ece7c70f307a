//! Checks the rules of a definition: that they compile, that old values can be found, and that they do not cost too
//! much.

use std::sync::Arc;

use super::{Stored, compile_rule, shape};
use crate::cel::{Program, Shape, ShapeKind};
use crate::error::FieldError;
use crate::mistake::Mistake;
use crate::node::{Additional, ListType, Node};
use crate::rule::{RULES, Rule};
use crate::text;
use crate::value_type::Type;

/// The most that one rule may cost, for all values that it can be about.
const PER_RULE: u64 = 10_000_000;

/// The most that all rules of a schema may cost.
const PER_SCHEMA: u64 = 100_000_000;

const CHEAPER: &str = "simplify the rule, or write `maxItems`, `maxProperties` and `maxLength`";

/// Adds the mistakes in rules of a schema at `path`, in upstream's order: those below a schema come first. Expressions
/// are not compiled where other mistakes are, or above.
pub(crate) fn check(root: &Node, path: &str, stored: &Stored<'_>, mistakes: &mut Vec<Mistake>) {
    if !root.has_rules {
        return;
    }
    let blocked = mistakes.iter().map(|mistake| mistake.error.field.clone()).collect();
    let mut checker = Checker { stored, mistakes, blocked, total: 0, most_expensive: Vec::new() };
    let place = Place { count: Some(1), uncorrelatable: None };
    checker.node(root, &shape::of(root, true), path, &place);
    let Checker { total, most_expensive, mistakes, .. } = checker;
    if total > PER_SCHEMA {
        for (_, path) in most_expensive {
            let why =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            mistakes.push(Mistake::new(FieldError::forbidden(path, why), CHEAPER));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let error = FieldError::forbidden(path, &too_expensive(what, total, PER_SCHEMA));
        mistakes.push(Mistake::new(error, CHEAPER));
    }
}

/// Where a schema is.
#[derive(Clone)]
struct Place {
    /// How many such values an object can have, if its schema limits that.
    count: Option<u64>,
    /// The list whose items have no old values.
    uncorrelatable: Option<String>,
}

impl Place {
    /// The place of what is in values of a schema.
    fn below(&self, node: &Node) -> Self {
        let constraints = &node.constraints;
        let factor = match (node.ty, &node.additional) {
            (Some(Type::Object), Some(_)) => constraints.max_properties,
            (Some(Type::Array), _) => constraints.max_items,
            _ => Some(1),
        };
        let factor = factor.map(|factor| factor.max(0).unsigned_abs());
        let count = self.count.zip(factor).map(|(count, factor)| count.saturating_mul(factor));
        Self { count, uncorrelatable: self.uncorrelatable.clone() }
    }
}

struct Checker<'s, 'n, 'm> {
    stored: &'s Stored<'n>,
    mistakes: &'m mut Vec<Mistake>,
    /// Where other mistakes are.
    blocked: Vec<String>,
    total: u64,
    /// The four rules that cost most, if they cost a hundredth of what is allowed.
    most_expensive: Vec<(u64, String)>,
}

impl Checker<'_, '_, '_> {
    fn node(&mut self, node: &Node, shape: &Arc<Shape>, path: &str, place: &Place) {
        if !node.has_rules {
            return;
        }
        let below = place.below(node);
        let of = |name: Option<&String>, node: &Node| {
            match (&shape.kind, name) {
                (ShapeKind::Object(fields), Some(name)) => fields.get(name).cloned(),
                (ShapeKind::Map(of) | ShapeKind::List(of, _), None) => Some(of.clone()),
                _ => None,
            }
            .unwrap_or_else(|| shape::of(node, node.embedded))
        };
        if let Some(Additional::Values(values)) = &node.additional {
            self.node(values, &of(None, values), &format!("{path}.additionalProperties"), &below);
        }
        for (name, property) in &node.properties {
            self.node(property, &of(Some(name), property), &format!("{path}.properties[{name}]"), &below);
        }
        if let Some(items) = &node.items {
            let mut below = below;
            if !matches!(node.list, ListType::Map(_)) {
                below.uncorrelatable.get_or_insert_with(|| path.to_owned());
            }
            self.node(items, &of(None, items), &format!("{path}.items"), &below);
        }
        if node.rules.is_empty() || self.blocked.iter().any(|blocked| blocked.starts_with(path)) {
            return;
        }
        let path = format!("{path}.{RULES}");
        if !shape.is_visible() {
            let why = "internal error: failed to construct type information for x-kubernetes-validations rules: unable \
                       to convert structural schema to CEL declarations";
            let help = "rules need a schema with a `type`";
            return self.mistakes.push(Mistake::new(FieldError::internal(path, why), help));
        }
        for (at, rule) in node.rules.iter().enumerate() {
            self.rule(rule, shape, &format!("{path}[{at}]"), place);
        }
    }

    fn rule(&mut self, rule: &Rule, shape: &Shape, path: &str, place: &Place) {
        let compiled = compile_rule(rule, shape, self.stored);
        let (path_of_rule, path_of_message) = (format!("{path}.rule"), format!("{path}.messageExpression"));
        let Some(program) = &compiled.program else { return };
        // Without a limit in the schema, as many values as fit into a request.
        let count = place
            .count
            .unwrap_or_else(|| (crate::cel::MAX_REQUEST_BYTES / (shape.min_bytes + 1)).max(0).unsigned_abs());
        let cost = program.as_ref().map_or(0, |program| program.max_cost).saturating_mul(count);
        self.cost(&path_of_rule, "estimated rule cost", cost);
        if let Err(wrong) = program {
            let error = FieldError::invalid_shown(&path_of_rule, &shown(rule), wrong);
            self.mistakes.push(Mistake::new(error, "correct the expression"));
        }
        match &compiled.message {
            Some(Err(wrong)) => {
                let error = FieldError::invalid_shown(&path_of_message, &shown(rule), wrong);
                self.mistakes.push(Mistake::new(error, "correct the expression"));
            }
            Some(Ok(Program { max_cost, .. })) => {
                self.cost(&path_of_message, "estimated messageExpression cost", *max_cost);
            }
            None => {}
        }
        let uses_old = program.as_ref().is_ok_and(|program| program.uses_old);
        match (uses_old, &place.uncorrelatable, rule.optional_old_self) {
            (true, Some(list), _) => {
                let why = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
                );
                let error = FieldError::invalid_text(path_of_rule, &rule.rule, &why);
                let help = "write `x-kubernetes-list-type: map`, or a rule for the whole list";
                self.mistakes.push(Mistake::new(error, help));
            }
            (false, _, Some(value)) => {
                let why = "may not be set if oldSelf is not used in rule";
                let error = FieldError::invalid(format!("{path}.optionalOldSelf"), &value.into(), why);
                self.mistakes.push(Mistake::new(error, "remove it"));
            }
            _ => {}
        }
    }

    fn cost(&mut self, path: &str, what: &str, cost: u64) {
        if cost > PER_RULE && !self.stored.is_unchanged {
            let error = FieldError::forbidden(path, &too_expensive(what, cost, PER_RULE));
            self.mistakes.push(Mistake::new(error, CHEAPER));
        }
        self.total = self.total.saturating_add(cost);
        if cost >= PER_SCHEMA / 100 {
            self.most_expensive.push((cost, path.to_owned()));
            self.most_expensive.sort_by(|(left, _), (right, _)| right.cmp(left));
            self.most_expensive.truncate(4);
        }
    }
}

/// A rule, as upstream shows it in errors.
fn shown(rule: &Rule) -> String {
    let text = |value: &str| text::json(&value.into());
    let reason = rule.reason.as_deref().map_or_else(|| "null".to_owned(), text);
    let optional = rule.optional_old_self.map_or_else(|| "null".to_owned(), |value| value.to_string());
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{reason},\"FieldPath\":{},\
         \"OptionalOldSelf\":{optional}}}",
        text(&rule.rule),
        text(&rule.message),
        text(&rule.message_expression),
        text(&rule.field_path),
    )
}

fn too_expensive(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}
