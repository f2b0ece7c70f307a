//! Generates objects of any type from bytes.

use hubgen_machinery::json::Raw;
use hubgen_machinery::reflect::{
    ApiType, Field, Literal, Node, OneOf, Reflect, Scalar, Shape, SlotMut, Type, Union, Words,
};

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    words: &'a [(&'a str, &'a str)],
    pub(crate) depth: usize,
}

/// The maximum nesting; objects below it stay empty, because some types contain themselves.
const DEPTH: usize = 12;

const WORDS: &[&str] =
    &["", "a", "b", "name", "cpu", "memory", "80", "é✓𝒳", "\"<&>\\\u{2028}", "x.y/z", " ", LONG];

/// As long as annotation values get, and longer than names may be.
const LONG: &str = match std::str::from_utf8(&[b'l'; 3000]) {
    Ok(text) => text,
    Err(_) => "",
};

/// The usual maximum length of a list or map.
const FEW: usize = 5;

/// The occasional maximum length.
const MANY: usize = 70;

impl<'a> Source<'a> {
    /// Takes choices from `bytes`. `words` pairs the name of a field with a string value that is
    /// generated often for that field: rules look for values that random generation would not
    /// produce.
    pub fn new(bytes: &'a [u8], words: &'a [(&'a str, &'a str)]) -> Self {
        Self { bytes, words, depth: 0 }
    }

    /// The bytes that are left.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// String values that are generated often, each with the name of its field.
    pub fn words(&self) -> &'a [(&'a str, &'a str)] {
        self.words
    }

    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.next()) % end
    }

    pub(crate) fn integer(&mut self) -> i64 {
        match self.below(10) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => i32::MAX.into(),
            4 => i64::MAX,
            5 => i64::MIN,
            _ => self.next().into(),
        }
    }

    pub(crate) fn text(&mut self, field: &str) -> &'a str {
        let all = self.words;
        let words = || all.iter().filter(|(name, _)| *name == field);
        let count = words().count();
        if count == 0 || self.below(4) == 0 {
            return WORDS[self.below(WORDS.len())];
        }
        let at = self.below(count);
        words().nth(at).map_or("", |(_, word)| *word)
    }

    /// Whether values are nested so deep that they should contain no others.
    pub(crate) fn is_deep(&self) -> bool {
        self.depth >= DEPTH
    }

    /// The length of a list or map that is not nested too deep.
    pub(crate) fn few(&mut self) -> usize {
        if self.is_deep() { 0 } else { self.count() }
    }

    /// The length of a list or map.
    fn count(&mut self) -> usize {
        match self.next() {
            // Once the bytes are used up, every element would be empty.
            255 if self.bytes.len() > 100 => self.below(MANY),
            byte => usize::from(byte) % FEW,
        }
    }
}

/// Generates an object: optional fields absent and present, lists and maps of up to four elements,
/// strings of all kinds.
pub fn generate<T: ApiType>(source: &mut Source<'_>) -> T {
    let mut object = T::default();
    fill(&mut object, source);
    object
}

/// Fills every field of an empty object.
pub fn fill(object: &mut dyn Reflect, source: &mut Source<'_>) {
    if source.depth == DEPTH {
        return;
    }
    source.depth += 1;
    // Fields that all kinds share come last, so that the bytes suffice for those that differ.
    let described = object.descriptor().share();
    let (last, first): (Vec<_>, Vec<_>) =
        described.fields.iter().enumerate().partition(|(_, field)| field.name == "metadata");
    let only = member_of_union(&described.fields, source);
    for (index, field) in first.into_iter().chain(last) {
        if is_member(field) && only.is_some_and(|only| only != index) {
            continue;
        }
        slot(object.write(index), &field.ty, Hint::of(field), source);
        if only == Some(index) {
            object.write(index).present();
        }
        if described.is_rest(index)
            && let SlotMut::Map(rest) = object.write(index)
        {
            rest.retain(&mut |name| !described.has(name));
            // Other versions may have fields of these names, and most fields are plain values.
            rest.visit_mut(&mut |_, value| match (value, source.below(4)) {
                (SlotMut::Raw(raw), 0) => *raw = Raw::new(b"7").unwrap_or_default(),
                (SlotMut::Raw(raw), 1) => *raw = Raw::new(b"[\"a\"]").unwrap_or_default(),
                _ => {}
            });
        }
    }
    source.depth -= 1;
}

/// Whether a field may be a member of a union: an optional object.
fn is_member(field: &Field) -> bool {
    field.pointer && matches!(field.ty, Type::Struct(_))
}

/// Schemas do not mark objects as unions. Objects that look like one usually get a single member.
fn member_of_union(fields: &[Field], source: &mut Source<'_>) -> Option<usize> {
    let members: Vec<usize> = (0..fields.len()).filter(|index| is_member(&fields[*index])).collect();
    (members.len() > 2 && source.below(3) > 0).then(|| members[source.below(members.len())])
}

/// What is known about a value besides its type.
#[derive(Clone, Copy)]
pub(crate) struct Hint<'a> {
    /// The name of its field; empty if it gives no hint.
    name: &'a str,
    /// The values that the schema allows; empty means any.
    words: &'a Words,
}

impl<'a> Hint<'a> {
    pub(crate) const NONE: Self = Self { name: "", words: &Words::NONE };

    pub(crate) fn of(field: &'a Field) -> Self {
        Self { name: &field.name, words: field.facts.enumeration() }
    }

    /// The hint for the items of a list or the values of a map. Values that a field of a compiled
    /// type allows are allowed for its items.
    pub(crate) fn of_items(self, node: &'a Node) -> Self {
        let words = node.facts.enumeration();
        Self { words: if words.is_empty() { self.words } else { words }, ..self }
    }
}

pub(crate) fn slot(slot_mut: SlotMut<'_>, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) {
    match slot_mut {
        SlotMut::Optional(value) => {
            if source.below(2) == 1 {
                slot(value.insert(), ty, hint, source);
            }
        }
        SlotMut::Member(value, index) => member(value, index, ty, source),
        SlotMut::Bool(value) => *value = source.below(2) == 1,
        SlotMut::Int32(value) => *value = source.integer() as i32,
        SlotMut::Int64(value) => *value = source.integer(),
        SlotMut::Double(value) => *value = source.integer() as f64 / 4.0,
        SlotMut::String(value) => value.set(&text(hint, source)),
        SlotMut::Bytes(value) => *value = (0..source.below(4)).map(|_| source.next()).collect(),
        SlotMut::Scalar(value) => scalar(value, ty, source),
        SlotMut::Raw(value) => {
            let texts = ["null", "{}", r#"{"b":1,"a":[null,1.50]}"#, "[]", r#""x""#, "true"];
            *value = Raw::new(texts[source.below(texts.len())].as_bytes()).unwrap_or_default();
        }
        SlotMut::Struct(value) => fill(value, source),
        SlotMut::List(value) => {
            let (element, hint) = match ty {
                Type::List(node) => (&node.ty, hint.of_items(node)),
                _ => (&Type::String, hint),
            };
            for _ in 0..source.count() {
                slot(value.push(), element, hint, source);
            }
        }
        SlotMut::Map(value) => {
            let (element, hint_of_values) = match ty {
                Type::Map(node) => (&node.ty, Hint::NONE.of_items(node)),
                _ => (&Type::String, Hint::NONE),
            };
            for _ in 0..source.count() {
                let key = source.text(hint.name).to_owned();
                slot(value.entry(&key), element, hint_of_values, source);
            }
        }
        SlotMut::Union(value) => union(value, ty, source),
    }
}

/// A decoder may read several members of a union one by one; the last one stays.
fn member(value: &mut dyn OneOf, index: usize, ty: &Type, source: &mut Source<'_>) {
    if source.below(2) == 1 {
        slot(value.activate(index), ty, Hint::NONE, source);
    }
}

fn union(value: &mut dyn Union, ty: &Type, source: &mut Source<'_>) {
    let shape = [Shape::Object, Shape::Bool, Shape::Array][source.below(3)];
    if source.depth < DEPTH
        && let Some(member) = value.select(shape)
    {
        slot(member, ty.member(shape), Hint::NONE, source);
    }
}

pub(crate) fn text(Hint { name, words }: Hint<'_>, source: &mut Source<'_>) -> String {
    if words.is_empty() || source.below(4) == 0 {
        return source.text(name).to_owned();
    }
    let word = words.get(source.below(words.len())).unwrap_or_default();
    word.trim_matches('"').to_owned()
}

fn scalar(value: &mut dyn Scalar, ty: &Type, source: &mut Source<'_>) {
    let texts: &[&str] = match ty {
        Type::Time => &["", "1970-01-01T00:00:00Z", "2006-01-02T15:04:05Z", "2038-01-19T03:14:08Z"],
        Type::MicroTime => &["", "1970-01-01T00:00:00.000001Z", "2006-01-02T15:04:05.999999Z"],
        Type::Duration => &["", "0s", "1h30m0s", "1.5s"],
        Type::Quantity => &["", "0", "1", "100m", "1Gi", "80", "1500"],
        Type::Enum(words) => words,
        Type::Leaf(leaf) => leaf.examples,
        Type::Float => {
            let _ = value.set(Literal::Float(source.integer() as f32 / 4.0));
            return;
        }
        Type::Uint16 | Type::Uint32 | Type::Uint64 => {
            let number = source.integer() as u64;
            let number = match ty {
                Type::Uint16 => u64::from(number as u16),
                Type::Uint32 => u64::from(number as u32),
                _ => number,
            };
            let _ = value.set(Literal::Unsigned(number));
            return;
        }
        Type::IntOrString if source.below(2) == 0 => {
            // A number that is out of range is refused, and the value stays zero.
            let _ = value.set(Literal::Integer(source.integer()));
            return;
        }
        _ => &["", "http", "80%", "é✓"],
    };
    if let Some(text) = texts.get(source.below(texts.len().max(1))) {
        // Some scalars do not accept empty text.
        let _ = value.set(Literal::Text(text));
    }
}
