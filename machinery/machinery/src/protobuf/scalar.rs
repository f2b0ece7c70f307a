//! Scalars that are messages in protobuf: times, quantities, int-or-strings.

use std::any::Any;

use jiff::Timestamp;

use super::reader::Reader;
use super::writer::Writer;
use super::{Error, Result};
use crate::reflect::{Scalar, Type};
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};

/// The start of year 1, in seconds since the epoch. It is the zero value of
/// upstream's times and means that a time is not set.
const UNSET: i64 = -62_135_596_800;

/// Writes the fields of the scalar's message.
pub(super) fn encode(ty: &Type, scalar: &dyn Scalar, writer: &mut Writer<'_>) {
    match ty {
        Type::Quantity => writer.bytes(1, downcast::<Quantity>(scalar).as_str().as_bytes()),
        Type::Time => timestamp(downcast::<Time>(scalar).0, 1_000_000_000, writer),
        Type::MicroTime => timestamp(downcast::<MicroTime>(scalar).0, 1_000, writer),
        Type::Duration => writer.number(1, downcast::<Duration>(scalar).0 as u64),
        Type::IntOrString => {
            let (kind, number, text) = match downcast(scalar) {
                IntOrString::Int(number) => (0, *number, ""),
                IntOrString::String(text) => (1, 0, &**text),
            };
            writer.bytes(3, text.as_bytes());
            writer.number(2, i64::from(number) as u64);
            writer.number(1, kind);
        }
        _ => unreachable!("expected the type of a scalar message, found {ty:?}"),
    }
}

fn downcast<T: Scalar>(scalar: &dyn Scalar) -> &T {
    (scalar as &dyn Any).downcast_ref().expect("a slot is of its field's type")
}

fn of_mut<T: Scalar>(scalar: &mut dyn Scalar) -> &mut T {
    (scalar as &mut dyn Any).downcast_mut().expect("a slot is of its field's type")
}

/// Writes the seconds and nanoseconds of a time, both even if zero; nothing if
/// the time is not set. Nanoseconds are rounded down to a multiple of
/// `precision`.
fn timestamp(time: Timestamp, precision: u64, writer: &mut Writer<'_>) {
    let (mut second, mut rest) = (time.as_second(), time.subsec_nanosecond());
    // In `Timestamp` both have the same sign; in protobuf the nanoseconds are
    // never negative.
    if rest < 0 {
        second -= 1;
        rest += 1_000_000_000;
    }
    let rest = rest as u64;
    if second != UNSET || rest != 0 {
        writer.number(2, rest - rest % precision);
        writer.number(1, second as u64);
    }
}

/// Reads the fields of the scalar's message.
pub(super) fn decode(reader: Reader<'_>, ty: &Type, scalar: &mut dyn Scalar) -> Result<()> {
    match ty {
        Type::Quantity => quantity(reader, of_mut(scalar))?,
        Type::Time => *of_mut(scalar) = Time::from(read_timestamp(reader)?),
        Type::MicroTime => *of_mut(scalar) = MicroTime::from(read_timestamp(reader)?),
        Type::Duration => duration(reader, of_mut(scalar))?,
        Type::IntOrString => *of_mut(scalar) = int_or_string(reader)?,
        _ => unreachable!("expected the type of a scalar message, found {ty:?}"),
    }
    Ok(())
}

fn quantity(mut reader: Reader<'_>, quantity: &mut Quantity) -> Result<()> {
    while let Some(tag) = reader.next_tag()? {
        if tag.number() != 1 {
            reader.skip(tag)?;
            continue;
        }
        let at = reader.offset();
        let text = reader.string(tag)?;
        // Upstream writes an empty string for a quantity that is not set.
        let text = if text.is_empty() { "0" } else { text };
        *quantity = text.parse().map_err(|error| Error::new(at, format!("{error}")))?;
    }
    Ok(())
}

fn duration(mut reader: Reader<'_>, duration: &mut Duration) -> Result<()> {
    while let Some(tag) = reader.next_tag()? {
        match tag.number() {
            1 => duration.0 = reader.number(tag)? as i64,
            _ => reader.skip(tag)?,
        }
    }
    Ok(())
}

fn read_timestamp(mut reader: Reader<'_>) -> Result<Timestamp> {
    let at = reader.offset();
    let (mut second, mut nanosecond) = (0, 0);
    while let Some(tag) = reader.next_tag()? {
        match tag.number() {
            1 => second = reader.number(tag)? as i64,
            2 => nanosecond = reader.number(tag)? as i32,
            _ => reader.skip(tag)?,
        }
    }
    // Nearly all times are whole seconds.
    let time =
        if nanosecond == 0 { Timestamp::from_second(second) } else { Timestamp::new(second, nanosecond) };
    time.map_err(|_| {
        let message = format!(
            "expected a time in the years 1 to 9999, found {second} seconds and {nanosecond} nanoseconds since 1970"
        );
        Error::new(at, message)
    })
}

fn int_or_string(mut reader: Reader<'_>) -> Result<IntOrString> {
    let at = reader.offset();
    let (mut kind, mut number, mut text) = (0, 0, "");
    while let Some(tag) = reader.next_tag()? {
        match tag.number() {
            1 => kind = reader.number(tag)?,
            2 => number = reader.number(tag)? as i32,
            3 => text = reader.string(tag)?,
            _ => reader.skip(tag)?,
        }
    }
    match kind {
        0 => Ok(IntOrString::Int(number)),
        1 => Ok(IntOrString::String(text.into())),
        other => Err(Error::new(at, format!("expected an integer (0) or a string (1), found type {other}"))),
    }
}
