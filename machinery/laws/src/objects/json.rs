//! Generates and compares JSON of a type, with all that JSON distinguishes: no field at all, `null`, `[]`, `{}`,
//! `""` and zero.

use std::collections::BTreeSet;

use hubgen_machinery::convert::Canonical;
use hubgen_machinery::reflect::{Descriptor, Field, Node, Omit, REST, Type, UnknownFields};
use hubgen_machinery::scalar::Quantity;
use serde_json::{Map, Value, json};

use super::generate::{Hint, Source, text};
use crate::Violations;

/// Quantities in their canonical form.
const QUANTITIES: [&str; 4] = ["0", "1", "100m", "1Gi"];

/// Replaces what schemas allow and types do not write: texts that a leaf or a quantity does not accept by examples (the
/// usual pattern of quantities allows `1E.5`), and quantities by their canonical form (`64` is `"64"`).
pub fn accepted(json: &mut Value, descriptor: &Descriptor) {
    let Value::Object(members) = json else { return };
    for field in descriptor.named() {
        if let Some(value) = members.get_mut(&*field.name) {
            accepted_value(value, &field.ty);
        }
    }
}

fn accepted_value(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Leaf(leaf), Value::String(text)) if (leaf.refusal)(text).is_some() => {
            // Different texts become different examples, as far as there are any.
            leaf.examples[text.len() % leaf.examples.len()].clone_into(text);
        }
        (Type::Quantity, value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            *value = match text.parse::<Quantity>() {
                Ok(quantity) => quantity.as_str().into(),
                Err(_) => QUANTITIES[text.len() % QUANTITIES.len()].into(),
            };
        }
        (Type::Struct(ty), value) => accepted(value, &ty.descriptor()),
        (Type::List(node), Value::Array(items)) => {
            items.iter_mut().for_each(|item| accepted_value(item, &node.ty));
        }
        (Type::Map(node), Value::Object(members)) => {
            members.values_mut().for_each(|value| accepted_value(value, &node.ty));
        }
        _ => {}
    }
}

/// Generates an object of a type as clients write it.
///
/// It has every required field. The others are there or not; nullable ones may be `null`. A field
/// whose type does not distinguish an empty value from an absent one is absent or not empty: the type
/// declares that both are the same.
pub fn object(descriptor: &Descriptor, source: &mut Source<'_>) -> Value {
    let mut members = Map::new();
    if let Some(meta) = descriptor.type_meta() {
        members.insert("apiVersion".to_owned(), meta.api_version.into());
        members.insert("kind".to_owned(), meta.kind.into());
    }
    add_members(&mut members, descriptor, source);
    Value::Object(members)
}

/// Adds the fields of a type, and others if it keeps them.
fn add_members(members: &mut Map<String, Value>, descriptor: &Descriptor, source: &mut Source<'_>) {
    for field in descriptor.named() {
        let value = if *field.name == *"metadata" && descriptor.kind.is_some() {
            Some(metadata(source))
        } else {
            member(field, source)
        };
        if let Some(value) = value {
            members.insert(field.name.to_string(), value);
        }
    }
    if descriptor.unknown == UnknownFields::Kept {
        for _ in 0..source.few() {
            let name = source.text(REST);
            // Other versions may have fields of these names, and most fields are plain values.
            let value = match source.below(4) {
                0 => (source.integer() as i32).into(),
                1 => source.text("").into(),
                _ => value(&Type::Raw, Hint::NONE, source),
            };
            if !descriptor.has(name) {
                members.insert(name.to_owned(), value);
            }
        }
    }
}

/// What users write of an object's metadata. Its type is Kubernetes' own, with Go's rules.
fn metadata(source: &mut Source<'_>) -> Value {
    if source.below(2) == 0 {
        return json!({"name": "a"});
    }
    json!({"name": "a", "namespace": "b", "labels": {"app": "c"}, "annotations": {"d": "e"}})
}

/// The value of a field; `None` if the object does not have it.
pub(crate) fn member(field: &Field, source: &mut Source<'_>) -> Option<Value> {
    let is_exact = field.omit == Omit::Exact;
    // Some types contain themselves.
    let is_optional = !is_exact && (field.pointer || field.omit == Omit::Zero);
    if is_optional && (source.is_deep() || source.below(2) == 0) {
        return None;
    }
    if (field.nullable || is_exact && field.optional) && source.below(3) == 0 {
        return Some(Value::Null);
    }
    let value = value(&field.ty, Hint::of(field), source);
    // The type declares what is the same as an absent value.
    match field.omit {
        Omit::Never if is_empty_collection(&value) => Some(Value::Null),
        Omit::Empty if !field.pointer && field.ty.has_empty() && is_empty(&value) => None,
        Omit::Zero if is_empty(&value) => None,
        _ => Some(value),
    }
}

/// Gives JSON the form in which its type writes it. A type declares what is the same as an absent field: an empty
/// list for `Vec<_>`, `null` for `Option<_>`, an empty object for a struct.
///
/// Unknown fields, and what is not as the type expects it, stay as they are. So does the metadata of a kind.
pub fn canonical_form(json: &mut Value, descriptor: &Descriptor) {
    let Value::Object(members) = json else { return };
    for field in descriptor.named() {
        if *field.name == *"metadata" && descriptor.kind.is_some() {
            continue;
        }
        let is_exact = field.omit == Omit::Exact;
        let is_always_there = !is_exact && !field.pointer && field.omit != Omit::Zero;
        if is_always_there && matches!(field.ty, Type::Struct(_)) && !members.contains_key(&*field.name) {
            members.insert(field.name.to_string(), json!({}));
        }
        let Some(value) = members.get_mut(&*field.name) else { continue };
        canonical_value(value, &field.ty);
        let is_absent = match field.omit {
            _ if value.is_null() => !(field.nullable || is_exact || field.omit == Omit::Never),
            Omit::Never if is_empty_collection(value) => {
                *value = Value::Null;
                false
            }
            Omit::Empty => !field.pointer && field.ty.has_empty() && is_empty(value),
            Omit::Zero => is_empty(value),
            Omit::Never | Omit::Exact => false,
        };
        if is_absent {
            members.remove(&*field.name);
        }
    }
}

fn canonical_value(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(ty), value) => canonical_form(value, &ty.descriptor()),
        (Type::List(node), Value::Array(items)) => {
            items.iter_mut().for_each(|item| canonical_value(item, &node.ty));
        }
        (Type::Map(node), Value::Object(members)) => {
            members.values_mut().for_each(|value| canonical_value(value, &node.ty));
        }
        _ => {}
    }
}

fn is_empty_collection(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    is_empty_collection(value)
        || match value {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Number(value) => value.as_f64() == Some(0.0),
            Value::String(value) => value.is_empty(),
            _ => false,
        }
}

/// A value of a type.
pub(crate) fn value(ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Value {
    match ty {
        Type::Bool => (source.below(2) == 1).into(),
        Type::Int32 => (source.integer() as i32).into(),
        Type::Int64 => source.integer().into(),
        Type::Uint16 => (source.integer() as u16).into(),
        Type::Uint32 => (source.integer() as u32).into(),
        Type::Uint64 => (source.integer() as u64).into(),
        // A few digits, which 32 bits contain.
        Type::Float => (f64::from(source.integer() as i16) / 4.0).into(),
        Type::Double => (source.integer() as f64 / 4.0).into(),
        Type::String | Type::Words(_) => text(hint, source).into(),
        Type::Enum(words) => words.get(source.below(words.len().max(1))).copied().unwrap_or_default().into(),
        Type::Leaf(leaf) => leaf.examples[source.below(leaf.examples.len())].into(),
        Type::Bytes => ["", "AAEC", "/w=="][source.below(3)].into(),
        Type::Time => ["1970-01-01T00:00:00Z", "2006-01-02T15:04:05Z"][source.below(2)].into(),
        Type::MicroTime => "2006-01-02T15:04:05.999999Z".into(),
        Type::Duration => ["0s", "1h30m0s"][source.below(2)].into(),
        Type::Quantity => QUANTITIES[source.below(QUANTITIES.len())].into(),
        Type::IntOrString if source.below(2) == 0 => (source.integer() as i32).into(),
        Type::IntOrString => ["", "http", "80%"][source.below(3)].into(),
        Type::Raw => match source.below(5) {
            0 => json!({}),
            1 => json!([]),
            2 => json!({"b": null, "a": [1, "x", {}]}),
            3 => "".into(),
            _ => true.into(),
        },
        Type::Strings => list(&Node::of(Type::String), hint, source),
        Type::Struct(ty) => {
            let mut members = Map::new();
            source.depth += 1;
            add_members(&mut members, &ty.descriptor(), source);
            source.depth -= 1;
            Value::Object(members)
        }
        Type::List(node) => list(node, hint.of_items(node), source),
        Type::Map(node) => {
            let mut members = Map::new();
            for _ in 0..source.few() {
                let key = source.text("").to_owned();
                members.insert(key, value(&node.ty, Hint::NONE.of_items(node), source));
            }
            Value::Object(members)
        }
        Type::Union(members) => value(&members[source.below(members.len())], hint, source),
    }
}

fn list(node: &Node, hint: Hint<'_>, source: &mut Source<'_>) -> Value {
    (0..source.few()).map(|_| value(&node.ty, hint, source)).collect()
}

/// Compares two JSON objects of a type, except for what is `canonical`.
///
/// # Errors
/// The paths at which they differ, and both objects.
pub fn same(
    found: &Value,
    expected: &Value,
    descriptor: &Descriptor,
    canonical: &[Canonical],
) -> Result<(), Violations> {
    let mut comparison = Comparison { canonical, paths: BTreeSet::new() };
    comparison.object("", (found, expected), descriptor);
    if comparison.paths.is_empty() {
        return Ok(());
    }
    let paths: Vec<String> = comparison.paths.into_iter().collect();
    Err(format!("{} differs\nexpected: {expected}\n   found: {found}", paths.join(", ")).into())
}

struct Comparison<'a> {
    canonical: &'a [Canonical],
    /// The paths of what differs.
    paths: BTreeSet<String>,
}

impl Comparison<'_> {
    fn object(&mut self, path: &str, (a, b): (&Value, &Value), descriptor: &Descriptor) {
        let names = [a, b].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
        for name in names.collect::<BTreeSet<_>>() {
            let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let field = descriptor.named().iter().find(|field| field.name == **name);
            let ty = field.map(|field| &field.ty);
            self.value(&at, (a.get(name), b.get(name)), ty);
        }
    }

    /// Compares two values; `ty` is unknown inside of raw JSON.
    fn value(&mut self, path: &str, both: (Option<&Value>, Option<&Value>), ty: Option<&Type>) {
        if both.0 == both.1 || self.is_any(path) {
            return;
        }
        if self.is_dropped(path) && has_nothing(both.0) || self.is_created(path, both) {
            return;
        }
        if let (Some(a), Some(b)) = both {
            match (ty, a, b) {
                (Some(Type::Struct(ty)), Value::Object(_), Value::Object(_)) => {
                    return self.object(path, (a, b), &ty.descriptor());
                }
                (Some(Type::List(node)), Value::Array(one), Value::Array(other))
                    if one.len() == other.len() =>
                {
                    let at = format!("{path}[]");
                    for (one, other) in one.iter().zip(other) {
                        self.value(&at, (Some(one), Some(other)), Some(&node.ty));
                    }
                    return;
                }
                (Some(Type::Map(node)), Value::Object(one), Value::Object(other)) => {
                    let at = format!("{path}[]");
                    for key in one.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
                        self.value(&at, (one.get(key), other.get(key)), Some(&node.ty));
                    }
                    return;
                }
                // `1` and `1.0` are the same number.
                (_, Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => return,
                _ => {}
            }
        }
        let determined =
            self.canonical.iter().any(|form| matches!(form, Canonical::Determined(at) if at == path));
        let is_empty = |form: &Canonical| matches!(form, Canonical::Empty(at) if at == path);
        // What appears may contain what the rules determine. What the rules determine does not vanish.
        let appears = both.1.is_none_or(Value::is_null);
        let has_nothing = |value, appears| self.has_only_dropped(path, value, ty, appears);
        let is_same = (determined || self.canonical.iter().any(is_empty))
            && has_nothing(both.0, determined || appears)
            && has_nothing(both.1, determined);
        if !is_same {
            self.paths.insert(path.to_owned());
        }
    }

    fn is_any(&self, path: &str) -> bool {
        self.canonical.iter().any(|form| matches!(form, Canonical::Any(at) if at == path))
    }

    /// Whether a list has got the element that the rules create.
    fn is_created(&self, path: &str, (found, expected): (Option<&Value>, Option<&Value>)) -> bool {
        let found = found.and_then(Value::as_array);
        self.canonical.iter().any(|form| matches!(form, Canonical::Created(at) if at == path))
            && found.is_some_and(|elements| elements.len() == 1)
            && has_nothing(expected)
    }

    fn is_dropped(&self, path: &str) -> bool {
        self.canonical.iter().any(|form| matches!(form, Canonical::Dropped(at) if at == path))
    }

    /// Whether a value is absent or empty, or an object of which all fields are, or are dropped; with `appears`, also
    /// those that may have any value.
    fn has_only_dropped(&self, path: &str, value: Option<&Value>, ty: Option<&Type>, appears: bool) -> bool {
        match (ty, value) {
            (Some(Type::Quantity), Some(Value::String(text))) => text.is_empty() || text == "0",
            (ty, Some(Value::Object(members))) => {
                let descriptor = match ty {
                    Some(Type::Struct(ty)) => Some(ty.descriptor()),
                    _ => None,
                };
                members.iter().all(|(name, value)| {
                    let fields = descriptor.iter().flat_map(|descriptor| descriptor.named());
                    let ty = fields.filter(|field| *field.name == **name).map(|field| &field.ty).next();
                    let path = format!("{path}.{name}");
                    self.is_dropped(&path)
                        || appears && self.is_any(&path)
                        || self.has_only_dropped(&path, Some(value), ty, appears)
                })
            }
            (_, value) => has_nothing(value),
        }
    }
}

/// Whether a value is absent or empty, or an object of which all fields are.
fn has_nothing(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(members)) => members.values().all(|value| has_nothing(Some(value))),
        Some(value) => is_empty(value),
        None => true,
    }
}
