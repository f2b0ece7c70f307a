//! Deserializes any format into slots.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::{
    ApiType, Descriptor, Field, Literal, Reflect, Shape, SlotMut, Type, TypeMeta, Union, UnknownFields,
};
use crate::json::raw::Raw;

/// Deserializes an object. A kind's `apiVersion` and `kind` may be missing. If
/// present, they must match.
///
/// # Errors
/// The errors of the deserializer, and when a value does not match its field's
/// type, or `apiVersion` or `kind` is another one.
pub fn deserialize<'de, T: ApiType, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut object = T::default();
    Target { object: &mut object, type_meta: T::describe().type_meta() }.deserialize(deserializer)?;
    Ok(object)
}

struct Target<'a> {
    object: &'a mut dyn Reflect,
    type_meta: Option<TypeMeta<'static>>,
}

impl<'de> DeserializeSeed<'de> for Target<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_map(self)
        } else {
            deserializer.deserialize_tuple(self.object.descriptor().fields.len(), self)
        }
    }
}

impl<'de> Visitor<'de> for Target<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}", self.object.descriptor().name)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let described = self.object.descriptor().share();
        let descriptor = &*described;
        let mut read: Option<usize> = None;
        while let Some(key) = map.next_key_seed(Key { descriptor, type_meta: self.type_meta })? {
            match key {
                // An enum of objects has one field with a value: two values would be one lost.
                MatchedKey::Field(index) if descriptor.is_one_of() => {
                    let field = &descriptor.fields[index];
                    let other = read.filter(|other| *other != index);
                    let seed = MemberSeed {
                        object: self.object,
                        index,
                        field,
                        other: other.map(|at| &descriptor.fields[at]),
                    };
                    if map.next_value_seed(seed)? {
                        read = Some(index);
                    }
                }
                MatchedKey::Field(index) => {
                    map.next_value_seed(SlotSeed::of(&descriptor.fields[index], self.object.write(index)))?;
                }
                MatchedKey::TypeMeta(name, expected) => {
                    let found: Option<String> = map.next_value()?;
                    if let Some(found) = found
                        && found != expected
                    {
                        return Err(A::Error::custom(format_args!(
                            "expected {name} `{expected}`, found `{found}`"
                        )));
                    }
                }
                MatchedKey::Rest(name) => match self.object.write(descriptor.named().len()) {
                    SlotMut::Map(rest) => {
                        map.next_value_seed(SlotSeed { ty: &Type::Raw, slot: rest.entry(&name) })?;
                    }
                    _ => unreachable!("the rest is a map"),
                },
                MatchedKey::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let descriptor = self.object.descriptor().share();
        for (index, field) in descriptor.fields.iter().enumerate() {
            seq.next_element_seed(SlotSeed::of(field, self.object.write(index)))?
                .ok_or_else(|| A::Error::invalid_length(index, &"one element for each field"))?;
        }
        Ok(())
    }
}

/// Reads a field of an enum of objects. Returns whether it has a value.
struct MemberSeed<'a> {
    object: &'a mut dyn Reflect,
    index: usize,
    field: &'a Field,
    /// The field that has a value already.
    other: Option<&'a Field>,
}

impl<'de> DeserializeSeed<'de> for MemberSeed<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for MemberSeed<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field.ty.expectation())
    }

    fn visit_none<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        if let Some(other) = self.other {
            return Err(serde::de::Error::custom(format_args!(
                "{}: expected one field with a value; the object also has `{}`",
                self.field.name, other.name
            )));
        }
        PresentSeed(SlotSeed::of(self.field, self.object.write(self.index))).deserialize(deserializer)?;
        Ok(true)
    }
}

enum MatchedKey {
    Field(usize),
    TypeMeta(&'static str, &'static str),
    /// An unknown field that is kept.
    Rest(String),
    Unknown,
}

struct Key<'a> {
    descriptor: &'a Descriptor,
    type_meta: Option<TypeMeta<'static>>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = MatchedKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MatchedKey, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = MatchedKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<MatchedKey, E> {
        let position = self.descriptor.named().iter().position(|field| field.name == name);
        Ok(match (position, self.type_meta, name) {
            (Some(index), ..) => MatchedKey::Field(index),
            (None, Some(meta), "kind") => MatchedKey::TypeMeta("kind", meta.kind),
            (None, Some(meta), "apiVersion") => MatchedKey::TypeMeta("apiVersion", meta.api_version),
            _ => match self.descriptor.unknown {
                UnknownFields::Kept if !self.descriptor.has(name) => MatchedKey::Rest(name.to_owned()),
                UnknownFields::Refused if !self.descriptor.has(name) => {
                    let name = format_args!(
                        "unknown field `{name}`; {} has none of this name",
                        self.descriptor.name
                    );
                    return Err(E::custom(name));
                }
                _ => MatchedKey::Unknown,
            },
        })
    }
}

struct SlotSeed<'a> {
    ty: &'a Type,
    slot: SlotMut<'a>,
}

impl<'a> SlotSeed<'a> {
    fn of(field: &'a Field, slot: SlotMut<'a>) -> Self {
        Self { ty: &field.ty, slot }
    }
}

impl<'de> DeserializeSeed<'de> for SlotSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        // Any field may be `null`. Human-readable formats are therefore asked for
        // an option first.
        let readable = deserializer.is_human_readable();
        if readable || matches!(self.slot, SlotMut::Optional(_) | SlotMut::Member(..)) {
            deserializer.deserialize_option(OrAbsent { seed: self, readable })
        } else {
            PresentSeed(self).deserialize(deserializer)
        }
    }
}

struct OrAbsent<'a> {
    seed: SlotSeed<'a>,
    /// Whether the format omits absent fields, so that what is not omitted is `null`.
    readable: bool,
}

impl<'de> Visitor<'de> for OrAbsent<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.seed.ty.expectation())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        if self.readable {
            self.seed.slot.set_null()
        } else {
            self.seed.slot.clear()
        }
        Ok(())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let SlotSeed { ty, slot } = self.seed;
        match slot {
            // An option in the option: `null` or a value.
            SlotMut::Optional(value) if !self.readable && value.is_nullable() => {
                SlotSeed { ty, slot: value.insert() }.deserialize(deserializer)
            }
            slot => PresentSeed(SlotSeed { ty, slot }).deserialize(deserializer),
        }
    }
}

struct PresentSeed<'a>(SlotSeed<'a>);

impl<'de> DeserializeSeed<'de> for PresentSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let readable = deserializer.is_human_readable();
        let SlotSeed { ty, slot } = self.0;
        let slot = slot.present();
        match slot {
            SlotMut::Struct(object) => Target { object, type_meta: None }.deserialize(deserializer),
            SlotMut::Raw(raw) if readable => {
                *raw = serde::Deserialize::deserialize(deserializer)?;
                Ok(())
            }
            slot @ (SlotMut::Scalar(_) | SlotMut::Union(_)) if readable => {
                deserializer.deserialize_any(Present { ty, slot })
            }
            slot @ SlotMut::Scalar(_) => deserializer.deserialize_enum(
                "Literal",
                &["Text", "Integer", "Unsigned", "Float"],
                Present { ty, slot },
            ),
            SlotMut::Union(union) => deserializer.deserialize_tuple(2, Tagged { ty, union }),
            slot @ SlotMut::Bool(_) => deserializer.deserialize_bool(Present { ty, slot }),
            slot @ SlotMut::Int32(_) => deserializer.deserialize_i32(Present { ty, slot }),
            slot @ SlotMut::Int64(_) => deserializer.deserialize_i64(Present { ty, slot }),
            slot @ SlotMut::Double(_) => deserializer.deserialize_f64(Present { ty, slot }),
            slot @ SlotMut::Bytes(_) if !readable => deserializer.deserialize_byte_buf(Present { ty, slot }),
            slot @ (SlotMut::String(_) | SlotMut::Bytes(_) | SlotMut::Raw(_)) => {
                deserializer.deserialize_str(Present { ty, slot })
            }
            slot @ SlotMut::List(_) => deserializer.deserialize_seq(Present { ty, slot }),
            slot @ SlotMut::Map(_) => deserializer.deserialize_map(Present { ty, slot }),
            SlotMut::Optional(_) | SlotMut::Member(..) => unreachable!("the value was created above"),
        }
    }
}

/// A union in a format that is not human-readable: the shape, then the value.
struct Tagged<'a> {
    ty: &'a Type,
    union: &'a mut dyn Union,
}

impl<'de> Visitor<'de> for Tagged<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a shape and a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let missing = |index| move || A::Error::invalid_length(index, &"a shape and a value");
        let tag: u8 = seq.next_element()?.ok_or_else(missing(0))?;
        let shape = [Shape::Bool, Shape::Number, Shape::String, Shape::Array, Shape::Object]
            .into_iter()
            .find(|shape| *shape as u8 == tag);
        let (shape, slot) = shape
            .and_then(|shape| Some((shape, self.union.select(shape)?)))
            .ok_or_else(|| A::Error::custom(format_args!("no member of the union has the tag {tag}")))?;
        seq.next_element_seed(SlotSeed { ty: self.ty.member(shape), slot })?.ok_or_else(missing(1))
    }
}

struct Present<'a> {
    ty: &'a Type,
    slot: SlotMut<'a>,
}

impl<'a> Present<'a> {
    fn wrong<E: serde::de::Error>(&self, found: serde::de::Unexpected<'_>) -> E {
        E::invalid_type(found, &self.ty.expectation())
    }

    /// The type of the elements of a list or map.
    fn inner(&self) -> &'a Type {
        match self.ty {
            Type::List(node) | Type::Map(node) => &node.ty,
            Type::Strings => &Type::String,
            other => other,
        }
    }

    /// The member of a union for that shape, with its type.
    fn select<E: serde::de::Error>(self, shape: Shape, found: serde::de::Unexpected<'_>) -> Result<Self, E> {
        let SlotMut::Union(union) = self.slot else { return Err(self.wrong(found)) };
        let expectation = union.expectation();
        let slot = union.select(shape).ok_or_else(|| E::invalid_type(found, &expectation))?;
        Ok(Present { ty: self.ty.member(shape), slot })
    }
}

impl<'de> Visitor<'de> for Present<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ty.expectation())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        match self.slot {
            SlotMut::Bool(slot) => *slot = value,
            SlotMut::Union(_) => {
                return self.select(Shape::Bool, serde::de::Unexpected::Bool(value))?.visit_bool(value);
            }
            _ => return Err(self.wrong(serde::de::Unexpected::Bool(value))),
        }
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        match self.slot {
            SlotMut::Int32(slot) => {
                *slot = value.try_into().map_err(|_| {
                    E::invalid_value(serde::de::Unexpected::Signed(value), &"a 32-bit integer")
                })?;
            }
            SlotMut::Int64(slot) => *slot = value,
            #[allow(clippy::cast_precision_loss, reason = "JSON has one kind of number")]
            SlotMut::Double(slot) => *slot = value as f64,
            SlotMut::Scalar(slot) => slot.set(Literal::Integer(value)).map_err(E::custom)?,
            _ => return Err(self.wrong(serde::de::Unexpected::Signed(value))),
        }
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => match self.slot {
                // A quantity keeps all digits.
                SlotMut::Scalar(slot) => slot.set(Literal::Unsigned(value)).map_err(E::custom),
                _ => self.visit_f64(value as f64),
            },
        }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        match self.slot {
            SlotMut::Double(slot) => *slot = value,
            SlotMut::Scalar(slot) => slot.set(Literal::Number(&value.to_string())).map_err(E::custom)?,
            _ => return Err(self.wrong(serde::de::Unexpected::Float(value))),
        }
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        match self.slot {
            SlotMut::String(slot) => {
                slot.set(value);
            }
            SlotMut::Bytes(slot) => {
                *slot = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, value)
                    .map_err(|error| E::custom(format_args!("expected base64: {error}")))?;
            }
            SlotMut::Scalar(slot) => slot.set(Literal::Text(value)).map_err(E::custom)?,
            SlotMut::Raw(slot) => *slot = value.parse::<Raw>().map_err(E::custom)?,
            _ => return Err(self.wrong(serde::de::Unexpected::Str(value))),
        }
        Ok(())
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<(), E> {
        match self.slot {
            SlotMut::String(slot) => {
                slot.set_shared(&value.into());
                Ok(())
            }
            _ => self.visit_str(&value),
        }
    }

    fn visit_bytes<E: serde::de::Error>(self, value: &[u8]) -> Result<(), E> {
        match self.slot {
            SlotMut::Bytes(slot) => {
                slot.clear();
                slot.extend_from_slice(value);
                Ok(())
            }
            _ => Err(self.wrong(serde::de::Unexpected::Bytes(value))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let ty = self.inner();
        match self.slot {
            SlotMut::List(list) => {
                list.clear();
                // An element is pushed before it is read. At the end of the
                // input, the last one is removed again.
                loop {
                    let len = list.len();
                    if seq.next_element_seed(SlotSeed { ty, slot: list.push() })?.is_none() {
                        list.truncate(len);
                        return Ok(());
                    }
                }
            }
            SlotMut::Union(_) if matches!(self.ty, Type::Union(_)) => {
                self.select(Shape::Array, serde::de::Unexpected::Seq)?.visit_seq(seq)
            }
            _ => Err(self.wrong(serde::de::Unexpected::Seq)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let ty = self.inner();
        match self.slot {
            SlotMut::Map(map) => {
                map.clear();
                while let Some(key) = access.next_key::<String>()? {
                    let slot =
                        if ty.keeps_missing_fields() { map.cleared_entry(&key) } else { map.entry(&key) };
                    access.next_value_seed(SlotSeed { ty, slot })?;
                }
                map.shrink();
                Ok(())
            }
            SlotMut::Struct(object) => Target { object, type_meta: None }.visit_map(access),
            SlotMut::Union(_) => self.select(Shape::Object, serde::de::Unexpected::Map)?.visit_map(access),
            _ => Err(self.wrong(serde::de::Unexpected::Map)),
        }
    }

    fn visit_enum<A: serde::de::EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        use serde::de::VariantAccess as _;
        let SlotMut::Scalar(slot) = self.slot else { return Err(self.wrong(serde::de::Unexpected::Enum)) };
        let (variant, content) = access.variant::<u32>()?;
        match variant {
            0 => slot.set(Literal::Text(&content.newtype_variant::<String>()?)),
            1 => slot.set(Literal::Integer(content.newtype_variant()?)),
            2 => slot.set(Literal::Unsigned(content.newtype_variant()?)),
            _ => slot.set(Literal::Float(content.newtype_variant()?)),
        }
        .map_err(A::Error::custom)
    }
}
