//! Runs prost with k8s-pb's types.

use bench_codec::Codec;
use k8s_pb::api::core::v1::{ConfigMap, Node, Pod, PodList};
use k8s_pb::api::discovery::v1::EndpointSlice;
use k8s_pb::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use prost::Message;

fn codec<T: Message + Default + Clone>() -> Codec<T> {
    Codec {
        decode: |bytes| T::decode(bytes).expect("the object is valid"),
        encode: |object| object.encode_to_vec(),
        copy: Clone::clone,
        copy_into: |object, target| target.clone_from(object),
        interner: || Box::new(|_| ()),
    }
}

fn main() {
    let (name, bytes, operation, count) = bench_codec::arguments();
    macro_rules! kinds {
        ($($kind:ident),*) => {
            match &*name {
                $(concat!("protobuf/", stringify!($kind)) => bench_codec::run::<$kind>(&codec(), &bytes, &operation, &count),)*
                _ => panic!("unknown kind {name}"),
            }
        };
    }
    kinds!(Pod, ConfigMap, Node, PodList, CustomResourceDefinition, EndpointSlice);
}
