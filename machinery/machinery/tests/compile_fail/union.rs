use hubgen_machinery::ApiType;

#[derive(ApiType)]
union Widget {
    small: u8,
    large: i32,
}

fn main() {}
