//! Merges all sightings of a type into one type.

use hubgen_model::{Api, Field, Omit, Presence, Release, Type, TypeBody, TypeExpr, TypeId};

use super::Span;
use super::corrections;
use super::report::Report;
use super::sightings::{Owner, Sighting, Sightings};
use crate::upstream::name::META;
use crate::upstream::{FieldFacts, Form};

pub fn merge(sightings: &Sightings, span: &Span, report: &mut Report) -> Api {
    let mut api = Api::default();
    for seen in sightings.values().flatten() {
        report.releases.extend(seen.release);
    }
    for (id, seen) in sightings {
        let ty = merge_type(id, seen, span, report);
        api.versions.entry(id.group_version.clone()).or_default().types.insert(id.name.clone(), ty);
    }
    api
}

fn merge_type(id: &TypeId, seen: &[Sighting], span: &Span, report: &mut Report) -> Type {
    let own = || seen.iter().filter(|sighting| sighting.of == Owner::Own);
    let fields: Vec<Field> =
        order(seen).into_iter().map(|name| merge_field(id, &name, seen, span, report)).collect();
    distinct_numbers(id, &fields, report);
    Type {
        id: id.clone(),
        body: TypeBody::Struct(fields),
        kind: None,
        since: own().filter_map(|sighting| sighting.release).min(),
        until: span.until(own().filter_map(|sighting| sighting.release).max()),
        description: own().find_map(|sighting| sighting.facts.description.clone()),
        refuses_unknown: false,
        facts: None,
    }
}

/// Reports two fields with one protobuf number.
pub fn distinct_numbers(id: &TypeId, fields: &[Field], report: &mut Report) {
    for (at, field) in fields.iter().enumerate() {
        let twin = fields[..at].iter().find(|other| !field.number.is_empty() && other.number == field.number);
        if let Some(twin) = twin {
            let number = format!("number {:?}", field.number);
            let key = [format!("{id}.{}", field.name), number, format!("taken by {}", twin.name)];
            report.conflicts.entry(key).or_default();
        }
    }
}

/// The order of the fields. The newest document that contains a field determines its position. A
/// field that only older documents contain follows the field that it followed there.
fn order(seen: &[Sighting]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let has = |name: &str| {
        seen.iter().any(|sighting| sighting.of != Owner::Sibling && sighting.facts.fields.contains_key(name))
    };
    // OpenAPI sorts fields by name, so its order counts only if it also has their protobuf numbers.
    let numbered = |sighting: &Sighting| {
        let mut fields =
            sighting.facts.fields.iter().filter(|(name, _)| *name != "apiVersion" && *name != "kind");
        fields.all(|(_, field)| !field.number.is_empty())
    };
    let tells = |sighting: &Sighting| sighting.form != Form::OpenApi || numbered(sighting);
    for owner in [Owner::Own, Owner::Predecessor, Owner::Sibling] {
        for form in [Form::FieldFacts, Form::Descriptors, Form::OpenApi] {
            let of = |sighting: &&Sighting| sighting.form == form && sighting.of == owner && tells(sighting);
            for sighting in seen.iter().filter(of) {
                let mut after = 0;
                for name in sighting.facts.fields.keys().filter(|name| has(name)) {
                    match order.iter().position(|known| known == name) {
                        Some(at) => after = at + 1,
                        None => {
                            order.insert(after, name.clone());
                            after += 1;
                        }
                    }
                }
            }
        }
    }
    for sighting in seen.iter().filter(|sighting| !tells(sighting) && sighting.of != Owner::Sibling) {
        for name in sighting.facts.fields.keys() {
            if !order.contains(name) {
                order.push(name.clone());
            }
        }
    }
    // `apiVersion` and `kind` come first, as upstream writes them.
    for name in ["apiVersion", "kind"] {
        let typed = seen.iter().any(|sighting| sighting.facts.typed);
        if let Some(at) = order.iter().position(|known| typed && known == name) {
            let name = order.remove(at);
            order.insert(0, name);
        }
    }
    order
}

fn merge_field(id: &TypeId, name: &str, seen: &[Sighting], span: &Span, report: &mut Report) -> Field {
    let of = |wanted: &[Owner]| -> Vec<(&Sighting, &FieldFacts)> {
        seen.iter()
            .filter(|sighting| wanted.contains(&sighting.of))
            .filter_map(|sighting| Some((sighting, sighting.facts.fields.get(name)?)))
            .collect()
    };
    let own = of(&[Owner::Own]);
    let with_predecessors = of(&[Owner::Own, Owner::Predecessor]);
    let all = of(&[Owner::Own, Owner::Predecessor, Owner::Sibling]);

    let ty = field_type(id, name, &with_predecessors, report);
    let mut field = Field::new(name, ty);

    // What OpenAPI publishes counts if its newest document still contains the field. Otherwise
    // nothing is required of the field, since objects may be older or newer.
    let published = with_predecessors.iter().find_map(|(sighting, field)| {
        field.published.as_ref().map(|published| (sighting.release, published))
    });
    let newest_document =
        seen.iter().find(|sighting| sighting.form == Form::OpenApi && sighting.of == Owner::Own);
    if let Some((release, published)) = published {
        let current = newest_document.is_some_and(|document| document.release == release);
        field.required = current && published.required;
        field.default = published.default.clone().filter(|_| current);
        field.enumeration.clone_from(&published.enumeration);
        field.list_type.clone_from(&published.list_type);
        field.atomic = published.atomic;
        field.patch.clone_from(&published.patch);
        field.description.clone_from(&published.description);
    }

    let facts = all.iter().find(|(sighting, _)| sighting.form == Form::FieldFacts).map(|(_, field)| *field);
    match facts.and_then(|facts| Some((facts.presence?, facts.omit?))) {
        Some((presence, omit)) => (field.presence, field.omit) = (presence, omit),
        None => guess_presence(&mut field),
    }
    // Upstream never reuses a number for another field. A sibling's numbers are the last resort.
    let numbers = with_predecessors.iter().chain(&all).map(|(_, field)| &field.number);
    field.number = numbers.into_iter().find(|number| !number.is_empty()).cloned().unwrap_or_default();

    let releases = |seen: &[(&Sighting, &FieldFacts)]| -> Vec<Release> {
        seen.iter().filter_map(|(sighting, _)| sighting.release).collect()
    };
    // It is as old as in the type that this one replaced.
    field.since = releases(&with_predecessors).into_iter().min();
    let last = releases(if own.is_empty() { &with_predecessors } else { &own }).into_iter().max();
    field.until = span.until(last);
    let newest =
        seen.iter().filter(|sighting| sighting.of == Owner::Own).filter_map(|sighting| sighting.release);
    if last < newest.max() {
        optional(&mut field);
    }
    field
}

/// A removed field is not written, unless an old object contains it.
pub fn optional(field: &mut Field) {
    let Field { ty, presence, omit, required, .. } = field;
    if !matches!(ty, TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Bytes | TypeExpr::Strings) {
        *presence = Presence::Pointer;
    }
    *omit = Omit::Empty;
    *required = false;
}

/// The type of a field is its type in the newest document. Types in older documents may differ only
/// if a named rule allows it.
fn field_type(id: &TypeId, name: &str, seen: &[(&Sighting, &FieldFacts)], report: &mut Report) -> TypeExpr {
    let mut types: Vec<(Option<Release>, Form, &TypeExpr)> = seen
        .iter()
        .filter_map(|(sighting, field)| Some((sighting.release, sighting.form, field.ty.as_ref()?)))
        .collect();
    types.sort_by_key(|(release, form, _)| std::cmp::Reverse((release.is_none(), *release, *form)));
    let Some((_, _, newest)) = types.first() else {
        let guess = seen.iter().find_map(|(_, field)| field.guess.clone());
        return guess.unwrap_or_else(|| corrections::untyped(id, name, report));
    };
    for (release, _, older) in &types {
        if !alike(older, newest) && !corrections::widened(id, name, older, newest, report) {
            let key = [format!("{id}.{name}"), corrections::show(older), corrections::show(newest)];
            report.conflicts.entry(key).or_default().insert(*release);
        }
    }
    (*newest).clone()
}

/// Whether the types of two documents can be the same type. OpenAPI does not distinguish a list
/// from a list that is a protobuf message, nor a duration from text.
pub fn alike(a: &TypeExpr, b: &TypeExpr) -> bool {
    match (a, b) {
        (TypeExpr::Strings, TypeExpr::List(inner)) | (TypeExpr::List(inner), TypeExpr::Strings) => {
            **inner == TypeExpr::String
        }
        (TypeExpr::Duration, TypeExpr::String) | (TypeExpr::String, TypeExpr::Duration) => true,
        (TypeExpr::List(a), TypeExpr::List(b)) | (TypeExpr::Map(a), TypeExpr::Map(b)) => alike(a, b),
        _ => a == b,
    }
}

/// Guesses whether a field is a pointer or a value, where no document specifies it. OpenAPI
/// publishes an empty default for values, and requires the fields that are always written.
fn guess_presence(field: &mut Field) {
    let metadata = match &field.ty {
        TypeExpr::Ref(id) => id.group_version.group == META && id.name.ends_with("Meta"),
        _ => false,
    };
    if field.required || metadata || field.default.as_ref().is_some_and(is_zero) {
        field.presence = Presence::Value;
        field.omit = if field.required { Omit::Never } else { Omit::Empty };
    }
}

/// Removes empty defaults. OpenAPI publishes one for every field that is not a pointer, so they are
/// not defaults of the API.
pub fn drop_empty_defaults(api: &mut Api) {
    for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
        let TypeBody::Struct(fields) = &mut ty.body;
        for field in fields.iter_mut().filter(|field| field.presence == Presence::Value) {
            field.default.take_if(|default| is_zero(default));
        }
    }
}

/// Whether a default is what a value has without it.
pub fn is_zero(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::Bool(value) => !value,
        serde_json::Value::Number(number) => number.as_f64() == Some(0.0),
        serde_json::Value::String(text) => text.is_empty(),
        serde_json::Value::Array(elements) => elements.is_empty(),
        serde_json::Value::Object(members) => members.is_empty(),
    }
}
