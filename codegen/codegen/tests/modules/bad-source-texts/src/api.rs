//! Fields with `String` or `BTreeMap` in one version, and other types in the other.

pub mod v1 {
    use std::collections::BTreeMap;

    use hubgen_machinery::{ApiType, Str, StrMap};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Book", storage)]
    pub struct Book {
        pub metadata: ObjectMeta,
        pub title: String,
        #[field(renamed(v1alpha1 = "names"))]
        pub authors: Vec<Str>,
        pub labels: BTreeMap<String, Str>,
        pub form: String,
        pub same: StrMap<String>,
        #[field(added)]
        pub pages: Option<i32>,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str, StrMap};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Book")]
    pub struct Book {
        pub metadata: ObjectMeta,
        pub title: Str,
        pub names: Vec<String>,
        pub labels: StrMap<Str>,
        pub form: Form,
        pub same: StrMap<String>,
        #[field(removed)]
        pub shelf: Option<String>,
    }

    #[derive(ApiType)]
    pub enum Form {
        Paperback,
        #[field(other)]
        Other(Str),
    }
}
