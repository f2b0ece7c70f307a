//! Enums whose words another version does not have.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub speed: Option<Speed>,
        pub color: Option<Color>,
        pub size: Option<Size>,
        pub shape: Option<Str>,
    }

    // One more than in `v1alpha1`, which has no place for it.
    #[derive(ApiType)]
    pub enum Speed {
        Slow,
        Fast,
        Faster,
    }

    // Other words, which text can contain.
    #[derive(ApiType)]
    pub enum Color {
        Red,
        #[field(other)]
        Other(Str),
    }

    #[derive(ApiType)]
    pub enum Size {
        Small,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Worker")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub speed: Option<Speed>,
        pub color: Option<Color>,
        pub size: Option<Str>,
        pub shape: Option<Shape>,
    }

    #[derive(ApiType)]
    pub enum Speed {
        Slow,
        Fast,
    }

    #[derive(ApiType)]
    pub enum Color {
        Red,
    }

    #[derive(ApiType)]
    pub enum Shape {
        Round,
    }
}
