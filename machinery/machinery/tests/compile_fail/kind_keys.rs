use hubgen_machinery::ApiType;

#[derive(ApiType)]
#[kind(group = example, version = "v1", kind = "A")]
struct GroupIsNoText {}

#[derive(ApiType)]
#[kind(version = 1, kind = "A")]
struct VersionIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = A)]
struct KindIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", kind = "B")]
struct KindTwice {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", singular = one)]
struct SingularIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", list = AList)]
struct ListIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", short(a, b))]
struct ShortIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", category = all)]
struct CategoryIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", may_be_invalid(spec))]
struct MayBeInvalidIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", namespaced = true)]
struct NamespacedHasNoValue {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", storage = "true")]
struct StorageHasNoValue {}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "A", storage, storage)]
struct StorageTwice {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", status(ready))]
struct StatusHasNoValue {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", selectable(.spec.a))]
struct SelectableIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", scale(spec = 1, status = ".a"))]
struct SpecIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", scale(spec = ".a", status = b))]
struct StatusOfTheScaleIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", scale(spec = ".a", status = ".b", selector = ".c", selector = ".d"))]
struct SelectorTwice {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", column("A" => ".a", format = int32))]
struct FormatIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", column("A" => ".a", description = 1))]
struct DescriptionIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A", column("A" => ".a", priority = 1, priority = 2))]
struct PriorityTwice {}

fn main() {}
