//! Finds variables, and what is in them.

use super::{Failure, Run, Runner};
use crate::cel::plan::{Attribute, By, Qualifier, Root};
use crate::cel::value::{NO_OVERLOAD, Value, Wrong};

impl<'s, 'a> Runner<'s, '_, 'a> {
    /// The value of a variable.
    pub(super) fn resolve(&mut self, name: &str) -> Run<'a> {
        for depth in (0..self.frames.len()).rev() {
            let frame = &self.frames[depth];
            if *frame.fold.accu_var == *name {
                if let Some(accu) = &frame.accu {
                    return Ok(accu.clone()?);
                }
                // It is computed when something asks for it, outside of the loop.
                let fold = frame.fold;
                let mut inner = self.frames.split_off(depth);
                let accu = self.attempt(&fold.accu_init);
                self.frames.append(&mut inner);
                let accu = accu?;
                self.frames[depth].accu = Some(accu.clone());
                return Ok(accu?);
            }
            if !frame.is_over {
                if *frame.fold.var == *name {
                    return Ok(frame.first.clone()?);
                }
                if frame.fold.var2.as_deref() == Some(name) {
                    return Ok(frame.second.clone()?);
                }
            }
        }
        match self.variables.iter().find(|(found, _)| *found == name.trim_start_matches('.')) {
            Some((_, value)) => Ok(value.clone()?),
            None => Err(Failure::Wrong(format!("no such attribute(s): {name}"))),
        }
    }

    /// The value of an attribute, with the cost of reading it.
    pub(super) fn attribute(&mut self, attribute: &'s Attribute) -> Run<'a> {
        let value = self.qualified(attribute);
        let is_free = attribute.test || matches!(attribute.root, Root::Conditional(_));
        if !is_free && !matches!(value, Err(Failure::Exceeded)) {
            self.charge(1)?;
        }
        match value {
            Ok(Value::Optional(value)) if attribute.test => Ok(Value::Bool(value.is_some())),
            value => value,
        }
    }

    fn qualified(&mut self, attribute: &'s Attribute) -> Run<'a> {
        let root = match &attribute.root {
            Root::Variable(name) => self.resolve(name)?,
            Root::Operand(step) => self.step(step)?,
            Root::Conditional(parts) => match self.step(&parts.0)? {
                Value::Bool(true) => self.qualified(&parts.1)?,
                Value::Bool(false) => self.qualified(&parts.2)?,
                _ => return Err(Failure::Wrong(NO_OVERLOAD.to_owned())),
            },
        };
        if attribute.qualifiers.is_empty() {
            return Ok(root);
        }
        let mut is_optional = false;
        let mut value = match root {
            Value::Optional(None) => {
                return Ok(if attribute.test { Value::Bool(false) } else { Value::Optional(None) });
            }
            Value::Optional(Some(value)) => {
                is_optional = true;
                (*value).clone()
            }
            value => value,
        };
        let last = attribute.qualifiers.len() - 1;
        for (at, qualifier) in attribute.qualifiers.iter().enumerate() {
            is_optional |= qualifier.optional;
            let test = attribute.test && at == last;
            match self.qualify(&value, qualifier, is_optional, test)? {
                Some(found) if !test => value = found,
                found if test => return Ok(Value::Bool(found.is_some())),
                _ => return Ok(Value::Optional(None)),
            }
        }
        Ok(if is_optional { Value::some(value) } else { value })
    }

    /// The field or item of a value; `None` if it is missing and may be. What is missing in an optional value costs
    /// nothing.
    fn qualify(
        &mut self,
        value: &Value<'a>,
        by: &'s Qualifier,
        is_optional: bool,
        test: bool,
    ) -> Result<Option<Value<'a>>, Failure> {
        let key = match &by.by {
            By::Constant(key) => Ok(key.clone()),
            By::Attribute(attribute) => self.qualified(attribute),
            By::Step(step) => self.step(step),
        };
        let found = match key {
            Ok(key) => member(value, &key, is_optional || test).map_err(Failure::from),
            Err(failure) => Err(failure),
        };
        if matches!(found, Ok(Some(_))) || !is_optional && !matches!(found, Err(Failure::Exceeded)) {
            self.charge(1)?;
        }
        found
    }
}

/// The field or item of a value.
fn member<'a>(value: &Value<'a>, key: &Value<'a>, may_miss: bool) -> Result<Option<Value<'a>>, Wrong> {
    match value {
        Value::Map(map) => match map.find(key)? {
            None if !may_miss => Err(format!("no such key: {}", key.shown())),
            found => Ok(found),
        },
        Value::List(list) => {
            let at = match key {
                Value::Int(at) => *at,
                Value::Uint(at) => i64::try_from(*at).unwrap_or(i64::MAX),
                Value::Double(at) if at.fract() == 0.0 => *at as i64,
                Value::Double(_) => return Err(format!("unsupported index value {} in list", key.shown())),
                _ => return Err(format!("unsupported index type '{}' in list", key.ty().name())),
            };
            match usize::try_from(at).ok().filter(|at| *at < list.len()) {
                Some(at) => list.get(at).map(Some),
                None if may_miss => Ok(None),
                None => Err(format!("index out of bounds: {}", key.shown())),
            }
        }
        _ if may_miss => Ok(None),
        _ => Err(format!("no such key: {}", key.shown())),
    }
}
