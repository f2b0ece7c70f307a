//! Types with `String` and `BTreeMap`, whose hub is a type of its own.

#![allow(unreachable_pub, reason = "this is the module of a library")]

pub mod generated;

pub mod v1 {
    use std::collections::BTreeMap;

    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Book", namespaced, storage)]
    #[from(v1alpha1, words("spec.format" => "spec.form", "pb" = "Paperback", "hc" = "Hardcover"))]
    #[from(v1alpha1, moved("spec.writer" => "spec.author.name"))]
    pub struct Book {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub spec: BookSpec,
    }

    #[derive(ApiType)]
    pub struct BookSpec {
        #[field(required, renamed(v1alpha1 = "name"))]
        pub title: String,
        pub subtitle: Option<String>,
        pub note: Option<Option<String>>,
        pub form: Option<String>,
        pub author: Option<Author>,
        pub keywords: Vec<String>,
        pub tags: Option<Vec<String>>,
        pub labels: BTreeMap<String, String>,
        pub lists: BTreeMap<String, Vec<String>>,
        pub rows: Vec<BTreeMap<String, i32>>,
        pub chapters: BTreeMap<String, Chapter>,
        pub parts: Vec<Chapter>,
        // Not all texts are the same.
        pub plain: Str,
        #[field(added)]
        pub pages: Option<i32>,
        #[field(added)]
        pub language: Option<String>,
    }

    #[derive(ApiType)]
    pub struct Author {
        pub name: String,
    }

    #[derive(ApiType)]
    pub struct Chapter {
        #[field(renamed(v1alpha1 = "title"))]
        pub heading: String,
        pub notes: BTreeMap<String, String>,
    }
}

pub mod v1alpha1 {
    use std::collections::BTreeMap;

    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Book", namespaced)]
    pub struct Book {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub spec: BookSpec,
    }

    #[derive(ApiType)]
    pub struct BookSpec {
        #[field(required)]
        pub name: String,
        pub subtitle: Option<String>,
        pub note: Option<Option<String>>,
        pub format: Option<String>,
        pub writer: Option<String>,
        pub keywords: Vec<String>,
        pub tags: Option<Vec<String>>,
        pub labels: BTreeMap<String, String>,
        pub lists: BTreeMap<String, Vec<String>>,
        pub rows: Vec<BTreeMap<String, i32>>,
        pub chapters: BTreeMap<String, Chapter>,
        pub parts: Vec<Chapter>,
        pub plain: Str,
        #[field(removed)]
        pub shelf: Option<String>,
        #[field(removed)]
        pub places: BTreeMap<String, String>,
    }

    #[derive(ApiType)]
    pub struct Chapter {
        pub title: String,
        pub notes: BTreeMap<String, String>,
    }
}
