use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[kind(group = "example.com", kind = "Widget")]
struct Widget {
    size: i32,
}

fn main() {}
