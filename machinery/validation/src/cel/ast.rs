//! Expressions after parsing: macros are expanded.

use std::sync::Arc;

/// A name that many nodes share.
pub(crate) type Name = Arc<str>;

/// The number of an expression, by which tables know its position, type and size.
pub(crate) type Id = u32;

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) id: Id,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// What could not be parsed. There is an error about it.
    Bad,
    Literal(Literal),
    Ident(Name),
    Select(Box<Select>),
    Call(Box<Call>),
    List(Vec<Item>),
    Map(Vec<Entry>),
    Struct(Box<Struct>),
    Comprehension(Box<Comprehension>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Name),
    Bytes(Arc<[u8]>),
}

#[derive(Clone, Debug)]
pub(crate) struct Select {
    pub(crate) operand: Expr,
    pub(crate) field: Name,
    /// Whether this asks for presence: `has(operand.field)`.
    pub(crate) test: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: Name,
    /// The receiver: `target.function(args)`.
    pub(crate) target: Option<Expr>,
    pub(crate) args: Vec<Expr>,
}

/// An item of a list; an optional one, `[?item]`, is left out if it has no value.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) value: Expr,
    pub(crate) optional: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Expr,
    pub(crate) value: Expr,
    pub(crate) optional: bool,
}

/// `Name{field: value}`. Rules have no type that can be made so, and the checker names the unknown one.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: Name,
    pub(crate) values: Vec<Expr>,
}

/// A loop, to which macros such as `all` expand.
#[derive(Clone, Debug)]
pub(crate) struct Comprehension {
    pub(crate) range: Expr,
    pub(crate) var: Name,
    pub(crate) var2: Option<Name>,
    pub(crate) accu_var: Name,
    pub(crate) accu_init: Expr,
    pub(crate) condition: Expr,
    pub(crate) step: Expr,
    pub(crate) result: Expr,
}

impl Expr {
    /// The name, if this is one.
    pub(crate) fn as_ident(&self) -> Option<&Name> {
        match &self.kind {
            Kind::Ident(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn as_literal(&self) -> Option<&Literal> {
        match &self.kind {
            Kind::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// Calls a function with each expression directly below this one, in the order of evaluation.
    pub(crate) fn below<'e>(&'e self, mut visit: impl FnMut(&'e Expr)) {
        match &self.kind {
            Kind::Bad | Kind::Literal(_) | Kind::Ident(_) => {}
            Kind::Select(select) => visit(&select.operand),
            Kind::Call(call) => {
                call.target.iter().for_each(&mut visit);
                call.args.iter().for_each(visit);
            }
            Kind::List(items) => items.iter().for_each(|item| visit(&item.value)),
            Kind::Map(entries) => {
                for entry in entries {
                    visit(&entry.key);
                    visit(&entry.value);
                }
            }
            Kind::Struct(made) => made.values.iter().for_each(visit),
            Kind::Comprehension(fold) => {
                [&fold.range, &fold.accu_init, &fold.condition, &fold.step, &fold.result]
                    .into_iter()
                    .for_each(visit);
            }
        }
    }
}

/// The names of operators, as functions.
pub(crate) mod operator {
    pub(crate) const AND: &str = "_&&_";
    pub(crate) const OR: &str = "_||_";
    pub(crate) const NOT: &str = "!_";
    pub(crate) const NEGATE: &str = "-_";
    pub(crate) const CONDITIONAL: &str = "_?_:_";
    pub(crate) const EQUALS: &str = "_==_";
    pub(crate) const NOT_EQUALS: &str = "_!=_";
    pub(crate) const ADD: &str = "_+_";
    pub(crate) const IN: &str = "@in";
    pub(crate) const INDEX: &str = "_[_]";
    pub(crate) const OPT_INDEX: &str = "_[?_]";
    pub(crate) const OPT_SELECT: &str = "_?._";
    pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
    pub(crate) const MAP_INSERT: &str = "cel.@mapInsert";
    pub(crate) const SORT_BY: &str = "@sortByAssociatedKeys";
}

/// The accumulator of macros, which users cannot name.
pub(crate) const ACCUMULATOR: &str = "@result";
