use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct NumberOfAText {
    #[field(minimum = 1)]
    a: Str,
}

#[derive(ApiType)]
struct TextOfANumber {
    #[field(min_length = 1)]
    a: Option<i32>,
}

#[derive(ApiType)]
struct ListOfAMap {
    #[field(max_items = 1)]
    a: StrMap<Str>,
}

#[derive(ApiType)]
struct AnythingOfABool {
    #[field(pattern = "a")]
    a: bool,
}

#[derive(ApiType)]
struct ItemsOfAText {
    #[field(items(min_length = 1))]
    a: Str,
}

#[derive(ApiType)]
struct ValuesOfAList {
    #[field(values(min_length = 1))]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct WrongItems {
    #[field(items(items(maximum = 1)))]
    a: Vec<Vec<Str>>,
}

#[derive(ApiType)]
struct NothingFits {
    #[field(minimum = 2, maximum = 1)]
    a: i32,
}

#[derive(ApiType)]
struct NothingFitsBetween {
    #[field(exclusive_minimum = 1, maximum = 1)]
    a: i32,
}

#[derive(ApiType)]
struct NoLengthFits {
    #[field(items(min_length = 2, max_length = 1))]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct MultipleOfNothing {
    #[field(multiple_of = 0)]
    a: i32,
}

#[derive(ApiType)]
struct BothMinimums {
    #[field(minimum = 1, exclusive_minimum = 1)]
    a: i32,
}

#[derive(ApiType)]
struct Twice {
    #[field(pattern = "a", pattern = "b")]
    a: Str,
}

#[derive(ApiType)]
struct NoNumber {
    #[field(minimum = "1")]
    a: i32,
}

#[derive(ApiType)]
struct NumberWithType {
    #[field(minimum = 1i32)]
    a: i32,
}

#[derive(ApiType)]
struct NegativeCount {
    #[field(min_length = -1)]
    a: Str,
}

#[derive(ApiType)]
struct NoText {
    #[field(pattern = 1)]
    a: Str,
}

#[derive(ApiType)]
struct NoJson {
    #[field(example = "a")]
    a: Str,
}

#[derive(ApiType)]
struct NoObject {
    #[field(keywords = "[]")]
    a: Str,
}

#[derive(ApiType)]
struct UnfinishedSchema {
    #[field(schema = r#"{"type": "string""#)]
    a: Str,
}

#[derive(ApiType)]
struct SchemaAndMore {
    #[field(schema = "{}", min_length = 1)]
    a: Str,
}

#[derive(ApiType)]
struct Unique {
    #[field(unique_items = true)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct RuleWithoutText {
    #[field(cel = "self > 0")]
    a: i32,
}

#[derive(ApiType)]
struct RuleWithUnknownKey {
    #[field(cel("self > 0", "positive", colour = "red"))]
    a: i32,
}

#[derive(ApiType)]
struct RuleWithUnknownReason {
    #[field(cel("self > 0", reason = "Forbidden"))]
    a: i32,
}

#[derive(ApiType)]
struct UnknownKeyOfItems {
    #[field(items(required))]
    a: Vec<Str>,
}

#[derive(ApiType)]
#[object(min_length = 1)]
struct TextOfAType {}

#[derive(ApiType)]
#[object(required)]
struct UnknownKeyOfAType {}

#[derive(ApiType)]
#[object(items(min_length = 1))]
struct ItemsOfAType {}

#[derive(ApiType)]
#[object(title = "a")]
enum WordsHaveNoFacts {
    A,
}

#[derive(ApiType)]
enum AWordHasNoFacts {
    #[field(min_length = 1)]
    A,
}

fn main() {}
