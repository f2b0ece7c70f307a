//! A kind whose derive has a definition of one version, which the generated definition with both replaces.

#![allow(unreachable_pub, reason = "this is the module of a library")]

pub mod generated;

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Note", namespaced, storage)]
    pub struct Note {
        pub metadata: ObjectMeta,
        pub text: Str,
        pub fingerprint: Option<Fingerprint>,
        #[field(default = "4294967295")]
        pub count: Option<u32>,
        pub sizes: Vec<u64>,
        pub ratio: f32,
        #[field(added)]
        pub small: u16,
        #[field(added)]
        pub ratios: Vec<f32>,
        /// A keyword of Rust.
        #[field(one_of("plain", "rich"))]
        pub r#type: Option<Str>,
        #[field(renamed(v1beta1 = "loop"))]
        pub r#gen: Option<Str>,
    }

    /// Named like a trait that generated code uses.
    #[derive(ApiType)]
    pub struct Fingerprint {
        pub text: Str,
    }

    /// What a program reads of notes. It is no part of the API, and the generator passes over it.
    #[derive(ApiType)]
    #[view(Note)]
    #[expect(dead_code, reason = "the test only compiles it")]
    pub struct NoteView {
        pub text: Str,
    }

    /// With one version, and a name in Rust that is not the kind.
    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Page", storage)]
    pub struct Sheet {
        pub metadata: ObjectMeta,
    }
}

pub mod v1beta1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    use super::v1::Fingerprint;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1beta1", kind = "Note")]
    pub struct Note {
        pub metadata: ObjectMeta,
        pub text: Str,
        pub fingerprint: Option<Fingerprint>,
        pub count: Option<u32>,
        pub sizes: Vec<u64>,
        pub ratio: f32,
        #[field(removed)]
        pub old: Option<u32>,
        #[field(one_of("plain", "rich"))]
        pub r#type: Option<Str>,
        pub r#loop: Option<Str>,
    }
}
