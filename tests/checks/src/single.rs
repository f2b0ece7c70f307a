//! Objects in which a single leaf is set, and how conversions change it: covers every path that a
//! rule can touch, one at a time.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_kubernetes::machinery::json::{self, Raw};
use hubgen_kubernetes::machinery::reflect::{Descriptor, Field, Literal, Reflect, Shape, SlotMut, Type};
use hubgen_laws::versions::AnyObject;
use serde_json::Value;

use crate::annotations::without_ours;
use crate::family::Family;

/// A step from a value to a part of it.
#[derive(Clone, Copy)]
enum Descent {
    Field(usize),
    Element,
    Entry,
    Form(Shape),
}

/// The value of the leaf.
#[derive(Clone, Debug)]
enum Sample {
    /// Present, but zero.
    Zero,
    Text(String),
    Other,
}

/// An object of a version in which a single leaf is set.
pub struct Single {
    /// The index of its version in the family.
    pub version: usize,
    /// The object.
    pub object: AnyObject,
}

/// The leaves of an object: paths without list indexes, and values. Includes the leaves of JSON in
/// annotations.
pub type Leaves = BTreeSet<(String, String)>;

/// All objects of each version in which one leaf is set, and all annotations that conversions write
/// if one leaf is set at another version.
pub fn singles(family: &Family<'_>) -> Vec<Single> {
    let mut out = Vec::new();
    for (version, member) in family.versions.iter().enumerate() {
        let empty = member.version.empty();
        for LeafPath { steps, sample, .. } in leaf_paths(compiled(&*empty), &family.words) {
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
            let mut leaves = leaves(&mut *object);
            leaves.retain(|(path, _)| path.starts_with(ANNOTATIONS));
            if !leaves.is_empty() && known.insert((version, leaves)) {
                annotated.push(Single { version, object });
            }
        }
    }
    out.append(&mut annotated);
    out
}

const ANNOTATIONS: &str = "metadata.annotations";

/// The path to a leaf.
struct LeafPath {
    steps: Vec<Descent>,
    /// The fields on the path, each with its type.
    fields: Vec<(&'static Descriptor, &'static Field)>,
    sample: Sample,
}

/// Objects of a type in which one leaf is set that is, or is inside, a field that `is_wanted`. A
/// leaf in `known` is skipped, so each is set once, even if several paths and types lead to it.
pub fn behind(
    new: &dyn Fn() -> AnyObject,
    is_wanted: &dyn Fn(&'static Field) -> bool,
    known: &mut BTreeSet<String>,
) -> Vec<AnyObject> {
    let empty = new();
    let mut out = Vec::new();
    for LeafPath { steps, fields, sample } in leaf_paths(compiled(&*empty), &[]) {
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

/// The descriptor of an object, whose type is compiled, as those of all families are.
fn compiled(object: &dyn Reflect) -> &'static Descriptor {
    object.descriptor().compiled().expect(COMPILED)
}

const COMPILED: &str = "the families that are checked are compiled";

fn leaf_paths(descriptor: &'static Descriptor, words: &[(&str, &str)]) -> Vec<LeafPath> {
    let mut walk = Walk { words, steps: Vec::new(), fields: Vec::new(), types: Vec::new(), out: Vec::new() };
    walk.object(descriptor);
    walk.out
}

struct Walk<'a> {
    words: &'a [(&'a str, &'a str)],
    steps: Vec<Descent>,
    fields: Vec<(&'static Descriptor, &'static Field)>,
    /// The types on the path, to stop at recursive types.
    types: Vec<*const Descriptor>,
    out: Vec<LeafPath>,
}

impl Walk<'_> {
    fn object(&mut self, descriptor: &'static Descriptor) {
        // Metadata is the same type in every version, and has no rules.
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
        self.out.push(LeafPath { steps: self.steps.clone(), fields: self.fields.clone(), sample });
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
            Type::String | Type::Words(_) | Type::Leaf(_) => {
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

/// Follows the steps, makes the values on the path present, and sets the leaf.
fn enter(slot: SlotMut<'_>, steps: &[Descent], sample: &Sample) {
    let slot = slot.present();
    let Some((step, rest)) = steps.split_first() else { return set(slot, sample) };
    match (*step, slot) {
        (Descent::Field(index), SlotMut::Struct(object)) => enter(object.write(index), rest, sample),
        (Descent::Element, SlotMut::List(list)) => enter(list.push(), rest, sample),
        (Descent::Entry, SlotMut::Map(map)) => enter(map.entry("a"), rest, sample),
        (Descent::Form(shape), SlotMut::Union(union)) => {
            enter(union.select(shape).expect("a form of the union's type"), rest, sample);
        }
        _ => unreachable!("steps are made from types"),
    }
}

fn set(slot: SlotMut<'_>, sample: &Sample) {
    match (slot, sample) {
        (_, Sample::Zero) => {}
        (SlotMut::String(value), Sample::Text(text)) => value.set(text),
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

/// The leaves of an object, except its kind and hubgen's annotations.
pub fn leaves(object: &mut dyn Reflect) -> Leaves {
    without_ours(object);
    leaves_in(&serde_json::from_slice(&json::encode(object).unwrap()).expect("we write JSON"))
}

/// The leaves of an object's JSON.
pub fn leaves_in(object: &Value) -> Leaves {
    let mut out = Leaves::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        if name != "kind" && name != "apiVersion" {
            walk(value, name.clone(), &mut out);
        }
    }
    out
}

fn walk(value: &Value, path: String, out: &mut Leaves) {
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

/// The indexes of the versions at which the leaf of an object is not simply copied.
pub fn changed_at(family: &Family<'_>, single: &mut Single, empty: &[BTreeMap<usize, Leaves>]) -> Vec<usize> {
    let own = leaves(&mut *single.object);
    let before: BTreeSet<_> = own.difference(&empty[single.version][&single.version]).collect();
    let hub = family.versions[single.version].version.try_to_hub(&*single.object);
    let mut out = Vec::new();
    for (version, member) in family.versions.iter().enumerate() {
        if version == single.version {
            continue;
        }
        // A word that is refused is not simply copied.
        let shown = hub.as_ref().ok().and_then(|hub| member.version.try_from_hub(&**hub).ok());
        let is_ruled = shown.is_some_and(|mut object| {
            let there = leaves(&mut *object);
            let after: BTreeSet<_> = there.difference(&empty[single.version][&version]).collect();
            before != after
        });
        if is_ruled {
            out.push(version);
        }
    }
    out
}

/// The leaves that an empty object of each version has at every version.
pub fn empty(family: &Family<'_>) -> Vec<BTreeMap<usize, Leaves>> {
    let at_each = |from: usize| {
        let hub = family.versions[from].version.to_hub(&*family.versions[from].version.empty());
        let hub = hub.expect("an empty object converts");
        let leaves = family.versions.iter().enumerate().map(|(version, member)| {
            let mut object = if version == from {
                member.version.empty()
            } else {
                member.version.from_hub(&*hub).expect("an empty object converts")
            };
            (version, leaves(&mut *object))
        });
        leaves.collect()
    };
    (0..family.versions.len()).map(at_each).collect()
}
