//! Rules in CEL: `x-kubernetes-validations`. Upstream has this in `apiextensions-apiserver/pkg/apiserver/schema/cel`.

mod check;
mod evaluate;
#[cfg(test)]
mod laws;
mod shape;
#[cfg(test)]
mod tables;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use self::check::check;
pub(crate) use self::evaluate::Evaluation;
use crate::cel::{Environment, Error, Program, Shape, ShapeKind};
use crate::node::{Additional, Node};
use crate::rule::Rule;

/// The most that one run of an expression may cost.
pub(crate) const PER_CALL: u64 = 1_000_000;

/// The most that all rules may cost for one object.
pub(crate) const PER_OBJECT: i64 = 10_000_000;

/// Expressions that a definition had before. A newer server may have accepted what new expressions may not contain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored<'a> {
    /// The schemas of the definition before.
    pub(crate) schemas: Vec<&'a Node>,
    /// Whether all expressions are stored ones.
    pub(crate) all: bool,
    /// Whether the schema is the same as before, so that costs of single expressions do not matter.
    pub(crate) is_unchanged: bool,
}

impl Stored<'_> {
    fn contains(&self, has: &dyn Fn(&Rule) -> bool) -> bool {
        fn contains(node: &Node, has: &dyn Fn(&Rule) -> bool) -> bool {
            node.has_rules
                && (node.rules.iter().any(has)
                    || node.properties.values().any(|node| contains(node, has))
                    || node.items.as_deref().is_some_and(|node| contains(node, has))
                    || matches!(&node.additional, Some(Additional::Values(node)) if contains(node, has)))
        }
        self.all || self.schemas.iter().any(|node| contains(node, has))
    }
}

/// The rules of a schema and below, compiled; only where there are any.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    shape: Arc<Shape>,
    /// The type of the schema, as errors show it.
    ty: &'static str,
    rules: Vec<Compiled>,
    /// Whether a rule names the old value.
    uses_old: bool,
    properties: BTreeMap<String, Tree>,
    additional: Option<Box<Tree>>,
    items: Option<Box<Tree>>,
}

/// A rule, compiled.
#[derive(Clone, Debug)]
struct Compiled {
    rule: Rule,
    /// `None` if the rule is empty.
    program: Option<Result<Program, String>>,
    message: Option<Result<Program, String>>,
}

impl Tree {
    /// Compiles the rules of the schema of an object.
    pub(crate) fn of_object(root: &Node, stored: &Stored<'_>) -> Option<Self> {
        Self::of(root, true, stored)
    }

    /// Compiles the rules of a schema, which may be that of an object.
    pub(crate) fn of(root: &Node, is_object: bool, stored: &Stored<'_>) -> Option<Self> {
        root.has_rules.then(|| Self::new(root, &shape::of(root, is_object), stored)).flatten()
    }

    fn new(node: &Node, shape: &Arc<Shape>, stored: &Stored<'_>) -> Option<Self> {
        // What expressions do not see has no rules that run.
        if !node.has_rules || !shape.is_visible() {
            return None;
        }
        let rules = compile(&node.rules, shape, stored);
        let mut properties = BTreeMap::new();
        let (mut additional, mut items) = (None, None);
        match &shape.kind {
            ShapeKind::Object(fields) => {
                for (name, node) in node.properties.iter().filter(|(_, node)| node.has_rules) {
                    let tree = fields.get(name).and_then(|shape| Self::new(node, shape, stored));
                    properties.extend(tree.map(|tree| (name.clone(), tree)));
                }
            }
            ShapeKind::Map(values) => {
                if let Some(Additional::Values(node)) = &node.additional {
                    additional = Self::new(node, values, stored).map(Box::new);
                }
            }
            ShapeKind::List(item, _) => {
                items = node.items.as_deref().and_then(|node| Self::new(node, item, stored)).map(Box::new);
            }
            _ => {}
        }
        let uses_old =
            rules.iter().any(|rule| matches!(&rule.program, Some(Ok(program)) if program.uses_old));
        Some(Self {
            shape: shape.clone(),
            ty: type_name(node),
            rules,
            uses_old,
            properties,
            additional,
            items,
        })
    }
}

fn type_name(node: &Node) -> &'static str {
    node.ty.map_or("", crate::value_type::Type::name)
}

fn compile(rules: &[Rule], shape: &Shape, stored: &Stored<'_>) -> Vec<Compiled> {
    rules.iter().map(|rule| compile_rule(rule, shape, stored)).collect()
}

/// Compiles one rule, with upstream's errors.
fn compile_rule(rule: &Rule, shape: &Shape, stored: &Stored<'_>) -> Compiled {
    let mut compiled = Compiled { rule: rule.clone(), program: None, message: None };
    if rule.rule.trim().is_empty() {
        return compiled;
    }
    let is_new = !stored.contains(&|other| other.rule == rule.rule);
    let environment = Environment::of_rules(shape, rule.has_optional_old(), is_new);
    let program = Program::compile(&rule.rule, &environment, shape).map_err(|error| match error {
        Error::Compilation(issues) => format!("compilation failed: {issues}"),
        Error::Instantiation(wrong) => format!("program instantiation failed: {wrong}"),
    });
    let program = program.and_then(|program| match program.is_bool() {
        true => Ok(program),
        false => Err("cel expression must evaluate to a bool".to_owned()),
    });
    if program.is_ok() && !rule.message_expression.is_empty() {
        let is_new = !stored.contains(&|other| other.message_expression == rule.message_expression);
        let environment = Environment::of_rules(shape, rule.has_optional_old(), is_new);
        let message =
            Program::compile(&rule.message_expression, &environment, shape).map_err(|error| match error {
                Error::Compilation(issues) => format!("messageExpression compilation failed: {issues}"),
                Error::Instantiation(wrong) => format!("messageExpression instantiation failed: {wrong}"),
            });
        compiled.message = Some(message.and_then(|program| match program.is_text() {
            true => Ok(program),
            false => Err("messageExpression must evaluate to a string".to_owned()),
        }));
    }
    compiled.program = Some(program);
    compiled
}
