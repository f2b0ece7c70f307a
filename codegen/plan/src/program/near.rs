//! Names that somebody may have meant.

use std::cmp::Reverse;

/// How many names an error lists.
const LISTED: usize = 5;

/// The names that have most words of a name, in this order; with none of them, the first names.
pub(super) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = words(name);
    let shared = |other: &str| words(other).iter().filter(|word| wanted.contains(word)).count();
    let mut all: Vec<(Reverse<usize>, &str)> = names.map(|other| (Reverse(shared(other)), other)).collect();
    all.sort_unstable();
    let has_near = all.first().is_some_and(|(Reverse(count), _)| *count > 0);
    let listed = all.into_iter().filter(|(Reverse(count), _)| *count > 0 || !has_near);
    listed.take(LISTED).map(|(_, other)| other).collect()
}

/// The words of a name, each of which begins with a capital letter.
fn words(name: &str) -> Vec<&str> {
    let starts: Vec<usize> =
        name.char_indices().filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    starts.iter().zip(ends).map(|(start, end)| &name[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_the_same_words_come_first() {
        let names = ["AssignmentSpec", "Box", "StatusTopologyAssignment", "Topology"];
        let found = near("TopologyAssignment", names.into_iter());
        assert_eq!(found, ["StatusTopologyAssignment", "AssignmentSpec", "Topology"]);
        assert_eq!(near("Crate", names.into_iter().take(2)), ["AssignmentSpec", "Box"]);
    }
}
