//! Converts single values.

use hubgen_machinery::Str;
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut, copy_slot};
use hubgen_model::TypeId;
use hubgen_plan::{Direction, Value};

use crate::access::{field_mut, field_of, set_text};
use crate::number;

/// Converts values. The implementation knows the pairs of types.
pub(crate) trait Values {
    /// Converts an object into an empty one of the other type of its pair.
    ///
    /// # Errors
    /// When a function refuses a value in it, or is missing. The path in the error begins at the object.
    fn object(
        &self,
        pair: (&TypeId, &TypeId),
        from: &dyn Reflect,
        to: &mut dyn Reflect,
        direction: Direction,
    ) -> Result<(), ConvertError>;

    /// Converts a value and writes it into an empty slot.
    ///
    /// # Errors
    /// As [`object`](Self::object).
    fn value(
        &self,
        value: &Value,
        from: &Slot<'_>,
        to: SlotMut<'_>,
        direction: Direction,
    ) -> Result<(), ConvertError> {
        match (value, from, to) {
            (Value::Same, from, to) => copy_slot(from, to),
            (Value::Pair(version, hub), Slot::Struct(from), SlotMut::Struct(to)) => {
                self.object((version, hub), *from, to, direction)?;
            }
            (Value::List(inner), Slot::List(from), SlotMut::List(to)) => {
                for index in 0..from.len() {
                    self.value(inner, &from.get(index), to.push().present(), direction)
                        .map_err(|error| error.below(&format!("[{index}]")))?;
                }
            }
            (Value::Map(inner), Slot::Map(from), SlotMut::Map(to)) => {
                let mut result = Ok(());
                from.visit(&mut |key, from| {
                    if result.is_ok() {
                        result = self
                            .value(inner, &from, to.entry(key).present(), direction)
                            .map_err(|error| error.below(&format!("[{key}]")));
                    }
                });
                result?;
            }
            (Value::Wrapped(_, field), from, SlotMut::Struct(to)) if direction == Direction::ToHub => {
                copy_slot(from, field_mut(to, field));
            }
            (Value::Wrapped(_, field), Slot::Struct(from), to) => copy_slot(&field_of(*from, field), to),
            (Value::Keyed(keyed), Slot::Map(from), SlotMut::List(to)) => {
                let mut result = Ok(());
                from.visit(&mut |key, from| {
                    let SlotMut::Struct(item) = to.push().present() else { panic!("items are objects") };
                    if result.is_ok() {
                        result = self
                            .value(&keyed.value, &from, SlotMut::Struct(item), direction)
                            .map_err(|error| error.below(&format!("[{key}]")));
                    }
                    set_text(field_mut(item, &keyed.key), key);
                });
                result?;
            }
            (Value::Keyed(keyed), Slot::List(from), SlotMut::Map(to)) => {
                let key = |index| match from.get(index) {
                    Slot::Struct(item) => match field_of(item, &keyed.key) {
                        Slot::String(key) => key.to_shared(),
                        _ => panic!("keys are texts"),
                    },
                    _ => panic!("items are objects"),
                };
                // A map takes keys quickest in their order. Of items with the same key the first one remains.
                let mut keys: Vec<(Str, usize)> = (0..from.len()).map(|index| (key(index), index)).collect();
                keys.sort();
                keys.dedup_by(|(later, _), (first, _)| later == first);
                let converted = keys.into_iter().filter_map(|(key, index)| {
                    let to = to.entry(&key).present();
                    let error = self.value(&keyed.value, &from.get(index), to, direction).err()?;
                    Some((index, error.below(&format!("[{index}]"))))
                });
                if let Some((_, error)) = converted.min_by_key(|(index, _)| *index) {
                    return Err(error);
                }
            }
            (Value::Number(form, _), from, to) => match direction {
                Direction::ToHub => number::write(from, to, *form),
                Direction::FromHub => number::read(from, to, *form),
            },
            (Value::Words(_), Slot::String(text), to) => {
                let words = value.translations(direction);
                let text = text.as_str();
                let word = words.iter().find(|(from, _)| *from == text);
                set_text(to, word.map_or(text, |(_, to)| to));
            }
            _ => panic!("the plan does not fit the types of the objects"),
        }
        Ok(())
    }
}
