use hubgen_machinery::ApiType;

#[derive(ApiType)]
enum Either {
    #[field(default = "1")]
    First(i32),
    Second(i32),
}

fn main() {}
