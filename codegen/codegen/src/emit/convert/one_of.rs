//! Prints the conversion of enums of objects in users' source: variant by variant.

use hubgen_plan::program::Op;
use proc_macro2::TokenStream;
use quote::quote;

use super::program::Writer;
use crate::naming::field_ident;

/// The body of a function that converts one enum to another. That both have the same variants was checked.
pub(super) fn body(writer: &Writer<'_>) -> TokenStream {
    let (source, target) = writer.sides();
    let (input, context) = (&writer.input, writer.context);
    let (source, target) = (context.path(source), context.path(target));
    let cases = writer.program.ops.iter().filter_map(|op| {
        let Op::Copy(copy) = op else { return None };
        let (from, to) = (field_ident(copy.from.field()), field_ident(copy.to.field()));
        let value = writer.copied(copy, quote!(value));
        Some(quote!(#source::#from(value) => #target::#to(#value),))
    });
    quote!(match #input { #(#cases)* })
}
