//! The Pod through k8s-openapi's types and serde_json.

use k8s_openapi::api::core::v1::Pod;

fn main() {
    bench_codec::main::<Pod>(
        |bytes| serde_json::from_slice(bytes).expect("the Pod is valid"),
        |pod| serde_json::to_vec(pod).expect("the Pod has a JSON form"),
        Pod::clone,
    );
}
