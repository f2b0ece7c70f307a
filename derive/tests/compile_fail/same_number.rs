use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(number = 1)]
    width: i32,
    #[field(number = 1)]
    height: i32,
}

fn main() {}
