use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget<T> {
    size: T,
}

fn main() {}
