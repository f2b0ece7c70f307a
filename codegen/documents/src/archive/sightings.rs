//! Collects each type as each document of each release shows it.

use std::collections::BTreeMap;

use hubgen_model::{Release, TypeExpr, TypeId};
use indexmap::IndexMap;

use crate::upstream::{Document, FieldFacts, Form, TypeFacts};

/// A type as one document shows it.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub release: Option<Release>,
    pub form: Form,
    pub facts: TypeFacts,
    /// The type that the facts belong to.
    pub of: Owner,
}

/// The type that the facts of a sighting belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The type itself.
    Own,
    /// A type that this one replaced: its fields count as fields of this type.
    Predecessor,
    /// A sibling: its facts give order, presence and numbers of fields that the type has anyway.
    Sibling,
}

/// All sightings of each type, newest first. Within a release, the form that knows most about
/// fields comes first.
pub type Sightings = BTreeMap<TypeId, Vec<Sighting>>;

pub fn collect(documents: Vec<Document>) -> Sightings {
    let mut sightings = Sightings::new();
    for document in documents {
        for (id, facts) in document.types {
            let seen = sightings.entry(id).or_default();
            // Documents of one release repeat the types that they share.
            let twin =
                seen.iter_mut().find(|twin| (twin.release, twin.form) == (document.release, document.form));
            match twin {
                None => seen.push(Sighting {
                    release: document.release,
                    form: document.form,
                    facts,
                    of: Owner::Own,
                }),
                Some(twin) => {
                    for kind in facts.kinds {
                        if !twin.facts.kinds.contains(&kind) {
                            twin.facts.kinds.push(kind);
                        }
                    }
                }
            }
        }
    }
    for seen in sightings.values_mut() {
        sort(seen);
    }
    name_descriptors(&mut sightings);
    sightings
}

pub fn sort(seen: &mut [Sighting]) {
    // A document without a release counts as newer than all others.
    let key = |sighting: &Sighting| (sighting.release.is_none(), sighting.release, sighting.form);
    seen.sort_by_key(|sighting| std::cmp::Reverse(key(sighting)));
}

/// Descriptors use the field names of protobuf, and nest what JSON inlines. Renames and moves their
/// fields to match JSON.
fn name_descriptors(sightings: &mut Sightings) {
    let mut named: Vec<(TypeId, usize, IndexMap<String, FieldFacts>)> = Vec::new();
    for (id, seen) in sightings.iter() {
        for (at, sighting) in seen.iter().enumerate() {
            if sighting.form == Form::Descriptors {
                named.push((id.clone(), at, named_fields(id, sighting, sightings, 0)));
            }
        }
    }
    for (id, at, fields) in named {
        if let Some(sighting) = sightings.get_mut(&id).and_then(|seen| seen.get_mut(at)) {
            sighting.facts.fields = fields;
        }
    }
}

fn named_fields(
    id: &TypeId,
    sighting: &Sighting,
    sightings: &Sightings,
    depth: usize,
) -> IndexMap<String, FieldFacts> {
    let seen = &sightings[id];
    let published = seen
        .iter()
        .find(|other| other.form == Form::OpenApi && other.release == sighting.release)
        .map(|other| &other.facts.fields);
    let known = |number: u32| {
        seen.iter().filter(|other| other.form == Form::FieldFacts).find_map(|other| {
            let named = |(_, field): &(&String, &FieldFacts)| field.number == [number];
            other.facts.fields.iter().find(named).map(|(name, _)| name.clone())
        })
    };
    let has_facts = seen.iter().any(|other| other.form == Form::FieldFacts);
    let embedded = |number: u32| {
        seen.iter().any(|other| other.facts.inlined.iter().any(|(inlined, _)| *inlined == number))
    };
    let mut fields = IndexMap::new();
    for (name, field) in &sighting.facts.fields {
        let [number] = field.number[..] else { continue };
        if let Some(name) = known(number) {
            fields.insert(name, field.clone());
            continue;
        }
        let json = json_name(name);
        let unpublished = !has_facts && published.is_some_and(|published| !published.contains_key(&json));
        let target = match &field.ty {
            Some(TypeExpr::Ref(target)) if embedded(number) || unpublished => Some(target),
            _ => None,
        };
        let inner = target.and_then(|target| {
            let of_release =
                |other: &&Sighting| other.form == Form::Descriptors && other.release == sighting.release;
            Some((target, sightings.get(target)?.iter().find(of_release)?))
        });
        match inner {
            Some((target, inner)) if depth < 8 => {
                for (name, mut field) in named_fields(target, inner, sightings, depth + 1) {
                    field.number.insert(0, number);
                    fields.entry(name).or_insert(field);
                }
            }
            _ => {
                fields.insert(json, field.clone());
            }
        }
    }
    fields
}

/// The JSON name of a field that only a descriptor contains: the same name, except where protobuf
/// cannot write it.
fn json_name(name: &str) -> String {
    if let Some(rest) = name.strip_prefix("xKubernetes") {
        let mut json = "x-kubernetes".to_owned();
        for letter in rest.chars() {
            if letter.is_uppercase() {
                json.push('-');
            }
            json.extend(letter.to_lowercase());
        }
        return json;
    }
    name.to_owned()
}
