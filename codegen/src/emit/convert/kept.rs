//! What upstream keeps in annotations: reading it before the object is
//! converted and putting it where it belongs after, and the other way round.

use hubgen_model::TypeExpr;
use hubgen_model::rules::Form;
use hubgen_plan::{Kept, Link, Place};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::names::{field_ident, ident, snake};
use super::super::types::is_option;
use super::{Context, Way, element};

/// Statements of the root's function to the hub: before and after the object
/// is converted.
pub(super) fn to_hub(context: &Context<'_>, input: &syn::Ident) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let kept = &context.mapping.kept;
    (
        kept.iter().map(|kept| take(context, kept, input)).collect(),
        kept.iter().map(|kept| put(context, kept)).collect(),
    )
}

/// Statements of the root's function from the hub, before the object is
/// converted.
pub(super) fn from_hub(context: &Context<'_>) -> Vec<TokenStream> {
    context.mapping.kept.iter().map(|kept| write(context, kept)).collect()
}

/// The variable that holds what an annotation said.
fn variable(kept: &Kept) -> syn::Ident {
    let name = snake(&kept.place.names().join("_"));
    ident(name.strip_prefix("spec_").or(name.strip_prefix("status_")).unwrap_or(&name))
}

fn take(context: &Context<'_>, kept: &Kept, input: &syn::Ident) -> TokenStream {
    let (name, key) = (variable(kept), &kept.annotation.key);
    let annotations = quote!(&mut #input.metadata.annotations);
    let (function, ty) = match (&kept.annotation.form, &kept.via) {
        (Form::Internal, _) => ("take_internal", None),
        (Form::Version(_), Some((_, TypeExpr::List(inner), _))) => ("take_list", inner.named()),
        (Form::Version(_), Some((_, own, _))) => ("take_object", own.named()),
        (Form::Zero, _) => ("take_zero", None),
        _ => ("take_text", None),
    };
    let function = ident(function);
    let turbofish = ty.map(|id| {
        let path = context.path(id);
        quote!(::<#path>)
    });
    quote!(let #name = annotation::#function #turbofish(#annotations, #key);)
}

/// What the annotation said, as the hub has it.
fn converted(context: &Context<'_>, kept: &Kept, value: TokenStream, way: Way) -> TokenStream {
    match &kept.via {
        None => value,
        Some((version, _, how)) => {
            let function = |id: &hubgen_model::TypeId| {
                let name = context.function(id, way);
                context.modules.function(version, &context.plan.family.kind, &name)
            };
            through(how, value, &function)
        }
    }
}

fn through(
    how: &hubgen_plan::Value,
    value: TokenStream,
    function: &dyn Fn(&hubgen_model::TypeId) -> TokenStream,
) -> TokenStream {
    use hubgen_plan::Value;
    match how {
        Value::Same => value,
        Value::Pair(id, _) => {
            let function = function(id);
            quote!(#function(#value))
        }
        Value::List(inner) => match &**inner {
            Value::Same => value,
            Value::Pair(id, _) => {
                let function = function(id);
                quote!(#value.into_iter().map(#function).collect())
            }
            inner => {
                let inner = through(inner, quote!(value), function);
                quote!(#value.into_iter().map(|value| #inner).collect())
            }
        },
        Value::Map(inner) => {
            let inner = through(inner, quote!(value), function);
            quote!(convert::each_value(#value, |value| #inner))
        }
        // Only a rule wraps, and what an annotation holds is of one type.
        Value::Wrapped(..) => value,
    }
}

/// Puts what the annotation said into `hub`.
fn put(context: &Context<'_>, kept: &Kept) -> TokenStream {
    let name = variable(kept);
    let value = converted(context, kept, quote!(#name), Way::ToHub);
    let (conditions, path) = reach_mut(&kept.place);
    let statement = if kept.shows_element {
        if kept.annotation.whole {
            let (value_of, set) =
                (element_of(context, kept, element::read), element_of(context, kept, element::set));
            let last = is_last(context, kept);
            quote!(#path = convert::with_shown(#value, std::mem::take(&mut #path), #last, #value_of, #set);)
        } else {
            // Upstream puts what an annotation holds first.
            let value = match &kept.via {
                Some((version, _, hubgen_plan::Value::List(inner))) => match &**inner {
                    hubgen_plan::Value::Pair(id, _) => {
                        let function = context.function(id, Way::ToHub);
                        let function =
                            context.modules.function(version, &context.plan.family.kind, &function);
                        quote!(#name.into_iter().map(#function))
                    }
                    _ => quote!(#name),
                },
                _ => quote!(#name),
            };
            quote!(#path.splice(0..0, #value);)
        }
    } else if kept.annotation.form == Form::Zero {
        quote!(#path.get_or_insert(#value);)
    } else if path_is_option(&kept.place) {
        quote!(#path = Some(#value);)
    } else {
        quote!(#path = #value;)
    };
    quote!(if let Some(#name) = #name #(&& #conditions)* { #statement })
}

fn path_is_option(place: &Place) -> bool {
    is_option(place.field())
}

/// The way to a place of `hub` for writing: the conditions under which it
/// exists, and the place. The last object that may be absent is made, since
/// the annotation says that it was there; those before have to be there.
fn reach_mut(place: &Place) -> (Vec<TokenStream>, TokenStream) {
    let innermost = place.0.iter().rposition(is_option);
    let mut conditions = Vec::new();
    let mut path = quote!(hub);
    for (index, field) in place.0.iter().enumerate() {
        let name = field_ident(&field.name);
        path = quote!(#path.#name);
        if !is_option(field) || index + 1 == place.0.len() {
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

/// The function of the element that the version shows of a list.
fn element_of(context: &Context<'_>, kept: &Kept, name: fn(&Place) -> syn::Ident) -> syn::Ident {
    name(shown(context, kept).0)
}

/// Whether the version shows the last element that fits, not the first.
fn is_last(context: &Context<'_>, kept: &Kept) -> bool {
    shown(context, kept).1
}

fn shown<'a>(context: &Context<'a>, kept: &Kept) -> (&'a Place, bool) {
    let links = context.mapping.pairs.values().flat_map(|pair| &pair.links);
    let mut shown = links.filter_map(|link| match link {
        Link::Element { version, list, last, .. } if kept.place.0.ends_with(&list.0) => {
            Some((version, *last))
        }
        _ => None,
    });
    shown.next().expect("a kept list that shows an element has a rule for it")
}

/// Writes a field of `hub` into its annotation.
fn write(context: &Context<'_>, kept: &Kept) -> TokenStream {
    let key = &kept.annotation.key;
    let annotations = quote!(&mut hub.metadata.annotations);
    // The way to the field, and what has to be there for it.
    let mut conditions = Vec::new();
    let mut path = quote!(hub);
    let mut is_reference = false;
    for field in &kept.place.0 {
        let name = field_ident(&field.name);
        path = quote!(#path.#name);
        is_reference = false;
        if is_option(field) {
            conditions.push(quote!(let Some(#name) = &#path));
            path = quote!(#name);
            is_reference = true;
        }
    }
    let reference = if is_reference { quote!(#path) } else { quote!(&#path) };
    if let TypeExpr::List(_) = kept.place.field().ty {
        conditions.push(quote!(!#path.is_empty()));
    }
    if kept.annotation.form == Form::Zero {
        conditions.push(quote!(*#path == 0));
    }
    let statement = match (&kept.annotation.form, &kept.via) {
        (Form::Zero, _) => quote!(annotation::put_zero(#annotations, #key);),
        (Form::Internal, _) => quote!(annotation::put_internal(#annotations, #key, #reference);),
        (Form::Text, _) => quote!(annotation::put_text(#annotations, #key, #reference);),
        (Form::Version(_), Some((_, own @ TypeExpr::List(_), how))) => {
            let name = variable(kept);
            let ty = own.named().map(|id| context.path(id));
            // One element is a field already, and only the others are kept.
            let shown = kept.shows_element && !kept.annotation.whole;
            let leave_out = shown.then(|| {
                let read = element_of(context, kept, element::read);
                let position = ident(if is_last(context, kept) { "rposition" } else { "position" });
                quote!(
                    if let Some(shown) = #path.iter().#position(|element| #read(element).is_some()) {
                        #name.remove(shown);
                    }
                )
            });
            let is_same = matches!(how, hubgen_plan::Value::Same);
            match (leave_out, is_same) {
                (None, true) => quote!(annotation::put_list(#annotations, #key, &#path);),
                (leave_out, _) => {
                    let mutable = leave_out.is_some().then(|| quote!(mut));
                    let value = converted(context, kept, quote!(#path.clone()), Way::FromHub);
                    let check = leave_out.is_some().then(|| quote!(if !#name.is_empty()));
                    let put = quote!(annotation::put_list(#annotations, #key, &#name););
                    let put = if check.is_some() { quote!(#check { #put }) } else { put };
                    quote! {
                        let #mutable #name: Vec<#ty> = #value;
                        #leave_out
                        #put
                    }
                }
            }
        }
        (Form::Version(_), _) => {
            let value = converted(context, kept, quote!(#path.clone()), Way::FromHub);
            quote!(annotation::put_object(#annotations, #key, &#value);)
        }
    };
    if conditions.is_empty() { statement } else { quote!(if #(#conditions)&&* { #statement }) }
}
