use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
struct Plain {
    name: Str,
}

#[derive(ApiType)]
#[flattened]
struct Part {
    name: Str,
}

#[derive(ApiType)]
struct Outer {
    #[field(flatten)]
    plain: Plain,
}

#[derive(ApiType)]
struct Twice {
    name: Str,
    #[field(flatten)]
    part: Part,
}

fn main() {}
