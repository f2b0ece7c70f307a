//! The Rust types of plain values. Files of conversions import them.

use hubgen_model::{Field, TypeExpr};
use proc_macro2::TokenStream;
use quote::quote;

use super::Context;

/// The type of a field that a function takes.
pub(super) fn of_field(context: &Context<'_>, field: &Field) -> TokenStream {
    let ty = of_value(context, &field.ty);
    if field.may_be_absent() { quote!(Option<#ty>) } else { ty }
}

fn of_value(context: &Context<'_>, ty: &TypeExpr) -> TokenStream {
    match ty {
        TypeExpr::Ref(id) => context.path(id),
        TypeExpr::List(inner) => {
            let inner = of_value(context, inner);
            quote!(Vec<#inner>)
        }
        TypeExpr::Map(inner) => {
            let inner = of_value(context, inner);
            quote!(StrMap<#inner>)
        }
        ty => rust_type(ty),
    }
}

/// The type of a plain value.
pub(super) fn rust_type(ty: &TypeExpr) -> TokenStream {
    match ty {
        TypeExpr::Bool => quote!(bool),
        TypeExpr::Int32 => quote!(i32),
        TypeExpr::Int64 => quote!(i64),
        TypeExpr::Float => quote!(f32),
        TypeExpr::Double => quote!(f64),
        TypeExpr::Uint16 => quote!(u16),
        TypeExpr::Uint32 => quote!(u32),
        TypeExpr::Uint64 => quote!(u64),
        TypeExpr::Quantity => quote!(Quantity),
        TypeExpr::IntOrString => quote!(IntOrString),
        TypeExpr::Raw(_) => quote!(Raw),
        TypeExpr::List(inner) => {
            let inner = rust_type(inner);
            quote!(Vec<#inner>)
        }
        TypeExpr::Map(inner) => {
            let inner = rust_type(inner);
            quote!(StrMap<#inner>)
        }
        _ => quote!(Str),
    }
}
