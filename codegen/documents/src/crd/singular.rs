//! The singular of English nouns, for the names of items.

/// Nouns that end in `s` in the singular, beyond those in `ss`, `us` and `is`.
const UNCHANGED: [&str; 6] = ["dns", "tls", "https", "aws", "kms", "series"];

/// Nouns that end in `che` in the singular, unlike `match` and `patch`.
const CHE: [&str; 2] = ["caches", "niches"];

/// The singular of a noun in any case: `Solvers` is `Solver`, `policies` is `policy`. A noun that is
/// singular stays as it is.
pub(super) fn singular(noun: &str) -> &str {
    let lower = noun.to_lowercase();
    let without = |count: usize| &noun[..noun.len() - count];
    let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
    if lower.len() != noun.len() || lower.len() < 4 || UNCHANGED.contains(&lower.as_str()) {
        return noun;
    }
    if !lower.ends_with('s') || ends(&["ss", "us", "is"]) {
        return noun;
    }
    if ends(&["sses", "shes", "xes", "zzes", "tuses", "iases"])
        || (ends(&["ches"]) && !CHE.contains(&lower.as_str()))
    {
        return without(2);
    }
    without(1)
}

/// The singular of the last word of a name.
pub(super) fn of_name(name: &str) -> String {
    // An abbreviation, such as `SANs`.
    if let Some(before) = name.strip_suffix('s')
        && before.ends_with(|c: char| c.is_ascii_uppercase())
    {
        return before.to_owned();
    }
    let start = name
        .char_indices()
        .rev()
        .find(|(at, c)| {
            c.is_ascii_uppercase() && name[at + 1..].starts_with(|next: char| next.is_ascii_lowercase())
        })
        .map_or(0, |(at, _)| at);
    let (before, word) = name.split_at(start);
    let lower = word.to_lowercase();
    if lower.len() == word.len() && lower.len() > 4 && lower.ends_with("ies") && lower != "series" {
        return format!("{before}{}y", &word[..word.len() - 3]);
    }
    format!("{before}{}", singular(word))
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn plurals_lose_their_ending_and_singulars_keep_it() {
        for (plural, expected) in [
            ("Solvers", "Solver"),
            ("NetworkPolicies", "NetworkPolicy"),
            ("Addresses", "Address"),
            ("Matches", "Match"),
            ("Caches", "Cache"),
            ("Databases", "Database"),
            ("Prefixes", "Prefix"),
            ("Status", "Status"),
            ("Statuses", "Status"),
            ("Ingress", "Ingress"),
            ("DNS", "DNS"),
            ("EmailSANs", "EmailSAN"),
            ("TLS", "TLS"),
            ("Keys", "Key"),
            ("Redis", "Redis"),
            ("HostAliases", "HostAlias"),
            ("Ties", "Tie"),
            ("Data", "Data"),
        ] {
            assert_eq!(of_name(plural), expected, "{plural}");
        }
    }
}
