//! Fields that nobody here knows, kept and written back.
//!
//! A newer server writes fields that this program has no name for. Who reads an
//! object, changes it and writes it back is not to lose them. They are no part
//! of the object: a pass of its own over the bytes, beside the descriptor,
//! collects them, and another one puts them into what is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::decode::find;
use super::reader::{MAX_DEPTH, Reader};
use super::{Error, PartValue, Result, Wire, Writer, items, parts};
use crate::reflect::{ApiType, Described, Descriptor, Field, Keys, Numbered, Reflect, Type};

/// The fields of a message that are not known, and those in the messages in
/// it.
///
/// Each is kept with its place: a field, an element of a list, an entry of a
/// map. Elements of a list whose elements are told apart by keys are found
/// again by these, others by their position. What is kept for a place that the
/// object no longer has is lost with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Number and bytes, tag included, in the order in which they came.
    fields: Vec<(u32, Vec<u8>)>,
    within: BTreeMap<ChildKey, Unknown>,
}

/// From a message into one that it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChildKey {
    number: u32,
    /// What tells the element or entry apart; empty where there is one only,
    /// or nothing but its position does.
    key: Vec<u8>,
    /// The position among those of the same key.
    nth: u32,
}

impl Unknown {
    /// Collects the unknown fields of a message. Bytes that [`super::decode`]
    /// refuses may give anything.
    ///
    /// # Errors
    /// When the bytes are no protobuf.
    pub fn of(descriptor: &Descriptor, message: &[u8]) -> Result<Self> {
        let root = &descriptor.share();
        let shape = Shape::of(root);
        // Nearly always there are none, and finding that out allocates nothing.
        if shape.knows_all(root, &mut Reader::new(message), 0)? {
            Ok(Self::default())
        } else {
            Self::read(root, shape, message, 0)
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.within.is_empty()
    }

    /// How many there are. What is in an unknown message is not counted.
    pub fn count(&self) -> usize {
        self.fields.len() + self.within.values().map(Self::count).sum::<usize>()
    }

    fn read(root: &Described, shape: Shape<'_>, message: &[u8], depth: u32) -> Result<Self> {
        check_depth(depth, 0)?;
        let is_union = matches!(shape, Shape::Union(_));
        let mut out = Self::default();
        let mut whole: BTreeMap<u32, (Shape<'_>, Cow<'_, [u8]>)> = BTreeMap::new();
        let mut places = Places::default();
        for part in parts(message) {
            let part = part?;
            let (inner, place) = match (shape.field(root, part.number), part.value) {
                (Known::Not, _) => {
                    out.fields.push((part.number, message[part.offset..part.end].to_vec()));
                    continue;
                }
                (Known::Message(inner, place), PartValue::Bytes(bytes)) => ((inner, bytes), place),
                _ => continue,
            };
            let (shape, bytes) = inner;
            match place {
                // To come in two pieces is to be merged, which is to be read as one.
                Repetition::Merged => {
                    let (_, so_far) = whole.entry(part.number).or_insert((shape, Cow::Borrowed(&[][..])));
                    if so_far.is_empty() {
                        *so_far = Cow::Borrowed(bytes)
                    } else {
                        so_far.to_mut().extend(bytes)
                    }
                }
                Repetition::Last => drop(whole.insert(part.number, (shape, Cow::Borrowed(bytes)))),
                Repetition::Element(_) | Repetition::Entry => {
                    let step = places.step(part.number, shape, place, bytes);
                    match Self::read(root, shape, bytes, depth + 1) {
                        Ok(inner) => out.put(step, inner),
                        // A list beside a value: the decoder has passed over it unread.
                        Err(_) if is_union => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        for (number, (shape, bytes)) in whole {
            out.put(
                ChildKey { number, key: Vec::new(), nth: 0 },
                Self::read(root, shape, &bytes, depth + 1)?,
            );
        }
        Ok(out)
    }

    /// Of entries with one key the last counts, as a whole.
    fn put(&mut self, step: ChildKey, inner: Self) {
        if inner.is_empty() {
            self.within.remove(&step);
        } else {
            self.within.insert(step, inner);
        }
    }

    /// Writes a message with what is kept for it, each field where its number
    /// is due, as a server that knows it does.
    fn write(&self, root: &Described, shape: Shape<'_>, message: &[u8], writer: &mut Writer) {
        let mut places = Places::default();
        let parts: Vec<_> = parts(message)
            .map(|part| {
                let part = part.expect("a message was written");
                let inner = match (shape.field(root, part.number), part.value) {
                    (Known::Message(inner, place), PartValue::Bytes(bytes)) => {
                        let step = places.step(part.number, inner, place, bytes);
                        self.within.get(&step).map(|kept| (kept, inner, bytes))
                    }
                    _ => None,
                };
                (part, inner)
            })
            .collect();
        let mut fields: Vec<_> = self.fields.iter().collect();
        fields.sort_by_key(|(number, _)| *number);
        for (part, inner) in parts.into_iter().rev() {
            while let Some((_, bytes)) = fields.pop_if(|(number, _)| *number > part.number) {
                writer.raw(bytes);
            }
            match inner {
                Some((kept, shape, bytes)) => {
                    let length = writer.len();
                    kept.write(root, shape, bytes, writer);
                    writer.message(part.number, length);
                }
                None => writer.raw(&message[part.offset..part.end]),
            }
        }
        fields.iter().rev().for_each(|(_, bytes)| writer.raw(bytes));
    }
}

/// As [`super::decode`], and keeps the fields that it does not know.
///
/// # Errors
/// As [`super::decode`].
///
/// ```
/// use hubgen_machinery::{ApiType, protobuf};
///
/// #[derive(ApiType)]
/// struct Size {
///     #[field(number = 1)]
///     width: i32,
/// }
///
/// let (mut size, unknown) = protobuf::decode_keeping::<Size>(&[0x08, 3, 0x10, 4]).unwrap();
/// size.width = 5;
/// assert_eq!(protobuf::encode_with(&size, &unknown), [0x08, 5, 0x10, 4]);
/// ```
pub fn decode_keeping<T: ApiType>(message: &[u8]) -> Result<(T, Unknown)> {
    Ok((super::decode(message)?, Unknown::of(T::describe(), message)?))
}

/// As [`super::encode`], with fields that were kept when the object was read.
pub fn encode_with(object: &dyn Reflect, unknown: &Unknown) -> Vec<u8> {
    let message = super::encode(object);
    if unknown.is_empty() {
        return message;
    }
    let root = &object.descriptor().share();
    Writer::scratch(|writer| unknown.write(root, Shape::of(root), &message, writer))
}

/// What is known of a message.
#[derive(Clone, Copy)]
enum Shape<'a> {
    Struct(&'a Descriptor, &'a [Numbered]),
    /// An entry of a map whose values are of that type.
    Entry(&'a Type),
    /// A list or map that is a message of its own.
    Items(&'a Type),
    Union(&'a [Type]),
    /// A leaf with that many fields.
    Leaf(u32),
}

/// What is known of a field.
enum Known<'a> {
    Not,
    /// There is nothing in it that could be unknown.
    Leaf,
    Message(Shape<'a>, Repetition<'a>),
}

/// How fields of one number are one, or many.
#[derive(Clone, Copy)]
enum Repetition<'a> {
    /// They are merged.
    Merged,
    /// The last one counts.
    Last,
    /// They are the elements of a list, which may be that of a field.
    Element(Option<&'a Field>),
    /// They are the entries of a map.
    Entry,
}

impl<'a> Shape<'a> {
    fn of(descriptor: &'a Descriptor) -> Self {
        Self::Struct(descriptor, &descriptor.message)
    }

    /// The message that a value of the type is, and how two of them are one.
    fn of_value(root: &'a Described, ty: &'a Type) -> Option<(Self, Repetition<'a>)> {
        Some(match ty {
            Type::Struct(ty) => (Self::of(root.below(ty)), Repetition::Merged),
            Type::List(_) | Type::Map(_) | Type::Strings => (Self::Items(ty), Repetition::Merged),
            Type::Union(forms) => (Self::Union(forms), Repetition::Last),
            Type::Time | Type::MicroTime => (Self::Leaf(2), Repetition::Last),
            Type::Quantity | Type::Duration | Type::Raw => (Self::Leaf(1), Repetition::Last),
            Type::IntOrString => (Self::Leaf(3), Repetition::Last),
            _ => return None,
        })
    }

    fn field(self, root: &'a Described, number: u32) -> Known<'a> {
        match (self, number) {
            (Self::Struct(descriptor, message), _) => match find(message, number) {
                Some(Numbered::Field { position, .. }) => {
                    let field = &descriptor.fields[usize::from(*position)];
                    Known::field(root, &field.ty, Some(field))
                }
                Some(Numbered::Inlined { message, .. }) => {
                    Known::Message(Self::Struct(descriptor, message), Repetition::Merged)
                }
                None => Known::Not,
            },
            (Self::Entry(_), 1) => Known::Leaf,
            (Self::Entry(value), 2) => match Self::of_value(root, value) {
                Some((shape, _)) => Known::Message(shape, Repetition::Last),
                None => Known::Leaf,
            },
            (Self::Items(ty), 1) => Known::field(root, items(ty), None),
            // A boolean stands before the value, a list after it.
            (Self::Union([_, Type::Bool]), 1) => Known::Leaf,
            (Self::Union([value, Type::Bool]), 2) | (Self::Union([value, _]), 1) => {
                Known::field(root, value, None)
            }
            (Self::Union([_, other]), 2) => Known::field(root, other, None),
            (Self::Leaf(fields), number) if (1..=fields).contains(&number) => Known::Leaf,
            _ => Known::Not,
        }
    }

    /// Whether there is no unknown field in a message.
    fn knows_all(self, root: &'a Described, message: &mut Reader<'_>, depth: u32) -> Result<bool> {
        check_depth(depth, message.offset())?;
        while let Some(tag) = message.next_tag()? {
            match self.field(root, tag.number()) {
                Known::Not => return Ok(false),
                Known::Message(inner, _) if tag.wire()? == Wire::Length => {
                    match inner.knows_all(root, &mut message.message(tag)?, depth + 1) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        // A list beside a value, which the decoder has passed over unread: a closer
                        // look has to be taken.
                        Err(_) if matches!(self, Self::Union(_)) => return Ok(false),
                        Err(error) => return Err(error),
                    }
                }
                Known::Leaf | Known::Message(..) => message.skip(tag)?,
            }
        }
        Ok(true)
    }
}

fn check_depth(depth: u32, offset: usize) -> Result<()> {
    if depth < MAX_DEPTH {
        return Ok(());
    }
    Err(Error::new(offset, format!("expected at most {MAX_DEPTH} nested messages")))
}

impl<'a> Known<'a> {
    fn field(root: &'a Described, ty: &'a Type, field: Option<&'a Field>) -> Self {
        let found = match ty {
            Type::List(node) => {
                Shape::of_value(root, &node.ty).map(|(shape, _)| (shape, Repetition::Element(field)))
            }
            Type::Map(node) => Some((Shape::Entry(&node.ty), Repetition::Entry)),
            _ => Shape::of_value(root, ty),
        };
        found.map_or(Self::Leaf, |(shape, place)| Self::Message(shape, place))
    }
}

/// Counts what has one key.
#[derive(Default)]
struct Places(BTreeMap<(u32, Vec<u8>), u32>);

impl Places {
    fn step(&mut self, number: u32, shape: Shape<'_>, place: Repetition<'_>, message: &[u8]) -> ChildKey {
        match place {
            Repetition::Merged | Repetition::Last => ChildKey { number, key: Vec::new(), nth: 0 },
            Repetition::Entry => ChildKey { number, key: value_of(message, &[1]), nth: 0 },
            Repetition::Element(field) => {
                let key = key_of(shape, field.map_or(Keys::None, |field| field.facts.keys()), message);
                let count = self.0.entry((number, key.clone())).or_default();
                *count += 1;
                ChildKey { number, key, nth: *count - 1 }
            }
        }
    }
}

/// What tells an element apart from the others.
fn key_of(shape: Shape<'_>, keys: Keys<'_>, message: &[u8]) -> Vec<u8> {
    let Shape::Struct(descriptor, _) = shape else { return Vec::new() };
    let mut key = Vec::new();
    for name in keys.iter() {
        let field = descriptor.fields.iter().find(|field| field.name == name);
        let value = field.map(|field| value_of(message, &field.number)).unwrap_or_default();
        key.extend(value.len().to_be_bytes());
        key.extend(value);
    }
    key
}

/// The value of a field, the last one counting; nothing where it is zero or not
/// there.
fn value_of(message: &[u8], path: &[u32]) -> Vec<u8> {
    let Some((number, rest)) = path.split_first() else { return Vec::new() };
    let found =
        parts(message).map_while(std::result::Result::ok).filter(|part| part.number == *number).last();
    match found.map(|part| part.value) {
        Some(PartValue::Bytes(inner)) if rest.is_empty() => inner.to_vec(),
        Some(PartValue::Bytes(inner)) => value_of(inner, rest),
        Some(PartValue::Varint(value)) if value != 0 => value.to_be_bytes().to_vec(),
        _ => Vec::new(),
    }
}
