//! How one value becomes another.

use hubgen_model::rules::By;
use hubgen_model::{TypeExpr, TypeId};

use super::path::place;
use super::{Mapper, Place, Way};

/// How a value converts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is of one type.
    Same,
    /// By the pair of these types, the version's and the hub's.
    Pair(TypeId, TypeId),
    /// Element by element.
    List(Box<Value>),
    /// Value by value.
    Map(Box<Value>),
    /// In the hub, in this field of an object of this type.
    Wrapped(TypeId, String),
}

impl Value {
    /// What becomes of one value: of a list's elements, or a map's values.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost(),
            value => value,
        }
    }

    /// Whether it is a list or map of values.
    pub fn is_many(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    /// The words that it knows on the side that it reads; none where it takes
    /// any value.
    pub fn words(&self, way: Way) -> Vec<&str> {
        let _ = way;
        Vec::new()
    }

    /// What the report says of a value that it moves between these paths.
    pub fn moved(&self, version: &str, hub: &str) -> Option<String> {
        match self {
            Self::Wrapped(_, field) => Some(format!("`{version}` is `{hub}.{field}`")),
            _ => None,
        }
    }

    /// What the report says of the hub's value that the version cannot contain.
    pub fn kept(&self, hub: &str) -> Option<String> {
        match self {
            Self::Wrapped(_, field) => Some(format!("what `{hub}` says beside `{field}`")),
            _ => None,
        }
    }

    /// Whether no information is lost from the hub to the version.
    pub(super) fn is_exact(&self) -> bool {
        !matches!(self.innermost(), Self::Wrapped(..))
    }
}

impl Mapper<'_> {
    /// How the value of a field that a rule moves converts.
    ///
    /// # Errors
    /// When the fields are of types between which it does not.
    pub(super) fn moved(&mut self, by: &By, from: &Place, to: &Place, path: &str) -> Result<Value, String> {
        let (version, hub) = (&from.field().ty, &to.field().ty);
        match by {
            By::Same => self.value(version, hub, path).ok_or_else(|| {
                format!("`move` needs the same type on both sides; {from} is {version}, {to} is {hub}")
            }),
            By::Wrap(field) => self.wrapped(version, hub, field),
        }
    }

    /// How a value converts; `None` where it does not by itself.
    pub(super) fn value(&mut self, version: &TypeExpr, hub: &TypeExpr, path: &str) -> Option<Value> {
        if self.sharing.same(version, hub) && !self.is_ruled(version) {
            return Some(Value::Same);
        }
        match (version, hub) {
            (TypeExpr::Ref(version), TypeExpr::Ref(hub)) => {
                let key = (self.sharing.of(version).clone(), self.sharing.of(hub).clone());
                self.todo.push((key.0.clone(), key.1.clone(), path.to_owned()));
                Some(Value::Pair(key.0, key.1))
            }
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Some(Value::List(Box::new(self.value(version, hub, path)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Some(Value::Map(Box::new(self.value(version, hub, path)?)))
            }
            _ => None,
        }
    }

    /// How a value becomes an object that contains it in a field.
    fn wrapped(&self, version: &TypeExpr, hub: &TypeExpr, field: &str) -> Result<Value, String> {
        match (version, hub) {
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Ok(Value::List(Box::new(self.wrapped(version, hub, field)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Ok(Value::Map(Box::new(self.wrapped(version, hub, field)?)))
            }
            (version, TypeExpr::Ref(id)) => {
                let ty = self.api.find(id).ok_or_else(|| format!("{id} is not known"))?;
                let inner = place(self.api, ty, &[field.to_owned()])?;
                if inner.field().ty != *version || inner.may_be_absent() {
                    return Err(format!(
                        "`wrap` needs the same type on both sides; {version} is not {}",
                        inner.field().ty
                    ));
                }
                Ok(Value::Wrapped(self.sharing.of(id).clone(), field.to_owned()))
            }
            (_, hub) => Err(format!("`wrap` needs an object in the hub; there is {hub}")),
        }
    }
}
