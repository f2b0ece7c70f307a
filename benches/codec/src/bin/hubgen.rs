//! Runs hubgen's codecs. The kind is `json/KIND`, `protobuf/KIND` or `to-protobuf/KIND`.

use bench_codec::Codec;
use hubgen_apiextensions::v1::CustomResourceDefinition;
use hubgen_core::v1::{ConfigMap, Node, Pod, PodList};
use hubgen_discovery::v1::EndpointSlice;
use hubgen_machinery::reflect::{ApiType, DeepCopy};
use hubgen_machinery::{Interner, json, protobuf};

fn json<T: ApiType>() -> Codec<T> {
    Codec {
        decode: |bytes| json::decode(bytes).expect("the object is valid"),
        encode: |object| json::encode(object).unwrap(),
        copy: DeepCopy::deep_copy,
        copy_into: DeepCopy::deep_copy_into,
        interner: || {
            let mut interner = Interner::new();
            Box::new(move |object| interner.intern(object))
        },
    }
}

fn protobuf<T: ApiType>() -> Codec<T> {
    Codec {
        decode: |bytes| protobuf::decode(bytes).expect("the object is valid"),
        encode: |object| protobuf::encode(object),
        ..json()
    }
}

/// Decodes JSON and encodes protobuf, to make the input of the other protobuf peer.
fn to_protobuf<T: ApiType>() -> Codec<T> {
    Codec { encode: |object| protobuf::encode(object), ..json() }
}

fn main() {
    let (name, bytes, operation, count) = bench_codec::arguments();
    let (format, kind) = name.split_once('/').unwrap_or(("json", &name));
    macro_rules! kinds {
        ($($kind:ident),*) => {
            match (format, kind) {
                $(
                    ("json", stringify!($kind)) => bench_codec::run::<$kind>(&json(), &bytes, &operation, &count),
                    ("protobuf", stringify!($kind)) => bench_codec::run::<$kind>(&protobuf(), &bytes, &operation, &count),
                    ("to-protobuf", stringify!($kind)) => bench_codec::run::<$kind>(&to_protobuf(), &bytes, &operation, &count),
                )*
                _ => panic!("unknown kind {name}"),
            }
        };
    }
    kinds!(Pod, ConfigMap, Node, PodList, CustomResourceDefinition, EndpointSlice);
}
