//! Values that JSON cannot represent.

use std::fmt;

use crate::reflect::{Literal, Reflect, Slot};

/// An object contains a value that JSON cannot represent: a text from protobuf that is no JSON where it must be, or a
/// number that is infinite or NaN, or two fields with one name: a field of its type is also among the fields that the
/// type does not have. No object that was decoded from JSON contains any of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    path: String,
    message: String,
}

impl EncodeError {
    /// The field path of the value: `metadata.managedFields[0].fieldsV1`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was expected and what was found.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The error of the first value of an object that JSON cannot represent.
    pub(crate) fn find(object: &dyn Reflect) -> Option<Self> {
        in_slot(&Slot::Struct(object))
    }

    /// The error of an object that contains such a value.
    #[cold]
    pub(super) fn of(object: &dyn Reflect) -> Self {
        Self::find(object).unwrap_or_else(|| unreachable!("the encoder has found such a value"))
    }

    fn in_field(mut self, name: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{separator}{}", self.path);
        self
    }
}

fn in_slot(slot: &Slot<'_>) -> Option<EncodeError> {
    match slot {
        Slot::Double(value) if !value.is_finite() => Some(not_finite(*value)),
        Slot::Scalar(value) => {
            let mut found = None;
            value.show(&mut |literal| {
                if let Literal::Float(value) = literal
                    && !value.is_finite()
                {
                    found = Some(not_finite(value.into()));
                }
            });
            found
        }
        Slot::Raw(value) => {
            let error = value.to_json().err()?;
            Some(EncodeError { path: String::new(), message: format!("invalid JSON: {}", error.message()) })
        }
        Slot::Struct(object) => in_object(*object),
        Slot::List(list) => {
            (0..list.len()).find_map(|index| Some(in_slot(&list.get(index))?.in_field(&format!("[{index}]"))))
        }
        Slot::Map(map) => {
            let mut found = None;
            map.visit(&mut |key, slot| {
                if found.is_none() {
                    found = in_slot(&slot).map(|error| error.in_field(key));
                }
            });
            found
        }
        Slot::Union(union) => in_slot(&union.active()),
        _ => None,
    }
}

fn not_finite(value: f64) -> EncodeError {
    EncodeError { path: String::new(), message: format!("expected a finite number, found {value}") }
}

fn in_object(object: &dyn Reflect) -> Option<EncodeError> {
    let descriptor = object.descriptor();
    object.fields().iter().enumerate().find_map(|(index, (field, slot))| match &slot {
        Slot::Map(rest) if descriptor.is_rest(index) => {
            let mut taken = None;
            rest.visit(&mut |name, _| {
                if taken.is_none() && descriptor.has(name) {
                    let message = format!("expected a field that {} does not have", descriptor.name);
                    taken = Some(EncodeError { path: name.to_owned(), message });
                }
            });
            taken.or_else(|| in_slot(&slot))
        }
        slot => Some(in_slot(slot)?.in_field(&field.name)),
    })
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for EncodeError {}
