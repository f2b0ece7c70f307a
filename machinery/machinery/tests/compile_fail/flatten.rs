use hubgen_machinery::{ApiType, Str, StrMap, json};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Kind")]
#[flattened]
struct Kind {
    name: Str,
}

#[derive(ApiType)]
#[flattened]
#[object(max_properties = 2)]
struct Facts {
    #[field(number = 1)]
    name: Str,
}

#[derive(ApiType)]
#[flattened]
struct Unknown {
    #[field(rest)]
    rest: StrMap<json::Raw>,
}

#[derive(ApiType)]
#[flattened]
enum Words {
    A,
}

#[derive(ApiType)]
enum Variant {
    #[field(flatten)]
    A(Inner),
}

#[derive(ApiType)]
#[flattened]
struct Inner {
    name: Str,
}

#[derive(ApiType)]
struct Outer {
    #[field(flatten, required)]
    inner: Inner,
    #[field(flatten = "a")]
    value: Inner,
}

#[derive(ApiType)]
struct Optional {
    #[field(flatten)]
    inner: Option<Inner>,
}

#[derive(ApiType)]
struct Numbers {
    #[field(number = 1)]
    name: Str,
    #[field(flatten)]
    inner: Inner,
}

fn main() {}
