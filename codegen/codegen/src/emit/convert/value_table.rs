//! Emits tables of values.

use hubgen_model::value_table::{Cell, Part, Way};
use hubgen_model::{PlainType, TypeExpr, TypeId};
use hubgen_plan::ResolvedPath;
use hubgen_plan::program::ops::{Level, TypedCell, TypedMember, TypedRow, TypedTable};
use proc_macro2::TokenStream;
use quote::quote;

use crate::naming::{ident, snake};

/// The name of the constant with a table: that of the version's type, and its first field of the version.
pub(super) fn name(version: &TypeId, fields: &[ResolvedPath]) -> syn::Ident {
    let names = fields[0].names().into_iter().map(snake).collect::<Vec<_>>().join("_");
    ident(&format!("{}_{names}", snake(&version.name)).to_uppercase())
}

/// The constant with a table.
pub(super) fn constant(name: &syn::Ident, fields: [&[ResolvedPath]; 2], table: &TypedTable) -> TokenStream {
    let [version, hub] =
        fields.map(|fields| fields.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", "));
    let docs = super::super::description::doc(&[format!(
        "What {version} of the version and {hub} of the hub have together."
    )]);
    let table = value(table);
    quote! {
        #docs
        const #name: convert::ValueTable = #table;
    }
}

/// A table as a constant expression. Its parts have destructors, so that no function can make them there.
pub(super) fn value(TypedTable { table: _, version, hub, rows, each }: &TypedTable) -> TokenStream {
    let (version, hub, rows) = (list(version, ty), list(hub, ty), list(rows, row));
    let each = list(each, level);
    quote!(convert::ValueTable { version: #version, hub: #hub, rows: #rows, each: #each })
}

fn list<T>(items: &[T], emit: impl Fn(&T) -> TokenStream) -> TokenStream {
    let items = items.iter().map(emit);
    quote!(Held::Static(&[#(#items),*]))
}

fn level(level: &Level) -> TokenStream {
    match level {
        Level::List => quote!(convert::Level::List),
        Level::Map => quote!(convert::Level::Map),
        Level::Any => quote!(convert::Level::Any),
    }
}

fn row(TypedRow { version, hub, way }: &TypedRow) -> TokenStream {
    let way = match way {
        Way::Both => quote!(convert::Way::Both),
        Way::ToHub => quote!(convert::Way::ToHub),
        Way::FromHub => quote!(convert::Way::FromHub),
    };
    let (version, hub) = (list(version, cell), list(hub, cell));
    quote!(convert::Row { version: #version, hub: #hub, way: #way })
}

fn cell(cell: &TypedCell) -> TokenStream {
    match cell {
        TypedCell::Single(cell) => single(cell),
        TypedCell::List(cells) => {
            let cells = list(cells, self::cell);
            quote!(convert::Cell::List(#cells))
        }
        TypedCell::Each(inner) => {
            let inner = self::cell(inner);
            quote!(convert::Cell::Each(Held::Static(&#inner)))
        }
        TypedCell::Object { members, others } => {
            let members = list(members, member);
            let others = match others {
                Some(others) => {
                    let others = list(others, text);
                    quote!(Some(#others))
                }
                None => quote!(None),
            };
            quote!(convert::Cell::Object { members: #members, others: #others })
        }
        TypedCell::Entry(name, inner) => {
            let inner = self::cell(inner);
            quote!(convert::Cell::Entry(Text::Static(#name), Held::Static(&#inner)))
        }
    }
}

fn text(text: &String) -> TokenStream {
    quote!(Text::Static(#text))
}

fn member(TypedMember { name, ty: of, always, cell: own }: &TypedMember) -> TokenStream {
    let (of, own) = (ty(of), cell(own));
    let always = match always {
        Some(json) => quote!(Some(Text::Static(#json))),
        None => quote!(None),
    };
    quote!(convert::Member { name: Text::Static(#name), ty: #of, always: #always, cell: #own })
}

/// A cell without others in it.
fn single(cell: &Cell) -> TokenStream {
    match cell {
        Cell::Nothing => quote!(convert::Cell::Nothing),
        Cell::Any => quote!(convert::Cell::Any),
        Cell::Bool(value) => quote!(convert::Cell::Bool(#value)),
        Cell::Integer(value) => {
            let value = proc_macro2::Literal::i64_unsuffixed(*value);
            quote!(convert::Cell::Integer(#value))
        }
        Cell::Word(word) => quote!(convert::Cell::Word(Text::Static(#word))),
        Cell::Named(name) => quote!(convert::Cell::Named(Text::Static(#name))),
        Cell::Text(pattern) => {
            let parts = list(&pattern.parts, part);
            quote!(convert::Cell::Text(#parts))
        }
        Cell::EmptyText => quote!(convert::Cell::EmptyText),
        Cell::EmptyList => quote!(convert::Cell::EmptyList),
        Cell::List(_) | Cell::Each(_) | Cell::Object(_) | Cell::Entry(..) => {
            unreachable!("the plan types what is in it")
        }
    }
}

fn part(part: &Part) -> TokenStream {
    match part {
        Part::Literal(text) => quote!(convert::Part::Literal(Text::Static(#text))),
        Part::Named(name) => quote!(convert::Part::Named(Text::Static(#name))),
        Part::Joined(name, separator) => {
            quote!(convert::Part::Joined(Text::Static(#name), Text::Static(#separator)))
        }
    }
}

fn ty(PlainType { ty, optional }: &PlainType) -> TokenStream {
    let name = value_type(ty);
    if *optional { quote!(convert::PlainType::Optional(&#name)) } else { name }
}

fn value_type(ty: &TypeExpr) -> TokenStream {
    match ty {
        TypeExpr::Bool => quote!(convert::PlainType::Bool),
        TypeExpr::Int32 => quote!(convert::PlainType::Int32),
        TypeExpr::Int64 => quote!(convert::PlainType::Int64),
        TypeExpr::Raw(_) => quote!(convert::PlainType::Json),
        TypeExpr::List(inner) => {
            let inner = value_type(inner);
            quote!(convert::PlainType::List(&#inner))
        }
        _ => quote!(convert::PlainType::Text),
    }
}
