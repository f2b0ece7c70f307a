//! The Pod through hubgen's codecs.

use hubgen_core::v1::Pod;
use hubgen_machinery::json;

fn main() {
    bench_codec::main::<Pod>(
        |bytes| json::decode(bytes).expect("the Pod is valid"),
        |pod| json::encode(pod),
        Pod::clone,
    );
}
