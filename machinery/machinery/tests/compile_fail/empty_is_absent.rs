use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
struct Widget {
    #[field(required, empty_is_absent)]
    color: Str,
}

#[derive(ApiType)]
enum Store {
    #[field(empty_is_absent)]
    Secret(Widget),
    Path(Str),
}

#[derive(ApiType)]
enum Mood {
    #[field(empty_is_absent)]
    Calm,
}

fn main() {}
