//! The types that functions convert. They are named as `hubgen generate` names them.

/// The parts of v1beta1 that functions convert.
pub mod v1beta1 {
    use hubgen_machinery::{ApiType, Str};

    #[derive(ApiType)]
    pub struct WorkloadDomain {
        #[field(required)]
        pub count: i32,
        #[field(required)]
        pub values: Vec<Str>,
    }
}

/// The parts of v1beta2 that functions convert.
pub mod v1beta2 {
    use hubgen_machinery::{ApiType, Str};

    #[derive(ApiType)]
    pub struct WorkloadSlice {
        #[field(required)]
        pub domain_count: i32,
        #[field(required)]
        pub pod_counts: WorkloadPodCounts,
        #[field(required)]
        pub values_per_level: Vec<WorkloadValuesPerLevel>,
    }

    #[derive(ApiType)]
    pub struct WorkloadPodCounts {
        pub individual: Option<Vec<i32>>,
        pub universal: Option<i32>,
    }

    #[derive(ApiType)]
    pub struct WorkloadValuesPerLevel {
        pub individual: Option<WorkloadIndividual>,
        pub universal: Option<Str>,
    }

    #[derive(ApiType)]
    pub struct WorkloadIndividual {
        pub prefix: Option<Str>,
        #[field(required)]
        pub roots: Vec<Str>,
        pub suffix: Option<Str>,
    }
}
