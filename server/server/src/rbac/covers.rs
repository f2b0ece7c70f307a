//! Whether the rules that a user has cover others, and which permissions they lack.
//!
//! Rules are compared one permission at a time: a verb on a resource of a group, perhaps for one name, or a verb on a path.
//! A small body can stand for very many of them, so they are counted before they are compared.

use std::collections::{BTreeSet, HashMap};

use hubgen_machinery::Str;
use hubgen_rbac::v1::PolicyRule;

use super::matching::{covers_path, has, has_or_all};
use crate::validation::quoted;

/// The most permissions that are compared.
const MOST: usize = 250_000;
/// The most lines of missing permissions that a message has.
const MOST_LINES: usize = 2_000;

/// One permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission<'a> {
    Resource { verb: &'a Str, group: &'a Str, resource: &'a Str, name: Option<&'a Str> },
    Path { verb: &'a Str, path: &'a Str },
}

/// The permissions that are missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// So many that they are not compared.
    TooMany(usize),
    /// These, each in a line of its own, as upstream writes them.
    Lines(String),
}

/// What `held` lacks of `granted`; `None` if that is nothing.
pub(super) fn missing<'a>(
    held: &[&PolicyRule],
    granted: impl Iterator<Item = &'a PolicyRule> + Clone,
) -> Option<Missing> {
    let count = granted.clone().map(count).fold(0, usize::saturating_add);
    if count > MOST {
        let is_held = |granted: &PolicyRule| held.iter().any(|rule| includes(rule, granted));
        return (!granted.clone().all(is_held)).then_some(Missing::TooMany(count));
    }
    let lacking: Vec<_> = granted
        .flat_map(permissions)
        .filter(|permission| !held.iter().any(|rule| covers(rule, permission)))
        .collect();
    (!lacking.is_empty()).then(|| Missing::Lines(lines(&lacking)))
}

/// The rules that `held` lacks of `granted`, one for each permission.
pub(super) fn missing_rules(held: &[PolicyRule], granted: &[PolicyRule]) -> Vec<PolicyRule> {
    let lacks = |permission: &Permission<'_>| !held.iter().any(|rule| covers(rule, permission));
    granted.iter().flat_map(permissions).filter(lacks).map(|permission| permission.rule()).collect()
}

/// Whether one rule plainly includes another one.
fn includes(rule: &PolicyRule, other: &PolicyRule) -> bool {
    let all = |words: &[Str], wanted: &[Str]| wanted.iter().all(|word| has_or_all(words, word));
    all(&rule.verbs, &other.verbs)
        && all(&rule.api_groups, &other.api_groups)
        && all(&rule.resources, &other.resources)
        && all(&rule.non_resource_urls, &other.non_resource_urls)
        && rule.resource_names.is_empty()
}

fn count(rule: &PolicyRule) -> usize {
    let resources = [rule.api_groups.len(), rule.resources.len(), rule.resource_names.len().max(1)];
    let resources = resources.into_iter().fold(1, usize::saturating_mul);
    resources.saturating_add(rule.non_resource_urls.len()).saturating_mul(rule.verbs.len())
}

/// The permissions of a rule, in upstream's order.
fn permissions(rule: &PolicyRule) -> impl Iterator<Item = Permission<'_>> {
    let resources = rule.api_groups.iter().flat_map(move |group| {
        rule.resources.iter().flat_map(move |resource| {
            rule.verbs.iter().flat_map(move |verb| {
                let any = rule.resource_names.is_empty().then_some(None);
                let names = rule.resource_names.iter().map(Some).chain(any);
                names.map(move |name| Permission::Resource { verb, group, resource, name })
            })
        })
    });
    let paths = rule
        .non_resource_urls
        .iter()
        .flat_map(move |path| rule.verbs.iter().map(move |verb| Permission::Path { verb, path }));
    resources.chain(paths)
}

/// Whether a rule has a permission.
fn covers(rule: &PolicyRule, permission: &Permission<'_>) -> bool {
    match permission {
        Permission::Resource { verb, group, resource, name } => {
            has_or_all(&rule.verbs, verb)
                && has_or_all(&rule.api_groups, group)
                && has_resource(&rule.resources, resource)
                && (rule.resource_names.is_empty()
                    || name.is_some_and(|name| has(&rule.resource_names, name)))
        }
        // A path has no name, so a rule with names has no path.
        Permission::Path { verb, path } => {
            has_or_all(&rule.verbs, verb)
                && rule.resource_names.is_empty()
                && rule.non_resource_urls.iter().any(|url| covers_path(url, path))
        }
    }
}

/// Whether resources of a rule include one: by its name, as `*`, or as `*/log` for `pods/log`.
fn has_resource(resources: &[Str], resource: &str) -> bool {
    let subresource = resource.split_once('/').map(|(_, subresource)| subresource);
    has_or_all(resources, resource)
        || subresource.is_some_and(|subresource| {
            resources.iter().any(|known| known.strip_prefix("*/") == Some(subresource))
        })
}

impl Permission<'_> {
    /// The rule that has this permission and no other.
    fn rule(&self) -> PolicyRule {
        let one = |word: &Str| vec![word.clone()];
        match self {
            Self::Resource { verb, group, resource, name } => PolicyRule {
                verbs: one(verb),
                api_groups: one(group),
                resources: one(resource),
                resource_names: name.iter().map(|name| (*name).clone()).collect(),
                non_resource_urls: Vec::new(),
            },
            Self::Path { verb, path } => {
                PolicyRule { verbs: one(verb), non_resource_urls: one(path), ..PolicyRule::default() }
            }
        }
    }
}

/// Permissions as lines, those of one resource together, sorted.
fn lines(permissions: &[Permission<'_>]) -> String {
    let mut verbs: HashMap<_, Vec<&str>> = HashMap::new();
    let mut lines = BTreeSet::new();
    for permission in permissions {
        match permission {
            Permission::Resource { verb, group, resource, name } => {
                verbs.entry((group, resource, name)).or_default().push(verb);
            }
            Permission::Path { verb, path } => {
                lines.insert(format!("{{NonResourceURLs:{}, Verbs:{}}}", list(&[path]), list(&[verb])));
            }
        }
    }
    for ((group, resource, name), verbs) in verbs {
        let name = name.map_or_else(String::new, |name| format!(", ResourceNames:{}", list(&[name])));
        let (group, resource) = (list(&[group]), list(&[resource]));
        lines.insert(format!("{{APIGroups:{group}, Resources:{resource}{name}, Verbs:{}}}", list(&verbs)));
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut text = lines.into_iter().take(MOST_LINES).collect::<Vec<_>>().join("\n");
    if more > 0 {
        text += &format!("\n... and {more} more");
    }
    text
}

/// Words as Go shows a list of quoted texts.
pub(super) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
    format!("[{}]", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Str> {
        text.split_whitespace().map(|word| if word == "core" { Str::new() } else { word.into() }).collect()
    }

    /// Verbs, groups, resources, names and paths.
    fn rule([verbs, groups, resources, names, paths]: [&str; 5]) -> PolicyRule {
        PolicyRule {
            verbs: words(verbs),
            api_groups: words(groups),
            resources: words(resources),
            resource_names: words(names),
            non_resource_urls: words(paths),
        }
    }

    fn found(held: &[[&str; 5]], granted: &[[&str; 5]]) -> Option<String> {
        let held: Vec<PolicyRule> = held.iter().copied().map(rule).collect();
        let held: Vec<&PolicyRule> = held.iter().collect();
        let granted: Vec<PolicyRule> = granted.iter().copied().map(rule).collect();
        match missing(&held, granted.iter())? {
            Missing::Lines(lines) => Some(lines),
            Missing::TooMany(count) => Some(format!("{count} permissions")),
        }
    }

    #[test]
    fn what_is_held_is_covered() {
        for (held, granted) in [
            (["*", "*", "*", "", ""], ["get list", "core apps", "pods pods/log", "x", ""]),
            (["get list", "core", "pods */log", "", ""], ["get", "core", "pods nodes/log", "", ""]),
            (["get", "core", "pods", "x y", ""], ["get", "core", "pods", "y", ""]),
            (["get", "", "", "", "/a* /b"], ["get", "", "", "", "/ab /b"]),
            (["*", "", "", "", "*"], ["get post", "", "", "", "/x *"]),
            (["get", "core", "pods", "", ""], ["", "core", "pods", "", ""]),
        ] {
            assert_eq!(found(&[held], &[granted]), None, "{held:?} {granted:?}");
        }
    }

    #[test]
    fn what_is_missing_is_listed_as_upstream_does() {
        let held = [["get", "core", "pods", "", ""]];
        let granted = [["get list watch get", "core apps", "pods deployments", "", ""]];
        let expected = "{APIGroups:[\"\"], Resources:[\"deployments\"], Verbs:[\"get\" \"list\" \"watch\" \"get\"]}\n\
                        {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\" \"watch\"]}\n\
                        {APIGroups:[\"apps\"], Resources:[\"deployments\"], Verbs:[\"get\" \"list\" \"watch\" \"get\"]}\n\
                        {APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\" \"watch\" \"get\"]}";
        assert_eq!(found(&held, &granted).as_deref(), Some(expected));
        let granted = [["get list", "", "", "", "/b* /a"], ["get", "core", "pods", "x", ""]];
        let expected = "{APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"x\"], Verbs:[\"get\"]}\n\
                        {NonResourceURLs:[\"/a\"], Verbs:[\"get\"]}\n\
                        {NonResourceURLs:[\"/a\"], Verbs:[\"list\"]}\n\
                        {NonResourceURLs:[\"/b*\"], Verbs:[\"get\"]}\n\
                        {NonResourceURLs:[\"/b*\"], Verbs:[\"list\"]}";
        assert_eq!(found(&[], &granted).as_deref(), Some(expected));
    }

    #[test]
    fn a_name_does_not_cover_all_names() {
        let held = [["get", "core", "pods", "x", ""]];
        assert!(found(&held, &[["get", "core", "pods", "", ""]]).is_some());
        assert!(found(&held, &[["get", "core", "pods", "x y", ""]]).is_some());
    }

    #[test]
    fn very_many_permissions_are_not_compared() {
        let many: String = (0..100).map(|n| format!("w{n} ")).collect();
        let granted = [[&*many, &*many, &*many, &*many, ""]];
        assert_eq!(found(&[], &granted).as_deref(), Some("100000000 permissions"));
        assert_eq!(found(&[["*", "*", "*", "", ""]], &granted), None);
    }
}
