use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[object(title = 1)]
struct TitleIsNoText {}

#[derive(ApiType)]
#[object(example = "{a}")]
struct ExampleIsNoJson {}

#[derive(ApiType)]
#[object(min_properties = -1)]
struct NegativeCount {}

#[derive(ApiType)]
#[object(min_properties = 2, max_properties = 1)]
struct NothingFits {}

#[derive(ApiType)]
#[object(cel = "true")]
struct RuleWithoutText {}

#[derive(ApiType)]
#[object(keywords = "1")]
struct KeywordsAreNoObject {}

#[derive(ApiType)]
#[object(schema = "true")]
struct SchemaIsNoObject {}

fn main() {}
