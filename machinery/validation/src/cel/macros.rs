//! Macros, which expand to other expressions while parsing: `has`, loops over lists and maps, and those of optional
//! values.

use crate::cel::ast::{
    ACCUMULATOR, Call, Comprehension, Entry, Expr, Item, Kind, Literal, Name, Select, operator,
};
use crate::cel::parser::Parser;

/// How many expressions macros may make. Each `optMap` in a chain doubles what is before it.
const MAX_EXPRESSIONS: usize = 1_000_000;

/// The target and the arguments of a call that is no macro.
type NoMacro = (Option<Expr>, Vec<Expr>);

/// What a loop expands to.
type Expansion = fn(&mut Expander<'_>, Loop) -> Expr;

/// Expands a call, if it is one of a macro. A wrong argument is an error.
pub(crate) fn expand(
    parser: &mut Parser,
    at: usize,
    function: &str,
    target: Option<Expr>,
    args: Vec<Expr>,
) -> Result<Expr, NoMacro> {
    let (loops, count): (Expansion, &[usize]) = match (function, target.is_some()) {
        ("has", false) if args.len() == 1 => return Ok(has(parser, at, args)),
        ("optMap" | "optFlatMap", true) if args.len() == 2 => {
            return Ok(Expander { parser, at }.optional(function, target, args));
        }
        ("sortBy", true) if args.len() == 2 => return Ok(Expander { parser, at }.sort_by(target, args)),
        ("all", true) => (all, &[2, 3]),
        ("exists", true) => (exists, &[2, 3]),
        ("exists_one" | "existsOne", true) => (exists_one, &[2, 3]),
        ("filter", true) => (filter, &[2]),
        ("map", true) => (map, &[2, 3]),
        ("transformList", true) => (map, &[3, 4]),
        ("transformMap", true) => (transform_map, &[3, 4]),
        ("transformMapEntry", true) => (transform_entry, &[3, 4]),
        _ => return Err((target, args)),
    };
    if !count.contains(&args.len()) {
        return Err((target, args));
    }
    let two = function.starts_with("transform") || (function != "map" && args.len() == 3);
    let is_simple = matches!(function, "map" | "filter");
    let Some(target) = target else { return Err((target, args)) };
    let mut expander = Expander { parser, at };
    Ok(match expander.loop_of(target, args, two, is_simple) {
        Ok(found) => loops(&mut expander, found),
        Err(bad) => bad,
    })
}

fn has(parser: &mut Parser, at: usize, args: Vec<Expr>) -> Expr {
    for arg in args {
        match arg.kind {
            Kind::Select(select) if !select.test => {
                let Select { operand, field, .. } = *select;
                return parser.expr(at, Kind::Select(Box::new(Select { operand, field, test: true })));
            }
            _ => {
                let place = parser.places.get(arg.id);
                parser.issues.report(place, "invalid argument to has() macro");
            }
        }
    }
    parser.expr(at, Kind::Bad)
}

/// What a loop goes over, its variables, and the arguments after them.
struct Loop {
    range: Expr,
    var: Name,
    var2: Option<Name>,
    rest: Vec<Expr>,
}

struct Expander<'p> {
    parser: &'p mut Parser,
    /// Where the macro is.
    at: usize,
}

impl Expander<'_> {
    fn expr(&mut self, kind: Kind) -> Expr {
        self.parser.expr(self.at, kind)
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.expr(Kind::Ident(name.into()))
    }

    fn accu(&mut self) -> Expr {
        self.ident(ACCUMULATOR)
    }

    fn bool(&mut self, value: bool) -> Expr {
        self.expr(Kind::Literal(Literal::Bool(value)))
    }

    fn int(&mut self, value: i64) -> Expr {
        self.expr(Kind::Literal(Literal::Int(value)))
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.parser.call(self.at, function, args)
    }

    fn method(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.expr(Kind::Call(Box::new(Call { function: function.into(), target: Some(target), args })))
    }

    fn bad(&mut self, arg: &Expr, message: &str) -> Expr {
        let place = self.parser.places.get(arg.id);
        self.parser.issues.report(place, message);
        self.expr(Kind::Bad)
    }

    fn variable(&mut self, arg: &Expr, is_simple: bool) -> Result<Name, Expr> {
        let Some(name) = arg.as_ident().cloned() else {
            let message =
                if is_simple { "argument is not an identifier" } else { "argument must be a simple name" };
            return Err(self.bad(arg, message));
        };
        if &*name == ACCUMULATOR || &*name == "__result__" {
            return Err(self.bad(arg, "iteration variable overwrites accumulator variable"));
        }
        Ok(name)
    }

    fn loop_of(&mut self, range: Expr, args: Vec<Expr>, two: bool, is_simple: bool) -> Result<Loop, Expr> {
        let mut args = args.into_iter();
        let (Some(first), second) = (args.next(), if two { args.next() } else { None }) else {
            return Err(self.expr(Kind::Bad));
        };
        let var = self.variable(&first, is_simple)?;
        let mut var2 = None;
        if let Some(second) = second {
            let name = self.variable(&second, is_simple)?;
            if name == var {
                return Err(self.bad(&second, &format!("duplicate variable name: {name}")));
            }
            var2 = Some(name);
        }
        Ok(Loop { range, var, var2, rest: args.collect() })
    }

    fn fold(&mut self, range: Expr, vars: (Name, Option<Name>), parts: [Expr; 4]) -> Expr {
        let [accu_init, condition, step, result] = parts;
        let (var, var2) = vars;
        let accu_var = ACCUMULATOR.into();
        self.expr(Kind::Comprehension(Box::new(Comprehension {
            range,
            var,
            var2,
            accu_var,
            accu_init,
            condition,
            step,
            result,
        })))
    }

    /// A loop that never runs, with a variable that is computed when the result asks for it.
    fn bind(&mut self, name: &str, value: Expr, result: Expr) -> Expr {
        let range = self.expr(Kind::List(Vec::new()));
        let condition = self.bool(false);
        let step = self.ident(name);
        self.expr(Kind::Comprehension(Box::new(Comprehension {
            range,
            var: "#unused".into(),
            var2: None,
            accu_var: name.into(),
            accu_init: value,
            condition,
            step,
            result,
        })))
    }

    fn optional(&mut self, function: &str, target: Option<Expr>, args: Vec<Expr>) -> Expr {
        let mut args = args.into_iter();
        let (Some(target), Some(variable), Some(mapped)) = (target, args.next(), args.next()) else {
            return self.expr(Kind::Bad);
        };
        let Some(name) = variable.as_ident().cloned() else {
            return self.bad(&variable, &format!("{function}() variable name must be a simple identifier"));
        };
        let again = self.copy(&target);
        let has_value = self.method("hasValue", target, Vec::new());
        let value = self.method("value", again, Vec::new());
        let mut bound = self.bind(&name, value, mapped);
        if function == "optMap" {
            bound = self.call("optional.of", vec![bound]);
        }
        let none = self.call("optional.none", Vec::new());
        self.call(operator::CONDITIONAL, vec![has_value, bound, none])
    }

    fn sort_by(&mut self, target: Option<Expr>, args: Vec<Expr>) -> Expr {
        const INPUT: &str = "@__sortBy_input__";
        let Some(target) = target else { return self.expr(Kind::Bad) };
        if matches!(target.kind, Kind::Literal(_) | Kind::Map(_) | Kind::Struct(_)) {
            let message =
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return self.bad(&target, message);
        }
        let range = self.ident(INPUT);
        let keys = match self.loop_of(range, args, false, true) {
            Ok(found) => map(self, found),
            Err(bad) => return bad,
        };
        let input = self.ident(INPUT);
        let sorted = self.method(operator::SORT_BY, input, vec![keys]);
        self.bind(INPUT, target, sorted)
    }

    /// A copy with numbers of its own.
    fn copy(&mut self, expr: &Expr) -> Expr {
        if self.parser.places.len() >= MAX_EXPRESSIONS {
            if self.parser.issues.is_empty() {
                self.parser
                    .issues
                    .report(None, format!("macros expand to more than {MAX_EXPRESSIONS} expressions"));
            }
            return Expr { id: expr.id, kind: Kind::Bad };
        }
        let place = self.parser.places.get(expr.id).unwrap_or(self.at);
        let kind = match &expr.kind {
            Kind::Bad => Kind::Bad,
            Kind::Literal(literal) => Kind::Literal(literal.clone()),
            Kind::Ident(name) => Kind::Ident(name.clone()),
            Kind::Select(select) => Kind::Select(Box::new(Select {
                operand: self.copy(&select.operand),
                field: select.field.clone(),
                test: select.test,
            })),
            Kind::Call(call) => Kind::Call(Box::new(Call {
                function: call.function.clone(),
                target: call.target.as_ref().map(|target| self.copy(target)),
                args: call.args.iter().map(|arg| self.copy(arg)).collect(),
            })),
            Kind::List(items) => Kind::List(
                items
                    .iter()
                    .map(|item| Item { value: self.copy(&item.value), optional: item.optional })
                    .collect(),
            ),
            Kind::Map(entries) => Kind::Map(
                entries
                    .iter()
                    .map(|entry| Entry {
                        key: self.copy(&entry.key),
                        value: self.copy(&entry.value),
                        optional: entry.optional,
                    })
                    .collect(),
            ),
            Kind::Struct(_) => Kind::Bad,
            Kind::Comprehension(fold) => Kind::Comprehension(Box::new(Comprehension {
                range: self.copy(&fold.range),
                var: fold.var.clone(),
                var2: fold.var2.clone(),
                accu_var: fold.accu_var.clone(),
                accu_init: self.copy(&fold.accu_init),
                condition: self.copy(&fold.condition),
                step: self.copy(&fold.step),
                result: self.copy(&fold.result),
            })),
        };
        self.parser.expr(place, kind)
    }

    /// `predicate ? step : accumulator`.
    fn when(&mut self, predicate: Option<Expr>, step: Expr) -> Expr {
        let Some(predicate) = predicate else { return step };
        let accu = self.accu();
        self.call(operator::CONDITIONAL, vec![predicate, step, accu])
    }

    /// The last argument, and the one before it, if there are two.
    fn transform(&mut self, rest: Vec<Expr>) -> (Option<Expr>, Expr) {
        let mut rest = rest.into_iter();
        match (rest.next(), rest.next()) {
            (predicate, Some(transform)) => (predicate, transform),
            (Some(transform), None) => (None, transform),
            (None, None) => (None, self.expr(Kind::Bad)),
        }
    }
}

fn all(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (_, predicate) = expander.transform(found.rest);
    let init = expander.bool(true);
    let accu = expander.accu();
    let condition = expander.call(operator::NOT_STRICTLY_FALSE, vec![accu]);
    let accu = expander.accu();
    let step = expander.call(operator::AND, vec![accu, predicate]);
    let result = expander.accu();
    expander.fold(found.range, (found.var, found.var2), [init, condition, step, result])
}

fn exists(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (_, predicate) = expander.transform(found.rest);
    let init = expander.bool(false);
    let accu = expander.accu();
    let not = expander.call(operator::NOT, vec![accu]);
    let condition = expander.call(operator::NOT_STRICTLY_FALSE, vec![not]);
    let accu = expander.accu();
    let step = expander.call(operator::OR, vec![accu, predicate]);
    let result = expander.accu();
    expander.fold(found.range, (found.var, found.var2), [init, condition, step, result])
}

fn exists_one(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (_, predicate) = expander.transform(found.rest);
    let init = expander.int(0);
    let condition = expander.bool(true);
    let (accu, one) = (expander.accu(), expander.int(1));
    let more = expander.call(operator::ADD, vec![accu, one]);
    let step = expander.when(Some(predicate), more);
    let (accu, one) = (expander.accu(), expander.int(1));
    let result = expander.call(operator::EQUALS, vec![accu, one]);
    expander.fold(found.range, (found.var, found.var2), [init, condition, step, result])
}

/// `[…] + [item]` for each item.
fn collect(
    expander: &mut Expander<'_>,
    range: Expr,
    vars: (Name, Option<Name>),
    predicate: Option<Expr>,
    item: Expr,
) -> Expr {
    let init = expander.expr(Kind::List(Vec::new()));
    let condition = expander.bool(true);
    let accu = expander.accu();
    let added = expander.expr(Kind::List(vec![Item { value: item, optional: false }]));
    let step = expander.call(operator::ADD, vec![accu, added]);
    let step = expander.when(predicate, step);
    let result = expander.accu();
    expander.fold(range, vars, [init, condition, step, result])
}

fn filter(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (_, predicate) = expander.transform(found.rest);
    let item = expander.ident(&found.var.clone());
    collect(expander, found.range, (found.var, found.var2), Some(predicate), item)
}

fn map(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (predicate, transform) = expander.transform(found.rest);
    collect(expander, found.range, (found.var, found.var2), predicate, transform)
}

fn transform_map(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (predicate, transform) = expander.transform(found.rest);
    let key = expander.ident(&found.var.clone());
    insert(expander, found.range, (found.var, found.var2), predicate, vec![key, transform])
}

fn transform_entry(expander: &mut Expander<'_>, found: Loop) -> Expr {
    let (predicate, transform) = expander.transform(found.rest);
    insert(expander, found.range, (found.var, found.var2), predicate, vec![transform])
}

fn insert(
    expander: &mut Expander<'_>,
    range: Expr,
    vars: (Name, Option<Name>),
    predicate: Option<Expr>,
    inserted: Vec<Expr>,
) -> Expr {
    let init = expander.expr(Kind::Map(Vec::new()));
    let condition = expander.bool(true);
    let mut args = vec![expander.accu()];
    args.extend(inserted);
    let step = expander.call(operator::MAP_INSERT, args);
    let step = expander.when(predicate, step);
    let result = expander.accu();
    expander.fold(range, vars, [init, condition, step, result])
}
