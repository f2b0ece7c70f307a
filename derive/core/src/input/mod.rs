//! Parses and checks the type on which the derive is used.

mod check;
mod enums;
mod view;

use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitStr, Type};

use self::check::{check, check_flatten, check_flattened, check_rest};
use self::enums::parse_enum;
pub use self::view::View;
use crate::attributes::{FieldAttributes, crate_path, refuses_unknown};
use crate::docs;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::json_name::json_name;
use crate::keys::AttributeName;
use crate::kind::KindAttributes;
use crate::leaf::{self, Leaf};

/// A type on which the derive is used, parsed and checked.
pub enum ApiType {
    /// A struct.
    Struct(Struct),
    /// An enum of words.
    Words(Words),
    /// An enum of objects.
    OneOf(OneOf),
    /// A text of a foreign type.
    Leaf(Box<Leaf>),
    /// Some fields of another struct.
    View(View),
}

/// A struct with named fields.
pub struct Struct {
    /// Its name.
    pub ident: Ident,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its kind, if it is one.
    pub kind: Option<Box<KindAttributes>>,
    /// Its fields, in the order of the source.
    pub fields: Vec<Field>,
    /// Whether JSON must have no other fields. If the last field is the [rest](Struct::has_rest), it
    /// contains them, and otherwise they are dropped.
    pub refuses_unknown: bool,
    /// What its schema specifies about the object as a whole.
    pub facts: Facts,
    /// Whether other structs may have its fields as their own.
    pub is_flattened: bool,
}

impl Struct {
    /// Whether the last field contains what JSON has besides the other fields.
    pub fn has_rest(&self) -> bool {
        self.fields.last().is_some_and(|field| field.attributes.rest.is_some())
    }
}

/// A field of a struct, or a variant of an enum of objects.
pub struct Field {
    /// Its name in Rust.
    pub ident: Ident,
    /// Its type.
    pub ty: Type,
    /// Its name in JSON.
    pub name: String,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its attributes.
    pub attributes: FieldAttributes,
}

impl Field {
    /// Whether JSON has a field of its name: it is neither the rest nor a flattened object.
    pub fn is_named(&self) -> bool {
        self.attributes.rest.is_none() && self.attributes.flatten.is_none()
    }

    /// The protobuf numbers, from the outermost message inwards.
    fn number(&self) -> Vec<u32> {
        self.attributes.number.iter().filter_map(|number| number.base10_parse().ok()).collect()
    }
}

/// An enum of unit variants, which is one of a set of words in JSON.
pub struct Words {
    /// Its name.
    pub ident: Ident,
    /// The unit variants, each with its word.
    pub words: Vec<(Ident, String)>,
    /// Whether there are other words.
    pub set: Set,
}

/// Whether a word may be one that no unit variant has.
pub enum Set {
    /// No.
    Closed {
        /// The variant that is the empty value.
        default: Ident,
    },
    /// Yes.
    Open {
        /// The variant that contains it.
        other: Ident,
    },
}

/// An enum of variants with one value each, which is an object with one field in JSON.
pub struct OneOf {
    /// Its name.
    pub ident: Ident,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its variants.
    pub members: Vec<Field>,
    /// The variant that is the empty value.
    pub default: Ident,
    /// What its schema specifies about the object as a whole.
    pub facts: Facts,
}

impl ApiType {
    /// Its name.
    pub fn ident(&self) -> &Ident {
        match self {
            Self::Struct(item) => &item.ident,
            Self::Words(item) => &item.ident,
            Self::OneOf(item) => &item.ident,
            Self::Leaf(item) => &item.ident,
            Self::View(item) => &item.ident,
        }
    }

    /// Parses a struct or an enum with its attributes.
    ///
    /// # Errors
    /// All wrong uses of the derive, combined.
    pub fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        if let Some(parameter) = input.generics.params.first() {
            errors.add(
                parameter,
                "expected a type without parameters and lifetimes: an API type has exactly one schema",
            );
        }
        errors.take(crate_path(&input.attrs));
        if let Some(attribute) = leaf::attribute(&input.attrs) {
            errors.finish()?;
            return Leaf::parse(input, attribute).map(|leaf| Self::Leaf(Box::new(leaf)));
        }
        if let Some(attribute) = view::attribute(&input.attrs) {
            errors.finish()?;
            return View::parse(input, attribute).map(Self::View);
        }
        let kind = errors.take(KindAttributes::parse(&input.attrs)).flatten().map(Box::new);
        let facts = errors.take(Facts::of_type(&input.attrs)).unwrap_or_default();
        let describe: Describe = match docs::is_generated(&input.ident, &input.attrs) {
            true => |_| None,
            false => docs::description,
        };
        let parsed = match &input.data {
            Data::Struct(data) => {
                let fields = errors.take(named(&data.fields, &input.ident)).map(|fields| {
                    fields
                        .iter()
                        .filter_map(|field| errors.take(parse_field(field, describe)))
                        .collect::<Vec<_>>()
                });
                let fields = fields.unwrap_or_default();
                check(&fields, &mut errors);
                let refuses = errors.take(refuses_unknown(&input.attrs)).flatten();
                check_rest(&fields, refuses, &mut errors);
                check_flatten(&fields, &mut errors);
                let flattened = AttributeName::Flattened.all(&input.attrs).next();
                if let Some(attribute) = flattened {
                    check_flattened(attribute, &fields, kind.is_some(), refuses, &facts, &mut errors);
                }
                let refuses_unknown = refuses.is_some();
                Some(Self::Struct(Struct {
                    ident: input.ident.clone(),
                    description: describe(&input.attrs),
                    kind,
                    fields,
                    refuses_unknown,
                    facts,
                    is_flattened: flattened.is_some(),
                }))
            }
            Data::Enum(data) => {
                if let Some(attribute) = AttributeName::Flattened.all(&input.attrs).next() {
                    errors.add(
                        attribute,
                        "expected `#[flattened]` on a struct, whose fields become those of another object",
                    );
                }
                if let Some(span) = errors.take(refuses_unknown(&input.attrs)).flatten() {
                    let message = "expected `#[unknown(refuse)]` on a struct, which has fields";
                    errors.push(syn::Error::new(span, message));
                }
                parse_enum(input, data, kind.is_some(), facts, describe, &mut errors)
            }
            Data::Union(data) => {
                errors.add(
                    data.union_token,
                    "expected a struct or an enum: JSON cannot represent a Rust union",
                );
                None
            }
        };
        errors.finish()?;
        parsed.ok_or_else(|| syn::Error::new_spanned(&input.ident, "expected a struct or an enum"))
    }
}

fn named<'a>(fields: &'a Fields, ident: &Ident) -> syn::Result<Vec<&'a syn::Field>> {
    match fields {
        Fields::Named(named) => Ok(named.named.iter().collect()),
        Fields::Unit => Ok(Vec::new()),
        Fields::Unnamed(_) => Err(syn::Error::new_spanned(
            ident,
            "expected named fields: each field needs a name in the JSON object; a type of another crate that is a text \
             in JSON is a leaf: `#[leaf(text, …)]`",
        )),
    }
}

/// Makes a description of attributes.
type Describe = fn(&[Attribute]) -> Option<String>;

fn parse_field(field: &syn::Field, describe: Describe) -> syn::Result<Field> {
    let ident =
        field.ident.clone().ok_or_else(|| syn::Error::new_spanned(field, "expected a named field"))?;
    let attributes = FieldAttributes::parse(&field.attrs)?;
    attributes.facts.check_type(&field.ty)?;
    let name = attributes.name.as_ref().map_or_else(|| json_name(&ident.to_string()), LitStr::value);
    Ok(Field { ident, ty: field.ty.clone(), name, description: describe(&field.attrs), attributes })
}
