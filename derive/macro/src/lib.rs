//! `#[derive(ApiType)]`: makes a struct or an enum a type of an API.
//!
//! Depend on `hubgen-machinery`, which exports the derive together with the traits that it implements, and has
//! examples.
//!
//! The [macro's page](macro@ApiType) lists the attributes; `docs/attributes.md` in the repository also lists what each
//! becomes, and its tests. Mistakes in them are errors of the compiler: a number that
//! is used twice, is missing or is reserved, or a key that is unknown.
//!
//! The feature `schemars` belongs to that of `hubgen-machinery`, which turns it on.

use proc_macro::TokenStream;

/// Implements `Reflect`, `Value`, `ApiType` and `DeepCopy` of `hubgen_machinery::reflect`.
///
/// It also implements `Clone`, `Default`, `Debug`, `PartialEq`, `Serialize` and `Deserialize`, so do not derive these
/// as well.
///
/// * A struct is a JSON object. The JSON name of a field is its Rust name in camel case.
/// * An enum of unit variants is a string: the name of a variant, or that of `#[field(name = "…")]`. It refuses other
///   strings, unless one more variant, `#[field(other)] Other(Str)`, contains them.
/// * An enum of variants with one value each is an object with exactly one field.
///
/// A struct with `#[kind(group = "example.com", version = "v1", kind = "Widget")]` is a kind. Its objects have an
/// `apiVersion` and a `kind`. Other keys of `#[kind(…)]` are for its CustomResourceDefinition. With `storage`, the kind
/// implements `HasCrd` of `hubgen_machinery::crd`: `Widget::crd()` is its definition. `hubgen crds` and
/// `hubgen generate`, which read the source, make the definitions of kinds with several versions:
///
/// | key | meaning |
/// | --- | --- |
/// | `namespaced` | its objects are in namespaces, not in the cluster |
/// | `storage` | objects are stored at this version: one version of each kind |
/// | `served = false` | the API server does not serve the version |
/// | `deprecated`, `deprecated = "use v1"` | clients are warned |
/// | `status` | it has a status subresource |
/// | `scale(spec = ".spec.replicas", status = ".status.replicas", selector = ".status.selector")` | it has a scale subresource; `selector` may be left out |
/// | `column("Ready" => ".status.ready")` | a column that `kubectl get` prints; then, if wanted, `type = "date"` (where it does not follow from the field), `format`, `description`, `priority = 1` |
/// | `selectable(".spec.color")` | fields that field selectors can use |
/// | `may_be_invalid("spec.color")` | fields that objects of other versions may have here, after a conversion, although the schema refuses them |
/// | `short("wi")`, `category("all")` | short names; groups of kinds |
/// | `label("app", "demo")`, `annotation("example.com/owner", "us")` | labels and annotations of the definition itself |
/// | `conversion = r#"{"strategy": "None"}"#` | `spec.conversion` of the definition, as JSON |
/// | `preserve_unknown_fields = false` | the field of the same name of the definition |
/// | `plural`, `singular`, `list` | names, where they are not `widgets`, `widget` and `WidgetList` |
///
/// The last five rows and `namespaced` concern all versions. Write them at the storage version.
///
/// A field of type `Option<_>` may be absent. One of type `Option<Option<_>>` may also be `null`, which is
/// `Some(None)`: use it for a nullable field where `null` is not the same as no field at all.
///
/// Numbers are `i32`, `i64`, `u16`, `u32`, `u64`, `f32` and `f64`. What is out of range is an error with the path of
/// the field. Unsigned numbers have no protobuf number. In definitions they are integers with a range; the API server
/// keeps 63 bits of a `u64`.
///
/// `#[field(…)]` specifies a field's schema facts:
///
/// | key | meaning |
/// | --- | --- |
/// | `name = "clusterIP"` | the JSON name, if it is not the Rust name in camel case |
/// | `number = 1` | the protobuf number; `number(2, 1)` for a field of a nested message that JSON inlines; `none` for a field that protobuf does not contain |
/// | `omit = empty`, `zero`, `exact`, `never` | when JSON omits the field: when it is empty (an absent `Option`, an empty list, map or text, zero), when it is zero, objects included, or never; `never` writes an empty list or map as `null`, as Go does, and `exact` as it is; the default is `empty`, and `exact` for required fields |
/// | `value` | a value that is not a pointer upstream although it is an `Option` here |
/// | `required` | an object without the field is invalid; JSON always contains it, `null` if it is an absent `Option` |
/// | `default = "1"` | the default, as JSON text; `hubgen_machinery::defaults::set` sets it. JSON must be able to lack the field: an `Option`, or a number, a text, a list or a map that is not `required` |
/// | `one_of("A", "B")` | the allowed values; `one_of` alone for a field whose type is an enum with `other`: its words |
/// | `other` | on a variant `Other(Str)`: it contains the strings of no other variant |
/// | `flatten` | the fields of this object are those of the object around it in JSON; the object is a struct with `#[flattened]` |
/// | `rest` | on the last field, of type `StrMap<Raw>`: it contains the fields that JSON has besides the others |
/// | `list = atomic`, `set`, `map("name")` | the list type: how a list is merged and checked |
/// | `atomic` | server-side apply replaces the field as a whole |
/// | `patch = "merge"`, `merge_key = "name"` | the strategy of strategic merge patches, and their key of list elements |
/// | `since = "1.9"`, `until = "1.20"` | the first and the last release with the field |
///
/// # Limits and rules
///
/// What a schema specifies about values beyond their type is written with the names of JSON Schema, in snake case. A
/// key on a value of another type is an error, as far as the derive can see the type, and otherwise when code is
/// generated.
///
/// | key of `#[field(…)]` | for | meaning |
/// | --- | --- | --- |
/// | `minimum = 1`, `maximum = 65535` | numbers | the smallest and the largest value |
/// | `exclusive_minimum = 0`, `exclusive_maximum = 1.5` | numbers | values are larger, or smaller; in schemas of Kubernetes, `minimum` and `exclusiveMinimum: true` |
/// | `multiple_of = 2` | numbers | values are multiples of it |
/// | `min_length = 1`, `max_length = 63` | texts | how many characters |
/// | `pattern = r"^[a-z]+$"` | texts | a regular expression in the syntax of Go, which need not match the whole text |
/// | `format = "hostname"` | texts, numbers | a format that the API server knows |
/// | `min_items = 1`, `max_items = 16` | lists | how many items; `list = set` for unique ones |
/// | `min_properties = 1`, `max_properties = 8` | maps, objects | how many fields |
/// | `cel("self.low <= self.high", "low is larger than high")` | all | a rule in CEL, and the message where it is not true; then, if wanted, `message_expression = "…"`, `reason = "FieldValueInvalid"`, `field_path = ".low"`, `optional_old_self = true`. There may be several. |
/// | `title = "…"`, `example = "1"` | all | for readers; an example is JSON text |
/// | `items(max_length = 5)`, `values(minimum = 1)` | lists, maps | the same keys for the items of a list and the values of a map, also in each other |
/// | `keywords = r#"{"oneOf": […]}"#` | all | other keywords of JSON Schema, as JSON |
/// | `schema = r#"{"type": "string"}"#` | all | the whole schema, as JSON, instead of the one that follows from the type |
///
/// `#[object(…)]` on a struct or an enum of objects specifies what concerns its objects as a whole, wherever they are:
/// `cel`, `min_properties`, `max_properties`, `title`, `example`, `keywords` and `schema`.
///
/// # Descriptions
///
/// Doc comments of structs, enums of objects, fields and variants with a value are descriptions in schemas. Lines,
/// empty ones and code blocks stay as they are written. Types that the generator has written have no descriptions,
/// although they have doc comments: those begin with the version and the name, `` `apps/v1` Deployment, since 1.9. ``
///
/// # Types of other crates
///
/// A type of another crate that is a text in JSON is a leaf: a struct around the `Leaf<_>` of hubgen-machinery, with
/// `#[leaf(text, expects = "an absolute URL", examples("https://example.com"))]`. The type implements `Clone`,
/// `Display` and `FromStr`. `expects` is for errors, and of the examples tests make objects. `other` keeps texts that
/// the type does not accept; without it they are errors. `format`, `pattern`, `min_length`, `max_length`, `cel`,
/// `title` and `keywords` mean the same as for fields.
///
/// # Older versions
///
/// These attributes are for `hubgen generate`, which converts between the versions of a kind. They are written at the
/// newest version, except `removed`, `dropped` and
/// `empty_is_absent`.
///
/// | attribute | meaning |
/// | --- | --- |
/// | `#[field(renamed(v1alpha1 = "oldName"))]` | the JSON name that the field has in an older version |
/// | `#[field(added)]` | one or more older versions do not have the field: they keep it in an annotation |
/// | `#[field(removed)]` | at an older version: the newest one does not have the field, and keeps it in an annotation |
/// | `#[field(dropped)]` | at an older version: the newest one does not have the field, and what it contains is lost |
/// | `#[field(empty_is_absent)]` | at an older version: the empty value of an optional field is the same as none |
/// | `#[from(v1alpha1, moved("spec.a" => "spec.b.c"))]` | on a kind: the field is in another object; first the path in the older version |
/// | `#[from(v1alpha1, words("spec.a" => "spec.b", "rsa" = "RSA"))]` | the field has other words; list all |
/// | `#[from(v1alpha1, function("crate::days", "spec.days: i32" => "spec.duration: Str"))]` | functions of your own, `to_hub` and `from_hub` in this module, convert the field, or refuse the object. Several fields on a side are several parameters or results; `reads("metadata.name: Str")` at the end adds the object's metadata |
/// | `#[from(v1alpha1, not_convertible = "why")]` | the version is another API with the same name |
///
/// # Unknown fields
///
/// Fields in JSON that a struct does not have are dropped, and decoding lists their paths. With
/// `#[unknown(refuse)]` on the struct, they are errors. A last field `#[field(rest)] rest: StrMap<Raw>`
/// keeps them, and they are written after the other fields, in the order of their names. A program
/// must not put a name there that a field of the struct has: such an object has no JSON. Protobuf cannot
/// contain the rest, so that the fields of such a struct have no numbers.
///
/// # Views
///
/// A struct with `#[view(core::v1::Pod)]` has some fields of the type that the attribute names, the whole. Its fields
/// have the names in Rust of those of the whole, in any order, and their types or views of them, in the same `Option`,
/// list or map. The compiler checks this. Decoding skips all other fields, without a note and without an allocation. A
/// view is no kind, and no field of a type that is no view.
///
/// # Under another name
///
/// A crate that has `hubgen-machinery` only under another name, or through another crate, writes its path on each type:
/// `#[api(crate = "hubgen_kubernetes::machinery")]`. Code of `hubgen generate` needs `hubgen-machinery` itself.
///
/// # Protobuf
///
/// A type supports protobuf if its fields, and those of all types in it, have numbers. A type
/// without numbers supports only JSON and YAML, and a server stores its kinds as JSON.
///
/// A number must never change, and the number of a removed field must not be used again. Numbers
/// are 1 to 536870911, except 19000 to 19999, which protobuf reserves. If some fields of a type have
/// a number, the others need one or `number = none`. A kind with a `number = none` field is stored
/// as JSON, because protobuf would lose the field.
///
/// Protobuf does not distinguish an empty list or map from an absent one: an `Option` of an empty
/// one is `None` after decoding.
#[proc_macro_derive(
    ApiType,
    attributes(api, field, flattened, object, kind, from, leaf, unknown, view, default)
)]
pub fn api_type(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    hubgen_derive_core::api_type(&input).into()
}
