//! Decodes JSON into any object, by its slots.

use std::borrow::Cow;

use hubgen_json::located;

use super::lexer::{Error, ErrorKind, Kind, Lexer, Result};
use super::raw::Raw;
use crate::budget::Budget;
use crate::reflect::{
    ApiType, Descriptor, Field, Lent, List, Literal, Map, Origin, Reflect, Scalar, Shape, SlotMut, TextSlot,
    Type, UnknownFields,
};

/// What a JSON document contains besides the fields of its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The document's `apiVersion`; empty when it is missing.
    pub api_version: String,
    /// The document's `kind`; empty when it is missing.
    pub kind: String,
    /// Field paths of unknown fields, in the document's order: the first
    /// [`MAX_PATHS`] of them.
    pub unknown: Vec<String>,
    /// The number of unknown fields beyond those in `unknown`.
    pub more_unknown: usize,
    /// Field paths of fields that occur more than once: the first
    /// [`MAX_PATHS`] of them. The last value of a field is used.
    pub duplicate: Vec<String>,
    /// The number of duplicate fields beyond those in `duplicate`.
    pub more_duplicate: usize,
}

/// The most unknown fields, and the most duplicate fields, that a [`Decoded`]
/// lists. A small body can contain hundreds of thousands.
pub const MAX_PATHS: usize = 100;

/// The most bytes of a path, or of one name in it. Of a longer path the end is
/// kept, of a longer name the beginning.
const MAX_PATH: usize = 1024;

/// Decodes an object.
///
/// Follows the reference server: a `null` field is absent, unknown fields are
/// ignored, and the last of duplicate fields is used.
///
/// # Errors
/// When the bytes are not JSON, or when a value does not match its field's
/// type. The error contains the position and the field path.
///
/// ```
/// use hubgen_machinery::{ApiType, json};
///
/// #[derive(ApiType)]
/// struct Size {
///     width: i32,
/// }
///
/// let size: Size = json::decode(br#"{"width": 3}"#).unwrap();
/// assert_eq!(size.width, 3);
/// let error = json::decode::<Size>(br#"{"width": "3"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 11, width: expected a 32-bit integer, found a string");
/// ```
pub fn decode<T: ApiType>(bytes: &[u8]) -> Result<T> {
    let mut object = T::default();
    decode_into(bytes, Lent::new_mut(&mut object))?;
    Ok(object)
}

/// Decodes an object into `object`, which must be empty. Returns what the JSON
/// contains besides the fields of the type.
///
/// # Errors
/// As [`decode`]. The object may then be partly filled.
pub fn decode_into(bytes: &[u8], object: &mut dyn Reflect) -> Result<Decoded> {
    let mut lexer = Lexer::new(bytes).map_err(|error| located(error, bytes))?;
    let mut decoder = Decoder::new(bytes, 0);
    decoder.object(&mut lexer, object)?;
    lexer.finish()?;
    Ok(decoder.notes)
}

/// Decodes one value of type `ty` into a slot.
///
/// # Errors
/// As [`decode`].
pub fn decode_slot(bytes: &[u8], ty: &Type, slot: SlotMut<'_>) -> Result<()> {
    let mut lexer = Lexer::new(bytes)?;
    // A depth of 1: a value is never a root, so `kind` is an ordinary field.
    let mut decoder = Decoder::new(bytes, 1);
    if lexer.take_null()? {
        slot.clear();
    } else {
        decoder.value(&mut lexer, ty, slot)?;
    }
    lexer.finish()
}

/// Decodes an object into `object`, which must be empty. Matches names of fields in any case, as Go's
/// `encoding/json` does.
///
/// # Errors
/// As [`decode`]. The object may then be partly filled.
pub(crate) fn decode_in_any_case(text: &str, object: &mut dyn Reflect) -> Result<()> {
    let mut lexer = Lexer::over(text);
    Decoder::in_any_case(text).object(&mut lexer, object)?;
    lexer.finish()
}

/// Decodes a list of objects into `list`, which must be empty. `null` is an empty list or object.
/// Matches names of fields in any case, as Go's `encoding/json` does.
///
/// # Errors
/// As [`decode`]. The list may then be partly filled.
pub(crate) fn decode_list_in_any_case(text: &str, list: &mut dyn List) -> Result<()> {
    let mut lexer = Lexer::over(text);
    let mut decoder = Decoder::in_any_case(text);
    if !lexer.take_null()? {
        let mut more = lexer.enter_array()?;
        while more {
            match list.push() {
                SlotMut::Struct(object) => {
                    if lexer.take_null()? {
                        // Other objects are counted when they are decoded.
                        let size = object.descriptor().size;
                        decoder.budget.spend(size).map_err(|message| too_large(&lexer, message))?;
                    } else {
                        decoder.object(&mut lexer, object)?;
                    }
                }
                _ => lexer.skip()?,
            }
            more = lexer.next_element()?;
        }
    }
    lexer.finish()
}

struct Decoder {
    notes: Decoded,
    depth: u32,
    budget: Budget,
    /// Whether names of fields match in any case.
    any_case: bool,
    /// The text of the last string with escapes.
    unescaped: Vec<u8>,
}

impl Decoder {
    fn new(bytes: &[u8], depth: u32) -> Self {
        let budget = Budget::of(bytes.len());
        Self { notes: Decoded::default(), depth, budget, any_case: false, unescaped: Vec::new() }
    }

    /// Decodes what is never a root, so that `kind` is an ordinary field.
    fn in_any_case(text: &str) -> Self {
        Self { any_case: true, ..Self::new(text.as_bytes(), 1) }
    }

    fn object(&mut self, lexer: &mut Lexer<'_>, object: &mut dyn Reflect) -> Result<()> {
        match object.descriptor().origin {
            Origin::Compiled { descriptor, .. } => self.members(lexer, descriptor, object),
            Origin::Enum { descriptor, .. } => self.one_of(lexer, descriptor, object),
            Origin::Runtime(..) => self.runtime_object(lexer, object),
        }
    }

    /// Decodes an object of a type that was built at run time. The shared
    /// descriptor is dropped here, so that compiled types do not pay for it.
    #[inline(never)]
    fn runtime_object(&mut self, lexer: &mut Lexer<'_>, object: &mut dyn Reflect) -> Result<()> {
        let descriptor = object.descriptor().share();
        self.members(lexer, &descriptor, object)
    }

    fn members(
        &mut self,
        lexer: &mut Lexer<'_>,
        descriptor: &Descriptor,
        object: &mut dyn Reflect,
    ) -> Result<()> {
        let fields = descriptor.named();
        if !self.budget.object(descriptor) {
            return Err(too_large(lexer, self.budget.spent()));
        }
        let is_root = self.depth == 0;
        self.depth += 1;
        let mut seen = Seen::default();
        let mut next = 0;
        let mut more = lexer.enter_object()?;
        while more {
            if is_root && self.type_meta(lexer, fields)? {
                more = lexer.next_member()?;
                continue;
            }
            let index = match fields.get(next) {
                _ if self.any_case => {
                    let mut all = (next..fields.len()).chain(0..next);
                    match all.find(|&index| lexer.take_key_in_any_case(&fields[index].name)) {
                        None => self.unusual_key(lexer, descriptor, object)?,
                        found => found,
                    }
                }
                // Writers keep the order of fields, so this is often the next one.
                Some(field) if lexer.take_key(&field.name) => Some(next),
                _ => match lexer.plain_key() {
                    Some(name) => match find(fields, next, name) {
                        None => {
                            self.unknown(lexer, name, descriptor, object)?;
                            None
                        }
                        found => found,
                    },
                    None => self.unusual_key(lexer, descriptor, object)?,
                },
            };
            if let Some(index) = index {
                let field = &fields[index];
                let noted = self.noted();
                if !seen.mark(index) {
                    self.duplicate("");
                    object.write(index).clear();
                }
                self.field(lexer, field, object.write(index)).map_err(|error| error.in_field(&field.name))?;
                if self.noted() != noted {
                    self.prefix(noted, &field.name);
                }
                next = index + 1;
            }
            more = lexer.next_member()?;
        }
        if descriptor.unknown == UnknownFields::Kept {
            shrink_rest(descriptor, object);
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads an object of an enum, of which one field has a value. Two values would be one lost. An object without any
    /// is the empty value of the enum.
    #[inline(never)]
    fn one_of(
        &mut self,
        lexer: &mut Lexer<'_>,
        descriptor: &Descriptor,
        object: &mut dyn Reflect,
    ) -> Result<()> {
        if !self.budget.object(descriptor) {
            return Err(too_large(lexer, self.budget.spent()));
        }
        self.depth += 1;
        let fields = descriptor.named();
        let mut read: Option<usize> = None;
        let mut more = lexer.enter_object()?;
        while more {
            if let Some(index) = self.unusual_key(lexer, descriptor, object)?
                && !lexer.take_null()?
            {
                let field = &fields[index];
                match read {
                    Some(other) if other != index => {
                        let message = format!(
                            "expected one field with a value; the object also has `{}`",
                            fields[other].name
                        );
                        let error = lexer.error_at(lexer.offset(), ErrorKind::Mismatch, message);
                        return Err(error.in_field(&field.name));
                    }
                    Some(_) => {
                        self.duplicate("");
                        object.write(index).clear();
                    }
                    None => {}
                }
                read = Some(index);
                let noted = self.noted();
                // Not `field`: the compiler inlines that where it is, in `members`, as long as nobody else calls it.
                self.value(lexer, &field.ty, object.write(index))
                    .map_err(|error| error.in_field(&field.name))?;
                if self.noted() != noted {
                    self.prefix(noted, &field.name);
                }
            }
            more = lexer.next_member()?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads `apiVersion` or `kind` of a root object. Returns whether the
    /// member was consumed: four kinds also have fields of these names, which
    /// the caller then decodes.
    fn type_meta(&mut self, lexer: &mut Lexer<'_>, fields: &[Field]) -> Result<bool> {
        let mut ahead = lexer.clone();
        let key = ahead.key()?;
        let place = match &*key {
            "apiVersion" => &mut self.notes.api_version,
            "kind" => &mut self.notes.kind,
            _ => return Ok(false),
        };
        if ahead.take_null()? {
            place.clear();
        } else {
            let text = ahead.string_in(&mut self.unescaped).map_err(|error| error.in_field(&key))?;
            text.clone_into(place);
        }
        let is_field = fields.iter().any(|field| *field.name == *key);
        if !is_field {
            *lexer = ahead;
        }
        Ok(!is_field)
    }

    /// Reads a name that contains escapes or is followed by a space. The value
    /// of an unknown field is skipped.
    #[inline(never)]
    fn unusual_key(
        &mut self,
        lexer: &mut Lexer<'_>,
        descriptor: &Descriptor,
        object: &mut dyn Reflect,
    ) -> Result<Option<usize>> {
        let key = lexer.key()?;
        let fields = descriptor.named();
        let mut index = fields.iter().position(|field| field.name == *key);
        if index.is_none() && self.any_case {
            index = fields.iter().position(|field| field.name.eq_ignore_ascii_case(&key));
        }
        if index.is_none() {
            self.unknown(lexer, &key, descriptor, object)?;
        }
        Ok(index)
    }

    /// Reads the value of an unknown field, as the type declares: most skip it.
    #[inline(never)]
    fn unknown(
        &mut self,
        lexer: &mut Lexer<'_>,
        name: &str,
        descriptor: &Descriptor,
        object: &mut dyn Reflect,
    ) -> Result<()> {
        // `apiVersion` and `kind` of an object in a list are not unknown to its type.
        match descriptor.unknown {
            UnknownFields::Kept if !descriptor.has(name) => {
                if let SlotMut::Map(rest) = object.write(descriptor.named().len()) {
                    return self.entry(lexer, &Type::Raw, name, rest);
                }
            }
            UnknownFields::Refused if !descriptor.has(name) => {
                let message = format!("unknown field; {} has no field of this name", descriptor.name);
                let error = lexer.error_at(lexer.offset(), ErrorKind::Mismatch, message);
                return Err(error.in_field(name));
            }
            _ => {}
        }
        lexer.skip().map_err(|error| error.in_field(name))?;
        if descriptor.unknown == UnknownFields::Skipped {
            return Ok(());
        }
        let Decoded { unknown, more_unknown, .. } = &mut self.notes;
        note(unknown, more_unknown, name);
        Ok(())
    }

    /// Records a duplicate field.
    #[cold]
    fn duplicate(&mut self, name: &str) {
        let Decoded { duplicate, more_duplicate, .. } = &mut self.notes;
        note(duplicate, more_duplicate, name);
    }

    /// How many paths are recorded so far: of unknown and of duplicate fields.
    fn noted(&self) -> (usize, usize) {
        (self.notes.unknown.len(), self.notes.duplicate.len())
    }

    /// Puts a segment before the paths that were recorded after `noted`
    /// returned these numbers.
    #[cold]
    fn prefix(&mut self, (unknown, duplicate): (usize, usize), segment: &str) {
        let unknown = &mut self.notes.unknown[unknown..];
        let duplicate = &mut self.notes.duplicate[duplicate..];
        unknown.iter_mut().chain(duplicate).for_each(|path| prefix(path, segment));
    }

    fn field(&mut self, lexer: &mut Lexer<'_>, field: &Field, slot: SlotMut<'_>) -> Result<()> {
        if lexer.take_null()? {
            slot.set_null();
            return Ok(());
        }
        let slot = match slot {
            SlotMut::Optional(value) => value.insert(),
            slot => slot,
        };
        match slot {
            // Most fields are strings.
            SlotMut::String(value) => self.text(lexer, value),
            slot => self.value(lexer, &field.ty, slot),
        }
    }

    #[inline(always)]
    fn text(&mut self, lexer: &mut Lexer<'_>, text: &mut dyn TextSlot) -> Result<()> {
        text.set(lexer.string_in(&mut self.unescaped)?);
        Ok(())
    }

    fn value(&mut self, lexer: &mut Lexer<'_>, ty: &Type, slot: SlotMut<'_>) -> Result<()> {
        match slot {
            SlotMut::String(value) => self.text(lexer, value),
            SlotMut::Optional(value) => self.value(lexer, ty, value.insert()),
            SlotMut::Struct(value) => self.object(lexer, value),
            SlotMut::List(value) => self.list(lexer, ty, value),
            SlotMut::Map(value) => self.map(lexer, ty, value),
            SlotMut::Bool(value) => {
                *value = lexer.bool()?;
                Ok(())
            }
            SlotMut::Int32(value) => {
                *value = lexer.i32()?;
                Ok(())
            }
            SlotMut::Int64(value) => {
                *value = lexer.i64()?;
                Ok(())
            }
            SlotMut::Double(value) => {
                *value = lexer.f64()?;
                Ok(())
            }
            SlotMut::Bytes(value) => bytes(lexer, value),
            SlotMut::Scalar(value) => scalar(lexer, ty, value),
            SlotMut::Raw(value) => {
                *value = Raw::read(lexer)?;
                Ok(())
            }
            SlotMut::Union(value) => {
                let shape = shape(lexer.peek()?);
                let expectation = value.expectation();
                match shape.and_then(|shape| Some((shape, value.select(shape)?))) {
                    Some((shape, slot)) => self.value(lexer, ty.member(shape), slot),
                    None => Err(lexer.mismatch(expectation)),
                }
            }
            SlotMut::Member(value, index) => self.value(lexer, ty, value.activate(index)),
        }
    }

    fn list(&mut self, lexer: &mut Lexer<'_>, ty: &Type, list: &mut dyn List) -> Result<()> {
        let element = match ty {
            Type::List(node) => &node.ty,
            _ => &Type::String,
        };
        list.clear();
        let mut more = lexer.enter_array()?;
        if more && let Type::String = element {
            more = self.texts(lexer, list)?;
        }
        let mut index = list.len();
        while more {
            if index < 2 {
                // Most lists have one or two elements, and `push` would make room for four.
                list.reserve(1);
            }
            let slot = list.push();
            if !lexer.take_null()? {
                let noted = self.noted();
                self.value(lexer, element, slot).map_err(|error| error.in_element(index))?;
                if self.noted() != noted {
                    self.prefix(noted, &format!("[{index}]"));
                }
            } else if let Type::Struct(ty) = element
                && let Err(message) = self.budget.spend(ty.size())
            {
                // Other objects are counted when they are decoded.
                return Err(too_large(lexer, message).in_element(index));
            }
            index += 1;
            more = lexer.next_element()?;
        }
        // Objects are kept in caches, where room that nobody uses adds up.
        if index > 2 {
            list.shrink();
        }
        Ok(())
    }

    /// Reads the first elements of a list of strings, up to one that is `null` or contains escapes.
    /// The first few are read before the list gets room for exactly as many. Returns whether there
    /// are more elements.
    fn texts<'a>(&mut self, lexer: &mut Lexer<'a>, list: &mut dyn List) -> Result<bool> {
        const FEW: usize = 8;
        let mut texts: [&'a str; FEW] = [""; FEW];
        loop {
            let mut count = 0;
            let mut more = true;
            while more && count < FEW {
                let at = list.len() + count;
                let Some(text) = lexer.plain_string().map_err(|error| error.in_element(at))? else { break };
                texts[count] = text;
                count += 1;
                more = lexer.next_element()?;
            }
            if list.is_empty() {
                list.reserve(count);
            }
            for text in &texts[..count] {
                if let SlotMut::String(slot) = list.push().present() {
                    slot.set(text);
                }
            }
            if !more || count < FEW {
                return Ok(more);
            }
        }
    }

    #[inline(never)]
    fn map(&mut self, lexer: &mut Lexer<'_>, ty: &Type, map: &mut dyn Map) -> Result<()> {
        let value = match ty {
            Type::Map(node) => &node.ty,
            _ => &Type::String,
        };
        map.clear();
        let mut more = lexer.enter_object()?;
        if more && let Type::String = value {
            more = self.texts_of(lexer, map)?;
        }
        while more {
            let key = lexer.key()?;
            self.entry(lexer, value, &key, map)?;
            more = lexer.next_member()?;
        }
        // As for lists.
        map.shrink();
        Ok(())
    }

    fn entry(&mut self, lexer: &mut Lexer<'_>, value: &Type, key: &str, map: &mut dyn Map) -> Result<()> {
        let before = map.len();
        if let Err(message) = self.budget.entry(value, before == 0) {
            return Err(too_large(lexer, message).in_field(key));
        }
        let slot = if value.keeps_missing_fields() { map.cleared_entry(key) } else { map.entry(key) };
        if lexer.take_null()? {
            slot.clear();
        } else {
            let noted = self.noted();
            self.value(lexer, value, slot).map_err(|error| error.in_field(key))?;
            if self.noted() != noted {
                self.prefix(noted, key);
            }
        }
        if map.len() == before {
            self.duplicate(key);
        }
        Ok(())
    }

    /// Reads the first entries of a map of strings, up to one that is `null` or contains escapes. They are read before
    /// the map gets room for exactly as many. Returns whether there are more entries.
    #[inline(never)]
    fn texts_of<'a>(&mut self, lexer: &mut Lexer<'a>, map: &mut dyn Map) -> Result<bool> {
        const FEW: usize = 8;
        let (mut keys, mut texts): ([&'a str; FEW], [&'a str; FEW]) = ([""; FEW], [""; FEW]);
        let mut count = 0;
        let mut more = true;
        // The key of a value that is not a plain text.
        let mut other = None;
        while more && count < FEW {
            let Some(key) = lexer.plain_key() else { break };
            let Some(text) = lexer.plain_string().map_err(|error| error.in_field(key))? else {
                other = Some(key);
                break;
            };
            (keys[count], texts[count]) = (key, text);
            count += 1;
            more = lexer.next_member()?;
        }
        let (keys, mut texts) = (&keys[..count], texts[..count].iter());
        for (at, key) in keys.iter().enumerate() {
            if let Err(message) = self.budget.entry(&Type::String, at == 0) {
                return Err(too_large(lexer, message).in_field(key));
            }
        }
        if map.fill(keys) {
            map.visit_mut(&mut |_, slot| set(slot, texts.next()));
        } else {
            for key in keys {
                let before = map.len();
                set(map.entry(key), texts.next());
                if map.len() == before {
                    self.duplicate(key);
                }
            }
        }
        if let Some(key) = other {
            self.entry(lexer, &Type::String, key, map)?;
            more = lexer.next_member()?;
        }
        Ok(more)
    }
}

/// Sets a text, which may be optional.
fn set(slot: SlotMut<'_>, text: Option<&&str>) {
    if let (SlotMut::String(slot), Some(text)) = (slot.present(), text) {
        slot.set(text);
    }
}

/// Objects are kept in caches, where room that nobody uses adds up.
#[inline(never)]
fn shrink_rest(descriptor: &Descriptor, object: &mut dyn Reflect) {
    if let SlotMut::Map(rest) = object.write(descriptor.named().len()) {
        rest.shrink();
    }
}

#[cold]
fn too_large(lexer: &Lexer<'_>, message: String) -> Error {
    lexer.error_at(lexer.offset(), ErrorKind::TooLarge, message)
}

fn bytes(lexer: &mut Lexer<'_>, target: &mut Vec<u8>) -> Result<()> {
    let start = lexer.offset();
    let text = lexer.string()?;
    target.clear();
    // Go ignores line breaks inside base64; pasted certificates contain them.
    // They are escaped in JSON, so only a text that had escapes contains any.
    let text = match text {
        Cow::Owned(text) => Cow::Owned(text.replace(['\n', '\r'], "")),
        text => text,
    };
    base64::Engine::decode_vec(&base64::prelude::BASE64_STANDARD, text.as_bytes(), target)
        .map_err(|error| lexer.error_at(start, ErrorKind::Mismatch, format!("expected base64: {error}")))
}

fn scalar(lexer: &mut Lexer<'_>, ty: &Type, scalar: &mut dyn Scalar) -> Result<()> {
    let kind = lexer.peek()?;
    let start = lexer.offset();
    let set = match kind {
        Kind::String => scalar.set(Literal::Text(&lexer.string()?)),
        Kind::Number => {
            let number = lexer.number()?;
            let unsigned = |_| number.parse().map_or(Literal::Number(number), Literal::Unsigned);
            scalar.set(number.parse().map_or_else(unsigned, Literal::Integer))
        }
        _ => return Err(lexer.mismatch(ty.expectation())),
    };
    set.map_err(|message| lexer.error_at(start, ErrorKind::Mismatch, message))
}

fn shape(kind: Kind) -> Option<Shape> {
    match kind {
        Kind::Object => Some(Shape::Object),
        Kind::Array => Some(Shape::Array),
        Kind::String => Some(Shape::String),
        Kind::Number => Some(Shape::Number),
        Kind::Bool => Some(Shape::Bool),
        Kind::Null => None,
    }
}

/// The position of the field with that name. The search begins at `next`.
#[inline]
fn find(fields: &[Field], next: usize, name: &str) -> Option<usize> {
    let (before, after) = fields.split_at(next);
    let position = |fields: &[Field]| fields.iter().position(|field| field.name.is(name));
    position(after).map(|index| next + index).or_else(|| position(before))
}

/// Adds a path to the list, or only counts it when the list is full.
fn note(paths: &mut Vec<String>, more: &mut usize, name: &str) {
    if paths.len() < MAX_PATHS {
        paths.push(cut(name).into_owned());
    } else {
        *more += 1;
    }
}

/// A name, cut off after [`MAX_PATH`] bytes.
fn cut(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_PATH {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{}…", &name[..name.floor_char_boundary(MAX_PATH)]))
}

/// Puts a segment before a path, in the reference server's notation:
/// `spec.containers[0].image`. The beginning of a long path is left out.
fn prefix(path: &mut String, segment: &str) {
    if path.len() > MAX_PATH {
        if !path.starts_with('…') {
            path.insert(0, '…');
        }
        return;
    }
    let segment = &*cut(segment);
    if !path.is_empty() && !path.starts_with('[') {
        path.insert(0, '.');
    }
    path.insert_str(0, segment);
}

/// The fields that were decoded already: one bit for each of the first 64, a
/// list for the others.
#[derive(Default)]
struct Seen {
    first: u64,
    rest: Vec<usize>,
}

impl Seen {
    /// Marks a field. Returns whether it is marked for the first time.
    fn mark(&mut self, index: usize) -> bool {
        if index < 64 {
            let bit = 1 << index;
            let first = self.first & bit == 0;
            self.first |= bit;
            return first;
        }
        let first = !self.rest.contains(&index);
        if first {
            self.rest.push(index);
        }
        first
    }
}

/// Reads only `apiVersion` and `kind` of an object.
///
/// # Errors
/// When the bytes are not a JSON object, or when `apiVersion` or `kind` is not
/// a string.
pub fn type_meta(bytes: &[u8]) -> Result<Decoded> {
    read_type_meta(bytes).map_err(|error| located(error, bytes))
}

fn read_type_meta(bytes: &[u8]) -> Result<Decoded> {
    let mut lexer = Lexer::new(bytes)?;
    let mut decoder = Decoder::new(bytes, 0);
    let mut more = lexer.enter_object()?;
    while more {
        if !decoder.type_meta(&mut lexer, &[])? {
            lexer.raw_key()?;
            lexer.skip()?;
        }
        more = lexer.next_member()?;
    }
    lexer.finish()?;
    Ok(decoder.notes)
}
