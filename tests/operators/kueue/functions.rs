//! The functions that the rules name.

use hubgen_machinery::convert::Functions;

/// All of them.
pub fn all() -> Functions {
    Functions::none().with("crate::topology", topology::to_hub, topology::from_hub)
}

/// v1beta1 lists every domain with its values and its count. v1beta2 writes once what all domains have in common.
pub(crate) mod topology {
    use hubgen_machinery::Str;

    use super::super::types::v1beta1::WorkloadDomain;
    use super::super::types::v1beta2::{
        WorkloadIndividual, WorkloadPodCounts, WorkloadSlice, WorkloadValuesPerLevel,
    };

    /// Converts to the hub: a slice of all domains. Domains with another number of values than the one before, which no
    /// server accepts, begin another slice, so that no value is lost.
    pub(crate) fn to_hub(domains: Vec<WorkloadDomain>) -> Vec<WorkloadSlice> {
        domains.chunk_by(|one, other| one.values.len() == other.values.len()).map(slice).collect()
    }

    fn slice(domains: &[WorkloadDomain]) -> WorkloadSlice {
        let values = |level: usize| domains.iter().map(|domain| &*domain.values[level]).collect::<Vec<_>>();
        let first = &domains[0];
        let counts = match domains.iter().all(|domain| domain.count == first.count) {
            true => WorkloadPodCounts { universal: Some(first.count), individual: None },
            false => WorkloadPodCounts {
                universal: None,
                individual: Some(domains.iter().map(|domain| domain.count).collect()),
            },
        };
        WorkloadSlice {
            domain_count: domains.len().try_into().unwrap_or(i32::MAX),
            pod_counts: counts,
            values_per_level: (0..first.values.len()).map(|level| compressed(&values(level))).collect(),
        }
    }

    /// The values of a level, with their common beginning and end written once.
    fn compressed(values: &[&str]) -> WorkloadValuesPerLevel {
        let first = values[0];
        if values.iter().all(|value| *value == first) {
            return WorkloadValuesPerLevel { universal: Some(first.into()), individual: None };
        }
        let prefix = values.iter().fold(first, |prefix, value| {
            let pairs = prefix.char_indices().zip(value.chars());
            let end = pairs.take_while(|((_, one), other)| one == other).last();
            end.map_or("", |((at, letter), _)| &prefix[..at + letter.len_utf8()])
        });
        let suffix = values.iter().fold(first, |suffix, value| {
            let pairs = suffix.char_indices().rev().zip(value.chars().rev());
            let start = pairs.take_while(|((_, one), other)| one == other).last();
            start.map_or("", |((at, _), _)| &suffix[at..])
        });
        // Both must fit into the shortest value: of `aba` and `ababa`, the suffix is `aba`, and there is no prefix.
        let shortest = values.iter().map(|value| value.len()).min().unwrap_or_default();
        let prefix = &prefix[..prefix.floor_char_boundary(shortest.saturating_sub(suffix.len()))];
        let root = |value: &&str| value[prefix.len()..value.len() - suffix.len()].into();
        let individual = WorkloadIndividual {
            prefix: (!prefix.is_empty()).then(|| prefix.into()),
            roots: values.iter().map(root).collect(),
            suffix: (!suffix.is_empty()).then(|| suffix.into()),
        };
        WorkloadValuesPerLevel { universal: None, individual: Some(individual) }
    }

    /// More domains than any cluster has, in a slice that has no more of them than how many there are.
    const TOO_MANY: usize = 100_000;

    /// Converts from the hub.
    pub(crate) fn from_hub(slices: Vec<WorkloadSlice>) -> Result<Vec<WorkloadDomain>, String> {
        let mut out = Vec::new();
        for slice in &slices {
            let domains = count(slice);
            if domains > TOO_MANY {
                return Err(format!("{domains} domains with the same values"));
            }
            out.extend((0..domains).map(|at| domain(slice, at)));
        }
        Ok(out)
    }

    /// How many domains a slice has. It may say more than it lists, which no server accepts.
    fn count(slice: &WorkloadSlice) -> usize {
        let counts = slice.pod_counts.individual.as_ref().map(Vec::len);
        let roots = |level: &WorkloadValuesPerLevel| match (&level.universal, &level.individual) {
            (None, Some(individual)) => Some(individual.roots.len()),
            _ => None,
        };
        let listed = slice.values_per_level.iter().filter_map(roots);
        let counts = counts.filter(|_| slice.pod_counts.universal.is_none());
        let stated = slice.domain_count.try_into().unwrap_or_default();
        listed.chain(counts).fold(stated, usize::min)
    }

    fn domain(slice: &WorkloadSlice, at: usize) -> WorkloadDomain {
        let value = |level: &WorkloadValuesPerLevel| match (&level.universal, &level.individual) {
            (Some(universal), _) => universal.clone(),
            (None, Some(WorkloadIndividual { prefix, roots, suffix })) => {
                let part = |part: &Option<Str>| part.clone().unwrap_or_default();
                format!("{}{}{}", part(prefix), roots[at], part(suffix)).into()
            }
            (None, None) => Str::new(),
        };
        let counts = &slice.pod_counts;
        let individual = || counts.individual.as_ref().map_or(0, |counts| counts[at]);
        WorkloadDomain {
            count: counts.universal.unwrap_or_else(individual),
            values: slice.values_per_level.iter().map(value).collect(),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn domain(count: i32, values: &[&str]) -> WorkloadDomain {
            WorkloadDomain { count, values: values.iter().map(|value| (*value).into()).collect() }
        }

        fn individual(prefix: Option<&str>, roots: &[&str], suffix: Option<&str>) -> WorkloadValuesPerLevel {
            let individual = WorkloadIndividual {
                prefix: prefix.map(Str::from),
                roots: roots.iter().map(|root| (*root).into()).collect(),
                suffix: suffix.map(Str::from),
            };
            WorkloadValuesPerLevel { universal: None, individual: Some(individual) }
        }

        #[test]
        fn what_values_have_in_common_is_written_once() {
            assert_eq!(
                compressed(&["b-1.local", "b-22.local"]),
                individual(Some("b-"), &["1", "22"], Some(".local"))
            );
            assert_eq!(compressed(&["ababa", "aba"]), individual(None, &["ab", ""], Some("aba")));
            assert_eq!(compressed(&["a", "b"]), individual(None, &["a", "b"], None));
            // é and è begin with the same byte, and © and é end with it.
            assert_eq!(compressed(&["é", "è"]), individual(None, &["é", "è"], None));
            assert_eq!(compressed(&["é", "©"]), individual(None, &["é", "©"], None));
            assert_eq!(compressed(&["x", "x"]).universal.unwrap(), "x");
        }

        #[test]
        fn all_domains_come_back() {
            for domains in [
                vec![],
                vec![domain(1, &["a", "x-1"])],
                vec![domain(1, &["a", "x-1"]), domain(1, &["a", "x-2"]), domain(3, &["b", "x-3"])],
                vec![domain(1, &["a"]), domain(1, &[]), domain(1, &["a", "b"])],
            ] {
                assert_eq!(from_hub(to_hub(domains.clone())).unwrap(), domains);
            }
        }

        #[test]
        fn a_slice_that_says_more_than_it_lists_has_what_it_lists() {
            let mut slices = to_hub(vec![domain(1, &["a"]), domain(2, &["b"])]);
            slices[0].domain_count = i32::MAX;
            assert_eq!(from_hub(slices.clone()).unwrap().len(), 2);
            slices[0].values_per_level = Vec::new();
            slices[0].pod_counts = WorkloadPodCounts { universal: Some(1), individual: None };
            from_hub(slices.clone()).unwrap_err();
            slices[0].domain_count = -1;
            assert_eq!(from_hub(slices).unwrap(), []);
        }
    }
}
