use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
#[from(v1alpha1)]
struct NoKind {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "A")]
#[from(version = "v1alpha1")]
struct NoVersion {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "B")]
#[from(v1alpha1, moved("spec.a" = "spec.b"))]
struct MovedWithoutArrow {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "C")]
#[from(v1alpha1, words("spec.a" => "spec.b", "x"))]
struct WordWithoutCounterpart {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "D")]
#[from(v1alpha1, renamed = "x")]
struct UnknownKey {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "E")]
#[from(v1alpha1, function(crate::a, "spec.a: i32" => "spec.b: Str"))]
struct ModuleWithoutQuotes {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "F")]
#[from(v1alpha1, function("crate::a", "spec.a: i32"))]
struct FunctionWithoutArrow {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "G")]
#[from(v1alpha1, function("crate::a", "spec.a: i32" =>))]
struct FunctionOntoNothing {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "H")]
#[from(v1alpha1, function("crate::a", "spec.a: i32" => "spec.b: Str", reads = "metadata.name: Str"))]
struct ReadsWithoutParentheses {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "I")]
#[from(v1alpha1, function("crate::a", "spec.a: i32" => "spec.b: Str", reads("metadata.name: Str"), "spec.c: Str"))]
struct ReadsBeforeTheEnd {}

#[derive(ApiType)]
struct Fields {
    #[field(renamed = "x")]
    a: Str,
    #[field(renamed(v1 = "x", v1 = "y"))]
    b: Str,
}

#[derive(ApiType)]
enum Words {
    #[field(added)]
    A,
    B,
}

#[derive(ApiType)]
#[kind(version = "v1", kind = "H")]
#[from(v1alpha1, not_convertible)]
struct NotConvertibleWithoutReason {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "I")]
#[from(v1alpha1, not_convertible = "a", not_convertible = "b")]
struct TwoReasons {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "K")]
#[from(v1alpha1, number("spec.a" => "spec.b"))]
struct NumberWithoutForm {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "L")]
#[from(v1alpha1, number("spec.a" => "spec.b", seconds))]
struct NumberInAnotherForm {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "M")]
#[from(v1alpha1, number("spec.a" => "spec.b", duration))]
struct DurationWithoutUnit {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "N")]
#[from(v1alpha1, number("spec.a" => "spec.b", quantity = 1))]
struct UnitThatIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "O")]
#[from(v1alpha1, number("spec.a" => "spec.b", text, percent))]
struct NumberInTwoForms {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "P")]
#[from(v1alpha1, number("spec.a" => "spec.b", percent, text))]
struct NumberInTwoFormsAgain {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "Q")]
#[from(v1alpha1, keyed("spec.a" => "spec.b"))]
struct KeyedWithoutKey {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "R")]
#[from(v1alpha1, keyed("spec.a" => "spec.b", key = "name", key = "id"))]
struct KeyedWithTwoKeys {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "S")]
#[from(v1alpha1, keyed("spec.a" => "spec.b", key = "name", value = 1))]
struct ValueThatIsNoText {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "T")]
#[from(v1alpha1, table("spec.a" => "spec.b"))]
struct TableWithoutRows {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "U")]
#[from(v1alpha1, table("spec.a" => "spec.b", ["x"], ["y"]))]
struct RowWithOneSide {}

#[derive(ApiType)]
#[kind(version = "v1", kind = "V")]
#[from(v1alpha1, table("spec.a" => "spec.b", ["x"] => [1.5]))]
struct CellThatIsNoWholeNumber {}

fn main() {}
