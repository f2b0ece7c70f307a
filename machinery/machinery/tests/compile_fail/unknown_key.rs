use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(nubmer = 1)]
    width: i32,
}

fn main() {}
