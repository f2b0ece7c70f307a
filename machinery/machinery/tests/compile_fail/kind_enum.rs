use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
enum Widget {
    Small,
    Large,
}

fn main() {}
