//! Prints the programs of a pair of types as two functions.

use hubgen_model::TypeId;
use hubgen_plan::program::Callee;
use hubgen_plan::program::ops::Op;
use hubgen_plan::{Direction, FamilyPlan, Pair};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use super::super::description::doc;
use super::program::Writer;
use super::{Context, element, one_of, value_table};

/// Both functions of a pair; with `public`, modules of other versions can call them.
pub(super) fn functions(
    context: &Context<'_>,
    version: &TypeId,
    hub: &TypeId,
    pair: &Pair,
    public: bool,
) -> TokenStream {
    let to_hub = Writer::new(context, version, hub, pair, Direction::ToHub).function(public);
    let from_hub = Writer::new(context, version, hub, pair, Direction::FromHub).function(public);
    let elements = pair.from_hub.ops.iter().filter_map(|op| match op {
        Op::FromElement { list, element, .. } => Some(element::functions(context, list, element)),
        _ => None,
    });
    let tables = pair.to_hub.ops.iter().filter_map(|op| match op {
        Op::Call { function: Callee::Table(table), from, to } => {
            Some(value_table::constant(&value_table::name(version, from), [from, to], table))
        }
        _ => None,
    });
    quote!(#(#tables)* #to_hub #from_hub #(#elements)*)
}

impl Writer<'_> {
    fn function(self, public: bool) -> TokenStream {
        let name = self.context.function(self.version, self.direction);
        let metadata = self.context.metadata(self.version, self.hub).map(|metadata| quote!(, #metadata));
        let self_may_fail = self.context.fallible.contains(&(self.version.clone(), self.hub.clone()));
        let (from, to) = self.sides();
        let (input, from, to) = (self.input.clone(), self.context.path(from), self.context.path(to));
        let mut docs = Vec::new();
        if public {
            docs.push("Reads and writes the JSON of this version in an annotation.".to_owned());
        }
        docs.extend(self.calls());
        // A pair whose sides differ in this is refused.
        let (statements, literal) = if self.context.written.is_one_of(self.version) {
            (TokenStream::new(), one_of::body(&self))
        } else {
            self.body()
        };
        let (docs, visibility) = (doc(&docs), public.then(|| quote!(pub)));
        let (result, literal) = match self_may_fail {
            false => (to, literal),
            true => (quote!(Result<#to, ConvertError>), quote!(Ok(#literal))),
        };
        let is_used = mentions(&statements, &input) || mentions(&literal, &input);
        let input = if is_used { quote!(#input) } else { quote!(_) };
        quote! {
            #docs
            #visibility fn #name(#input: #from #metadata) -> #result {
                #statements
                #literal
            }
        }
    }

    /// For the docs: why the program calls code that is not generated.
    fn calls(&self) -> Option<String> {
        let is_own = |op: &Op| matches!(op, Op::Call { function: Callee::Own { .. }, .. });
        if !self.program.ops.iter().any(is_own) {
            return None;
        }
        let Context { names, plan, member, .. } = self.context;
        let file =
            |plan: &&FamilyPlan| format!("`{}.{}.toml`", plan.family.hub.group_or_core(), plan.family.kind);
        let kinds = names.kinds(&member.root.group_version, plan, self.version);
        let files: Vec<String> = kinds.iter().map(file).collect();
        let verb = if files.len() == 1 { "names" } else { "name" };
        Some(format!("Calls functions that {} {verb}.", files.join(" and ")))
    }
}

/// Whether code has a variable. Where the types of a pair have no field in common, nothing reads the object.
fn mentions(code: &TokenStream, variable: &syn::Ident) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == *variable,
        TokenTree::Group(group) => mentions(&group.stream(), variable),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
