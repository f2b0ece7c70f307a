//! The derive macro that generated types wear, for anybody's types.

use proc_macro::TokenStream;

/// Makes a struct or an enum a type of an API.
///
/// It implements `Reflect`, `Value`, `ApiType` and `DeepCopy` of
/// `hubgen_machinery::reflect` and, as thin calls over them, `Clone`,
/// `Default`, `Debug`, `PartialEq`, `Serialize` and `Deserialize`. Do not
/// derive these as well.
///
/// * A struct is a JSON object; fields are named in camel case.
/// * An enum of unit variants is a string, one of its variants' names.
/// * An enum whose variants hold one value each is an object with one member.
///
/// A struct with `#[kind(group = "example.com", version = "v1", kind = "Widget")]` is a kind: it is
/// written with `apiVersion` and `kind`.
///
/// On fields, `#[field(…)]` says what a schema would:
///
/// | key | meaning |
/// | --- | --- |
/// | `name = "clusterIP"` | the JSON name, where it is not the field's in camel case |
/// | `number = 1` | the protobuf number; `number(2, 1)` where protobuf nests what JSON inlines; `none` where protobuf does not have it |
/// | `omit = never` / `omit = zero` | never left out / left out when zero; without it, when empty |
/// | `value` | an `Option` whose absence is the zero value, not a state of its own |
/// | `required` | an object without it is invalid |
/// | `default = "1"` | the default, as JSON text |
/// | `one_of("A", "B")` | the values allowed |
/// | `list = atomic`, `set`, `map("name")` | how a list is merged and checked |
/// | `atomic` | server-side apply replaces it as a whole |
/// | `patch = "merge"`, `merge_key = "name"` | how strategic merge patches treat it |
/// | `since = "1.9"`, `until = "1.20"` | the releases that had it |
///
/// A type whose fields have numbers, all the way down, is one of protobuf, too; without numbers, of
/// JSON and YAML only, and a server keeps its kinds in JSON. Numbers are given once and for
/// ever: a field that goes leaves its number unused. They go from 1 to 536870911, without 19000 to
/// 19999, which protobuf keeps to itself. Where some fields of a type have a number, all of them
/// have, or say `number = none`; a type that has such a field is not kept in protobuf, in which the
/// field would be lost. An `Option` of a list or map is `None` when protobuf has it empty: it cannot
/// tell these apart.
#[proc_macro_derive(ApiType, attributes(field, kind, default))]
pub fn api_type(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    hubgen_derive_core::api_type(&input).into()
}
