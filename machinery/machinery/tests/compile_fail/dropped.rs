use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
struct Widget {
    #[field(dropped, required)]
    size: i32,
    #[field(removed, dropped)]
    color: Option<Str>,
    #[field(dropped, added)]
    weight: Option<i32>,
    #[field(renamed(v1alpha1 = "length"), dropped)]
    width: Option<i32>,
}

#[derive(ApiType)]
enum Mood {
    #[field(dropped)]
    Calm,
}

fn main() {}
