//! Objects in which one thing alone is set, and what a conversion makes of it:
//! every path that a rule can touch, one at a time.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_kubernetes::machinery::convert::laws::AnyObject;
use hubgen_kubernetes::machinery::json::{self, Raw};
use hubgen_kubernetes::machinery::reflect::{Descriptor, Field, Literal, Reflect, Shape, SlotMut, Type};
use serde_json::Value;

use super::family::Family;
use crate::annotations::without_ours;

/// A step from a value to one inside of it.
#[derive(Clone, Copy)]
enum Descent {
    Field(usize),
    Element,
    Entry,
    Form(Shape),
}

/// What is set at the end of the way.
#[derive(Clone, Debug)]
enum Sample {
    /// The value is there, and zero.
    Zero,
    Text(String),
    Other,
}

/// An object of a version in which one thing is set.
pub struct Single {
    /// The version that it is of, by its index in the family.
    pub version: usize,
    /// What is set.
    pub object: AnyObject,
}

/// What an object says, by path: the values of its leaves, those of JSON in
/// annotations too. Elements of a list have no position.
pub type Said = BTreeSet<(String, String)>;

/// Every object of each version in which one thing is set, and every
/// annotation that conversions write when one thing is set at another version.
pub fn singles(family: &Family<'_>) -> Vec<Single> {
    let mut out = Vec::new();
    for (version, member) in family.versions.iter().enumerate() {
        let empty = member.version.empty();
        for Way { steps, sample, .. } in ways(compiled(&*empty), &family.words) {
            let mut object = member.version.empty();
            enter(SlotMut::Struct(&mut *object), &steps, &sample);
            out.push(Single { version, object });
        }
    }
    let mut known = BTreeSet::new();
    let mut annotated = Vec::new();
    for single in &out {
        let Ok(hub) = family.versions[single.version].version.try_to_hub(&*single.object) else { continue };
        for (version, member) in family.versions.iter().enumerate() {
            let Ok(mut object) = member.version.try_from_hub(&*hub) else { continue };
            let mut said = said(&mut *object);
            said.retain(|(path, _)| path.starts_with(ANNOTATIONS));
            if !said.is_empty() && known.insert((version, said)) {
                annotated.push(Single { version, object });
            }
        }
    }
    out.append(&mut annotated);
    out
}

const ANNOTATIONS: &str = "metadata.annotations";

/// A way to one thing inside of an object.
struct Way {
    steps: Vec<Descent>,
    /// The fields on the way, each with the type that it is of.
    fields: Vec<(&'static Descriptor, &'static Field)>,
    sample: Sample,
}

/// Objects of a type in which one thing is set, behind a field that `is_wanted`
/// or in it. What is `known` is set once, however many ways and types lead to
/// it.
pub fn behind(
    new: &dyn Fn() -> AnyObject,
    is_wanted: &dyn Fn(&'static Field) -> bool,
    known: &mut BTreeSet<String>,
) -> Vec<AnyObject> {
    let empty = new();
    let mut out = Vec::new();
    for Way { steps, fields, sample } in ways(compiled(&*empty), &[]) {
        let mut wanted = fields.iter().skip_while(|(_, field)| !is_wanted(field)).peekable();
        if wanted.peek().is_none() {
            continue;
        }
        let place = |(of, field): &(&Descriptor, &Field)| format!("{:p} {}", *of, field.name);
        let name = wanted.map(place).collect::<Vec<_>>().join(".");
        if known.insert(format!("{name} {sample:?}")) {
            let mut object = new();
            enter(SlotMut::Struct(&mut *object), &steps, &sample);
            out.push(object);
        }
    }
    out
}

/// The descriptor of an object, whose type is compiled as that of all families is.
fn compiled(object: &dyn Reflect) -> &'static Descriptor {
    object.descriptor().compiled().expect(COMPILED)
}

const COMPILED: &str = "the families that are checked are compiled";

fn ways(descriptor: &'static Descriptor, words: &[(&str, &str)]) -> Vec<Way> {
    let mut walk = Walk { words, steps: Vec::new(), fields: Vec::new(), types: Vec::new(), out: Vec::new() };
    walk.object(descriptor);
    walk.out
}

struct Walk<'a> {
    words: &'a [(&'a str, &'a str)],
    steps: Vec<Descent>,
    fields: Vec<(&'static Descriptor, &'static Field)>,
    /// The types on the way: some contain themselves.
    types: Vec<*const Descriptor>,
    out: Vec<Way>,
}

impl Walk<'_> {
    fn object(&mut self, descriptor: &'static Descriptor) {
        // Metadata is one type in every version, and never ruled.
        if self.types.contains(&std::ptr::from_ref(descriptor)) || descriptor.name == "ObjectMeta" {
            return;
        }
        self.types.push(descriptor);
        for (index, field) in descriptor.fields.iter().enumerate() {
            self.fields.push((descriptor, field));
            self.step(Descent::Field(index), |walk| {
                if field.optional {
                    walk.add(Sample::Zero);
                }
                walk.value(&field.ty, field);
            });
            self.fields.pop();
        }
        self.types.pop();
    }

    fn step(&mut self, step: Descent, walk: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        walk(self);
        self.steps.pop();
    }

    fn add(&mut self, sample: Sample) {
        self.out.push(Way { steps: self.steps.clone(), fields: self.fields.clone(), sample });
    }

    fn value(&mut self, ty: &Type, field: &Field) {
        match ty {
            Type::Struct(ty) => self.object(ty.compiled().expect(COMPILED)),
            Type::List(node) | Type::Map(node) => {
                let step = if matches!(ty, Type::List(_)) { Descent::Element } else { Descent::Entry };
                self.step(step, |walk| {
                    if let Type::Struct(_) = node.ty {
                        walk.add(Sample::Zero);
                    }
                    walk.value(&node.ty, field);
                });
            }
            Type::Strings => self.step(Descent::Element, |walk| walk.add(Sample::Text("a".to_owned()))),
            Type::Union(forms) => {
                let [value, other] = &**forms else { unreachable!("a union has two forms") };
                let shape = if let Type::Bool = other { Shape::Bool } else { Shape::Array };
                self.step(Descent::Form(Shape::Object), |walk| walk.value(value, field));
                self.step(Descent::Form(shape), |walk| walk.value(other, field));
            }
            Type::String => {
                let words = self.words.iter().filter(|(name, _)| *name == field.name).map(|(_, word)| *word);
                let known = field.facts.enumeration().iter().map(|word| word.trim_matches('"'));
                let all: BTreeSet<&str> = words.chain(known).chain(["a"]).collect();
                all.into_iter().for_each(|word| self.add(Sample::Text(word.to_owned())));
            }
            Type::IntOrString => {
                self.add(Sample::Text("80%".to_owned()));
                self.add(Sample::Other);
            }
            _ => self.add(Sample::Other),
        }
    }
}

/// Goes the steps, makes present what is on the way, and sets the sample.
fn enter(slot: SlotMut<'_>, steps: &[Descent], sample: &Sample) {
    let slot = slot.present();
    let Some((step, rest)) = steps.split_first() else { return set(slot, sample) };
    match (*step, slot) {
        (Descent::Field(index), SlotMut::Struct(object)) => enter(object.write(index), rest, sample),
        (Descent::Element, SlotMut::List(list)) => enter(list.push(), rest, sample),
        (Descent::Entry, SlotMut::Map(map)) => enter(map.entry("a".to_owned()), rest, sample),
        (Descent::Form(shape), SlotMut::Union(union)) => {
            enter(union.select(shape).expect("a form of the union's type"), rest, sample);
        }
        _ => unreachable!("steps are made from types"),
    }
}

fn set(slot: SlotMut<'_>, sample: &Sample) {
    match (slot, sample) {
        (_, Sample::Zero) => {}
        (SlotMut::String(value), Sample::Text(text)) => value.clone_from(text),
        (SlotMut::Scalar(value), Sample::Text(text)) => {
            value.set(Literal::Text(text)).expect("a text of the scalar's type");
        }
        (SlotMut::Bool(value), _) => *value = true,
        (SlotMut::Int32(value), _) => *value = 7,
        (SlotMut::Int64(value), _) => *value = 7,
        (SlotMut::Double(value), _) => *value = 1.5,
        (SlotMut::Bytes(value), _) => *value = vec![1],
        (SlotMut::Raw(value), _) => *value = Raw::new(br#"{"a":1}"#).unwrap_or_default(),
        (SlotMut::Scalar(value), _) => {
            let texts = ["2006-01-02T15:04:05Z", "5", "5s"];
            let set = value.set(Literal::Integer(7)).is_ok()
                || texts.iter().any(|text| value.set(Literal::Text(text)).is_ok());
            assert!(set, "a scalar takes one of the samples");
        }
        _ => unreachable!("samples are made from types"),
    }
}

/// What an object says, but for its kind and our annotations.
pub fn said(object: &mut dyn Reflect) -> Said {
    without_ours(object);
    said_in(&serde_json::from_slice(&json::encode(object)).expect("we write JSON"))
}

/// The same of an object's JSON.
pub fn said_in(object: &Value) -> Said {
    let mut out = Said::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        if name != "kind" && name != "apiVersion" {
            walk(value, name.clone(), &mut out);
        }
    }
    out
}

fn walk(value: &Value, path: String, out: &mut Said) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, value)| walk(value, format!("{path}.{name}"), out));
        }
        Value::Array(elements) if !elements.is_empty() => {
            elements.iter().for_each(|value| walk(value, format!("{path}[]"), out));
        }
        Value::String(text) if path.starts_with(ANNOTATIONS) && text.starts_with(['[', '{']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => walk(&value, format!("{path}!"), out),
                _ => drop(out.insert((path, value.to_string()))),
            }
        }
        Value::Null => {}
        _ => drop(out.insert((path, value.to_string()))),
    }
}

/// What converting an object in which one thing is set does to that, by the
/// version's index: nothing is told where it stays as it is.
pub fn ruled(family: &Family<'_>, single: &mut Single, empty: &[BTreeMap<usize, Said>]) -> Vec<usize> {
    let own = said(&mut *single.object);
    let before: BTreeSet<_> = own.difference(&empty[single.version][&single.version]).collect();
    let hub = family.versions[single.version].version.try_to_hub(&*single.object);
    let mut out = Vec::new();
    for (version, member) in family.versions.iter().enumerate() {
        if version == single.version {
            continue;
        }
        // A word that is refused becomes nothing, so there is no answer to record.
        let shown = hub.as_ref().ok().and_then(|hub| member.version.try_from_hub(&**hub).ok());
        let is_ruled = shown.is_some_and(|mut object| {
            let there = said(&mut *object);
            let after: BTreeSet<_> = there.difference(&empty[single.version][&version]).collect();
            before != after
        });
        if is_ruled {
            out.push(version);
        }
    }
    out
}

/// What the empty object of each version says at each.
pub fn empty(family: &Family<'_>) -> Vec<BTreeMap<usize, Said>> {
    let at_each = |from: usize| {
        let hub = family.versions[from].version.to_hub(&*family.versions[from].version.empty());
        let hub = hub.expect("an empty object converts");
        let said = family.versions.iter().enumerate().map(|(version, member)| {
            let mut object = if version == from {
                member.version.empty()
            } else {
                member.version.from_hub(&*hub).expect("an empty object converts")
            };
            (version, said(&mut *object))
        });
        said.collect()
    };
    (0..family.versions.len()).map(at_each).collect()
}
