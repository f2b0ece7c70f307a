//! Emits in whose terms the stashes of a kind are written and read.

use hubgen_plan::{How, Member};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::description::doc;
use super::Context;
use crate::module::Module;
use crate::naming::{ident, snake};

/// The constant, where the conversion of the hub version is emitted; `None` elsewhere, and for kinds without a stash.
pub(super) fn emit(context: &Context<'_>) -> Option<TokenStream> {
    let Context { plan, member, .. } = *context;
    if !plan.keeps() || member.root != hub_member(context).root {
        return None;
    }
    let (name, hub) = (name(context), plan.family.hub.api_version());
    let others = plan.members.iter().filter_map(|member| other(context, member));
    let docs =
        doc(&[format!("The versions in whose terms stashes of {} are written and read.", plan.family.kind)]);
    Some(quote! {
        #docs
        pub const #name: convert::Terms<'static> = convert::Terms { hub: #hub, others: &[#(#others),*] };
    })
}

/// The constant, as code of any version names it.
pub(super) fn path(context: &Context<'_>) -> TokenStream {
    let root = &hub_member(context).root;
    let name = name(context);
    if *root == context.member.root {
        return quote!(#name);
    }
    context.modules.function(Module::of(root), &name)
}

/// The name of the constant: `DEPLOYMENT_TERMS`.
fn name(context: &Context<'_>) -> syn::Ident {
    ident(&format!("{}_TERMS", snake(&context.plan.family.kind).to_uppercase()))
}

fn hub_member<'a>(context: &Context<'a>) -> &'a Member {
    let plan = context.plan;
    let hub = plan.members.iter().find(|member| member.group_version == plan.family.hub);
    hub.expect("the hub version is a member of its family")
}

/// The entry for another version than the hub version; `None` if code of the hub version cannot name it.
fn other(context: &Context<'_>, member: &Member) -> Option<TokenStream> {
    let homes = context.modules.homes();
    let (home, version) = (&context.plan.family.hub, &member.group_version);
    if version == home || !matches!(member.how, How::Convert(_)) {
        return None;
    }
    let name = version.api_version();
    if !homes.are_crates() {
        let path = context.path(&member.root);
        return Some(quote!((#name, convert::ViaHub::of::<#path>())));
    }
    // Crates of groups that the kind moved away from depend on that of its home.
    let root = &member.root.group_version;
    (root.group == home.group).then(|| {
        let (feature, module, ty) = (&root.version, ident(&root.version), ident(&member.root.name));
        let enabled = (*root != *home).then(|| quote!(#[cfg(feature = #feature)]));
        quote!(#enabled (#name, convert::ViaHub::of::<crate::#module::#ty>()))
    })
}
