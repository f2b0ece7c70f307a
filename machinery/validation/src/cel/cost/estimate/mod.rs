//! The largest cost of an expression, from the sizes that its schema allows.

mod functions;
mod sizes;

use std::collections::HashMap;

use super::{LIST, MAP, Range};
use crate::cel::ast::{Call, Comprehension, Expr, Id, Kind, Literal, Name};
use crate::cel::checker::Checked;
use crate::cel::shape::Shape;
use crate::cel::types::Type;

/// The smallest and the largest cost of an expression about a value of a shape.
pub(crate) fn estimate(checked: &Checked, shape: &Shape) -> Range {
    let mut coster = Coster {
        checked,
        shape,
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    coster.cost(&checked.expr)
}

/// Fields from a variable down to a value.
type Path = Vec<Name>;

/// The sizes of the keys and values of a map, or of the items of a list.
#[derive(Clone, Copy)]
struct Entries {
    is_list: bool,
    key: Range,
    value: Range,
}

impl Entries {
    fn union(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        let (first, second) = (first?, second?);
        Some(Self {
            is_list: first.is_list,
            key: first.key.union(second.key),
            value: first.value.union(second.value),
        })
    }
}

/// A variable of a loop.
struct Local {
    name: Name,
    path: Path,
    size: Option<Range>,
    entries: Option<Entries>,
}

/// The cost of a call, and the size of its result.
struct Estimate {
    cost: Range,
    size: Option<Range>,
}

impl Estimate {
    fn of(cost: Range) -> Option<Self> {
        Some(Self { cost, size: None })
    }

    fn sized(cost: Range, size: Range) -> Option<Self> {
        Some(Self { cost, size: Some(size) })
    }
}

struct Coster<'c> {
    checked: &'c Checked,
    shape: &'c Shape,
    paths: HashMap<Id, Path>,
    sizes: HashMap<Id, Range>,
    entries: HashMap<Id, Entries>,
    locals: Vec<Local>,
}

impl Coster<'_> {
    fn cost(&mut self, expr: &Expr) -> Range {
        match &expr.kind {
            Kind::Bad | Kind::Literal(_) => Range::ZERO,
            Kind::Ident(name) => {
                let path = match self.local(name) {
                    Some(local) => local.path.clone(),
                    None => vec![name.clone()],
                };
                self.paths.insert(expr.id, path);
                // Names of types are constants, and cost as much as others.
                Range::ONE
            }
            Kind::Select(select) => {
                let cost = self.cost(&select.operand);
                if select.test {
                    return cost;
                }
                let mut path = self.path(&select.operand);
                path.push(select.field.clone());
                self.paths.insert(expr.id, path);
                match self.checked.ty(select.operand.id) {
                    Type::Map(..) | Type::Struct(_) | Type::Param(_) => cost.plus(Range::ONE),
                    _ => cost,
                }
            }
            Kind::Call(call) => self.call(expr, call),
            Kind::List(items) => {
                let (mut cost, mut size) = (Range::of(LIST), Range::NONE);
                if items.is_empty() {
                    size = Range::ZERO;
                }
                for item in items {
                    cost = cost.plus(self.cost(&item.value));
                    size = size.union(self.size_or_unknown(&item.value));
                }
                self.entries.insert(expr.id, Entries { is_list: true, key: Range::ONE, value: size });
                cost
            }
            Kind::Map(entries) => {
                let (mut cost, mut key, mut value) = (Range::of(MAP), Range::NONE, Range::NONE);
                if entries.is_empty() {
                    (key, value) = (Range::ZERO, Range::ZERO);
                }
                for entry in entries {
                    cost = cost.plus(self.cost(&entry.key)).plus(self.cost(&entry.value));
                    key = key.union(self.size_or_unknown(&entry.key));
                    value = value.union(self.size_or_unknown(&entry.value));
                }
                self.entries.insert(expr.id, Entries { is_list: false, key, value });
                cost
            }
            Kind::Struct(_) => Range::ZERO,
            Kind::Comprehension(fold) => self.comprehension(expr, fold),
        }
    }

    fn comprehension(&mut self, expr: &Expr, fold: &Comprehension) -> Range {
        let Comprehension { range, var, var2, accu_var, accu_init, condition, step, result } = fold;
        let mut cost = self.cost(range).plus(self.cost(accu_init));
        let accu = Local {
            name: accu_var.clone(),
            path: self.path(accu_init),
            size: self.size(accu_init),
            entries: self.entries_of(accu_init),
        };
        let never_runs = matches!(condition.as_literal(), Some(Literal::Bool(false)))
            && matches!(&range.kind, Kind::List(items) if items.is_empty());
        if never_runs {
            self.locals.push(accu);
            cost = cost.plus(self.cost(result));
            self.locals.pop();
            self.copy_sizes(expr.id, result);
            return cost;
        }
        self.locals.push(accu);
        let before = self.locals.len();
        let entries = self.entries_of(range);
        let is_list =
            entries.map_or_else(|| matches!(self.checked.ty(range.id), Type::List(_)), |found| found.is_list);
        let push = |coster: &mut Self, name: &Name, part: &str, size: Option<Range>| {
            let mut path = coster.path(range);
            path.push(part.into());
            coster.locals.push(Local { name: name.clone(), path, size, entries: None });
        };
        let (key, value) = (entries.map(|entries| entries.key), entries.map(|entries| entries.value));
        match (var2, is_list) {
            (Some(var2), _) => {
                push(self, var, if is_list { "@indices" } else { "@keys" }, key);
                push(self, var2, if is_list { "@items" } else { "@values" }, value);
            }
            (None, true) => push(self, var, "@items", value),
            (None, false) => push(self, var, "@keys", key),
        }
        let each = self.cost(condition);
        let each = self.cost(step).plus(each);
        self.locals.truncate(before);
        cost = cost.plus(self.cost(result));
        self.locals.pop();
        let count = self.size_or_unknown(range);
        match &accu_init.kind {
            Kind::Literal(_) => {
                if let Some(size) = self.size(accu_init) {
                    self.sizes.insert(expr.id, size);
                }
            }
            Kind::List(_) | Kind::Map(_) => {
                self.sizes.insert(expr.id, count);
                if let Some(entries) = self.entries_of(step) {
                    self.entries.insert(expr.id, entries);
                }
            }
            _ => {}
        }
        cost.plus(count.times(each))
    }

    fn call(&mut self, expr: &Expr, call: &Call) -> Range {
        if &*call.function == "dyn"
            && let [arg] = &call.args[..]
        {
            let cost = self.cost(arg).plus(Range::ONE);
            self.copy_sizes(expr.id, arg);
            return cost;
        }
        let costs: Vec<Range> = call
            .args
            .iter()
            .map(|arg| {
                let cost = self.cost(arg);
                // The size of an argument is known from here on.
                self.size(arg);
                cost
            })
            .collect();
        let of_target = call.target.as_ref().map_or(Range::ZERO, |target| self.cost(target));
        let (mut cost, mut size): (Range, Option<Range>) = (Range::NONE, None);
        let overloads = self.checked.overloads(expr.id).to_vec();
        if overloads.is_empty() {
            return Range::ZERO;
        }
        for overload in overloads {
            let found = self.function(expr, call, &overload.id, &costs);
            cost = cost.union(found.cost);
            size = match (size, found.size) {
                (Some(size), Some(found)) => Some(size.union(found)),
                (size, found) => size.or(found),
            };
            let part = match overload.id.as_str() {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(from)) = (part, call.args.first()) {
                size = self.entries_of(from).map(|entries| entries.value);
                let mut path = self.path(from);
                path.push(part.into());
                self.paths.insert(expr.id, path);
            }
            if size.is_none() {
                size = self.size(expr);
            }
        }
        if let Some(size) = size {
            self.sizes.insert(expr.id, size);
        }
        of_target.plus(cost)
    }

    fn function(&mut self, expr: &Expr, call: &Call, overload: &str, costs: &[Range]) -> Estimate {
        let of_args = costs.iter().fold(Range::ZERO, |sum, cost| sum.plus(*cost));
        let special = match call.target.as_ref() {
            Some(_) | None => self.list_function(call, overload).or_else(|| self.library(call, overload)),
        };
        if let Some(Estimate { cost, size }) = special {
            return Estimate { cost: cost.plus(of_args), size };
        }
        self.standard(expr, call, overload, costs, of_args)
    }
}
