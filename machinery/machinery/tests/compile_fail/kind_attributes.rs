use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", colour = "red")]
struct UnknownKey {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "B", scale(spec = ".spec.replicas"))]
struct HalfOfTheScale {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "C", scale(path = ".spec.replicas"))]
struct UnknownPartOfTheScale {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "D", column = "Ready")]
struct ColumnWithoutPath {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "E", column("Ready" => ".status.ready", width = 3))]
struct UnknownPartOfAColumn {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "F", served = "no")]
struct ServedIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "G", plural = "gs", plural = "ges")]
struct TwoPlurals {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "H", deprecated, deprecated = "use v2")]
struct DeprecatedTwice {}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "I", column("Age" => ".metadata.creationTimestamp", type = "time"))]
struct UnknownTypeOfAColumn {}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "J", column("Age" => ".spec.age", priority = 3000000000))]
struct PriorityIsTooLarge {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "K", storage)]
struct NoGroup {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "L", label("app"))]
struct LabelWithoutValue {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "M", annotation = "app")]
struct AnnotationWithoutName {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "N", conversion = "None")]
struct ConversionIsNoJson {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "O", preserve_unknown_fields)]
struct PreservesWithoutValue {}

fn main() {}
