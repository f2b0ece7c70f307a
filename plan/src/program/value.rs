//! How one value becomes another.

use hubgen_model::rules::By;
use hubgen_model::{TypeExpr, TypeId};

use super::path::place;
use super::{Mapper, ResolvedPath, Way};

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
    /// Each of these words of the version is another one in the hub. All others
    /// are refused before the program runs.
    Words(Vec<(String, String)>),
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
        let Self::Words(words) = self else { return Vec::new() };
        let side = words.iter().map(|(version, hub)| match way {
            Way::ToHub => version.as_str(),
            Way::FromHub => hub.as_str(),
        });
        side.collect()
    }

    /// Each word that does not stay as it is, with what it becomes.
    ///
    /// Should a program meet a word that is not known, nothing may be lost: it
    /// stays as it is. Where that would be a known word of the other side, it
    /// becomes the word that this one has no other use for, so that no two
    /// words ever become one: with `rsa` → `RSA` alone, `RSA` becomes `rsa`.
    pub fn translations(&self, way: Way) -> Vec<(&str, &str)> {
        let other = match way {
            Way::ToHub => Way::FromHub,
            Way::FromHub => Way::ToHub,
        };
        let known: Vec<(&str, &str)> = self.words(way).into_iter().zip(self.words(other)).collect();
        let mut out = known.clone();
        for (_, word) in known.iter().filter(|(_, to)| known.iter().all(|(from, _)| from != to)) {
            // Back along all words that both sides have.
            let mut unused = *word;
            while let Some((from, _)) = known.iter().find(|(_, to)| *to == unused) {
                unused = from;
            }
            out.push((*word, unused));
        }
        out
    }

    /// What the report says of a value that it moves between these paths.
    pub fn moved(&self, version: &str, hub: &str) -> Option<String> {
        match self {
            Self::Wrapped(_, field) => Some(format!("`{version}` is `{hub}.{field}`")),
            Self::Words(words) => {
                let words: Vec<String> =
                    words.iter().map(|(own, word)| format!("`{own}` is `{word}`")).collect();
                Some(format!("the words of `{version}`, and no others: {}", words.join(", ")))
            }
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
    pub(super) fn moved(
        &mut self,
        by: &By,
        from: &ResolvedPath,
        to: &ResolvedPath,
        path: &str,
    ) -> Result<Value, String> {
        let (version, hub) = (&from.field().ty, &to.field().ty);
        match by {
            By::Same => self.value(version, hub, path).ok_or_else(|| {
                format!("`move` needs the same type on both sides; {from} is {version}, {to} is {hub}")
            }),
            By::Wrap(field) => self.wrapped(version, hub, field),
            By::Words(words) if [version, hub].iter().all(|ty| **ty == TypeExpr::String) => {
                Ok(Value::Words(words.clone()))
            }
            By::Words(_) => {
                Err(format!("`words` needs text on both sides; {from} is {version}, {to} is {hub}"))
            }
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
                let ty = self.types.find(id).ok_or_else(|| format!("{id} is not known"))?;
                let inner = place(self.types, ty, &[field.to_owned()])?;
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
