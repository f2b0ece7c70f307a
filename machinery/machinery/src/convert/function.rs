//! Functions that rules can call, in both directions.
//!
//! The interpreter calls them by their names, and so does what converts JSON that is not decoded. Generated code for
//! typed objects calls the functions themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::parameters::{Parameters, Plain, PlainType, Results};
use super::returned::Returned;

/// One direction of a function.
type Call = Box<dyn Fn(Vec<Plain>) -> Result<Vec<Plain>, Failure> + Send + Sync>;

/// Why a function returns nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It takes parameters of other types.
    Types,
    /// It refuses the values of its parameters, for this reason.
    Refused(String),
}

/// A function that rules can call, in both directions.
pub struct Function {
    /// Its name in rules, or its module.
    pub name: &'static str,
    /// The types of the version's fields: what `from_hub` returns.
    pub version: &'static [PlainType],
    /// The types of the hub's fields: what `to_hub` returns.
    pub hub: &'static [PlainType],
    /// What `to_hub` takes: the version's fields, and fields of the metadata.
    pub to_hub_takes: &'static [PlainType],
    /// What `from_hub` takes: the hub's fields, and the same fields of the metadata.
    pub from_hub_takes: &'static [PlainType],
    /// Converts to the hub.
    pub to_hub: Call,
    /// Converts from the hub.
    pub from_hub: Call,
}

impl Function {
    /// A function, of whose directions each takes what the other one returns, and both the same fields of the metadata.
    pub fn new<V, H, T, F>(name: &'static str, to_hub: T, from_hub: F) -> Self
    where
        V: Parameters,
        H: Parameters,
        T: Callable<V, Results: Returned<Values: Results>> + Send + Sync + 'static,
        F: Callable<H, Results: Returned<Values: Results>> + Send + Sync + 'static,
    {
        Self {
            name,
            version: types_of::<F::Results>(),
            hub: types_of::<T::Results>(),
            to_hub_takes: V::TYPES,
            from_hub_takes: H::TYPES,
            to_hub: Box::new(move |values| call(&to_hub, values)),
            from_hub: Box::new(move |values| call(&from_hub, values)),
        }
    }
}

/// The types of the values that a function returns.
fn types_of<R: Returned<Values: Results>>() -> &'static [PlainType] {
    <R::Values as Results>::Parameters::TYPES
}

fn call<P, C>(function: &C, values: Vec<Plain>) -> Result<Vec<Plain>, Failure>
where
    P: Parameters,
    C: Callable<P, Results: Returned<Values: Results>>,
{
    let returned = function.call(P::from_plains(values).ok_or(Failure::Types)?).returned();
    returned.map(Results::into_plains).map_err(Failure::Refused)
}

/// Functions by the names that rules have for them: of a user's own code, its modules. Compiled code calls them
/// directly. The interpreter can only call those that it receives here.
///
/// ```
/// use hubgen_machinery::Str;
/// use hubgen_machinery::convert::Functions;
///
/// mod days {
///     use hubgen_machinery::Str;
///
///     pub fn to_hub(days: i32) -> Str {
///         format!("{}h", i64::from(days) * 24).into()
///     }
///
///     pub fn from_hub(duration: Str) -> i32 {
///         let hours = duration.strip_suffix('h').and_then(|hours| hours.parse::<i32>().ok());
///         hours.unwrap_or_default() / 24
///     }
/// }
///
/// let functions = Functions::default().with("crate::days", days::to_hub, days::from_hub);
/// assert_eq!(functions.find("crate::days").unwrap().version[0].to_string(), "i32");
/// ```
#[derive(Clone, Default)]
pub struct Functions {
    known: BTreeMap<&'static str, Arc<Function>>,
    is_without_others: bool,
}

impl Functions {
    /// No functions.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same, for a program that converts what needs no other functions: an object with a field that another
    /// function would read is refused, and any other object converts without it.
    #[must_use]
    pub fn without_others(self) -> Self {
        Self { is_without_others: true, ..self }
    }

    /// Whether objects convert that need none of the functions that are missing.
    pub fn is_without_others(&self) -> bool {
        self.is_without_others
    }

    /// Adds the two functions of a module. `module` is its path, as in the rules.
    #[must_use]
    pub fn with<V, H, T, F>(mut self, module: &'static str, to_hub: T, from_hub: F) -> Self
    where
        V: Parameters,
        H: Parameters,
        T: Callable<V, Results: Returned<Values: Results>> + Send + Sync + 'static,
        F: Callable<H, Results: Returned<Values: Results>> + Send + Sync + 'static,
    {
        self.known.insert(module, Arc::new(Function::new(module, to_hub, from_hub)));
        self
    }

    /// The same, with all functions of others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.known.extend(others.known.iter().map(|(name, function)| (*name, Arc::clone(function))));
        self
    }

    /// The functions of a module.
    pub fn find(&self, module: &str) -> Option<&Function> {
        self.known.get(module).map(|function| &**function)
    }

    /// All functions, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Function> {
        self.known.values().map(|function| &**function)
    }
}

/// A direction of a function: a Rust function or closure over plain values.
pub trait Callable<P> {
    /// What it returns.
    type Results;
    /// Calls it.
    fn call(&self, parameters: P) -> Self::Results;
}

macro_rules! callable {
    ($($name:ident)*) => {
        impl<Call: Fn($($name),*) -> Out, Out, $($name),*> Callable<($($name,)*)> for Call {
            type Results = Out;

            #[allow(non_snake_case, reason = "a type parameter is also the name of its value")]
            fn call(&self, ($($name,)*): ($($name,)*)) -> Out {
                self($($name),*)
            }
        }
    };
}

callable!(A);
callable!(A B);
callable!(A B C);
callable!(A B C D);
callable!(A B C D E);
callable!(A B C D E F);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Str, StrMap};

    #[test]
    fn parameters_of_another_type_are_refused() {
        let function = Function::new("a", |a: i32, b: bool| (b, a), |b: bool, a: i32| (a, b));
        let failure = |values| (function.to_hub)(values).err();
        assert_eq!(failure(vec![Plain::Int32(1)]), Some(Failure::Types));
        assert_eq!(failure(vec![Plain::Bool(true), Plain::Int32(1)]), Some(Failure::Types));
        assert!((function.from_hub)(vec![Plain::Bool(true), Plain::Int32(1)]).is_ok());
    }

    #[test]
    fn either_direction_may_fail() {
        let function = Function::new(
            "a",
            |days: i32| if days < 0 { Err("days are not negative") } else { Ok((days, true)) },
            |days: i32, _: bool| days,
        );
        let refused = (function.to_hub)(vec![Plain::Int32(-1)]).err();
        assert_eq!(refused, Some(Failure::Refused("days are not negative".to_owned())));
        assert_eq!((function.to_hub)(vec![Plain::Int32(1)]).map(|results| results.len()), Ok(2));
        assert!((function.from_hub)(vec![Plain::Int32(1), Plain::Bool(true)]).is_ok());
    }

    #[test]
    fn types_are_those_of_the_functions() {
        let to_hub = |_: Option<Vec<Str>>| (1i64, StrMap::<bool>::new());
        let from_hub = |_: i64, _: StrMap<bool>| None::<Vec<Str>>;
        let function = Function::new("a", to_hub, from_hub);
        let text = |types: &[PlainType]| types.iter().map(PlainType::to_string).collect::<Vec<_>>();
        assert_eq!(text(function.to_hub_takes), ["Option<Vec<Str>>"]);
        assert_eq!(text(function.version), ["Option<Vec<Str>>"]);
        assert_eq!(text(function.hub), ["i64", "StrMap<bool>"]);
    }
}
