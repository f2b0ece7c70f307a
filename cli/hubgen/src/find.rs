//! Finds the kinds that a name means.

use std::collections::BTreeMap;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_terminal::Diagnostic;

/// How many similar names an error lists.
const SIMILAR: usize = 5;

/// The versions of a kind, in the order of its family.
pub type Versions<'a> = Vec<&'a Arc<KindEntry>>;

/// No kind has a group; the help names the one that is meant, if that is clear.
pub fn no_group<'a>(wanted: &str, mut groups: impl Iterator<Item = &'a str>) -> Diagnostic {
    let help = groups.find(|group| group.split('.').next() == Some(wanted)).map_or_else(
        || "`kubectl api-resources` lists groups; `core` is that of Pods".to_owned(),
        |near| format!("write {near}"),
    );
    Diagnostic::message(format!("there is no group {wanted}"), help)
}

/// The kinds that a name means, sorted by group: `Deployment`, `deployments`, `deploy`, `deployments.apps`.
///
/// # Errors
/// If there is none; the help lists similar names.
pub fn kinds<'a>(scheme: &'a Scheme, name: &str) -> Result<Vec<Versions<'a>>, Diagnostic> {
    let (name, group) = name.split_once('.').map_or((name, None), |(name, group)| (name, Some(group)));
    let is_meant = |entry: &&Arc<KindEntry>| {
        names(entry).any(|known| known.eq_ignore_ascii_case(name))
            && group.is_none_or(|group| entry.group == group || entry.group.is_empty() && group == "core")
    };
    let mut found: BTreeMap<(&str, &str), Versions<'a>> = BTreeMap::new();
    for entry in scheme.kinds().filter(is_meant) {
        let (group, _, kind) = entry.storage();
        found.entry((group, kind)).or_insert_with(|| match &entry.family {
            Some(family) => scheme.family(family).collect(),
            None => vec![entry],
        });
    }
    if found.is_empty() {
        return Err(unknown(scheme, name, group));
    }
    Ok(found.into_values().collect())
}

/// All names of a kind.
fn names(entry: &KindEntry) -> impl Iterator<Item = &str> {
    let resource = entry.resource.iter();
    let of_resource = resource.flat_map(|resource| {
        [&*resource.plural, &*resource.singular].into_iter().chain(resource.short_names.iter())
    });
    std::iter::once(&*entry.kind).chain(of_resource)
}

fn unknown(scheme: &Scheme, name: &str, group: Option<&str>) -> Diagnostic {
    let in_group = |group: &str| format!("no kind of the group `{group}` is called `{name}`");
    let message = group.map_or_else(|| format!("no kind is called `{name}`"), in_group);
    let wanted = name.to_lowercase();
    let mut similar: Vec<(usize, String)> = Vec::new();
    for entry in scheme.kinds().filter(|entry| entry.resource.is_some()) {
        let distance = names(entry).map(|known| distance(&wanted, &known.to_lowercase())).min();
        let (home, _, kind) = entry.storage();
        let shown = if home.is_empty() { kind.to_owned() } else { format!("{kind}.{home}") };
        // A third of the letters may differ.
        if let Some(distance) = distance.filter(|distance| *distance <= wanted.chars().count().div_ceil(3))
            && !similar.iter().any(|(_, known)| *known == shown)
        {
            similar.push((distance, shown));
        }
    }
    similar.sort();
    let similar: Vec<String> = similar.into_iter().take(SIMILAR).map(|(_, name)| name).collect();
    let help = if similar.is_empty() {
        "write its name, such as Deployment, its plural or its short name".to_owned()
    } else {
        format!("similar names are {}", similar.join(", "))
    };
    Diagnostic::message(message, help)
}

/// How many letters have to be added, removed or replaced to make one word of another.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Result<Vec<String>, String> {
        let scheme = hubgen_kubernetes::scheme();
        let kinds = kinds(&scheme, name).map_err(|error| format!("{}; {}", error.message, error.help))?;
        Ok(kinds
            .iter()
            .map(|versions| versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            .collect())
    }

    #[test]
    fn kinds_are_found_by_any_of_their_names() {
        let deployment = "extensions/v1beta1 Deployment, apps/v1beta1 Deployment, apps/v1beta2 Deployment, apps/v1 Deployment";
        for name in
            ["Deployment", "deployment", "deployments", "deploy", "Deployment.apps", "deploy.extensions"]
        {
            assert_eq!(found(name), Ok(vec![deployment.to_owned()]), "{name}");
        }
        assert_eq!(found("po"), Ok(vec!["v1 Pod".to_owned()]));
        assert_eq!(found("pods.core"), Ok(vec!["v1 Pod".to_owned()]));
    }

    #[test]
    fn similar_names_help() {
        let error = found("Deploymnet").unwrap_err();
        assert_eq!(error, "no kind is called `Deploymnet`; similar names are Deployment.apps");
        let error = found("Pod.apps").unwrap_err();
        assert!(
            error.starts_with("no kind of the group `apps` is called `Pod`; similar names are Pod"),
            "{error}"
        );
        let error = found("unheard-of-by-anybody").unwrap_err();
        assert!(
            error.ends_with("write its name, such as Deployment, its plural or its short name"),
            "{error}"
        );
    }

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in
            [("", "abc", 3), ("pod", "pods", 1), ("kitten", "sitting", 3), ("same", "same", 0)]
        {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }
}
