use hubgen_machinery::ApiType;

#[derive(ApiType)]
enum Action {
    Exec(String),
    Nothing,
    Both(String, String),
}

fn main() {}
