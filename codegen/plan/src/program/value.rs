//! How single values convert.

use hubgen_model::rules::{By, Words};
use hubgen_model::{Bits, Field, Multiple, NumberText, Omit, Presence, TimeUnit, TypeExpr, TypeId};

use super::path::resolve;
use super::refusal::Refusal;
use super::{Direction, Mapper, ResolvedPath};

/// How a value converts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The types are equal.
    Same,
    /// By the program for this pair of types, the version's and the hub's.
    Pair(TypeId, TypeId),
    /// Each element of a list.
    List(Box<Value>),
    /// Each value of a map.
    Map(Box<Value>),
    /// In the hub, the value is this field of an object of this type.
    Wrapped(TypeId, String),
    /// Each of these strings of the version is another string in the hub. All others are refused
    /// before the program runs.
    Words(Words),
    /// Each entry of a map of the version is an item of a list in the hub.
    Keyed(Box<Keyed>),
    /// The number of the version, which has this size, is a text in the hub, in this form.
    Number(NumberText, Bits),
}

/// How the entries of a map are items of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The type of the items.
    pub item: TypeId,
    /// The field of the items that contains the key.
    pub key: String,
    /// Whether JSON contains that field even if the key is empty.
    pub writes_empty: bool,
    /// How a value of the map becomes an item, apart from the key: by a pair of types, or wrapped.
    pub value: Value,
}

impl Value {
    /// How a single value converts: an element of a list, or a value of a map.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost(),
            Self::Keyed(keyed) => keyed.value.innermost(),
            value => value,
        }
    }

    /// Whether it is a list or map of values.
    pub fn is_many(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_) | Self::Keyed(_))
    }

    /// The accepted strings of the source; empty if any value is accepted.
    pub fn words(&self, direction: Direction) -> Vec<&str> {
        let Self::Words(words) = self else { return Vec::new() };
        match direction {
            Direction::ToHub => words.pairs.iter().chain(&words.also).map(|(own, _)| own.as_str()).collect(),
            Direction::FromHub => words.pairs.iter().map(|(_, hub)| hub.as_str()).collect(),
        }
    }

    /// The strings that change, each with its counterpart.
    ///
    /// Unknown strings must not be lost, even where they are not refused. An unknown string stays
    /// unchanged. If it equals a string of the other side, two strings would become one; it is then
    /// mapped to the string that has no other use. For example, with `rsa` → `RSA` alone, `RSA`
    /// becomes `rsa`.
    pub fn translations(&self, direction: Direction) -> Vec<(&str, &str)> {
        let Self::Words(Words { pairs, also }) = self else { return Vec::new() };
        let (pairs, also): (Vec<(&str, &str)>, &[_]) = match direction {
            Direction::ToHub => (pairs.iter().map(|(own, hub)| (&**own, &**hub)).collect(), also),
            Direction::FromHub => (pairs.iter().map(|(own, hub)| (&**hub, &**own)).collect(), &[]),
        };
        let mut out = pairs.clone();
        out.extend(also.iter().map(|(own, hub)| (&**own, &**hub)));
        let is_source = |word: &str| out.iter().any(|(from, _)| *from == word);
        for (_, word) in pairs.iter().filter(|(_, to)| !is_source(to)).copied().collect::<Vec<_>>() {
            // Follow the chain of strings that both sides have.
            let mut unused = word;
            while let Some((from, _)) = pairs.iter().find(|(_, to)| *to == unused) {
                unused = from;
            }
            out.push((word, unused));
        }
        out
    }

    /// The line of the report for a value that moves between these paths.
    pub fn moved(&self, version: &str, hub: &str) -> Option<String> {
        match self {
            Self::Wrapped(_, field) => Some(format!("`{version}` is `{hub}.{field}`")),
            Self::Words(words) => {
                let all = words.pairs.iter().chain(&words.also);
                let words: Vec<String> = all.map(|(own, word)| format!("`{own}` is `{word}`")).collect();
                Some(format!("the values of `{version}` convert, and no others: {}", words.join(", ")))
            }
            Self::Keyed(keyed) => Some(format!(
                "each value of `{version}` is an item of `{hub}`, with its key in `{}`",
                keyed.key
            )),
            Self::Number(form, _) => Some(format!("the number `{version}` is `{hub}`, {form}")),
            _ => None,
        }
    }

    /// The line of the report for the part of the hub's value that the version cannot represent.
    pub fn kept(&self, hub: &str) -> Option<String> {
        match self {
            Self::Wrapped(_, field) => Some(format!("the fields of `{hub}` other than `{field}`")),
            Self::Keyed(keyed) => Some(format!(
                "the order of `{hub}`, and all items but the first one with the same `{}`",
                keyed.key
            )),
            Self::Number(..) => Some(format!("any other text of `{hub}` than that of the number")),
            _ => None,
        }
    }

    /// Whether no information is lost from the hub to the version.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.is_exact(),
            Self::Wrapped(..) | Self::Number(..) | Self::Keyed(_) => false,
            Self::Same | Self::Pair(..) | Self::Words(_) => true,
        }
    }
}

impl Mapper<'_> {
    /// How the value of a field that a rule moves converts.
    ///
    /// # Errors
    /// When the types of the fields do not convert.
    pub(super) fn moved(
        &mut self,
        by: &By,
        from: &ResolvedPath,
        to: &ResolvedPath,
        path: &str,
    ) -> Result<Value, Refusal> {
        let (version, hub) = (&from.field().ty, &to.field().ty);
        match by {
            By::Same => self.value(version, hub, path).ok_or_else(|| {
                format!("`move` needs the same type on both sides; {from} is {version}, {to} is {hub}").into()
            }),
            By::Wrap(field) => Ok(self.wrapped("wrap", version, hub, field)?),
            By::Words(words) if [version, hub].iter().all(|ty| **ty == TypeExpr::String) => {
                Ok(Value::Words(words.clone()))
            }
            By::Keyed { key, value } => self.keyed(version, hub, (key, value.as_deref()), path),
            By::Number(form) => Ok(number(*form, from.field(), to.field())?),
            By::Words(_) => {
                Err(format!("`words` needs strings on both sides; {from} is {version}, {to} is {hub}").into())
            }
        }
    }

    /// How a value converts; `None` if it needs a rule.
    pub(super) fn value(&mut self, version: &TypeExpr, hub: &TypeExpr, path: &str) -> Option<Value> {
        if self.sharing.same(version, hub) && !self.is_ruled(version) {
            return Some(Value::Same);
        }
        match (version, hub) {
            (TypeExpr::Ref(version), TypeExpr::Ref(hub)) => {
                let key =
                    (self.sharing.representing(version).clone(), self.sharing.representing(hub).clone());
                Some(self.pair_of(key, None, path))
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

    /// A value that converts by the program of a pair of types. `key` is the field of the hub's type that the key of a
    /// map becomes.
    fn pair_of(&mut self, pair: (TypeId, TypeId), key: Option<&str>, path: &str) -> Value {
        self.keys.entry(pair.clone()).or_default().insert(key.map(str::to_owned));
        self.todo.push((pair.0.clone(), pair.1.clone(), path.to_owned()));
        Value::Pair(pair.0, pair.1)
    }

    /// How a map converts to a list whose items contain the key.
    fn keyed(
        &mut self,
        version: &TypeExpr,
        hub: &TypeExpr,
        (key, value): (&str, Option<&str>),
        path: &str,
    ) -> Result<Value, Refusal> {
        let (TypeExpr::Map(inner), TypeExpr::List(item)) = (version, hub) else {
            return Err(Refusal {
                message: format!(
                    "`keyed` needs a map at the version and a list of objects in the hub; the fields are {version} and {hub}"
                ),
                help: "a list of the version would lose its order and items with the same key: for that, name a \
                       `function` of your own"
                    .to_owned(),
            });
        };
        let TypeExpr::Ref(id) = &**item else {
            return Err(format!("`keyed` needs a list of objects in the hub; it contains {item}").into());
        };
        let ty = self.types.find(id).ok_or_else(|| format!("unknown type {id}"))?;
        let place = resolve(self.types, ty, &[key.to_owned()])?;
        let field = place.field();
        if field.ty != TypeExpr::String || place.may_be_absent() || !field.enumeration.is_empty() {
            return Err(Refusal {
                message: format!(
                    "the field `{key}` of {id} cannot contain every key; it has to be a string that is always there"
                ),
                help: "name the field of the items that contains the key".to_owned(),
            });
        }
        let id = self.sharing.representing(id).clone();
        let value = match (value, &**inner) {
            (Some(field), inner) => self.wrapped("keyed", inner, item, field)?,
            (None, TypeExpr::Ref(own)) => {
                let own = self.sharing.representing(own).clone();
                self.pair_of((own, id.clone()), Some(key), path)
            }
            (None, inner) => {
                return Err(Refusal {
                    message: format!("the values of the map have no fields; they are {inner}"),
                    help: "name the field of the items that contains the value: `value = \"…\"`".to_owned(),
                });
            }
        };
        let writes_empty = matches!(field.omit, Omit::Never | Omit::Exact);
        Ok(Value::Keyed(Box::new(Keyed { item: id, key: key.to_owned(), writes_empty, value })))
    }

    /// Reports types of which some objects get a key from a map and others do not, or another one.
    pub(super) fn find_unkeyed(&mut self) {
        let twice: Vec<TypeId> = self
            .keys
            .iter()
            .filter(|(_, keys)| keys.len() > 1)
            .map(|((version, _), _)| version.clone())
            .collect();
        for version in twice {
            let Some(ty) = self.types.find(&version) else { continue };
            self.missing(
                (ty, &[]),
                version.name.clone(),
                "converts with the key of a map for one field, and without it, or with another one, elsewhere",
                "use `keyed` for all fields with objects of this type, and the same `key`",
            );
        }
    }

    /// How a value converts to an object that contains it in a field.
    fn wrapped(
        &self,
        operator: &str,
        version: &TypeExpr,
        hub: &TypeExpr,
        field: &str,
    ) -> Result<Value, String> {
        match (version, hub) {
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Ok(Value::List(Box::new(self.wrapped(operator, version, hub, field)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Ok(Value::Map(Box::new(self.wrapped(operator, version, hub, field)?)))
            }
            (version, TypeExpr::Ref(id)) => {
                let ty = self.types.find(id).ok_or_else(|| format!("unknown type {id}"))?;
                let inner = resolve(self.types, ty, &[field.to_owned()])?;
                if inner.field().ty != *version || inner.may_be_absent() {
                    return Err(format!(
                        "`{operator}` needs the same type on both sides; {version} is not {}",
                        inner.field().ty
                    ));
                }
                Ok(Value::Wrapped(self.sharing.representing(id).clone(), field.to_owned()))
            }
            (_, hub) => Err(format!("`{operator}` needs an object in the hub; the field is {hub}")),
        }
    }
}

/// How a number of the version and a text of the hub convert, at any depth of lists and maps.
fn number(form: NumberText, version: &Field, hub: &Field) -> Result<Value, Refusal> {
    fn value(form: NumberText, version: &TypeExpr, hub: &TypeExpr) -> Option<Value> {
        let short = Value::Number(form, Bits::Short);
        Some(match (version, hub) {
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Value::List(Box::new(value(form, version, hub)?))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => Value::Map(Box::new(value(form, version, hub)?)),
            (TypeExpr::Int32, TypeExpr::String | TypeExpr::IntOrString) => short,
            (TypeExpr::Int64, TypeExpr::String | TypeExpr::IntOrString) => Value::Number(form, Bits::Long),
            // Types that cannot contain every number.
            (TypeExpr::Int32, TypeExpr::Duration) => match form {
                NumberText::Duration(unit) if unit <= TimeUnit::Second => short,
                _ => return None,
            },
            (TypeExpr::Int32, TypeExpr::Quantity) if matches!(form, NumberText::Quantity(_)) => short,
            (TypeExpr::Int64, TypeExpr::Quantity) => match form {
                NumberText::Quantity(Multiple::Milli | Multiple::One) => Value::Number(form, Bits::Long),
                _ => return None,
            },
            _ => return None,
        })
    }
    let Some(value) = value(form, &version.ty, &hub.ty) else {
        let Field { name, ty, .. } = hub;
        let is_number = matches!(version.ty, TypeExpr::Int32 | TypeExpr::Int64);
        let is_of_form = matches!(
            (form, ty),
            (NumberText::Duration(_), TypeExpr::Duration) | (NumberText::Quantity(_), TypeExpr::Quantity)
        );
        let message = if is_number && is_of_form {
            format!("{name} is {ty}, which cannot contain every number of {}, as {form}", version.name)
        } else {
            format!(
                "`number` needs a whole number at the version, and in the hub a text that can contain {form}; {} is {}, \
                 {name} is {ty}",
                version.name, version.ty
            )
        };
        return Err(Refusal { message, help: "for other types, name a `function` of your own".to_owned() });
    };
    if !hub.enumeration.is_empty() {
        return Err(Refusal {
            message: format!("`number` may write any number, but {} allows only certain words", hub.name),
            help: "name a `function` of your own".to_owned(),
        });
    }
    // Where zero and an empty text are left out, they stand for each other, which is for a person to decide.
    let is_optional = |field: &Field| field.presence != Presence::Value;
    let is_written = |field: &Field| !is_optional(field) && matches!(field.omit, Omit::Never | Omit::Exact);
    let are_alike = |is: &dyn Fn(&Field) -> bool| is(version) && is(hub);
    if !are_alike(&is_optional) && !are_alike(&is_written) && !value.is_many() {
        return Err(Refusal {
            message: format!(
                "`number` needs fields that may both be absent, or are both always written; {} and {} are not",
                version.name, hub.name
            ),
            help: "make them alike, or name a `function` of your own".to_owned(),
        });
    }
    Ok(value)
}
