//! What objects are encoded in, on the wire and in storage.

mod accept;
mod body;
mod coverage;

use hubgen_machinery::json::{self, writer};
use hubgen_machinery::protobuf::{self, Writer};
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::{KindEntry, Object};

pub(crate) use self::accept::{accepted, of_errors};
pub(crate) use self::body::{Body, Format};
pub(crate) use self::coverage::Coverage;
use crate::wire::ListMeta;

/// What an object is encoded in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Media {
    /// JSON, as the reference server writes it.
    Json,
    /// Protobuf in an envelope; of kinds that protobuf does not cover, JSON.
    #[default]
    Protobuf,
}

impl Media {
    /// The name that clients and options have for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Json, Self::Protobuf].into_iter().find(|media| media.name().eq_ignore_ascii_case(name))
    }

    /// An object of any kind.
    pub(crate) fn encode(self, object: &Object) -> Vec<u8> {
        match self {
            Self::Json => object.encode(),
            Self::Protobuf => object.encode_protobuf(),
        }
    }

    /// An object of the API machinery, such as a `Status`.
    pub(crate) fn encode_own(self, object: &dyn Reflect) -> Vec<u8> {
        match self {
            Self::Json => json::encode(object),
            Self::Protobuf => Writer::scratch(|writer| {
                protobuf::encode_enveloped(object, object.descriptor().type_meta(), writer);
            }),
        }
    }

    /// A list of objects of a kind. Its items do not repeat what the list says of them all.
    pub(crate) fn encode_list(self, entry: &KindEntry, meta: &ListMeta, items: &[Object]) -> Vec<u8> {
        match self {
            Self::Json => json_list(entry, meta, items),
            Self::Protobuf => Writer::scratch(|writer| {
                let (api_version, kind) = (entry.api_version(), format!("{}List", entry.kind));
                let type_meta = TypeMeta { api_version: &api_version, kind: &kind };
                let items = items.iter().map(|object| &*object.value);
                protobuf::encode_list(meta, items, type_meta, writer);
            }),
        }
    }
}

fn json_list(entry: &KindEntry, meta: &ListMeta, items: &[Object]) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(b"{\"kind\":");
    writer::string(&mut body, &format!("{}List", entry.kind));
    body.extend_from_slice(b",\"apiVersion\":");
    writer::string(&mut body, &entry.api_version());
    body.extend_from_slice(b",\"metadata\":");
    json::encode_into(meta, None, &mut body);
    body.extend_from_slice(b",\"items\":[");
    for (index, object) in items.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        json::encode_into(&*object.value, None, &mut body);
    }
    body.extend_from_slice(b"]}");
    body
}
