//! `#[view(…)]`, as it is written.

use syn::{Attribute, Data, DeriveInput, Fields, Ident, Path, Type};

use crate::errors::Errors;
use crate::keys::{AttributeName, Key as _};

/// A struct with some fields of another struct, the whole: `#[view(core::v1::Pod)]`.
pub struct View {
    /// Its name.
    pub ident: Ident,
    /// The whole.
    pub whole: Path,
    /// The names of its fields in Rust, which are those of the whole, and their types.
    pub fields: Vec<(Ident, Type)>,
}

/// The attribute, if there is one.
pub(crate) fn attribute(attributes: &[Attribute]) -> Option<&Attribute> {
    AttributeName::View.all(attributes).next()
}

impl View {
    pub(crate) fn parse(input: &DeriveInput, attribute: &Attribute) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let whole = attribute.parse_args::<Path>().map_err(|error| {
            syn::Error::new(
                error.span(),
                "expected the type of which this is a view: `#[view(core::v1::Pod)]`",
            )
        });
        let whole = errors.take(whole);
        for other in input.attrs.iter().filter(|other| !std::ptr::eq(*other, attribute)) {
            match AttributeName::at(other.path()) {
                None | Some(AttributeName::Api) => {}
                Some(AttributeName::View) => {
                    errors.add(other, "`#[view(…)]` is written twice; remove one of the two");
                }
                Some(name) => {
                    let message = format!("a view has the schema of its whole: remove `#[{name}]`");
                    errors.add(other, message);
                }
            }
        }
        let mut fields = Vec::new();
        match &input.data {
            Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
                for field in &data.fields {
                    for attribute in &field.attrs {
                        if let Some(name) = AttributeName::at(attribute.path()) {
                            let message = format!(
                                "the field of a view is that of its whole, with the same name in Rust: remove `#[{name}]`"
                            );
                            errors.add(attribute, message);
                        }
                    }
                    fields.extend(field.ident.clone().map(|ident| (ident, field.ty.clone())));
                }
            }
            _ => {
                errors.add(&input.ident, "expected a struct with named fields: they are some of the whole's")
            }
        }
        errors.finish()?;
        let whole = whole.ok_or_else(|| syn::Error::new_spanned(attribute, "expected a type"))?;
        Ok(Self { ident: input.ident.clone(), whole, fields })
    }
}
