//! The types that functions convert. They are named as `hubgen generate` names them.

/// The parts of v1beta1 that functions convert.
pub mod v1beta1 {
    use hubgen_machinery::json::Raw;
    use hubgen_machinery::{ApiType, Str};

    #[derive(ApiType)]
    pub struct ResolutionRequestParam {
        #[field(required)]
        pub name: Str,
        #[field(required)]
        pub value: Raw,
    }
}
