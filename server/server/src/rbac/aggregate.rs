//! Keeps the rules of aggregated ClusterRoles: those of all roles that their selectors select.
//!
//! Roles are changed one after the other, each with what the others have become, so that roles that gather each other come
//! to rest. If they do not, they are changed slowly.

use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::Str;
use hubgen_machinery::reflect::Reflect;
use hubgen_meta::v1::LabelSelector;
use hubgen_rbac::v1::{ClusterRole, PolicyRule};
use tokio::time::sleep;
use tracing::warn;

use super::follow::Followed;
use super::policy::Policy;
use super::work::Work;
use crate::follow::Asked;
use crate::objects::Outcome;

/// Under which name rules are written. It is that of upstream's controller.
const MANAGER: &str = "clusterrole-aggregation-controller";
/// How many changes without a rest are made at once.
const AT_ONCE: usize = 100;
/// How long to wait before the next change after that, or after one has failed.
const SLOWLY: Duration = Duration::from_secs(1);

/// Keeps the rules of aggregated ClusterRoles.
pub(super) struct Aggregate {
    pub(super) policy: Arc<Followed>,
    pub(super) work: Work,
}

impl Aggregate {
    /// Keeps them until the store is closed.
    pub(super) async fn run(self, mut asked: Asked) {
        let Some(mut changes) = self.policy.changes_of_cluster_roles() else { return };
        loop {
            if changes.borrow_and_update().is_none() {
                return;
            }
            self.all().await;
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = asked.wait() => {
                    // The policy has all that was written before somebody asks.
                    self.all().await;
                    asked.answer(u64::MAX);
                }
            }
        }
    }

    /// Changes roles until each has the rules that it should have.
    pub(super) async fn all(&self) {
        let mut failed: Vec<Str> = Vec::new();
        for count in 0_usize.. {
            let next = match self.policy.current().await {
                Ok(policy) => next(&policy, &failed),
                Err(_) => return,
            };
            let Some((name, rules)) = next else { return };
            if let Err(why) = self.write(&name, rules).await {
                warn!("the rules of an aggregated role are not up to date: {why}");
                failed.push(name);
            }
            if count >= AT_ONCE {
                sleep(SLOWLY).await;
            }
        }
    }

    async fn write(&self, name: &Str, rules: Vec<PolicyRule>) -> Result<(), String> {
        let change = move |stored: &dyn Reflect| match stored.downcast_ref::<ClusterRole>() {
            Some(role) if role.aggregation_rule.is_some() => {
                Outcome::Replace(Box::new(ClusterRole { rules: rules.clone(), ..role.clone() }))
            }
            _ => Outcome::Keep,
        };
        self.work.amend(name, change, MANAGER).await
    }
}

/// The first role that has other rules than it should have, and those that it should have.
fn next(policy: &Policy, failed: &[Str]) -> Option<(Str, Vec<PolicyRule>)> {
    policy.cluster_roles().filter(|(name, _)| !failed.contains(name)).find_map(|(name, role)| {
        let rules = gathered(policy, name, role.selectors.as_ref()?)?;
        (rules != role.rules).then(|| (name.clone(), rules))
    })
}

/// The rules that selectors gather, each once, in the order of the selectors and of the names of the roles; `None` if a
/// selector has an unknown operator.
fn gathered(policy: &Policy, own: &Str, selectors: &[LabelSelector]) -> Option<Vec<PolicyRule>> {
    let mut rules: Vec<PolicyRule> = Vec::new();
    for selector in selectors {
        for (_, role) in policy.cluster_roles().filter(|(name, _)| *name != own) {
            if selects(selector, &role.labels)? {
                for rule in &role.rules {
                    if !rules.contains(rule) {
                        rules.push(rule.clone());
                    }
                }
            }
        }
    }
    Some(rules)
}

/// Whether a selector selects labels; `None` if it has an unknown operator.
fn selects(selector: &LabelSelector, labels: &[(Str, Str)]) -> Option<bool> {
    let label = |name: &str| labels.iter().find(|(key, _)| *key == *name).map(|(_, value)| value);
    for requirement in &selector.match_expressions {
        let value = label(&requirement.key);
        let is_in = value.is_some_and(|value| requirement.values.contains(value));
        let is_met = match &*requirement.operator {
            "In" => is_in,
            "NotIn" => !is_in,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => return None,
        };
        if !is_met {
            return Some(false);
        }
    }
    Some(selector.match_labels.iter().all(|(name, value)| label(name) == Some(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rbac::policy::Role;

    fn allowing(verb: &str) -> PolicyRule {
        PolicyRule { verbs: vec![verb.into()], ..PolicyRule::default() }
    }

    fn selector(label: &str) -> LabelSelector {
        let mut selector = LabelSelector::default();
        selector.match_labels.insert(label, Str::from("1"));
        selector
    }

    fn role(verbs: &[&str], labels: &[&str], gathers: &[&str]) -> Option<Role> {
        let selectors: Vec<_> = gathers.iter().map(|label| selector(label)).collect();
        Some(Role {
            rules: verbs.iter().map(|verb| allowing(verb)).collect(),
            labels: labels.iter().map(|label| ((*label).into(), "1".into())).collect(),
            selectors: (!selectors.is_empty()).then_some(selectors),
        })
    }

    /// Lets all roles come to rest.
    fn settle(policy: &mut Policy) {
        for _ in 0..100 {
            let Some((name, rules)) = next(policy, &[]) else { return };
            let role = policy.cluster_roles().find(|(known, _)| **known == name).unwrap().1;
            let role = Role { rules, ..(**role).clone() };
            policy.set_role("", &name, Some(role));
        }
        panic!("they do not come to rest");
    }

    fn verbs(policy: &Policy, name: &str) -> Vec<String> {
        let (_, role) = policy.cluster_roles().find(|(known, _)| **known == *name).unwrap();
        role.rules.iter().map(|rule| rule.verbs[0].to_string()).collect()
    }

    #[test]
    fn rules_are_gathered_in_order_and_once() {
        let mut policy = Policy::default();
        policy.set_role("", "all", role(&["stale"], &[], &["x", "y"]));
        policy.set_role("", "b", role(&["b", "shared"], &["y"], &[]));
        policy.set_role("", "a", role(&["shared", "a"], &["x"], &[]));
        policy.set_role("", "c", role(&["c"], &["x"], &[]));
        settle(&mut policy);
        assert_eq!(verbs(&policy, "all"), ["shared", "a", "c", "b"]);
        policy.set_role("", "a", None);
        settle(&mut policy);
        assert_eq!(verbs(&policy, "all"), ["c", "b", "shared"]);
    }

    #[test]
    fn roles_that_gather_each_other_come_to_rest() {
        let mut policy = Policy::default();
        policy.set_role("", "a", role(&[], &["x"], &["y", "c", "x"]));
        policy.set_role("", "b", role(&[], &["y"], &["x", "d"]));
        policy.set_role("", "c", role(&["c"], &["c"], &[]));
        policy.set_role("", "d", role(&["d"], &["d"], &[]));
        settle(&mut policy);
        let (mut a, mut b) = (verbs(&policy, "a"), verbs(&policy, "b"));
        a.sort();
        b.sort();
        assert_eq!((a, b), (vec!["c".to_owned(), "d".to_owned()], vec!["c".to_owned(), "d".to_owned()]));
    }

    #[test]
    fn operators() {
        let labels = [("a".into(), "1".into())];
        for (key, operator, values, expected) in [
            ("a", "In", &["1", "2"][..], Some(true)),
            ("b", "In", &["1"], Some(false)),
            ("a", "NotIn", &["1"], Some(false)),
            ("b", "NotIn", &["1"], Some(true)),
            ("a", "Exists", &[], Some(true)),
            ("a", "DoesNotExist", &[], Some(false)),
            ("a", "Like", &[], None),
        ] {
            let requirement = hubgen_meta::v1::LabelSelectorRequirement {
                key: key.into(),
                operator: operator.into(),
                values: values.iter().map(|value| Str::from(*value)).collect(),
            };
            let selector = LabelSelector { match_expressions: vec![requirement], ..LabelSelector::default() };
            assert_eq!(selects(&selector, &labels), expected, "{key} {operator}");
        }
        assert_eq!(selects(&LabelSelector::default(), &labels), Some(true));
    }
}
