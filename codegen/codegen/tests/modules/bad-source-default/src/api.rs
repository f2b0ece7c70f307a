pub mod v1 {
    use hubgen_machinery::{ApiType, IntOrString, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    pub struct Worker {
        pub metadata: ObjectMeta,
        #[field(default = "ten")]
        pub name: Option<Str>,
        #[field(default = "10")]
        pub text: Option<Str>,
        #[field(default = "10%")]
        pub share: Option<IntOrString>,
        #[field(default = "ten")]
        pub size: Option<i32>,
        #[field(default = "[ten]")]
        pub names: Vec<Str>,
    }
}
