//! What changes a fingerprint, and what does not.

use std::collections::HashMap;

use syn::{DeriveInput, parse_quote};

use super::*;

fn of(item: DeriveInput) -> u64 {
    fingerprint(&ApiType::parse(&item).unwrap())
}

/// The number is that of another program for `struct`, `Part`, `field`, `name`, `name` and `Str`, each with the
/// byte 255 after it.
#[test]
fn it_is_the_same_everywhere() {
    let part: DeriveInput = parse_quote!(
        struct Part {
            name: Str,
        }
    );
    assert_eq!(of(part), 4_788_826_657_439_056_660);
}

#[test]
fn everything_that_the_derive_understands_changes_it() {
    let items: Vec<DeriveInput> = vec![
        parse_quote!(
            struct A {
                #[field(added)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(removed)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(dropped)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(empty_is_absent)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(renamed(v1 = "b"))]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(renamed(v2 = "b"))]
                a: Str,
            }
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, moved("a" => "b"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, words("a" => "b"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, words("a" => "b", "x" = "y"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "b", text))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "b", percent))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "b", duration = "s"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "b", duration = "m"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "b", quantity = "m"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, number("a" => "c", text))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, keyed("a" => "b", key = "c"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, keyed("a" => "b", key = "d"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, keyed("a" => "b", key = "c", value = "d"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", ["c"] => [true]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", ["c"] => [false]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", ["c"] => ["true"]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", ["c"] => [["true"]]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", ["c"] => [["true", "..."]]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, table("a" => "b", "c", ["c"] => [-1, 1]))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, function("a", "b: Str" => "c: Str"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, function("a", "b: Str" => "c: Str", "d: Str"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, function("a", "b: Str" => "c: Str", reads("metadata.name: Str")))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, function("a", "b: Str", "c: Str" => "d: Str"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            #[from(v1, not_convertible = "x")]
            struct A {}
        ),
        parse_quote!(
            #[leaf(text, expects = "b", examples("c"))]
            struct A(Leaf<B>);
        ),
        parse_quote!(
            #[leaf(text, other, expects = "b", examples("c"))]
            struct A(Leaf<B>);
        ),
        parse_quote!(
            #[leaf(text, format = "d", expects = "b", examples("c"))]
            struct A(Leaf<B>);
        ),
        parse_quote!(
            struct A {}
        ),
        parse_quote!(
            struct B {}
        ),
        parse_quote!(
            struct A {
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                b: Str,
            }
        ),
        parse_quote!(
            struct A {
                a: String,
            }
        ),
        parse_quote!(
            struct A {
                a: Option<Str>,
            }
        ),
        parse_quote!(
            struct A {
                a: Vec<Str>,
            }
        ),
        parse_quote!(
            struct A {
                a: Vec<Vec<Str>>,
            }
        ),
        parse_quote!(
            struct A {
                a: my::Str,
            }
        ),
        parse_quote!(
            struct A {
                a: ::my::Str,
            }
        ),
        parse_quote!(
            struct A {
                a: Str,
                b: Str,
            }
        ),
        parse_quote!(
            struct A {
                b: Str,
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(name = "b")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(number = 1)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(number = 2)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(number = none)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(omit = never)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(omit = zero)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(omit = empty)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(omit = exact)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(value)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(required)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(default = "1")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(default = "2")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(one_of)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(one_of("x"))]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(list = set)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(list = atomic)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(list = map("x"))]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(atomic)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(patch = "merge")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(merge_key = "x")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(since = "1.0")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(until = "1.0")]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(rest)]
                a: Str,
            }
        ),
        parse_quote!(
            struct A {
                #[field(minimum = 1)]
                a: i32,
            }
        ),
        parse_quote!(
            struct A {
                #[field(minimum = 2)]
                a: i32,
            }
        ),
        parse_quote!(
            struct A {
                #[field(exclusive_minimum = 1)]
                a: i32,
            }
        ),
        parse_quote!(
            struct A {
                #[field(items(maximum = 1))]
                a: Vec<i64>,
            }
        ),
        parse_quote!(
            #[object(cel("a"))]
            struct A {}
        ),
        parse_quote!(
            #[object(cel("b"))]
            struct A {}
        ),
        parse_quote!(
            #[object(max_properties = 1)]
            enum A {
                X(Str),
                Y(Str),
            }
        ),
        parse_quote!(
            #[unknown(refuse)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v2", kind = "A")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "B")]
            struct A {}
        ),
        parse_quote!(
            #[kind(group = "a", version = "v1", kind = "A")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", plural = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", singular = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", list = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", short = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", category = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", may_be_invalid = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", namespaced)]
            struct A {}
        ),
        parse_quote!(
            #[kind(group = "g", version = "v1", kind = "A", storage)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", served = false)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", deprecated)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", deprecated = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", status)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", scale(spec = "x", status = "y"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", scale(spec = "x", status = "y", selector = "z"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", column("x" => "y"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", column("x" => "y", type = "date"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", column("x" => "y", format = "date"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", column("x" => "y", description = "date"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", column("x" => "y", priority = 1))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", selectable = "x")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", label("x", "y"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", annotation("x", "y"))]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", conversion = "{}")]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", preserve_unknown_fields = false)]
            struct A {}
        ),
        parse_quote!(
            #[kind(version = "v1", kind = "A", preserve_unknown_fields = true)]
            struct A {}
        ),
        parse_quote!(
            enum A {
                X,
                Y,
            }
        ),
        parse_quote!(
            enum A {
                Y,
                X,
            }
        ),
        parse_quote!(
            enum A {
                X,
                #[default]
                Y,
            }
        ),
        parse_quote!(
            enum A {
                X,
                #[field(name = "y")]
                Y,
            }
        ),
        parse_quote!(
            enum A {
                X,
                #[field(other)]
                Y(Str),
            }
        ),
        parse_quote!(
            enum A {
                X(Str),
                Y(Str),
            }
        ),
        parse_quote!(
            enum A {
                X(Str),
                #[default]
                Y(Str),
            }
        ),
    ];
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (at, item) in items.into_iter().enumerate() {
        assert_eq!(seen.insert(of(item), at), None, "item {at}");
    }
}
