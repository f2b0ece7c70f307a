use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Widget {
    #[field(number = 1)]
    width: i32,
    height: i32,
    #[field(number = none)]
    only_in_json: i32,
    #[field(until = "1.7")]
    gone: i32,
    depth: i32,
    // Needs a number: `kind` is in the envelope only together with `apiVersion`.
    kind: String,
}

#[derive(ApiType)]
struct Reference {
    api_version: String,
    kind: String,
    #[field(number = 1)]
    name: String,
    uid: String,
}

fn main() {}
