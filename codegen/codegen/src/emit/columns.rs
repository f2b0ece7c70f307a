//! Emits the columns in which clients show the objects of kinds.

use std::collections::BTreeMap;

use hubgen_model::behaviour::Behaviours;
use hubgen_model::columns::{Column, Columns, KindColumns, Or, Show, ValueAt};
use hubgen_model::{Column as DefinedColumn, GroupVersionKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::description::doc;
use crate::naming::{ident, snake};

/// The name of the constant with the columns of a kind at a version: `DEPLOYMENT`, or `V1_WIDGET` where versions have
/// their own.
fn constant(name: &GroupVersionKind, columns: &Columns) -> Ident {
    let kind = snake(&name.kind);
    let name = match columns {
        Columns::OfKind(_) => kind,
        Columns::Defined(_) => format!("{}_{kind}", name.group_version.version),
    };
    ident(&name.to_uppercase())
}

/// The columns of a kind at a version, as an expression. `group` is the path of its group.
pub fn path(name: &GroupVersionKind, columns: &Columns, group: &TokenStream) -> TokenStream {
    if is_default(columns) {
        return quote!(hubgen_machinery::columns::Columns::OF_DEFINITIONS);
    }
    let constant = constant(name, columns);
    quote!(&#group::columns::#constant)
}

/// Whether they are those of a definition that specifies none.
fn is_default(columns: &Columns) -> bool {
    matches!(columns, Columns::Defined(none) if none.is_empty())
}

/// Emits the columns of the kinds of a group, a constant for each; nothing if those of all kinds are usual.
pub fn emit(behaviours: &Behaviours, group: &str) -> Vec<TokenStream> {
    let own = behaviours
        .columns
        .iter()
        .filter(|(name, columns)| name.group_version.group == group && !is_default(columns));
    let all: BTreeMap<String, (&GroupVersionKind, &Columns)> =
        own.map(|(name, columns)| (constant(name, columns).to_string(), (name, columns))).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let constants: Vec<TokenStream> = all.values().map(|(name, columns)| of_kind(name, columns)).collect();
    let text = quote!(#(#constants)*).to_string();
    let is_used =
        |name: &&str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name);
    let names = |names: &[&'static str]| -> Vec<Ident> {
        names.iter().copied().filter(|name| is_used(name)).map(ident).collect()
    };
    let functions = is_used(&"cells").then(|| {
        quote!(
            use hubgen_kubernetes_functions::cells;
        )
    });
    let columns = names(&["Column", "Columns", "Or", "Show", "TextPart", "ValueAt"]);
    let reflect = names(&["Ref", "Text", "Words"]);
    let imports = quote! {
        #functions
        use hubgen_machinery::columns::{#(#columns),*};
        use hubgen_machinery::reflect::{#(#reflect),*};
    };
    std::iter::once(imports).chain(constants).collect()
}

fn of_kind(name: &GroupVersionKind, columns: &Columns) -> TokenStream {
    let constant = constant(name, columns);
    let (docs, columns, is_of_version, of_kind) = match columns {
        Columns::OfKind(of_kind) => {
            let columns: Vec<TokenStream> = of_kind.columns.iter().map(column).collect();
            (format!("The columns of {}.", name.kind), columns, false, of_kind.clone())
        }
        Columns::Defined(columns) => {
            let columns = std::iter::once(quote!(Column::NAME)).chain(columns.iter().map(defined)).collect();
            let docs = format!("The columns of {} at {}.", name.kind, name.group_version.api_version());
            (docs, columns, true, KindColumns::default())
        }
    };
    let docs = doc(&[docs]);
    let KindColumns { completed, sorted_by, default_since, .. } = of_kind;
    let completed = optional(completed.map(|name| function(&name)));
    let sorted_by = optional(sorted_by.map(|path| text(&path)));
    let default_since = optional(default_since.map(|name| function(&name)));
    quote! {
        #docs
        pub static #constant: Columns = Columns {
            columns: Ref::Static(&[#(#columns),*]),
            is_of_version: #is_of_version,
            completed: #completed,
            sorted_by: #sorted_by,
            default_since: #default_since,
        };
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}

/// A function that makes a cell.
fn function(name: &str) -> TokenStream {
    let path: syn::Path = syn::parse_str(name).expect("the function exists");
    quote!(cells::#path)
}

fn text(text: &str) -> TokenStream {
    quote!(Text::Static(#text))
}

fn column(Column { name, ty, format, priority, show }: &Column) -> TokenStream {
    match (name.as_str(), ty.as_str(), format.as_str(), priority, show) {
        ("Name", "string", "name", 0, Show::Value(ValueAt { path, .. })) if path == ".metadata.name" => {
            return quote!(Column::NAME);
        }
        ("Age", "string", "", 0, Show::Age { path, or })
            if path == ".metadata.creationTimestamp" && or == "<unknown>" =>
        {
            return quote!(Column::AGE);
        }
        _ => {}
    }
    let (priority, show) = (Literal::i32_unsuffixed(*priority), shown(show));
    quote!(Column::fixed(#name, #ty, #format, #priority, #show))
}

fn shown(show: &Show) -> TokenStream {
    match show {
        Show::Value(ValueAt { path, or: Or::Text(or), empty_is_none: _ }) if or.is_empty() => {
            quote!(Show::text_at(#path))
        }
        Show::Value(value) => {
            let value = value_at(value);
            quote!(Show::Value(#value))
        }
        Show::Text { values, after } => {
            let part = |before: &str, value: TokenStream| {
                let before = text(before);
                quote!(TextPart { before: #before, value: #value })
            };
            let mut parts: Vec<TokenStream> = values
                .iter()
                .map(|(before, value)| {
                    let value = value_at(value);
                    part(before, quote!(Some(#value)))
                })
                .collect();
            if !after.is_empty() {
                parts.push(part(after, quote!(None)));
            }
            quote!(Show::Text(Ref::Static(const { &[#(#parts),*] })))
        }
        Show::Joined { path, or, empty_is_none } => {
            let (path, or) = (text(path), text(or));
            quote!(Show::Joined { path: #path, or: #or, empty_is_none: #empty_is_none })
        }
        Show::Count(paths) => quote!(Show::Count(Words::Static(&[#(#paths),*]))),
        Show::Age { path, or } => quote!(Show::age_at(#path, #or)),
        Show::Function { name, path } => {
            let function = function(name);
            quote!(Show::of(#function, #path))
        }
    }
}

fn value_at(ValueAt { path, or, empty_is_none }: &ValueAt) -> TokenStream {
    let or = match or {
        Or::Text(or) => {
            let or = text(or);
            quote!(Or::Text(#or))
        }
        Or::Integer(number) => {
            let number = Literal::i64_unsuffixed(*number);
            quote!(Or::Integer(#number))
        }
        Or::Bool(value) => quote!(Or::Bool(#value)),
    };
    quote!(ValueAt::fixed(#path, #or, #empty_is_none))
}

/// A column of a definition.
fn defined(column: &DefinedColumn) -> TokenStream {
    let DefinedColumn { name, ty, format, description, priority, json_path } = column;
    let described = description.clone().filter(|text| !text.is_empty());
    let described = described.unwrap_or_else(|| hubgen_facts::definition::described_by(json_path));
    let [name, ty, format, path] =
        [name, ty, format.as_deref().unwrap_or_default(), json_path].map(|part: &str| text(part));
    let description = text(&described);
    let priority = Literal::i32_unsuffixed(priority.unwrap_or_default()).into_token_stream();
    quote!(Column {
        name: #name,
        ty: #ty,
        format: #format,
        description: #description,
        priority: #priority,
        show: Show::Defined { path: #path, ty: #ty },
    })
}
