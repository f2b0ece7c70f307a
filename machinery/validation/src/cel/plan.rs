//! Prepares a checked expression for running: constants are computed, patterns compiled, and fields and indices joined
//! with what they are taken from.
//!
//! Costs depend on this preparation, so it prepares what cel-go prepares, and no more.

use std::sync::Arc;

use crate::cel::ast::{Call, Comprehension, Expr, Kind, Literal, Name, Select, operator};
use crate::cel::checker::{Checked, Reference};
use crate::cel::functions;
use crate::cel::value::{Made, Map, Value};
use crate::cel::work::Work;
use crate::pattern::Pattern;

/// A step of an expression.
#[derive(Debug)]
pub(crate) enum Step {
    Constant(Value<'static>),
    Attribute(Attribute),
    And(Box<[Step; 2]>),
    Or(Box<[Step; 2]>),
    Equal(Box<[Step; 2]>),
    NotEqual(Box<[Step; 2]>),
    /// `a.or(b)`, `a.orValue(b)`.
    OrElse {
        parts: Box<[Step; 2]>,
        unwraps: bool,
    },
    /// `value in [constants]`.
    Member {
        value: Box<Step>,
        of: Box<Made<'static>>,
    },
    Call(Box<Function>),
    List(Vec<(Step, bool)>),
    Map(Vec<(Step, Step, bool)>),
    Fold(Box<Fold>),
}

/// A call of a function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Name,
    /// The signature, if there is only one that fits.
    pub(crate) overload: Option<&'static str>,
    pub(crate) args: Vec<Step>,
    /// The pattern, if it is a constant.
    pub(crate) pattern: Option<Pattern>,
}

#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) range: Step,
    pub(crate) var: Name,
    pub(crate) var2: Option<Name>,
    pub(crate) accu_var: Name,
    pub(crate) accu_init: Step,
    pub(crate) condition: Step,
    pub(crate) step: Step,
    pub(crate) result: Step,
}

/// A value with fields and indices taken from it.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) root: Root,
    pub(crate) qualifiers: Vec<Qualifier>,
    /// Whether it asks for the presence of the last field.
    pub(crate) test: bool,
}

#[derive(Debug)]
pub(crate) enum Root {
    Variable(Name),
    Operand(Box<Step>),
    /// `condition ? then : else`.
    Conditional(Box<(Step, Attribute, Attribute)>),
}

/// A field or an index.
#[derive(Debug)]
pub(crate) struct Qualifier {
    pub(crate) by: By,
    /// Whether it may be missing.
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) enum By {
    Constant(Value<'static>),
    Attribute(Box<Attribute>),
    Step(Box<Step>),
}

/// Prepares an expression; the error is about a constant that cannot be what it should.
pub(crate) fn plan(checked: &Checked, optimize: bool) -> Result<Step, String> {
    Planner { checked, optimize }.step(&checked.expr)
}

struct Planner<'c> {
    checked: &'c Checked,
    /// Whether constants are computed now. Kubernetes' rules are, and some of upstream's tests are not.
    optimize: bool,
}

impl Planner<'_> {
    fn step(&self, expr: &Expr) -> Result<Step, String> {
        Ok(match &expr.kind {
            Kind::Bad | Kind::Struct(_) => Step::Constant(Value::Null),
            Kind::Literal(literal) => Step::Constant(constant(literal)),
            Kind::Ident(name) => match self.checked.references.get(&expr.id) {
                Some(Reference::Type(ty)) => Step::Constant(Value::Type(ty.clone())),
                _ => Step::Attribute(Attribute {
                    root: Root::Variable(name.clone()),
                    qualifiers: vec![],
                    test: false,
                }),
            },
            Kind::Select(select) => self.select(select)?,
            Kind::Call(call) => self.call(expr, call)?,
            Kind::List(items) => {
                let mut steps = Vec::new();
                for item in items {
                    steps.push((self.step(&item.value)?, item.optional));
                }
                let constants: Option<Vec<_>> = steps
                    .iter()
                    .map(|(step, optional)| match step {
                        Step::Constant(value) if !optional => Some(value.clone()),
                        _ => None,
                    })
                    .collect();
                match constants.filter(|_| self.optimize) {
                    Some(items) => Step::Constant(Value::list(items)),
                    None => Step::List(steps),
                }
            }
            Kind::Map(entries) => {
                let mut steps = Vec::new();
                for entry in entries {
                    steps.push((self.step(&entry.key)?, self.step(&entry.value)?, entry.optional));
                }
                if !self.optimize {
                    return Ok(Step::Map(steps));
                }
                let mut made = Made::default();
                for (key, value, optional) in &steps {
                    let (Step::Constant(key), Step::Constant(value), false) = (key, value, optional) else {
                        return Ok(Step::Map(steps));
                    };
                    made.set(key.clone(), value.clone());
                }
                Step::Constant(Value::Map(Map::Made(Arc::new(made))))
            }
            Kind::Comprehension(fold) => self.fold(fold)?,
        })
    }

    /// The attribute of a step, to which fields can be added.
    fn attribute(step: Step) -> Attribute {
        match step {
            Step::Attribute(attribute) if !attribute.test => attribute,
            step => Attribute { root: Root::Operand(Box::new(step)), qualifiers: vec![], test: false },
        }
    }

    fn select(&self, select: &Select) -> Result<Step, String> {
        let mut attribute = Self::attribute(self.step(&select.operand)?);
        let name = Value::text(select.field.clone());
        attribute.qualifiers.push(Qualifier { by: By::Constant(name), optional: false });
        attribute.test = select.test;
        Ok(Step::Attribute(attribute))
    }

    fn pair(&self, call: &Call) -> Result<Box<[Step; 2]>, String> {
        let mut args = call.target.iter().chain(&call.args).map(|arg| self.step(arg));
        let missing = || Err("a call lacks an argument".to_owned());
        Ok(Box::new([args.next().unwrap_or_else(missing)?, args.next().unwrap_or_else(missing)?]))
    }

    fn call(&self, expr: &Expr, call: &Call) -> Result<Step, String> {
        let overloads = self.checked.overloads(expr.id);
        let overload = match overloads {
            [one] => Some(one.id.as_str()),
            _ => None,
        };
        Ok(match &*call.function {
            operator::AND => Step::And(self.pair(call)?),
            operator::OR => Step::Or(self.pair(call)?),
            operator::EQUALS => Step::Equal(self.pair(call)?),
            operator::NOT_EQUALS => Step::NotEqual(self.pair(call)?),
            operator::CONDITIONAL => {
                let [condition, then, other] = &call.args[..] else { return Ok(Step::Constant(Value::Null)) };
                let parts = (
                    self.step(condition)?,
                    Self::attribute(self.step(then)?),
                    Self::attribute(self.step(other)?),
                );
                Step::Attribute(Attribute {
                    root: Root::Conditional(Box::new(parts)),
                    qualifiers: vec![],
                    test: false,
                })
            }
            operator::INDEX | operator::OPT_INDEX | operator::OPT_SELECT => {
                let [target, index] = *self.pair(call)?;
                let mut attribute = Self::attribute(target);
                let by = match index {
                    Step::Constant(value) => By::Constant(value),
                    Step::Attribute(attribute) => By::Attribute(Box::new(attribute)),
                    step => By::Step(Box::new(step)),
                };
                attribute.qualifiers.push(Qualifier { by, optional: &*call.function != operator::INDEX });
                Step::Attribute(attribute)
            }
            "or" if overload.is_none_or(|overload| overload == "optional_or_optional") => {
                Step::OrElse { parts: self.pair(call)?, unwraps: false }
            }
            "orValue" => Step::OrElse { parts: self.pair(call)?, unwraps: true },
            function => self.function(function, overload, call)?,
        })
    }

    fn function(&self, function: &str, overload: Option<&'static str>, call: &Call) -> Result<Step, String> {
        let args: Vec<Step> =
            call.target.iter().chain(&call.args).map(|arg| self.step(arg)).collect::<Result<_, _>>()?;
        if overload == Some("in_list")
            && let [_, Step::Constant(Value::List(list))] = &args[..]
        {
            let mut of = Made::default();
            let mut is_simple = true;
            for item in list.items() {
                let item = item?;
                is_simple &= matches!(
                    item,
                    Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Text(_)
                );
                of.set(item, Value::Bool(true));
            }
            if list.len() == 0 {
                return Ok(Step::Constant(Value::Bool(false)));
            }
            if is_simple {
                let value = Box::new(args.into_iter().next().unwrap_or(Step::Constant(Value::Null)));
                return Ok(Step::Member { value, of: Box::new(of) });
            }
        }
        // Conversions of constants are constants.
        if let [Step::Constant(value)] = &args[..]
            && self.optimize
            && is_conversion(function)
        {
            let value = functions::call(
                function,
                overload,
                std::slice::from_ref(value),
                None,
                &mut Work::unbounded(),
            )?;
            return Ok(Step::Constant(value));
        }
        let mut pattern = None;
        if matches!(function, "matches" | "find" | "findAll")
            && let Some(Step::Constant(Value::Text(text))) = args.get(1)
        {
            pattern = Some(Pattern::new(text)?);
        }
        Ok(Step::Call(Box::new(Function { name: function.into(), overload, args, pattern })))
    }

    fn fold(&self, fold: &Comprehension) -> Result<Step, String> {
        Ok(Step::Fold(Box::new(Fold {
            range: self.step(&fold.range)?,
            var: fold.var.clone(),
            var2: fold.var2.clone(),
            accu_var: fold.accu_var.clone(),
            accu_init: self.step(&fold.accu_init)?,
            condition: self.step(&fold.condition)?,
            step: self.step(&fold.step)?,
            result: self.step(&fold.result)?,
        })))
    }
}

fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}

fn constant(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(number) => Value::Int(*number),
        Literal::Uint(number) => Value::Uint(*number),
        Literal::Double(number) => Value::Double(*number),
        Literal::Text(text) => Value::text(text.clone()),
        Literal::Bytes(bytes) => Value::Bytes(bytes.clone()),
    }
}
