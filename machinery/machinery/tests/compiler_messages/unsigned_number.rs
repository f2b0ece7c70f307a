use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Unsigned {
    #[field(number = 1)]
    sizes: Vec<u32>,
}

fn main() {}
