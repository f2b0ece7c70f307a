use hubgen_machinery::ApiType;

struct Size;

#[derive(ApiType)]
struct Widget {
    size: Size,
}

fn main() {}
