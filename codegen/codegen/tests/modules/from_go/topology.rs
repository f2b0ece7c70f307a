//! Domains of a topology, with those that follow each other and are equal counted once.

use crate::api::jobs::{v1, v1alpha1};

pub(crate) fn to_hub(domains: Vec<v1alpha1::Domain>) -> Vec<v1::Slice> {
    let mut slices: Vec<v1::Slice> = Vec::new();
    for domain in domains {
        let value = domain.values.join("/");
        match slices.last_mut() {
            Some(last) if *last.value == *value => last.count += 1,
            _ => slices.push(v1::Slice { value: value.into(), count: 1 }),
        }
    }
    slices
}

pub(crate) fn from_hub(slices: Vec<v1::Slice>) -> Vec<v1alpha1::Domain> {
    let domain = |slice: v1::Slice| {
        let values = slice.value.split('/').map(Into::into).collect();
        vec![v1alpha1::Domain { values }; usize::try_from(slice.count).unwrap_or_default().min(1000)]
    };
    slices.into_iter().flat_map(domain).collect()
}
