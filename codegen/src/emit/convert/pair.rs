//! The two functions of a pair of types.

use std::collections::BTreeMap;

use hubgen_model::TypeId;
use hubgen_model::rules::Form;
use hubgen_plan::{Kept, Link, Pair, Place, Value};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::names::field_ident;
use super::super::types::{doc, is_option};
use super::tree::{Tree, is_there};
use super::{Context, Way, element, parameter};

/// Both functions of a pair; `public` where another version's module calls
/// them.
pub(super) fn functions(
    context: &Context<'_>,
    version: &TypeId,
    hub: &TypeId,
    pair: &Pair,
    public: bool,
) -> TokenStream {
    let to_hub = Writer::new(context, version, hub, pair, Way::ToHub).function(public);
    let from_hub = Writer::new(context, version, hub, pair, Way::FromHub).function(public);
    let elements = pair.links.iter().filter_map(|link| match link {
        Link::Element { .. } => Some(element::functions(context, link)),
        _ => None,
    });
    quote!(#to_hub #from_hub #(#elements)*)
}

/// The body of one function: statements and the literal at the end.
pub(super) struct Writer<'a> {
    context: &'a Context<'a>,
    version: &'a TypeId,
    hub: &'a TypeId,
    pair: &'a Pair,
    way: Way,
    /// What the function takes.
    input: syn::Ident,
    statements: Vec<TokenStream>,
    /// Objects of the input that may be absent, by their path, once a
    /// statement has unwrapped them.
    unwrapped: BTreeMap<Vec<String>, syn::Ident>,
    tree: Tree,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        version: &'a TypeId,
        hub: &'a TypeId,
        pair: &'a Pair,
        way: Way,
    ) -> Self {
        let input = match way {
            Way::ToHub => parameter(version),
            Way::FromHub => super::ident("hub"),
        };
        Self::taking(context, version, hub, pair, way, input)
    }

    /// One that calls what it takes so.
    pub(super) fn taking(
        context: &'a Context<'a>,
        version: &'a TypeId,
        hub: &'a TypeId,
        pair: &'a Pair,
        way: Way,
        input: syn::Ident,
    ) -> Self {
        Self {
            context,
            version,
            hub,
            pair,
            way,
            input,
            statements: Vec::new(),
            unwrapped: BTreeMap::new(),
            tree: Tree::default(),
        }
    }

    fn function(self, public: bool) -> TokenStream {
        let name = self.context.function(self.version, self.way);
        let (from, to) = match self.way {
            Way::ToHub => (self.version, self.hub),
            Way::FromHub => (self.hub, self.version),
        };
        let (input, from, to) = (self.input.clone(), self.context.path(from), self.context.path(to));
        let (statements, literal) = self.body();
        let (docs, visibility) = if public {
            let docs = doc(&["As JSON of this version in an annotation is read and written.".to_owned()]);
            (docs, quote!(pub))
        } else {
            (quote!(), quote!())
        };
        quote! {
            #docs
            #visibility fn #name(#input: #from) -> #to {
                #statements
                #literal
            }
        }
    }

    /// What has to be said first, and the literal.
    pub(super) fn body(mut self) -> (TokenStream, TokenStream) {
        for link in &self.pair.links {
            if let (Link::Always { version }, Way::FromHub) = (link, self.way) {
                self.tree.always(version);
            }
        }
        for link in &self.pair.links {
            match self.way {
                Way::ToHub => self.lift(link),
                Way::FromHub => self.project(link),
            }
        }
        let target = match self.way {
            Way::ToHub => self.hub,
            Way::FromHub => self.version,
        };
        let literal = self.tree.literal(self.context, target, false);
        let statements = &self.statements;
        (quote!(#(#statements)*), literal)
    }

    fn lift(&mut self, link: &Link) {
        match link {
            Link::Copy { version, hub, value } if self.is_hoisted(hub) => self.spread(version, hub, value),
            Link::Copy { version, hub, value } => self.copy(version, hub, value),
            Link::Constant { .. } | Link::Always { .. } | Link::Kept { .. } => {}
            // The list is copied with them.
            Link::Hoist { .. } | Link::Head { .. } => {}
            Link::Function { name, version, hub } => self.call(name, version, hub),
            Link::Tag { hub, set, otherwise } => {
                let tests: Vec<TokenStream> = set
                    .iter()
                    .map(|(place, word)| {
                        let test = self.is_set(place);
                        quote!(if #test { #word } else)
                    })
                    .collect();
                let value = if tests.is_empty() {
                    quote!(#otherwise.to_owned())
                } else {
                    quote!(#(#tests)* { #otherwise }.to_owned())
                };
                let value = if is_option(hub.field()) { quote!(Some(#value)) } else { value };
                if tests.is_empty() {
                    self.tree.put(hub, value);
                } else {
                    // Before the fields that it asks are moved away.
                    let name = self.fresh(&hub.field().name);
                    let word = quote!(#(#tests)* { #otherwise });
                    self.statements.insert(0, quote!(let #name = #word;));
                    let value = quote!(#name.to_owned());
                    let value = if is_option(hub.field()) { quote!(Some(#value)) } else { value };
                    self.tree.put(hub, value);
                }
            }
            Link::Element { version, list, .. } => {
                let value = element::optional(&self.input, version);
                let function = element::make(version);
                self.tree.put(list, quote!(#value.map(#function).into_iter().collect()));
            }
            Link::Split { version, number, name } => {
                let value = self.read(version);
                let value =
                    if is_option(version.field()) { quote!(#value.unwrap_or_default()) } else { value };
                let (first, second) = (self.fresh(&number.field().name), self.fresh(&name.field().name));
                self.statements.push(quote!(let (#first, #second) = convert::split(#value);));
                self.tree.put(number, wrapped(number, quote!(#first)));
                self.tree.put(name, wrapped(name, quote!(#second)));
            }
        }
    }

    fn project(&mut self, link: &Link) {
        match link {
            Link::Copy { version, hub, value } if self.is_hoisted(hub) => self.hoist(version, hub, value),
            Link::Copy { version, hub, value } => self.copy(hub, version, value),
            Link::Tag { .. } | Link::Always { .. } | Link::Kept { .. } => {}
            // The list is copied with them.
            Link::Hoist { .. } | Link::Head { .. } => {}
            Link::Function { name, version, hub } => self.call(name, hub, version),
            Link::Constant { version, value } => {
                let value = quote!(#value.to_owned());
                let value = if is_option(version.field()) { quote!(Some(#value)) } else { value };
                self.tree.put(version, value);
            }
            Link::Element { version, list, last, .. } => {
                let (list, function) = (self.read(list), element::read(version));
                let rev = last.then(|| quote!(.rev()));
                let value = quote!(#list.iter()#rev.find_map(#function));
                self.put_optional(version, value);
            }
            Link::Split { version, number, name } => {
                let number = self.read_or_empty(number);
                let name = self.read_or_empty(name);
                let value = quote!(convert::join(#number, #name));
                self.tree.put(version, wrapped(version, value));
            }
        }
    }

    /// One field's value into the other.
    fn copy(&mut self, from: &Place, to: &Place, value: &Value) {
        let read = self.read(from);
        let (has_option, wants_option) = (is_option(from.field()), is_option(to.field()));
        let context = self.context;
        let value = match (has_option, wants_option) {
            (true, true) if *value == Value::Same => read,
            (true, true) => {
                let closure = context.closure(value, self.way);
                quote!(#read.map(#closure))
            }
            (true, false) => context.convert(value, quote!(#read.unwrap_or_default()), self.way),
            (false, true)
                if self.is_always(to) || is_there(from.field(), self.way) && !self.is_marked(to) =>
            {
                let value = context.convert(value, read, self.way);
                quote!(Some(#value))
            }
            (false, true) => {
                let value = context.convert(value, read, self.way);
                quote!(convert::present(#value))
            }
            (false, false) => context.convert(value, read, self.way),
        };
        self.tree.put(to, value);
    }

    /// Calls a function over plain values.
    fn call(&mut self, name: &str, from: &[Place], to: &[Place]) {
        let way = match self.way {
            Way::ToHub => "to_hub",
            Way::FromHub => "from_hub",
        };
        let function = super::ident(&format!("{name}_{way}"));
        let arguments: Vec<TokenStream> = from.iter().map(|place| self.read(place)).collect();
        let names: Vec<syn::Ident> = to.iter().map(|place| self.fresh(&place.field().name)).collect();
        let pattern = match &names[..] {
            [name] => quote!(#name),
            names => quote!((#(#names),*)),
        };
        self.statements.push(quote!(let #pattern = functions::#function(#(#arguments),*);));
        for (place, name) in to.iter().zip(&names) {
            self.tree.put(place, quote!(#name));
        }
    }

    /// Whether something in a field that may be absent is there for sure.
    fn is_always(&self, place: &Place) -> bool {
        let always = |link: &Link| matches!(link, Link::Always { version } if version == place);
        self.way == Way::FromHub && self.pair.links.iter().any(always)
    }

    /// Whether an annotation says that a zero in the hub is meant.
    fn is_marked(&self, place: &Place) -> bool {
        let kept = &self.context.mapping.kept;
        let marks = |kept: &Kept| kept.annotation.form == Form::Zero && kept.place.0.ends_with(&place.0);
        self.way == Way::ToHub && kept.iter().any(marks)
    }

    /// Whether a list of the hub has elements that say what a field of the
    /// version can say for all of them, or for the first.
    fn is_hoisted(&self, place: &Place) -> bool {
        self.pair.links.iter().any(|link| match link {
            Link::Hoist { list, .. } | Link::Head { list, .. } => list == place,
            _ => false,
        })
    }

    /// Makes a list of the hub, with what fields of the version say of it.
    fn spread(&mut self, version: &Place, list: &Place, value: &Value) {
        let (context, pair) = (self.context, self.pair);
        let read = self.read(version);
        let name = self.fresh(&list.field().name);
        let converted = context.convert(value, read, Way::ToHub);
        let element = list.field().ty.named().map(|id| context.path(id));
        self.statements.push(quote!(let mut #name: Vec<#element> = #converted;));
        for link in &pair.links {
            match link {
                Link::Head { version, list: other, id, element, set } if other == list => {
                    let (value, ty, field) =
                        (self.read(version), context.path(id), field_ident(&element.name));
                    let set = set.iter().map(|field| field_ident(&field.name));
                    self.statements.push(quote! {
                        if #name.is_empty() && !#value.is_empty() {
                            #name.push(#ty { #field: #value, #(#set: true,)* ..Default::default() });
                        }
                    });
                }
                _ => {}
            }
        }
        for link in &pair.links {
            match link {
                Link::Hoist { version, list: other, element, value } if other == list => {
                    let (read, field) = (self.read(version), field_ident(&element.name));
                    let value = self.converted(value, read, is_option(version.field()));
                    self.statements
                        .push(quote!(convert::spread(&mut #name, #value, |element| &mut element.#field);));
                }
                _ => {}
            }
        }
        self.tree.put(list, quote!(#name));
    }

    /// Makes a list of the version, and fields for what its elements agree on.
    fn hoist(&mut self, version: &Place, list: &Place, value: &Value) {
        let (context, pair) = (self.context, self.pair);
        let read = self.read(list);
        let name = self.fresh(&list.field().name);
        self.statements.push(quote!(let mut #name = #read;));
        for link in &pair.links {
            match link {
                Link::Head { version, list: other, element, .. } if other == list => {
                    let field = field_ident(&element.name);
                    let value =
                        quote!(#name.first().map(|element| element.#field.clone()).unwrap_or_default());
                    let head = self.fresh(&version.field().name);
                    self.statements.push(quote!(let #head = #value;));
                    self.tree.put(version, quote!(#head));
                }
                Link::Hoist { version, list: other, element, value } if other == list => {
                    let field = field_ident(&element.name);
                    let shared = self.fresh(&version.field().name);
                    let hoisted = quote!(convert::hoist(&mut #name, |element| &mut element.#field));
                    let converted = self.converted(value, hoisted, is_option(version.field()));
                    self.statements.push(quote!(let #shared = #converted;));
                    self.tree.put(version, quote!(#shared));
                }
                _ => {}
            }
        }
        let converted = context.convert(value, quote!(#name), Way::FromHub);
        self.tree.put(version, converted);
    }

    /// A value that may be absent on both sides or on none.
    fn converted(&self, value: &Value, expression: TokenStream, has_option: bool) -> TokenStream {
        if has_option && *value != Value::Same {
            let closure = self.context.closure(value, self.way);
            quote!(#expression.map(#closure))
        } else {
            self.context.convert(value, expression, self.way)
        }
    }

    /// Puts an `Option` at a place whose field, or whose only object that may
    /// be absent, is there when the value is.
    fn put_optional(&mut self, place: &Place, value: TokenStream) {
        let Some(at) = place.0.iter().rposition(is_option) else {
            self.tree.put(place, quote!(#value.unwrap_or_default()));
            return;
        };
        let (outer, inner) = place.0.split_at(at + 1);
        if inner.is_empty() {
            self.tree.put(place, value);
            return;
        }
        let hubgen_model::TypeExpr::Ref(id) = &outer[at].ty else { return };
        let mut tree = Tree::default();
        tree.put(&Place(inner.to_vec()), quote!(value));
        let literal = tree.literal(self.context, id, true);
        self.tree.put(&Place(outer.to_vec()), quote!(#value.map(|value| #literal)));
    }

    /// The value at a place of the input, moved out. Objects on the way that
    /// may be absent are unwrapped first.
    fn read(&mut self, place: &Place) -> TokenStream {
        let input = &self.input;
        let mut out = quote!(#input);
        let mut path = Vec::new();
        let last = place.0.len() - 1;
        for (index, field) in place.0.iter().enumerate() {
            path.push(field.name.clone());
            let name = field_ident(&field.name);
            out = quote!(#out.#name);
            if index < last && is_option(field) {
                let known = self.unwrapped.get(&path).cloned();
                let name = known.unwrap_or_else(|| {
                    let name = self.fresh(&field.name);
                    self.statements.push(quote!(let #name = #out.unwrap_or_default();));
                    self.unwrapped.insert(path.clone(), name.clone());
                    name
                });
                out = quote!(#name);
            }
        }
        out
    }

    fn read_or_empty(&mut self, place: &Place) -> TokenStream {
        let value = self.read(place);
        if is_option(place.field()) { quote!(#value.unwrap_or_default()) } else { value }
    }

    /// Whether a field of the input holds something.
    fn is_set(&self, place: &Place) -> TokenStream {
        let input = &self.input;
        let names = place.0.iter().map(|field| field_ident(&field.name));
        let value = quote!(#input #(.#names)*);
        if is_option(place.field()) { quote!(#value.is_some()) } else { quote!(convert::is_present(&#value)) }
    }

    /// A name for a local variable that hides nothing.
    fn fresh(&self, json: &str) -> syn::Ident {
        let name = field_ident(json);
        let taken = name == self.input || self.unwrapped.values().any(|other| *other == name);
        if taken { super::ident(&format!("{name}_value")) } else { name }
    }
}

/// A value as a field holds it that may be absent, and is when there is
/// nothing in it.
fn wrapped(place: &Place, value: TokenStream) -> TokenStream {
    if is_option(place.field()) { quote!(convert::present(#value)) } else { value }
}
