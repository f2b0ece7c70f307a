use hubgen_machinery::ApiType;
use hubgen_machinery::scalar::Quantity;

#[derive(ApiType)]
struct NotOfItsType {
    #[field(default = "\"1\"")]
    number: Option<i32>,
    #[field(default = "3000000000")]
    large: i32,
    #[field(default = "TCP")]
    unquoted: String,
}

#[derive(ApiType)]
enum Color {
    Red,
    Green,
}

#[derive(ApiType)]
struct UnknownWord {
    #[field(default = "\"Pink\"")]
    color: Color,
}

#[derive(ApiType)]
struct NeverMissing {
    #[field(required, default = "1")]
    required: i32,
    #[field(default = "\"1Gi\"")]
    quantity: Quantity,
}

fn main() {}
