//! The types that functions convert. They are named as `hubgen generate` names them.

/// The parts of v1beta1 that functions convert.
pub mod v1beta1 {
    use hubgen_machinery::{ApiType, Str, StrMap};

    #[derive(ApiType)]
    pub struct EC2NodeClassAmiSelectorTerm {
        pub id: Option<Str>,
        pub name: Option<Str>,
        pub owner: Option<Str>,
        pub tags: Option<StrMap<Str>>,
    }
}

/// The parts of v1 that functions convert.
pub mod v1 {
    use hubgen_machinery::json::Raw;
    use hubgen_machinery::{ApiType, Str, StrMap};

    #[derive(ApiType)]
    pub struct EC2NodeClassAmiSelectorTerm {
        pub alias: Option<Str>,
        pub id: Option<Str>,
        pub name: Option<Str>,
        pub owner: Option<Str>,
        pub tags: Option<StrMap<Str>>,
    }

    #[derive(ApiType)]
    pub struct EC2NodeClassBlockDeviceMapping {
        pub device_name: Option<Str>,
        pub ebs: Option<Raw>,
        pub root_volume: Option<bool>,
    }
}
