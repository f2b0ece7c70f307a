//! Prints a program as the body of a function.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Field, TypeExpr, TypeId};
use hubgen_plan::program::ops::{Absence, Each, FieldCopy, First, Op, Parent, Rest, When};
use hubgen_plan::program::{Callee, Element, Program};
use hubgen_plan::{Direction, Pair, ResolvedPath, Value};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::callees;
use super::tree::Tree;
use super::value::{Converter, WordTypes};
use super::{Context, element, parameter, plain, value_table};
use crate::naming::{field_ident, field_path, name_ident, snake};

/// Writes the body of one function: statements, and the struct literal at the end.
pub(super) struct Writer<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) version: &'a TypeId,
    pub(super) hub: &'a TypeId,
    pub(super) program: &'a Program,
    pub(super) direction: Direction,
    /// The function's parameter.
    pub(super) input: syn::Ident,
    statements: Vec<TokenStream>,
    /// Objects of the input that may be absent and are unwrapped by a statement already: path →
    /// variable.
    unwrapped: BTreeMap<Vec<String>, syn::Ident>,
    /// Variables that say whether an object of the input is there, and that no object of the output needs.
    asked: BTreeSet<String>,
    /// The other variables.
    variables: BTreeSet<String>,
    tree: Tree,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        version: &'a TypeId,
        hub: &'a TypeId,
        pair: &'a Pair,
        direction: Direction,
    ) -> Self {
        let input = match direction {
            Direction::ToHub => parameter(version),
            Direction::FromHub => super::ident("hub"),
        };
        Self::taking(context, version, hub, pair, direction, input)
    }

    /// A writer for a function with the given parameter.
    pub(super) fn taking(
        context: &'a Context<'a>,
        version: &'a TypeId,
        hub: &'a TypeId,
        pair: &'a Pair,
        direction: Direction,
        input: syn::Ident,
    ) -> Self {
        Self {
            context,
            version,
            hub,
            program: pair.program(direction),
            direction,
            input,
            statements: Vec::new(),
            unwrapped: BTreeMap::new(),
            asked: BTreeSet::new(),
            variables: BTreeSet::new(),
            tree: Tree::default(),
        }
    }

    /// The statements and the literal.
    pub(super) fn body(mut self) -> (TokenStream, TokenStream) {
        for Parent { path, when } in &self.program.parents {
            if let Some(source) = when.followed() {
                let (name, test) = (has(path), is_there(&self.input, source));
                // Must run before the object is moved.
                self.statements.push(quote!(let #name = #test;));
            }
            match when {
                When::Filled | When::EmptyIsAbsent(_) => {}
                When::Always => self.tree.always(path),
                When::With(_) => self.tree.with(path, has(path)),
                When::OnlyWith(_) => self.tree.only_with(path, has(path)),
            }
        }
        for op in &self.program.ops {
            self.op(op);
        }
        let (_, target) = self.sides();
        let literal = self.tree.literal(self.context, target, false);
        let statements = &self.statements;
        (quote!(#(#statements)*), literal)
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Copy(copy) => self.copy(copy),
            Op::Word { to, cases, otherwise } => self.word(to, cases, otherwise),
            // Nothing reads the field; its docs and `CANONICAL` say that it is dropped.
            Op::Drop { .. } => {}
            Op::Call { function, from, to, .. } => self.call(function, from, to),
            Op::Split { from, number, name } => {
                let value = self.read_or_empty(from);
                let (first, second) = (self.fresh(number), self.fresh(name));
                self.statements.push(quote!(let (#first, #second) = convert::split(#value);));
                self.tree.put(number, wrapped(number, quote!(#first)));
                self.tree.put(name, wrapped(name, quote!(#second)));
            }
            Op::Join { number, name, to } => {
                let number = self.read_or_empty(number);
                let name = self.read_or_empty(name);
                let value = quote!(convert::join(#number, #name));
                self.tree.put(to, wrapped(to, value));
            }
            Op::ToElement { list, element } => {
                let value = self.optional(&element.field);
                let function = element::make(&element.field);
                let filled = element.is_absent_where_empty().then(|| quote!(.filter(convert::is_present)));
                let value = quote!(#value #filled.map(#function).into_iter().collect());
                let value =
                    if list.may_be_absent() { quote!(convert::present::<Vec<_>>(#value)) } else { value };
                self.tree.put(list, value);
            }
            Op::FromElement { list, element, present } => self.element(list, element, present.as_ref()),
            Op::Spread { list, first, each } => self.spread(list, first, each),
            Op::Gather { list, first, each } => self.gather(list, first, each),
            Op::Rest(rest) => self.rest(rest),
        }
    }

    /// Copies the value of one field to another.
    fn copy(&mut self, copy: &FieldCopy) {
        let FieldCopy { from, to, absence, .. } = copy;
        let words = self.words(from, to);
        let (convert, value) = (self.converter().words(words), &words.value(copy));
        let is_exact = *absence != Absence::EmptyIsAbsent;
        if from.field().is_nullable() && to.field().is_nullable() && is_exact {
            let read = self.read_exact(from);
            let nullable = convert.nullable(value, read, self.boxes(from.field(), to.field()));
            let nullable = self.accepted(&from.to_string(), value, nullable);
            return self.tree.put_exact(to, nullable);
        }
        let read = self.read(from);
        let accepted = |converted| self.accepted(&from.to_string(), value, converted);
        let value = match absence {
            Absence::Impossible => accepted(convert.value(value, read)),
            Absence::Stays => accepted(convert.optional(value, read, self.boxes(from.field(), to.field()))),
            Absence::BecomesEmpty => accepted(convert.value(value, self.opened(from.field(), &read))),
            Absence::Never => {
                let value = accepted(convert.value(value, read));
                let value = if self.is_boxed(to) { quote!(Box::new(#value)) } else { value };
                match from.parents().last() {
                    Some(parent) => {
                        let has_parent = self.has(&parent);
                        quote!(#has_parent.then_some(#value))
                    }
                    None => quote!(Some(#value)),
                }
            }
            Absence::WhereEmpty => {
                let value = accepted(convert.value(value, read));
                let boxed = self.is_boxed(to).then(|| quote!(.map(Box::new)));
                quote!(convert::present(#value)#boxed)
            }
            Absence::EmptyIsAbsent => {
                let value = accepted(convert.optional(value, read, self.boxes(from.field(), to.field())));
                quote!(convert::filled(#value))
            }
        };
        self.tree.put(to, value);
    }

    /// A converted value, which a function may have refused. `path` is that of the field.
    fn accepted(&self, path: &str, value: &Value, converted: TokenStream) -> TokenStream {
        if self.converter().may_fail(value) { quote!(convert::at(#path, #converted)?) } else { converted }
    }

    /// The name of a variable that says whether an optional object of the source is there.
    fn has(&mut self, object: &ResolvedPath) -> syn::Ident {
        let with = |parent: &&Parent| parent.when.followed() == Some(object);
        if let Some(parent) = self.program.parents.iter().find(with) {
            return has(&parent.path);
        }
        let name = has(object);
        let is_taken = |parent: &Parent| parent.when.followed().is_some() && has(&parent.path) == name;
        let name = match self.program.parents.iter().any(is_taken) {
            true => quote::format_ident!("{name}_there"),
            false => name,
        };
        if self.asked.insert(name.to_string()) {
            let test = is_there(&self.input, object);
            // Must run before the object is moved.
            self.statements.insert(0, quote!(let #name = #test;));
        }
        name
    }

    fn word(&mut self, to: &ResolvedPath, cases: &[(ResolvedPath, String)], otherwise: &str) {
        // An enum without other words has a variant for each word.
        let closed = self.context.enums.at(self.context.types, self.sides().1, to);
        let closed = closed.filter(|words| words.other.is_none());
        let word = |word: &str| match closed.and_then(|words| Some((words, words.variant(word)?))) {
            Some((words, variant)) => {
                let (path, variant) = (self.context.path(&words.id), super::ident(&variant.name));
                quote!(#path::#variant)
            }
            None => quote!(#word),
        };
        let value = if cases.is_empty() {
            word(otherwise)
        } else {
            let otherwise = word(otherwise);
            let cases = cases.iter().map(|(place, text)| {
                let (test, word) = (self.is_set(place), word(text));
                quote!(if #test { #word } else)
            });
            let word = quote!(#(#cases)* { #otherwise });
            let name = self.fresh(to);
            // Must run before the fields that it checks are moved.
            self.statements.insert(0, quote!(let #name = #word;));
            quote!(#name)
        };
        let value = if closed.is_some() { value } else { quote!(#value.into()) };
        self.tree.put_word(to, if to.may_be_absent() { quote!(Some(#value)) } else { value });
    }

    /// The constant with the table of two sides.
    fn table_name(&self, from: &[ResolvedPath], to: &[ResolvedPath]) -> syn::Ident {
        let fields = match self.direction {
            Direction::ToHub => from,
            Direction::FromHub => to,
        };
        value_table::name(self.version, fields)
    }

    /// Calls a function over plain values, or looks them up in a table.
    fn call(&mut self, callee: &Callee, from: &[ResolvedPath], to: &[ResolvedPath]) {
        let direction = match self.direction {
            Direction::ToHub => "to_hub",
            Direction::FromHub => "from_hub",
        };
        let function = match callee {
            Callee::Table(_) => {
                let (table, direction) = (self.table_name(from, to), super::ident(direction));
                quote!(#table.#direction)
            }
            Callee::Named { name, .. } => callees::named(name, direction),
            Callee::Own { module, .. } => {
                let (module, direction) = (callees::path(module), super::ident(direction));
                quote!(#module::#direction)
            }
        };
        let argument = |place: &ResolvedPath| {
            let value = self.read(place);
            let unboxed = self.is_boxed(place).then(|| quote!(.map(|value| *value)));
            quote!(#value #unboxed)
        };
        let mut arguments: Vec<TokenStream> = from.iter().map(argument).collect();
        if let Callee::Own { reads, .. } = callee {
            arguments.extend(reads.iter().map(|path| {
                let names = path.0[1..].iter().map(field_path);
                quote!(metadata #(.#names)*.clone())
            }));
        }
        let names: Vec<syn::Ident> = to.iter().map(|place| self.fresh(place)).collect();
        let is_table = matches!(callee, Callee::Table(_));
        let pattern = match &names[..] {
            [name] if is_table => quote!((#name,)),
            [name] => quote!(#name),
            names => quote!((#(#names),*)),
        };
        // The compiler reports a function with other results here, and not where they are used.
        let ty = callee.may_refuse().then(|| {
            let types: Vec<TokenStream> =
                to.iter().map(|place| plain::of_field(self.context, place.field())).collect();
            match &types[..] {
                [ty] if is_table => quote!(: (#ty,)),
                [ty] => quote!(: #ty),
                types => quote!(: (#(#types),*)),
            }
        });
        let called = match callee {
            Callee::Table(_) => quote!(#function((#(#arguments,)*))),
            Callee::Named { .. } | Callee::Own { .. } => quote!(#function(#(#arguments),*)),
        };
        let called = if callee.may_refuse() {
            let (name, paths) = (callee.to_string(), from.iter().map(ToString::to_string));
            quote!(convert::called(#name, &[#(#paths),*], #called)?)
        } else {
            called
        };
        self.statements.push(quote!(let #pattern #ty = #called;));
        for (place, name) in to.iter().zip(&names) {
            let boxed = self.is_boxed(place).then(|| quote!(.map(Box::new)));
            self.tree.put(place, quote!(#name #boxed));
        }
    }

    /// Searches a list for the element that represents a field.
    fn element(&mut self, list: &ResolvedPath, element: &Element, present: Option<&ResolvedPath>) {
        let (read, function) = (self.read(list), element::read(&element.field));
        let flatten = list.may_be_absent().then(|| quote!(.flatten()));
        let rev = element.last.then(|| quote!(.rev()));
        let value = quote!(#read.iter()#flatten #rev.find_map(#function));
        let to = &element.field;
        let Some(present) = present else {
            self.tree.put(to, quote!(#value.unwrap_or_default()));
            return;
        };
        let inner = &to.0[present.0.len()..];
        if inner.is_empty() {
            self.tree.put(to, value);
            return;
        }
        let TypeExpr::Ref(id) = &present.field().ty else { return };
        let mut tree = Tree::default();
        tree.put(&ResolvedPath(inner.to_vec()), quote!(value));
        let literal = tree.literal(self.context, id, true);
        let literal = if self.is_boxed(present) { quote!(Box::new(#literal)) } else { literal };
        self.tree.put(present, quote!(#value.map(|value| #literal)));
    }

    fn spread(&mut self, list: &FieldCopy, first: &[First], each: &[Each]) {
        let context = self.context;
        let read = self.read(&list.from);
        let name = self.fresh(&list.to);
        let converted = self.converter().value(&list.value, read);
        let converted = self.accepted(&list.from.to_string(), &list.value, converted);
        let element = list.to.field().ty.named().map(|id| context.path(id));
        self.statements.push(quote!(let mut #name: Vec<#element> = #converted;));
        for First { field, id, element, set } in first {
            let (value, ty, field) = (self.read(field), context.path(id), field_ident(element));
            let set = set.iter().map(field_ident);
            self.statements.push(quote! {
                if #name.is_empty() && !#value.is_empty() {
                    #name.push(#ty { #field: #value, #(#set: true,)* ..Default::default() });
                }
            });
        }
        for Each { field: place, element, value } in each {
            let (read, field) = (self.read(place), field_path(element));
            let value = self.each(place.field(), element, value, read);
            self.statements.push(quote!(convert::spread(&mut #name, #value, |element| &mut element.#field);));
        }
        self.tree.put(&list.to, quote!(#name));
    }

    fn gather(&mut self, list: &FieldCopy, first: &[First], each: &[Each]) {
        let read = self.read(&list.from);
        let name = self.fresh(&list.from);
        let mutable = (!each.is_empty()).then(|| quote!(mut));
        self.statements.push(quote!(let #mutable #name = #read;));
        for Each { field: place, element, value } in each {
            let field = field_path(element);
            let shared = self.fresh(place);
            let hoisted = quote!(convert::hoist(&mut #name, |element| &mut element.#field));
            let converted = self.each(element, place.field(), value, hoisted);
            self.statements.push(quote!(let #shared = #converted;));
            self.tree.put(place, quote!(#shared));
        }
        for First { field: place, element, .. } in first {
            let field = field_path(element);
            let head = self.fresh(place);
            self.statements.push(
                quote!(let #head = #name.first().map(|element| element.#field.clone()).unwrap_or_default();),
            );
            self.tree.put(place, quote!(#head));
        }
        let converted = self.converter().value(&list.value, quote!(#name));
        let converted = self.accepted(&list.from.to_string(), &list.value, converted);
        self.tree.put(&list.to, converted);
    }

    /// Copies unknown fields, of which some are fields of the other type.
    fn rest(&mut self, rest: &Rest) {
        let Rest { from, to, given, taken, .. } = rest;
        let read = self.read(from);
        let mut unknown = if given.is_empty() && taken.is_empty() {
            read
        } else {
            self.statements.push(quote!(let mut unknown = #read;));
            quote!(unknown)
        };
        for place in given {
            let (name, value) = (&place.field().name, self.read_exact(place));
            self.statements.push(quote!(convert::into_rest(&mut unknown, #name, #value);));
        }
        for place in taken {
            let name = &place.field().name;
            self.tree.put_exact(place, quote!(convert::from_rest(&mut unknown, #name)));
        }
        let names: Vec<&str> = rest.conflicts().collect();
        if self.direction == Direction::FromHub && !names.is_empty() {
            unknown = quote!(convert::without(#unknown, &[#(#names),*]));
        }
        self.tree.put(to, unknown);
    }

    /// Converts a value that may be absent on both sides or on neither.
    fn each(&self, from: &Field, to: &Field, value: &Value, expression: TokenStream) -> TokenStream {
        let convert = self.converter();
        let converted = if from.may_be_absent() {
            convert.optional(value, expression, self.boxes(from, to))
        } else {
            convert.value(value, expression)
        };
        self.accepted(&from.name, value, converted)
    }

    /// Converts a value that is present on both sides.
    pub(super) fn copied(&self, copy: &FieldCopy, value: TokenStream) -> TokenStream {
        let words = self.words(&copy.from, &copy.to);
        let converted = self.converter().words(words).value(&words.value(copy), value);
        self.accepted(&copy.from.to_string(), &copy.value, converted)
    }

    /// The types that the program converts from and to.
    pub(super) fn sides(&self) -> (&'a TypeId, &'a TypeId) {
        match self.direction {
            Direction::ToHub => (self.version, self.hub),
            Direction::FromHub => (self.hub, self.version),
        }
    }

    /// The enums of two fields.
    fn words(&self, from: &ResolvedPath, to: &ResolvedPath) -> WordTypes<'a> {
        let (types, enums) = (self.context.types, self.context.enums);
        let (source, target) = self.sides();
        WordTypes { from: enums.at(types, source, from), to: enums.at(types, target, to) }
    }

    fn is_boxed(&self, place: &ResolvedPath) -> bool {
        self.context.boxed.field(place.field())
    }

    /// Whether each of two fields is boxed.
    fn boxes(&self, from: &Field, to: &Field) -> (bool, bool) {
        (self.context.boxed.field(from), self.context.boxed.field(to))
    }

    /// The value of an optional field, or an empty one.
    fn opened(&self, field: &Field, value: &TokenStream) -> TokenStream {
        if self.context.boxed.field(field) {
            // Does not allocate a box for an empty value.
            quote!(#value.map(|value| *value).unwrap_or_default())
        } else {
            quote!(#value.unwrap_or_default())
        }
    }

    fn converter(&self) -> Converter<'a> {
        Converter::new(self.context, self.direction)
    }

    /// Moves the value of a field out of the input. Unwraps the objects on its path that may be
    /// absent. `null` is the same as absent.
    fn read(&mut self, place: &ResolvedPath) -> TokenStream {
        let value = self.read_exact(place);
        if place.field().is_nullable() { quote!(#value.flatten()) } else { value }
    }

    /// As [`Writer::read`], in the type of the Rust field: a nullable one is an `Option<Option<_>>`.
    fn read_exact(&mut self, place: &ResolvedPath) -> TokenStream {
        let count = place.0.len();
        let around = self.open(&place.first(count - 1));
        let name = field_path(place.field());
        quote!(#around.#name)
    }

    /// An object of the input, with those that may be absent unwrapped.
    fn open(&mut self, object: &ResolvedPath) -> TokenStream {
        let input = &self.input;
        let mut out = quote!(#input);
        let mut path = Vec::new();
        for field in &object.0 {
            path.push(field.name.clone());
            let name = field_path(field);
            out = quote!(#out.#name);
            if self.program.opened.iter().any(|place| place.names() == path) {
                let known = self.unwrapped.get(&path).cloned();
                let name = known.unwrap_or_else(|| {
                    let name = self.fresh(&object.first(path.len()));
                    let flatten = field.is_nullable().then(|| quote!(.flatten()));
                    let value = self.opened(field, &quote!(#out #flatten));
                    self.statements.push(quote!(let #name = #value;));
                    self.unwrapped.insert(path.clone(), name.clone());
                    name
                });
                out = quote!(#name);
            }
        }
        out
    }

    /// The value of a field, which is `None` if the field or an object on its path is absent.
    fn optional(&mut self, place: &ResolvedPath) -> TokenStream {
        let is_opened =
            |object: &ResolvedPath| self.program.opened.iter().any(|opened| opened.names() == object.names());
        let Some(object) = place.parents().filter(is_opened).last() else {
            let input = &self.input;
            return element::optional(quote!(#input), &place.0, None);
        };
        let is_there =
            (!place.0[object.0.len()..].iter().any(Field::may_be_absent)).then(|| self.has(&object));
        let opened = self.open(&object);
        element::optional(quote!(#opened), &place.0[object.0.len()..], is_there)
    }

    fn read_or_empty(&mut self, place: &ResolvedPath) -> TokenStream {
        let value = self.read(place);
        if place.may_be_absent() { quote!(#value.unwrap_or_default()) } else { value }
    }

    /// Whether a field of the input has a value other than the empty one.
    fn is_set(&self, place: &ResolvedPath) -> TokenStream {
        is_there(&self.input, place)
    }

    /// A name for a local variable that does not hide another one: that of a field, with those of the objects around it
    /// where it is taken.
    fn fresh(&mut self, place: &ResolvedPath) -> syn::Ident {
        let names = place.names();
        let last = names.last().copied().unwrap_or_default();
        let longer = (0..names.len() - 1).rev().map(|start| names[start..].join("_"));
        let beside = |number: usize| match number {
            1 => format!("{last}_value"),
            _ => format!("{last}_value_{number}"),
        };
        let all = std::iter::once(last.to_owned()).chain(longer).chain((1..).map(beside));
        let name = all.map(|name| name_ident(&name)).find(|name| !self.is_taken(name));
        let name = name.expect("there is no end of numbers");
        self.variables.insert(name.to_string());
        name
    }

    fn is_taken(&self, name: &syn::Ident) -> bool {
        let is_metadata = || name == "metadata" && self.context.metadata(self.version, self.hub).is_some();
        *name == self.input || self.variables.contains(&name.to_string()) || is_metadata()
    }
}

/// The variable that says whether an optional object is there.
fn has(object: &ResolvedPath) -> syn::Ident {
    super::ident(&format!("has_{}", snake(&object.names().join("_"))))
}

/// Whether a field of `input` is there, as an optional object, or has a value other than the empty one.
fn is_there(input: &syn::Ident, place: &ResolvedPath) -> TokenStream {
    let mut out = quote!(#input);
    let mut has_option = false;
    let last = place.0.len() - 1;
    for (index, field) in place.0.iter().enumerate() {
        let name = field_path(field);
        let is_nullable = field.is_nullable();
        out = match (has_option, index == last, field.may_be_absent()) {
            (false, true, _) if is_nullable => quote!(matches!(#out.#name, Some(Some(_)))),
            (true, true, _) if is_nullable => {
                quote!(#out.is_some_and(|value| matches!(value.#name, Some(Some(_)))))
            }
            (false, false, true) if is_nullable => quote!(#out.#name.as_ref().and_then(Option::as_ref)),
            (true, false, true) if is_nullable => {
                quote!(#out.and_then(|value| value.#name.as_ref()?.as_ref()))
            }
            (false, true, true) => quote!(#out.#name.is_some()),
            (false, true, false) => quote!(convert::is_present(&#out.#name)),
            (false, false, false) => quote!(#out.#name),
            (false, false, true) => quote!(#out.#name.as_ref()),
            (true, true, true) => quote!(#out.is_some_and(|value| value.#name.is_some())),
            (true, true, false) => quote!(#out.is_some_and(|value| convert::is_present(&value.#name))),
            (true, false, false) => quote!(#out.map(|value| &value.#name)),
            (true, false, true) => quote!(#out.and_then(|value| value.#name.as_ref())),
        };
        has_option |= field.may_be_absent();
    }
    out
}

/// Wraps a value for a field that may be absent: an empty value becomes `None`.
fn wrapped(place: &ResolvedPath, value: TokenStream) -> TokenStream {
    if place.may_be_absent() { quote!(convert::present(#value)) } else { value }
}
