use std::net::IpAddr;

use hubgen_machinery::{ApiType, Leaf};

#[derive(ApiType)]
#[leaf]
struct NoKeys(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(expects = "an address", examples("::1"))]
struct NoText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, examples("::1"))]
struct NotExplained(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address")]
struct NoExamples(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, integer)]
struct UnknownKey(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, minimum = 1, expects = "an address", examples("::1"))]
struct KeyOfNumbers(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, text, expects = "an address", examples("::1"))]
struct TextTwice(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, other = true, expects = "an address", examples("::1"))]
struct OtherWithValue(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = 1, examples("::1"))]
struct ExpectsNoText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = " ", examples("::1"))]
struct ExpectsNothing(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples = "::1")]
struct ExamplesWithoutParentheses(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples())]
struct NoExample(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1", ""))]
struct EmptyExample(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, title = 1, expects = "an address", examples("::1"))]
struct TitleIsNoText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, format = 1, expects = "an address", examples("::1"))]
struct FormatIsNoText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, pattern = 1, expects = "an address", examples("::1"))]
struct PatternIsNoText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, min_length = -1, expects = "an address", examples("::1"))]
struct NegativeCount(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, min_length = 2, max_length = 1, expects = "an address", examples("::1"))]
struct NothingFits(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, cel = "true", expects = "an address", examples("::1"))]
struct RuleWithoutText(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, keywords = "1", expects = "an address", examples("::1"))]
struct KeywordsAreNoObject(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
struct WithoutLeaf(IpAddr);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
struct Optional(Option<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
struct Named {
    address: Leaf<IpAddr>,
}

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
struct TwoValues(Leaf<IpAddr>, i32);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
enum Either {
    Address(Leaf<IpAddr>),
}

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
#[object(min_properties = 1)]
struct AnObject(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an address", examples("::1"))]
struct WithField(#[field(max_length = 1)] Leaf<IpAddr>);

fn main() {}
