use hubgen_machinery::json::Raw;
use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct NotLast {
    #[field(rest)]
    rest: StrMap<Raw>,
    name: Str,
}

#[derive(ApiType)]
struct Twice {
    #[field(rest)]
    one: StrMap<Raw>,
    #[field(rest)]
    other: StrMap<Raw>,
}

#[derive(ApiType)]
struct WithNumbers {
    #[field(number = 1)]
    name: Str,
    #[field(rest)]
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
struct WithFacts {
    #[field(rest, required)]
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
#[unknown(refuse)]
struct Both {
    #[field(rest)]
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
#[unknown(keep)]
struct Keep {
    name: Str,
}

#[derive(ApiType)]
enum Choice {
    #[field(rest)]
    Rest(Str),
}

#[derive(ApiType)]
#[unknown(refuse)]
enum Strict {
    One(Str),
}

fn main() {}
