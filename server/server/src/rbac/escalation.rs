//! Nobody grants what they may not do.
//!
//! Whoever writes a role must have all of its permissions, or the verb `escalate` on it. Whoever writes a binding must have
//! all permissions of its role, or the verb `bind` on the role. It is asked after admission may have changed the object, and
//! before the object is validated, as in upstream.

use std::sync::Arc;

use hubgen_machinery::Str;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::{self, Reflect};
use hubgen_machinery::scheme::KindEntry;
use hubgen_rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef};
use hubgen_validation::names;

use super::covers::{self, Missing};
use super::follow::GROUP;
use super::{Rbac, why_gone};
use crate::access::{self, Attributes, Authorize, ResourceAttributes, is_privileged};
use crate::admission::{About, AdmissionRequest, Mutate, Operation, Refusal, Verdict};
use crate::kind_names::plural;
use crate::validation::quoted;

/// Refuses roles and bindings that grant more than their writer may do.
pub(super) struct Escalation {
    pub(super) rbac: Rbac,
    pub(super) authorize: Arc<dyn Authorize>,
}

/// What a role or a binding grants.
enum Granted<'a> {
    Role { rules: &'a [PolicyRule], gathers: bool },
    Binding(&'a RoleRef),
}

impl<'a> Granted<'a> {
    fn by(object: &'a dyn Reflect) -> Option<Self> {
        if let Some(role) = object.downcast_ref::<Role>() {
            return Some(Self::Role { rules: &role.rules, gathers: false });
        }
        if let Some(role) = object.downcast_ref::<ClusterRole>() {
            return Some(Self::Role { rules: &role.rules, gathers: gathers(role) });
        }
        if let Some(binding) = object.downcast_ref::<RoleBinding>() {
            return Some(Self::Binding(&binding.role_ref));
        }
        object.downcast_ref::<ClusterRoleBinding>().map(|binding| Self::Binding(&binding.role_ref))
    }
}

impl Mutate for Escalation {
    fn concerns(&self, entry: &KindEntry) -> bool {
        entry.storage().0 == GROUP
    }

    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async move {
            let request = &*request;
            let Some(object) = request.object().filter(|_| request.operation != Operation::Delete) else {
                return Ok(());
            };
            if is_privileged(request.user) {
                return Ok(());
            }
            match Granted::by(object) {
                None => Ok(()),
                Some(Granted::Role { rules, gathers }) => self.role(request, object, rules, gathers).await,
                Some(Granted::Binding(role)) => self.binding(request, object, role).await,
            }
        })
    }
}

impl Escalation {
    async fn role(
        &self,
        request: &AdmissionRequest<'_>,
        object: &dyn Reflect,
        rules: &[PolicyRule],
        gathers_now: bool,
    ) -> Result<(), Refusal> {
        let name = if request.operation == Operation::Create { "" } else { request.name };
        let resource = (&*request.entry.group, plural(request.entry), name);
        if self.may(request, "escalate", resource).await || changes_only_owners(object, request.old) {
            return Ok(());
        }
        self.has_all(request, object, rules).await?;
        let gathered = request.old.and_then(|old| old.downcast_ref::<ClusterRole>()).is_some_and(gathers);
        // Such a role can gather any rule, and keeps those that it has gathered.
        if (gathers_now || gathered) && self.has_all(request, object, &everything()).await.is_err() {
            let why = "must have cluster-admin privileges to use the aggregationRule";
            return Err(forbidden(request, object, why));
        }
        Ok(())
    }

    async fn binding(
        &self,
        request: &AdmissionRequest<'_>,
        object: &dyn Reflect,
        role: &RoleRef,
    ) -> Result<(), Refusal> {
        if changes_only_owners(object, request.old) {
            return Ok(());
        }
        let resource = match &*role.kind {
            "ClusterRole" => Some("clusterroles"),
            "Role" => Some("roles"),
            _ => None,
        };
        if let Some(resource) = resource
            && self.may(request, "bind", (&role.api_group, resource, &role.name)).await
        {
            return Ok(());
        }
        let found = {
            let policy = self.rbac.policy().map_err(|_| unknown())?.current().await.map_err(|_| unknown())?;
            policy.role(request.namespace, role).cloned()
        };
        match found {
            Some(found) => self.has_all(request, object, &found.rules).await,
            // Upstream names the resource of the request here, and not that of the role.
            None => Err(gone(request, role)),
        }
    }

    /// Whether the user may do something with a role of a group, a resource and a name.
    async fn may(
        &self,
        request: &AdmissionRequest<'_>,
        verb: &str,
        (group, resource, name): (&str, &str, &str),
    ) -> bool {
        let namespace = request.namespace;
        let of = ResourceAttributes { group, version: "*", resource, subresource: "", namespace, name };
        let asked = Attributes { user: request.user, verb, path: "", resource: Some(of) };
        self.authorize.authorize(&asked).await.is_ok()
    }

    /// Checks that the user has the permissions of rules.
    async fn has_all(
        &self,
        request: &AdmissionRequest<'_>,
        object: &dyn Reflect,
        rules: &[PolicyRule],
    ) -> Result<(), Refusal> {
        let AdmissionRequest { user, namespace, entry, .. } = request;
        let (held, gone) = self.rbac.rules_of(user, namespace).await.map_err(|_| unknown())?;
        let held: Vec<&PolicyRule> = held.iter().collect();
        let Some(missing) = covers::missing(&held, rules.iter()) else { return Ok(()) };
        let missing = match missing {
            Missing::Lines(lines) => lines,
            Missing::TooMany(count) => {
                format!("some of {count}, which are too many to tell: divide the role into several")
            }
        };
        let who = format!("user {} (groups={})", quoted(&user.name), covers::list(&user.groups));
        let mut why = format!("{who} is attempting to grant RBAC permissions not currently held:\n{missing}");
        let errors = access::aggregate(gone.iter().map(|role| why_gone(role, plural(entry))));
        if !errors.is_empty() {
            why += &format!("; resolution errors: [{errors}]");
        }
        Err(forbidden(request, object, &why))
    }
}

fn gathers(role: &ClusterRole) -> bool {
    role.aggregation_rule.as_ref().is_some_and(|rule| !rule.cluster_role_selectors.is_empty())
}

/// The rules of somebody who may do everything.
fn everything() -> [PolicyRule; 2] {
    let all = || vec![Str::from("*")];
    [
        PolicyRule { verbs: all(), api_groups: all(), resources: all(), ..PolicyRule::default() },
        PolicyRule { verbs: all(), non_resource_urls: all(), ..PolicyRule::default() },
    ]
}

/// Whether an update changes nothing but what a garbage collector does: owners and finalizers. The client must have read
/// the object.
fn changes_only_owners(new: &dyn Reflect, old: Option<&dyn Reflect>) -> bool {
    let Some(old) = old.filter(|_| !meta::text(new, "resourceVersion").is_empty()) else { return false };
    let without = |object: &dyn Reflect| {
        let mut copy = object.boxed_copy();
        for field in ["ownerReferences", "finalizers", "selfLink", "managedFields", "resourceVersion"] {
            crate::objectmeta::clear(&mut *copy, field);
        }
        copy
    };
    reflect::equal(&*without(new), &*without(old))
}

fn about(request: &AdmissionRequest<'_>, name: &str) -> Box<About> {
    let entry = request.entry;
    Box::new(About {
        group: entry.group.to_string(),
        resource: plural(entry).to_owned(),
        name: name.to_owned(),
    })
}

fn forbidden(request: &AdmissionRequest<'_>, object: &dyn Reflect, why: &str) -> Refusal {
    // A name that the server generates comes later in upstream.
    let is_generated =
        request.operation == Operation::Create && !meta::text(object, "generateName").is_empty();
    let name = if is_generated { "" } else { request.name };
    let of = format!("{}.{}", plural(request.entry), request.entry.group);
    let of = if name.is_empty() { of } else { format!("{of} {}", quoted(name)) };
    Refusal { about: Some(about(request, name)), ..Refusal::forbidden(format!("{of} is forbidden: {why}")) }
}

/// The role of a binding does not exist, or cannot.
fn gone(request: &AdmissionRequest<'_>, role: &RoleRef) -> Refusal {
    let message = why_gone(role, plural(request.entry));
    let malformed =
        |message: String| Refusal { code: 400, reason: "BadRequest".to_owned(), message, about: None };
    let mistakes = names::path_segment_mistakes(&role.name);
    match &*role.kind {
        "Role" | "ClusterRole" if role.name.is_empty() => malformed("Name parameter required.".to_owned()),
        "Role" | "ClusterRole" if !mistakes.is_empty() => {
            malformed(format!("Name parameter invalid: {}: {}", quoted(&role.name), mistakes.join(";")))
        }
        "Role" | "ClusterRole" => Refusal {
            code: 404,
            reason: "NotFound".to_owned(),
            message,
            about: Some(about(request, &role.name)),
        },
        _ => Refusal { code: 500, reason: String::new(), message, about: None },
    }
}

fn unknown() -> Refusal {
    let message = "Internal error occurred: the roles and bindings are not known".to_owned();
    Refusal { code: 500, reason: "InternalError".to_owned(), message, about: None }
}
