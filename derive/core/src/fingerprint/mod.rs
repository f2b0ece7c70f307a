//! A number that changes with a type, by which code that was generated for the type notices that it is stale.
//!
//! It is computed from what the derive understands of a type: names, types as they are written, and attributes.
//! Layout, comments and the order of attributes do not change it. The compiler's text of tokens is not used, because
//! its spaces differ between releases.

#[cfg(test)]
mod tests;

use syn::{GenericArgument, LitInt, LitStr, PathArguments, Type};

use crate::attributes::{Allowed, FieldAttributes, List, Omit};
use crate::facts::Facts;
use crate::from::{Cell, From, Function, KeyedList, NumberInText, ValueTable, WordMap};
use crate::input::{ApiType, Field, Set};
use crate::kind::KindAttributes;

/// The fingerprint of a type.
///
/// ```
/// use hubgen_derive_core::{ApiType, fingerprint};
/// use syn::parse_quote;
///
/// let fingerprint = |item| fingerprint(&ApiType::parse(&item).unwrap());
/// let before = fingerprint(parse_quote!(struct Part { name: Str }));
/// assert_eq!(before, fingerprint(parse_quote!(/** A part. */ pub struct Part { pub name : Str, })));
/// assert_ne!(before, fingerprint(parse_quote!(struct Part { name: Option<Str> })));
/// ```
pub fn fingerprint(ty: &ApiType) -> u64 {
    let mut hash = Hash::new();
    match ty {
        ApiType::Struct(item) => {
            hash.text("struct");
            hash.text(&item.ident.to_string());
            if let Some(kind) = &item.kind {
                hash.kind(kind);
            }
            hash.flag("refuses unknown", item.refuses_unknown);
            hash.flag("flattened", item.is_flattened);
            hash.facts(&item.facts);
            hash.fields(&item.fields);
        }
        ApiType::Words(item) => {
            hash.text("words");
            hash.text(&item.ident.to_string());
            for (variant, word) in &item.words {
                hash.text(&variant.to_string());
                hash.text(word);
            }
            match &item.set {
                Set::Closed { default } => hash.named("default", &default.to_string()),
                Set::Open { other } => hash.named("other", &other.to_string()),
            }
        }
        ApiType::OneOf(item) => {
            hash.text("one of");
            hash.text(&item.ident.to_string());
            hash.facts(&item.facts);
            hash.fields(&item.members);
            hash.named("default", &item.default.to_string());
        }
        // Generated code does not depend on what the leaf contains.
        ApiType::Leaf(item) => {
            hash.text("leaf");
            hash.text(&item.ident.to_string());
            hash.flag("other", item.other);
            hash.facts(&item.facts);
        }
        // No generated code is for a view.
        ApiType::View(item) => {
            hash.text("view");
            hash.text(&item.ident.to_string());
        }
    }
    hash.0
}

/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a), which is the same on every machine.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }

    /// Adds a text, and its end.
    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.byte(byte));
        // No text in UTF-8 contains it.
        self.byte(0xff);
    }

    fn named(&mut self, name: &str, text: &str) {
        self.text(name);
        self.text(text);
    }

    fn one(&mut self, name: &str, text: Option<&LitStr>) {
        if let Some(text) = text {
            self.named(name, &text.value());
        }
    }

    fn several(&mut self, name: &str, texts: &[LitStr]) {
        texts.iter().for_each(|text| self.named(name, &text.value()));
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.text(name);
        }
    }

    fn facts(&mut self, facts: &Facts) {
        if !facts.is_empty() {
            self.named("facts", &facts.json());
        }
    }

    fn fields(&mut self, fields: &[Field]) {
        for Field { ident, ty, name, attributes, description: _ } in fields {
            self.named("field", &ident.to_string());
            self.text(name);
            self.ty(ty);
            self.attributes(attributes);
        }
    }

    fn attributes(&mut self, attributes: &FieldAttributes) {
        // `name` is part of the field already, and the last two are about the attribute itself.
        let FieldAttributes {
            name: _,
            number,
            unnumbered,
            omit,
            value,
            required,
            default,
            one_of,
            other,
            rest,
            flatten,
            list,
            atomic,
            patch,
            merge_key,
            since,
            until,
            facts,
            added,
            removed,
            dropped,
            empty_is_absent,
            renamed,
            written: _,
            span: _,
        } = attributes;
        number.iter().map(LitInt::base10_digits).for_each(|number| self.named("number", number));
        self.flag("unnumbered", *unnumbered);
        if let Some(omit) = omit {
            let word = match omit {
                Omit::Empty => "empty",
                Omit::Zero => "zero",
                Omit::Never => "never",
                Omit::Exact => "exact",
            };
            self.named("omit", word);
        }
        self.flag("value", *value);
        self.flag("required", *required);
        self.one("default", default.as_ref());
        match one_of {
            None => {}
            Some(Allowed::Listed(words)) => self.several("one_of", words),
            Some(Allowed::OfType) => self.text("one_of"),
        }
        self.flag("other", other.is_some());
        self.flag("rest", rest.is_some());
        self.flag("flatten", flatten.is_some());
        match list {
            None => {}
            Some(List::Atomic) => self.named("list", "atomic"),
            Some(List::Set) => self.named("list", "set"),
            Some(List::Map(keys)) => self.several("list map", keys),
        }
        self.flag("atomic", *atomic);
        self.several("patch", patch);
        self.one("merge_key", merge_key.as_ref());
        self.one("since", since.as_ref());
        self.one("until", until.as_ref());
        self.facts(facts);
        self.flag("added", added.is_some());
        self.flag("removed", removed.is_some());
        self.flag("dropped", dropped.is_some());
        self.flag("empty_is_absent", empty_is_absent.is_some());
        for (version, name) in renamed {
            self.named("renamed", &version.to_string());
            self.text(&name.value());
        }
    }

    fn kind(&mut self, attributes: &KindAttributes) {
        let KindAttributes {
            group,
            version,
            kind,
            plural,
            singular,
            list,
            short,
            category,
            namespaced,
            storage,
            unserved,
            deprecated,
            status,
            scale,
            column,
            selectable,
            may_be_invalid,
            label,
            annotation,
            conversion,
            preserve_unknown_fields,
            from,
        } = attributes;
        self.named("group", group);
        self.named("version", version);
        self.named("kind", kind);
        self.one("plural", plural.as_ref());
        self.one("singular", singular.as_ref());
        self.one("list", list.as_ref());
        self.several("short", short);
        self.several("category", category);
        self.flag("namespaced", namespaced.is_some());
        self.flag("storage", *storage);
        self.flag("unserved", *unserved);
        if let Some(warning) = deprecated {
            self.text("deprecated");
            self.one("warning", warning.as_ref());
        }
        self.flag("status", *status);
        if let Some(scale) = scale {
            self.named("scale", &scale.spec.value());
            self.text(&scale.status.value());
            self.one("selector", scale.selector.as_ref());
        }
        for column in column {
            self.named("column", &column.name.value());
            self.text(&column.path.value());
            self.one("type", column.ty.as_ref());
            self.one("format", column.format.as_ref());
            self.one("description", column.description.as_ref());
            if let Some(priority) = column.priority {
                self.named("priority", &priority.to_string());
            }
        }
        self.several("selectable", selectable);
        self.several("may be invalid", may_be_invalid);
        for (key, pairs) in [("label", label), ("annotation", annotation)] {
            for (name, value) in pairs {
                self.named(key, &name.value());
                self.text(&value.value());
            }
        }
        self.one("conversion", conversion.as_ref());
        if let Some(preserve) = preserve_unknown_fields {
            self.named("preserve", if preserve.value { "yes" } else { "no" });
        }
        for from in from {
            self.from(from);
        }
    }

    /// Adds how an older version becomes this one.
    fn from(&mut self, from: &From) {
        let From { version, moved, words, numbers, keyed, tables, functions, not_convertible } = from;
        self.named("from", &version.to_string());
        for (from, to) in moved {
            self.named("moved", &from.value());
            self.text(&to.value());
        }
        for WordMap { from, to, words } in words {
            self.named("words", &from.value());
            self.text(&to.value());
            for (word, counterpart) in words {
                self.named("word", &word.value());
                self.text(&counterpart.value());
            }
        }
        for NumberInText { from, to, form, unit } in numbers {
            self.named("number", &from.value());
            self.text(&to.value());
            self.text(form);
            self.one("unit", unit.as_ref());
        }
        for KeyedList { from, to, key, value } in keyed {
            self.named("keyed", &from.value());
            self.text(&to.value());
            self.text(&key.value());
            self.one("value", value.as_ref());
        }
        for ValueTable { from, to, rows } in tables {
            self.several("table", from);
            self.several("in", to);
            for (from, to) in rows {
                self.text("row");
                from.iter().for_each(|cell| self.cell(cell));
                self.text("is");
                to.iter().for_each(|cell| self.cell(cell));
            }
        }
        for Function { module, from, to, reads } in functions {
            self.named("function", &module.value());
            self.several("of", from);
            self.several("in", to);
            // Types without it keep the fingerprint that they had.
            if !reads.is_empty() {
                self.several("reads", reads);
            }
        }
        self.one("not convertible", not_convertible.as_ref());
    }

    /// Adds a cell of a table.
    fn cell(&mut self, cell: &Cell) {
        match cell {
            Cell::Text(text) => self.named("text", &text.value()),
            Cell::Bool(value) => self.named("bool", &value.to_string()),
            Cell::Integer(value) => self.named("integer", &value.to_string()),
            Cell::List(cells) => {
                self.named("list", &cells.len().to_string());
                cells.iter().for_each(|cell| self.cell(cell));
            }
        }
    }

    /// Adds a type as it is written.
    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Paren(inner) => self.ty(&inner.elem),
            Type::Group(inner) => self.ty(&inner.elem),
            Type::Path(path) => {
                self.flag("::", path.path.leading_colon.is_some());
                for segment in &path.path.segments {
                    self.text(&segment.ident.to_string());
                    let PathArguments::AngleBracketed(list) = &segment.arguments else { continue };
                    self.text("<");
                    for argument in &list.args {
                        if let GenericArgument::Type(ty) = argument {
                            self.ty(ty);
                        }
                    }
                    self.text(">");
                }
            }
            // No field can have another type.
            _ => self.text("another type"),
        }
    }
}
