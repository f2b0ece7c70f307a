//! Where in a type a patch is: which members are there, and how they are merged.

use hubgen_machinery::reflect::{Described, Fact, Field, Type};

use crate::Error;

/// The type of an object or of the items of a list.
pub(super) enum Place {
    Struct(Described),
    /// Anything else: maps, scalars, any JSON. Nothing is known of what is inside; this is what upstream calls it.
    Other(&'static str),
}

/// How a member is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Objects are merged, lists are replaced.
    Usual,
    Merge,
    Replace,
}

impl Place {
    /// The type of a member that is an object, with its strategy and merge key.
    pub(super) fn member(&self, name: &str) -> Result<(Self, Strategy, Option<String>), Error> {
        let field = self.field(name)?;
        let (strategy, key) = how(field);
        Ok((Self::of(&field.ty), strategy, key))
    }

    /// The type of the items of a member that is a list, with the strategy and the merge key of the list.
    pub(super) fn list(&self, name: &str) -> Result<(Self, Strategy, Option<String>), Error> {
        let field = self.field(name)?;
        let (strategy, key) = how(field);
        let items = match &field.ty {
            Type::List(items) => Self::of(&items.ty),
            Type::Strings => Self::Other("string"),
            other => {
                let found = Self::of(other).name();
                return Err(Error::Misused(format!("expected slice or array type, but got: {found}")));
            }
        };
        Ok((items, strategy, key))
    }

    fn field(&self, name: &str) -> Result<&Field, Error> {
        let Self::Struct(described) = self else {
            let found = self.name();
            return Err(Error::Misused(format!(
                "merging an object in json but data type is not struct, instead is: {found}"
            )));
        };
        let named = described.named();
        // Upstream prefers the exact name, and accepts one in other case.
        let exact = named.iter().find(|field| field.name == name);
        let field = exact.or_else(|| named.iter().find(|field| field.name.eq_ignore_ascii_case(name)));
        field.ok_or_else(|| {
            let of = &described.name;
            Error::Misused(format!("unable to find api field in struct {of} for the json field {name:?}"))
        })
    }

    fn of(ty: &Type) -> Self {
        match ty {
            Type::Struct(inner) => Self::Struct(inner.descriptor()),
            Type::Map(_) => Self::Other("map"),
            Type::List(_) | Type::Strings => Self::Other("slice"),
            Type::Raw | Type::Union(_) => Self::Other("struct"),
            _ => Self::Other("string"),
        }
    }

    /// What upstream calls it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Struct(_) => "struct",
            Self::Other(name) => name,
        }
    }
}

/// The strategy and the merge key of a field.
fn how(field: &Field) -> (Strategy, Option<String>) {
    let mut found = (Strategy::Usual, None);
    for fact in field.facts.iter() {
        match fact {
            Fact::Patch(words) if words.contains("merge") => found.0 = Strategy::Merge,
            Fact::Patch(words) if words.contains("replace") => found.0 = Strategy::Replace,
            Fact::MergeKey(key) => found.1 = Some(key.to_string()),
            _ => {}
        }
    }
    found
}
