//! The media types in which objects are sent and stored.

mod body;
mod representation;
mod table;
mod unshown;
mod version;

use hubgen_machinery::json::{self, EncodeError};
use hubgen_machinery::protobuf::{self, Writer};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Object;

pub(crate) use self::body::Body;
pub(crate) use self::representation::{Item, LIST_END, Representation, Shape, json_items};
pub(crate) use self::table::{Include, TABLE, TableShape};
pub(crate) use self::unshown::Unshown;
pub(crate) use self::version::{MetaVersion, PARTIAL};

/// The encoding of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Media {
    /// JSON, as upstream writes it.
    Json,
    /// Protobuf in an envelope. Kinds that protobuf does not cover are encoded in JSON.
    #[default]
    Protobuf,
}

impl Media {
    /// The name of the media type in headers and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// The media type of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Json, Self::Protobuf].into_iter().find(|media| media.name().eq_ignore_ascii_case(name))
    }

    /// Encodes an object of any kind.
    ///
    /// # Errors
    /// When the object contains a value that JSON cannot represent. An object that was decoded by
    /// the Scheme does not, but an admission plugin can set one.
    pub(crate) fn encode(self, object: &Object) -> Result<Vec<u8>, EncodeError> {
        match self {
            Self::Json => object.encode(),
            Self::Protobuf => Ok(object.encode_protobuf()),
        }
    }

    /// Encodes an object of the API machinery, such as a `Status`.
    pub(crate) fn encode_own(self, object: &dyn Reflect) -> Vec<u8> {
        match self {
            Self::Json => json::encode(object).expect("no field is a number with a fraction, or any JSON"),
            Self::Protobuf => Writer::scratch(|writer| {
                protobuf::encode_enveloped(object, object.descriptor().type_meta(), writer);
            }),
        }
    }
}
