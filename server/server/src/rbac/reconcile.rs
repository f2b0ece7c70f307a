//! What a stored role or binding lacks of the one that a server makes when it starts.
//!
//! Permissions, subjects, labels and annotations are added and never removed. An object with the annotation for that is left
//! alone.

use hubgen_machinery::{Str, StrMap};
use hubgen_meta::v1::ObjectMeta;
use hubgen_rbac::v1::{
    AggregationRule, ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject,
};

use super::covers::missing_rules;

/// The annotation that protects an object if it is `false`. The name is upstream's.
const AUTO_UPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// What becomes of a stored object.
#[derive(Debug, PartialEq)]
pub(super) enum Reconciled<T> {
    /// It has all, or is protected.
    Same,
    Changed(T),
    /// It has to be removed, because what differs cannot be changed.
    Recreated,
}

/// A kind that a server makes objects of when it starts.
pub(super) trait Reconcile: Sized + Clone {
    /// What becomes of a stored object. `self` is what the server makes.
    fn reconcile(&self, stored: &Self) -> Reconciled<Self>;
}

impl Reconcile for Role {
    fn reconcile(&self, stored: &Self) -> Reconciled<Self> {
        let mut new = stored.clone();
        let has_changed = metadata(&self.metadata, &mut new.metadata) | rules(&self.rules, &mut new.rules);
        outcome(&stored.metadata, has_changed, new)
    }
}

impl Reconcile for ClusterRole {
    fn reconcile(&self, stored: &Self) -> Reconciled<Self> {
        let mut new = stored.clone();
        let has_changed = metadata(&self.metadata, &mut new.metadata)
            | rules(&self.rules, &mut new.rules)
            | selectors(self.aggregation_rule.as_ref(), &mut new.aggregation_rule);
        outcome(&stored.metadata, has_changed, new)
    }
}

impl Reconcile for RoleBinding {
    fn reconcile(&self, stored: &Self) -> Reconciled<Self> {
        let mut new = stored.clone();
        let has_changed =
            metadata(&self.metadata, &mut new.metadata) | subjects(&self.subjects, &mut new.subjects);
        if self.role_ref != stored.role_ref && !is_protected(&stored.metadata) {
            return Reconciled::Recreated;
        }
        outcome(&stored.metadata, has_changed, new)
    }
}

impl Reconcile for ClusterRoleBinding {
    fn reconcile(&self, stored: &Self) -> Reconciled<Self> {
        let mut new = stored.clone();
        let has_changed =
            metadata(&self.metadata, &mut new.metadata) | subjects(&self.subjects, &mut new.subjects);
        if self.role_ref != stored.role_ref && !is_protected(&stored.metadata) {
            return Reconciled::Recreated;
        }
        outcome(&stored.metadata, has_changed, new)
    }
}

fn outcome<T>(stored: &ObjectMeta, has_changed: bool, new: T) -> Reconciled<T> {
    if has_changed && !is_protected(stored) { Reconciled::Changed(new) } else { Reconciled::Same }
}

fn is_protected(metadata: &ObjectMeta) -> bool {
    metadata.annotations.get(AUTO_UPDATE).is_some_and(|value| *value == "false")
}

fn metadata(wanted: &ObjectMeta, stored: &mut ObjectMeta) -> bool {
    add(&wanted.labels, &mut stored.labels) | add(&wanted.annotations, &mut stored.annotations)
}

/// Adds what is missing. What is there stays as it is.
fn add(wanted: &StrMap<Str>, stored: &mut StrMap<Str>) -> bool {
    let mut has_changed = false;
    for (name, value) in wanted.iter() {
        if stored.get(name).is_none() {
            stored.insert(name, value.clone());
            has_changed = true;
        }
    }
    has_changed
}

fn rules(wanted: &[PolicyRule], stored: &mut Vec<PolicyRule>) -> bool {
    let missing = missing_rules(stored, wanted);
    let has_changed = !missing.is_empty();
    stored.extend(missing);
    has_changed
}

fn selectors(wanted: Option<&AggregationRule>, stored: &mut Option<AggregationRule>) -> bool {
    match (wanted, &mut *stored) {
        (None, None) => false,
        (None, Some(_)) => {
            *stored = None;
            true
        }
        (Some(wanted), None) => {
            *stored = Some(wanted.clone());
            true
        }
        (Some(wanted), Some(stored)) => {
            let stored = &mut stored.cluster_role_selectors;
            let missing = wanted.cluster_role_selectors.iter().filter(|selector| !stored.contains(selector));
            let missing: Vec<_> = missing.cloned().collect();
            let has_changed = !missing.is_empty();
            stored.extend(missing);
            has_changed
        }
    }
}

fn subjects(wanted: &[Subject], stored: &mut Vec<Subject>) -> bool {
    let missing: Vec<_> = wanted.iter().filter(|subject| !stored.contains(subject)).cloned().collect();
    let has_changed = !missing.is_empty();
    stored.extend(missing);
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(verbs: &[&str]) -> PolicyRule {
        let words = |words: &[&str]| words.iter().map(|word| Str::from(*word)).collect();
        PolicyRule {
            verbs: words(verbs),
            api_groups: words(&[""]),
            resources: words(&["pods"]),
            ..PolicyRule::default()
        }
    }

    #[test]
    fn missing_permissions_are_added_and_none_is_removed() {
        let wanted = Role { rules: vec![rule(&["get", "list"])], ..Role::default() };
        let stored = Role { rules: vec![rule(&["get", "delete"])], ..Role::default() };
        let Reconciled::Changed(new) = wanted.reconcile(&stored) else { panic!("it lacks list") };
        assert_eq!(new.rules, [rule(&["get", "delete"]), rule(&["list"])]);
        assert_eq!(wanted.reconcile(&new), Reconciled::Same);
    }

    #[test]
    fn a_protected_object_is_left_alone() {
        let wanted = Role { rules: vec![rule(&["get"])], ..Role::default() };
        let mut stored = Role::default();
        stored.metadata.annotations.insert(AUTO_UPDATE, Str::from("false"));
        assert_eq!(wanted.reconcile(&stored), Reconciled::Same);
        stored.metadata.annotations.insert(AUTO_UPDATE, Str::from("true"));
        assert!(matches!(wanted.reconcile(&stored), Reconciled::Changed(_)));
    }

    #[test]
    fn a_binding_of_another_role_is_made_again() {
        let mut wanted = RoleBinding::default();
        wanted.role_ref.name = "a".into();
        assert_eq!(wanted.reconcile(&RoleBinding::default()), Reconciled::Recreated);
    }
}
