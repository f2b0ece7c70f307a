//! Checks literals that have to be right: times, durations, patterns, items of one type, and what texts format.

use super::Checked;
use crate::cel::ast::{Expr, Kind, Literal};
use crate::cel::issues::Issues;
use crate::cel::parser::Places;
use crate::cel::time;
use crate::cel::types::Type;
use crate::duration;
use crate::pattern::Pattern;

/// Adds errors in the order of cel-go, which looks for one kind of them after the other.
pub(super) fn check(checked: &Checked, places: &Places, issues: &mut Issues) {
    let mut all = Vec::new();
    collect(&checked.expr, false, &mut all);
    let mut literal_args = |function: &str, is_right: &dyn Fn(&Literal) -> bool| {
        for (expr, _) in &all {
            let Kind::Call(call) = &expr.kind else { continue };
            let arg = call.args.first().filter(|_| &*call.function == function);
            if let Some((arg, literal)) = arg.and_then(|arg| Some((arg, arg.as_literal()?)))
                && !is_right(literal)
            {
                issues.report(places.get(arg.id), format!("invalid {function} argument"));
            }
        }
    };
    literal_args("duration", &|literal| match literal {
        Literal::Text(text) => duration::parse(text).is_some(),
        _ => true,
    });
    literal_args("timestamp", &|literal| match literal {
        Literal::Text(text) => time::Time::parse(text).is_some_and(time::Time::is_in_range),
        Literal::Int(seconds) => time::Time::of_seconds(*seconds).is_in_range(),
        _ => true,
    });
    literal_args("matches", &|literal| match literal {
        Literal::Text(text) => Pattern::new(text).is_ok(),
        _ => true,
    });
    for (expr, is_formatted) in &all {
        if let (Kind::List(items), false) = (&expr.kind, is_formatted) {
            let mut of_list: Option<Type> = None;
            for item in items {
                let ty = unwrapped(checked.ty(item.value.id), item.optional);
                let expected = of_list.get_or_insert_with(|| ty.clone());
                if *expected != ty {
                    mismatch(issues, places, &item.value, expected, &ty);
                    break;
                }
            }
        }
    }
    for (expr, is_formatted) in &all {
        if let (Kind::Map(entries), false) = (&expr.kind, is_formatted) {
            let mut of_map: Option<(Type, Type)> = None;
            for entry in entries {
                let key = checked.ty(entry.key.id).clone();
                let value = unwrapped(checked.ty(entry.value.id), entry.optional);
                let (keys, values) = of_map.get_or_insert_with(|| (key.clone(), value.clone()));
                if *keys != key {
                    mismatch(issues, places, &entry.key, keys, &key);
                }
                if *values != value {
                    mismatch(issues, places, &entry.value, values, &value);
                }
            }
        }
    }
    for (expr, _) in &all {
        formatted(checked, expr, places, issues);
    }
}

/// All expressions, with whether they are arguments of a text that is formatted.
fn collect<'e>(expr: &'e Expr, is_formatted: bool, out: &mut Vec<(&'e Expr, bool)>) {
    out.push((expr, is_formatted));
    let formats = matches!(&expr.kind, Kind::Call(call) if &*call.function == "format");
    expr.below(|below| collect(below, is_formatted || formats, out));
}

fn unwrapped(ty: &Type, optional: bool) -> Type {
    match ty {
        Type::Optional(value) if optional => (**value).clone(),
        ty => ty.clone(),
    }
}

fn mismatch(issues: &mut Issues, places: &Places, at: &Expr, expected: &Type, found: &Type) {
    issues.report(places.get(at.id), format!("expected type '{expected}' but found '{found}'"));
}

/// Checks `'text'.format([items])`.
fn formatted(checked: &Checked, expr: &Expr, places: &Places, issues: &mut Issues) {
    let Kind::Call(call) = &expr.kind else { return };
    if &*call.function != "format" {
        return;
    }
    let (Some(target), [args]) = (&call.target, &call.args[..]) else { return };
    let (Some(Literal::Text(text)), Kind::List(items)) = (target.as_literal(), &args.kind) else { return };
    let (mut used, mut wrong_item) = (0, None);
    let found = crate::cel::format::format(text, items.len(), |clause, at| {
        used += 1;
        let item = &items[at].value;
        let ty = checked.ty(item.id);
        let wrong = match clause {
            crate::cel::format::Clause::String => not_shown(checked, item),
            _ => (!clause.allows(ty)).then(|| ty.clone()),
        };
        match wrong {
            Some(ty) => {
                wrong_item = Some(item.id);
                Err(format!("error during formatting: {}", clause.error(ty.name())))
            }
            None => Ok(String::new()),
        }
    });
    match found {
        Err(message) => issues.report(places.get(wrong_item.unwrap_or(expr.id)), message),
        Ok(_) if items.len() > used => {
            let message = format!(
                "too many arguments supplied to string.format (expected {used}, got {})",
                items.len()
            );
            issues.report(places.get(expr.id), message);
        }
        Ok(_) => {}
    }
}

/// The type of what in an expression cannot be shown as text.
fn not_shown(checked: &Checked, expr: &Expr) -> Option<Type> {
    let ty = checked.ty(expr.id);
    if !crate::cel::format::Clause::String.allows(ty) {
        return Some(ty.clone());
    }
    match &expr.kind {
        Kind::List(items) => items.iter().find_map(|item| not_shown(checked, &item.value)),
        Kind::Map(entries) => entries
            .iter()
            .find_map(|entry| not_shown(checked, &entry.key).or_else(|| not_shown(checked, &entry.value))),
        _ => None,
    }
}
