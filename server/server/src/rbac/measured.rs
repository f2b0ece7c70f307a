//! What a decision costs with 10,000 bindings. Run it with
//! `cargo test --release -p hubgen-server --lib rbac::measured -- --ignored --nocapture`.

use std::ops::ControlFlow;
use std::time::Instant;

use hubgen_machinery::Str;
use hubgen_rbac::v1::{PolicyRule, RoleRef, Subject};

use super::matching::allows;
use super::policy::{Binding, Found, Policy, Role};
use crate::access::{Attributes, ResourceAttributes, User};

const BINDINGS: usize = 10_000;
const DECISIONS: usize = 100_000;

/// A policy in which each of many users has a binding to one of 100 roles, and everybody has two more by a group.
fn policy() -> Policy {
    let mut policy = Policy::default();
    let words = |words: &[&str]| words.iter().map(|word| Str::from(*word)).collect::<Vec<_>>();
    for number in 0..100 {
        let allowing = |verb: &str| PolicyRule {
            verbs: words(&[verb]),
            api_groups: words(&["", "apps"]),
            resources: words(&["pods", "deployments", "secrets"]),
            ..PolicyRule::default()
        };
        let rules = ["get", "list", "watch", "create"].map(allowing).to_vec();
        policy.set_role("", &format!("r{number}"), Some(Role { rules, ..Role::default() }));
    }
    for number in 0..BINDINGS {
        let name = Str::from(format!("b{number}"));
        let subject =
            |kind: &str, name: String| Subject { kind: kind.into(), name: name.into(), ..Subject::default() };
        let mut subjects = vec![subject("User", format!("u{number}"))];
        if number < 2 {
            subjects.push(subject("Group", "everybody".to_owned()));
        }
        let role = RoleRef {
            kind: "ClusterRole".into(),
            name: format!("r{}", number % 100).into(),
            ..RoleRef::default()
        };
        policy.set_binding("", &name, Some(Binding { name: name.clone(), subjects, role }));
    }
    policy
}

#[test]
#[ignore = "it measures"]
fn a_decision_with_many_bindings() {
    let start = Instant::now();
    let policy = policy();
    println!("{BINDINGS} bindings indexed in {:?}", start.elapsed());
    for (what, verb) in [("allowed", "watch"), ("not allowed", "delete")] {
        let mut visited = 0;
        let start = Instant::now();
        for number in 0..DECISIONS {
            let groups = vec!["everybody".to_owned(), "system:authenticated".to_owned()];
            let user = User { name: format!("u{}", number % BINDINGS), groups, ..User::default() };
            let of = ResourceAttributes {
                group: "apps",
                version: "v1",
                resource: "deployments",
                subresource: "",
                namespace: "default",
                name: "",
            };
            let asked = Attributes { user: &user, verb, path: "", resource: Some(of) };
            policy.visit(&user, "default", |found| {
                visited += 1;
                match found {
                    Found::Rule(_, rule) if allows(rule, &asked) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
        }
        let each = start.elapsed() / DECISIONS as u32;
        println!("{what}: {each:?} for a decision, which looks at {} rules", visited / DECISIONS);
    }
}
