//! Emits the code for annotations in which upstream keeps fields. On the way to the hub they are
//! read before the object is converted, and their values are inserted after; on the way from the
//! hub they are written before.

use hubgen_model::rules::Form;
use hubgen_model::{Field, TypeExpr};
use hubgen_plan::program::Element;
use hubgen_plan::{Direction, Kept, ResolvedPath, Value};
use proc_macro2::TokenStream;
use quote::quote;

use super::value::Converter;
use super::{Context, element};
use crate::naming::{field_ident, field_path, ident, snake};

/// Statements of the root's `to_hub`: those before and those after the object is converted.
/// `annotations` is a reference to the annotations.
pub(super) fn to_hub(
    context: &Context<'_>,
    annotations: &TokenStream,
) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let kept = &context.mapping.kept;
    (
        kept.iter().map(|kept| read(context, kept, annotations)).collect(),
        kept.iter().map(|kept| put(context, kept)).collect(),
    )
}

/// Statements before the hub is converted to the version. `annotations` is a mutable reference to
/// the annotations.
pub(super) fn from_hub(context: &Context<'_>, annotations: &TokenStream) -> Vec<TokenStream> {
    context.mapping.kept.iter().map(|kept| write(context, kept, annotations)).collect()
}

/// The variable for the value of an annotation.
fn variable(kept: &Kept) -> syn::Ident {
    let name = snake(&kept.path.names().join("_"));
    ident(name.strip_prefix("spec_").or(name.strip_prefix("status_")).unwrap_or(&name))
}

fn read(context: &Context<'_>, kept: &Kept, annotations: &TokenStream) -> TokenStream {
    let (name, key) = (variable(kept), &kept.annotation.key);
    let (function, ty) = match (&kept.annotation.form, &kept.via) {
        (Form::Internal, _) => ("get_internal", None),
        (Form::Version(_), Some((_, TypeExpr::List(inner), _))) => ("get_list", inner.named()),
        (Form::Version(_), Some((_, own, _))) => ("get_object", own.named()),
        (Form::Zero, _) => ("get_zero", None),
        _ => ("get_text", None),
    };
    let function = ident(function);
    let turbofish = ty.map(|id| {
        let path = context.path(id);
        quote!(::<#path>)
    });
    quote!(let #name = annotation::#function #turbofish(#annotations, #key);)
}

/// The value of the annotation, converted to or from the hub's type.
fn converted(context: &Context<'_>, kept: &Kept, value: TokenStream, direction: Direction) -> TokenStream {
    match &kept.via {
        // A list of objects of the same type needs no conversion, and no `collect`.
        None | Some((_, _, Value::Same)) => value,
        Some((version, _, how)) => Converter::of(context, direction, version).value(how, value),
    }
}

/// Inserts the value of the annotation into `hub`.
fn put(context: &Context<'_>, kept: &Kept) -> TokenStream {
    let name = variable(kept);
    let value = converted(context, kept, quote!(#name), Direction::ToHub);
    let (conditions, path) = reach_mut(&kept.path);
    let statement = if let Some(Element { field, last, .. }) = &kept.shown {
        if kept.annotation.whole {
            let (value_of, set) = (element::read(field), element::set(field));
            quote!(#path = convert::with_shown(#value, std::mem::take(&mut #path), #last, #value_of, #set);)
        } else {
            // Upstream puts the elements from the annotation first.
            let value = match &kept.via {
                Some((version, _, Value::List(inner))) => {
                    let closure = Converter::of(context, Direction::ToHub, version).closure(inner);
                    quote!(#name.into_iter().map(#closure))
                }
                _ => quote!(#name),
            };
            quote!(#path.splice(0..0, #value);)
        }
    } else if kept.annotation.form == Form::Zero {
        quote!(#path.get_or_insert(#value);)
    } else if context.boxed.field(kept.path.field()) {
        quote!(#path = Some(Box::new(#value));)
    } else if kept.path.may_be_absent() {
        quote!(#path = Some(#value);)
    } else {
        quote!(#path = #value;)
    };
    quote!(if let Some(#name) = #name #(&& #conditions)* { #statement })
}

/// Returns the code for writing to a field of `hub`: the conditions for its parents to exist, and
/// the expression. The innermost object that may be absent is created, since the annotation implies
/// that it was present. The objects around it must exist.
fn reach_mut(place: &ResolvedPath) -> (Vec<TokenStream>, TokenStream) {
    let innermost = place.0.iter().rposition(Field::may_be_absent);
    let mut conditions = Vec::new();
    let mut path = quote!(hub);
    for (index, field) in place.0.iter().enumerate() {
        let (name, path_to) = (field_ident(field), field_path(field));
        path = quote!(#path.#path_to);
        if !field.may_be_absent() || index + 1 == place.0.len() {
            continue;
        }
        if Some(index) == innermost {
            path = quote!(#path.get_or_insert_default());
        } else {
            conditions.push(quote!(let Some(#name) = &mut #path));
            path = quote!(#name);
        }
    }
    (conditions, path)
}

/// Writes a field of `hub` into its annotation. A value whose type differs in the annotation is
/// moved out of `hub`. The only other use of it would be an element of a list that is a field of
/// the version.
fn write(context: &Context<'_>, kept: &Kept, annotations: &TokenStream) -> TokenStream {
    let key = &kept.annotation.key;
    let is_taken = match (&kept.annotation.form, &kept.via) {
        (Form::Version(_), Some((_, TypeExpr::List(_), Value::Same))) => left_out(kept).is_some(),
        (Form::Version(_), _) => true,
        _ => false,
    };
    let borrow = if is_taken { quote!(&mut) } else { quote!(&) };
    // The path to the field, and the conditions for its parents to exist.
    let mut conditions = Vec::new();
    let mut path = quote!(hub);
    let mut is_reference = false;
    let last = kept.path.0.len() - 1;
    for (index, field) in kept.path.0.iter().enumerate() {
        let (name, path_to) = (field_ident(field), field_path(field));
        path = quote!(#path.#path_to);
        is_reference = false;
        if field.may_be_absent() {
            // Functions take the value itself, not a box. Fields of it are found through the box.
            let is_boxed = index == last && context.boxed.field(field);
            let optional = match (is_boxed, is_taken) {
                (false, _) => quote!(#borrow #path),
                (true, false) => quote!(#path.as_deref()),
                (true, true) => quote!(#path.as_deref_mut()),
            };
            conditions.push(quote!(let Some(#name) = #optional));
            path = quote!(#name);
            is_reference = true;
        }
    }
    let reference = if is_reference { quote!(#path) } else { quote!(#borrow #path) };
    if let TypeExpr::List(_) = kept.path.field().ty {
        conditions.push(quote!(!#path.is_empty()));
    }
    if kept.annotation.form == Form::Zero {
        conditions.push(quote!(*#path == 0));
    }
    let statement = match (&kept.annotation.form, &kept.via) {
        (Form::Zero, _) => quote!(annotation::put_zero(#annotations, #key);),
        (Form::Internal, _) => quote!(annotation::put_internal(#annotations, #key, #reference);),
        (Form::Text, _) => quote!(annotation::put_text(#annotations, #key, #reference);),
        (Form::Version(_), Some((_, TypeExpr::List(_), _))) if !is_taken => {
            quote!(annotation::put_list(#annotations, #key, #reference);)
        }
        (Form::Version(_), Some((_, own @ TypeExpr::List(_), how))) => {
            let name = variable(kept);
            let leave_out = left_out(kept).map(|shown| {
                let found = position(shown, &name);
                quote!(if let Some(shown) = #found { #path.push(#name.remove(shown)); })
            });
            let show = kept.shown.as_ref().filter(|_| leave_out.is_none()).map(|shown| {
                let found = position(shown, &name);
                quote!(if let Some(shown) = #found { #path.push(#name[shown].deep_copy()); })
            });
            let mutable = leave_out.is_some().then(|| quote!(mut));
            let ty = own.named().map(|id| context.path(id));
            let convert = (*how != Value::Same).then(|| {
                let value = converted(context, kept, quote!(#name), Direction::FromHub);
                quote!(let #name: Vec<#ty> = #value;)
            });
            let put = quote!(#convert annotation::put_list(#annotations, #key, &#name););
            let put = if leave_out.is_some() { quote!(if !#name.is_empty() { #put }) } else { put };
            quote! {
                let #mutable #name = std::mem::take(#reference);
                #leave_out
                #show
                #put
            }
        }
        (Form::Version(_), _) => {
            let value = converted(context, kept, quote!(std::mem::take(#reference)), Direction::FromHub);
            quote!(annotation::put_object(#annotations, #key, &#value);)
        }
    };
    if conditions.is_empty() { statement } else { quote!(if #(#conditions)&&* { #statement }) }
}

/// The element that is a field of the version, if the annotation contains the other elements only.
fn left_out(kept: &Kept) -> Option<&Element> {
    kept.shown.as_ref().filter(|_| !kept.annotation.whole)
}

/// The expression for the index of the element that is a field of the version.
fn position(shown: &Element, list: &syn::Ident) -> TokenStream {
    let read = element::read(&shown.field);
    let position = ident(if shown.last { "rposition" } else { "position" });
    quote!(#list.iter().#position(|element| #read(element).is_some()))
}
