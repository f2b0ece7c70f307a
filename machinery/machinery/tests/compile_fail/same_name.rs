use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    width: i32,
    #[field(name = "width")]
    breadth: i32,
}

fn main() {}
