use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(number = 1)]
    width: i32,
    #[field(number = 1)]
    height: i32,
    #[field(number(2, 1))]
    depth: i32,
    #[field(number(2, 1))]
    weight: i32,
    #[field(number = 2)]
    around: i32,
    #[field(number(1, 3))]
    inside: i32,
}

#[derive(ApiType)]
enum Action {
    #[field(number = 1)]
    Exec(String),
    #[field(number = 1)]
    Sleep(i32),
}

fn main() {}
