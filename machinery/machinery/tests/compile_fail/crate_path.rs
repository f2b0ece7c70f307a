use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[api(name = "a")]
struct UnknownKey {}

#[derive(ApiType)]
#[api(crate = "a b")]
struct NoPath {}

#[derive(ApiType)]
#[api(crate = hubgen_machinery)]
struct NoText {}

#[derive(ApiType)]
#[api()]
struct Empty {}

#[derive(ApiType)]
#[api(crate = "hubgen_machinery", crate = "hubgen_machinery")]
struct Twice {}

fn main() {}
