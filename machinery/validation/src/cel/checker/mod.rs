//! Finds the types of expressions, and which signatures calls have.

mod literals;
mod unify;

use std::collections::HashMap;
use std::sync::Arc;

use self::unify::{Substitutions, most_general};
use crate::cel::ast::{Call, Comprehension, Entry, Expr, Id, Item, Kind, Literal, Name, Select, operator};
use crate::cel::environment::Environment;
use crate::cel::issues::{Issues, Source};
use crate::cel::library::{Overload, overloads};
use crate::cel::parser::{Parsed, Places};
use crate::cel::types::Type;

/// What the checker found out about an expression.
pub(crate) struct Checked {
    pub(crate) expr: Expr,
    pub(crate) types: Vec<Type>,
    pub(crate) references: HashMap<Id, Reference>,
}

/// What a name means, or which signatures a call can have.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    Variable,
    /// A type as a value.
    Type(Type),
    Overloads(Vec<&'static Overload>),
}

impl Checked {
    pub(crate) fn ty(&self, id: Id) -> &Type {
        self.types.get(id as usize).unwrap_or(&Type::Dyn)
    }

    pub(crate) fn overloads(&self, id: Id) -> &[&'static Overload] {
        match self.references.get(&id) {
            Some(Reference::Overloads(overloads)) => overloads,
            _ => &[],
        }
    }
}

pub(crate) fn check(parsed: Parsed, source: Source, environment: &Environment) -> Result<Checked, Issues> {
    let Parsed { mut expr, places } = parsed;
    let mut checker = Checker {
        environment,
        types: vec![None; places.len()],
        places,
        references: HashMap::new(),
        scopes: Vec::new(),
        known: Substitutions::default(),
        issues: Issues::new(source),
    };
    checker.check(&mut expr);
    let Checker { types, known, references, mut issues, places, .. } = checker;
    let types = types.into_iter().map(|ty| ty.map_or(Type::Dyn, |ty| known.apply(&ty, true))).collect();
    let checked = Checked { expr, types, references };
    if issues.is_empty() {
        literals::check(&checked, &places, &mut issues);
    }
    if issues.is_empty() { Ok(checked) } else { Err(issues) }
}

struct Checker<'e> {
    environment: &'e Environment,
    places: Places,
    types: Vec<Option<Type>>,
    references: HashMap<Id, Reference>,
    /// The variables of loops around the current expression.
    scopes: Vec<(Name, Type)>,
    known: Substitutions,
    issues: Issues,
}

impl Checker<'_> {
    fn report(&mut self, id: Id, message: impl Into<String>) {
        self.issues.report(self.places.get(id), message);
    }

    fn set(&mut self, id: Id, ty: Type) {
        if let Some(place) = self.types.get_mut(id as usize) {
            *place = Some(ty);
        }
    }

    fn ty(&self, expr: &Expr) -> Type {
        self.types.get(expr.id as usize).and_then(Clone::clone).unwrap_or(Type::Error)
    }

    fn check(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let ty = match &mut expr.kind {
            Kind::Bad => Type::Error,
            Kind::Literal(literal) => match literal {
                Literal::Null => Type::Null,
                Literal::Bool(_) => Type::Bool,
                Literal::Int(_) => Type::Int,
                Literal::Uint(_) => Type::Uint,
                Literal::Double(_) => Type::Double,
                Literal::Text(_) => Type::String,
                Literal::Bytes(_) => Type::Bytes,
            },
            Kind::Ident(name) => match self.resolve(name) {
                Some((ty, reference)) => {
                    self.references.insert(id, reference);
                    ty
                }
                None => {
                    let message = format!("undeclared reference to '{name}' (in container '')");
                    self.report(id, message);
                    Type::Error
                }
            },
            Kind::Select(_) => return self.select(expr),
            Kind::Call(call) if &*call.function == operator::OPT_SELECT => self.optional_select(id, call),
            Kind::Call(_) => return self.call(expr),
            Kind::List(items) => self.list(items),
            Kind::Map(entries) => self.map(entries),
            Kind::Struct(made) => {
                let message = format!("undeclared reference to '{}' (in container '')", made.name);
                self.report(id, message);
                Type::Error
            }
            Kind::Comprehension(_) => return self.comprehension(expr),
        };
        self.set(id, ty);
    }

    /// What a name means, with dots in it or not.
    fn resolve(&self, name: &str) -> Option<(Type, Reference)> {
        let is_absolute = name.starts_with('.');
        let bare = name.trim_start_matches('.');
        if !is_absolute && let Some((_, ty)) = self.scopes.iter().rev().find(|(found, _)| **found == *name) {
            return Some((ty.clone(), Reference::Variable));
        }
        if let Some(ty) = self.environment.variable(bare) {
            return Some((ty.clone(), Reference::Variable));
        }
        let ty = match bare {
            "bool" => Type::Bool,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "null_type" => Type::Null,
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "type" => Type::Meta(None),
            "google.protobuf.Timestamp" => Type::Timestamp,
            "google.protobuf.Duration" => Type::Duration,
            "optional_type" => Type::optional(Type::Dyn),
            "net.IP" => Type::Opaque("net.IP"),
            "net.CIDR" => Type::Opaque("net.CIDR"),
            _ => return None,
        };
        Some((Type::Meta(Some(ty.clone().into())), Reference::Type(ty)))
    }

    fn select(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let Kind::Select(select) = &mut expr.kind else { return };
        // `a.b` may be one name.
        if !select.test
            && let Some(prefix) = qualified(&select.operand)
        {
            let name = format!("{prefix}.{}", select.field);
            let is_local = self.scopes.iter().any(|(found, _)| name.starts_with(&format!("{found}.")));
            if !is_local && let Some((ty, reference)) = self.resolve(&name) {
                self.references.insert(id, reference);
                self.set(id, ty);
                expr.kind = Kind::Ident(name.into());
                return;
            }
        }
        let Select { operand, field, test } = &mut **select;
        let mut ty = self.field(id, operand, field, false);
        if *test {
            ty = Type::Bool;
        }
        let ty = self.known.apply(&ty, false);
        self.set(id, ty);
    }

    fn optional_select(&mut self, id: Id, call: &mut Call) -> Type {
        let [operand, field] = &mut call.args[..] else { return Type::Error };
        let Some(Literal::Text(field)) = field.as_literal().cloned() else { return Type::Error };
        let ty = self.field(id, operand, &field, true);
        let select = overload_of_optional_select();
        self.references.insert(id, Reference::Overloads(vec![select]));
        self.known.apply(&ty, false)
    }

    /// The type of a field of an operand.
    fn field(&mut self, id: Id, operand: &mut Expr, field: &str, optional: bool) -> Type {
        self.check(operand);
        let ty = self.known.apply(&self.ty(operand), false);
        let (target, is_optional) = match ty {
            Type::Optional(value) => ((*value).clone(), true),
            ty => (ty, false),
        };
        let found = match &target {
            Type::Map(_, value) => (**value).clone(),
            Type::Struct(name) => match self.environment.field(name, field) {
                Some(ty) => ty.clone(),
                None => {
                    self.report(id, format!("undefined field '{field}'"));
                    Type::Error
                }
            },
            Type::Param(_) => {
                self.known.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            _ => {
                if !target.is_dyn_or_error() {
                    self.report(id, format!("type '{target}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if is_optional || optional { Type::optional(found) } else { found }
    }

    fn call(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let Kind::Call(call) = &mut expr.kind else { return };
        for arg in &mut call.args {
            self.check(arg);
        }
        if let Some(target) = &mut call.target {
            // `a.b.c()` may call the function `a.b.c`.
            let name = qualified(target)
                .map(|prefix| format!("{}.{}", prefix.trim_start_matches('.'), call.function));
            if let Some(name) = name
                && self.overloads(&name).is_some()
            {
                call.target = None;
                call.function = name.into();
            } else {
                self.check(target);
            }
        }
        let function = call.function.trim_start_matches('.').to_owned();
        call.function = function.as_str().into();
        let ty = match self.overloads(&function) {
            Some(overloads) => self.overload(id, &function, call, overloads),
            None => {
                self.report(id, format!("undeclared reference to '{function}' (in container '')"));
                Type::Error
            }
        };
        self.set(id, ty);
    }

    /// The overloads of a function that an expression may call.
    fn overloads(&self, function: &str) -> Option<Vec<&'static Overload>> {
        let found: Vec<_> = overloads(function)?
            .iter()
            .filter(|overload| !overload.only_stored || !self.environment.is_new())
            .collect();
        (!found.is_empty()).then_some(found)
    }

    fn overload(&mut self, id: Id, function: &str, call: &Call, overloads: Vec<&'static Overload>) -> Type {
        let mut args: Vec<Type> = call.target.iter().chain(&call.args).map(|arg| self.ty(arg)).collect();
        let (mut matching, mut result): (Vec<&'static Overload>, Option<Type>) = (Vec::new(), None);
        if matches!(function, operator::AND | operator::OR) {
            let mut is_right = true;
            for (arg, ty) in call.args.iter().zip(&args) {
                if !self.known.assign(ty, &Type::Bool) {
                    let ty = self.known.apply(ty, false);
                    self.report(arg.id, format!("expected type 'bool' but found '{ty}'"));
                    is_right = false;
                }
            }
            self.references.insert(id, Reference::Overloads(overloads));
            return if is_right { Type::Bool } else { Type::Error };
        }
        for overload in overloads.into_iter().filter(|overload| overload.is_method == call.target.is_some()) {
            let (expected, returned) = self.instance(overload);
            if !self.known.assign_all(&args, &expected) {
                continue;
            }
            matching.push(overload);
            let returned = self.known.apply(&returned, false);
            result = match result {
                None => Some(returned),
                Some(Type::Dyn) => Some(Type::Dyn),
                Some(before) if before == returned => Some(before),
                Some(_) => Some(Type::Dyn),
            };
        }
        if let Some(result) = result {
            self.references.insert(id, Reference::Overloads(matching));
            return result;
        }
        for arg in &mut args {
            *arg = self.known.apply(arg, true);
        }
        let mut shown = args.iter().map(ToString::to_string);
        let target = call.target.as_ref().and_then(|_| shown.next()).map(|target| format!("{target}."));
        let shown: Vec<String> = shown.collect();
        let signature = format!("{}({})", target.unwrap_or_default(), shown.join(", "));
        self.report(id, format!("found no matching overload for '{function}' applied to '{signature}'"));
        Type::Error
    }

    /// The types of a signature, with fresh types for its parameters.
    fn instance(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        if overload.params.is_empty() {
            return (overload.args.clone(), overload.result.clone());
        }
        let fresh: Vec<(char, Type)> =
            overload.params.iter().map(|param| (*param, self.known.fresh())).collect();
        let args = overload.args.iter().map(|ty| replace(ty, &fresh)).collect();
        (args, replace(&overload.result, &fresh))
    }

    fn list(&mut self, items: &mut [Item]) -> Type {
        let mut joined = None;
        for item in items {
            self.check(&mut item.value);
            let ty = self.element(&item.value, item.optional);
            joined = Some(self.join(joined, ty));
        }
        Type::list(joined.unwrap_or_else(|| self.known.fresh()))
    }

    fn map(&mut self, entries: &mut [Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            self.check(&mut entry.key);
            keys = Some(self.join(keys, self.ty(&entry.key)));
            self.check(&mut entry.value);
            let ty = self.element(&entry.value, entry.optional);
            values = Some(self.join(values, ty));
        }
        let key = keys.unwrap_or_else(|| self.known.fresh());
        Type::map(key, values.unwrap_or_else(|| self.known.fresh()))
    }

    /// The type of an item or of a value; that in it, if it is optional.
    fn element(&mut self, value: &Expr, optional: bool) -> Type {
        match self.ty(value) {
            Type::Optional(inner) if optional => (*inner).clone(),
            ty if optional && ty != Type::Dyn => {
                let expected = Type::optional(ty.clone());
                self.report(value.id, format!("expected type '{expected}' but found '{ty}'"));
                ty
            }
            ty => ty,
        }
    }

    /// The type of items of both types.
    fn join(&mut self, before: Option<Type>, ty: Type) -> Type {
        let Some(before) = before else { return ty };
        if self.known.assign(&before, &ty) {
            return most_general(&before, &ty);
        }
        // Literals are checked for items of different types later.
        Type::Dyn
    }

    fn comprehension(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let Kind::Comprehension(fold) = &mut expr.kind else { return };
        let Comprehension { range, var, var2, accu_var, accu_init, condition, step, result } = &mut **fold;
        self.check(range);
        self.check(accu_init);
        let ty = self.known.apply(&self.ty(range), false);
        let (first, second) = match &ty {
            Type::List(item) if var2.is_some() => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Dyn),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn | Type::Error | Type::Param(_) => {
                self.known.assign(&Type::Dyn, &ty);
                (Type::Dyn, Type::Dyn)
            }
            _ => {
                let message = format!(
                    "expression of type '{ty}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(range.id, message);
                (Type::Error, Type::Error)
            }
        };
        let accu = self.ty(accu_init);
        let outside = self.scopes.len();
        self.scopes.push((accu_var.clone(), accu.clone()));
        let with_accu = self.scopes.len();
        self.scopes.push((var.clone(), first));
        if let Some(var2) = var2 {
            self.scopes.push((var2.clone(), second));
        }
        self.check(condition);
        self.assert(condition, &Type::Bool);
        self.check(step);
        self.assert(step, &accu);
        self.scopes.truncate(with_accu);
        self.check(result);
        self.scopes.truncate(outside);
        let ty = self.known.apply(&self.ty(result), false);
        self.set(id, ty);
    }

    fn assert(&mut self, expr: &Expr, expected: &Type) {
        let ty = self.ty(expr);
        if !self.known.assign(expected, &ty) {
            self.report(expr.id, format!("expected type '{expected}' but found '{ty}'"));
        }
    }
}

/// The signature of `operand.?field`.
fn overload_of_optional_select() -> &'static Overload {
    static SELECT: std::sync::LazyLock<Overload> = std::sync::LazyLock::new(|| Overload {
        id: "select_optional_field".to_owned(),
        is_method: false,
        args: vec![Type::Dyn, Type::String],
        result: Type::optional(Type::param("V")),
        params: vec!['V'],
        only_stored: false,
    });
    &SELECT
}

fn replace(ty: &Type, with: &[(char, Type)]) -> Type {
    match ty {
        Type::Param(name) => with
            .iter()
            .find(|(param, _)| name.starts_with(*param))
            .map_or_else(|| ty.clone(), |(_, ty)| ty.clone()),
        Type::List(item) => Type::list(replace(item, with)),
        Type::Optional(value) => Type::optional(replace(value, with)),
        Type::Map(key, value) => Type::map(replace(key, with), replace(value, with)),
        Type::Meta(Some(of)) => Type::Meta(Some(Arc::new(replace(of, with)))),
        _ => ty.clone(),
    }
}

/// `a.b.c` of an expression that is nothing else.
fn qualified(expr: &Expr) -> Option<String> {
    let mut names = Vec::new();
    let mut expr = expr;
    loop {
        match &expr.kind {
            Kind::Ident(name) => {
                names.push(&**name);
                names.reverse();
                return Some(names.join("."));
            }
            Kind::Select(select) if !select.test => {
                names.push(&*select.field);
                expr = &select.operand;
            }
            _ => return None,
        }
    }
}
