//! Builds a struct literal from field paths: nested for paths that lead through objects.

use hubgen_model::{Field, TypeExpr, TypeId};
use hubgen_plan::ResolvedPath;
use proc_macro2::TokenStream;
use quote::quote;

use super::Context;

/// Fields of an object with their values, in the order of the type, and the objects in it that can
/// be present even if they are empty.
#[derive(Default)]
pub(super) struct Tree(Vec<(Field, Node)>, Vec<(Vec<String>, Present)>);

/// When an empty object is present.
#[derive(Clone)]
enum Present {
    Always,
    /// If this variable is true.
    If(syn::Ident),
}

enum Node {
    /// The field's value.
    Leaf(TokenStream),
    /// The fields of an object.
    Inner(Tree),
}

/// The value of an optional field, in the type of the Rust field: a nullable field is an
/// `Option<Option<_>>`.
fn not_null(field: &Field, value: TokenStream) -> TokenStream {
    if field.is_nullable() { quote!(#value.map(Some)) } else { value }
}

impl Tree {
    /// Marks an object as present even if it is empty.
    pub(super) fn always(&mut self, place: &ResolvedPath) {
        self.mark(place, Present::Always);
    }

    /// Marks an object as present even if it is empty, where a variable is true.
    pub(super) fn with(&mut self, place: &ResolvedPath, variable: syn::Ident) {
        self.mark(place, Present::If(variable));
    }

    fn mark(&mut self, place: &ResolvedPath, present: Present) {
        self.1.push((place.names().into_iter().map(str::to_owned).collect(), present));
    }

    /// Sets the value of a field. The value is an `Option` if the field may be absent, and is not
    /// `null` if the field is nullable.
    pub(super) fn put(&mut self, place: &ResolvedPath, value: TokenStream) {
        self.put_at(&place.0, not_null(place.field(), value));
    }

    /// Sets the value of a field. The value has the type of the Rust field.
    pub(super) fn put_exact(&mut self, place: &ResolvedPath, value: TokenStream) {
        self.put_at(&place.0, value);
    }

    fn put_at(&mut self, fields: &[Field], value: TokenStream) {
        let Some((first, rest)) = fields.split_first() else { return };
        if rest.is_empty() {
            self.0.push((first.clone(), Node::Leaf(value)));
            return;
        }
        let known = self.0.iter().position(|(field, _)| field.name == first.name);
        let index = known.unwrap_or_else(|| {
            self.0.push((first.clone(), Node::Inner(Self::default())));
            self.0.len() - 1
        });
        if let Node::Inner(inner) = &mut self.0[index].1 {
            inner.put_at(rest, value);
        }
    }

    /// The literal. Objects that may be absent are present if one of their fields is set, or if
    /// they are marked; with `always`, they are always present.
    pub(super) fn literal(mut self, context: &Context<'_>, id: &TypeId, always: bool) -> TokenStream {
        let fields = context.types.find(id).map(hubgen_model::Type::fields).unwrap_or_default();
        self.0.sort_by_key(|(field, _)| fields.iter().position(|other| other.name == field.name));
        let values: Vec<(Field, TokenStream)> = self
            .0
            .into_iter()
            .map(|(field, node)| {
                let below = self.1.iter().filter(|(path, _)| path[0] == field.name);
                let mut below: Vec<_> =
                    below.map(|(path, present)| (path[1..].to_vec(), present.clone())).collect();
                let value = match node {
                    Node::Leaf(value) => value,
                    Node::Inner(mut inner) => {
                        let TypeExpr::Ref(id) = &field.ty else { return (field, quote!()) };
                        let own = below.iter().position(|(path, _)| path.is_empty());
                        let own = own.map(|at| below.remove(at).1);
                        let always = always || matches!(own, Some(Present::Always));
                        inner.1 = below;
                        let literal = inner.literal(context, id, always);
                        if !field.may_be_absent() {
                            return (field, literal);
                        }
                        let is_boxed = context.boxed.field(&field);
                        let boxed = is_boxed.then(|| quote!(.map(Box::new)));
                        let value = match own {
                            _ if always && is_boxed => quote!(Some(Box::new(#literal))),
                            _ if always => quote!(Some(#literal)),
                            Some(Present::If(variable)) => {
                                quote!(convert::present_if(#variable, #literal)#boxed)
                            }
                            _ => quote!(convert::present(#literal)#boxed),
                        };
                        not_null(&field, value)
                    }
                };
                (field, value)
            })
            .collect();
        super::literal::literal(context, id, &values)
    }
}
