//! Builds a struct literal from field paths: nested for paths that lead through objects.

use hubgen_model::{Field, TypeExpr, TypeId};
use hubgen_plan::ResolvedPath;
use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use crate::naming::field_path;

/// Fields of an object with their values, in the order of the type, and the objects in it that can
/// be present even if they are empty.
#[derive(Default)]
pub(super) struct Tree {
    fields: Vec<(Field, Node)>,
    present: Vec<(Vec<String>, Present)>,
    words: Vec<Word>,
}

/// A fixed text in an optional object, which does not decide whether the object is present.
#[derive(Clone)]
struct Word {
    /// The names of the object.
    object: Vec<String>,
    /// The fields from there.
    at: Vec<Field>,
    value: TokenStream,
}

/// When an empty object is present.
#[derive(Clone)]
enum Present {
    Always,
    /// If this variable is true, or the object is not empty.
    If(syn::Ident),
    /// If this variable is true.
    OnlyIf(syn::Ident),
}

enum Node {
    /// The field's value.
    Leaf(TokenStream),
    /// The fields of an object.
    Inner(Tree),
}

/// Sets fixed texts in an object that is present.
fn worded(words: &[Word]) -> Option<TokenStream> {
    let set = words.iter().map(|Word { at, value, .. }| {
        let path = at.iter().map(field_path);
        quote!(object #(.#path)* = #value;)
    });
    (!words.is_empty()).then(|| quote!(.map(|mut object| { #(#set)* object })))
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

    /// Makes an optional object present if a variable is true, and absent otherwise.
    pub(super) fn only_with(&mut self, place: &ResolvedPath, variable: syn::Ident) {
        self.mark(place, Present::OnlyIf(variable));
    }

    fn mark(&mut self, place: &ResolvedPath, present: Present) {
        self.present.push((place.names().into_iter().map(str::to_owned).collect(), present));
    }

    /// Sets the value of a field. The value is an `Option` if the field may be absent, and is not
    /// `null` if the field is nullable.
    pub(super) fn put(&mut self, place: &ResolvedPath, value: TokenStream) {
        self.put_at(&place.0, not_null(place.field(), value));
    }

    /// Sets a fixed text, of the type of the Rust field. It does not create the optional objects around the field.
    pub(super) fn put_word(&mut self, place: &ResolvedPath, value: TokenStream) {
        let Some(object) = place.parents().last() else { return self.put(place, value) };
        let names = object.names();
        let is_always = |(path, present): &(Vec<String>, Present)| {
            matches!(present, Present::Always)
                && path.iter().map(String::as_str).take(names.len()).eq(names.iter().copied())
        };
        if self.present.iter().any(is_always) {
            return self.put(place, value);
        }
        let object = names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let at = place.0[object.len()..].to_vec();
        self.words.push(Word { object, at, value: not_null(place.field(), value) });
    }

    /// Sets the value of a field. The value has the type of the Rust field.
    pub(super) fn put_exact(&mut self, place: &ResolvedPath, value: TokenStream) {
        self.put_at(&place.0, value);
    }

    fn put_at(&mut self, fields: &[Field], value: TokenStream) {
        let Some((first, rest)) = fields.split_first() else { return };
        if rest.is_empty() {
            self.fields.push((first.clone(), Node::Leaf(value)));
            return;
        }
        let known = self.fields.iter().position(|(field, _)| field.name == first.name);
        let index = known.unwrap_or_else(|| {
            self.fields.push((first.clone(), Node::Inner(Self::default())));
            self.fields.len() - 1
        });
        if let Node::Inner(inner) = &mut self.fields[index].1 {
            inner.put_at(rest, value);
        }
    }

    /// The literal. Objects that may be absent are present if one of their fields is set, or if
    /// they are marked; with `always`, they are always present.
    pub(super) fn literal(mut self, context: &Context<'_>, id: &TypeId, always: bool) -> TokenStream {
        let fields = context.types.find(id).map(hubgen_model::Type::fields).unwrap_or_default();
        self.fields.sort_by_key(|(field, _)| fields.iter().position(|other| other.name == field.name));
        let values: Vec<(Field, TokenStream)> = self
            .fields
            .into_iter()
            .map(|(field, node)| {
                let below = self.present.iter().filter(|(path, _)| path[0] == field.name);
                let mut below: Vec<_> =
                    below.map(|(path, present)| (path[1..].to_vec(), present.clone())).collect();
                let value = match node {
                    Node::Leaf(value) => value,
                    Node::Inner(mut inner) => {
                        let TypeExpr::Ref(id) = &field.ty else { return (field, quote!()) };
                        let own = below.iter().position(|(path, _)| path.is_empty());
                        let own = own.map(|at| below.remove(at).1);
                        let always = always || matches!(own, Some(Present::Always));
                        inner.present = below;
                        let words = self.words.iter().filter(|word| word.object[0] == field.name);
                        let words =
                            words.map(|word| Word { object: word.object[1..].to_vec(), ..word.clone() });
                        let (own_words, below) = words.partition::<Vec<_>, _>(|word| word.object.is_empty());
                        inner.words = below;
                        if always {
                            own_words.iter().for_each(|word| inner.put_at(&word.at, word.value.clone()));
                        }
                        let literal = inner.literal(context, id, always);
                        if !field.may_be_absent() {
                            return (field, literal);
                        }
                        let is_boxed = context.boxed.field(&field);
                        let boxed = is_boxed.then(|| quote!(.map(Box::new)));
                        let worded = worded(&own_words);
                        let value = match own {
                            _ if always && is_boxed => quote!(Some(Box::new(#literal))),
                            _ if always => quote!(Some(#literal)),
                            Some(Present::If(variable)) => {
                                quote!(convert::present_if(#variable, #literal)#worded #boxed)
                            }
                            Some(Present::OnlyIf(variable)) => {
                                quote!(#variable.then_some(#literal)#worded #boxed)
                            }
                            _ => quote!(convert::present(#literal)#worded #boxed),
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
