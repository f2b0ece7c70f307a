use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(number = 0)]
    width: i32,
    #[field(omit = sometimes)]
    height: i32,
    #[field(list = map())]
    parts: Vec<String>,
    #[field(default = "")]
    depth: Option<i32>,
}

fn main() {}
