//! The largest cost of an expression, from the sizes that its schema allows.

use std::collections::HashMap;

use super::calls::is_order_of_texts;
use super::{FORMAT_PATTERN, LIST, MAP, PATTERN, Range, TEXT};
use crate::cel::ast::{ACCUMULATOR, Call, Comprehension, Expr, Id, Kind, Literal, Name};
use crate::cel::checker::Checked;
use crate::cel::shape::{Shape, ShapeKind};
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

    /// The cost of cel-go's extensions for lists and sets.
    fn list_function(&mut self, call: &Call, overload: &str) -> Option<Estimate> {
        let allocated =
            |size: Range, factor: f64| Estimate::sized(size.scaled(factor).plus(Range::of(1 + LIST)), size);
        let number = |arg: Option<&Expr>, default: u64| match arg.and_then(Expr::as_literal) {
            Some(Literal::Int(number)) => u64::try_from(*number).unwrap_or(0),
            _ => default,
        };
        let arg = |at: usize| call.args.get(at);
        match overload {
            "list_sets_contains_list" | "list_sets_intersects_list" | "list_sets_equivalent_list" => {
                let product = self.known_size(arg(0)?).times(self.known_size(arg(1)?));
                let factor = if overload == "list_sets_equivalent_list" { 2.0 } else { 1.0 };
                Estimate::of(product.scaled(factor).plus(Range::ONE))
            }
            "list_slice" => {
                let size = self.known_size(call.target.as_ref()?);
                let (start, end) = (number(arg(0), 0), number(arg(1), size.max));
                allocated(Range::of(end.wrapping_sub(start)), 1.0)
            }
            "lists_range" => allocated(Range::of(number(arg(0), u64::MAX)), 1.0),
            "list_reverse" => allocated(self.known_size(call.target.as_ref()?), 1.0),
            "list_flatten" | "list_flatten_int" => {
                let depth = arg(0).map_or(1, |depth| number(Some(depth), u64::MAX));
                allocated(self.known_size(call.target.as_ref()?), depth as f64)
            }
            "list_distinct" => {
                let size = self.known_size(call.target.as_ref()?);
                allocated(size.times(size), 2.0)
            }
            _ if overload.ends_with("_sort") || overload.ends_with("_sortByAssociatedKeys") => {
                let of = if overload.ends_with("_sort") { call.target.as_ref()? } else { arg(0)? };
                let size = self.known_size(of);
                let is_text = overload.starts_with("list_string_") || overload.starts_with("list_bytes_");
                allocated(size.times(size), if is_text { 2.0 + TEXT } else { 2.0 })
            }
            _ => None,
        }
    }

    /// The cost of Kubernetes' libraries.
    fn library(&mut self, call: &Call, overload: &str) -> Option<Estimate> {
        let target = call.target.as_ref();
        let first = call.args.first();
        match &*call.function {
            "check" => Estimate::of(Range::of(350_000)),
            "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name"
            | "allowed" | "reason" | "error" | "errored" => Estimate::of(Range::ONE),
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
                let target = target?;
                let size = self.known_size(target);
                let Type::List(item) = self.checked.ty(target.id).clone() else {
                    let is_any = &*call.function == "includes";
                    let params = !self.checked.ty(target.id).params().is_empty();
                    return Estimate::of(if is_any || params { size } else { size.scaled(TEXT) });
                };
                let mut each = Range::ONE;
                if matches!(*item, Type::String | Type::Bytes) {
                    let mut path = self.known_path(target);
                    if !path.is_empty() {
                        path.push("@items".into());
                    }
                    each = each.plus(self.size_at(&path).unwrap_or(Range::UNKNOWN).scaled(TEXT));
                }
                Estimate::of(size.times(each))
            }
            "url" if call.args.len() == 1 => {
                let size = self.known_size(first?);
                Estimate::sized(size.scaled(TEXT), size)
            }
            "lowerAscii" | "upperAscii" | "substring" | "trim" => {
                let size = self.known_size(target?);
                Estimate::sized(size.scaled(TEXT), size)
            }
            "replace" => {
                let [old, new, ..] = &call.args[..] else { return None };
                let (size, old, new) = (self.known_size(target?), self.known_size(old), self.known_size(new));
                Estimate::sized(size.scaled(2.0 * TEXT), replaced(size, old, new))
            }
            "split" => {
                let size = self.known_size(target?);
                let max = match call.args.get(1).and_then(Expr::as_literal) {
                    Some(Literal::Int(count)) => *count as u64,
                    _ => size.max,
                };
                Estimate::sized(size.scaled(2.0 * TEXT), Range { min: 0, max })
            }
            "join" => self.join(target?, first),
            "find" | "findAll" => {
                let size = self.known_size(target?);
                let pattern = self.known_size(first?).scaled(PATTERN);
                let cost = size.plus(Range::ONE).scaled(TEXT).times(pattern);
                Estimate::sized(cost, Range { min: 0, max: size.max })
            }
            "ip" if overload == "cidr_ip" => Estimate::of(Range::ONE),
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
                Estimate::of(self.known_size(first?).scaled(TEXT))
            }
            "ip.isCanonical" => Estimate::of(self.known_size(first?).scaled(2.0 * TEXT)),
            "containsIP" | "containsCIDR" => {
                let octets = Range { min: 4, max: 16 };
                let mut cost = octets.plus(octets).scaled(TEXT);
                if &*call.function == "containsCIDR" {
                    cost = cost.plus(octets.scaled(TEXT)).plus(Range::ONE);
                }
                if matches!(overload, "cidr_contains_ip_string" | "cidr_contains_cidr_string") {
                    cost = cost.plus(self.known_size(first?).scaled(TEXT));
                }
                Estimate::of(cost)
            }
            "validate" => {
                let size = self.known_size(first?);
                Estimate::of(size.scaled(TEXT).scaled(FORMAT_PATTERN * PATTERN))
            }
            "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery" => Estimate::of(Range::ONE),
            "_==_" => {
                let [left, right] = &call.args[..] else { return None };
                let ty = self.checked.ty(left.id).clone();
                if ty != *self.checked.ty(right.id) {
                    return None;
                }
                match ty.name() {
                    "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => {
                        Estimate::of(Range::ONE)
                    }
                    "kubernetes.NamedFormat" => Estimate::of(Range { min: 1, max: 64 }.scaled(TEXT)),
                    "kubernetes.URL" => {
                        let max = self.size(right).map_or(1, |size| size.max);
                        Estimate::of(Range { min: 1, max }.scaled(TEXT))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn join(&mut self, target: &Expr, separator: Option<&Expr>) -> Option<Estimate> {
        let count = self.known_size(target);
        let mut size = Range::ZERO;
        if let Type::List(_) = self.checked.ty(target.id) {
            let mut path = self.known_path(target);
            if !path.is_empty() {
                path.push("@items".into());
            }
            size = count.times(self.size_at(&path).unwrap_or(Range::UNKNOWN));
        }
        if let Some(separator) = separator {
            let between = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            size = size.plus(self.known_size(separator).times(between));
        }
        Estimate::sized(size.scaled(TEXT), size)
    }

    /// The cost of functions of CEL itself.
    fn standard(
        &mut self,
        expr: &Expr,
        call: &Call,
        overload: &str,
        costs: &[Range],
        of_args: Range,
    ) -> Estimate {
        let target = call.target.as_ref();
        let args = &call.args;
        let plain = |cost: Range| Estimate { cost: cost.plus(of_args), size: None };
        match (overload, target, &args[..]) {
            ("string_format", Some(target), _) => plain(self.size_or_unknown(target).scaled(TEXT)),
            ("string_to_bytes", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                let result = Range { min: size.min, max: size.max.wrapping_mul(4) };
                Estimate { size: Some(result), ..plain(size.scaled(TEXT)) }
            }
            ("bytes_to_string", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                Estimate {
                    size: Some(Range { min: size.min / 4, max: size.max }),
                    ..plain(size.scaled(TEXT))
                }
            }
            ("strings_quote", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                let result =
                    Range { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
                Estimate { size: Some(result), ..plain(size.scaled(TEXT)) }
            }
            ("starts_with_string" | "ends_with_string", _, [arg]) => {
                plain(self.size_or_unknown(arg).scaled(TEXT))
            }
            ("in_list", _, [_, list]) => plain(self.size_or_unknown(list)),
            ("matches_string", Some(text), [pattern]) | ("matches", None, [text, pattern]) => {
                let text = self.size_or_unknown(text).plus(Range::ONE).scaled(TEXT);
                plain(text.times(self.size_or_unknown(pattern).scaled(PATTERN)))
            }
            ("contains_string", Some(text), [part]) => {
                let text = self.size_or_unknown(text).scaled(TEXT);
                plain(text.times(self.size_or_unknown(part).scaled(TEXT)))
            }
            ("logical_or" | "logical_and", _, _) => {
                let [left, right] = costs else { return plain(Range::ZERO) };
                Estimate { cost: Range { min: left.min, max: left.plus(*right).max }, size: None }
            }
            ("conditional", _, [_, then, other]) => {
                let size = self.size_or_unknown(then).union(self.size_or_unknown(other));
                if let Some(entries) = Entries::union(self.entries_of(then), self.entries_of(other)) {
                    self.entries.insert(expr.id, entries);
                }
                Estimate { cost: costs[0].plus(costs[1].union(costs[2])), size: Some(size) }
            }
            ("add_string" | "add_bytes" | "add_list", _, [left, right]) => {
                let size = self.size_or_unknown(left).plus(self.size_or_unknown(right));
                if let Some(entries) = Entries::union(self.entries_of(left), self.entries_of(right)) {
                    self.entries.insert(expr.id, entries);
                }
                let cost = if overload == "add_list" { Range::ONE } else { size.scaled(TEXT) };
                Estimate { size: Some(size), ..plain(cost) }
            }
            (_, _, [left, right])
                if matches!(overload, "equals" | "not_equals") || is_order_of_texts(overload) =>
            {
                let max = self.size_or_unknown(left).max.min(self.size_or_unknown(right).max);
                plain(Range { min: u64::from(max > 0), max }.scaled(TEXT))
            }
            _ => plain(Range::ONE),
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| *local.name == *name)
    }

    fn path(&self, expr: &Expr) -> Path {
        if let Some(local) = expr.as_ident().and_then(|name| self.local(name)) {
            return local.path.clone();
        }
        self.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    /// The path of an argument; those from accumulators are not known.
    fn known_path(&self, expr: &Expr) -> Path {
        let path = self.path(expr);
        if path.first().is_some_and(|first| &**first == ACCUMULATOR) { Path::new() } else { path }
    }

    /// The size that the schema allows at a path.
    fn size_at(&self, path: &[Name]) -> Option<Range> {
        let mut shape = self.shape;
        let (_, fields) = path.split_first()?;
        for name in fields {
            shape = match (&**name, &shape.kind) {
                ("@items", ShapeKind::List(of, _)) | ("@values" | "@items", ShapeKind::Map(of)) => of,
                ("@values", ShapeKind::List(of, _)) => of,
                ("@keys", ShapeKind::Map(_)) => return Some(Range::ZERO),
                (name, ShapeKind::Object(_)) => shape.field(name)?,
                _ => return None,
            };
        }
        Some(Range { min: 0, max: shape.max_size })
    }

    /// The size of an expression, if it is known.
    fn size(&mut self, expr: &Expr) -> Option<Range> {
        if let Some(size) = self.sizes.get(&expr.id) {
            return Some(*size);
        }
        let exact = match &expr.kind {
            Kind::Literal(Literal::Text(text)) => Some(text.chars().count()),
            Kind::Literal(Literal::Bytes(bytes)) => Some(bytes.len()),
            Kind::Literal(_) => Some(1),
            Kind::List(items) => Some(items.len()),
            Kind::Map(entries) => Some(entries.len()),
            _ => None,
        };
        if let Some(exact) = exact {
            return Some(Range::of(exact as u64));
        }
        if let Some(size) = self.size_at(&self.path(expr)) {
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.ty(expr.id)) {
            return Some(Range::ONE);
        }
        expr.as_ident().and_then(|name| self.local(name)).and_then(|local| local.size)
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Range {
        self.size(expr).unwrap_or(Range::UNKNOWN)
    }

    /// The size as Kubernetes' libraries ask for it.
    fn known_size(&mut self, expr: &Expr) -> Range {
        self.size(expr).or_else(|| self.size_at(&self.known_path(expr))).unwrap_or(Range::UNKNOWN)
    }

    fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&expr.id) {
            return Some(*entries);
        }
        expr.as_ident().and_then(|name| self.local(name)).and_then(|local| local.entries)
    }

    fn copy_sizes(&mut self, to: Id, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to, entries);
        }
    }
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}

/// The size of a text in which parts are replaced.
fn replaced(size: Range, old: Range, new: Range) -> Range {
    let (mut count, mut kept) = (Range::ZERO, Range::ZERO);
    if old.min == 0 {
        count.max = size.max.saturating_add(1);
        kept.max = size.max;
    } else if new.max <= old.min {
        kept.max = size.max;
    } else {
        count.max = (size.max as f64 / old.min as f64).ceil() as u64;
    }
    if old.max == 0 {
        count.min = size.min.saturating_add(1);
        kept.min = size.min;
    } else if old.max <= new.min {
        kept.min = size.min;
    } else {
        count.min = (size.min as f64 / old.max as f64).ceil() as u64;
    }
    count.times(new).plus(kept)
}
