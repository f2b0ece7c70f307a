//! Keeps unknown fields and writes them back.
//!
//! A newer server writes fields that this program does not know. A program that
//! reads an object, changes it and writes it back must not lose them. Unknown
//! fields are not part of the object: a separate pass over the bytes collects
//! them by the descriptor, and another pass inserts them into the bytes that
//! are written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::decode::find;
use super::reader::{MAX_DEPTH, Reader};
use super::{Error, PartValue, Result, Wire, Writer, items, parts};
use crate::reflect::{ApiType, Described, Descriptor, Field, Keys, Numbered, Reflect, Type};

/// The unknown fields of a message, and those of the messages in it.
///
/// They are kept for each message by its place: a field, an element of a list,
/// or an entry of a map. Elements of a list with list keys are found again by
/// these keys, other elements by their position. If a message is removed from
/// the object, its unknown fields are removed, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Number and bytes, including the tag, in the order of the numbers. Those with the same number have the order of
    /// the message.
    fields: Vec<(u32, Vec<u8>)>,
    children: BTreeMap<ChildKey, Unknown>,
}

/// The place of a message in its parent message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChildKey {
    number: u32,
    /// The key of the element or entry. Empty for a field that is not repeated
    /// and for elements without list keys.
    key: Vec<u8>,
    /// The position among elements with the same key.
    nth: u32,
}

impl Unknown {
    /// Collects the unknown fields of a message. For bytes that
    /// [`super::decode`] refuses, the result is unspecified.
    ///
    /// # Errors
    /// When the bytes are not protobuf.
    pub fn collect(descriptor: &Descriptor, message: &[u8]) -> Result<Self> {
        let root = &descriptor.share();
        let shape = Shape::of(root);
        // Nearly always there are none, and this check does not allocate.
        if shape.knows_all(root, &mut Reader::new(message), 0)? {
            Ok(Self::default())
        } else {
            Self::read(root, shape, message, 0)
        }
    }

    /// Whether there are no unknown fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.children.is_empty()
    }

    /// The number of unknown fields. An unknown message counts as one.
    pub fn count(&self) -> usize {
        self.fields.len() + self.children.values().map(Self::count).sum::<usize>()
    }

    fn read(root: &Described, shape: Shape<'_>, message: &[u8], depth: u32) -> Result<Self> {
        check_depth(depth, 0)?;
        let is_union = matches!(shape, Shape::Union(_));
        let mut out = Self::default();
        let mut whole: BTreeMap<u32, (Shape<'_>, Cow<'_, [u8]>)> = BTreeMap::new();
        let mut child_keys = ChildKeys::default();
        for part in parts(message) {
            let part = part?;
            let (inner, repetition) = match (shape.field(root, part.number), part.value) {
                (Known::Not, _) => {
                    out.fields.push((part.number, message[part.offset..part.end].to_vec()));
                    continue;
                }
                (Known::Message(inner, repetition), PartValue::Bytes(bytes)) => ((inner, bytes), repetition),
                _ => continue,
            };
            let (shape, bytes) = inner;
            match repetition {
                // Duplicate messages are merged: reading their concatenation does that.
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
                    let key = child_keys.next(part.number, shape, repetition, bytes);
                    match Self::read(root, shape, bytes, depth + 1) {
                        Ok(inner) => out.put(key, inner),
                        // A union with both a list and a value: the decoder skips the list unread.
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
        out.fields.sort_by_key(|(number, _)| *number);
        Ok(out)
    }

    /// Sets a child's unknown fields. The last of entries with the same key is
    /// used; they are not merged.
    fn put(&mut self, key: ChildKey, inner: Self) {
        if inner.is_empty() {
            self.children.remove(&key);
        } else {
            self.children.insert(key, inner);
        }
    }

    /// Writes a message with its unknown fields, in the order of the field
    /// numbers, as a server that knows these fields would.
    fn write<'a>(&'a self, root: &Described, shape: Shape<'_>, message: &'a [u8], writer: &mut Writer<'a>) {
        let mut child_keys = ChildKeys::default();
        let parts: Vec<_> = parts(message)
            .map(|part| {
                let part = part.expect("the encoder writes valid messages");
                let inner = match (shape.field(root, part.number), part.value) {
                    (Known::Message(inner, repetition), PartValue::Bytes(bytes)) => {
                        let key = child_keys.next(part.number, inner, repetition, bytes);
                        self.children.get(&key).map(|kept| (kept, inner, bytes))
                    }
                    _ => None,
                };
                (part, inner)
            })
            .collect();
        let mut fields: Vec<_> = self.fields.iter().collect();
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

/// As [`super::decode`], and also returns the unknown fields.
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
    Ok((super::decode(message)?, Unknown::collect(T::describe(), message)?))
}

/// As [`super::encode`], and also writes the unknown fields that
/// [`decode_keeping`] returned.
pub fn encode_with(object: &dyn Reflect, unknown: &Unknown) -> Vec<u8> {
    let message = super::encode(object);
    if unknown.is_empty() {
        return message;
    }
    let root = &object.descriptor().share();
    Writer::scratch(|writer| unknown.write(root, Shape::of(root), &message, writer))
}

/// The type of a message.
#[derive(Clone, Copy)]
enum Shape<'a> {
    Struct(&'a Descriptor, &'a [Numbered]),
    /// An entry of a map with values of that type.
    Entry(&'a Type),
    /// A message around a list or map.
    Items(&'a Type),
    Union(&'a [Type]),
    /// A scalar whose message has the fields 1 up to this number.
    Scalar(u32),
}

/// The type of a field.
enum Known<'a> {
    /// The field is unknown.
    Not,
    /// The field contains no messages, so nothing in it can be unknown.
    Leaf,
    Message(Shape<'a>, Repetition<'a>),
}

/// The meaning of several fields with the same number.
#[derive(Clone, Copy)]
enum Repetition<'a> {
    /// They are merged.
    Merged,
    /// The last one is used.
    Last,
    /// They are the elements of a list, with the field if it is a field's list.
    Element(Option<&'a Field>),
    /// They are the entries of a map.
    Entry,
}

impl<'a> Shape<'a> {
    fn of(descriptor: &'a Descriptor) -> Self {
        Self::Struct(descriptor, &descriptor.message)
    }

    /// The type of the message for a value of type `ty`, and the meaning of
    /// several such messages. `None` if the value is not a message.
    fn of_value(root: &'a Described, ty: &'a Type) -> Option<(Self, Repetition<'a>)> {
        Some(match ty {
            Type::Struct(ty) => (Self::of(root.below(ty)), Repetition::Merged),
            Type::List(_) | Type::Map(_) | Type::Strings => (Self::Items(ty), Repetition::Merged),
            Type::Union(members) => (Self::Union(members), Repetition::Last),
            Type::Time | Type::MicroTime => (Self::Scalar(2), Repetition::Last),
            Type::Quantity | Type::Duration | Type::Raw => (Self::Scalar(1), Repetition::Last),
            Type::IntOrString => (Self::Scalar(3), Repetition::Last),
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
            // A boolean is field 1 and the value field 2; a list is field 2 and the value field 1.
            (Self::Union([_, Type::Bool]), 1) => Known::Leaf,
            (Self::Union([value, Type::Bool]), 2) | (Self::Union([value, _]), 1) => {
                Known::field(root, value, None)
            }
            (Self::Union([_, other]), 2) => Known::field(root, other, None),
            (Self::Scalar(fields), number) if (1..=fields).contains(&number) => Known::Leaf,
            _ => Known::Not,
        }
    }

    /// Whether a message contains no unknown fields.
    fn knows_all(self, root: &'a Described, message: &mut Reader<'_>, depth: u32) -> Result<bool> {
        check_depth(depth, message.offset())?;
        while let Some(tag) = message.next_tag()? {
            match self.field(root, tag.number()) {
                Known::Not => return Ok(false),
                Known::Message(inner, _) if tag.wire()? == Wire::Length => {
                    match inner.knows_all(root, &mut message.message(tag)?, depth + 1) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        // A union with both a list and a value: the decoder skips the list unread, so
                        // only the full pass can tell.
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
    Err(Error::new(offset, format!("expected at most {MAX_DEPTH} nested messages, found more")))
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
        found.map_or(Self::Leaf, |(shape, repetition)| Self::Message(shape, repetition))
    }
}

/// Makes the keys of a message's children. Counts the elements with the same
/// key.
#[derive(Default)]
struct ChildKeys(BTreeMap<(u32, Vec<u8>), u32>);

impl ChildKeys {
    fn next(
        &mut self,
        number: u32,
        shape: Shape<'_>,
        repetition: Repetition<'_>,
        message: &[u8],
    ) -> ChildKey {
        match repetition {
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

/// The values of an element's list keys, each with its length.
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

/// The value of a field; of several the last. Empty if the field is zero or
/// missing.
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
