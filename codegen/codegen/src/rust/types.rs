//! Makes types of the model from the structs and enums of modules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hubgen_derive_core::{
    Allowed, ApiType, Field as ParsedField, FieldAttributes, KindAttributes, List, Omit as WrittenOmit, Set,
    crate_path, fingerprint,
};
use hubgen_documents::{Diagnostic, crd};
use hubgen_model::{
    Facts, Field, GroupVersion, Kind, ListType, Omit, Patch, Presence, Release, Resource, RustName, Type,
    TypeBody, TypeExpr, TypeId,
};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Item as RustItem, LitStr, Visibility};

use super::field_type::{FieldType, Item, Scope};
use super::flatten::{self, Flattened, Object};
use super::found::{Found, derived, error, has_derive};
use super::modules::{ItemPath, Modules, conditions};
use super::rules::{self, KindAt};
use super::{Place, Words, Written, facts, kinds};
use crate::naming::{is_ident, rust_name};

/// Makes the types of all modules.
pub(super) fn assemble(
    modules: &Modules,
    kubernetes: &BTreeMap<String, Vec<GroupVersion>>,
    errors: &mut Vec<Diagnostic>,
) -> Written {
    let found: Vec<Found<'_>> =
        modules.all.iter().flat_map(|(path, module)| derived(path, module, errors)).collect();
    let versions = versions(&found, errors);
    let mut items: BTreeMap<ItemPath, Item> = BTreeMap::new();
    let mut names: BTreeMap<TypeId, Span> = BTreeMap::new();
    let mut known: Vec<(TypeId, &Found<'_>)> = Vec::new();
    for found in &found {
        let ident = found.ident();
        if let ApiType::View(_) = found.parsed {
            items.insert(path(found.module, ident), Item::View);
            continue;
        }
        // A leaf is the same in all versions, so that they can share one.
        let shared = || versions.values().max().filter(|_| matches!(found.parsed, ApiType::Leaf(_)));
        let Some(version) = version_of(&versions, found.module).or_else(shared) else {
            let message = format!("the version of `{ident}` is not known");
            let help = "write it in the module of a version, which has a struct with `#[kind(…)]`, or in a module below";
            errors.push(error(found.source, ident.span(), "", message, help));
            continue;
        };
        let id = TypeId::at(version.clone(), ident.to_string());
        if names.insert(id.clone(), ident.span()).is_some() {
            let message = format!("{version} has two types with the name `{ident}`");
            errors.push(error(found.source, ident.span(), "", message, "give one of them another name"));
        }
        let item = match &found.parsed {
            ApiType::Words(_) | ApiType::Leaf(_) => Item::Words(id.clone()),
            _ => Item::Object(id.clone()),
        };
        items.insert(path(found.module, ident), item);
        known.push((id, found));
    }
    add_others(&mut items, modules);
    let scope =
        Scope { modules, items: &items, machinery: found.iter().filter_map(machinery).collect(), kubernetes };
    let is_flattened =
        |found: &Found<'_>| matches!(&found.parsed, ApiType::Struct(item) if item.is_flattened);
    let flattenable = known.iter().filter(|(_, found)| is_flattened(found)).map(|(id, _)| id.clone());
    let mut reader = Reader {
        scope,
        written: Written::default(),
        boxes: BTreeMap::new(),
        flattenable: flattenable.collect(),
        flattened: Flattened::new(),
        errors,
    };
    for (id, found) in &known {
        reader.words(id, found);
    }
    for (id, found) in &known {
        reader.ty(id, found);
    }
    flatten::expand(&mut reader.written, std::mem::take(&mut reader.flattened), reader.errors);
    for (id, found) in &known {
        reader.columns(id, found);
    }
    reader.families(&known);
    let boxes = std::mem::take(&mut reader.boxes);
    let mut written = reader.written;
    written.boxed = boxes.into_iter().map(|(id, (is_boxed, _))| (id, is_boxed)).collect();
    for version in written.api.versions.values_mut() {
        version.types.sort_keys();
    }
    written
}

/// Adds the structs and enums that are no types of an API, for a better message where a field names one.
fn add_others(items: &mut BTreeMap<ItemPath, Item>, modules: &Modules) {
    for (module, content) in &modules.all {
        for item in &content.items {
            let (ident, attributes) = match item {
                RustItem::Struct(item) => (&item.ident, &item.attrs),
                RustItem::Enum(item) => (&item.ident, &item.attrs),
                _ => continue,
            };
            let other = if attributes.iter().any(has_derive) { Item::Refused } else { Item::Other };
            items.entry(path(module, ident)).or_insert(other);
        }
    }
}

/// The path by which a type names hubgen-machinery, if it is not the usual one: `["facade", "machinery"]`.
fn machinery(found: &Found<'_>) -> Option<Vec<String>> {
    let path = crate_path(found.attributes()).ok()??;
    Some(path.segments.iter().map(|segment| segment.ident.to_string()).collect())
}

fn path(module: &ItemPath, ident: &syn::Ident) -> ItemPath {
    module.iter().cloned().chain([ident.to_string()]).collect()
}

/// The versions of modules that contain kinds.
fn versions<'a>(
    found: &'a [Found<'a>],
    errors: &mut Vec<Diagnostic>,
) -> BTreeMap<&'a ItemPath, GroupVersion> {
    let mut out: BTreeMap<&ItemPath, GroupVersion> = BTreeMap::new();
    for found in found {
        let ApiType::Struct(item) = &found.parsed else { continue };
        let Some(kind) = &item.kind else { continue };
        let version = GroupVersion::new(&kind.group, &kind.version);
        let known = out.entry(found.module).or_insert_with(|| version.clone());
        if *known != version {
            let message = format!("the module contains kinds of {known} and of {version}");
            let help = "write a module for each version";
            errors.push(error(found.source, item.ident.span(), "", message, help));
        }
    }
    out
}

/// The version of a module: that of its kinds, or of the nearest module above that has kinds.
fn version_of<'v>(
    versions: &'v BTreeMap<&ItemPath, GroupVersion>,
    module: &ItemPath,
) -> Option<&'v GroupVersion> {
    (0..=module.len()).rev().find_map(|length| versions.get(&module[..length].to_vec()))
}

struct Reader<'a, 'e> {
    scope: Scope<'a>,
    written: Written,
    /// Whether the optional fields of a type are boxed, and one of them.
    boxes: BTreeMap<TypeId, (bool, String)>,
    /// The structs that may be flattened.
    flattenable: BTreeSet<TypeId>,
    /// The flattened objects that were found.
    flattened: Flattened,
    errors: &'e mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    /// The module from which generated code uses a type.
    fn module(&self, found: &Found<'_>) -> ItemPath {
        self.scope.modules.exported_from(&path(found.module, found.ident()))
    }

    /// Adds an enum of words, or a leaf.
    fn words(&mut self, id: &TypeId, found: &Found<'_>) {
        let (words, other, leaf) = match &found.parsed {
            ApiType::Words(item) => {
                let words =
                    item.words.iter().map(|(ident, word)| (ident.to_string(), word.clone())).collect();
                let other = match &item.set {
                    Set::Open { other } => Some(other.to_string()),
                    Set::Closed { .. } => None,
                };
                (words, other, None)
            }
            ApiType::Leaf(item) => {
                let facts = self.facts(found, &id.name, facts::of_leaf(&item.facts));
                (Vec::new(), item.other.then(String::new), Some(facts))
            }
            _ => return,
        };
        let words = Words {
            module: self.module(found),
            words,
            other,
            leaf,
            fields: Vec::new(),
            fingerprint: fingerprint(&found.parsed),
        };
        self.written.words.insert(id.clone(), words);
    }

    /// Adds an object.
    fn ty(&mut self, id: &TypeId, found: &Found<'_>) {
        let (description, parsed, kind, own) = match &found.parsed {
            ApiType::Struct(item) => (&item.description, &item.fields, item.kind.as_deref(), &item.facts),
            ApiType::OneOf(item) => (&item.description, &item.members, None, &item.facts),
            _ => return,
        };
        let mut own = self.facts(found, &id.name, facts::of_type(own));
        let is_one_of = matches!(found.parsed, ApiType::OneOf(_));
        if is_one_of {
            add_one_property(&mut own);
        }
        let rust: BTreeMap<String, &syn::Field> = match found.item {
            RustItem::Struct(item) => {
                let named =
                    item.fields.iter().filter_map(|field| Some((field.ident.as_ref()?.to_string(), field)));
                named.collect()
            }
            _ => BTreeMap::new(),
        };
        let mut fields = Vec::new();
        let mut spans: BTreeMap<String, Range<usize>> = BTreeMap::new();
        for parsed in parsed {
            if parsed.attributes.rest.is_some() {
                fields.extend(self.rest(id, found, parsed, &fields));
                continue;
            }
            if parsed.attributes.flatten.is_some() {
                if let Some(source) = rust.get(&parsed.ident.to_string()) {
                    self.check(id, found, parsed, source);
                }
                self.flatten(id, found, parsed, fields.len());
                continue;
            }
            spans.insert(parsed.name.clone(), parsed.ident.span().byte_range());
            if let Some(source) = rust.get(&parsed.ident.to_string()) {
                self.check(id, found, parsed, source);
            }
            fields.extend(self.field(id, found, parsed, is_one_of));
        }
        let mut ty = Type {
            id: id.clone(),
            body: TypeBody::Struct(fields),
            kind: None,
            since: None,
            until: None,
            description: description.clone(),
            refuses_unknown: matches!(&found.parsed, ApiType::Struct(item) if item.refuses_unknown),
            facts: own.boxed(),
        };
        let version = self.written.api.versions.entry(id.group_version.clone()).or_default();
        if let Some(attributes) = kind {
            let mut kind = kinds::kind(id, attributes);
            // The schemas of metadata and of `apiVersion` and `kind` are inside that of the whole object.
            let is_whole = ty.facts.as_ref().is_some_and(|facts| facts.imported.is_some());
            if let Some(definition) = kind.definition.as_mut().filter(|_| is_whole) {
                definition.type_meta.clear();
            }
            ty.kind = Some(kind);
            let TypeBody::Struct(fields) = &mut ty.body;
            match fields.iter_mut().find(|field| field.name == "metadata") {
                Some(metadata) if metadata.ty == object_meta() => kinds::set_metadata(metadata, is_whole),
                _ => {
                    let message = format!("the kind `{}` has no metadata", attributes.kind);
                    let help = "add the field `pub metadata: ObjectMeta`, of `hubgen_meta::v1`";
                    self.errors.push(error(found.source, found.ident().span(), "", message, help));
                }
            }
        }
        version.types.insert(id.name.clone(), ty);
        let place = Place {
            module: self.module(found),
            source: found.source.clone(),
            span: found.ident().span().byte_range(),
            fields: spans,
            is_one_of,
            defines: kind.is_some_and(KindAttributes::defines),
            fingerprint: fingerprint(&found.parsed),
        };
        self.written.types.insert(id.clone(), place);
    }

    /// Checks what the generated code needs of a field.
    fn check(&mut self, id: &TypeId, found: &Found<'_>, parsed: &ParsedField, field: &syn::Field) {
        let path = format!("{}.{}", id.name, parsed.name);
        if let Some(condition) = conditions(&field.attrs) {
            let message = format!("the field is compiled only under {condition}, which hubgen cannot decide");
            let help = "remove the condition: an API has the same fields in every build";
            self.errors.push(error(found.source, parsed.ident.span(), &path, message, help));
        }
        if matches!(field.vis, Visibility::Inherited) {
            let message = "the field is private, and generated conversions are in another module";
            let help = format!("write `pub {}`, or `pub(crate)`", parsed.ident);
            self.errors.push(error(found.source, parsed.ident.span(), path, message, help));
        }
    }

    /// Remembers a flattened object, whose fields are added when all types are known.
    fn flatten(&mut self, id: &TypeId, found: &Found<'_>, parsed: &ParsedField, at: usize) {
        let ty = match self.scope.field(found.module, &parsed.ty) {
            Ok(FieldType { expr: TypeExpr::Ref(ty), options: 0, .. }) if self.flattenable.contains(&ty) => ty,
            Err((message, help)) => {
                self.errors.push(error(found.source, parsed.ty.span(), id.name.clone(), message, help));
                return;
            }
            Ok(_) => {
                let message = "the type cannot be flattened";
                let help = "flatten a struct of this API that has `#[flattened]`";
                self.errors.push(error(found.source, parsed.ty.span(), id.name.clone(), message, help));
                return;
            }
        };
        self.flattened.entry(id.clone()).or_default().push(Object {
            ty,
            name: parsed.ident.to_string(),
            at,
            source: found.source.clone(),
            span: parsed.ident.span().byte_range(),
        });
    }

    /// The field for unknown fields, beside others.
    fn rest(
        &mut self,
        id: &TypeId,
        found: &Found<'_>,
        parsed: &ParsedField,
        others: &[Field],
    ) -> Option<Field> {
        let mut rest = Field::rest(others);
        if !matches!(self.scope.field(found.module, &parsed.ty), Ok(ty) if ty.options == 0
            && matches!(&ty.expr, TypeExpr::Map(value) if matches!(**value, TypeExpr::Raw(_))))
        {
            let message = "a type that cannot contain unknown fields";
            let help = "write `StrMap<Raw>`";
            self.errors.push(error(found.source, parsed.ty.span(), id.name.clone(), message, help));
            return None;
        }
        let name = parsed.ident.to_string();
        rest.rust_name = if name == "rest" { RustName::Usual } else { RustName::Written(name) };
        Some(rest)
    }

    fn field(
        &mut self,
        id: &TypeId,
        found: &Found<'_>,
        parsed: &ParsedField,
        is_one_of: bool,
    ) -> Option<Field> {
        let path = format!("{}.{}", id.name, parsed.name);
        let at = |span: Span, message: String, help: &str| error(found.source, span, &path, message, help);
        let ty = match self.scope.field(found.module, &parsed.ty) {
            Ok(ty) => ty,
            Err((message, help)) => {
                self.errors.push(at(parsed.ty.span(), message, &help));
                return None;
            }
        };
        let attributes = &parsed.attributes;
        let mut field = Field::new(&parsed.name, ty.expr.clone());
        let name = parsed.ident.to_string();
        // `r#limit` is `limit`, but `r#type` is no other field.
        let plain = name.strip_prefix("r#").filter(|plain| is_ident(plain));
        let name = plain.unwrap_or(&name).to_owned();
        if rust_name(&parsed.name) != name {
            field.rust_name = RustName::Written(name);
        }
        field.description.clone_from(&parsed.description);
        field.required = attributes.required;
        if is_one_of {
            field.presence = Presence::Pointer;
        } else {
            (field.presence, field.omit) = presence(&ty, attributes);
        }
        field.number = attributes.number.iter().filter_map(|number| number.base10_parse().ok()).collect();
        if let Some(text) = &attributes.default {
            match default(text, &ty.expr) {
                Ok(value) => field.default = Some(value),
                Err((message, help)) => self.errors.push(at(text.span(), message, &help)),
            }
        }
        field.enumeration = self.enumeration(&ty, attributes);
        if let Some(words) = ty.words.as_ref().and_then(|id| self.written.words.get_mut(id)) {
            words.fields.push((id.clone(), parsed.name.clone()));
        }
        merging(&mut field, attributes);
        for (text, release) in [(&attributes.since, &mut field.since), (&attributes.until, &mut field.until)]
        {
            let Some(text) = text else { continue };
            match text.value().parse::<Release>() {
                Ok(found) => *release = Some(found),
                Err(_) => {
                    let message = format!("`{}` is not a release", text.value());
                    self.errors.push(at(text.span(), message, "write two numbers, such as \"1.9\""));
                }
            }
        }
        let mut own = self.facts(found, &path, facts::of_field(&attributes.facts, &ty.expr));
        if let Some(leaf) = ty.words.as_ref().and_then(|id| self.written.words.get(id)?.leaf.as_ref()) {
            facts::add_leaf(&mut own, &ty.expr, leaf);
        }
        // Instead of an absent value, JSON contains `null`, unless the server replaces it by the default.
        let is_null = ty.options > 0 && field.writes_absent() && field.default.is_none();
        if (field.is_nullable() || is_null) && own.imported.is_none() {
            own.keywords.insert("nullable".to_owned(), true.into());
        }
        facts::raw_objects(&mut field.ty, &mut own);
        field.facts = own.boxed();
        if !ty.standard.is_empty() {
            let of_type = self.written.standard.entry(id.clone()).or_default();
            of_type.insert(parsed.name.clone(), ty.standard.clone());
        }
        self.is_boxed_alike(&ty, found, parsed, &path);
        Some(field)
    }

    /// The words that a field allows.
    fn enumeration(&self, ty: &FieldType, attributes: &FieldAttributes) -> Vec<serde_json::Value> {
        match &attributes.one_of {
            Some(Allowed::Listed(words)) => {
                words.iter().map(|word| facts::word(&ty.expr, &word.value())).collect()
            }
            Some(Allowed::OfType) | None => match ty.words.as_ref().and_then(|id| self.written.words.get(id))
            {
                Some(words) => words.words.iter().map(|(_, word)| word.clone().into()).collect(),
                None => Vec::new(),
            },
        }
    }

    /// Facts; none, and an error, if they are wrong.
    fn facts(&mut self, found: &Found<'_>, path: &str, facts: Result<Facts, facts::Wrong>) -> Facts {
        facts.unwrap_or_else(|(span, message, help)| {
            self.errors.push(error(found.source, span, path, message, help));
            Facts::default()
        })
    }

    /// Checks that a type is boxed in all optional fields or in none.
    fn is_boxed_alike(&mut self, ty: &FieldType, found: &Found<'_>, parsed: &ParsedField, path: &str) {
        let TypeExpr::Ref(id) = &ty.expr else { return };
        if ty.options == 0 {
            return;
        }
        let (is_boxed, example) =
            self.boxes.entry(id.clone()).or_insert_with(|| (ty.is_boxed, path.to_owned()));
        if *is_boxed != ty.is_boxed {
            let (here, there) = if ty.is_boxed { ("", "not ") } else { ("not ", "") };
            let message = format!("`{}` is {here}in a `Box` here, but {there}in {example}", id.name);
            let help =
                "box a type in all optional fields or in none, so that versions convert without allocations";
            self.errors.push(error(found.source, parsed.ty.span(), path, message, help));
        }
    }

    /// Gives all versions of a kind the names that the storage version has, so that they are written once.
    fn families(&mut self, known: &[(TypeId, &Found<'_>)]) {
        let mut families: BTreeMap<(&str, &str), Vec<KindAt<'_>>> = BTreeMap::new();
        for (id, found) in known {
            let ApiType::Struct(item) = &found.parsed else { continue };
            let Some(kind) = &item.kind else { continue };
            families.entry((&kind.group, &kind.kind)).or_default().push((id, found, kind));
        }
        let written: BTreeMap<&TypeId, &Found<'_>> = known.iter().map(|(id, found)| (id, *found)).collect();
        let mut used = rules::Used::default();
        for (_, mut versions) in families {
            versions.sort_by(|a, b| a.0.group_version.cmp(&b.0.group_version));
            let lowered = rules::lower(&self.written.api, &written, &versions, &mut used, self.errors);
            self.written.rules.extend(lowered);
            let stored: Vec<_> = versions.iter().filter(|(.., kind)| kind.storage).collect();
            let newest = versions.last().copied();
            let stored = match stored[..] {
                [stored] => *stored,
                [first, second, ..] => {
                    let (id, found, _) = second;
                    let message = format!("{id} and {} are both the storage version", first.0);
                    let help = "objects are stored at one version: remove `storage` from the others";
                    self.errors.push(error(found.source, found.ident().span(), "", message, help));
                    continue;
                }
                [] if versions.len() == 1 => versions[0],
                [] => {
                    let Some((id, found, kind)) = newest else { continue };
                    let message = format!("no version of {} is the storage version", kind.kind);
                    let help =
                        format!("add `storage` to `#[kind(…)]` of one version, such as {}", id.group_version);
                    self.errors.push(error(found.source, found.ident().span(), "", message, help));
                    continue;
                }
            };
            self.agree(stored, &versions);
        }
        rules::unused(known, &used, self.errors);
    }

    /// Gives versions what the storage version specifies for all of them.
    fn agree(&mut self, (stored, _, attributes): KindAt<'_>, versions: &[KindAt<'_>]) {
        let kind = |written: &mut Written, id: &TypeId| {
            written.api.versions.get_mut(&id.group_version)?.types.get_mut(&id.name)?.kind.take()
        };
        let Some(mut first) = kind(&mut self.written, stored) else { return };
        if let Some(definition) = &mut first.definition {
            definition.storage = true;
            definition.shared.get_or_insert_default();
        }
        for (id, ..) in versions {
            let list = crd::list_of(id, &attributes.list_kind());
            let version = self.written.api.versions.entry(id.group_version.clone()).or_default();
            version.types.insert(list.id.name.clone(), list);
        }
        for (id, found, own) in versions.iter().filter(|(id, ..)| *id != stored) {
            for (key, span) in own.names_that_differ(attributes) {
                let message = format!("`{key}` is not that of the storage version, {}", stored.group_version);
                let help = "names are the same in all versions: write them at the storage version only";
                self.errors.push(error(found.source, span, "", message, help));
            }
            let Some(mut other) = kind(&mut self.written, id) else { continue };
            if let (Some(resource), Some(names)) = (&mut other.resource, &first.resource) {
                let subresources = std::mem::take(&mut resource.subresources);
                *resource = Resource { subresources, ..names.clone() };
            }
            self.set_kind(id, other);
        }
        self.set_kind(stored, first);
    }

    fn set_kind(&mut self, id: &TypeId, kind: Kind) {
        let version = self.written.api.versions.get_mut(&id.group_version);
        if let Some(ty) = version.and_then(|version| version.types.get_mut(&id.name)) {
            ty.kind = Some(kind);
        }
    }

    /// Adds the columns of a kind, whose types follow from its fields.
    fn columns(&mut self, id: &TypeId, found: &Found<'_>) {
        let ApiType::Struct(item) = &found.parsed else { return };
        let (Some(attributes), Some(ty)) = (&item.kind, self.written.api.find(id)) else { return };
        let (columns, wrong) = kinds::columns(&self.written.api, ty, attributes);
        for (path, message) in wrong {
            let help = "name a field of the kind, or write the type of the column";
            self.errors.push(error(found.source, path.span(), "", message, help));
        }
        let version = self.written.api.versions.get_mut(&id.group_version);
        let kind = version.and_then(|version| version.types.get_mut(&id.name)?.kind.as_mut());
        if let Some(definition) = kind.and_then(|kind| kind.definition.as_mut()) {
            definition.columns = columns;
        }
    }
}

/// The default that a text of JSON gives a field; or what is wrong with it, and what to do.
fn default(text: &LitStr, expr: &TypeExpr) -> Result<serde_json::Value, (String, String)> {
    let text = text.value();
    // People forget that a text is in quotes in JSON, too.
    let quoted = serde_json::Value::from(&*text);
    let quoted = expr
        .fits(&quoted)
        .then(|| format!("write the text as JSON, in quotes of its own: {:?}", quoted.to_string()));
    match serde_json::from_str(&text) {
        Ok(value) if expr.fits(&value) => Ok(value),
        Ok(_) => {
            let help = quoted.unwrap_or_else(|| "write a value of the field's type as JSON".to_owned());
            Err((format!("the default {text} is not {expr}"), help))
        }
        Err(wrong) => {
            let help = quoted.unwrap_or_else(|| "write JSON, such as \"1\" or \"\\\"TCP\\\"\"".to_owned());
            Err((format!("the default is not JSON: {wrong}"), help))
        }
    }
}

/// Sets how writers of a field share it: apply and patches.
fn merging(field: &mut Field, attributes: &FieldAttributes) {
    field.list_type = attributes.list.as_ref().map(|list| match list {
        List::Atomic => ListType::Atomic,
        List::Set => ListType::Set,
        List::Map(keys) => ListType::Map(keys.iter().map(LitStr::value).collect()),
    });
    field.atomic = attributes.atomic;
    let patch = Patch {
        strategies: attributes.patch.iter().map(LitStr::value).collect(),
        merge_key: attributes.merge_key.as_ref().map(LitStr::value),
    };
    field.patch = (!patch.strategies.is_empty() || patch.merge_key.is_some()).then_some(patch);
}

/// Presence and omission, as the derive decides them.
fn presence(ty: &FieldType, attributes: &FieldAttributes) -> (Presence, Omit) {
    let presence = match ty.options {
        0 => Presence::Value,
        1 if attributes.value => Presence::Value,
        1 => Presence::Pointer,
        _ => Presence::Nullable,
    };
    let omit = match attributes.omit {
        Some(WrittenOmit::Empty) => Omit::Empty,
        Some(WrittenOmit::Zero) => Omit::Zero,
        Some(WrittenOmit::Never) => Omit::Never,
        Some(WrittenOmit::Exact) => Omit::Exact,
        None if attributes.required => Omit::Exact,
        None => Omit::Empty,
    };
    (presence, omit)
}

/// What the schema of an enum of objects states: one variant is one property.
fn add_one_property(facts: &mut Facts) {
    if facts.imported.is_none() {
        let keywords = ["minProperties", "maxProperties"].map(|keyword| (keyword.to_owned(), 1.into()));
        facts.keywords.extend(keywords);
    }
}

fn object_meta() -> TypeExpr {
    TypeExpr::Ref(TypeId::new("meta.k8s.io", "v1", "ObjectMeta"))
}
