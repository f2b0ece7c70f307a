//! The costs of calls of functions.

use super::super::calls::is_order_of_texts;
use super::super::{FORMAT_PATTERN, LIST, PATTERN, Range, TEXT};
use super::{Coster, Entries, Estimate};
use crate::cel::ast::{Call, Expr, Literal};
use crate::cel::types::Type;

impl Coster<'_> {
    /// The cost of cel-go's extensions for lists and sets.
    pub(super) fn list_function(&mut self, call: &Call, overload: &str) -> Option<Estimate> {
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
    pub(super) fn library(&mut self, call: &Call, overload: &str) -> Option<Estimate> {
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
    pub(super) fn standard(
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
