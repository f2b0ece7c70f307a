use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
struct Key {
    #[field(one_of)]
    algorithm: Str,
}

fn main() {}
