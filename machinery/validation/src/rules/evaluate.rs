//! Evaluates the rules of an object, within upstream's budget.

use serde_json::Value as Json;

use super::{Compiled, Tree};
use crate::cel::{ListKind, Outcome, Program, ShapeKind, Value};
use crate::error::{FieldError, NO_FIELD};
use crate::findings::Findings;
use crate::lists;
use crate::node::Node;
use crate::old::is_unchanged;
use crate::rule::Rule;
use crate::text;

/// The longest message that an expression can make, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

const NO_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// An evaluation of the rules of an object.
pub(crate) struct Evaluation<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) node: &'t Node,
    /// Where the object is.
    pub(crate) path: &'t str,
    /// Whether values that did not change may break rules.
    pub(crate) is_update: bool,
    /// What all rules together may cost.
    pub(crate) budget: i64,
    /// What one expression may cost.
    pub(crate) limit: u64,
}

/// What the rules found, besides errors.
pub(crate) struct Evaluated {
    /// Errors of values that did not change, which are no errors of an update.
    pub(crate) warnings: Vec<String>,
    /// What is left of the budget; less than 0 if it was not enough.
    #[cfg(test)]
    pub(crate) budget: i64,
}

impl Evaluation<'_> {
    /// Evaluates all rules for an object, or for one that replaces another.
    pub(crate) fn run(&self, object: &Json, old: Option<&Json>, found: &mut Findings) -> Evaluated {
        let Self { tree, node, path, is_update, budget, limit } = *self;
        let mut evaluator = Evaluator { found, warnings: Vec::new(), budget, limit, path: path.to_owned() };
        let own = old.filter(|_| is_update).map(|old| (node, object, old));
        evaluator.value(tree, node, object, old, &Kept { own, nearest: None, is_root: true });
        Evaluated {
            warnings: evaluator.warnings,
            #[cfg(test)]
            budget: evaluator.budget,
        }
    }
}

/// What decides whether an error is one of a value that did not change: the value and its old one, if it has one, and
/// those of the nearest value around it.
#[derive(Clone, Copy)]
struct Kept<'a> {
    own: Option<(&'a Node, &'a Json, &'a Json)>,
    nearest: Option<(&'a Node, &'a Json, &'a Json)>,
    is_root: bool,
}

impl<'a> Kept<'a> {
    fn is_unchanged(&self) -> bool {
        self.own.or(self.nearest).is_some_and(|(node, new, old)| is_unchanged(node, new, old))
    }

    fn below(&self, node: &'a Node, new: &'a Json, old: Option<&'a Json>) -> Self {
        match self.own {
            None => Self { is_root: false, ..*self },
            own => Self { own: old.map(|old| (node, new, old)), nearest: own, is_root: false },
        }
    }

    fn none() -> Self {
        Self { own: None, nearest: None, is_root: false }
    }
}

struct Evaluator<'f> {
    found: &'f mut Findings,
    warnings: Vec<String>,
    budget: i64,
    limit: u64,
    path: String,
}

impl Evaluator<'_> {
    fn field(&self) -> &str {
        if self.path.is_empty() { NO_FIELD } else { &self.path }
    }

    /// The path of a field below the current one.
    fn child(&self, name: &str) -> String {
        let dot = if self.path.is_empty() { "" } else { "." };
        format!("{}{dot}{name}", self.path)
    }

    fn value<'a>(
        &mut self,
        tree: &Tree,
        node: &'a Node,
        new: &'a Json,
        old: Option<&'a Json>,
        kept: &Kept<'a>,
    ) {
        if new.is_null() {
            return;
        }
        self.rules(tree, new, old.filter(|old| !old.is_null()), kept);
        let length = self.path.len();
        match new {
            Json::Array(items) => {
                let (Some(below), Some(item_node)) = (&tree.items, &node.items) else { return };
                let before = before(tree, old);
                for (at, item) in items.iter().enumerate() {
                    if self.budget < 0 {
                        return;
                    }
                    self.path.push_str(&format!("[{at}]"));
                    let old = before.get(item);
                    self.value(below, item_node, item, old, &kept.below(item_node, item, old));
                    self.path.truncate(length);
                }
            }
            Json::Object(members) => {
                let of_old = |name: &String| old.and_then(|old| old.get(name));
                if let (Some(below), Some(crate::node::Additional::Values(value_node))) =
                    (&tree.additional, &node.additional)
                {
                    for (name, value) in members {
                        if self.budget < 0 {
                            return;
                        }
                        self.path.push_str(&format!("[{name}]"));
                        let old = of_old(name);
                        self.value(below, value_node, value, old, &kept.below(value_node, value, old));
                        self.path.truncate(length);
                    }
                }
                for (name, below) in &tree.properties {
                    let (Some(value), Some(property)) = (members.get(name), node.properties.get(name)) else {
                        continue;
                    };
                    if self.budget < 0 {
                        return;
                    }
                    self.path = self.child(name);
                    let old = of_old(name);
                    let kept = match kept.is_root && matches!(name.as_str(), "apiVersion" | "kind") {
                        true => Kept::none(),
                        false => kept.below(property, value, old),
                    };
                    self.value(below, property, value, old, &kept);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, tree: &Tree, new: &Json, old: Option<&Json>, kept: &Kept<'_>) {
        if tree.rules.is_empty() {
            return;
        }
        if self.budget <= 0 {
            self.invalid(tree, NO_BUDGET);
            self.budget = -1;
            return;
        }
        let of = |json| Value::of(json, &tree.shape);
        let current = of(new);
        let old_value = old.filter(|_| tree.uses_old).map(of);
        let mut plain = vec![("self", current.clone())];
        plain.extend(old_value.clone().map(|old| ("oldSelf", old)));
        let optional = match old_value {
            None => Ok(Value::Optional(None)),
            Some(old) => old.map(Value::some),
        };
        let mut with_optional = vec![("self", current)];
        if tree.uses_old {
            with_optional.push(("oldSelf", optional));
        }
        for compiled in &tree.rules {
            let rule = &compiled.rule;
            let program = match &compiled.program {
                None => continue,
                Some(Err(wrong)) => {
                    self.invalid(tree, &format!("rule compile error: {wrong}"));
                    continue;
                }
                Some(Ok(program)) => program,
            };
            let has_optional = rule.has_optional_old();
            if program.uses_old && old.is_none() && !has_optional {
                continue;
            }
            let variables = if has_optional { &with_optional } else { &plain };
            if !self.rule(tree, compiled, program, new, (variables, &plain), kept) {
                self.budget = -1;
                return;
            }
        }
    }

    /// Evaluates a rule; whether others may follow.
    fn rule<'a>(
        &mut self,
        tree: &Tree,
        compiled: &Compiled,
        program: &Program,
        new: &Json,
        (variables, plain): (&[Variable<'a>], &[Variable<'a>]),
        kept: &Kept<'_>,
    ) -> bool {
        let rule = &compiled.rule;
        let Outcome { value, cost, is_exceeded } = program.run(variables, self.limit);
        if !self.pay(cost) {
            self.invalid(tree, NO_BUDGET);
            return false;
        }
        match value {
            Ok(Value::Bool(true)) => return true,
            Ok(_) => {}
            Err(wrong) if is_exceeded => {
                let why = "no further validation rules will be run due to call cost exceeds limit for rule";
                self.invalid(tree, &format!("'{wrong}': {why}: {}", shown(rule)));
                return false;
            }
            Err(wrong) if wrong.starts_with(crate::cel::NO_OVERLOAD) => {
                let why =
                    "call arguments did not match a supported operator, function or macro signature for rule";
                self.invalid(tree, &format!("'{wrong}': {why}: {}", shown(rule)));
                return true;
            }
            Err(wrong) => {
                self.invalid(tree, &format!("{wrong} evaluating rule: {}", shown(rule)));
                return true;
            }
        }
        let field = match &rule.field {
            Some(field) if !field.is_empty() => self.child(field),
            _ => self.field().to_owned(),
        };
        let is_kept = !program.uses_old && kept.is_unchanged();
        let mut message = None;
        if let Some(Ok(program)) = &compiled.message {
            match self.message(program, &rule.message_expression, plain) {
                Ok(made) => message = made,
                Err(why) => {
                    self.report(FieldError::invalid_text(field, tree.ty, &why), is_kept);
                    return false;
                }
            }
        }
        let message = message.unwrap_or_else(|| match rule.message.is_empty() {
            true => format!("failed rule: {}", shown(rule)),
            false => rule.message.trim().to_owned(),
        });
        let error = error(rule, field, matches!(tree.ty, "object" | "array"), new, &message);
        self.report(error, is_kept);
        true
    }

    /// The message of an expression, if it makes one. The error means that the budget was not enough.
    fn message(
        &mut self,
        program: &Program,
        expression: &str,
        variables: &[Variable<'_>],
    ) -> Result<Option<String>, String> {
        let Outcome { value, cost, is_exceeded } = program.run(variables, self.limit);
        if i64::try_from(cost).is_ok_and(|cost| cost <= self.budget) && is_exceeded {
            let why = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
            return Err(format!("{why}: {}", text::quoted(expression)));
        }
        if !self.pay(cost) {
            return Err("messageExpression evaluation failed due to running out of cost budget, no further validation \
                        rules will be run"
                .to_owned());
        }
        let Ok(Value::Text(made)) = value else { return Ok(None) };
        let made = made.trim();
        let is_usable = !made.is_empty() && made.len() <= MAX_MESSAGE && !made.contains('\n');
        Ok(is_usable.then(|| made.to_owned()))
    }

    fn pay(&mut self, cost: u64) -> bool {
        match i64::try_from(cost) {
            Ok(cost) if cost <= self.budget => {
                self.budget -= cost;
                true
            }
            _ => false,
        }
    }

    /// Adds an error that is about the evaluation.
    fn invalid(&mut self, tree: &Tree, why: &str) {
        let error = FieldError::invalid_text(self.field(), tree.ty, why);
        self.found.add(error);
    }

    fn report(&mut self, error: FieldError, is_kept: bool) {
        if is_kept { self.warnings.push(error.to_string()) } else { self.found.add(error) }
    }
}

type Variable<'a> = (&'static str, Result<Value<'a>, String>);

/// A rule as errors show it.
fn shown(rule: &Rule) -> &str {
    if rule.message.is_empty() { rule.rule.trim() } else { rule.message.trim() }
}

fn error(rule: &Rule, field: String, omits_value: bool, value: &Json, message: &str) -> FieldError {
    match (rule.reason.as_deref(), omits_value) {
        (Some("FieldValueForbidden"), _) => FieldError::forbidden(field, message),
        (Some("FieldValueRequired"), _) => FieldError::required(field, message),
        (Some("FieldValueDuplicate"), true) => FieldError::duplicate_unshown(field),
        (Some("FieldValueDuplicate"), false) => FieldError::duplicate(field, value),
        (_, true) => FieldError::invalid_unshown(field, message),
        (_, false) => FieldError::invalid(field, value, message),
    }
}

/// The old items of a list of type `map`, by their keys.
struct Before<'k, 'o>(Option<(&'k [String], std::collections::HashMap<String, &'o Json>)>);

impl<'o> Before<'_, 'o> {
    fn get(&self, item: &Json) -> Option<&'o Json> {
        let (keys, items) = self.0.as_ref()?;
        items.get(&lists::key_of_item(item, keys)?).copied()
    }
}

fn before<'k, 'o>(tree: &'k Tree, old: Option<&'o Json>) -> Before<'k, 'o> {
    let (Some(Json::Array(items)), ShapeKind::List(_, ListKind::Map(keys))) = (old, &tree.shape.kind) else {
        return Before(None);
    };
    let mut found = std::collections::HashMap::new();
    for item in items {
        if let Some(key) = lists::key_of_item(item, keys) {
            found.entry(key).or_insert(item);
        }
    }
    Before(Some((keys, found)))
}
