use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct NameIsNoText {
    #[field(name = other)]
    a: Str,
}

#[derive(ApiType)]
struct NameTwice {
    #[field(name = "b", name = "c")]
    a: Str,
}

#[derive(ApiType)]
struct ValueHasNoValue {
    #[field(value = true)]
    a: Option<Str>,
}

#[derive(ApiType)]
struct RequiredHasNoValue {
    #[field(required = true)]
    a: Str,
}

#[derive(ApiType)]
struct RequiredTwice {
    #[field(required, required)]
    a: Str,
}

#[derive(ApiType)]
struct AtomicHasNoValue {
    #[field(atomic(labels))]
    a: StrMap<Str>,
}

#[derive(ApiType)]
struct RemovedHasNoValue {
    #[field(removed = "v1")]
    a: Str,
}

#[derive(ApiType)]
struct DroppedHasNoValue {
    #[field(dropped(v1))]
    a: Str,
}

#[derive(ApiType)]
struct EmptyIsAbsentHasNoValue {
    #[field(empty_is_absent = true)]
    a: Option<Str>,
}

#[derive(ApiType)]
struct SinceIsANumber {
    #[field(since = 1.9)]
    a: Str,
}

#[derive(ApiType)]
struct UntilIsANumber {
    #[field(until = 1.2)]
    a: Str,
}

#[derive(ApiType)]
struct MergeKeyIsNoText {
    #[field(merge_key = name)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct PatchIsNoText {
    #[field(patch = merge)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct AllowedNumbers {
    #[field(one_of(1, 2))]
    a: i32,
}

#[derive(ApiType)]
struct ListOfNothing {
    #[field(list = map)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct UnknownList {
    #[field(list = sorted)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct TitleIsNoText {
    #[field(title = 1)]
    a: Str,
}

#[derive(ApiType)]
struct FormatOfABool {
    #[field(format = "date")]
    a: bool,
}

#[derive(ApiType)]
struct LargestText {
    #[field(exclusive_maximum = 1)]
    a: Str,
}

#[derive(ApiType)]
struct LengthOfANumber {
    #[field(max_length = 1)]
    a: i32,
}

#[derive(ApiType)]
struct ItemsOfAText {
    #[field(min_items = 1)]
    a: Str,
}

#[derive(ApiType)]
struct PropertiesOfAText {
    #[field(min_properties = 1)]
    a: Str,
}

#[derive(ApiType)]
struct PropertiesOfAList {
    #[field(max_properties = 1)]
    a: Vec<Str>,
}

#[derive(ApiType)]
struct ExpressionIsNoText {
    #[field(cel("true", message_expression = self))]
    a: Str,
}

#[derive(ApiType)]
struct PathIsNoText {
    #[field(cel("true", field_path = a))]
    a: Str,
}

#[derive(ApiType)]
struct OldSelfIsNoBool {
    #[field(cel("true", optional_old_self = "yes"))]
    a: Str,
}

fn main() {}
