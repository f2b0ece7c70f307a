//! Emits the `Convert` implementation of a kind.

use std::collections::BTreeSet;

use hubgen_model::{Field, Type, TypeId};
use hubgen_plan::program::Expected;
use hubgen_plan::report::{self, Canonical};
use hubgen_plan::{Direction, How, Member, Pair, Value};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::description::doc;
use super::program::Writer;
use super::{Context, edits, function, kept, literal, parameter, terms};
use crate::naming::{field_path, ident, snake};

/// Emits an implementation that converts through another version whose fields have the same types.
pub(super) fn through(context: &Context<'_>, twin: &Member) -> TokenStream {
    let (own, hub, twin_path) =
        (context.path(&context.member.root), context.path(&context.plan.hub), context.path(&twin.root));
    let fields = context.types.find(&context.member.root).map(Type::fields).unwrap_or_default();
    let values = |from: &str| {
        let from = ident(from);
        let value = |field: &Field| {
            let path = field_path(field);
            (field.clone(), quote!(#from.#path))
        };
        fields.iter().map(value).collect::<Vec<_>>()
    };
    let to_twin = literal::literal(context, &twin.root, &values("self"));
    let from_twin = literal::named(context, &context.member.root, &quote!(Self), &values("twin"));
    let (canonical, accepted) = (canonical(context), may_be_invalid(context));
    let json = edits::is_emitted(context.modules.homes())
        .then(|| quote!(const JSON: Option<CompiledEdits> = <#twin_path as Convert>::JSON;));
    let refuses = context.may_fail()
        || !context.mapping.expected(Direction::ToHub).is_empty()
        || context.mapping.refuses_names();
    let try_to_hub = refuses.then(|| {
        quote! {
            fn try_to_hub(self) -> Result<Self::Hub, ConvertError> {
                let twin = #to_twin;
                twin.try_to_hub()
            }
        }
    });
    let terms = terms::emit(context);
    quote! {
        #terms

        impl Convert for #own {
            type Hub = #hub;

            #canonical

            #accepted

            #json

            fn to_hub(self) -> Self::Hub {
                let twin = #to_twin;
                twin.to_hub()
            }

            #try_to_hub

            fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError> {
                let twin = #twin_path::from_hub(hub)?;
                Ok(#from_twin)
            }
        }
    }
}

/// Emits what the conversion does not distinguish.
fn canonical(context: &Context<'_>) -> Option<TokenStream> {
    if !context.modules.homes().declare_canonical() {
        return None;
    }
    let mut paths = BTreeSet::new();
    for (form, _) in report::canonical(context.mapping, &context.member.root, &context.plan.hub) {
        paths.insert(match form {
            Canonical::Empty(path) => (path, "empty"),
            Canonical::Any(path) => (path, "any"),
            Canonical::Determined(path) => (path, "determined"),
            Canonical::Created(path) => (path, "created"),
            Canonical::Dropped(path) => (path, "dropped"),
        });
    }
    let forms = paths.iter().map(|(path, form)| {
        let form = ident(form);
        quote!(Canonical::#form(#path))
    });
    (!paths.is_empty()).then(|| quote!(const CANONICAL: &'static [Canonical] = &[#(#forms),*];))
}

/// Emits where objects may be invalid after a conversion.
fn may_be_invalid(context: &Context<'_>) -> Option<TokenStream> {
    let paths = &context.member.may_be_invalid;
    (!paths.is_empty()).then(|| quote!(const MAY_BE_INVALID: &'static [&'static str] = &[#(#paths),*];))
}

/// Emits the constants of an implementation: what it does not distinguish, what it accepts, and how JSON converts.
fn constants(context: &Context<'_>) -> TokenStream {
    let (canonical, accepted) = (canonical(context), may_be_invalid(context));
    let json = edits::emit(context).map(|(constant, _)| constant);
    quote!(#canonical #accepted #json)
}

/// Emits the check that refuses words without a counterpart on the other side.
fn expect(context: &Context<'_>, object: &TokenStream, direction: Direction) -> TokenStream {
    let expected = context
        .mapping
        .expected(direction)
        .iter()
        .map(|Expected { path, words }| quote!(convert::expect(&#object, #path, &[#(#words),*])?;));
    quote!(#(#expected)*)
}

/// Emits `try_to_hub` for a kind that has words or unknown fields to refuse. `to_hub` itself never fails.
fn try_to_hub(context: &Context<'_>) -> Option<TokenStream> {
    let expect = expect(context, &quote!(self), Direction::ToHub);
    let refuses_names = context.mapping.refuses_names();
    let hub = if refuses_names {
        quote! {
            let hub = self.to_hub();
            convert::expect_unknown(&hub)?;
            Ok(hub)
        }
    } else {
        quote!(Ok(self.to_hub()))
    };
    (refuses_names || !expect.is_empty()).then(|| {
        quote! {
            fn try_to_hub(self) -> Result<Self::Hub, ConvertError> {
                #expect
                #hub
            }
        }
    })
}

/// Emits an implementation that converts by the rules.
pub(super) fn whole(context: &Context<'_>) -> TokenStream {
    let plan = context.plan;
    let reserved: Vec<&String> = plan.reserved.iter().collect();
    let is_reserved = !reserved.is_empty();
    let name = reserved_name(context);
    let constant = is_reserved.then(|| {
        let docs =
            doc(&["Annotations that have a meaning at some version. Hubs never contain them.".to_owned()]);
        quote! {
            #docs
            const #name: &[&str] = &[#(#reserved),*];
        }
    });
    let constant = [constant, terms::emit(context)].into_iter().flatten().collect::<TokenStream>();
    let forget = |object: TokenStream| {
        is_reserved.then(|| quote!(convert::remove_reserved(&mut #object.metadata.annotations, #name);))
    };
    let own = context.path(&context.member.root);
    let Some(pair) = context
        .mapping
        .pairs
        .iter()
        .find(|((version, hub), _)| *version == context.member.root && *hub == plan.hub)
    else {
        return identity(context, &own, constant, forget);
    };
    let hub = context.path(&plan.hub);
    let expect = expect(context, &quote!(hub), Direction::FromHub);
    let is_plain = context.mapping.exact && !is_reserved && !plan.keeps();
    let convert = if is_plain {
        plain(context, &own, &hub, pair, expect)
    } else if context.mapping.exact {
        exact(context, &own, &hub, expect, forget)
    } else {
        stashing(context, &own, &hub, expect, forget)
    };
    let root = (!is_plain).then(|| root_functions(context, pair, !reserved.is_empty()));
    let public = called_from_outside(context);
    let parts =
        context.mapping.pairs.iter().filter(|(key, _)| *key != pair.0).map(|((version, hub), pair)| {
            function::functions(context, version, hub, pair, public.contains(version))
        });
    quote!(#constant #convert #root #(#parts)*)
}

/// Emits the implementation for a version whose conversion loses nothing and touches no annotation. It is short enough
/// for the body of the trait's functions.
fn plain(
    context: &Context<'_>,
    own: &TokenStream,
    hub: &TokenStream,
    ((version, hub_id), pair): (&(TypeId, TypeId), &Pair),
    expect: TokenStream,
) -> TokenStream {
    let (constants, try_to_hub) = (constants(context), try_to_hub(context));
    let own_self = syn::Ident::new("self", proc_macro2::Span::call_site());
    let (to_first, to_literal) =
        Writer::taking(context, version, hub_id, pair, Direction::ToHub, own_self).body();
    let (from_first, from_literal) = Writer::new(context, version, hub_id, pair, Direction::FromHub).body();
    quote! {
        impl Convert for #own {
            type Hub = #hub;

            #constants

            fn to_hub(self) -> Self::Hub {
                #to_first
                #to_literal
            }

            #try_to_hub

            fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError> {
                #expect
                #from_first
                Ok(#from_literal)
            }
        }
    }
}

/// Emits the implementation for a version whose conversion loses nothing, where annotations are removed or a stash of
/// another version is read.
fn exact(
    context: &Context<'_>,
    own: &TokenStream,
    hub: &TokenStream,
    expect: TokenStream,
    forget: impl Fn(TokenStream) -> Option<TokenStream>,
) -> TokenStream {
    let root = &context.member.root;
    let (to, from) = (context.function(root, Direction::ToHub), context.function(root, Direction::FromHub));
    let (constants, try_to_hub) = (constants(context), try_to_hub(context));
    let (reserved, keeps) = (!context.plan.reserved.is_empty(), context.plan.keeps());
    let forget_hub = forget(quote!(hub));
    let mutable = reserved.then(|| quote!(mut));
    let mutable_self = keeps.then(|| quote!(mut));
    let converted = if keeps {
        let terms = terms::path(context);
        quote! {
            let mut kept = convert::take_stash(&mut self.metadata.annotations);
            let mut hub = convert::restore(self, &mut kept, &#terms, #to, #from);
            convert::leave_unread(&mut hub.metadata.annotations, kept);
            hub
        }
    } else {
        quote!(#to(self))
    };
    let shown = if reserved {
        quote!(convert::checked(#from(hub), |object| &object.metadata.annotations))
    } else {
        quote!(Ok(#from(hub)))
    };
    quote! {
        impl Convert for #own {
            type Hub = #hub;

            #constants

            fn to_hub(#mutable_self self) -> Self::Hub {
                #converted
            }

            #try_to_hub

            fn from_hub(#mutable hub: Self::Hub) -> Result<Self, ConvertError> {
                #expect
                #forget_hub
                #shown
            }
        }
    }
}

/// Emits the implementation for a version whose rules alone lose something, so that a stash is
/// written and read.
///
/// The metadata is the same on both sides. It is put aside, so that it is neither copied nor
/// compared.
fn stashing(
    context: &Context<'_>,
    own_path: &TokenStream,
    hub: &TokenStream,
    expect: TokenStream,
    forget: impl Fn(TokenStream) -> Option<TokenStream>,
) -> TokenStream {
    let root = &context.member.root;
    let (to, from) = (context.function(root, Direction::ToHub), context.function(root, Direction::FromHub));
    let forget_hub = forget(quote!(hub));
    let constants = constants(context);
    let terms = terms::path(context);
    let restore = if context.may_fail() { quote!(try_restore) } else { quote!(restore) };
    let failed = context.may_fail().then(|| quote!(?));
    let has_kept = !context.mapping.kept.is_empty();
    let reads = context.metadata(root, &context.plan.hub).is_some();
    let annotations = has_kept.then(|| quote!(, &metadata.annotations));
    let metadata = reads.then(|| quote!(, &metadata));
    // A function that takes no more is passed on as it is.
    let own =
        if has_kept || reads { quote!(|object| #to(object #annotations #metadata)) } else { quote!(#to) };
    let shown = if reads { quote!(|hub| #from(hub #metadata)) } else { quote!(#from) };
    let (kept, rest) = if has_kept {
        let keep = keep_name(root);
        let kept = quote! {
            let mut rest = hub.deep_copy();
            #keep(&mut rest, &mut metadata.annotations);
        };
        (kept, quote!(rest))
    } else {
        (TokenStream::new(), quote!(hub.deep_copy()))
    };
    let to_hub =
        restoring(context, &quote!(convert::#restore(self, &mut kept, &#terms, #own, #shown)#failed));
    quote! {
        impl Convert for #own_path {
            type Hub = #hub;

            #constants

            #to_hub

            fn from_hub(mut hub: Self::Hub) -> Result<Self, ConvertError> {
                #expect
                #forget_hub
                let mut metadata = std::mem::take(&mut hub.metadata);
                #kept
                let mut object = #from(#rest #metadata)#failed;
                let shown = #to(object.deep_copy() #annotations #metadata)#failed;
                convert::stash(&mut metadata.annotations, &#terms, &shown, &hub)?;
                object.metadata = metadata;
                Ok(object)
            }
        }
    }
}

/// Emits the functions that convert to the hub and take back what the stash holds; `restored` is the call that does
/// both.
fn restoring(context: &Context<'_>, restored: &TokenStream) -> TokenStream {
    let forget_kept = forget_aside(context);
    let restored = quote! {
        let mut metadata = std::mem::take(&mut self.metadata);
        let mut kept = convert::take_stash(&mut metadata.annotations);
        let mut hub = #restored;
        convert::leave_unread(&mut metadata.annotations, kept);
        #forget_kept
        hub.metadata = metadata;
    };
    if !context.may_fail() {
        let try_to_hub = try_to_hub(context);
        return quote! {
            fn to_hub(mut self) -> Self::Hub {
                #restored
                hub
            }

            #try_to_hub
        };
    }
    let expect = expect(context, &quote!(self), Direction::ToHub);
    let refuse = context.mapping.refuses_names().then(|| quote!(convert::expect_unknown(&hub)?;));
    quote! {
        fn to_hub(self) -> Self::Hub {
            convert::expect_hub(self.try_to_hub())
        }

        fn try_to_hub(mut self) -> Result<Self::Hub, ConvertError> {
            #expect
            #restored
            #refuse
            Ok(hub)
        }
    }
}

/// The name of the function that writes annotations: `keep_autoscaler`.
fn keep_name(root: &TypeId) -> syn::Ident {
    ident(&format!("keep_{}", snake(&root.name)))
}

/// The statement that removes annotations from metadata that was put aside. The stash is gone
/// already.
fn forget_aside(context: &Context<'_>) -> Option<TokenStream> {
    let name = reserved_name(context);
    (!context.plan.reserved.is_empty())
        .then(|| quote!(convert::remove_reserved(&mut metadata.annotations, #name);))
}

/// The name of the constant with the reserved annotations: `DEPLOYMENT_RESERVED`.
fn reserved_name(context: &Context<'_>) -> syn::Ident {
    ident(&format!("{}_RESERVED", snake(&context.plan.family.kind).to_uppercase()))
}

/// Emits the implementation for a version whose type is the hub.
fn identity(
    context: &Context<'_>,
    own: &TokenStream,
    constant: TokenStream,
    forget: impl Fn(TokenStream) -> Option<TokenStream>,
) -> TokenStream {
    let (to, from) = (forget(quote!(self)), forget(quote!(hub)));
    let mutable = to.is_some().then(|| quote!(mut));
    let hub = if context.plan.keeps() {
        let terms = terms::path(context);
        quote!(convert::restore_hub(self, &#terms, |hub| &mut hub.metadata.annotations))
    } else {
        quote!(self)
    };
    let is_json = edits::is_emitted(context.modules.homes()) && context.plan.reserved.is_empty();
    let json = is_json.then(|| edits::constant(context, &quote!(CompiledEdits::HUB)));
    let accepted = may_be_invalid(context);
    quote! {
        #constant

        impl Convert for #own {
            type Hub = Self;

            #accepted

            #json

            fn to_hub(#mutable self) -> Self {
                #to
                #hub
            }

            fn from_hub(#mutable hub: Self) -> Result<Self, ConvertError> {
                #from
                Ok(hub)
            }
        }
    }
}

/// Emits the two functions of the root type, which handle annotations before and after the fields.
fn root_functions(
    context: &Context<'_>,
    (key, pair): (&(TypeId, TypeId), &Pair),
    has_reserved: bool,
) -> TokenStream {
    let (version, hub) = key;
    if !has_reserved {
        return function::functions(context, version, hub, pair, false);
    }
    let (to, from) =
        (context.function(version, Direction::ToHub), context.function(version, Direction::FromHub));
    if !context.mapping.exact && context.mapping.kept.is_empty() {
        return function::functions(context, version, hub, pair, false);
    }
    let reserved = reserved_name(context);
    let (own_path, hub_path) = (context.path(version), context.path(hub));
    let input = parameter(version);
    let (to_first, to_literal) = Writer::new(context, version, hub, pair, Direction::ToHub).body();
    let (from_first, from_literal) = Writer::new(context, version, hub, pair, Direction::FromHub).body();
    let may_fail = context.may_fail();
    let returned = |value: TokenStream| if may_fail { quote!(Ok(#value)) } else { value };
    let ty = |ty: &TokenStream| if may_fail { quote!(Result<#ty, ConvertError>) } else { ty.clone() };
    let result = |after: Vec<TokenStream>| {
        if after.is_empty() {
            returned(to_literal.clone())
        } else {
            let hub = returned(quote!(hub));
            quote!(let mut hub = #to_literal; #(#after)* #hub)
        }
    };
    if context.mapping.exact {
        let (before, after) = kept::to_hub(context, &quote!(&#input.metadata.annotations));
        let result = result(after);
        let write = kept::from_hub(context, &quote!(&mut hub.metadata.annotations));
        let mutable = (!write.is_empty()).then(|| quote!(mut));
        return quote! {
            fn #to(mut #input: #own_path) -> #hub_path {
                #(#before)*
                convert::remove_reserved(&mut #input.metadata.annotations, #reserved);
                #to_first
                #result
            }

            fn #from(#mutable hub: #hub_path) -> #own_path {
                #(#write)*
                #from_first
                #from_literal
            }
        };
    }
    let annotations = quote!(annotations);
    let (before, after) = kept::to_hub(context, &annotations);
    let (result, write, keep) = (result(after), kept::from_hub(context, &annotations), keep_name(version));
    let docs = doc(&["Writes annotations. Moves what only they contain out of the hub.".to_owned()]);
    let metadata = context.metadata(version, hub).map(|metadata| quote!(, #metadata));
    let (hub_type, own_type, from_literal) = (ty(&hub_path), ty(&own_path), returned(from_literal));
    quote! {
        fn #to(#input: #own_path, annotations: &convert::Annotations #metadata) -> #hub_type {
            #(#before)*
            #to_first
            #result
        }

        #docs
        fn #keep(hub: &mut #hub_path, annotations: &mut convert::Annotations) {
            #(#write)*
        }

        fn #from(hub: #hub_path #metadata) -> #own_type {
            #from_first
            #from_literal
        }
    }
}

/// Types whose functions other versions call, because these versions keep JSON of this version in
/// an annotation.
fn called_from_outside(context: &Context<'_>) -> BTreeSet<TypeId> {
    let mut out = BTreeSet::new();
    for member in &context.plan.members {
        let How::Convert(mapping) = &member.how else { continue };
        for (version, _, value) in mapping.kept.iter().filter_map(|kept| kept.via.as_ref()) {
            if *version == context.member.group_version
                && let Value::Pair(id, _) = value.innermost()
            {
                out.insert(id.clone());
            }
        }
    }
    out
}
