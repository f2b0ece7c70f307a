//! Words that rules, defaults and their functions look for, and that chance
//! would not hit.

/// The kinds that a word is for (all, if none), the field that holds it or
/// whose keys it is one of, and the word.
type Word = (&'static [&'static str], &'static str, &'static str);

const WORDS: &[Word] = &[
    (&[], "name", "cpu"),
    (&[], "image", "nginx"),
    (&[], "image", "nginx:1.2"),
    (&[], "image", "nginx:latest"),
    (&[], "image", "registry:5000/a/b"),
    (&["HorizontalPodAutoscaler"], "type", "Resource"),
    (&["HorizontalPodAutoscaler"], "type", "Utilization"),
    (&["HorizontalPodAutoscaler"], "type", "AverageValue"),
    (&["HorizontalPodAutoscaler"], "subresource", "scale"),
];

/// The words for objects of a kind, by the field that holds them.
pub fn of(kind: &str) -> Vec<(&'static str, &'static str)> {
    let fits = |(kinds, _, _): &&Word| kinds.is_empty() || kinds.contains(&kind);
    WORDS.iter().filter(fits).map(|(_, field, word)| (*field, *word)).collect()
}
