//! Prints the conversion of one value.

use hubgen_model::rules::Words;
use hubgen_model::{GroupVersion, NumberText, TypeExpr, TypeId};
use hubgen_plan::program::ops::FieldCopy;
use hubgen_plan::{Direction, Keyed, Value, is_by};
use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use crate::enums::Enum;
use crate::module::Module;
use crate::naming::{field_ident, ident, name_ident};

/// Prints conversions of values in one direction.
pub(super) struct Converter<'a> {
    context: &'a Context<'a>,
    direction: Direction,
    /// The version whose functions convert pairs of types, if it is not the module's own.
    version: Option<&'a GroupVersion>,
    words: WordTypes<'a>,
}

/// What texts are on both sides of a conversion: enums, or strings.
#[derive(Clone, Copy, Default)]
pub(super) struct WordTypes<'a> {
    pub from: Option<&'a Enum>,
    pub to: Option<&'a Enum>,
}

impl WordTypes<'_> {
    fn are_equal(self) -> bool {
        self.from.map(|from| &from.id) == self.to.map(|to| &to.id)
    }

    /// The conversion of a copy, which also converts texts of different types.
    pub(super) fn value(self, copy: &FieldCopy) -> Value {
        if self.are_equal() || *copy.value.innermost() != Value::Same {
            return copy.value.clone();
        }
        /// Texts that convert to others without a value map, at any depth.
        fn texts(ty: &TypeExpr) -> Value {
            match ty {
                TypeExpr::List(inner) => Value::List(Box::new(texts(inner))),
                TypeExpr::Map(inner) => Value::Map(Box::new(texts(inner))),
                _ => Value::Words(Words::default()),
            }
        }
        texts(&copy.from.field().ty)
    }

    /// Converts a text that no value map changes.
    fn unchanged(self, text: TokenStream) -> TokenStream {
        match self {
            _ if self.are_equal() => text,
            Self { from: Some(_), to: Some(_) } => quote!(Str::from(#text).into()),
            _ => quote!(#text.into()),
        }
    }
}

impl<'a> Converter<'a> {
    /// A converter that calls functions of this module.
    pub(super) fn new(context: &'a Context<'a>, direction: Direction) -> Self {
        Self { context, direction, version: None, words: WordTypes::default() }
    }

    /// The same, for fields of which some are enums.
    pub(super) fn words(self, words: WordTypes<'a>) -> Self {
        Self { words, ..self }
    }

    /// A converter that calls functions of another version's module for the same kind.
    pub(super) fn of(context: &'a Context<'a>, direction: Direction, version: &'a GroupVersion) -> Self {
        Self { context, direction, version: Some(version), words: WordTypes::default() }
    }

    /// Whether the conversion of a value is a `Result`.
    pub(super) fn may_fail(&self, value: &Value) -> bool {
        is_by(&self.context.fallible, value)
    }

    /// Whether the conversion of a value takes the metadata.
    fn reads(&self, value: &Value) -> bool {
        is_by(&self.context.reading, value)
    }

    /// Converts a value; leaves it alone if both sides have the same type.
    pub(super) fn value(&self, value: &Value, expression: TokenStream) -> TokenStream {
        match value {
            Value::Same => expression,
            Value::Pair(version, _) => {
                let function = self.function(version);
                let metadata = self.reads(value).then(|| quote!(, metadata));
                quote!(#function(#expression #metadata))
            }
            Value::List(inner) => {
                let (is_fallible, inner) = (self.may_fail(inner), self.closure(inner));
                if is_fallible {
                    return quote!(convert::each_of(#expression, #inner));
                }
                quote!(#expression.into_iter().map(#inner).collect())
            }
            Value::Map(inner) => {
                let (is_fallible, inner) = (self.may_fail(inner), self.closure(inner));
                if is_fallible {
                    return quote!(convert::each_value_of(#expression, #inner));
                }
                quote!(convert::each_value(#expression, #inner))
            }
            Value::Wrapped(id, field) => {
                let field = self.member(id, field);
                match self.direction {
                    Direction::ToHub => {
                        let path = self.context.path(id);
                        let member = if field == expression.to_string() {
                            quote!(#field)
                        } else {
                            quote!(#field: #expression)
                        };
                        quote!(#path { #member, ..Default::default() })
                    }
                    Direction::FromHub => quote!(#expression.#field),
                }
            }
            Value::Keyed(keyed) => self.keyed(keyed, expression),
            Value::Number(form, _) => {
                let form = number_text(*form);
                match self.direction {
                    Direction::ToHub => quote!(convert::to_text(#expression, #form)),
                    Direction::FromHub => quote!(convert::to_number(#expression, #form)),
                }
            }
            Value::Words(_) => {
                let mut translations = value.translations(self.direction);
                translations.retain(|(from, to)| from != to);
                self.text(&translations, expression)
            }
        }
    }

    /// The name in Rust of a field of an object.
    fn member(&self, id: &TypeId, name: &str) -> syn::Ident {
        let known = self.context.types.find(id).and_then(|ty| ty.field(name));
        known.map_or_else(|| name_ident(name), field_ident)
    }

    /// Converts a map to a list whose items contain the key, or the reverse.
    fn keyed(&self, Keyed { item, key, value, .. }: &Keyed, expression: TokenStream) -> TokenStream {
        let (key, path, may_fail) = (self.member(item, key), self.context.path(item), self.may_fail(value));
        match (self.direction, value) {
            (Direction::ToHub, Value::Wrapped(_, field)) => {
                let field = self.member(item, field);
                // Besides the key and the value.
                let has_others = self.context.types.find(item).is_none_or(|ty| ty.fields().len() > 2);
                let others = has_others.then(|| quote!(, ..Default::default()));
                quote!(convert::keyed(#expression, |#key, #field| #path { #key, #field #others }))
            }
            (Direction::ToHub, value) => {
                let inner = self.value(value, quote!(value));
                if may_fail {
                    quote!(convert::try_keyed(#expression, |#key, value| Ok(#path { #key, ..#inner? })))
                } else {
                    quote!(convert::keyed(#expression, |#key, value| #path { #key, ..#inner }))
                }
            }
            (Direction::FromHub, value) => {
                let function = if may_fail { quote!(try_by_key) } else { quote!(by_key) };
                let value = self.closure(value);
                quote!(convert::#function(#expression, |item| &mut item.#key, #value))
            }
        }
    }

    /// Converts a text of which a value map changes some words.
    fn text(&self, translations: &[(&str, &str)], expression: TokenStream) -> TokenStream {
        let Self { context, words, .. } = self;
        let translate =
            |word| translations.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| *to);
        // Words that are refused have been an error: each variant has a counterpart.
        if let (Some(from), Some(to @ Enum { other: None, .. })) = (words.from, words.to)
            && (!words.are_equal() || !translations.is_empty())
        {
            let (source, target) = (context.path(&from.id), context.path(&to.id));
            let cases = from.variants.iter().filter_map(|variant| {
                let counterpart = to.variant(translate(&variant.word))?;
                let (from, to) = (ident(&variant.name), ident(&counterpart.name));
                Some(quote!(#source::#from => #target::#to,))
            });
            return quote!(match #expression { #(#cases)* });
        }
        if translations.is_empty() {
            return words.unchanged(expression);
        }
        let (from, to): (Vec<_>, Vec<_>) = translations.iter().copied().unzip();
        // An enum without other words compares to no text.
        let is_closed = words.from.is_some_and(|from| from.other.is_none());
        let (expression, unchanged) = if is_closed {
            (quote!(Str::from(#expression)), quote!(word.into()))
        } else {
            (expression, words.unchanged(quote!(word)))
        };
        quote! {
            match #expression {
                #(word if word == #from => #to.into(),)*
                word => #unchanged,
            }
        }
    }

    /// A closure or function that converts a value, for `map`.
    pub(super) fn closure(&self, value: &Value) -> TokenStream {
        match value {
            Value::Pair(version, _) if !self.reads(value) => self.function(version),
            value => {
                let inner = self.value(value, quote!(value));
                quote!(|value| #inner)
            }
        }
    }

    /// Converts an optional value. `from` and `to` specify whether it is boxed before and after.
    pub(super) fn optional(
        &self,
        value: &Value,
        expression: TokenStream,
        (from, to): (bool, bool),
    ) -> TokenStream {
        // A type that both sides share is boxed on both or on neither.
        if *value == Value::Same {
            return expression;
        }
        let may_fail = self.may_fail(value);
        let transpose = may_fail.then(|| quote!(.transpose()));
        if !from && !to {
            let closure = self.closure(value);
            return quote!(#expression.map(#closure)#transpose);
        }
        let is_field = matches!((value, self.direction), (Value::Wrapped(..), Direction::FromHub));
        let inner = if from && !is_field { quote!(*value) } else { quote!(value) };
        let inner = self.value(value, inner);
        let inner = match (to, may_fail) {
            (false, _) => inner,
            (true, false) => quote!(Box::new(#inner)),
            (true, true) => quote!(#inner.map(Box::new)),
        };
        quote!(#expression.map(|value| #inner)#transpose)
    }

    /// Converts a value that may be absent or `null`, as [`Converter::optional`] does.
    pub(super) fn nullable(
        &self,
        value: &Value,
        expression: TokenStream,
        boxes: (bool, bool),
    ) -> TokenStream {
        if *value == Value::Same {
            return expression;
        }
        let transpose = self.may_fail(value).then(|| quote!(.transpose()));
        let inner = self.optional(value, quote!(value), boxes);
        quote!(#expression.map(|value| #inner)#transpose)
    }

    fn function(&self, id: &TypeId) -> TokenStream {
        let Some(version) = self.version else {
            let name = self.context.function(id, self.direction);
            return quote!(#name);
        };
        let name = self.context.function_of(version, id, self.direction);
        self.context.modules.function(Module::Version(version.clone()), &name)
    }
}

/// Prints the form in which a text contains a number.
pub(super) fn number_text(form: NumberText) -> TokenStream {
    match form {
        NumberText::Decimal => quote!(convert::NumberText::Decimal),
        NumberText::Percent => quote!(convert::NumberText::Percent),
        NumberText::Duration(unit) => {
            let unit = ident(&format!("{unit:?}"));
            quote!(convert::NumberText::Duration(convert::TimeUnit::#unit))
        }
        NumberText::Quantity(unit) => {
            let unit = ident(&format!("{unit:?}"));
            quote!(convert::NumberText::Quantity(convert::Multiple::#unit))
        }
    }
}
