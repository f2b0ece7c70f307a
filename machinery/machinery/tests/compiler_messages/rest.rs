use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct Part {
    #[field(rest)]
    rest: StrMap<Str>,
}

fn main() {}
