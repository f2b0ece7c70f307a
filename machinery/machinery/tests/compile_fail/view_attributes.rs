use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
struct Widget {
    name: Str,
}

#[derive(ApiType)]
#[view]
struct OfNothing {
    name: Str,
}

#[derive(ApiType)]
#[view("Widget")]
struct OfText {
    name: Str,
}

#[derive(ApiType)]
#[view(Widget)]
#[view(Widget)]
struct Twice {
    name: Str,
}

#[derive(ApiType)]
#[view(Widget)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
#[unknown(refuse)]
struct WithAttributes {
    #[field(name = "title", number = 1)]
    name: Str,
}

#[derive(ApiType)]
#[view(Widget)]
enum Name {
    Name,
}

#[derive(ApiType)]
#[view(Widget)]
struct Tuple(Str);

#[derive(ApiType)]
#[view(Widget)]
struct Generic<T> {
    name: T,
}

fn main() {}
