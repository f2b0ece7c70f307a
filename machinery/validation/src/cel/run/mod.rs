//! Runs expressions, and counts what that costs, as cel-go counts.

mod attributes;

use std::collections::HashMap;
use std::sync::Arc;

use crate::cel::ast::{ACCUMULATOR, operator};
use crate::cel::cost;
use crate::cel::equal::equal;
use crate::cel::functions;
use crate::cel::plan::{Attribute, Fold, Function, Root, Step};
use crate::cel::value::{List, Made, Map, NO_OVERLOAD, Value, Wrong};
use crate::cel::work::{LIMIT_EXCEEDED, Work};
use crate::pattern::Pattern;

/// The result of an expression, and what it cost.
pub(crate) struct Outcome<'a> {
    pub(crate) value: Result<Value<'a>, Wrong>,
    pub(crate) cost: u64,
    /// Whether it was stopped because it cost more than the limit.
    pub(crate) is_exceeded: bool,
}

/// The variables that an expression can name.
pub(crate) type Variables<'v, 'a> = &'v [(&'v str, Result<Value<'a>, Wrong>)];

pub(crate) fn run<'a>(step: &Step, variables: Variables<'_, 'a>, limit: u64) -> Outcome<'a> {
    let work = Work::for_cost(limit);
    let mut runner = Runner { variables, frames: Vec::new(), cost: 0, limit, work, patterns: HashMap::new() };
    let (value, is_exceeded) = match runner.step(step) {
        Ok(value) => (Ok(value), false),
        Err(Failure::Wrong(wrong)) => {
            let is_exceeded = wrong == LIMIT_EXCEEDED;
            (Err(wrong), is_exceeded)
        }
        Err(Failure::Exceeded) => (Err(LIMIT_EXCEEDED.to_owned()), true),
    };
    // Work beyond all limits costs more than the limit.
    let cost = if is_exceeded { runner.cost.max(limit.saturating_add(1)) } else { runner.cost };
    Outcome { value, cost, is_exceeded }
}

/// Why there is no value.
enum Failure {
    Wrong(Wrong),
    /// Nothing goes on: not even `true || …`.
    Exceeded,
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        if wrong == LIMIT_EXCEEDED { Self::Exceeded } else { Self::Wrong(wrong) }
    }
}

type Run<'a> = Result<Value<'a>, Failure>;

/// The variables of a loop.
struct Frame<'s, 'a> {
    fold: &'s Fold,
    first: Result<Value<'a>, Wrong>,
    second: Result<Value<'a>, Wrong>,
    /// What was accumulated, once something asked for it.
    accu: Option<Result<Value<'a>, Wrong>>,
    /// Whether the loop is over, so that only the accumulator has its name.
    is_over: bool,
}

struct Runner<'s, 'v, 'a> {
    variables: Variables<'v, 'a>,
    frames: Vec<Frame<'s, 'a>>,
    cost: u64,
    limit: u64,
    work: Work,
    /// Patterns that are no constants.
    patterns: HashMap<String, Pattern>,
}

impl<'s, 'a> Runner<'s, '_, 'a> {
    fn charge(&mut self, cost: u64) -> Result<(), Failure> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Failure::Exceeded) } else { Ok(()) }
    }

    fn step(&mut self, step: &'s Step) -> Run<'a> {
        self.work.add(1)?;
        match step {
            Step::Constant(value) => Ok(value.clone()),
            Step::Attribute(attribute) => self.attribute(attribute),
            Step::And(parts) => self.logic(parts, false),
            Step::Or(parts) => self.logic(parts, true),
            Step::Equal(parts) => self.equality(parts, operator::EQUALS),
            Step::NotEqual(parts) => self.equality(parts, operator::NOT_EQUALS),
            Step::OrElse { parts, unwraps } => match self.step(&parts[0])? {
                Value::Optional(Some(value)) if *unwraps => Ok((*value).clone()),
                Value::Optional(Some(value)) => Ok(Value::Optional(Some(value))),
                Value::Optional(None) => self.step(&parts[1]),
                _ => Err(Failure::Wrong(NO_OVERLOAD.to_owned())),
            },
            Step::Member { value, of } => {
                let value = self.step(value)?;
                Ok(Value::Bool(of.get(&value).is_some()))
            }
            Step::Call(function) => self.call(function),
            Step::List(items) => self.list(items),
            Step::Map(entries) => self.map(entries),
            Step::Fold(fold) => self.fold(fold),
        }
    }

    /// `&&` and `||`: one side that decides is enough, whatever is wrong with the other.
    fn logic(&mut self, parts: &'s [Step; 2], decisive: bool) -> Run<'a> {
        let mut wrong = None;
        for part in parts {
            match self.step(part) {
                Ok(Value::Bool(value)) if value == decisive => return Ok(Value::Bool(decisive)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => _ = wrong.get_or_insert_with(|| NO_OVERLOAD.to_owned()),
                Err(Failure::Wrong(found)) => _ = wrong.get_or_insert(found),
                Err(Failure::Exceeded) => return Err(Failure::Exceeded),
            }
        }
        wrong.map_or(Ok(Value::Bool(!decisive)), |wrong| Err(Failure::Wrong(wrong)))
    }

    /// Runs a step; what is wrong with it is a value, too.
    fn attempt(&mut self, step: &'s Step) -> Result<Result<Value<'a>, Wrong>, Failure> {
        match self.step(step) {
            Ok(value) => Ok(Ok(value)),
            Err(Failure::Wrong(wrong)) => Ok(Err(wrong)),
            Err(Failure::Exceeded) => Err(Failure::Exceeded),
        }
    }

    fn equality(&mut self, parts: &'s [Step; 2], function: &str) -> Run<'a> {
        let left = self.attempt(&parts[0])?;
        let right = self.attempt(&parts[1])?;
        let result = match (&left, &right) {
            (Ok(left), Ok(right)) => equal(left, right, &mut self.work).map(Value::Bool),
            (Err(wrong), _) | (_, Err(wrong)) => Err(wrong.clone()),
        };
        if result.as_ref().is_err_and(|wrong| wrong == LIMIT_EXCEEDED) {
            return Err(Failure::Exceeded);
        }
        let args = [left, right];
        let overload = if function == operator::EQUALS { "equals" } else { "not_equals" };
        self.charge(cost::actual(function, Some(overload), &args, &result))?;
        let [left, right] = args;
        left?;
        right?;
        match result {
            Ok(Value::Bool(equal)) => Ok(Value::Bool(equal == (function == operator::EQUALS))),
            // What cannot be compared is not equal.
            Err(_) if function == operator::NOT_EQUALS => Ok(Value::Bool(true)),
            result => Ok(result?),
        }
    }

    fn call(&mut self, function: &'s Function) -> Run<'a> {
        let name = &*function.name;
        // Adding to the accumulator of a loop changes it in place.
        if name == operator::ADD
            && let [Step::Attribute(Attribute { root: Root::Variable(accu), qualifiers, .. }), added] =
                &function.args[..]
            && &**accu == ACCUMULATOR
            && qualifiers.is_empty()
        {
            return self.append(function, added);
        }
        let mut args = Vec::with_capacity(function.args.len());
        for arg in &function.args {
            let arg = self.attempt(arg)?;
            // With more than two arguments, the first that is wrong ends the call.
            if arg.is_err() && function.args.len() > 2 {
                return Ok(arg?);
            }
            args.push(arg);
        }
        let result = self.apply(function, &args);
        if result.as_ref().is_err_and(|wrong| wrong == LIMIT_EXCEEDED) {
            return Err(Failure::Exceeded);
        }
        self.charge(cost::actual(name, function.overload, &args, &result))?;
        Ok(result?)
    }

    fn apply(&mut self, function: &Function, args: &[Result<Value<'a>, Wrong>]) -> Result<Value<'a>, Wrong> {
        if &*function.name == operator::NOT_STRICTLY_FALSE {
            return Ok(Value::Bool(!matches!(args, [Ok(Value::Bool(false))])));
        }
        let values: Vec<Value<'a>> = args.iter().cloned().collect::<Result<_, _>>()?;
        let mut pattern = function.pattern.as_ref();
        if pattern.is_none()
            && matches!(&*function.name, "matches" | "find" | "findAll")
            && let Some(Value::Text(text)) = values.get(1)
        {
            if !self.patterns.contains_key(&**text) {
                self.work.add(10_000 + 200 * text.len())?;
                let made = Pattern::new(text);
                let made = made.map_err(|wrong| match &*function.name {
                    "matches" => wrong,
                    _ => format!("Illegal regex: {wrong}"),
                })?;
                self.patterns.insert(text.to_string(), made);
            }
            pattern = self.patterns.get(&**text);
        }
        functions::call(&function.name, function.overload, &values, pattern, &mut self.work)
    }

    /// `accumulator + added`.
    fn append(&mut self, function: &'s Function, added: &'s Step) -> Run<'a> {
        let accu = match self.resolve(ACCUMULATOR) {
            Ok(value) => Ok(value),
            Err(Failure::Wrong(wrong)) => Err(wrong),
            Err(Failure::Exceeded) => return Err(Failure::Exceeded),
        };
        // Reading the accumulator costs, as for any variable.
        self.charge(1)?;
        let added = self.attempt(added)?;
        let (list, added) = match (accu, added) {
            (Ok(Value::List(list)), Ok(Value::List(added))) => (list, added),
            (accu, added) => {
                let args = [accu, added];
                let result = self.apply(function, &args);
                self.charge(cost::actual(operator::ADD, function.overload, &args, &result))?;
                return Ok(result?);
            }
        };
        self.charge(1)?;
        // The frame lets go of the list, so that it is not copied.
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| &*frame.fold.accu_var == ACCUMULATOR) {
            frame.accu = Some(Ok(Value::Null));
        }
        let mut list = match list {
            List::Made(list) => list,
            list => Arc::new(list.items().collect::<Result<Vec<_>, _>>()?),
        };
        self.work.add(added.len())?;
        let items = Arc::make_mut(&mut list);
        for item in added.items() {
            items.push(item?);
        }
        Ok(Value::List(List::Made(list)))
    }

    fn list(&mut self, items: &'s [(Step, bool)]) -> Run<'a> {
        let mut out = Vec::with_capacity(items.len());
        let mut wrong = None;
        for (step, optional) in items {
            match (self.attempt(step)?, optional) {
                (Ok(Value::Optional(value)), true) => out.extend(value.map(|value| (*value).clone())),
                (Ok(value), true) => {
                    wrong = Some(format!(
                        "cannot initialize optional list element from non-optional value {}",
                        value.shown()
                    ));
                }
                (Ok(value), false) => out.push(value),
                (Err(found), _) => wrong = Some(found),
            }
            if wrong.is_some() {
                break;
            }
        }
        self.charge(cost::LIST)?;
        wrong.map_or(Ok(Value::list(out)), |wrong| Err(wrong.into()))
    }

    fn map(&mut self, entries: &'s [(Step, Step, bool)]) -> Run<'a> {
        let mut made = Made::default();
        let mut wrong = None;
        for (key, value, optional) in entries {
            let key = self.attempt(key)?;
            let value = if key.is_ok() { self.attempt(value)? } else { Ok(Value::Null) };
            match (key, value, optional) {
                (Ok(key), Ok(Value::Optional(value)), true) => {
                    if let Some(value) = value {
                        made.set(key, (*value).clone());
                    }
                }
                (Ok(key), Ok(value), true) => {
                    wrong = Some(format!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        key.shown(),
                        value.shown()
                    ));
                }
                (Ok(key), Ok(value), false) => made.set(key, value),
                (Err(found), ..) | (_, Err(found), _) => wrong = Some(found),
            }
            if wrong.is_some() {
                break;
            }
        }
        self.charge(cost::MAP)?;
        wrong.map_or_else(|| Ok(Value::Map(Map::Made(Arc::new(made)))), |wrong| Err(wrong.into()))
    }

    fn fold(&mut self, fold: &'s Fold) -> Run<'a> {
        let range = self.step(&fold.range)?;
        let depth = self.frames.len();
        self.frames.push(Frame {
            fold,
            first: Ok(Value::Null),
            second: Ok(Value::Null),
            accu: None,
            is_over: false,
        });
        let found = self.iterate(fold, range, depth);
        if found.is_ok() {
            self.frames[depth].is_over = true;
        }
        let result = found.and_then(|()| self.step(&fold.result));
        self.frames.truncate(depth);
        result
    }

    fn iterate(&mut self, fold: &'s Fold, range: Value<'a>, depth: usize) -> Result<(), Failure> {
        let two = fold.var2.is_some();
        match range {
            Value::List(list) => {
                for at in 0..list.len() {
                    // An item that is wrong is so only for what asks for it.
                    let item = list.get(at);
                    let (first, second) = match two {
                        true => (Ok(Value::Int(i64::try_from(at).unwrap_or(i64::MAX))), item),
                        false => (item, Ok(Value::Null)),
                    };
                    if !self.turn(fold, depth, first, second)? {
                        break;
                    }
                }
                Ok(())
            }
            Value::Map(map) => {
                for key in map.keys() {
                    let second =
                        if two { map.find(&key).map(Option::unwrap_or_default) } else { Ok(Value::Null) };
                    if !self.turn(fold, depth, Ok(key), second)? {
                        break;
                    }
                }
                Ok(())
            }
            other if two => {
                Err(Failure::Wrong(format!("unsupported comprehension range type: {}", other.ty().name())))
            }
            other => Err(Failure::Wrong(format!("got '{}', expected iterable type", other.ty().name()))),
        }
    }

    /// One turn of a loop; whether there may be another.
    fn turn(
        &mut self,
        fold: &'s Fold,
        depth: usize,
        first: Result<Value<'a>, Wrong>,
        second: Result<Value<'a>, Wrong>,
    ) -> Result<bool, Failure> {
        self.work.add(1)?;
        let frame = &mut self.frames[depth];
        frame.first = first;
        frame.second = second;
        if let Ok(Value::Bool(false)) = self.attempt(&fold.condition)? {
            return Ok(false);
        }
        let accu = self.attempt(&fold.step)?;
        self.frames[depth].accu = Some(accu);
        Ok(true)
    }
}
