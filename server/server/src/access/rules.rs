//! What a user may do, as a list.

use std::pin::Pin;

/// What a user may do in a namespace, as far as it can be listed. A client such as `kubectl auth can-i --list` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What the user may do with resources.
    pub resources: Vec<ResourceRule>,
    /// What the user may do with other paths.
    pub paths: Vec<PathRule>,
    /// Why the user may do more than is listed; empty if the list is complete.
    pub missing: String,
    /// What went wrong while the list was made, such as a binding whose role does not exist; empty if nothing did.
    pub error: String,
}

/// What a user may do with resources. The word `*` stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceRule {
    /// The verbs, such as `list`.
    pub verbs: Vec<String>,
    /// The groups; the core group is the empty text.
    pub groups: Vec<String>,
    /// The plural names, or `pods/status` for a subresource.
    pub resources: Vec<String>,
    /// The names of the objects; no name stands for all.
    pub names: Vec<String>,
}

/// What a user may do with paths that are not of a resource, such as `/metrics`. The word `*` stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRule {
    /// The methods in small letters, such as `get`.
    pub verbs: Vec<String>,
    /// The paths; one that ends in `*` stands for all that begin with it.
    pub paths: Vec<String>,
}

/// What a user may do, perhaps after a while.
pub type ListedRules<'a> = Pin<Box<dyn Future<Output = Rules> + Send + 'a>>;

impl Rules {
    /// The user may do everything.
    pub fn everything() -> Self {
        let all = || vec!["*".to_owned()];
        let resources =
            vec![ResourceRule { verbs: all(), groups: all(), resources: all(), names: Vec::new() }];
        let paths = vec![PathRule { verbs: all(), paths: all() }];
        Self { resources, paths, ..Self::default() }
    }
}
