//! Whether a rule of a role allows what a user asks for.

use hubgen_machinery::Str;
use hubgen_rbac::v1::{PolicyRule, Subject};

use crate::access::{Attributes, ResourceAttributes, User};

/// The word for all verbs, groups, resources or paths.
const ALL: &str = "*";

/// Whether a rule allows what a user asks for.
pub(super) fn allows(rule: &PolicyRule, asked: &Attributes<'_>) -> bool {
    has_or_all(&rule.verbs, asked.verb)
        && match &asked.resource {
            Some(of) => {
                has_or_all(&rule.api_groups, of.group)
                    && rule.resources.iter().any(|resource| names(resource, of))
                    && (rule.resource_names.is_empty() || has(&rule.resource_names, of.name))
            }
            None => rule.non_resource_urls.iter().any(|url| covers_path(url, asked.path)),
        }
}

/// Whether a word of a rule names a resource: `pods`, `pods/log`, `*/log` or `*`.
fn names(word: &str, of: &ResourceAttributes<'_>) -> bool {
    if word == ALL {
        return true;
    }
    if of.subresource.is_empty() {
        return word == of.resource;
    }
    // A name of a resource may contain a slash where a review asks for one.
    let before = word.strip_suffix(of.subresource).and_then(|before| before.strip_suffix('/'));
    before.is_some_and(|before| before == of.resource || before == ALL)
}

/// Whether a path of a rule is the path, or ends in `*` and stands for it.
pub(super) fn covers_path(url: &str, path: &str) -> bool {
    url == path || (url.ends_with('*') && path.starts_with(url.trim_end_matches('*')))
}

pub(super) fn has(words: &[Str], word: &str) -> bool {
    words.iter().any(|known| *known == *word)
}

pub(super) fn has_or_all(words: &[Str], word: &str) -> bool {
    words.iter().any(|known| *known == *word || *known == *ALL)
}

/// Whether a binding in a namespace (empty for all of them) is about a user because of one of its subjects.
pub(super) fn is_about(subject: &Subject, user: &User, namespace: &str) -> bool {
    match &*subject.kind {
        "User" => *subject.name == *user.name,
        "Group" => user.groups.iter().any(|group| *subject.name == **group),
        "ServiceAccount" => account(subject, namespace).is_some_and(|name| *name == *user.name),
        _ => false,
    }
}

/// The name of the user that a service account is; `None` if its namespace is not known.
pub(super) fn account(subject: &Subject, namespace: &str) -> Option<String> {
    let namespace = if subject.namespace.is_empty() { namespace } else { &*subject.namespace };
    (!namespace.is_empty()).then(|| format!("system:serviceaccount:{namespace}:{}", subject.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Str> {
        text.split_whitespace().map(|word| if word == "core" { Str::new() } else { word.into() }).collect()
    }

    /// Verbs, groups, resources and names.
    fn rule([verbs, groups, resources, names]: [&str; 4]) -> PolicyRule {
        PolicyRule {
            verbs: words(verbs),
            api_groups: words(groups),
            resources: words(resources),
            resource_names: words(names),
            ..PolicyRule::default()
        }
    }

    /// Verb, group, resource, subresource and name.
    fn is_allowed(rule: &PolicyRule, [verb, group, resource, subresource, name]: [&str; 5]) -> bool {
        let user = User::default();
        let of = ResourceAttributes { group, version: "v1", resource, subresource, namespace: "a", name };
        allows(rule, &Attributes { user: &user, verb, path: "/api", resource: Some(of) })
    }

    #[test]
    fn resources() {
        for (given, asked, expected) in [
            (["get", "core", "pods", ""], ["get", "", "pods", "", "x"], true),
            (["get", "core", "pods", ""], ["list", "", "pods", "", ""], false),
            (["get", "core", "pods", ""], ["get", "apps", "pods", "", ""], false),
            (["get", "core", "pods", ""], ["get", "", "pods", "log", "x"], false),
            (["get", "core", "pods/log", ""], ["get", "", "pods", "log", "x"], true),
            (["get", "core", "pods/log", ""], ["get", "", "pods", "", "x"], false),
            (["get", "core", "*/log", ""], ["get", "", "pods", "log", "x"], true),
            (["get", "core", "*/log", ""], ["get", "", "pods", "", "x"], false),
            (["get", "core", "*/", ""], ["get", "", "pods", "", "x"], false),
            (["get", "core", "pods/*", ""], ["get", "", "pods", "log", "x"], false),
            (["*", "*", "*", ""], ["get", "apps", "pods", "log", "x"], true),
            (["get", "core", "pods", "x y"], ["get", "", "pods", "", "y"], true),
            (["get", "core", "pods", "x y"], ["get", "", "pods", "", "z"], false),
            // The name of a collection is empty, so that no rule with names allows it.
            (["list", "core", "pods", "x"], ["list", "", "pods", "", ""], false),
            (["get", "core", "pods", "*"], ["get", "", "pods", "", "x"], false),
            (["", "core", "pods", ""], ["", "", "pods", "", ""], false),
        ] {
            assert_eq!(is_allowed(&rule(given), asked), expected, "{given:?} {asked:?}");
        }
    }

    #[test]
    fn paths() {
        let user = User::default();
        for (url, path, expected) in [
            ("/healthz", "/healthz", true),
            ("/healthz", "/healthz/etcd", false),
            ("/healthz/*", "/healthz/etcd", true),
            ("/healthz/*", "/healthz", false),
            ("/healthz*", "/healthz", true),
            ("*", "/any", true),
            ("/a**", "/ab", true),
            ("/*/b", "/a/b", false),
        ] {
            let rule =
                PolicyRule { verbs: words("get"), non_resource_urls: words(url), ..PolicyRule::default() };
            let asked = |verb| Attributes { user: &user, verb, path, resource: None };
            assert_eq!(allows(&rule, &asked("get")), expected, "{url} {path}");
            assert!(!allows(&rule, &asked("post")));
        }
    }

    #[test]
    fn subjects() {
        let subject = |kind: &str, namespace: &str, name: &str| Subject {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
            ..Subject::default()
        };
        let user = User {
            name: "system:serviceaccount:a:b".to_owned(),
            groups: vec!["g".to_owned()],
            ..User::default()
        };
        for (subject, namespace, expected) in [
            (subject("User", "", "system:serviceaccount:a:b"), "", true),
            (subject("Group", "", "g"), "", true),
            (subject("Group", "", "system:serviceaccount:a:b"), "", false),
            (subject("ServiceAccount", "a", "b"), "", true),
            (subject("ServiceAccount", "", "b"), "a", true),
            (subject("ServiceAccount", "", "b"), "", false),
            (subject("ServiceAccount", "c", "b"), "a", false),
            (subject("Robot", "", "g"), "", false),
        ] {
            assert_eq!(is_about(&subject, &user, namespace), expected, "{subject:?} {namespace}");
        }
    }
}
