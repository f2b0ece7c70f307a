//! Finds what unknown types stand for.

use std::collections::HashMap;

use crate::cel::ast::Name;
use crate::cel::types::Type;

/// What type parameters stand for. Attempts that fail are undone.
#[derive(Debug, Default)]
pub(crate) struct Substitutions {
    known: HashMap<Name, Type>,
    /// What changes replaced, to undo them.
    trail: Vec<(Name, Option<Type>)>,
    fresh: usize,
}

impl Substitutions {
    /// A type of which nothing is known.
    pub(crate) fn fresh(&mut self) -> Type {
        self.fresh += 1;
        Type::param(format!("_var{}", self.fresh - 1))
    }

    /// Whether a value of `right` can be where one of `left` is expected. If so, what this tells of unknown types is
    /// kept.
    pub(crate) fn assign(&mut self, left: &Type, right: &Type) -> bool {
        self.attempt(|this| this.assignable(left, right))
    }

    /// The same for all pairs together.
    pub(crate) fn assign_all(&mut self, left: &[Type], right: &[Type]) -> bool {
        left.len() == right.len()
            && self.attempt(|this| left.iter().zip(right).all(|(left, right)| this.assignable(left, right)))
    }

    fn attempt(&mut self, assign: impl FnOnce(&mut Self) -> bool) -> bool {
        self.trail.clear();
        if assign(self) {
            return true;
        }
        while let Some((name, before)) = self.trail.pop() {
            match before {
                Some(before) => self.known.insert(name, before),
                None => self.known.remove(&name),
            };
        }
        false
    }

    fn set(&mut self, name: &Name, ty: Type) {
        let before = self.known.insert(name.clone(), ty);
        self.trail.push((name.clone(), before));
    }

    fn assignable(&mut self, left: &Type, right: &Type) -> bool {
        if let Type::Param(name) = right {
            match self.stands_for(left, name) {
                Fit::Yes => return true,
                Fit::Conflict => return false,
                // Perhaps the left one can stand for the right one.
                Fit::Circular => {}
            }
        }
        if let Type::Param(name) = left {
            return matches!(self.stands_for(right, name), Fit::Yes);
        }
        if left.is_dyn_or_error() || right.is_dyn_or_error() {
            return true;
        }
        if matches!(left, Type::Null) || matches!(right, Type::Null) {
            let other = if matches!(left, Type::Null) { right } else { left };
            return matches!(
                other,
                Type::Null
                    | Type::Struct(_)
                    | Type::Opaque(_)
                    | Type::Optional(_)
                    | Type::Duration
                    | Type::Timestamp
            );
        }
        match (left, right) {
            (Type::Meta(_), Type::Meta(_)) => true,
            (Type::List(left), Type::List(right)) | (Type::Optional(left), Type::Optional(right)) => {
                self.assignable(left, right)
            }
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.assignable(key, other_key) && self.assignable(value, other_value)
            }
            _ => left == right,
        }
    }

    fn stands_for(&mut self, ty: &Type, param: &Name) -> Fit {
        if matches!(ty, Type::Param(name) if name == param) {
            return Fit::Yes;
        }
        if let Some(known) = self.known.get(param).cloned() {
            if ty == &known {
                return Fit::Yes;
            }
            if !self.assignable(ty, &known) {
                return Fit::Conflict;
            }
            let general = if is_less_specific(ty, &known) { ty.clone() } else { known };
            if self.is_free_of(param, &general) {
                self.set(param, general);
            }
            return Fit::Yes;
        }
        if self.is_free_of(param, ty) {
            self.set(param, ty.clone());
            return Fit::Yes;
        }
        Fit::Circular
    }

    /// Whether a type does not contain a parameter.
    fn is_free_of(&self, param: &Name, ty: &Type) -> bool {
        match ty {
            Type::Param(name) if name == param => false,
            Type::Param(name) => self.known.get(name).is_none_or(|known| self.is_free_of(param, known)),
            _ => ty.params().into_iter().all(|ty| self.is_free_of(param, ty)),
        }
    }

    /// The type with all that is known. Unknown types stay, or become `dyn` if `finally`.
    pub(crate) fn apply(&self, ty: &Type, finally: bool) -> Type {
        match ty {
            Type::Param(name) => match self.known.get(name) {
                Some(known) => self.apply(known, finally),
                None if finally => Type::Dyn,
                None => ty.clone(),
            },
            Type::List(item) => Type::list(self.apply(item, finally)),
            Type::Optional(value) => Type::optional(self.apply(value, finally)),
            Type::Map(key, value) => Type::map(self.apply(key, finally), self.apply(value, finally)),
            Type::Meta(Some(of)) => Type::Meta(Some(self.apply(of, finally).into())),
            _ => ty.clone(),
        }
    }
}

enum Fit {
    Yes,
    /// It stands for something else.
    Conflict,
    /// It would contain itself.
    Circular,
}

/// The more general of two types that fit.
pub(crate) fn most_general(left: &Type, right: &Type) -> Type {
    if is_less_specific(left, right) { left.clone() } else { right.clone() }
}

fn is_less_specific(left: &Type, right: &Type) -> bool {
    if matches!(left, Type::Dyn | Type::Param(_)) {
        return true;
    }
    match (left, right) {
        (_, Type::Dyn | Type::Param(_)) => false,
        (Type::Optional(left), Type::Optional(right)) | (Type::List(left), Type::List(right)) => {
            is_less_specific(left, right)
        }
        (Type::Map(key, value), Type::Map(other_key, other_value)) => {
            is_less_specific(key, other_key) && is_less_specific(value, other_value)
        }
        (Type::Meta(_), Type::Meta(_)) => true,
        _ => left == right,
    }
}
