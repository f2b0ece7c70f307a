use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget(i32, i32);

fn main() {}
