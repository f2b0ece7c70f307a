//! The roles and bindings that there are, with an index of the bindings by their subjects.
//!
//! What a user may do is found by the user's name and groups, so that it does not matter how many bindings there are for
//! others. Bindings are visited in the order of their names, those of the cluster first.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use hubgen_machinery::Str;
use hubgen_meta::v1::LabelSelector;
use hubgen_rbac::v1::{PolicyRule, RoleRef, Subject};

use super::matching::{account, is_about};
use crate::access::User;
use crate::validation::quoted;

/// A Role or a ClusterRole.
#[derive(Clone, Default)]
pub(super) struct Role {
    pub(super) rules: Vec<PolicyRule>,
    pub(super) labels: Vec<(Str, Str)>,
    /// Whose rules it gathers, if it does.
    pub(super) selectors: Option<Vec<LabelSelector>>,
}

/// A RoleBinding or a ClusterRoleBinding.
pub(super) struct Binding {
    pub(super) name: Str,
    pub(super) subjects: Vec<Subject>,
    pub(super) role: RoleRef,
}

/// Bindings by the names of their subjects.
type Index = HashMap<Str, Vec<Arc<Binding>>>;

/// The roles and bindings of a namespace, or those of the cluster.
#[derive(Default)]
struct Scope {
    roles: BTreeMap<Str, Arc<Role>>,
    bindings: HashMap<Str, Arc<Binding>>,
    /// The bindings by the names of users, those of service accounts included. Each list is sorted by name.
    users: Index,
    groups: Index,
}

/// All roles and bindings.
#[derive(Default)]
pub(super) struct Policy {
    /// By namespace; those of the cluster are in the empty one.
    scopes: HashMap<Str, Scope>,
}

/// A binding that is about a user, and the subject because of which it is.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    namespace: &'a str,
    binding: &'a Binding,
    subject: &'a Subject,
}

/// What [`Policy::visit`] finds.
pub(super) enum Found<'a> {
    Rule(Source<'a>, &'a PolicyRule),
    /// The role of a binding that does not exist.
    Gone(&'a RoleRef),
}

impl Policy {
    /// Sets a role, or removes it.
    pub(super) fn set_role(&mut self, namespace: &str, name: &str, role: Option<Role>) {
        self.change(namespace, |scope| match role {
            Some(role) => drop(scope.roles.insert(name.into(), Arc::new(role))),
            None => drop(scope.roles.remove(name)),
        });
    }

    /// Sets a binding, or removes it.
    pub(super) fn set_binding(&mut self, namespace: &str, name: &str, binding: Option<Binding>) {
        self.change(namespace, |scope| {
            if let Some(old) = scope.bindings.remove(name) {
                scope.unlist(namespace, &old);
            }
            if let Some(binding) = binding.map(Arc::new) {
                scope.list(namespace, &binding);
                scope.bindings.insert(name.into(), binding);
            }
        });
    }

    /// Removes the roles or the bindings, either of the cluster or of all namespaces.
    pub(super) fn forget_all(&mut self, are_roles: bool, are_of_cluster: bool) {
        self.scopes.retain(|namespace, scope| {
            if namespace.is_empty() == are_of_cluster {
                if are_roles {
                    scope.roles.clear();
                } else {
                    *scope = Scope { roles: std::mem::take(&mut scope.roles), ..Scope::default() };
                }
            }
            !scope.roles.is_empty() || !scope.bindings.is_empty()
        });
    }

    /// The role that a binding in a namespace refers to.
    pub(super) fn role(&self, namespace: &str, role: &RoleRef) -> Option<&Arc<Role>> {
        let scope = match &*role.kind {
            "Role" => self.scopes.get(namespace)?,
            "ClusterRole" => self.scopes.get("")?,
            _ => return None,
        };
        scope.roles.get(&*role.name)
    }

    /// The roles of the cluster, in the order of their names.
    pub(super) fn cluster_roles(&self) -> impl Iterator<Item = (&Str, &Arc<Role>)> {
        self.scopes.get("").into_iter().flat_map(|scope| &scope.roles)
    }

    /// Visits the rules that apply to a user in a namespace (empty for the whole cluster), until `visit` breaks.
    pub(super) fn visit<'a>(
        &'a self,
        user: &User,
        namespace: &'a str,
        mut visit: impl FnMut(Found<'a>) -> ControlFlow<()>,
    ) {
        let scopes = ["", namespace].into_iter().take(if namespace.is_empty() { 1 } else { 2 });
        for (namespace, scope) in scopes.filter_map(|name| Some((name, self.scopes.get(name)?))) {
            for binding in scope.bindings_of(user) {
                let Some(subject) =
                    binding.subjects.iter().find(|subject| is_about(subject, user, namespace))
                else {
                    continue;
                };
                let flow = match self.role(namespace, &binding.role) {
                    Some(role) => role.rules.iter().try_for_each(|rule| {
                        visit(Found::Rule(Source { namespace, binding, subject }, rule))
                    }),
                    None => visit(Found::Gone(&binding.role)),
                };
                if flow.is_break() {
                    return;
                }
            }
        }
    }

    fn change(&mut self, namespace: &str, change: impl FnOnce(&mut Scope)) {
        let scope = self.scopes.entry(namespace.into()).or_default();
        change(scope);
        if scope.roles.is_empty() && scope.bindings.is_empty() {
            self.scopes.remove(namespace);
        }
    }
}

impl Scope {
    /// The bindings that are about a user, in the order of their names.
    fn bindings_of(&self, user: &User) -> Vec<&Arc<Binding>> {
        let of_groups = user.groups.iter().filter_map(|group| self.groups.get(&**group));
        let lists = self.users.get(&*user.name).into_iter().chain(of_groups);
        let mut found: Vec<&Arc<Binding>> = lists.flatten().collect();
        // Most users have few of them.
        if !found.is_sorted_by(|a, b| a.name < b.name) {
            found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            found.dedup_by(|a, b| Arc::ptr_eq(a, b));
        }
        found
    }

    fn list(&mut self, namespace: &str, binding: &Arc<Binding>) {
        for subject in &binding.subjects {
            let Some((index, name)) = self.index(subject, namespace) else { continue };
            let list = index.entry(name).or_default();
            if let Err(place) = list.binary_search_by(|known| known.name.cmp(&binding.name)) {
                list.insert(place, Arc::clone(binding));
            }
        }
    }

    fn unlist(&mut self, namespace: &str, binding: &Binding) {
        for subject in &binding.subjects {
            let Some((index, name)) = self.index(subject, namespace) else { continue };
            let Some(list) = index.get_mut(&*name) else { continue };
            if let Ok(place) = list.binary_search_by(|known| known.name.cmp(&binding.name)) {
                list.remove(place);
            }
            if list.is_empty() {
                index.remove(&*name);
            }
        }
    }

    /// Where a subject is listed, and under which name; `None` if it is nobody.
    fn index(&mut self, subject: &Subject, namespace: &str) -> Option<(&mut Index, Str)> {
        match &*subject.kind {
            "User" => Some((&mut self.users, subject.name.clone())),
            "Group" => Some((&mut self.groups, subject.name.clone())),
            "ServiceAccount" => Some((&mut self.users, account(subject, namespace)?.into())),
            _ => None,
        }
    }
}

/// As upstream names it in the reason why something is allowed.
impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, binding: Binding { name, role, .. }, subject } = self;
        let (kind, name) = match *namespace {
            "" => ("ClusterRoleBinding", quoted(name)),
            namespace => ("RoleBinding", quoted(&format!("{name}/{namespace}"))),
        };
        let to = match (&*subject.kind, &*subject.namespace) {
            ("ServiceAccount", "") => quoted(&format!("{}/{namespace}", subject.name)),
            ("ServiceAccount", namespace) => quoted(&format!("{}/{namespace}", subject.name)),
            _ => quoted(&subject.name),
        };
        write!(f, "{kind} {name} of {} {} to {} {to}", role.kind, quoted(&role.name), subject.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(name: &str, role: &str, subjects: &[(&str, &str)]) -> Option<Binding> {
        let subject = |(kind, name): &(&str, &str)| Subject {
            kind: (*kind).into(),
            name: (*name).into(),
            ..Subject::default()
        };
        let role = RoleRef { kind: "ClusterRole".into(), name: role.into(), ..RoleRef::default() };
        Some(Binding { name: name.into(), subjects: subjects.iter().map(subject).collect(), role })
    }

    fn user(name: &str, groups: &[&str]) -> User {
        let groups = groups.iter().map(ToString::to_string).collect();
        User { name: name.to_owned(), groups, ..User::default() }
    }

    fn seen(policy: &Policy, user: &User, namespace: &str) -> Vec<String> {
        let mut seen = Vec::new();
        policy.visit(user, namespace, |found| {
            seen.push(match found {
                Found::Rule(source, _) => source.to_string(),
                Found::Gone(role) => format!("{} is gone", role.name),
            });
            ControlFlow::Continue(())
        });
        seen
    }

    #[test]
    fn bindings_are_found_by_their_subjects() {
        let mut policy = Policy::default();
        let role = Role { rules: vec![PolicyRule::default()], ..Role::default() };
        policy.set_role("", "r", Some(role));
        policy.set_binding(
            "",
            "c",
            binding("c", "r", &[("User", "ada"), ("Group", "people"), ("User", "ada")]),
        );
        policy.set_binding("", "b", binding("b", "r", &[("Group", "people")]));
        policy.set_binding("n", "a", binding("a", "nothing", &[("ServiceAccount", "ada")]));
        let ada = user("ada", &["people", "others"]);
        let expected = [
            r#"ClusterRoleBinding "b" of ClusterRole "r" to Group "people""#,
            r#"ClusterRoleBinding "c" of ClusterRole "r" to User "ada""#,
        ];
        assert_eq!(seen(&policy, &ada, "n"), expected);
        assert_eq!(seen(&policy, &user("system:serviceaccount:n:ada", &[]), "n"), ["nothing is gone"]);
        assert!(seen(&policy, &user("system:serviceaccount:n:ada", &[]), "").is_empty());
        policy.set_role("", "nothing", Some(Role { rules: vec![PolicyRule::default()], ..Role::default() }));
        assert_eq!(
            seen(&policy, &user("system:serviceaccount:n:ada", &[]), "n"),
            [r#"RoleBinding "a/n" of ClusterRole "nothing" to ServiceAccount "ada/n""#]
        );
    }

    #[test]
    fn what_is_removed_is_not_found() {
        let mut policy = Policy::default();
        policy.set_role("", "r", Some(Role { rules: vec![PolicyRule::default()], ..Role::default() }));
        policy.set_binding("", "a", binding("a", "r", &[("User", "ada"), ("User", "ada")]));
        policy.set_binding("", "b", binding("b", "r", &[("User", "ada")]));
        policy.set_binding("", "a", binding("a", "r", &[("User", "bob")]));
        assert_eq!(seen(&policy, &user("ada", &[]), "").len(), 1);
        policy.set_binding("", "b", None);
        assert!(seen(&policy, &user("ada", &[]), "").is_empty());
        policy.set_binding("", "a", None);
        policy.set_role("", "r", None);
        assert!(policy.scopes.is_empty());
    }
}
