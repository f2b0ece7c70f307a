//! Runs serde_json with k8s-openapi's types.

use bench_codec::Codec;
use k8s_openapi::List;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

type PodList = List<Pod>;

fn codec<T: serde::Serialize + serde::de::DeserializeOwned + Clone>() -> Codec<T> {
    Codec {
        decode: |bytes| serde_json::from_slice(bytes).expect("the object is valid"),
        encode: |object| serde_json::to_vec(object).expect("JSON can represent the object"),
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
                $(concat!("json/", stringify!($kind)) => bench_codec::run::<$kind>(&codec(), &bytes, &operation, &count),)*
                _ => panic!("unknown kind {name}"),
            }
        };
    }
    kinds!(Pod, ConfigMap, Node, PodList, CustomResourceDefinition, EndpointSlice);
}
