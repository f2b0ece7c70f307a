use hubgen_machinery::json::Raw;
use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct Widget {
    name: Str,
    size: Option<i32>,
    part: Part,
    rest_of_it: Rest,
}

#[derive(ApiType)]
struct Part {
    name: Str,
}

#[derive(ApiType)]
struct Rest {
    #[field(rest)]
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
#[flattened]
struct Limits {
    max: i32,
}

#[derive(ApiType)]
struct Limited {
    #[field(flatten)]
    limits: Limits,
}

// No such field.
#[derive(ApiType)]
#[view(Widget)]
struct Misspelled {
    nane: Str,
}

// Another type, and an absent value that the view does not have.
#[derive(ApiType)]
#[view(Widget)]
struct OtherTypes {
    name: i64,
    size: i32,
}

// A view of another type.
#[derive(ApiType)]
#[view(Widget)]
struct OfOther {
    part: LimitsView,
}

#[derive(ApiType)]
#[view(Limits)]
struct LimitsView {
    max: i32,
}

#[derive(ApiType)]
#[view(Rest)]
struct OfRest {
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
#[view(Limited)]
struct OfFlattened {
    limits: Limits,
}

// A view in a type that would lose the other fields.
#[derive(ApiType)]
struct WithView {
    limits: Vec<LimitsView>,
}

// The whole is no API type.
struct Plain {
    name: Str,
}

#[derive(ApiType)]
#[view(Plain)]
struct OfPlain {
    name: Str,
}

fn main() {}
