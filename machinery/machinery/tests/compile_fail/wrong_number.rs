use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(number = 0)]
    zero: i32,
    #[field(number = 19000)]
    reserved_by_protobuf: i32,
    #[field(number = 19_999)]
    also_reserved: i32,
    #[field(number = 536870912)]
    too_large: i32,
    #[field(number = 5000000000)]
    far_too_large: i32,
    #[field(number(20, 0))]
    zero_inside: i32,
    #[field(number())]
    empty: i32,
    #[field(number = nothing)]
    word: i32,
    #[field(number = -1)]
    negative: i32,
    #[field(number = 7, number = 8)]
    twice: i32,
}

#[derive(ApiType)]
enum Color {
    #[field(number = 1)]
    Red,
}

fn main() {}
