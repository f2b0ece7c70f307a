//! Types that JSON writes as texts, numbers or anything: each has a name of its own among the published types.

use serde_json::{Map, Value, json};

use crate::names;

/// A scalar of the distilled schemas that has a published name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Time,
    MicroTime,
    Duration,
    Quantity,
    IntOrString,
    RawExtension,
    Fields,
    Patch,
}

impl Scalar {
    const ALL: [Self; 8] = [
        Self::Time,
        Self::MicroTime,
        Self::Duration,
        Self::Quantity,
        Self::IntOrString,
        Self::RawExtension,
        Self::Fields,
        Self::Patch,
    ];

    /// The scalar that a distilled schema means.
    pub(crate) fn of(schema: &Map<String, Value>) -> Option<Self> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        if schema.contains_key("x-kubernetes-int-or-string") {
            return Some(Self::IntOrString);
        }
        match text("x-raw") {
            Some("extension") => return Some(Self::RawExtension),
            Some("fields") => return Some(Self::Fields),
            _ => {}
        }
        match text("format").filter(|_| text("type") == Some("string"))? {
            "date-time" => Some(Self::Time),
            "micro-time" => Some(Self::MicroTime),
            "duration" => Some(Self::Duration),
            "quantity" => Some(Self::Quantity),
            _ => None,
        }
    }

    /// Its published name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Time => names::of_meta("Time"),
            Self::MicroTime => names::of_meta("MicroTime"),
            Self::Duration => names::of_meta("Duration"),
            Self::Fields => names::of_meta("FieldsV1"),
            Self::Patch => names::of_meta("Patch"),
            Self::Quantity => "io.k8s.apimachinery.pkg.api.resource.Quantity".to_owned(),
            Self::IntOrString => "io.k8s.apimachinery.pkg.util.intstr.IntOrString".to_owned(),
            Self::RawExtension => "io.k8s.apimachinery.pkg.runtime.RawExtension".to_owned(),
        }
    }

    /// The scalar of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Its schema.
    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Time | Self::MicroTime => json!({"type": "string", "format": "date-time"}),
            Self::Duration => json!({"type": "string"}),
            Self::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
            Self::IntOrString => {
                json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
            }
            Self::RawExtension | Self::Fields | Self::Patch => json!({"type": "object"}),
        }
    }
}
