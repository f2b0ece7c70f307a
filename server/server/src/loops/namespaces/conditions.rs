//! What is said of a namespace that is being deleted. Types, reasons and messages are upstream's, which clients know.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What is left of a namespace, and what went wrong.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// How many objects of each resource, by `RESOURCE.GROUP`.
    pub(super) objects: BTreeMap<String, usize>,
    /// How many objects each finalizer keeps.
    pub(super) finalizers: BTreeMap<String, usize>,
    /// Why objects cannot be deleted.
    pub(super) failures: Vec<String>,
    /// Whether only those are looked at that go before all others. As upstream, that tells nothing of what is left.
    pub(super) is_begun: bool,
}

/// The conditions: type, and reason and message if nothing is to be said.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

impl Left {
    /// Whether nothing is left, and nothing went wrong.
    pub(super) fn is_nothing(&self) -> bool {
        self.objects.is_empty() && self.failures.is_empty()
    }

    /// The conditions that tell it.
    pub(super) fn conditions(&self) -> Vec<Value> {
        CONDITIONS
            .iter()
            .map(|(ty, reason, message)| {
                let (status, reason, message) = match self.told(ty) {
                    Some((reason, message)) => ("True", reason, message),
                    None => ("False", *reason, (*message).to_owned()),
                };
                json!({"type": ty, "status": status, "reason": reason, "message": message})
            })
            .collect()
    }

    /// The reason and the message of a condition of which something is to be said.
    fn told(&self, ty: &str) -> Option<(&'static str, String)> {
        let listed = |all: &BTreeMap<String, usize>, text: &dyn Fn(&str, usize) -> String| {
            let mut texts: Vec<String> = all.iter().map(|(name, count)| text(name, *count)).collect();
            texts.sort_unstable();
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        match ty {
            "NamespaceDeletionContentFailure" if !self.failures.is_empty() => {
                let mut all = self.failures.clone();
                all.sort_unstable();
                let (count, all) = (all.len(), all.join(", "));
                let message = format!("Failed to delete all resource types, {count} remaining: {all}");
                Some(("ContentDeletionFailed", message))
            }
            "NamespaceContentRemaining" if !self.is_begun => {
                let all =
                    listed(&self.objects, &|name, count| format!("{name} has {count} resource instances"))?;
                Some(("SomeResourcesRemain", format!("Some resources are remaining: {all}")))
            }
            "NamespaceFinalizersRemaining" if !self.is_begun => {
                let all =
                    listed(&self.finalizers, &|name, count| format!("{name} in {count} resource instances"))?;
                let message = format!("Some content in the namespace has finalizers remaining: {all}");
                Some(("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(left: &Left) -> Vec<String> {
        let text = |condition: &Value| {
            let [ty, status, reason, message] =
                ["type", "status", "reason", "message"].map(|member| condition[member].as_str().unwrap());
            format!("{ty}={status} {reason}: {message}")
        };
        left.conditions().iter().map(text).collect()
    }

    #[test]
    fn each_condition_tells_what_there_is_to_tell() {
        let nothing = Left::default();
        assert!(nothing.is_nothing());
        assert!(told(&nothing).iter().all(|condition| condition.contains("=False")), "{:?}", told(&nothing));
        let left = Left {
            objects: [("pods.".to_owned(), 1), ("b.example.com".to_owned(), 2)].into(),
            finalizers: [("b/c".to_owned(), 2)].into(),
            failures: vec!["z".to_owned(), "a".to_owned()],
            is_begun: false,
        };
        assert!(!left.is_nothing());
        assert_eq!(
            told(&left)[2..],
            [
                "NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 2 \
                 remaining: a, z",
                "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: b.example.com has 2 \
                 resource instances, pods. has 1 resource instances",
                "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers \
                 remaining: b/c in 2 resource instances",
            ]
        );
    }
}
