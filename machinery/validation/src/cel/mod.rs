//! Expressions in CEL, as Kubernetes understands them: parsed, checked against a schema, and run, all within limits.
//!
//! Text → [`parser`] (with [`lexer`] and [`macros`]) → [`checker`] → [`plan`] → [`run`]; [`cost`] counts, before and
//! while it runs. The behaviour is that of cel-go and of Kubernetes' libraries for it, with their errors.
//!
//! The crates `cel` and `kube-cel` run expressions, too, but check no types and count no costs. The README of this crate
//! tells why they are not used.

mod address;
mod ast;
mod checker;
mod cost;
mod environment;
mod equal;
mod format;
mod functions;
#[cfg(test)]
mod hostile;
mod issues;
mod lexer;
mod library;
mod macros;
mod parser;
mod plan;
mod quantity;
mod run;
mod semver;
mod shape;
#[cfg(test)]
mod tables;
mod time;
mod types;
mod unescape;
mod url;
mod value;
mod work;

use std::sync::Arc;

use self::ast::{Expr, Kind};
pub(crate) use self::environment::Environment;
use self::issues::Source;
use self::plan::Step;
pub(crate) use self::run::Outcome;
use self::run::run;
pub(crate) use self::shape::{ListKind, MAX_REQUEST_BYTES, Shape, ShapeKind};
use self::types::Type;
pub(crate) use self::value::{NO_OVERLOAD, Value};

/// An expression that can run.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    step: Arc<Step>,
    ty: Type,
    /// Whether it names the value that is replaced.
    pub(crate) uses_old: bool,
    /// The most that it can cost.
    pub(crate) max_cost: u64,
}

impl Program {
    /// Compiles an expression about a value of a shape. The error has upstream's words.
    pub(crate) fn compile(text: &str, environment: &Environment, shape: &Shape) -> Result<Self, Error> {
        let parsed = parser::parse(text).map_err(|issues| Error::Compilation(issues.to_string()))?;
        let checked = checker::check(parsed, Source::new(text), environment)
            .map_err(|issues| Error::Compilation(issues.to_string()))?;
        let step = plan::plan(&checked, true).map_err(Error::Instantiation)?;
        Ok(Self {
            step: Arc::new(step),
            ty: checked.ty(checked.expr.id).clone(),
            uses_old: uses(&checked.expr, "oldSelf"),
            max_cost: cost::estimate(&checked, shape).max,
        })
    }

    pub(crate) fn is_bool(&self) -> bool {
        self.ty == Type::Bool
    }

    pub(crate) fn is_text(&self) -> bool {
        self.ty == Type::String
    }

    /// Runs the expression, which may cost no more than `limit`.
    pub(crate) fn run<'a>(&self, variables: run::Variables<'_, 'a>, limit: u64) -> Outcome<'a> {
        run(&self.step, variables, limit)
    }
}

/// Why an expression cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// It has errors.
    Compilation(String),
    /// A constant in it cannot be what it should be.
    Instantiation(String),
}

/// Whether an expression names something.
fn uses(expr: &Expr, name: &str) -> bool {
    if matches!(&expr.kind, Kind::Ident(found) if **found == *name) {
        return true;
    }
    let mut found = false;
    expr.below(|below| found |= uses(below, name));
    found
}
